//! Several clients at one socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pitree_format::Value;
use pitree_format::js::parse;

use crate::rpc::peer::{Machine, exit_code};
use crate::rpc::pi::TALK;

/// A server at a socket. Ends with the value.
pub(crate) struct Listener {
    pub(crate) child: Child,
    pub(crate) machine: Machine,
}

impl Listener {
    pub(crate) fn start() -> Self {
        let machine = Machine::new();
        machine.write("sessions/talk.jsonl", TALK);
        Self::on(machine, &[])
    }

    /// A server for the session of this machine.
    pub(crate) fn on(machine: Machine, args: &[&str]) -> Self {
        let session = machine.path("sessions/talk.jsonl");
        let child = machine
            .pitree_command(&["--listen", "../s", "--session", session.to_str().unwrap()])
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let listener = Self { child, machine };
        let deadline = Instant::now() + Duration::from_secs(30);
        while UnixStream::connect(listener.machine.path("s")).is_err() {
            assert!(Instant::now() < deadline, "nobody listens");
            std::thread::sleep(Duration::from_millis(10));
        }
        listener
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn number(value: &Value, name: &str) -> Option<f64> {
    value.get_number(name)
}

/// Connects; a server that says nothing for a minute has hung.
pub(crate) fn connect(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// One client that asks without waiting, a few requests at a time, and checks every answer.
/// Returns how many it asked.
fn talk(path: &Path, client: usize, until: Instant) -> usize {
    let stream = connect(path);
    let mut requests = stream.try_clone().unwrap();
    let mut answers = BufReader::new(stream);
    let mut asked = 0;
    while Instant::now() < until {
        let burst = 1 + (asked + client) % 7;
        let mut open = Vec::new();
        for _ in 0..burst {
            let id = format!("{client}-{asked}");
            let command = match asked % 6 {
                0 => r#""type":"get_state""#.to_owned(),
                1 => r#""type":"get_entries","limit":5"#.to_owned(),
                2 => format!(r#""type":"set_label","entryId":"aaaa0001","label":"{id}""#),
                3 => r#""type":"get_tree","depth":2"#.to_owned(),
                4 => r#""type":"navigate_tree","entryId":"bbbb0001""#.to_owned(),
                _ => r#""type":"nonsense""#.to_owned(),
            };
            writeln!(requests, "{{\"id\":\"{id}\",{command}}}").unwrap();
            open.push((id, command));
            asked += 1;
        }
        while !open.is_empty() {
            let mut line = Vec::new();
            assert!(answers.read_until(b'\n', &mut line).unwrap() > 0, "the server hung up");
            let answer = parse(&line).unwrap();
            if answer.get_string("type").is_some_and(|kind| *kind != "response") {
                continue;
            }
            let id = answer.get_string("id").unwrap().to_string();
            let place = open.iter().position(|(open, _)| *open == id);
            let (_, command) = open.remove(place.unwrap_or_else(|| panic!("{id} is not mine")));
            let name = answer.get_string("command").unwrap().to_string();
            assert!(command.contains(&format!("\"{name}\"")), "{command}: {name}");
            let is_refused = name == "nonsense";
            assert_eq!(answer.get("success"), Some(&Value::Bool(!is_refused)), "{answer:?}");
        }
    }
    asked
}

#[test]
fn eight_clients_lose_nothing_and_mix_nothing() {
    let is_full = pitree_testkit::is_full();
    let listener = Listener::start();
    let path = listener.machine.path("s");
    let until = Instant::now() + Duration::from_secs(if is_full { 60 } else { 10 });
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let path = path.clone();
            std::thread::spawn(move || talk(&path, client, until))
        })
        .collect();
    let asked: Vec<usize> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    println!("requests of each client: {asked:?}");
    assert!(asked.iter().all(|count| *count > 10), "{asked:?}");
    // What the labels wrote is whole.
    let text = fs_err::read_to_string(listener.machine.path("sessions/talk.jsonl")).unwrap();
    let labels = text.lines().filter(|line| parse(line.as_bytes()).is_ok()).count();
    assert_eq!(labels, text.lines().count());
}

#[test]
fn the_socket_is_for_its_owner_alone_and_goes_with_the_server() {
    let mut listener = Listener::start();
    let path = listener.machine.path("s");
    let mode = fs_err::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A second server at the same place is refused.
    let second = listener.machine.pitree_command(&["--listen", "../s"]).output().unwrap();
    assert_eq!(second.status.code(), Some(4), "{second:?}");
    // One that is killed leaves its socket behind; the next one takes the place.
    listener.child.kill().unwrap();
    listener.child.wait().unwrap();
    assert!(path.exists());
    listener.child = listener
        .machine
        .pitree_command(&["--listen", "../s"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while UnixStream::connect(&path).is_err() {
        assert!(Instant::now() < deadline, "nobody listens");
        std::thread::sleep(Duration::from_millis(10));
    }
    // One that is asked to end takes it away.
    let id = listener.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert_eq!(exit_code(&mut listener.child), Some(143));
    assert!(!path.exists());
}

#[test]
fn what_is_no_socket_stays() {
    let machine = Machine::new();
    let path = machine.write("s", "precious");
    let run = machine.pitree_command(&["--listen", "../s"]).output().unwrap();
    assert_eq!(run.status.code(), Some(4));
    assert_eq!(fs_err::read_to_string(path).unwrap(), "precious");
}

#[test]
fn a_client_that_subscribed_hears_what_others_do() {
    let listener = Listener::start();
    let path = listener.machine.path("s");
    let (mut actor, mut watcher) = (connect(&path), connect(&path));
    let mut heard = BufReader::new(watcher.try_clone().unwrap()).lines();
    writeln!(watcher, r#"{{"id":1,"type":"subscribe","events":["session_tree"]}}"#).unwrap();
    let answer = parse(heard.next().unwrap().unwrap().as_bytes()).unwrap();
    assert_eq!(number(&answer, "id"), Some(1.0));
    writeln!(actor, r#"{{"type":"navigate_tree","entryId":"bbbb0001"}}"#).unwrap();
    let event = parse(heard.next().unwrap().unwrap().as_bytes()).unwrap();
    assert_eq!(event.get_string("type").unwrap().to_string(), "session_tree");
    assert_eq!(event.get_string("newLeafId").unwrap().to_string(), "bbbb0001");
}

/// Who connects too often is turned away; the others keep their server.
#[test]
fn more_connections_than_open_files_do_not_end_the_server() {
    let mut listener = Listener::start();
    let path = listener.machine.path("s");
    let process = listener.child.id().to_string();
    let limited = Command::new("prlimit").args(["--nofile=48:48", "--pid", &process]).status();
    assert!(limited.unwrap().success());
    let crowd: Vec<UnixStream> = (0..80).map(|_| connect(&path)).collect();
    assert!(listener.child.try_wait().unwrap().is_none(), "the server has ended");
    drop(crowd);
    // The crowd's places become free, and whoever comes then is answered.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let mut stream = connect(&path);
        let mut answer = String::new();
        let asked = writeln!(stream, "{{\"id\":\"1\",\"type\":\"get_state\"}}");
        let heard = asked.and_then(|()| BufReader::new(&stream).read_line(&mut answer));
        if heard.is_ok() && answer.contains(r#""success":true"#) {
            break;
        }
        assert!(Instant::now() < deadline, "nobody is answered any more: {answer}");
    }
    assert!(listener.child.try_wait().unwrap().is_none(), "the server has ended");
}
