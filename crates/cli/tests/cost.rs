//! `pitree cost` as a user runs it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail loudly and say what it saw"
)]

mod common;

use common::{BRANCHED, Sandbox, VERSION_1};
use serde_json::Value;

const WAYS: [&str; 9] =
    ["day", "week", "month", "model", "provider", "project", "role", "session", "family"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    let _ = sandbox.write(&format!("{folder}/2026_a.jsonl"), BRANCHED);
    let _ = sandbox.write(&format!("{folder}/2025_b.jsonl"), VERSION_1);
    let copy = BRANCHED.replace("00000000000a", "00000000000b").replace("22:52:06", "22:53:06");
    let _ = sandbox.write(&format!("{folder}/2026_copy.jsonl"), &copy);
    sandbox
}

#[test]
fn the_rows_of_each_breakdown_add_up() {
    let sandbox = sandbox();
    for by in WAYS {
        for extra in [&[][..], &["--no-index"]] {
            let mut args = vec!["cost", "--json", "--by", by];
            args.extend_from_slice(extra);
            let value = sandbox.run(args).ok().json();
            assert_eq!(value["total"]["cost"], 0.75, "{by}: {value}");
            assert_eq!(value["total"]["count"], 3, "{by}");
            assert_eq!(value["total"]["unknownCosts"], 1, "{by}");
            assert_eq!(value["total"]["tokens"]["total"], 6, "{by}");
            assert_eq!(value["checked"], true, "{by}");
            let sum = |list: Vec<&Value>, of: &str| -> f64 {
                list.iter().map(|row| row[of].as_f64().unwrap_or(0.0)).sum()
            };
            let rows = || value["rows"].as_array().unwrap().iter().collect();
            let parts = || value["total"]["parts"].as_object().unwrap().values().collect();
            for of in ["cost", "count", "unknownCosts"] {
                let total = value["total"][of].as_f64().unwrap();
                assert_eq!(sum(rows(), of), total, "{by} {of}");
                assert_eq!(sum(parts(), of), total, "{by} {of}");
            }
        }
    }
    // A day of which no cost is known has none, not zero.
    let value = sandbox.run(["cost", "--json"]).ok().json();
    assert_eq!(value["rows"][0]["key"], "2025-11-20");
    assert_eq!(value["rows"][0]["cost"], Value::Null);
}

#[test]
fn the_tables_say_what_was_checked() {
    let run = sandbox().run(["cost", "--by", "project"]).ok();
    for part in [
        "project",
        "/home/ana/projects/weather",
        "$0.7500 + 1 unknown",
        "answers on the active path",
        "$0.7500 = $0.7500 answers on the active path + $0.0000 answers on other branches",
        "adds up to the same cost, tokens and count; 1 usage has no recorded cost",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('█') && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

#[test]
fn selections_and_mistakes() {
    let sandbox = sandbox();
    let cost = |args: &[&str]| {
        let mut all = vec!["cost", "--json"];
        all.extend_from_slice(args);
        sandbox.run(all)
    };
    let value = cost(&["--since", "2026-01-01"]).ok().json();
    assert_eq!((&value["total"]["count"], &value["total"]["unknownCosts"]), (&2.into(), &0.into()));
    assert_eq!(cost(&["--until", "2026-01-01"]).ok().json()["total"]["cost"], Value::Null);
    let _ = cost(&["--since", "2027-01-01"]).exits(1);
    let _ = cost(&["--scope", "dir"]).exits(1);
    let east = cost(&["--utc-offset", "+02:00"]).ok().json();
    assert_eq!(east["rows"][1]["key"], "2026-02-04");
    let west = cost(&["--utc-offset", "-11:00"]).ok().json();
    assert_eq!(west["rows"][0]["key"], "2025-11-19");
    let _ = cost(&["--utc-offset", "2"]).exits(2);
    let _ = cost(&["--by", "colour"]).exits(2);
    let empty = Sandbox::new().run(["cost", "--json"]).exits(1).json();
    assert_eq!(empty["total"]["count"], 0);
}

#[test]
fn a_name_from_a_file_cannot_harm_the_terminal() {
    let sandbox = Sandbox::new();
    let evil = BRANCHED.replace(r#""model":"m""#, r#""model":"m\u001b[31m\nx""#);
    let _ = sandbox.write("home/.pi/agent/sessions/--x--/e.jsonl", &evil);
    let run = sandbox.run(["cost", "--by", "model"]).ok();
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(run.stdout.contains("p/m\u{FFFD}[31m x"), "{}", run.stdout);
}
