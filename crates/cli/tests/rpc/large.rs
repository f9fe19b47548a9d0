//! Sessions over which Pi's protocol falls.

use std::fmt::Write;

use crate::rpc::framing::peak_memory;
use crate::rpc::peer::Machine;

const HEADER: &str = r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"ROOT/project"}"#;

fn entry(at: usize, parent: &str) -> String {
    let words = "a few words that make the line as long as lines are ".repeat(4);
    format!(
        r#"{{"type":"message","id":"{at:08x}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"user","content":"{words}","timestamp":1}}}}"#
    )
}

#[test]
fn a_chain_of_100_000_entries_is_answered_within_200_megabytes() {
    let machine = Machine::new();
    let mut text = format!("{HEADER}\n");
    for at in 0..100_000_usize {
        let parent = match at {
            0 => "null".to_owned(),
            at => format!("\"{:08x}\"", at - 1),
        };
        writeln!(text, "{}", entry(at, &parent)).unwrap();
    }
    let path = machine.write("long.jsonl", &text);
    let mut peer = machine.pitree(&["--session", path.to_str().unwrap()]);
    peer.send(b"{\"type\":\"get_tree\"}\n");
    let line = peer.line();
    let opened = line.iter().filter(|byte| **byte == b'{').count();
    let closed = line.iter().filter(|byte| **byte == b'}').count();
    assert_eq!(opened, closed);
    let entries = memchr_count(&line, b"\"entry\":{");
    assert_eq!(entries, 100_000);
    assert!(line.ends_with(b"}]}]}],\"leafId\":\"0001869f\"}}"), "{:?}", &line[line.len() - 60..]);
    let peak = peak_memory(peer.process_id());
    println!("get_tree of {} bytes: at most {} MB", line.len(), peak >> 20);
    assert!(peak < 200 << 20, "{peak} bytes at most");
}

fn memchr_count(text: &[u8], part: &[u8]) -> usize {
    text.windows(part.len()).filter(|window| *window == part).count()
}

#[test]
fn circles_are_cut_and_answered() {
    let machine = Machine::new();
    let lines = [
        HEADER.to_owned(),
        entry(1, "\"00000003\""),
        entry(2, "\"00000001\""),
        entry(3, "\"00000002\""),
        entry(4, "\"00000004\""),
    ];
    let path = machine.write("circle.jsonl", &(lines.join("\n") + "\n"));
    let mut peer = machine.pitree(&["--session", path.to_str().unwrap()]);
    for read in ["get_tree", "get_branch", "get_messages", "get_state", "get_session_stats"] {
        peer.data(&format!("{{\"type\":\"{read}\"}}"));
    }
    peer.send(b"{\"type\":\"get_tree\"}\n");
    assert_eq!(memchr_count(&peer.line(), b"\"entry\":{"), 4);
}
