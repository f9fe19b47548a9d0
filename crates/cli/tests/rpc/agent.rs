//! With the real Pi attached: it writes the conversation, pitree adds what its protocol lacks.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_testkit::{MockModel, MockReply, Oracle, has_pi};

use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;
use crate::rpc::socket::{Listener, connect};

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
    if !has_pi("pi_goes_on_where_pitree_put_it") {
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

/// Waits until the agent is done, and gives the answers that came meanwhile.
fn until_settled(peer: &mut Peer, answers: usize) -> Vec<Value> {
    let (mut found, mut is_settled) = (Vec::new(), false);
    while found.len() < answers || !is_settled {
        let value = peer.value();
        is_settled |= text(&value, "type") == "agent_settled";
        if text(&value, "type") == "response" {
            assert_eq!(value.get("success"), Some(&Value::Bool(true)), "{value:?}");
            found.push(value);
        }
    }
    found
}

/// The message of the user and, above it, what the agent itself put there.
fn entry_above<'a>(all: &'a [Value], said: &Value) -> &'a Value {
    let above = all.iter().find(|entry| text(entry, "id") == text(said, "parentId")).unwrap();
    let role = above.get("message").map(|message| text(message, "role")).unwrap_or_default();
    if role == "system" { entry_above(all, above) } else { above }
}

/// A change and a prompt in one write: the prompt is answered, at the place where it belongs.
#[test]
fn a_prompt_sent_with_a_change_comes_after_it() {
    if !has_pi("a_prompt_sent_with_a_change_comes_after_it") {
        return;
    }
    let model = MockModel::answering(|_| MockReply::text("yes")).unwrap();
    let machine = machine_with(&model);
    let mut peer = attach(&machine);
    for round in 0..4 {
        let words = format!("prompt {round}");
        let change = match round % 2 {
            0 => r#""type":"set_label","entryId":"aaaa0001","label":"ROUND""#,
            _ => r#""type":"navigate_tree","entryId":"bbbb0002""#,
        };
        let change = change.replace("ROUND", &words);
        let both = format!(
            "{{\"id\":1,{change}}}\n{{\"id\":2,\"type\":\"prompt\",\"message\":\"{words}\"}}\n"
        );
        peer.send(both.as_bytes());
        until_settled(&mut peer, 2);
        let all = entries(&mut peer);
        let prompts: Vec<&Value> = all.iter().filter(|entry| said(entry, &words)).collect();
        let [prompt] = prompts[..] else { panic!("{words}: {} times", prompts.len()) };
        let above = entry_above(&all, prompt);
        match round % 2 {
            0 => assert_eq!(text(above, "label"), words),
            _ => {
                assert_eq!(text(above, "customType"), "pitree.leaf");
                assert_eq!(text(above, "parentId"), "bbbb0002");
            }
        }
        let answers = all.iter().filter(|entry| text(entry, "parentId") == text(prompt, "id"));
        let answers: Vec<String> = answers.map(stringify).collect();
        assert!(answers.iter().any(|answer| answer.contains("yes")), "{words}: {answers:?}");
    }
    // Reads in one write with a change of the session answer for the one before and the one after.
    let other =
        machine.write("sessions/other.jsonl", &TALK.replace("second answer", "zz-switched"));
    let state = "\"type\":\"get_state\"";
    let requests = [
        state.to_owned(),
        "\"type\":\"get_messages\"".to_owned(),
        format!("\"type\":\"switch_session\",\"sessionPath\":{other:?}"),
        state.to_owned(),
        "\"type\":\"get_branch\"".to_owned(),
    ];
    let lines = requests.iter().enumerate();
    let lines: String = lines.map(|(id, request)| format!("{{\"id\":{id},{request}}}\n")).collect();
    peer.send(lines.as_bytes());
    let mut found: Vec<Value> = Vec::new();
    while found.len() < requests.len() {
        let value = peer.value();
        if text(&value, "type") == "response" {
            found.push(value);
        }
    }
    found.sort_by_key(|value| value.get_number("id").unwrap() as usize);
    let data = |at: usize| stringify(found[at].get("data").unwrap());
    assert!(data(0).contains("talk.jsonl") && !data(1).contains("zz-switched"), "{}", data(0));
    assert!(data(3).contains("other.jsonl") && data(4).contains("zz-switched"), "{}", data(3));
}

/// What one client has changed, a prompt of another comes after; and if both are at it at once,
/// neither gets lost.
#[test]
fn a_prompt_comes_after_what_another_client_has_changed() {
    if !has_pi("a_prompt_comes_after_what_another_client_has_changed") {
        return;
    }
    let model = MockModel::answering(|_| MockReply::text("yes")).unwrap();
    let machine = machine_with(&model);
    let agent = format!("--agent={}", machine.path("bin/pi").display());
    let listener = Listener::on(machine, &[&agent]);
    let path = listener.machine.path("s");
    let (mut first, mut second) = (connect(&path), connect(&path));
    let mut heard = BufReader::new(first.try_clone().unwrap()).lines();
    let mut answers = BufReader::new(second.try_clone().unwrap()).lines();
    let next = |lines: &mut std::io::Lines<BufReader<UnixStream>>, kind: &str| loop {
        let value = parse(lines.next().unwrap().unwrap().as_bytes()).unwrap();
        if text(&value, "type") == kind {
            return value;
        }
    };
    for round in 0..4 {
        let label = format!(
            "{{\"type\":\"set_label\",\"entryId\":\"aaaa0001\",\"label\":\"label {round}\"}}"
        );
        let prompt = format!("{{\"type\":\"prompt\",\"message\":\"prompt {round}\"}}");
        writeln!(first, "{label}").unwrap();
        let is_known = round % 2 == 0;
        let mut labelled = is_known.then(|| next(&mut heard, "response"));
        writeln!(second, "{prompt}").unwrap();
        let started = next(&mut answers, "response");
        assert_eq!(started.get("success"), Some(&Value::Bool(true)), "{started:?}");
        let labelled = labelled.get_or_insert_with(|| next(&mut heard, "response"));
        next(&mut answers, "agent_settled");
        let file = fs_err::read_to_string(listener.machine.path("sessions/talk.jsonl")).unwrap();
        let place = |words: &str| file.find(&format!("{words} {round}"));
        let prompt = place("prompt").expect("the prompt is lost");
        let answer = file[prompt..].find("yes").expect("the prompt has no answer") + prompt;
        match labelled.get("success") == Some(&Value::Bool(true)) {
            true => {
                let label = place("label").expect("the label is lost");
                // The label may have got there when everything was over, but never in between.
                let is_late = !is_known && label > answer;
                assert!(label < prompt || is_late, "{label}, {prompt} and {answer}: {file}");
            }
            // Whoever came in between is told.
            false => assert!(!is_known && place("label").is_none(), "{labelled:?}"),
        }
    }
}

/// A new session has one id, in the name of its file and in its header.
#[test]
fn a_new_session_has_one_id() {
    if !has_pi("a_new_session_has_one_id") {
        return;
    }
    let model = MockModel::answering(|_| MockReply::text("yes")).unwrap();
    let machine = machine_with(&model);
    let agent = format!("--agent={}", machine.path("bin/pi").display());
    let folder = machine.path("new");
    let wish = "01a00000-0000-7000-8000-0000000000ff";
    for id in [None, Some(wish)] {
        let mut args = vec![agent.as_str(), "--session-dir", folder.to_str().unwrap()];
        args.extend(id.iter().flat_map(|id| ["--session-id", id]));
        let mut peer = machine.pitree(&args);
        say(&mut peer, "hello");
        let state = peer.data(r#"{"type":"get_state"}"#);
        let (file, id_now) = (text(&state, "sessionFile"), text(&state, "sessionId"));
        assert!(file.ends_with(&format!("_{id_now}.jsonl")), "{file}: {id_now}");
        assert!(id.is_none_or(|id| id == id_now), "{id_now}");
        let header = fs_err::read_to_string(&file).unwrap();
        assert!(header.lines().next().unwrap().contains(&id_now), "{file}");
        let branch = peer.data(r#"{"type":"get_branch"}"#);
        assert!(stringify(&branch).contains("hello"));
    }
    assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 2);
}

/// A page of the agent's replaces no session either.
#[test]
fn a_page_of_the_agent_replaces_no_session() {
    if !has_pi("a_page_of_the_agent_replaces_no_session") {
        return;
    }
    let model = MockModel::start([]).unwrap();
    let machine = machine_with(&model);
    let other = machine.write("elsewhere/other.jsonl", TALK);
    let mut peer = attach(&machine);
    let before = fs_err::read(&other).unwrap();
    let error = peer.refusal(&format!("{{\"type\":\"export_html\",\"outputPath\":{other:?}}}"));
    assert!(error.ends_with("is a session, and pitree never replaces one"), "{error}");
    assert_eq!(fs_err::read(&other).unwrap(), before);
}

#[test]
fn nothing_is_appended_while_the_agent_works() {
    if !has_pi("nothing_is_appended_while_the_agent_works") {
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
    if !has_pi("nothing_is_appended_while_the_agent_runs_a_command") {
        return;
    }
    let model = MockModel::start([]).unwrap();
    let machine = machine_with(&model);
    let mut peer = attach(&machine);
    let label = r#"{"type":"set_label","entryId":"aaaa0001","label":"here"}"#;
    peer.send(b"{\"id\":\"long\",\"type\":\"bash\",\"command\":\"echo begun; sleep 60\"}\n");
    let update = loop {
        let line = peer.value();
        if text(&line, "type") == "bash_execution_update" {
            break line;
        }
    };
    assert_eq!(text(&update, "id"), "long", "as the client called it");
    assert!(peer.refusal(label).starts_with("the agent is busy"));
    peer.send(b"{\"type\":\"abort_bash\"}\n");
    let is_answer = |line: &Value| text(line, "id") == "long" && text(line, "type") == "response";
    while !is_answer(&peer.value()) {}
    peer.data(label);
    let entries = entries(&mut peer);
    let [.., run, label] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(text(run.get("message").unwrap(), "role"), "bashExecution");
    assert_eq!(text(label, "parentId"), text(run, "id"), "one after the other");
}
