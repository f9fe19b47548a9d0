//! Sessions in which much is done: files read and written, large outputs, answers that failed and
//! were taken out again. What compactions and branch summaries are made from.

use super::compaction;
use super::conversation::{begin, go_back, turn};
use super::entries::{aside, effective_edit, user_message};
use super::messages::{PendingCall, new_call, sometimes, text_block, usage};
use super::text::{some_text, word};
use super::tree::{Draft, Tree};
use crate::json::{Json, Object, boolean, int, null, raw, string};
use crate::rng::Rng;

/// Paths of which some sort otherwise in UTF-16 than in UTF-8, and some are none.
const PATHS: [&str; 10] = [
    "src/main.rs",
    "src/lib.rs",
    "src/Zeta.rs",
    "src/\u{e000}.rs",
    "src/🦀.rs",
    "src/日本語.rs",
    "README.md",
    "a b/c.txt",
    "",
    "src/main.rs ",
];
const TOOLS: [&str; 6] = ["read", "read", "write", "edit", "bash", "codemode"];

/// Grows a session of version 3.
pub(crate) fn grow(rng: &mut Rng) -> Tree {
    let mut tree = Tree::new(rng);
    begin(rng, &mut tree);
    for _ in 0..rng.below(13) {
        match rng.below(100) {
            0..=5 => {
                compaction::append(rng, &mut tree);
            }
            // The second one often keeps the first one in its range.
            6..=9 => {
                compaction::append(rng, &mut tree);
                if rng.chance(50) {
                    working_turn(rng, &mut tree);
                } else {
                    failed_attempt(rng, &mut tree);
                }
                compaction::append(rng, &mut tree);
            }
            10..=21 => go_back(rng, &mut tree),
            22..=41 => {
                let draft = aside(rng, &tree);
                tree.append(rng, draft);
            }
            42..=49 => {
                if let Some(draft) = effective_edit(rng, &tree) {
                    tree.append(rng, draft);
                }
            }
            50..=59 => turn(rng, &mut tree),
            _ => {}
        }
        working_turn(rng, &mut tree);
    }
    ending(rng, &mut tree);
    tree
}

/// A request and the tool calls that it takes.
fn working_turn(rng: &mut Rng, tree: &mut Tree) {
    let draft = user_message(rng, tree);
    tree.append(rng, draft);
    for _ in 0..rng.below(4) {
        round(rng, tree, 20);
    }
    if rng.chance(80) {
        let draft = answer(rng, tree, &[], "stop");
        tree.append(rng, draft);
    }
}

/// One answer with calls and their results; so many in a hundred results are large.
fn round(rng: &mut Rng, tree: &mut Tree, large: usize) -> Vec<usize> {
    let calls: Vec<_> = (0..rng.between(1, 3)).map(|_| call(rng)).collect();
    let draft = answer(rng, tree, &calls, "toolUse");
    let mut places = vec![tree.append(rng, draft)];
    for call in &calls {
        let draft = result(rng, tree, call, large);
        places.push(tree.append(rng, draft));
    }
    places
}

fn call(rng: &mut Rng) -> PendingCall {
    PendingCall { tool: rng.pick(&TOOLS), ..new_call(rng) }
}

fn arguments(rng: &mut Rng) -> Object {
    let path = match rng.below(20) {
        0 => None,
        1 => Some(int(7)),
        _ => Some(string(rng.pick(&PATHS))),
    };
    Object::new()
        .with_option("path", path)
        .with_option("content", sometimes!(rng, 40, some_text(rng)))
        .with_option("10", sometimes!(rng, 5, boolean(true)))
}

fn answer(rng: &mut Rng, tree: &Tree, calls: &[PendingCall], stop: &str) -> Draft {
    let mut blocks = Vec::new();
    if calls.is_empty() || rng.chance(50) {
        blocks.push(text_block(rng));
    }
    for call in calls {
        let block = Object::typed("toolCall")
            .with("id", string(&call.id))
            .with("name", string(call.tool))
            .with("arguments", arguments(rng));
        blocks.push(block.into());
    }
    let message = Object::new()
        .with("role", string("assistant"))
        .with("content", Json::List(blocks))
        .with("api", string("openai-completions"))
        .with("provider", string("local"))
        .with("model", string("qwen3"))
        .with_option("usage", sometimes!(rng, 60, full_or_partial_usage(rng)))
        .with("stopReason", string(stop))
        .with("timestamp", int(tree.now()));
    Draft::message("assistant", message)
}

/// Now and then a usage lacks the parts that a total is reckoned from.
fn full_or_partial_usage(rng: &mut Rng) -> Json {
    if rng.chance(90) {
        return usage(rng);
    }
    let input = int(rng.below(5000) as i64);
    Object::new().with("input", input).with_option("output", sometimes!(rng, 50, int(7))).into()
}

fn result(rng: &mut Rng, tree: &Tree, call: &PendingCall, large: usize) -> Draft {
    let output = if rng.chance(large) {
        let piece = rng.pick(&["line of output\\n", "日本", "🦀x", "\\\"q\\\" "]);
        raw(format!("\"{}\"", piece.repeat(rng.between(100, 900))))
    } else {
        some_text(rng)
    };
    let block = Object::typed("text").with("text", output);
    let nested = (call.tool == "codemode").then(|| nested_calls(rng));
    let message = Object::new()
        .with("role", string("toolResult"))
        .with("toolCallId", string(&call.id))
        .with("toolName", string(call.tool))
        .with("content", Json::List(vec![block.into()]))
        .with_option("nestedCalls", nested)
        .with("isError", boolean(rng.chance(10)))
        .with("timestamp", int(tree.now()));
    Draft::message("toolResult", message)
}

fn nested_calls(rng: &mut Rng) -> Json {
    let calls = (0..rng.below(4)).map(|_| {
        let call = Object::new()
            .with("id", string(&rng.hex(6)))
            .with("name", string(rng.pick(&TOOLS)))
            .with_option("arguments", sometimes!(rng, 80, arguments(rng)))
            .with("status", string(rng.pick(&["ok", "error", "unfinished"])));
        call.into()
    });
    let calls: Vec<Json> = calls.collect();
    Object::new().with("calls", Json::List(calls)).with("complete", boolean(true)).into()
}

/// What a session ends with decides where it can be cut.
fn ending(rng: &mut Rng, tree: &mut Tree) {
    match rng.below(10) {
        0..=2 => {
            // Outputs larger than what is to be kept.
            let draft = user_message(rng, tree);
            tree.append(rng, draft);
            round(rng, tree, 90);
        }
        3..=6 => failed_attempt(rng, tree),
        7 => {
            compaction::append(rng, tree);
        }
        _ => {}
    }
    if rng.chance(20) {
        let draft = aside(rng, tree);
        tree.append(rng, draft);
    }
}

/// An answer that failed, and the edits that take it and its results out of the context.
fn failed_attempt(rng: &mut Rng, tree: &mut Tree) {
    let draft = user_message(rng, tree);
    let request = tree.append(rng, draft);
    let mut places = if rng.chance(50) { round(rng, tree, 50) } else { Vec::new() };
    let draft = answer(rng, tree, &[], "error");
    places.push(tree.append(rng, draft));
    for place in places {
        if rng.chance(90) {
            omit(rng, tree, place, null());
        }
    }
    if rng.chance(25) {
        // Something else is edited too, which the model must not lose.
        let place = if rng.chance(50) { request } else { tree.leaf.unwrap_or(request) };
        let content = Object::new().with("content", string(word(rng)));
        omit(rng, tree, place, content.into());
    }
}

fn omit(rng: &mut Rng, tree: &mut Tree, place: usize, replacement: Json) {
    let after = Object::new()
        .with("targetId", string(&tree.nodes[place].id))
        .with("replacement", replacement);
    tree.append(rng, Draft::new("context_edit", after).referring_to(Some(place)));
}
