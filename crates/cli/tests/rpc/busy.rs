//! A client that sends much before it is answered: what it stops is stopped, what it asks for is
//! answered, and memory has a limit.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use pitree_format::Value;

use crate::rpc::endings::are_gone;
use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;

/// A change that fails at once when its turn comes.
const LABEL: &str = r#""type":"set_label","entryId":"none","label":"x""#;

fn peer(machine: &Machine, more: &[&str]) -> Peer {
    machine.write("agent/settings.json", r#"{"compaction":{"keepRecentTokens":1}}"#);
    let session = machine.write("sessions/talk.jsonl", TALK);
    machine.pitree(&[&["--session", session.to_str().unwrap()], more].concat())
}

/// With somebody who never comes to write a summary.
fn slow_peer(machine: &Machine) -> Peer {
    peer(machine, &["--summarizer-command", "sleep 1000"])
}

/// The next so many answers, by their number.
#[track_caller]
fn answers(peer: &mut Peer, count: usize) -> HashMap<usize, Value> {
    let mut answers = HashMap::new();
    while answers.len() < count {
        let value = peer.value();
        let is_answer = value.get_string("type").is_some_and(|kind| *kind == "response");
        if let Some(number) = value.get_number("id").filter(|_| is_answer) {
            answers.insert(number as usize, value);
        }
    }
    answers
}

fn error(answer: &Value) -> String {
    answer.get_string("error").map(ToString::to_string).unwrap_or_default()
}

fn is_refused(answer: &Value) -> bool {
    error(answer).starts_with("too many requests are waiting")
}

#[test]
fn a_command_that_is_stopped_at_once_does_not_run() {
    let machine = Machine::new();
    let mut peer = peer(&machine, &["--allow-bash"]);
    for reads in [0, 3] {
        for _ in 0..15 {
            let mut lines = String::new();
            for number in 0..reads {
                let _ = writeln!(lines, r#"{{"id":{number},"type":"get_tree"}}"#);
            }
            let bash = r#""type":"bash","command":"sleep 1000""#;
            let _ = writeln!(lines, "{{\"id\":{reads},{bash}}}");
            let _ = writeln!(lines, "{{\"id\":{},\"type\":\"abort_bash\"}}", reads + 1);
            peer.send(lines.as_bytes());
            let answers = answers(&mut peer, reads + 2);
            let data = answers[&reads].get("data").unwrap();
            assert_eq!(data.get("cancelled"), Some(&Value::Bool(true)), "{data:?}");
        }
    }
}

#[test]
fn running_commands_are_in_nobodys_way_and_have_a_limit() {
    let machine = Machine::new();
    let mut peer = peer(&machine, &["--allow-bash"]);
    let most = 64;
    let mut lines = String::new();
    for number in 0..=most {
        let bash = r#""type":"bash","command":"sleep 1000""#;
        let _ = writeln!(lines, "{{\"id\":{number},{bash}}}");
    }
    peer.send(lines.as_bytes());
    let refused = answers(&mut peer, 1);
    assert!(error(&refused[&most]).contains("64 shell commands are running"), "{refused:?}");
    for request in ["get_tree", "list_sessions", "get_labels", "get_state"] {
        peer.data(&format!("{{\"type\":\"{request}\"}}"));
    }
    peer.data(r#"{"type":"set_label","entryId":"aaaa0001","label":"x"}"#);
    peer.send(b"{\"type\":\"abort_bash\"}\n");
    assert_eq!(answers(&mut peer, most).len(), most);
    let data = peer.data(r#"{"type":"bash","command":"echo there is room again"}"#);
    assert_eq!(data.get_string("output").unwrap().to_string(), "there is room again\n");
}

#[test]
fn what_stops_something_is_read_behind_all_that_waits() {
    for count in [1100, 18_000] {
        let machine = Machine::new();
        let mut peer = slow_peer(&machine);
        let mut lines = String::from("{\"id\":0,\"type\":\"compact\"}\n");
        for number in 1..=count {
            let _ = writeln!(lines, "{{\"id\":{number},{LABEL}}}");
        }
        let _ = writeln!(lines, "{{\"id\":{},\"type\":\"abort\"}}", count + 1);
        peer.send(lines.as_bytes());
        let answers = answers(&mut peer, count + 2);
        assert_eq!(error(&answers[&0]), "Compaction cancelled");
        assert_eq!(answers[&(count + 1)].get("success"), Some(&Value::Bool(true)));
        let refused = answers.values().filter(|answer| is_refused(answer)).count();
        assert_eq!(refused > 0, count > 17_000, "{refused} of {count} were refused");
    }
}

/// What stops the command waits behind a change, which waits for the summary.
#[test]
fn a_command_is_stopped_from_behind_a_summary() {
    for _ in 0..5 {
        let machine = Machine::new();
        let more = ["--allow-bash", "--summarizer-command", "sleep 1000"];
        let mut peer = peer(&machine, &more);
        let pids = machine.path("pids");
        let command = format!("echo $$ > {}; exec sleep 1000", pids.display());
        let bash = format!("\"type\":\"bash\",\"command\":\"{command}\"");
        let compact = r#""type":"compact""#;
        let stop = r#""type":"abort_bash""#;
        // Answered at once, so all before it was read by then.
        let last = r#""type":"answer_event","eventId":"none""#;
        let requests = [&bash, compact, LABEL, stop, last].into_iter().enumerate();
        let lines: String = requests.map(|(id, it)| format!("{{\"id\":{id},{it}}}\n")).collect();
        peer.send(lines.as_bytes());
        assert!(answers(&mut peer, 1).contains_key(&4));
        // It may have been stopped before it began.
        std::thread::sleep(Duration::from_millis(300));
        let begun = fs_err::read_to_string(&pids).unwrap_or_default();
        let begun: Vec<u32> = begun.lines().filter_map(|line| line.parse().ok()).collect();
        are_gone(&begun);
        // Whoever writes the summary ends with it.
        assert_eq!(peer.end_by("TERM"), Some(143));
    }
}

#[test]
fn the_answer_to_a_question_is_read_behind_all_that_waits() {
    let machine = Machine::new();
    let mut peer = peer(&machine, &[]);
    peer.data(r#"{"type":"subscribe","events":["session_before_tree"],"timeoutMs":60000}"#);
    let mut lines = String::from(r#"{"id":0,"type":"navigate_tree","entryId":"aaaa0001"}"#);
    lines.push('\n');
    let count = 18_000;
    for number in 1..=count {
        let _ = writeln!(lines, "{{\"id\":{number},{LABEL}}}");
    }
    peer.send(lines.as_bytes());
    let question = loop {
        let value = peer.value();
        if value.get_string("type").is_some_and(|kind| *kind == "session_before_tree") {
            break value.get_string("eventId").unwrap().to_string();
        }
    };
    let answer = format!(
        r#"{{"type":"answer_event","eventId":"{question}","answer":{{"cancel":true}}}}{}"#,
        "\n"
    );
    peer.send(answer.as_bytes());
    let moved = loop {
        let value = peer.value();
        if value.get_number("id") == Some(0.0) {
            break value;
        }
    };
    assert_eq!(moved.get("data").unwrap().get("cancelled"), Some(&Value::Bool(true)));
}

#[test]
fn nothing_is_refused_while_requests_move() {
    let machine = Machine::new();
    let mut peer = peer(&machine, &[]);
    let count = 40_000;
    let mut lines = String::new();
    for number in 0..count {
        let _ = writeln!(lines, r#"{{"id":{number},"type":"get_labels"}}"#);
    }
    peer.send(lines.as_bytes());
    let answers = answers(&mut peer, count);
    let failed = answers.values().find(|answer| answer.get("success") != Some(&Value::Bool(true)));
    assert_eq!(failed, None);
}

#[test]
fn waiting_requests_have_so_many_bytes_and_no_more() {
    let machine = Machine::new();
    let mut peer = slow_peer(&machine);
    peer.send(b"{\"id\":0,\"type\":\"compact\"}\n");
    let long = "a".repeat(16 << 20);
    for number in 1..=5 {
        let request = r#""type":"set_label","entryId":"none","label":"#;
        peer.send(format!("{{\"id\":{number},{request}\"{long}\"}}\n").as_bytes());
    }
    let refused = answers(&mut peer, 2);
    assert!(refused.values().all(is_refused), "{refused:?}");
    peer.send(b"{\"id\":6,\"type\":\"abort\"}\n");
    let rest = answers(&mut peer, 5);
    assert_eq!(error(&rest[&0]), "Compaction cancelled");
    assert!(!rest.values().any(is_refused));
}
