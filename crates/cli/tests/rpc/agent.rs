//! With the real Pi attached: it writes the conversation, pitree adds what its protocol lacks.

use std::os::unix::fs::PermissionsExt;

use pitree_format::Value;
use pitree_format::js::stringify;
use pitree_testkit::{MockModel, MockReply, Oracle};

use crate::peer::{Machine, Peer};
use crate::pi::{TALK, ready};

/// A machine with Pi as a program, whose model answers at this address.
fn machine_with(model: &MockModel) -> Machine {
    let machine = Machine::new();
    machine.set_model_url(&model.openai_url());
    machine.write("sessions/talk.jsonl", TALK);
    let paths = Oracle::paths().unwrap();
    let script = format!(
        "#!/bin/sh\nexec {} {} \"$@\" --offline -ne --no-skills -nc -np --no-themes\n",
        paths.node.display(),
        paths.cli.display()
    );
    let program = machine.write("bin/pi", &script);
    fs_err::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    machine
}

fn attach(machine: &Machine) -> Peer {
    let agent = format!("--agent={}", machine.path("bin/pi").display());
    let session = machine.path("sessions/talk.jsonl");
    machine.pitree(&[&agent, "--session", session.to_str().unwrap()])
}

/// Says something and waits until the agent is done. Returns the kinds of events.
fn say(peer: &mut Peer, text: &str) -> Vec<String> {
    let (events, answer) = peer.ask(&format!("{{\"type\":\"prompt\",\"message\":\"{text}\"}}"));
    assert_eq!(stringify(answer.get("data").unwrap()), r#"{"disposition":"started"}"#);
    let kind = |event: &Value| event.get_string("type").unwrap().to_string();
    let mut kinds: Vec<String> = events.iter().map(kind).collect();
    while kinds.last().is_none_or(|last| last != "agent_settled") {
        kinds.push(kind(&peer.value()));
    }
    kinds
}

fn entries(peer: &mut Peer) -> Vec<Value> {
    let data = peer.data(r#"{"type":"get_entries"}"#);
    data.get("entries").and_then(Value::as_array).unwrap().to_vec()
}

fn text(entry: &Value, name: &str) -> String {
    entry.get_string(name).map(ToString::to_string).unwrap_or_default()
}

/// The user message of an entry.
fn said(entry: &Value, words: &str) -> bool {
    let message = entry.get("message").unwrap_or(&Value::Null);
    text(message, "role") == "user" && stringify(message).contains(words)
}

#[test]
fn pi_goes_on_where_pitree_put_it() {
    if !ready("pi_goes_on_where_pitree_put_it") {
        return;
    }
    let replies = ["one", "two", "three"].map(MockReply::text);
    let model = MockModel::start(replies).unwrap();
    let machine = machine_with(&model);
    let mut peer = attach(&machine);
    let kinds = say(&mut peer, "go on");
    for kind in ["agent_start", "message_update", "message_end", "agent_settled"] {
        assert!(kinds.iter().any(|seen| seen == kind), "{kind} is missing: {kinds:?}");
    }
    // pitree's own commands see what the agent wrote.
    let branch = peer.data(r#"{"type":"get_branch"}"#);
    assert!(stringify(&branch).contains("go on"));

    // A label is appended by pitree; the agent goes on behind it.
    peer.data(r#"{"type":"set_label","entryId":"aaaa0001","label":"start"}"#);
    say(&mut peer, "after the label");
    let all = entries(&mut peer);
    let label = all.iter().find(|entry| text(entry, "label") == "start").unwrap();
    let next = all.iter().find(|entry| said(entry, "after the label")).unwrap();
    assert_eq!(text(next, "parentId"), text(label, "id"));

    // A move is stored, so that the agent stands there.
    let moved = peer.data(r#"{"type":"navigate_tree","entryId":"bbbb0002"}"#);
    assert_eq!(text(&moved, "leafId"), "bbbb0002");
    say(&mut peer, "another way");
    let all = entries(&mut peer);
    let marker = all.iter().find(|entry| text(entry, "customType") == "pitree.leaf").unwrap();
    assert_eq!(text(marker, "parentId"), "bbbb0002");
    let next = all.iter().find(|entry| said(entry, "another way")).unwrap();
    // Pi may say something about the system before.
    let above = all.iter().find(|entry| text(entry, "id") == text(next, "parentId")).unwrap();
    let above =
        if text(above, "type") == "message" { text(above, "parentId") } else { text(above, "id") };
    assert_eq!(above, text(marker, "id"));
    let request = model.requests().pop().unwrap().json().to_string();
    assert!(request.contains("first answer") && request.contains("another way"), "{request}");
    assert!(!request.contains("go on"), "the branch that was left is not sent: {request}");

    // Fork, name and the rest are the agent's.
    let name = r#"{"type":"set_session_name","name":"named by Pi"}"#;
    let (events, _) = peer.ask(name);
    assert!(events.iter().any(|event| text(event, "type") == "session_info_changed"));
    let forked = peer.data(r#"{"type":"fork","entryId":"dddd0001"}"#);
    assert_eq!(text(&forked, "text"), "second question");
    let state = peer.data(r#"{"type":"get_state"}"#);
    let branch = peer.data(r#"{"type":"get_branch"}"#);
    assert_ne!(text(&state, "sessionFile"), machine.path("sessions/talk.jsonl").to_str().unwrap());
    assert_eq!(text(&branch, "leafId"), text(&peer.data(r#"{"type":"get_tree"}"#), "leafId"));
    let (_, code) = peer.finish();
    assert_eq!(code, Some(0));
}

#[test]
fn nothing_is_appended_while_the_agent_works() {
    if !ready("nothing_is_appended_while_the_agent_works") {
        return;
    }
    let model = MockModel::start([MockReply::Stall("hm".to_owned())]).unwrap();
    let machine = machine_with(&model);
    let mut peer = attach(&machine);
    peer.data(r#"{"type":"prompt","message":"think long"}"#);
    while text(&peer.value(), "type") != "message_update" {}
    let error = peer.refusal(r#"{"type":"set_label","entryId":"aaaa0001","label":"x"}"#);
    assert!(error.starts_with("the agent is busy"), "{error}");
    assert_eq!(
        peer.data(r#"{"type":"get_labels"}"#)
            .get("labels")
            .and_then(Value::as_array)
            .unwrap()
            .len(),
        1
    );
    peer.data(r#"{"type":"abort"}"#);
    let state = peer.data(r#"{"type":"get_state"}"#);
    assert_eq!(state.get("isStreaming"), Some(&Value::Bool(false)));
}

#[test]
fn an_agent_that_ends_is_told_and_asked_no_more() {
    let machine = Machine::new();
    machine.write("sessions/talk.jsonl", TALK);
    let program = machine.write("bin/pi", "#!/bin/sh\nread line\nexit 7\n");
    fs_err::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut peer = attach(&machine);
    let error = peer.refusal(r#"{"type":"get_state"}"#);
    assert_eq!(error, "The agent has ended");
    assert_eq!(peer.refusal(r#"{"type":"prompt","message":"hi"}"#), "The agent has ended");
    assert_eq!(peer.refusal(r#"{"type":"get_branch"}"#), "The agent has ended");
    let (_, code) = peer.finish();
    assert_eq!(code, Some(0));
}

#[test]
fn an_agent_that_cannot_be_started_is_an_error() {
    let machine = Machine::new();
    let run = machine.pitree_command(&["--agent=/nowhere/pi", "--no-session"]).output().unwrap();
    assert_eq!(run.status.code(), Some(2), "{run:?}");
}

#[test]
fn nothing_is_appended_while_the_agent_runs_a_command() {
    if !ready("nothing_is_appended_while_the_agent_runs_a_command") {
        return;
    }
    let model = MockModel::start([]).unwrap();
    let machine = machine_with(&model);
    let mut peer = attach(&machine);
    let label = r#"{"type":"set_label","entryId":"aaaa0001","label":"here"}"#;
    peer.send(b"{\"id\":\"long\",\"type\":\"bash\",\"command\":\"echo begun; sleep 60\"}\n");
    while text(&peer.value(), "type") != "bash_execution_update" {}
    assert!(peer.refusal(label).starts_with("the agent is busy"));
    peer.send(b"{\"type\":\"abort_bash\"}\n");
    while text(&peer.value(), "id") != "long" {}
    peer.data(label);
    let entries = entries(&mut peer);
    let [.., run, label] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(text(run.get("message").unwrap(), "role"), "bashExecution");
    assert_eq!(text(label, "parentId"), text(run, "id"), "one after the other");
}
