//! Sessions of versions 1 and 2.

use super::entries::{assistant_message, model_change, result_message, thinking_level_change};
use super::framing::header;
use super::messages::{bash_execution, extension_message, model, new_call, user};
use super::text::{number, some_text, word};
use super::tree::{Draft, Tree};
use crate::json::{Json, Object, int, null, raw, string};
use crate::rng::Rng;

/// A line of a version 1 file: neither id nor parent.
fn plain_line(tree: &mut Tree, rng: &mut Rng, draft: Draft) {
    let at = tree.append(rng, draft);
    tree.lines[at].remove("id");
    tree.lines[at].remove("parentId");
}

/// Header and entries of a version 1 session.
pub(crate) fn version_1(rng: &mut Rng) -> (Object, Tree) {
    let mut tree = Tree::new(rng);
    let header = header_v1(rng, tree.now());
    let count = if rng.chance(5) { rng.below(3) } else { rng.between(6, 90) };
    while tree.nodes.len() < count {
        for draft in steps_v1(rng, &tree, count) {
            plain_line(&mut tree, rng, draft);
        }
    }
    (header, tree)
}

fn header_v1(rng: &mut Rng, time: i64) -> Object {
    let mut header = header(rng, time);
    header.remove("version");
    header.remove("parentSession");
    let (provider, model) = model(rng);
    let model_named = rng.chance(70);
    header
        .with_option("provider", model_named.then_some(provider))
        .with_option("modelId", model_named.then_some(model))
        .with_option("thinkingLevel", rng.chance(60).then(|| string("off")))
        .with_option("branchedFrom", rng.chance(20).then(|| string("/old/session.jsonl")))
}

fn steps_v1(rng: &mut Rng, tree: &Tree, count: usize) -> Vec<Draft> {
    match rng.below(14) {
        0 => vec![compaction_v1(rng, tree, count)],
        1 => vec![Draft::message("bashExecution", bash_execution(rng, tree.now()))],
        2 => vec![thinking_level_change(rng)],
        3 => vec![model_change(rng)],
        4 => vec![Draft::message("hookMessage", hook_message(rng, tree))],
        _ => turn(rng, tree),
    }
}

/// A compaction that names the first kept entry by its line number, the header being 0.
fn compaction_v1(rng: &mut Rng, tree: &Tree, count: usize) -> Draft {
    let here = tree.nodes.len() + 1;
    let index = match rng.below(14) {
        0 => Some(int(0)),
        1 => Some(int((here + rng.between(1, 5)) as i64)),
        2 => Some(int((count + 500) as i64)),
        3 => Some(int(-1)),
        4 => Some(int(here as i64)),
        5 => Some(raw("1.5")),
        6 => Some(null()),
        7 => Some(string("3")),
        8 => None,
        _ => Some(int(rng.between(1, here.saturating_sub(1).max(1)) as i64)),
    };
    let after = Object::new()
        .with("summary", some_text(rng))
        .with_option("firstKeptEntryIndex", index)
        .with("tokensBefore", number(rng));
    Draft::new("compaction", after)
}

fn turn(rng: &mut Rng, tree: &Tree) -> Vec<Draft> {
    let mut drafts = vec![Draft::message("user", user(rng, tree.now()))];
    if rng.chance(50) {
        let call = new_call(rng);
        drafts.push(assistant_message(rng, tree, std::slice::from_ref(&call)));
        drafts.push(result_message(rng, tree, &call));
    }
    drafts.push(assistant_message(rng, tree, &[]));
    drafts
}

fn hook_message(rng: &mut Rng, tree: &Tree) -> Object {
    extension_message(rng, tree.now(), "hookMessage")
}

/// Turns a session of version 3 into one of version 2.
pub(crate) fn version_2(rng: &mut Rng, mut tree: Tree) -> (Object, Tree) {
    let mut header = header(rng, tree.now());
    header.remove("version");
    header.0.insert(1, ("version".to_owned(), int(2)));
    for at in 0..tree.nodes.len() {
        if tree.nodes[at].role == Some("custom") && rng.chance(85) {
            rename_role(&mut tree.lines[at]);
            tree.nodes[at].role = Some("hookMessage");
        }
    }
    for _ in 0..rng.below(3) {
        let draft = Draft::message("hookMessage", hook_message(rng, &tree));
        tree.append(rng, draft);
        let draft = Draft::new("custom", Object::new().with("customType", string(word(rng))));
        tree.append(rng, draft);
    }
    (header, tree)
}

fn rename_role(entry: &mut Object) {
    for (key, value) in &mut entry.0 {
        let Json::Object(message) = value else { continue };
        if key != "message" {
            continue;
        }
        for (key, value) in &mut message.0 {
            if key == "role" {
                *value = string("hookMessage");
            }
        }
    }
}
