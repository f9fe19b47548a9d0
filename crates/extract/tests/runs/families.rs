//! Forks are copies: what they share is learned once, and never on both sides of a split.

use std::collections::HashMap;

use pitree_extract::{Dedupe, ExtractOptions, Quality, Split};

use crate::runs::common::{Store, options, session_text};

/// A session, a fork of its first half that goes on, and a copy of the whole.
fn family(store: &Store, number: usize) {
    let words = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "heath"];
    let word = words[number % words.len()];
    let (question, answer) = (format!("{word} {number}?"), format!("yes, {word} {number}"));
    let ids: Vec<String> = (0..6).map(|at| format!("{number:04}000{at}")).collect();
    let first = [
        (ids[0].as_str(), "user", question.as_str()),
        (ids[1].as_str(), "assistant", answer.as_str()),
        (ids[2].as_str(), "user", "and then?"),
        (ids[3].as_str(), "assistant", "then nothing"),
    ];
    let mut fork = first[..2].to_vec();
    fork.push((ids[4].as_str(), "user", "something else"));
    fork.push((ids[5].as_str(), "assistant", "as you like"));
    let write = |name: &str, messages: &[(&str, &str, &str)]| {
        let text = session_text(&format!("{number:04}-{name}"), messages);
        store.write(&format!("{number:04}-{name}.jsonl"), text.as_bytes());
    };
    write("a", &first);
    write("b", &fork);
    write("c", &first);
}

/// How often each reply is learned, by its text and question.
fn learned(lines: &[serde_json::Value]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        let messages = line["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            if message["role"] == "assistant" && message["train"] != false {
                let key = format!("{} {}", messages[0]["content"], message["content"]);
                *counts.entry(format!("{at} {key}")).or_default() += 1;
            }
        }
    }
    counts
}

#[test]
fn a_reply_that_was_copied_into_a_fork_is_learned_once() {
    for dedupe in [Dedupe::Off, Dedupe::Exact, Dedupe::Drop] {
        let store = Store::empty();
        (0..5).for_each(|number| family(&store, number));
        let quality = Quality { dedupe, ..Quality::default() };
        let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
        let learned = learned(&store.lines("data.jsonl"));
        assert!(learned.values().all(|count| *count == 1), "{dedupe:?}: {learned:?}");
        if dedupe != Dedupe::Drop {
            assert_eq!(learned.len(), 15, "{dedupe:?}: {learned:?}");
            assert_eq!(report.samples, 10, "the copies of whole sessions are gone");
        }
    }
}

/// Version 1 has no ids: a copy is known by its place, its time and what it says.
#[test]
fn a_reply_that_was_copied_into_an_old_fork_is_learned_once() {
    let header = |id: &str, more: &str| {
        format!(
            r#"{{"type":"session","id":"{id}","timestamp":"2025-11-15T06:53:14.778Z","cwd":"/srv/project"{more}}}"#
        )
    };
    let line = |second: usize, role: &str, said: &str| {
        format!(
            r#"{{"type":"message","timestamp":"2025-11-15T06:53:{second:02}.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{said}"}}],"stopReason":"stop"}}}}"#
        )
    };
    let store = Store::empty();
    let write = |name: &str, lines: &[String]| {
        store.write(name, (lines.join("\n") + "\n").as_bytes());
    };
    let first = [line(20, "user", "amber?"), line(21, "assistant", "yes, amber")];
    let later = [line(30, "user", "amber?"), line(31, "assistant", "yes, amber")];
    let more = [line(40, "user", "and then?"), line(41, "assistant", "then nothing")];
    let with = |header: String, parts: &[&[String]]| -> Vec<String> {
        std::iter::once(header).chain(parts.concat()).collect()
    };
    write("a.jsonl", &with(header("a", ""), &[&first]));
    let from = r#","branchedFrom":"/srv/a.jsonl""#;
    write("b.jsonl", &with(header("b", from), &[&first, &more]));
    // The same words at another time are no copy.
    write("c.jsonl", &with(header("c", ""), &[&later]));
    let quality = Quality { dedupe: Dedupe::Off, ..Quality::default() };
    store.run(&ExtractOptions { quality, ..options(store.root()) });
    let learned: Vec<usize> = store
        .lines("data.jsonl")
        .iter()
        .map(|line| {
            let messages = line["messages"].as_array().unwrap().iter();
            messages.filter(|it| it["role"] == "assistant" && it["train"] != false).count()
        })
        .collect();
    assert_eq!(learned, [1, 1, 1]);
}

#[test]
fn families_stay_on_one_side_of_the_split() {
    let store = Store::empty();
    (0..40).for_each(|number| family(&store, number));
    let quality = Quality { validation: Some(0.3), ..Quality::default() };
    let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
    assert!(report.warnings.is_empty(), "{report:?}");
    let mut sides: HashMap<String, Vec<Split>> = HashMap::new();
    for split in [Split::Train, Split::Validation] {
        let lines = store.lines(&format!("{}.jsonl", split.file_name()));
        assert!(lines.len() > 4, "{} in {split:?}", lines.len());
        for line in lines {
            let first = line["messages"][0]["content"].to_string();
            sides.entry(first).or_default().push(split);
        }
    }
    assert_eq!(sides.len(), 40);
    for (family, sides) in sides {
        assert!(sides.iter().all(|side| *side == sides[0]), "{family} straddles");
    }
}

#[test]
fn too_few_families_for_a_split_are_told() {
    let store = Store::empty();
    family(&store, 1);
    let quality = Quality { validation: Some(0.001), ..Quality::default() };
    let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
    assert!(report.warnings[0].to_string().contains("validation is empty"), "{report:?}");
    assert_eq!(store.lines("validation.jsonl").len(), 0);
}

#[test]
fn near_duplicates_are_named_and_kept_or_dropped() {
    let store = Store::empty();
    let text: Vec<String> = (0..200).map(|at| format!("word{}", at * 7)).collect();
    for number in 0..3 {
        let said = format!("{} the end {number}", text.join(" "));
        let text = session_text(
            &format!("s{number}"),
            &[(&format!("u{number}"), "user", &said), (&format!("r{number}"), "assistant", "ok")],
        );
        store.write(&format!("{number}.jsonl"), text.as_bytes());
    }
    let with = |dedupe| ExtractOptions {
        quality: Quality { dedupe, ..Quality::default() },
        ..options(store.root())
    };
    assert_eq!(store.run(&with(Dedupe::Mark)).samples, 3);
    let marked = store.lines("duplicates.jsonl");
    assert_eq!(marked.len(), 3);
    assert!(marked.iter().all(|line| line["cluster"] == marked[0]["cluster"]), "{marked:?}");
    assert_eq!(store.run(&with(Dedupe::Drop)).samples, 1);
    assert!(!store.out().join("duplicates.jsonl").exists(), "of the run before");
}
