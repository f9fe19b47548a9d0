//! What both sides are told to do.

use pitree_testkit::Rng;
use serde_json::{Value, json};

/// A small session with two branches.
pub(crate) const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"first","timestamp":"2026-02-03T22:52:06.410Z","cwd":"PROJECT"}"#,
    "\n",
    r#"{"type":"model_change","id":"m0000001","parentId":null,"timestamp":"2026-02-03T22:52:06.410Z","provider":"anthropic","modelId":"claude-sonnet-4-5"}"#,
    "\n",
    r#"{"type":"thinking_level_change","id":"m0000002","parentId":"m0000001","timestamp":"2026-02-03T22:52:06.411Z","thinkingLevel":"medium"}"#,
    "\n",
    r#"{"type":"message","id":"u0000001","parentId":"m0000002","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"How do I read "},{"type":"text","text":"a file?"}],"timestamp":1770159127000}}"#,
    "\n",
    r#"{"type":"message","id":"a0000001","parentId":"u0000001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"With fs_err::read, whose errors name the file."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1770159128000}}"#,
    "\n",
    r#"{"type":"custom_message","customType":"note","content":"The build is green.","display":true,"id":"c0000001","parentId":"a0000001","timestamp":"2026-02-03T22:52:08.500Z"}"#,
    "\n",
    r#"{"type":"message","id":"u0000002","parentId":"c0000001","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"user","content":"And how do I write one, so that nothing is lost?","timestamp":1770159129000}}"#,
    "\n",
    r#"{"type":"message","id":"a0000002","parentId":"u0000002","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Write to a temporary file, flush it and rename it to its name."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":30,"output":15,"cacheRead":0,"cacheWrite":0,"totalTokens":45,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1770159130000}}"#,
    "\n",
    r#"{"type":"message","id":"u0000003","parentId":"a0000001","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"user","content":"Is there a shorter way?","timestamp":1770159131000}}"#,
    "\n",
);

/// One step. Entries are named by their place in the file, which both sides share.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Name(&'static str),
    Goto {
        entry: usize,
        options: Value,
    },
    GotoUnknown,
    Compact(Option<&'static str>),
    Fork(usize),
    ForkUnknown,
    Clone,
    New {
        parent: Option<&'static str>,
    },
    /// A file in the folder of sessions.
    Switch(&'static str),
    /// How observers answer from now on.
    Answers(Value),
}

/// Every operation, with every answer that observers can give.
pub(crate) fn tour() -> Vec<Step> {
    use Step::*;
    let summary = json!({ "summary": { "summary": "They asked for a shorter way.", "details": { "own": 1 } } });
    let compaction = json!({ "compaction": { "summary": "Files were discussed.", "tokensBefore": 5, "details": { "own": [1] } } });
    vec![
        Name(" a\r\n name "),
        Name("  "),
        Goto { entry: 2, options: json!({}) },
        Goto { entry: 2, options: json!({ "label": "begin" }) },
        Goto { entry: 6, options: json!({ "label": "kept" }) },
        Goto { entry: 6, options: json!({}) },
        GotoUnknown,
        Goto { entry: 4, options: json!({}) },
        Answers(json!({ "session_before_tree": { "cancel": true } })),
        Goto { entry: 6, options: json!({ "summarize": true }) },
        Answers(json!({ "session_before_tree": { "label": "by the extension" } })),
        Goto { entry: 6, options: json!({ "label": "by the user" }) },
        Answers(json!({ "session_before_tree": summary })),
        Goto {
            entry: 7,
            options: json!({ "summarize": true, "customInstructions": "short", "replaceInstructions": true, "label": "left" }),
        },
        Goto { entry: 6, options: json!({}) },
        Answers(json!({ "session_before_compact": { "cancel": true } })),
        Compact(Some("files")),
        Answers(json!({ "session_before_compact": compaction })),
        Compact(Some("files")),
        Compact(None),
        Answers(json!({})),
        Fork(5),
        Clone,
        ForkUnknown,
        Fork(0),
        New { parent: None },
        Compact(None),
        Clone,
        Goto { entry: 0, options: json!({}) },
        New { parent: Some("/srv/parent.jsonl") },
        Answers(
            json!({ "session_before_switch": { "cancel": true }, "session_before_fork": { "cancel": true } }),
        ),
        New { parent: None },
        Switch("first.jsonl"),
        Switch("broken.jsonl"),
        Clone,
        Fork(2),
        Answers(json!({})),
        Switch("first.jsonl"),
        Fork(2),
        Switch("missing.jsonl"),
        Switch("broken.jsonl"),
        Switch("first.jsonl"),
        Fork(7),
        Name("fork"),
    ]
}

/// Random steps from a seed.
pub(crate) fn steps(seed: u64, count: usize) -> Vec<Step> {
    let mut rng = Rng::new(seed);
    let first = Step::Answers(answers(&mut rng));
    std::iter::once(first).chain((0..count).map(|_| step(&mut rng))).collect()
}

/// Whoever wants a summary needs an observer that gives one: the models here are not real.
fn answers(rng: &mut Rng) -> Value {
    let mut answers = json!({
        "session_before_tree": { "summary": { "summary": "left" } },
        "session_before_compact": { "compaction": { "summary": "before", "tokensBefore": 7 } },
    });
    for event in ["tree", "compact", "switch", "fork"] {
        if rng.chance(15) {
            answers[format!("session_before_{event}")] = json!({ "cancel": true });
        }
    }
    answers
}

fn step(rng: &mut Rng) -> Step {
    match rng.below(12) {
        0 => Step::Name(rng.pick(&["one", "two\nlines", " ", "😀 ende"])),
        1..=3 => {
            let mut options = json!({});
            if rng.chance(30) {
                options["label"] = json!(rng.pick(&["x", "y", ""]));
            }
            if rng.chance(30) {
                options["summarize"] = json!(true);
            }
            Step::Goto { entry: rng.below(12), options }
        }
        4 => Step::Compact(rng.pick(&[None, Some("look at files")])),
        5 | 6 => Step::Fork(rng.below(12)),
        7 => Step::Clone,
        8 => Step::New { parent: rng.pick(&[None, Some("/srv/parent.jsonl")]) },
        9 | 10 => {
            Step::Switch(rng.pick(&["first.jsonl", "first.jsonl", "new.jsonl", "broken.jsonl"]))
        }
        _ => Step::Answers(answers(rng)),
    }
}
