//! Which sessions `pitree extract` chooses, what it says about the others, and how it splits them.

use serde_json::{Value, json};

use crate::common::{BRANCHED, Sandbox};

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-projects-weather--";

/// A session of its own: a question, and a reply that ended in this way.
fn session(id: &str, stops: &[&str]) -> String {
    let mut text = json!({"type": "session", "version": 3, "id": id,
        "timestamp": "2026-02-03T22:52:06.410Z", "cwd": "/home/ana/projects/weather"})
    .to_string();
    let mut parent = Value::Null;
    for (turn, stop) in stops.iter().enumerate() {
        let ids = ["u", "a"].map(|role| format!("{role}{turn}-{id}"));
        let words = ["question", "answer"].map(|word| format!("{word} {turn} of {id}"));
        let user = json!({"role": "user", "content": words[0]});
        let reply = json!({"role": "assistant", "provider": "p", "model": "m",
            "stopReason": stop, "content": [{"type": "text", "text": words[1]}]});
        for (entry, message) in ids.iter().zip([user, reply]) {
            let line = json!({"type": "message", "id": entry, "parentId": parent,
                "timestamp": "2026-02-03T22:52:07.000Z", "message": message});
            text += &format!("\n{line}");
            parent = entry.as_str().into();
        }
    }
    text + "\n"
}

/// A store with a good run, one that recovered, and two that failed at their end.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    let runs: [(&str, &[&str]); 4] = [
        ("aaaa1111", &["stop", "length", "stop"]),
        ("aaaa2222", &["error", "stop"]),
        ("bbbb3333", &["stop", "error"]),
        ("cccc4444", &["stop", "aborted"]),
    ];
    for (id, stops) in runs {
        let _ = sandbox.write(&format!("{FOLDER}/{id}.jsonl"), &session(id, stops));
    }
    sandbox
}

fn card(sandbox: &Sandbox) -> (Value, String) {
    let read = |name: &str| fs_err::read_to_string(sandbox.project().join("data").join(name));
    (serde_json::from_str(&read("card.json").unwrap()).unwrap(), read("README.md").unwrap())
}

#[test]
fn runs_that_failed_are_left_out_and_counted() {
    let sandbox = store();
    let args = ["extract", "--output", "data", "--without", "failure"];
    let run = sandbox.run(args).ok();
    assert!(run.stdout.starts_with("2 samples from 2 sessions"), "{run:?}");
    assert!(run.stderr.contains("filters left out 2 sessions: 2 by --without\n"), "{run:?}");
    let said = "5 replies: 3 trained, 1 failed or was aborted, 1 was cut off\n";
    assert!(run.stderr.contains(said), "{run:?}");
    let (told, page) = card(&sandbox);
    assert_eq!(told["sessions"]["filtered"], json!({"without": 2}), "{told}");
    assert_eq!((&told["replies"]["failed"], &told["replies"]["cutOff"]), (&json!(1), &json!(1)));
    assert!(page.contains("## Sessions left out by filters"), "{page}");
    assert!(page.contains("| failed or aborted | 1 |"), "{page}");
    let run = sandbox.run(args.into_iter().chain(["--json", "--until", "2026-01"])).exits(1);
    assert!(run.stderr.contains("filters left out 4 sessions: 4 by --until\n"), "{run:?}");
    assert!(run.stderr.ends_with("no session is left; remove a filter\n"), "{run:?}");
    let json = sandbox.run(args.into_iter().chain(["--json"])).ok().json();
    assert_eq!(json["filtered"], json!({"without": 2}));
    // The list has the same filter.
    for (option, count) in [("--has", 2), ("--without", 2)] {
        let run = sandbox.run(["list", "--scope", "all", option, "failure", "--json"]).ok();
        assert_eq!(run.json().as_array().unwrap().len(), count, "{option}");
    }
    let help = sandbox.run(["extract", "--help"]).ok().stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("are never trained"), "{help}");
}

#[test]
fn a_store_without_sessions_is_named() {
    let sandbox = Sandbox::new();
    fs_err::create_dir_all(sandbox.home().join(".pi/agent/sessions")).unwrap();
    let run = sandbox.run(["extract", "--output", "data"]).exits(1);
    assert!(run.stderr.contains("no sessions in ~/.pi/agent/sessions"), "{run:?}");
}

#[test]
fn a_failed_reply_is_counted_whatever_is_written() {
    let sandbox = store();
    for format in ["openai", "hf-traces", "parquet", "lora-forge", "atif"] {
        let args = ["extract", "--format", format, "--output", format, "--json"];
        let replies = sandbox.run(args).ok().json()["replies"].clone();
        assert_eq!((&replies["failed"], &replies["cutOff"]), (&json!(3), &json!(1)), "{format}");
    }
}

#[test]
fn sessions_are_chosen_by_their_outcomes() {
    let sandbox = store();
    let outcomes = "session_id,outcome\naaaa1,resolved\naaaa2222,0.25\nbbbb,failed\naaaa,1\n\
                    zzzz,1\nyyyy,1\n";
    let _ = sandbox.write("project/outcomes.csv", outcomes);
    let extract = |more: &[&str]| {
        let args = ["extract", "--output", "data", "--json", "--outcomes", "outcomes.csv"];
        let run = sandbox.run(args.iter().chain(more).copied()).ok();
        (run.json()["sessions"].as_u64(), run.json()["filtered"].clone(), run.stderr)
    };
    let (sessions, filtered, said) = extract(&[]);
    assert_eq!((sessions, filtered), (Some(4), json!({})));
    let unknown = "2 of 6 ids in the outcomes do not match any of the 4 sessions: zzzz, yyyy\n";
    assert!(said.contains(unknown), "{said}");
    let ambiguous = "1 of 6 ids in the outcomes matches more than one session: aaaa; ";
    assert!(said.contains(ambiguous), "{said}");
    let lines = fs_err::read_to_string(sandbox.project().join("data/data.jsonl")).unwrap();
    assert!(lines.lines().any(|line| line.contains("\"resolved\"")), "{lines}");
    let (sessions, filtered, _) = extract(&["--outcome", "Resolved"]);
    assert_eq!((sessions, filtered), (Some(1), json!({"no-outcome": 1, "outcome": 2})));
    let (sessions, filtered, said) = extract(&["--min-outcome", "0.25"]);
    assert_eq!((sessions, filtered), (Some(2), json!({"no-outcome": 1, "min-outcome": 1})));
    let by = "1 by having no outcome in --outcomes, 1 by --min-outcome";
    assert!(said.contains(by), "{said}");
    let of_entries = "session_id,entry_id,outcome\naaaa1,x,resolved\nbbbb,,resolved\n";
    let _ = sandbox.write("project/outcomes.csv", of_entries);
    let (sessions, filtered, said) = extract(&["--outcome", "resolved"]);
    assert_eq!((sessions, filtered), (Some(1), json!({"entry-outcomes": 1, "no-outcome": 2})));
    let by = "2 by having no outcome in --outcomes, 1 by having outcomes for single entries only";
    assert!(said.contains(by), "{said}");
    let run = sandbox.run(["extract", "--output", "data", "--outcome", "resolved"]).exits(2);
    assert!(run.stderr.contains("--outcomes <FILE>"), "{run:?}");
}

#[test]
fn a_file_that_never_ends_is_refused() {
    let sandbox = store();
    for option in ["--outcomes", "--role-rules", "--env-file", "--tokenizer", "--key"] {
        let run = sandbox.run(["extract", "--output", "data", option, "/dev/zero"]);
        assert_ne!(run.code, Some(0), "{option}");
        assert!(run.stderr.contains("/dev/zero"), "{option}: {run:?}");
        assert!(run.stderr.contains("not a regular file"), "{option}: {run:?}");
    }
}

#[test]
fn many_files_that_are_not_sessions_are_counted_and_the_first_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write(&format!("{FOLDER}/good.jsonl"), BRANCHED);
    for number in 0..5 {
        let _ = sandbox.write(&format!("{FOLDER}/bad{number}.jsonl"), "something else\n");
    }
    for args in [&["extract", "--output", "data"][..], &["list", "--scope", "all"]] {
        let run = sandbox.run(args.iter().copied()).ok();
        let lines: Vec<&str> =
            run.stderr.lines().filter(|line| line.contains("bad0.jsonl")).collect();
        let [line] = lines[..] else { panic!("{run:?}") };
        assert!(line.starts_with("skipped 5 files that are not sessions ("), "{line}");
        assert!(
            line.contains("bad2.jsonl, …); `pitree check --scope all` lists them all"),
            "{line}"
        );
        assert!(!run.stderr.contains("bad3.jsonl"), "{run:?}");
    }
    let run = sandbox.run(["check", "--all"]);
    assert!(run.stdout.contains("bad4.jsonl"), "{run:?}");
}

#[test]
fn a_split_that_is_upside_down_is_told() {
    let sandbox = Sandbox::new();
    let args = ["extract", "--output", "data", "--split"];
    let _ = sandbox.write(&format!("{FOLDER}/one.jsonl"), BRANCHED);
    let run = sandbox.run(args.into_iter().chain(["0.5"])).ok();
    assert!(run.stderr.contains(" is empty: a session and its forks always stay"), "{run:?}");
    for number in 0..12 {
        let id = format!("{number:04}dddd");
        let _ = sandbox.write(&format!("{FOLDER}/{id}.jsonl"), &session(&id, &["stop"]));
    }
    let run = sandbox.run(args.into_iter().chain(["0.7"])).ok();
    assert!(run.stderr.contains("validation is larger than train ("), "{run:?}");
    let (told, _) = card(&sandbox);
    let warnings = told["warnings"].to_string();
    assert!(warnings.contains("validation is larger than train ("), "{warnings}");
}
