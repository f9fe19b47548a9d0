//! What a sample says of itself: an id of its own, and the model that spoke in it.

use std::collections::{BTreeMap, BTreeSet};

use pitree_extract::{Dedupe, ExtractOptions, Quality, Unit};
use serde_json::Value;

use crate::runs::common::{Store, entry_text, options, session_text};

const UNITS: [Unit; 3] = [Unit::Path, Unit::Turn, Unit::Request];

/// The ids of all samples, each once.
fn ids(store: &Store) -> BTreeSet<String> {
    let lines = store.lines("data.jsonl");
    let id = |line: &Value| line["metadata"]["sampleId"].as_str().unwrap().to_owned();
    let ids: BTreeSet<String> = lines.iter().map(id).collect();
    assert_eq!(ids.len(), lines.len(), "an id stands twice");
    ids
}

#[test]
fn samples_of_files_with_one_session_id_have_ids_of_their_own() {
    let words: Vec<String> = (0..80).map(|at| format!("word{}", at * 7)).collect();
    let (first, second) = (words.join(" "), "and then?");
    let store = Store::empty();
    // Two states of a session, and one that was copied and went on in another way.
    let said = [("e1", "user", &*first), ("e2", "assistant", "yes"), ("e3", "user", second)];
    let ends = ["this", "that", "neither"];
    for (at, end) in ends.iter().enumerate() {
        let mut said = said.to_vec();
        said[1].2 = end;
        let last = [("e4", "assistant", *end)];
        said.extend(if at == 0 { &[][..] } else { &last });
        store.write(&format!("{at}.jsonl"), session_text("s", &said).as_bytes());
    }
    store.write("other.jsonl", session_text("t", &said).as_bytes());
    for unit in UNITS {
        let quality = Quality { dedupe: Dedupe::Mark, ..Quality::default() };
        let mut options = ExtractOptions { quality, ..options(store.root()) };
        options.form.samples.selection.unit = unit;
        let _ = store.run(&options);
        let given = ids(&store);
        let of_other: Vec<&String> = given.iter().filter(|id| id.starts_with("t:")).collect();
        assert!(of_other.iter().all(|id| !id.contains('~')), "{of_other:?}");
        for line in store.lines("duplicates.jsonl") {
            for member in ["id", "cluster"] {
                assert!(given.contains(line[member].as_str().unwrap()), "{unit:?}: {line}");
            }
        }
        // Always the same.
        let _ = store.run(&options);
        assert_eq!(ids(&store), given);
    }
}

#[test]
fn entries_of_one_id_give_samples_of_different_ids() {
    let store = Store::empty();
    let mut text = session_text("s", &[("e1", "user", "go"), ("e2", "assistant", "one")]);
    text += &entry_text("e3", "\"e2\"", "user", "more");
    text += &entry_text("e2", "\"e3\"", "assistant", "two");
    store.write("s.jsonl", text.as_bytes());
    for unit in UNITS {
        let mut options = options(store.root());
        options.form.samples.selection.unit = unit;
        let _ = store.run(&options);
        let _ = ids(&store);
    }
}

#[test]
fn a_sample_names_the_model_that_spoke_in_it() {
    let store = Store::empty();
    let text = session_text("s", &[("e1", "user", "go"), ("e2", "assistant", "one")]);
    let second = entry_text("e4", "\"e3\"", "assistant", "two");
    let text = text
        + &entry_text("e3", "\"e2\"", "user", "more")
        + &second.replace("claude", "other").replace("\"anthropic\"", "\"elsewhere\"");
    store.write("s.jsonl", text.as_bytes());
    let mut options = options(store.root());
    options.form.samples.selection.unit = Unit::Request;
    let _ = store.run(&options);
    let told: BTreeMap<String, Value> = store
        .lines("data.jsonl")
        .iter()
        .map(|line| (line["completion"][0]["content"].to_string(), line["metadata"].clone()))
        .collect();
    assert_eq!(told["\"one\""]["model"], "claude");
    assert_eq!(told["\"one\""]["provider"], "anthropic");
    assert_eq!(told["\"two\""]["model"], "other");
    assert_eq!(told["\"two\""]["provider"], "elsewhere");
}
