//! Single entries of every kind but compactions.

use super::messages::{
    PendingCall, assistant, bash_execution, content, extension_message, model, plain_blocks,
    sometimes, stored_summary, text_block, tool_result, unknown_role, usage, user,
};
use super::system;
use super::text::{free_object, free_value, some_text, text, word};
use super::tree::{Draft, Tree};
use crate::json::{Json, Object, boolean, null, raw, string};
use crate::rng::Rng;

const THINKING_LEVELS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const UNKNOWN_KINDS: [&str; 3] = ["leaf", "bookmark", "x_extension_state"];
/// An id that no generated entry has.
pub(crate) const UNKNOWN_ID: &str = "deadbeef";

pub(crate) fn user_message(rng: &mut Rng, tree: &Tree) -> Draft {
    Draft::message("user", user(rng, tree.now()))
}

pub(crate) fn assistant_message(rng: &mut Rng, tree: &Tree, calls: &[PendingCall]) -> Draft {
    Draft::message("assistant", assistant(rng, tree.now(), calls))
}

pub(crate) fn result_message(rng: &mut Rng, tree: &Tree, call: &PendingCall) -> Draft {
    Draft::message("toolResult", tool_result(rng, tree.now(), call))
}

pub(crate) fn first_system_message(rng: &mut Rng, tree: &Tree) -> Draft {
    Draft::message("system", system::first(rng, tree.now()))
}

pub(crate) fn model_change(rng: &mut Rng) -> Draft {
    let (provider, model) = model(rng);
    let after = Object::new().with("provider", provider).with("modelId", model);
    Draft::new("model_change", after)
}

pub(crate) fn thinking_level_change(rng: &mut Rng) -> Draft {
    let level = string(rng.pick(&THINKING_LEVELS));
    Draft::new("thinking_level_change", Object::new().with("thinkingLevel", level))
}

/// One entry of a random kind other than the usual conversation.
pub(crate) fn aside(rng: &mut Rng, tree: &Tree) -> Draft {
    let time = tree.now();
    match rng.below(33) {
        0..=2 => Draft::message("system", system::patch(rng, time)),
        3..=5 => Draft::message("bashExecution", bash_execution(rng, time)),
        6..=7 => Draft::message("custom", extension_message(rng, time, "custom")),
        8..=9 => Draft::message("unknown", unknown_role(rng, time)),
        10 => Draft::message("stored summary", stored_summary(rng, time)),
        11..=12 => thinking_level_change(rng),
        13..=14 => model_change(rng),
        15..=16 => usage_entry(rng),
        17..=18 => custom_entry(rng),
        19..=21 => custom_message(rng),
        22..=24 => context_edit(rng, tree),
        25..=28 => label(rng, tree),
        29..=30 => session_info(rng),
        _ => unknown_kind(rng, tree),
    }
}

fn usage_entry(rng: &mut Rng) -> Draft {
    let (provider, model) = model(rng);
    let after = Object::new()
        .with("kind", string(rng.pick(&["cache_warm", "cache_warm", "probe"])))
        .with("provider", provider)
        .with("model", model)
        .with("usage", usage(rng))
        .with_option("note", sometimes!(rng, 30, string("extension override")));
    Draft::new("usage", after)
}

fn custom_entry(rng: &mut Rng) -> Draft {
    let custom_type = if rng.chance(20) { "pi.virtual-model-state" } else { word(rng) };
    let before = Object::new()
        .with("customType", string(custom_type))
        .with_option("data", sometimes!(rng, 80, free_value(rng, 0)));
    Draft { before, ..Draft::new("custom", Object::new()) }
}

fn custom_message(rng: &mut Rng) -> Draft {
    let before = Object::new()
        .with("customType", string(word(rng)))
        .with_option("content", content(rng))
        .with("display", boolean(rng.chance(70)))
        .with_option("details", sometimes!(rng, 30, free_object(rng, 0)));
    Draft { before, ..Draft::new("custom_message", Object::new()) }
}

fn session_info(rng: &mut Rng) -> Draft {
    let name = match rng.below(10) {
        0 => None,
        1 => Some(string("")),
        2 => Some(string("   ")),
        3 => Some(string(&format!("  {} {}\t", word(rng), word(rng)))),
        // Whitespace on which JavaScript and Rust do not agree.
        4 => Some(string(&format!("\u{feff}\u{a0}{}\u{3000}", word(rng)))),
        5 => Some(raw(format!("\"\u{85} {} \\u000b\"", word(rng)))),
        6 => Some(null()),
        _ => Some(some_text(rng)),
    };
    Draft::new("session_info", Object::new().with_option("name", name))
}

fn unknown_kind(rng: &mut Rng, tree: &Tree) -> Draft {
    let target = any_id(rng, tree);
    let after = Object::new()
        .with_option("targetId", sometimes!(rng, 60, target))
        .with_option("payload", sometimes!(rng, 60, free_value(rng, 0)));
    Draft { type_name: rng.pick(&UNKNOWN_KINDS), ..Draft::new("unknown", after) }
}

/// A label on any entry of the file, or one that takes a label away.
fn label(rng: &mut Rng, tree: &Tree) -> Draft {
    let labelled = tree.lines.iter().filter_map(label_target).collect::<Vec<_>>();
    let target = if !labelled.is_empty() && rng.chance(35) {
        rng.pick(&labelled)
    } else {
        any_id(rng, tree)
    };
    let label = match rng.below(10) {
        0..=1 => None,
        2 => Some(string("")),
        3 => Some(null()),
        _ => Some(some_text(rng)),
    };
    Draft::new("label", Object::new().with("targetId", target).with_option("label", label))
}

fn label_target(line: &Object) -> Option<Json> {
    let is_label = matches!(line.0.first(), Some((_, Json::Raw(name))) if name == "\"label\"");
    let mut members = line.0.iter();
    members.find(|(key, _)| is_label && key == "targetId").map(|(_, target)| target.clone())
}

/// The id of any entry, rarely one that no entry has.
pub(crate) fn any_id(rng: &mut Rng, tree: &Tree) -> Json {
    if tree.nodes.is_empty() || rng.chance(4) {
        return string(UNKNOWN_ID);
    }
    string(&tree.nodes[rng.below(tree.nodes.len())].id)
}

/// A context edit of a random target, mostly one that an edit can change.
fn context_edit(rng: &mut Rng, tree: &Tree) -> Draft {
    let editable: Vec<_> = tree.context().into_iter().filter(|&at| is_editable(tree, at)).collect();
    if !editable.is_empty() && rng.chance(75) {
        let target = rng.pick(&editable);
        return edit_of(rng, tree, target);
    }
    if tree.nodes.is_empty() || rng.chance(15) {
        let target = string(UNKNOWN_ID);
        return Draft::new(
            "context_edit",
            replacement(rng, Object::new().with("targetId", target)),
        );
    }
    let target = rng.below(tree.nodes.len());
    edit_of(rng, tree, target)
}

/// A context edit of an entry in the context; without one, of nothing.
pub(crate) fn effective_edit(rng: &mut Rng, tree: &Tree) -> Option<Draft> {
    let editable: Vec<_> = tree.context().into_iter().filter(|&at| is_editable(tree, at)).collect();
    if editable.is_empty() {
        return None;
    }
    let target = rng.pick(&editable);
    Some(edit_of(rng, tree, target))
}

fn is_editable(tree: &Tree, index: usize) -> bool {
    let node = &tree.nodes[index];
    node.kind == "custom_message"
        || matches!(node.role, Some("user" | "assistant" | "toolResult" | "custom"))
}

fn edit_of(rng: &mut Rng, tree: &Tree, target: usize) -> Draft {
    let after = Object::new().with("targetId", string(&tree.nodes[target].id));
    Draft::new("context_edit", replacement(rng, after)).referring_to(Some(target))
}

fn replacement(rng: &mut Rng, entry: Object) -> Object {
    let content = match rng.below(10) {
        0..=3 => return entry.with("replacement", null()),
        4..=6 => text(rng),
        7 => Json::List(vec![text_block(rng)]),
        _ => plain_blocks(rng),
    };
    let replacement = Object::new()
        .with("content", content)
        .with_option("note", sometimes!(rng, 3, string("ignored")));
    entry.with("replacement", replacement)
}

/// The summary with which a branch goes on; `left` is the entry that was the leaf before.
pub(crate) fn branch_summary(rng: &mut Rng, tree: &Tree, left: Option<usize>) -> Draft {
    let from = left.map_or("root", |index| tree.nodes[index].id.as_str());
    let summary = match rng.below(12) {
        0 => None,
        1 => Some(string("")),
        _ => Some(some_text(rng)),
    };
    let after = Object::new()
        .with("fromId", string(from))
        .with_option("summary", summary)
        .with_option("details", sometimes!(rng, 60, file_lists(rng)))
        .with_option("usage", sometimes!(rng, 30, usage(rng)))
        .with_option("fromHook", sometimes!(rng, 50, boolean(rng.chance(30))));
    Draft::new("branch_summary", after)
}

/// The details that Pi stores with its own summaries.
pub(crate) fn file_lists(rng: &mut Rng) -> Json {
    let list = |rng: &mut Rng| {
        Json::List((0..rng.below(3)).map(|_| string(&format!("src/{}.rs", word(rng)))).collect())
    };
    Object::new().with("readFiles", list(rng)).with("modifiedFiles", list(rng)).into()
}
