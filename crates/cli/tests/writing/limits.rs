//! Files that are small and ask for much, and readers that go away.

use std::fmt::Write;
use std::os::unix::net::UnixStream;

use crate::common::{BRANCHED, Sandbox};

const HEADER: &str = r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000c","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/tmp"}"#;

/// Runs the command with so much address space, of which the program itself takes a fifth.
const LIMITED: [&str; 4] = ["/bin/sh", "-c", "ulimit -v 400000; exec \"$@\"", "sh"];

#[test]
fn a_comb_is_drawn_in_little_memory() {
    let sandbox = Sandbox::new();
    let mut text = format!("{HEADER}\n");
    let mut parent = "null".to_owned();
    let levels = 30_000;
    for at in 0..levels {
        for side in ["a", "b"] {
            let _ = writeln!(text, r#"{{"type":"x","id":"{side}{at}","parentId":{parent}}}"#);
        }
        parent = format!("\"a{at}\"");
    }
    let _ = sandbox.write("comb.jsonl", &text);
    let run = sandbox.call(["tree", "../comb.jsonl"]).within(&LIMITED).run().ok();
    assert_eq!(run.stdout.lines().count(), 2 * levels);
    assert!(run.stdout.lines().all(|line| line.chars().count() < 120));
}

#[test]
fn findings_are_printed_as_they_come() {
    let sandbox = Sandbox::new();
    let count = 400_000;
    let _ = sandbox.write("bad.jsonl", &format!("{HEADER}\n{}", "x\n".repeat(count)));
    let run = sandbox.call(["check", "../bad.jsonl", "--json"]).within(&LIMITED).run().exits(3);
    assert_eq!(run.stdout.matches("\"code\":\"malformed-line\"").count(), count);
    assert!(
        run.stdout.ends_with(
            "],\"damaged\":true,\"piRefuses\":[],\"portRefuses\":[\"malformed-line\"]}\n"
        )
    );
    let run = sandbox.call(["check", "../bad.jsonl"]).within(&LIMITED).run().exits(3);
    assert!(run.stdout.contains("399990 more of malformed-line"), "{run:?}");
}

/// The system sends a signal for a write beyond this limit, which ends a program by default.
#[test]
fn a_file_that_may_not_grow_keeps_its_lines_whole() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let limited = ["/bin/sh", "-c", "ulimit -f 8; exec \"$@\"", "sh"];
    let long = "z".repeat(20_000);
    let run = sandbox.call(["append", "../s.jsonl"]).within(&limited).input(&long).run();
    assert!(run.stderr.contains("File too large"), "{run:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
    let _ = sandbox.call(["append", "../s.jsonl"]).within(&limited).input("short").run().ok();
}

/// `pitree … 2>&1 | head`: whoever read our output has seen enough.
#[test]
fn a_closed_pipe_is_no_failure() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let _ = sandbox.write("torn.jsonl", &format!("{BRANCHED}{{\"torn\":\n"));
    let closed = || {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        std::os::fd::OwnedFd::from(theirs)
    };
    for (code, args) in [
        (1, &["search", "nothing like this", "--session-dir", ".."][..]),
        (1, &["show", "../gone.jsonl"]),
        (0, &["fork", "../s.jsonl"]),
        (1, &["name", "../s.jsonl"]),
        (2, &["nonsense"]),
        (2, &["label", "../s.jsonl"]),
        (0, &["list", "--scope", "all", "--session-dir", ".."]),
        (0, &["goto", "../s.jsonl", "cccc"]),
        (3, &["check", "../torn.jsonl", "../gone.jsonl", "../gone-too.jsonl"]),
    ] {
        let run = sandbox.call(args).closed_stderr(closed()).run();
        assert!(run.code == Some(code) || run.code == Some(1), "{args:?}: {run:?}");
        let both = sandbox.call(args).closed_stderr(closed()).stdout(closed());
        assert!(matches!(both.code, Some(0..=4)), "{args:?}: {both:?}");
    }
}
