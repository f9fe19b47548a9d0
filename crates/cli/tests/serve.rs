//! `pitree serve`: what it says, what it opens, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{BRANCHED, Run, Sandbox};

/// So long a program or a page is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that runs, and the address that it has printed.
struct Server {
    child: Child,
    url: String,
    port: u16,
}

impl Server {
    /// `search_path` are the programs that it finds.
    fn start(sandbox: &Sandbox, args: &[&str], search_path: &str) -> Self {
        // A test that runs in the background inherits that interrupts are ignored.
        let call = sandbox.call([&["serve"], args].concat()).env("PATH", search_path);
        let mut child =
            call.within(&["/usr/bin/env", "--default-signal=INT"]).spawn(Stdio::piped());
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        let port = url.split(['/', ':']).nth(4).and_then(|port| port.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("no port in {url:?}")), url }
    }

    /// Ends it with a signal, and says how it ended.
    fn end(self, signal: &str) -> Run {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        Run::of(&self.child.wait_with_output().unwrap())
    }

    /// The answer to a request of the browser that the address was opened in.
    fn ask(&self, request: &str, headers: &str, body: &str) -> String {
        let token = self.url.split("token=").nth(1).unwrap();
        let port = self.port;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let text = format!(
            "{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nCookie: pitree_{port}={token}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn sessions(&self) -> Value {
        let begun = Instant::now();
        loop {
            let answer = self.ask("GET /api/sessions", "", "");
            let (_, body) = answer.split_once("\r\n\r\n").unwrap();
            let json = body.find('{').map(|at| &body[at..=body.rfind('}').unwrap()]);
            let json: Value = serde_json::from_str(json.unwrap()).unwrap();
            if json["rows"].as_array().is_some_and(|all| !all.is_empty()) {
                return json;
            }
            assert!(begun.elapsed() < PATIENCE, "no session: {answer}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn sandbox() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("home/.pi/agent/sessions/--x--/a.jsonl", BRANCHED);
    (sandbox, path)
}

#[test]
fn ctrl_c_ends_it_and_it_says_so() {
    let (sandbox, _) = sandbox();
    let server = Server::start(&sandbox, &[], "/nowhere");
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    let run = server.end("-INT").ok();
    assert_eq!(run.stderr, "serving all sessions; Ctrl+C stops it\nstopped\n");
}

#[test]
fn an_address_that_others_can_reach_has_a_warning() {
    let (sandbox, _) = sandbox();
    let server = Server::start(&sandbox, &["--bind", "0.0.0.0:0"], "/nowhere");
    // The address is one that a browser on this machine can open.
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    let warning = "warning: other machines can reach this address; whoever has the token can read \
                   every session\n";
    let said = server.end("-TERM").ok().stderr;
    assert!(said.starts_with(warning), "{said}");
    let server = Server::start(&sandbox, &["--bind", "127.0.0.1:0"], "/nowhere");
    let said = server.end("-TERM").ok().stderr;
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn the_page_is_opened_by_the_program_of_the_desktop() {
    let (sandbox, _) = sandbox();
    let opener = sandbox.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" >\"$0.said\"\n");
    fs_err::set_permissions(&opener, PermissionsExt::from_mode(0o755)).unwrap();
    let bin = sandbox.path("bin").to_string_lossy().into_owned();
    let server = Server::start(&sandbox, &["--open"], &bin);
    let said = sandbox.path("bin/xdg-open.said");
    let begun = Instant::now();
    let opened = loop {
        match fs_err::read_to_string(&said) {
            Ok(opened) if opened.ends_with('\n') => break opened,
            _ => assert!(begun.elapsed() < PATIENCE, "nothing was opened"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(opened.trim(), server.url);
    let run = server.end("-INT").ok();
    assert!(!run.stderr.contains("no program"), "{run:?}");
    let server = Server::start(&sandbox, &["--open"], "/nowhere");
    let said = server.end("-INT").ok().stderr;
    let hint = "no program was found that opens a browser; open the address yourself\n";
    assert!(said.contains(hint), "{said}");
}

#[test]
fn the_page_changes_sessions_only_if_that_is_allowed() {
    let (sandbox, path) = sandbox();
    let rename = |server: &Server, sessions: &Value| {
        let key = sessions["rows"][0]["key"].as_str().unwrap();
        let headers = "X-Pitree: 1\r\nContent-Type: application/json\r\n";
        let request = format!("POST /api/sessions/{key}/name");
        server.ask(&request, headers, r#"{"name":"Renamed"}"#)
    };
    let server = Server::start(&sandbox, &[], "/nowhere");
    let sessions = server.sessions();
    assert_eq!(sessions["canEdit"], false, "{sessions}");
    let answer = rename(&server, &sessions);
    assert!(answer.starts_with("HTTP/1.1 405 ") && answer.contains("--allow-edit"), "{answer}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
    let _ = server.end("-TERM").ok();
    let server = Server::start(&sandbox, &["--allow-edit"], "/nowhere");
    let sessions = server.sessions();
    assert_eq!(sessions["canEdit"], true, "{sessions}");
    let answer = rename(&server, &sessions);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let text = fs_err::read_to_string(&path).unwrap();
    assert!(text.starts_with(BRANCHED) && text.contains(r#""name":"Renamed""#), "{text}");
    let _ = server.end("-TERM").ok();
}
