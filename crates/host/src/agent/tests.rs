//! Agents that end or answer as none should.

use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

/// A test that waits for longer has hung.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// An agent that runs a script, and the types of its events.
fn agent(folder: &tempfile::TempDir, script: &str) -> (Agent, Receiver<String>) {
    let program = folder.path().join("agent");
    fs_err::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let cwd = folder.path().to_owned();
    let start = AgentStart { program, args: Vec::new(), cwd, is_quiet: true };
    let (sender, events) = channel();
    let agent = Agent::start(&start, move |event| {
        let kind = event.get_string("type").map(ToString::to_string);
        let _ = sender.send(kind.unwrap_or_default());
    });
    (agent.unwrap(), events)
}

fn prompt(agent: &Agent) -> Receiver<Result<Value, AgentError>> {
    let (sender, answer) = channel();
    agent.send(&Object::new().with("type", "prompt"), move |it| drop(sender.send(it)));
    answer
}

/// What it started may hold its output open for as long as it likes.
#[test]
fn an_agent_that_exits_is_gone_although_its_output_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    // It dies in the middle of an answer.
    let script = "setsid sleep 60 & echo $! > pid; read line; printf '{\"type\":\"resp'";
    let (agent, events) = agent(&folder, script);
    let answer = prompt(&agent).recv_timeout(LONGEST_WAIT).expect("it is still waited for");
    assert!(matches!(answer, Err(AgentError::Gone)), "{answer:?}");
    assert_eq!(events.recv_timeout(LONGEST_WAIT).unwrap(), "agent_gone");
    assert!(!agent.is_working());
    let sleeper = fs_err::read_to_string(folder.path().join("pid")).unwrap();
    let _ = Command::new("kill").arg(sleeper.trim()).status();
}

/// The last lines of an agent count, however soon it exits after them.
#[test]
fn what_an_agent_says_before_it_exits_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let answer = r#"{"type":"response","id":"pitree-0","success":true,"data":7}"#;
    let script = format!("setsid sleep 5 & read line; echo '{answer}'; echo '{{\"type\":\"x\"}}'");
    let (agent, events) = agent(&folder, &script);
    let answer = prompt(&agent).recv_timeout(LONGEST_WAIT).unwrap().unwrap();
    assert_eq!(answer.get_number("data"), Some(7.0));
    let events = [(); 2].map(|()| events.recv_timeout(LONGEST_WAIT).unwrap());
    assert_eq!(events, ["x", "agent_gone"]);
}

#[test]
fn answers_that_nobody_waits_for_are_not_events() {
    let folder = tempfile::tempdir().unwrap();
    let answer = r#"{"type":"response","id":"pitree-0","success":true}"#;
    let other = r#"{"type":"response","command":"parse","success":false}"#;
    let script = format!("read line; echo '{answer}'; echo '{answer}'; echo '{other}'");
    let (agent, events) = agent(&folder, &script);
    prompt(&agent).recv_timeout(LONGEST_WAIT).unwrap().unwrap();
    assert_eq!(events.recv_timeout(LONGEST_WAIT).unwrap(), "agent_gone");
}
