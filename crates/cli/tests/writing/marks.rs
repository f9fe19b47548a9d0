//! `name` and `label`.

use std::path::PathBuf;

use serde_json::json;

use crate::common::{BRANCHED, Print, Sandbox, last_line, lines};

fn branched() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    (sandbox, path)
}

#[test]
fn a_session_without_a_name_has_nothing_to_show() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let run = sandbox.run(["name", "../s.jsonl"]).exits(1);
    assert_eq!(run.stdout, "");
    assert_eq!(sandbox.run(["name", "../s.jsonl", "--json"]).json(), json!({"name": null}));
    assert_eq!(Print::of(&path), before);
}

#[test]
fn a_name_is_set_shown_and_cleared() {
    let (sandbox, path) = branched();
    assert_eq!(sandbox.run(["name", "../s.jsonl", "Old"]).ok().line(), "Old");
    assert_eq!(sandbox.run(["name", "../s.jsonl", " a\r\nb "]).ok().line(), "a b");
    assert_eq!(last_line(&path)["name"], "a b");
    assert_eq!(sandbox.run(["name", "../s.jsonl"]).ok().line(), "a b");
    let _ = sandbox.run(["name", "../s.jsonl", ""]).ok();
    assert_eq!(last_line(&path)["name"], "");
    let _ = sandbox.run(["name", "../s.jsonl"]).exits(1);
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(BRANCHED));
}

#[test]
fn a_name_cannot_harm_the_terminal() {
    let (sandbox, _) = branched();
    let run = sandbox.run(["name", "../s.jsonl", "\u{1b}[31mred\u{7}"]).ok();
    assert_eq!(run.line(), "\u{fffd}[31mred\u{fffd}");
}

#[test]
fn a_label_is_set_and_cleared() {
    let (sandbox, path) = branched();
    let set = sandbox.run(["label", "../s.jsonl", "bbbb", "checkpoint", "--json"]).ok().json();
    let last = last_line(&path);
    assert_eq!(last["type"], "label");
    assert_eq!(last["targetId"], "bbbb0001");
    assert_eq!(last["label"], "checkpoint");
    assert_eq!(last["parentId"], "dddd0002", "a label is an entry below the leaf");
    let id = &last["id"];
    assert_eq!(set, json!({"id": id, "targetId": "bbbb0001", "label": "checkpoint"}));
    let tree = sandbox.run(["tree", "../s.jsonl"]).ok();
    assert!(tree.stdout.contains("bbbb0001 [checkpoint] assistant"), "{tree:?}");

    // Without a text it is shown, as a name is, and nothing is written.
    let before = Print::of(&path);
    assert_eq!(sandbox.run(["label", "../s.jsonl", "bbbb"]).ok().line(), "checkpoint");
    let shown = sandbox.run(["label", "../s.jsonl", "bbbb", "--json"]).ok().json();
    assert_eq!(shown, json!({"targetId": "bbbb0001", "label": "checkpoint"}));
    let none = sandbox.run(["label", "../s.jsonl", "aaaa"]).exits(1);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "aaaa0001 has no label\n"));
    let _ = sandbox.run(["label", "../s.jsonl", "bbbb", "x", "--clear"]).exits(2);
    assert_eq!(Print::of(&path), before);

    let _ = sandbox.run(["label", "../s.jsonl", "bbbb", "--clear"]).ok();
    assert_eq!(last_line(&path).get("label"), None, "no member at all clears it");
    let tree = sandbox.run(["tree", "../s.jsonl"]).ok();
    assert!(!tree.stdout.contains("checkpoint"), "{tree:?}");
    assert_eq!(lines(&path).len(), BRANCHED.lines().count() + 2);

    // There is nothing left to clear.
    let before = Print::of(&path);
    for clear in ["--clear", ""] {
        let run = sandbox.run(["label", "../s.jsonl", "bbbb", clear]).ok();
        assert_eq!(run.stderr, "bbbb0001 has no label\n");
    }
    let none = sandbox.run(["label", "../s.jsonl", "bbbb", "--clear", "--json"]).ok().json();
    assert_eq!(none, json!({"id": null, "targetId": "bbbb0001", "label": null}));
    assert_eq!(Print::of(&path), before);
    let _ = sandbox.run(["label", "../s.jsonl", "bbbb", "again"]).ok();
    let _ = sandbox.run(["label", "../s.jsonl", "bbbb", ""]).ok();
    assert_eq!(last_line(&path).get("label"), None, "an empty text clears it too");
}

#[test]
fn an_entry_that_is_not_there_gets_no_label() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let run = sandbox.run(["label", "../s.jsonl", "eeee", "x"]).exits(1);
    assert!(run.stderr.contains("No entry of this session has the id `eeee`"), "{run:?}");
    assert_eq!(Print::of(&path), before);
}

#[test]
fn the_tree_shows_where_a_named_session_stands() {
    let (sandbox, _) = branched();
    let stands = |sandbox: &Sandbox| {
        let tree = sandbox.run(["tree", "../s.jsonl"]).ok().stdout;
        let marked: Vec<String> = tree
            .lines()
            .filter(|line| line.ends_with("← current"))
            .map(|line| line.split_whitespace().find(|word| word.len() == 8).unwrap().to_owned())
            .collect();
        marked
    };
    assert_eq!(stands(&sandbox), ["dddd0002"]);
    let _ = sandbox.run(["name", "../s.jsonl", "A name"]).ok();
    assert_eq!(stands(&sandbox), ["dddd0002"], "the entry that holds the name is hidden");
}
