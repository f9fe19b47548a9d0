//! Replies that are cut off or split: each good one is learned once and counted once.

use pitree_extract::{
    Dedupe, ExtractOptions, FormatName, FormatOptions, Quality, Reasoning, Selection, Unit, run,
};
use serde_json::{Value, json};

use crate::runs::common::{Store, entry_text, environment, options, session_text, sources};

fn with_form(store: &Store, form: FormatOptions) -> ExtractOptions {
    let quality = Quality { dedupe: Dedupe::Off, ..Quality::default() };
    ExtractOptions { form, quality, ..options(store.root()) }
}

fn card(store: &Store) -> Value {
    serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap()
}

#[test]
fn a_turn_goes_on_behind_a_reply_that_was_cut_off() {
    let store = Store::empty();
    let mut text = session_text("s", &[("q", "user", "go"), ("a1", "assistant", "first")]);
    let cut = entry_text("a2", "\"a1\"", "assistant", "cut");
    text.push_str(&cut.replace(r#""stopReason":"stop""#, r#""stopReason":"length""#));
    text.push_str(&entry_text("a3", "\"a2\"", "assistant", "third"));
    text.push_str(&entry_text("a4", "\"a3\"", "assistant", "fourth"));
    store.write("s.jsonl", text.as_bytes());
    let selection = Selection { unit: Unit::Turn, ..Selection::default() };
    let form = FormatOptions { samples: selection.into(), ..FormatOptions::default() };
    let options = with_form(&store, form);
    let chat = FormatName::Chat.prepare(&options.form);
    run(&sources(store.root()), &*chat, &options, &store.out(), &environment()).unwrap();
    let said = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    };
    let rows: Vec<_> = store
        .lines("data.jsonl")
        .iter()
        .map(|row| (said(&row["prompt"]), said(&row["completion"])))
        .collect();
    let words = |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
    let first = (words(&["go"]), words(&["first"]));
    let second = (words(&["go", "first", "cut"]), words(&["third", "fourth"]));
    assert_eq!(rows, [first, second]);
    assert_eq!(card(&store)["leftOut"], json!({}));
}

/// A session whose replies think, speak and call, and a fork of it.
fn speaking_store() -> Store {
    let store = Store::empty();
    let blocks = r#""content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"c","name":"bash","arguments":{}},"#;
    let both = entry_text("a1", "\"q\"", "assistant", "said").replace(r#""content":["#, blocks);
    let text = session_text("s1", &[("q", "user", "go")]) + &both;
    let text = text + &entry_text("a2", "\"a1\"", "assistant", "done");
    store.write("a.jsonl", text.as_bytes());
    let fork = text.replace("\"id\":\"s1\"", "\"id\":\"s2\"");
    let fork = fork + &entry_text("a3", "\"a2\"", "assistant", "and more");
    store.write("b.jsonl", fork.as_bytes());
    store
}

#[test]
fn a_reply_that_is_split_counts_and_is_learned_once() {
    let store = speaking_store();
    let with = |reasoning| {
        let form = FormatOptions { reasoning, ..FormatOptions::default() };
        let options = with_form(&store, form);
        store.run(&options);
        let lines = store.lines("data.jsonl");
        let trained = |it: &&Value| it["role"] == "assistant" && it["train"] != false;
        let count =
            |row: &Value| row["messages"].as_array().unwrap().iter().filter(trained).count();
        (card(&store), lines.iter().map(count).collect::<Vec<_>>())
    };
    let (kept, counts) = with(Reasoning::Keep);
    assert_eq!(counts, [2, 1]);
    let (split, counts) = with(Reasoning::Split);
    assert_eq!(counts, [3, 1], "both halves are learned, and neither of them again in the fork");
    for member in ["messages", "models", "spendUsd", "roles"] {
        assert_eq!(kept[member], split[member], "{member}");
    }
    assert_eq!(kept["tokens"]["recorded"], split["tokens"]["recorded"]);
    // And what lora_forge is told of the cost of its turns.
    let usage = |reasoning| {
        let options = with_form(&store, FormatOptions { reasoning, ..FormatOptions::default() });
        let form = FormatName::LoraForge.prepare(&options.form);
        run(&sources(store.root()), &*form, &options, &store.out(), &environment()).unwrap();
        store.lines("data.jsonl")[0]["metadata"]["usage"].clone()
    };
    assert_eq!(usage(Reasoning::Keep), usage(Reasoning::Split));
}
