//! Lines that are no requests, ends in mid-line, long and deep ones.

use std::process::Stdio;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};

use crate::rpc::peer::{Machine, Peer, exit_code};

const UNKNOWN: &str = r#"{"type":"response","success":false,"error":"Unknown command: undefined"}"#;

fn pitree() -> (Machine, Peer) {
    let machine = Machine::new();
    let peer = machine.pitree(&["--no-session"]);
    (machine, peer)
}

#[track_caller]
fn is_parse_error(line: &[u8]) {
    let answer = parse(line).unwrap();
    assert_eq!(answer.get("id"), None);
    assert_eq!(answer.get_string("command").unwrap().to_string(), "parse");
    let error = answer.get_string("error").unwrap().to_string();
    assert!(error.starts_with("Failed to parse command: "), "{error}");
}

#[test]
fn what_is_no_object_is_an_unknown_command() {
    let (_machine, mut peer) = pitree();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for line in ["null", "5", "\"text\"", "[]", "{}", "true", &deep] {
        peer.send(format!("{line}\n").as_bytes());
        assert_eq!(String::from_utf8(peer.line()).unwrap(), UNKNOWN, "{line:.20}");
    }
}

#[test]
fn what_is_no_json_is_told_without_an_id() {
    let (_machine, mut peer) = pitree();
    for line in ["hello", "", "{\"id\":1,", "{\"id\":1}}", "\u{feff}{}", "[[[["] {
        peer.send(format!("{line}\n").as_bytes());
        is_parse_error(&peer.line());
    }
}

#[test]
fn ids_of_any_kind_come_back() {
    let (_machine, mut peer) = pitree();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for id in ["null", "1e21", "\"\\ud800\"", "{\"a\":[1,2]}", "false", &deep] {
        peer.send(format!("{{\"type\":\"abort\",\"id\":{id}}}\n").as_bytes());
        let expected =
            format!("{{\"id\":{id},\"type\":\"response\",\"command\":\"abort\",\"success\":true}}");
        let expected = expected.replace("1e21", "1e+21");
        assert_eq!(String::from_utf8(peer.line()).unwrap(), expected, "{id:.20}");
    }
}

#[test]
fn a_line_of_100_megabytes_is_skipped_and_costs_no_memory() {
    let (_machine, mut peer) = pitree();
    let part = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        peer.send(&part);
    }
    peer.send(b"\n{\"type\":\"abort\"}\r\n");
    is_parse_error(&peer.line());
    let answer = peer.value();
    assert_eq!(answer.get_string("command").unwrap().to_string(), "abort");
    let peak = peak_memory(peer.process_id());
    assert!(peak < 150 << 20, "{peak} bytes at most");
}

/// The most memory that a process had, in bytes.
pub(crate) fn peak_memory(process: u32) -> u64 {
    let status = fs_err::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn the_last_line_needs_no_line_feed_and_all_that_was_asked_is_answered() {
    let (_machine, mut peer) = pitree();
    let mut expected = Vec::new();
    for number in 0..200 {
        let command = ["get_state", "get_tree", "set_session_name", "get_entries"][number % 4];
        let end = if number == 199 { "" } else { "\n" };
        let request = format!("{{\"id\":{number},\"type\":\"{command}\",\"name\":\"n\"}}{end}");
        peer.send(request.as_bytes());
        expected.push(number);
    }
    let (lines, code) = peer.finish();
    let answers = lines.iter().map(|line| parse(line).unwrap());
    let mut ids: Vec<usize> =
        answers.filter_map(|value| value.get_number("id")).map(|id| id as usize).collect();
    ids.sort_unstable();
    assert_eq!(ids, expected);
    assert_eq!(code, Some(0));
}

#[test]
fn an_end_in_mid_line_is_a_line_that_is_no_json() {
    let (_machine, mut peer) = pitree();
    peer.send(b"{\"type\":\"abort\"}\n{\"type\":\"get_st");
    let (lines, code) = peer.finish();
    assert_eq!(lines.len(), 2);
    is_parse_error(&lines[1]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_closed_output_is_the_end() {
    let machine = Machine::new();
    let mut command = machine.pitree_command(&["--no-session"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"{\"type\":\"get_state\"}\n").unwrap();
    // The input stays open: a client that has gone may have left it to somebody else.
    assert_eq!(exit_code(&mut child), Some(0));
    drop(input);
}

#[test]
fn a_change_is_seen_by_the_reads_behind_it() {
    let (_machine, mut peer) = pitree();
    for number in 0..100 {
        let requests = format!(
            "{{\"type\":\"set_session_name\",\"name\":\"n{number}\"}}\n{{\"id\":{number},\"type\":\"get_state\"}}\n"
        );
        peer.send(requests.as_bytes());
    }
    let (lines, _) = peer.finish();
    for line in lines {
        let value = parse(&line).unwrap();
        let (Some(id), Some(data)) = (value.get_number("id"), value.get("data")) else { continue };
        let name = data.get_string("sessionName").unwrap().to_string();
        let number: f64 = name[1..].parse().unwrap();
        assert!(number >= id, "request {id} saw {name}: {}", stringify(&value));
    }
}

#[test]
fn a_member_of_the_wrong_kind_is_named() {
    let (_machine, mut peer) = pitree();
    for (request, words) in [
        (r#"{"type":"set_session_name"}"#, "`name` is missing: set_session_name needs a string"),
        (r#"{"type":"switch_session","sessionPath":4}"#, "`sessionPath` of switch_session"),
        (r#"{"type":"get_entries","limit":-1}"#, "`limit` of get_entries must be a whole number"),
        (r#"{"type":"get_entries","since":null}"#, "Entry not found: null"),
        (r#"{"type":"set_auto_compaction","enabled":1}"#, "`enabled` must be true or false"),
        (r#"{"type":"prompt","message":"hi"}"#, "prompt needs an agent"),
        (r#"{"type":"bash","command":"true"}"#, "with --allow-bash"),
        (r#"{"type":"nope"}"#, "Unknown command: nope"),
    ] {
        let error = peer.refusal(request);
        assert!(error.contains(words), "{request}: {error}");
    }
    assert_eq!(peer.data(r#"{"type":"abort"}"#), Value::Null);
}
