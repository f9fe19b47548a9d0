//! Pairs of replies: which are made, which are not, and that TRL takes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use pitree_extract::{Dedupe, FormatName, Source, run};
use pitree_format::Value as JsValue;
use pitree_testkit::{Consumers, Rng, seed};
use serde_json::{Value, json};

use crate::formats::consumers::script;
use crate::formats::store::{Store, entry_text, environment, options, session_text, sources};

fn extract(store: &Store, outcomes: &[(&str, JsValue)]) -> (Vec<Value>, Value) {
    let outcomes: BTreeMap<String, JsValue> =
        outcomes.iter().map(|(id, outcome)| ((*id).to_owned(), outcome.clone())).collect();
    let sources: Vec<Source> = sources(store.root())
        .into_iter()
        .map(|mut source| {
            Arc::make_mut(&mut source.about).entry_outcomes.clone_from(&outcomes);
            source
        })
        .collect();
    let mut options = options(store.root());
    options.quality.dedupe = Dedupe::Off;
    let form = FormatName::Preference.prepare(&options.form);
    run(&sources, &*form, &options, &store.out(), &environment()).unwrap();
    let card = fs_err::read(store.out().join("card.json")).unwrap();
    (store.lines("data.jsonl"), serde_json::from_slice(&card).unwrap())
}

/// A question that was answered three times, and the user went on with the third answer. Then a
/// prompt that was changed, and one that was sent again.
fn tree() -> Store {
    let store = Store::empty();
    let mut text = session_text("s1", &[("q", "user", "two plus two?"), ("a1", "assistant", "5")]);
    for (id, parent, role, said) in [
        ("a2", "q", "assistant", "four, I think"),
        ("a3", "q", "assistant", "4"),
        ("q2", "a3", "user", "and three?"),
        ("b1", "q2", "assistant", "no idea"),
        ("q3", "a3", "user", "and three plus three?"),
        ("b2", "q3", "assistant", "7"),
        ("q4", "a3", "user", "and three plus three?"),
        ("b3", "q4", "assistant", "6"),
    ] {
        text.push_str(&entry_text(id, &format!("\"{parent}\""), role, said));
    }
    store.write("a.jsonl", text.as_bytes());
    store
}

fn said(message: &Value) -> &str {
    message["content"].as_str().unwrap()
}

#[test]
fn replies_to_the_same_context_are_pairs() {
    let (rows, card) = extract(&tree(), &[]);
    let pairs: Vec<(usize, &str, &str)> = rows
        .iter()
        .map(|row| {
            let prompt = row["prompt"].as_array().unwrap();
            (prompt.len(), said(&row["chosen"][0]), said(&row["rejected"][0]))
        })
        .collect();
    assert_eq!(pairs, [(1, "4", "5"), (1, "4", "four, I think"), (3, "6", "7")]);
    let last = rows.last().unwrap();
    assert_eq!(said(&last["prompt"][2]), "and three plus three?");
    assert_eq!(last["metadata"]["sampleId"], "s1:b3:b2");
    assert_eq!(last["metadata"]["chosenId"], "b3");
    assert_eq!(last["metadata"]["rejectedId"], "b2");
    assert_eq!(last["metadata"]["chosenBy"], "active");
    // The prompt that was changed is counted, not paired.
    assert_eq!(card["leftOut"], json!({ "other-prompt": 1 }));
}

#[test]
fn outcomes_choose_where_they_speak_of_both() {
    let good = JsValue::from("passed");
    let bad = JsValue::from(0.0);
    let chosen = |outcomes: &[(&str, JsValue)]| -> Vec<String> {
        let (rows, _) = extract(&tree(), outcomes);
        rows.iter().map(|row| said(&row["chosen"][0]).to_owned()).collect()
    };
    assert_eq!(chosen(&[("b2", good.clone()), ("b3", bad.clone())]), ["4", "4", "7"]);
    assert_eq!(chosen(&[("b2", good.clone())]), ["4", "4", "6"]);
    assert_eq!(chosen(&[("a1", good), ("b3", bad)]), ["5", "4", "6"]);
}

/// A tree of few words, in which much is said twice. Entry `n` is called `e<n>`.
fn random_tree(seed: u64) -> (String, Vec<RandomEntry>) {
    let mut rng = Rng::new(seed);
    let mut entries: Vec<RandomEntry> = Vec::new();
    let mut text = session_text("s1", &[]);
    for at in 0..rng.between(5, 40) {
        let parent = if at == 0 { None } else { Some(at - 1 - rng.below(at.min(6))) };
        let is_reply = parent.is_some_and(|parent: usize| !entries[parent].is_reply)
            || parent.is_some() && rng.chance(20);
        let said = rng.pick(&["a", "b"]).to_owned();
        let role = if is_reply { "assistant" } else { "user" };
        let parent_id = parent.map_or("null".to_owned(), |parent| format!("\"e{parent}\""));
        let mut line = entry_text(&format!("e{at}"), &parent_id, role, &said);
        let is_failed = is_reply && rng.chance(25);
        if is_failed {
            line = line.replace(r#""stopReason":"stop""#, r#""stopReason":"error""#);
        }
        text.push_str(&line);
        entries.push(RandomEntry { parent, is_reply, is_failed, said });
    }
    (text, entries)
}

struct RandomEntry {
    parent: Option<usize>,
    is_reply: bool,
    /// It is not sent on.
    is_failed: bool,
    said: String,
}

/// What was said before an entry, and the last reply among it.
fn before(entries: &[RandomEntry], at: usize) -> (Vec<(bool, &str)>, Option<usize>) {
    let above: Vec<usize> = std::iter::successors(entries[at].parent, |&at| entries[at].parent)
        .filter(|&at| !entries[at].is_failed)
        .collect();
    let said = above.iter().map(|&at| (entries[at].is_reply, entries[at].said.as_str())).collect();
    (said, above.into_iter().find(|&at| entries[at].is_reply))
}

#[test]
fn all_pairs_of_random_trees_are_found_and_no_others() {
    let mut total = 0;
    for seed in seed()..seed() + 60 {
        let (text, entries) = random_tree(seed);
        let last = entries.len() - 1;
        let active: Vec<usize> =
            std::iter::successors(Some(last), |&at| entries[at].parent).collect();
        let mut expected = Vec::new();
        let is_answer = |at: usize| entries[at].is_reply && !entries[at].is_failed;
        for &one in active.iter().filter(|&&at| is_answer(at)) {
            for other in (0..entries.len()).filter(|&at| is_answer(at)) {
                let same_place = before(&entries, one) == before(&entries, other);
                if same_place && entries[one].said != entries[other].said {
                    expected.push((format!("e{one}"), format!("e{other}")));
                }
            }
        }
        let store = Store::empty();
        store.write("a.jsonl", text.as_bytes());
        let (rows, _) = extract(&store, &[]);
        let id = |row: &Value, name: &str| row["metadata"][name].as_str().unwrap().to_owned();
        let mut found: Vec<_> =
            rows.iter().map(|row| (id(row, "chosenId"), id(row, "rejectedId"))).collect();
        total += found.len();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "seed {seed}:\n{text}");
    }
    assert!(total > 20, "only {total} pairs");
}

/// A session in which each entry names its parent.
fn given(entries: &[(&str, &str, &str, &str)]) -> String {
    let mut text = session_text("s1", &[]);
    for (id, parent, role, said) in entries {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        text.push_str(&entry_text(id, &parent, role, said));
    }
    text
}

fn pairs_of(store: &Store, outcomes: &[(&str, JsValue)]) -> (Vec<(String, String)>, Value) {
    let (rows, card) = extract(store, outcomes);
    let id = |row: &Value, name: &str| row["metadata"][name].as_str().unwrap().to_owned();
    let pairs = rows.iter().map(|row| (id(row, "chosenId"), id(row, "rejectedId"))).collect();
    (pairs, card["leftOut"].clone())
}

fn pair(chosen: &str, rejected: &str) -> (String, String) {
    (chosen.to_owned(), rejected.to_owned())
}

#[test]
fn what_is_not_sent_may_stand_between_siblings() {
    // A try that failed and was taken out of the context, and a command that is kept from the model.
    let mut text = given(&[("q", "", "user", "one"), ("a1", "q", "assistant", "left")]);
    let failed = entry_text("a2", "\"q\"", "assistant", "broken");
    text.push_str(&failed.replace(r#""stopReason":"stop""#, r#""stopReason":"error""#));
    text.push_str(concat!(
        r#"{"type":"context_edit","id":"x","parentId":"a2","timestamp":"2026-11-15T06:53:15.000Z","targetId":"a2","replacement":null}"#,
        "\n"
    ));
    text.push_str(&entry_text("a3", "\"x\"", "assistant", "active"));
    text.push_str(&entry_text("q2", "\"a3\"", "user", "two"));
    text.push_str(&entry_text("b1", "\"q2\"", "assistant", "left too"));
    text.push_str(concat!(
        r#"{"type":"message","id":"c","parentId":"a3","timestamp":"2026-11-15T06:53:15.000Z","message":{"role":"bashExecution","command":"ls","output":"x","exitCode":0,"cancelled":false,"truncated":false,"excludeFromContext":true,"timestamp":1}}"#,
        "\n"
    ));
    text.push_str(&entry_text("q3", "\"c\"", "user", "two"));
    text.push_str(&entry_text("b2", "\"q3\"", "assistant", "active too"));
    let store = Store::empty();
    store.write("a.jsonl", text.as_bytes());
    let (pairs, left_out) = pairs_of(&store, &[]);
    assert_eq!(pairs, [pair("a3", "a1"), pair("b2", "b1")]);
    assert_eq!(left_out, json!({}));
}

#[test]
fn on_branches_that_were_left_only_outcomes_choose() {
    let store = Store::empty();
    let text = given(&[
        ("q", "", "user", "one"),
        ("a1", "q", "assistant", "left"),
        ("q2", "a1", "user", "two"),
        ("b1", "q2", "assistant", "worse"),
        ("b2", "q2", "assistant", "better"),
        ("b3", "q2", "assistant", "who knows"),
        ("a2", "q", "assistant", "active"),
    ]);
    store.write("a.jsonl", text.as_bytes());
    let no_choice = "no-preference";
    assert_eq!(pairs_of(&store, &[]), (vec![pair("a2", "a1")], json!({ no_choice: 2 })));
    let outcomes = [("b1", JsValue::from(0.0)), ("b2", JsValue::from("passed"))];
    let (pairs, left_out) = pairs_of(&store, &outcomes);
    assert_eq!(pairs, [pair("a2", "a1"), pair("b2", "b1")]);
    assert_eq!(left_out, json!({ no_choice: 1 }));
}

#[test]
fn replies_that_differ_in_what_is_dropped_are_no_pair() {
    let store = Store::empty();
    let thinking = |id: &str, thought: &str| {
        let block = format!(r#""content":[{{"type":"thinking","thinking":"{thought}"}},"#);
        entry_text(id, "\"q\"", "assistant", "same").replace(r#""content":["#, &block)
    };
    let text = given(&[("q", "", "user", "one")]) + &thinking("a1", "hm") + &thinking("a2", "so");
    store.write("a.jsonl", text.as_bytes());
    assert_eq!(pairs_of(&store, &[]).0, [pair("a2", "a1")]);
    let mut options = options(store.root());
    options.form.reasoning = pitree_extract::Reasoning::Drop;
    let form = FormatName::Preference.prepare(&options.form);
    run(&sources(store.root()), &*form, &options, &store.out(), &environment()).unwrap();
    assert_eq!(store.lines("data.jsonl").len(), 0);
    let card: Value =
        serde_json::from_slice(&fs_err::read(store.out().join("card.json")).unwrap()).unwrap();
    assert_eq!(card["leftOut"], json!({ "same-reply": 1 }));
}

#[test]
fn a_fork_keeps_the_pairs_that_are_its_own() {
    let shared = [
        ("q", "", "user", "one"),
        ("a1", "q", "assistant", "left"),
        ("a2", "q", "assistant", "active"),
    ];
    let store = Store::empty();
    store.write("a.jsonl", given(&shared).as_bytes());
    let mut fork = given(&shared[..2]).replace("\"id\":\"s1\"", "\"id\":\"s2\"");
    for (id, said) in [("a3", "left in the fork"), ("a2", "active")] {
        fork.push_str(&entry_text(id, "\"q\"", "assistant", said));
    }
    store.write("b.jsonl", fork.as_bytes());
    let (mut pairs, _) = pairs_of(&store, &[]);
    pairs.sort();
    assert_eq!(pairs, [pair("a2", "a1"), pair("a2", "a3")], "each one once");
}

#[test]
fn trl_takes_pairs() {
    let Some(consumers) = Consumers::find("trl_takes_pairs") else { return };
    let store = tree();
    for seed in 0..40 {
        store.write(&format!("{seed}.jsonl"), random_tree(seed).0.as_bytes());
    }
    extract(&store, &[]);
    let rows = store.out().join("data.jsonl");
    println!("{}", consumers.run(&script("preference.py"), [&rows], b"").unwrap());
}
