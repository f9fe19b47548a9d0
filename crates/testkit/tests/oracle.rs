//! The real Pi answers about generated sessions. Skipped where it is not installed.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use pitree_testkit::{
    GeneratedSession, Oracle, PiVersion, damaged_files, operations, session, session_v1, session_v2,
};
use serde_json::json;

/// The oracle, or `None` with the reason printed.
fn oracle(version: PiVersion) -> Option<Oracle> {
    match Oracle::start(version) {
        Ok(oracle) => Some(oracle),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

/// Asks about a file and returns the answer text.
fn read(oracle: &mut Oracle, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.jsonl");
    std::fs::write(&path, bytes).unwrap();
    oracle.ask(&json!({"op": "read", "path": path, "at": []}).to_string()).unwrap()
}

#[test]
fn pi_reads_generated_sessions() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    let kinds: [(&str, fn(u64) -> GeneratedSession); 3] =
        [("v3", session), ("v1", session_v1), ("v2", session_v2)];
    for (name, make) in kinds {
        let start = Instant::now();
        for seed in 0..300 {
            let answer = read(&mut oracle, &make(seed).bytes);
            assert!(answer.starts_with(r#"{"ok":true"#), "{name} {seed}: {answer}");
        }
        println!("{name}: {:?} for each case", start.elapsed() / 300);
    }
}

#[test]
fn pi_counts_the_entries_that_the_generator_counts() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    for seed in 0..100 {
        let case = session(seed);
        let answer = read(&mut oracle, &case.bytes);
        // Answers may hold lone surrogates, which a parsed value cannot; the tree cannot.
        let tree = &answer[answer.find(r#","tree":"#).unwrap()..];
        let tree = &tree[8..tree.find(r#","contexts":"#).unwrap()];
        let rows = tree.matches(",null,null]").count();
        assert!(rows <= case.facts.entries && rows + 40 >= case.facts.entries, "{seed}: {rows}");
    }
}

#[test]
fn the_old_pi_reads_generated_sessions() {
    let Some(mut oracle) = oracle(PiVersion::Legacy) else { return };
    for seed in 0..100 {
        let answer = read(&mut oracle, &session(seed).bytes);
        assert!(answer.starts_with(r#"{"ok":"#), "{seed}: {answer}");
    }
}

#[test]
fn pi_survives_every_damaged_file() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    for file in damaged_files() {
        let answer = read(&mut oracle, &file.bytes);
        println!("{}: {}", file.name, answer.chars().take(150).collect::<String>());
    }
}

#[test]
fn pi_runs_generated_operations() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    for seed in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let request = json!({
            "op": "run", "dir": folder.path(), "cwd": "/work", "start": null,
            "ops": operations(seed),
        });
        let answer = oracle.ask(&request.to_string()).unwrap();
        assert!(answer.starts_with(r#"{"ok":true"#), "{seed}: {answer}");
    }
}
