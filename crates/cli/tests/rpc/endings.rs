//! The end of `pitree rpc`, whatever keeps it busy: nothing that it started goes on, and nobody
//! who does not read or answer keeps it from ending.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use pitree_format::Value;
use pitree_format::js::{parse, stringify};

use crate::rpc::peer::{Machine, Peer, exit_code, send_signal};
use crate::rpc::pi::TALK;
use crate::rpc::socket::{Listener, connect};

const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The numbers of processes that a program has written down, once it has.
#[track_caller]
fn process_ids(machine: &Machine, count: usize) -> Vec<u32> {
    let begun = Instant::now();
    loop {
        let text = fs_err::read_to_string(machine.path("pids")).unwrap_or_default();
        let ids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if ids.len() >= count && text.ends_with('\n') {
            return ids;
        }
        assert!(begun.elapsed() < LONGEST_WAIT, "it does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_running(process: &u32) -> bool {
    let stat = fs_err::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// They need not be reaped, but they must not run.
#[track_caller]
pub(crate) fn are_gone(processes: &[u32]) {
    let begun = Instant::now();
    while processes.iter().any(is_running) {
        assert!(begun.elapsed() < LONGEST_WAIT, "{processes:?} go on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A command that writes down two processes and runs for ever.
const FOR_EVER: &str = "sleep 1000 & echo $! >> ROOT/pids; echo $$ >> ROOT/pids; wait";

#[test]
fn shell_commands_end_with_the_process() {
    for signal in ["TERM", "INT", "HUP", "QUIT"] {
        let machine = Machine::new();
        let mut peer = machine.pitree(&["--allow-bash", "--no-session"]);
        let command = FOR_EVER.replace("ROOT", machine.root().to_str().unwrap());
        peer.send(format!("{{\"type\":\"bash\",\"command\":\"{command}\"}}\n").as_bytes());
        let processes = process_ids(&machine, 2);
        assert!(peer.end_by(signal).is_some_and(|code| code > 128));
        are_gone(&processes);
    }
}

/// As in Pi: whoever starts a server in the background wants it to go on.
#[test]
fn what_a_finished_command_left_running_goes_on() {
    for is_pi in [false, true] {
        let machine = Machine::new();
        let mut peer = match is_pi {
            true => machine.pi(&["--no-session"]),
            false => machine.pitree(&["--allow-bash", "--no-session"]),
        };
        let pids = machine.path("pids");
        let command = format!("sleep 1000 >/dev/null 2>&1 & echo $! > {}", pids.display());
        peer.data(&format!("{{\"type\":\"bash\",\"command\":\"{command}\"}}"));
        let processes = process_ids(&machine, 1);
        let (_, code) = peer.finish();
        assert_eq!(code, Some(0));
        assert!(is_running(&processes[0]), "it was ended (Pi: {is_pi})");
        send_signal(processes[0], "KILL");
    }
}

/// A signal that we survive ends whoever we start, as usual.
#[test]
fn shell_commands_ignore_no_signal() {
    let machine = Machine::new();
    let mut peer = machine.pitree(&["--allow-bash", "--no-session"]);
    let data = peer.data(r#"{"type":"bash","command":"grep SigIgn /proc/self/status"}"#);
    let output = data.get_string("output").unwrap().to_string();
    let mask = u64::from_str_radix(output.split_whitespace().last().unwrap(), 16).unwrap();
    // SIGXFSZ is 25 on Linux.
    assert_eq!(mask & (1 << 24), 0, "{output}");
}

/// With an agent that never answers a word.
fn hung_agent(machine: &Machine) -> Peer {
    machine.write("sessions/talk.jsonl", TALK);
    // It does not even end when it is asked to.
    let program = machine.write("bin/pi", &format!("#!/bin/sh\ntrap '' TERM\n{FOR_EVER}\nwait\n"));
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let session = machine.path("sessions/talk.jsonl");
    let agent = format!("--agent={}", program.display());
    machine.pitree(&[&agent, "--session", session.to_str().unwrap()])
}

const ASKED: &str = concat!(
    r#"{"id":"own","type":"set_label","entryId":"aaaa0001","label":"x"}"#,
    "\n",
    r#"{"id":"read","type":"get_branch"}"#,
    "\n",
    r#"{"id":"agents","type":"get_state"}"#,
    "\n",
    r#"{"id":"message","type":"prompt","message":"hello"}"#,
    "\n",
    // Each of these waits for the one before, for a while.
    r#"{"id":"second","type":"prompt","message":"hello"}"#,
    "\n",
    r#"{"id":"third","type":"prompt","message":"hello"}"#,
    "\n",
    r#"{"id":"fourth","type":"prompt","message":"hello"}"#,
    "\n",
);

#[test]
fn a_hung_agent_ends_with_the_process() {
    let machine = Machine::new();
    let mut peer = hung_agent(&machine);
    peer.send(ASKED.as_bytes());
    let processes = process_ids(&machine, 2);
    assert_eq!(peer.end_by("TERM"), Some(143));
    are_gone(&processes);
}

#[test]
fn a_hung_agent_does_not_outlive_the_input() {
    let machine = Machine::new();
    let mut peer = hung_agent(&machine);
    peer.send(ASKED.as_bytes());
    let processes = process_ids(&machine, 2);
    let (lines, code) = peer.finish();
    assert_eq!(code, Some(0));
    are_gone(&processes);
    // All that was asked is answered.
    let ids = lines.iter().map(|line| parse(line).unwrap());
    let mut ids: Vec<String> =
        ids.filter_map(|line| Some(line.get_string("id")?.to_string())).collect();
    // Those of the messages come all at once, when the agent was ended.
    ids[3..].sort();
    assert_eq!(ids, ["own", "read", "agents", "fourth", "message", "second", "third"]);
}

#[test]
fn an_open_question_keeps_nobody_from_ending() {
    let machine = Machine::new();
    let mut peer = machine.pitree(&["--no-session"]);
    peer.data(r#"{"type":"subscribe","events":["session_before_switch"],"timeoutMs":60000}"#);
    peer.send(b"{\"type\":\"new_session\"}\n{\"type\":\"get_state\"}\n");
    let question = peer.value();
    assert_eq!(question.get_string("type").unwrap().to_string(), "session_before_switch");
    assert_eq!(peer.end_by("TERM"), Some(143));
}

/// Says something so long that the outbox of a client that does not read is full in no time.
fn shout(path: &std::path::Path, times: usize) {
    let mut stream = connect(path);
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    for number in 0..times {
        let name = format!("{number}{}", "x".repeat(4 << 20));
        writeln!(stream, "{{\"id\":{number},\"type\":\"set_session_name\",\"name\":\"{name}\"}}")
            .unwrap();
        loop {
            let line = parse(answers.next().unwrap().unwrap().as_bytes()).unwrap();
            if line.get_number("id") == Some(number as f64) {
                break;
            }
        }
    }
}

#[test]
fn a_client_that_does_not_read_is_dropped_and_disturbs_nobody() {
    let mut listener = Listener::start();
    let path = listener.machine.path("s");
    let mut stalled = connect(&path);
    writeln!(stalled, r#"{{"type":"subscribe","file":true}}"#).unwrap();
    // The others are answered as if it were not there.
    shout(&path, 16);
    let mut lines = BufReader::new(stalled).lines();
    let mut last = String::new();
    let mut count = 0;
    while let Some(Ok(line)) = lines.next() {
        count += 1;
        last = line;
    }
    assert!((2..30).contains(&count), "{count} lines");
    let last = parse(last.as_bytes()).map(|line| stringify(&line)).unwrap();
    assert_eq!(last, r#"{"type":"client_dropped","reason":"it left too much unread"}"#);
    // Nor does one keep the process from ending.
    let mut another = connect(&path);
    writeln!(another, r#"{{"type":"subscribe","events":["session_shutdown"]}}"#).unwrap();
    shout(&path, 2);
    send_signal(listener.child.id(), "TERM");
    assert_eq!(exit_code(&mut listener.child), Some(143));
}

/// A question to the session is no reason to leave an answer to one unread.
#[test]
fn a_client_that_wants_the_file_can_still_answer() {
    let machine = Machine::new();
    let mut peer = machine.pitree(&["--no-session"]);
    peer.data(r#"{"type":"subscribe","events":["session_before_switch"],"timeoutMs":60000}"#);
    peer.send(b"{\"id\":\"n\",\"type\":\"new_session\"}\n");
    let question = peer.value();
    let id = question.get_string("eventId").unwrap().to_string();
    let answer = format!(
        "{{\"id\":\"s\",\"type\":\"subscribe\",\"file\":true}}\n\
         {{\"id\":\"a\",\"type\":\"answer_event\",\"eventId\":\"{id}\",\"answer\":null}}\n"
    );
    peer.send(answer.as_bytes());
    let mut answers: Vec<String> = Vec::new();
    while answers.len() < 3 {
        let value = peer.value();
        if value.get("success") == Some(&Value::Bool(true)) {
            answers.push(value.get_string("id").unwrap().to_string());
        }
    }
    // The answer to the question is acknowledged at any time; `subscribe` takes its turn.
    let place = |id: &str| answers.iter().position(|answer| answer == id);
    assert!(place("n") < place("s") && place("a").is_some(), "{answers:?}");
}
