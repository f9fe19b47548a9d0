//! The real Pi answers about generated sessions. Skipped where it is not installed.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use pitree_testkit::{
    GeneratedSession, Oracle, PiVersion, damaged_files, operations, session, session_v1, session_v2,
};
use serde_json::{Value, json};

type Make = fn(u64) -> GeneratedSession;

/// The oracle, or `None` with the reason printed.
fn oracle(version: PiVersion) -> Option<Oracle> {
    match Oracle::start(version) {
        Ok(oracle) => Some(oracle),
        Err(reason) => {
            pitree_testkit::tell(&format!("skipped: {reason}"));
            None
        }
    }
}

/// Asks about a file and returns the answer text.
fn read(oracle: &mut Oracle, bytes: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    oracle.ask(&json!({"op": "read", "path": file.path(), "at": []}).to_string()).unwrap()
}

/// The answer as a value. Lone surrogates, which a value cannot hold, become question marks.
fn parsed(answer: &str) -> Value {
    let mut text = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let length = if escape.starts_with("\\ud") { 6 } else { 2 };
        text.push_str(if length == 6 { "?" } else { &escape[..2] });
        rest = &escape[length..];
    }
    serde_json::from_str(&(text + rest)).unwrap()
}

#[test]
fn pi_reads_generated_sessions() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    let kinds: [(&str, Make); 3] = [("v3", session), ("v1", session_v1), ("v2", session_v2)];
    for (name, make) in kinds {
        let cases: Vec<_> = (0..300).map(make).collect();
        let start = Instant::now();
        for (seed, case) in cases.iter().enumerate() {
            let answer = read(&mut oracle, &case.bytes);
            assert!(answer.starts_with(r#"{"ok":true"#), "{name} {seed}: {answer}");
        }
        println!("{name}: {:?} for each case", start.elapsed() / 300);
    }
}

#[test]
fn pi_finds_what_the_generator_says_is_there() {
    let Some(mut oracle) = oracle(PiVersion::Current) else { return };
    for seed in 0..300 {
        let case = session(seed);
        let answer = parsed(&read(&mut oracle, &case.bytes));
        let entries = answer["entries"].as_array().unwrap();
        assert_eq!(entries.len(), case.facts.entries, "{seed}");
        let parents: BTreeSet<_> = entries.iter().filter_map(|e| e["parentId"].as_str()).collect();
        let leaves = entries.iter().filter(|e| !parents.contains(e["id"].as_str().unwrap()));
        assert_eq!(leaves.count(), case.facts.leaves, "{seed}");

        let in_context: Vec<_> = answer["contexts"][0]["entries"].as_array().unwrap().clone();
        let context: Vec<_> = entries.iter().filter(|e| in_context.contains(&e["id"])).collect();
        let compacted = context.iter().any(|e| e["type"] == "compaction");
        assert_eq!(compacted, case.facts.compaction_on_active_path, "{seed}");
        let edited = context
            .iter()
            .any(|e| e["type"] == "context_edit" && in_context.contains(&e["targetId"]));
        assert_eq!(edited, case.facts.context_edit_on_active_path, "{seed}");
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
