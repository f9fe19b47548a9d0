//! Agents that end or answer as none should.

use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

/// A test that waits for longer has hung.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// An agent that runs a script, and the types of its events.
fn agent(folder: &tempfile::TempDir, script: &str) -> (Agent, Receiver<String>) {
    agent_within(folder, script, AgentLimits::default())
}

fn agent_within(
    folder: &tempfile::TempDir,
    script: &str,
    limits: AgentLimits,
) -> (Agent, Receiver<String>) {
    let program = folder.path().join("agent");
    fs_err::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let cwd = folder.path().to_owned();
    let start = AgentStart { program, args: Vec::new(), cwd, is_quiet: true };
    let (sender, events) = channel();
    let agent = Agent::start_with(&start, limits, move |event| {
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

/// A hung agent is not sent more and more: neither much in few lines nor many lines.
#[test]
fn what_waits_for_a_hung_agent_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    for (padding, most) in [(1 << 20, 80), (0, 10_000)] {
        let (agent, _events) = agent(&folder, "sleep 60");
        let request = Object::new().with("type", "abort").with("padding", "x".repeat(padding));
        let (sender, answers) = channel();
        let refusal = (0..most).find_map(|_| {
            let sender = sender.clone();
            agent.send(&request, move |answer| drop(sender.send(answer)));
            answers.try_recv().ok()
        });
        let refusal = refusal.expect("it takes everything").unwrap_err();
        assert!(matches!(refusal, AgentError::Flooded { .. }), "{refusal}");
        if padding > 0 {
            let refusal = agent.tell(&request).unwrap_err();
            assert!(matches!(refusal, AgentError::Flooded { .. }), "{refusal}");
        }
        agent.end_now();
    }
}

/// Whoever asks a hung agent again and again keeps nobody else waiting.
#[test]
fn a_request_ends_in_its_time_whatever_is_sent_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Duration::from_millis(300);
    let limits = AgentLimits { answer: limit, work: limit };
    let (agent, _events) = agent_within(&folder, "sleep 60", limits);
    let answer = prompt(&agent);
    let begun = Instant::now();
    let ended = loop {
        match answer.recv_timeout(limit / 10) {
            Ok(answer) => break answer,
            Err(_) => assert!(begun.elapsed() < LONGEST_WAIT, "it is still waited for"),
        }
        agent.send(&Object::new().with("type", "get_state"), drop);
        agent.tell(&Object::new().with("type", "extension_ui_response")).unwrap();
    };
    assert!(matches!(ended, Err(AgentError::Silent { .. })), "{ended:?}");
    agent.end_now();
}

/// The output of a command goes to whoever asked for it, with the id that they gave it.
#[test]
fn updates_have_the_id_of_whoever_asked() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
        for number in 0 1 2; do
            read line
            echo '{"type":"bash_execution_update","id":"pitree-'$number'","delta":"x"}'
            echo '{"type":"response","id":"pitree-'$number'","success":true}'
        done"#;
    let (agent, events) = agent(&folder, script);
    for own_id in [Some(Value::from("mine")), Some(Value::from(7.0)), None] {
        let request = Object::new().with("type", "bash").with_some("id", own_id.clone());
        let ((heard, updates), (sender, answer)) = (channel(), channel());
        agent.send_with_updates(
            &request,
            move |update| drop(heard.send(update.clone())),
            move |it| drop(sender.send(it)),
        );
        answer.recv_timeout(LONGEST_WAIT).unwrap().unwrap();
        let updates: Vec<Value> = updates.try_iter().collect();
        assert_eq!(updates.len(), 1);
        assert_eq!(updates[0].get("id"), own_id.as_ref(), "{updates:?}");
    }
    assert_eq!(events.recv_timeout(LONGEST_WAIT).unwrap(), "agent_gone", "nobody else hears it");
}
