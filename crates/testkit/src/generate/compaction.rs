//! Compaction entries with every kind of first kept entry.

use super::entries::{UNKNOWN_ID, file_lists};
use super::messages::{sometimes, usage};
use super::system;
use super::text::{free_value, number, some_text, text};
use super::tree::{Draft, Tree};
use crate::json::{Json, Object, boolean, null, string};
use crate::rng::Rng;

/// Adds a compaction under the leaf.
pub(crate) fn append(rng: &mut Rng, tree: &mut Tree) -> usize {
    // The id comes first, because an entry that keeps nothing names itself.
    let id = tree.next_id(rng);
    let (first_kept, refers_to) = first_kept(rng, tree, &id);
    let time = tree.now();
    let details = if rng.chance(80) { file_lists(rng) } else { free_value(rng, 0) };
    let after = Object::new()
        .with("summary", if rng.chance(5) { text(rng) } else { some_text(rng) })
        .with_option("firstKeptEntryId", first_kept)
        .with("tokensBefore", number(rng))
        .with_option("details", sometimes!(rng, 70, details))
        .with_option("usage", sometimes!(rng, 40, usage(rng)))
        .with_option("fromHook", sometimes!(rng, 70, boolean(rng.chance(20))))
        .with_option("systemMessage", sometimes!(rng, 60, system::checkpoint(rng, time)));
    tree.append_as(rng, Draft::new("compaction", after).referring_to(refers_to), id)
}

fn first_kept(rng: &mut Rng, tree: &Tree, own_id: &str) -> (Option<Json>, Option<usize>) {
    let path = tree.path(tree.leaf);
    let at = |index: usize| (Some(string(&tree.nodes[index].id)), Some(index));
    let labels: Vec<_> =
        path.iter().copied().filter(|&index| tree.nodes[index].kind == "label").collect();
    match rng.below(24) {
        0 | 1 => (Some(string(own_id)), None),
        2 => (Some(string(UNKNOWN_ID)), None),
        3 => (None, None),
        4 => (Some(null()), None),
        5 if !tree.nodes.is_empty() => at(rng.below(tree.nodes.len())),
        6..=8 if !labels.is_empty() => at(rng.pick(&labels)),
        9..=13 if !path.is_empty() => at(rng.pick(&path)),
        _ if !path.is_empty() => {
            // As Pi does it: a short stretch before the compaction stays.
            let back = rng.between(1, 8).min(path.len());
            at(path[path.len() - back])
        }
        _ => (Some(string(own_id)), None),
    }
}
