//! `pitree watch` as a user sees it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::{BRANCHED, Print, Sandbox};

struct Watch {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Watch {
    /// Starts the command and waits until it is ready.
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pitree"))
            .args(["watch", "--session-dir", "../sessions"])
            .args(args)
            .env_clear()
            .env("HOME", sandbox.home())
            .current_dir(sandbox.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        errors.read_line(&mut ready).unwrap();
        assert!(ready.starts_with("watching "), "{ready}");
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn session(sandbox: &Sandbox) -> PathBuf {
    sandbox.write("sessions/s.jsonl", BRANCHED)
}

const HOSTILE: &str = r#"{"type":"message","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"user","content":"third\u001b[2J\nquestion","timestamp":1770159132000}}"#;

#[test]
fn one_line_an_event() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    for poll in [&[][..], &["--poll"]] {
        let mut watch = Watch::start(&sandbox, poll);
        append(&path, &format!("{HOSTILE}\n"));
        let line = watch.line();
        assert_eq!(line, "01a00000  appended   user: third\u{FFFD}[2J question");
        let _ = sandbox.run(["name", "../sessions/s.jsonl", "Weather"]).ok();
        assert_eq!(watch.line(), "01a00000  named      Weather");
    }
    // What is printed names the session, also when there is another one with a similar id.
    let mut watch = Watch::start(&sandbox, &[]);
    let other = BRANCHED.replace("01a00000-0000-7000", "01a00000-0000-7001");
    sandbox.write("sessions/other.jsonl", &other);
    assert!(watch.line().starts_with("01a00000-0000-7001  created "));
    append(&path, &format!("{HOSTILE}\n"));
    // The entries of the new session come first.
    let mut line = watch.line();
    while line.starts_with("01a00000-0000-7001  ") {
        line = watch.line();
    }
    assert!(line.starts_with("01a00000-0000-7000  appended "), "{line}");
    let _ = sandbox.run(["show", "--session-dir", "../sessions", "01a00000-0000-7000"]).ok();
}

#[test]
fn a_place_that_cannot_be_read_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    for place in ["--session-dir", "--sessions-root"] {
        let run = sandbox.run(["watch", "--for", "0", place, "../file"]).exits(3);
        assert!(run.stderr.contains("/file: Not a directory"), "{}", run.stderr);
        assert!(!run.stderr.contains("watching"), "{}", run.stderr);
    }
    // A place that is not there yet may come to be.
    let _ = sandbox.run(["watch", "--for", "0", "--session-dir", "../nowhere"]).ok();
}

#[test]
fn json_lines() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    let mut watch = Watch::start(&sandbox, &["01a0", "--json"]);
    append(&path, &format!("{HOSTILE}\n"));
    let event: serde_json::Value = serde_json::from_str(&watch.line()).unwrap();
    assert_eq!(event["event"], "appended");
    assert_eq!(event["entryId"], "eeee0001");
    assert_eq!(event["parentId"], "dddd0002");
    assert_eq!(event["role"], "user");
    assert_eq!(event["path"], path.to_str().unwrap());
    fs_err::remove_file(&path).unwrap();
    let event: serde_json::Value = serde_json::from_str(&watch.line()).unwrap();
    assert_eq!(event["event"], "removed");
    assert_eq!(event["id"], "01a00000-0000-7000-8000-00000000000a");
}

#[test]
fn it_ends_in_time_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    let before = Print::of(&path);
    for args in [&["--for", "0.3"][..], &["--for", "0.3", "--poll"], &["--for", "0"]] {
        let mut watch = Watch::start(&sandbox, args);
        let mut rest = String::new();
        watch.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(watch.child.wait().unwrap().success());
    }
    assert_eq!(Print::of(&path), before);
    let _ = sandbox.run(["watch", "--for", "-1"]).exits(2);
    let _ = sandbox.run(["watch", "nothing", "--for", "0"]).exits(1);
}

#[test]
fn a_reader_that_leaves_ends_it() {
    let sandbox = Sandbox::new();
    let path = session(&sandbox);
    let mut watch = Watch::start(&sandbox, &[]);
    append(&path, &format!("{HOSTILE}\n"));
    let _ = watch.line();
    // Nothing more happens, and it ends all the same.
    drop(std::mem::replace(&mut watch.out, empty_reader()));
    assert!(watch.child.wait().unwrap().success());
}

/// The output of a command that says nothing.
fn empty_reader() -> BufReader<std::process::ChildStdout> {
    let mut child = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    let _ = child.wait();
    BufReader::new(child.stdout.take().unwrap())
}

/// What is counted is what a list of the same scope has.
#[test]
fn the_sessions_of_the_scope_are_counted() {
    let sandbox = Sandbox::new();
    let here = BRANCHED.replace("/home/ana/projects/weather", sandbox.project().to_str().unwrap());
    let header = BRANCHED.lines().next().unwrap();
    let harness = format!("{header}\n{}\n", r#"{"type":"x","seq":1}"#);
    let _ = sandbox.write("sessions/here.jsonl", &here.replace("00000000000a", "00000000000b"));
    let _ = sandbox.write("sessions/elsewhere.jsonl", BRANCHED);
    let _ = sandbox.write("sessions/harness.jsonl", &harness);
    for (scope, expected) in [("dir", "1 session;"), ("repo", "1 session;"), ("all", "2 sessions;")]
    {
        let places = ["--session-dir", "../sessions", "--scope", scope];
        let list = sandbox.run(["list", "--json"].into_iter().chain(places)).ok().json();
        assert!(expected.starts_with(&list.as_array().unwrap().len().to_string()));
        let watch = sandbox.run(["watch", "--for", "0"].into_iter().chain(places)).ok();
        assert!(watch.stderr.contains(&format!("watching {expected}")), "{scope}: {watch:?}");
    }
}
