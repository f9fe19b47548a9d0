//! How a session grows: turns of a conversation, asides, and ways back to earlier entries.

use super::compaction;
use super::entries::{
    aside, assistant_message, branch_summary, effective_edit, first_system_message, model_change,
    result_message, thinking_level_change, user_message,
};
use super::messages::new_call;
use super::tree::Tree;
use crate::rng::Rng;

/// What a session shall turn out to be.
#[derive(Debug)]
struct Plan {
    entries: usize,
    /// In a hundred steps, so many go back to an earlier entry.
    ways_back: usize,
    asides: usize,
    compactions: usize,
    ends_compacted: bool,
    ends_edited: bool,
}

impl Plan {
    fn new(rng: &mut Rng) -> Self {
        let entries = match rng.below(100) {
            0..=1 => rng.below(4),
            2..=16 => rng.between(8, 40),
            17..=84 => rng.between(36, 72),
            85..=96 => rng.between(73, 160),
            _ => rng.between(160, 300),
        };
        Self {
            entries,
            ways_back: rng.pick(&[0, 4, 8, 12, 20]),
            asides: rng.pick(&[15, 35, 35, 60]),
            compactions: rng.pick(&[0, 0, 2, 5]),
            ends_compacted: rng.chance(45),
            ends_edited: rng.chance(40),
        }
    }
}

/// Grows a session of version 3.
pub(crate) fn grow(rng: &mut Rng) -> Tree {
    let mut tree = Tree::new(rng);
    let plan = Plan::new(rng);
    if plan.entries > 4 {
        begin(rng, &mut tree);
    }
    while tree.nodes.len() < plan.entries {
        step(rng, &mut tree, &plan);
    }
    if plan.entries > 4 {
        finish(rng, &mut tree, &plan);
    }
    tree
}

pub(crate) fn begin(rng: &mut Rng, tree: &mut Tree) {
    if rng.chance(70) {
        let draft = model_change(rng);
        tree.append(rng, draft);
    }
    if rng.chance(70) {
        let draft = thinking_level_change(rng);
        tree.append(rng, draft);
    }
    if rng.chance(70) {
        let draft = first_system_message(rng, tree);
        tree.append(rng, draft);
    }
}

fn step(rng: &mut Rng, tree: &mut Tree, plan: &Plan) {
    let choice = rng.below(100);
    if choice < plan.ways_back {
        go_back(rng, tree);
    } else if choice < plan.ways_back + plan.compactions {
        compaction::append(rng, tree);
    } else if choice < plan.ways_back + plan.compactions + plan.asides {
        let draft = aside(rng, tree);
        // Rarely the parent of an entry is lost, or the conversation begins anew.
        match rng.below(120) {
            0 => tree.append_orphan(rng, draft),
            1 => {
                tree.leaf = None;
                tree.append(rng, draft)
            }
            _ => tree.append(rng, draft),
        };
    } else {
        turn(rng, tree);
    }
}

/// One request of the user with everything the assistant does about it.
pub(crate) fn turn(rng: &mut Rng, tree: &mut Tree) {
    let draft = user_message(rng, tree);
    tree.append(rng, draft);
    for _ in 0..rng.pick(&[0, 1, 1, 2, 3]) {
        let calls: Vec<_> = (0..rng.between(1, 2)).map(|_| new_call(rng)).collect();
        let draft = assistant_message(rng, tree, &calls);
        tree.append(rng, draft);
        for call in &calls {
            // A call without a result happens when the user stops a turn.
            if rng.chance(95) {
                let draft = result_message(rng, tree, call);
                tree.append(rng, draft);
            }
        }
    }
    if rng.chance(92) {
        let draft = assistant_message(rng, tree, &[]);
        tree.append(rng, draft);
    }
}

/// Moves the leaf to an earlier entry, often one nearby, often with a summary of what was left.
pub(crate) fn go_back(rng: &mut Rng, tree: &mut Tree) {
    let count = tree.nodes.len();
    if count < 3 {
        return;
    }
    let left = tree.leaf;
    tree.leaf = match rng.below(20) {
        0 => None,
        1..=9 => Some(count - 1 - rng.below(count.min(12))),
        _ => Some(rng.below(count)),
    };
    if rng.chance(30) {
        let draft = branch_summary(rng, tree, left);
        tree.append(rng, draft);
    }
}

/// Adds what the plan wants to see on the last path.
fn finish(rng: &mut Rng, tree: &mut Tree, plan: &Plan) {
    if plan.ends_compacted && !tree.has_compaction() {
        compaction::append(rng, tree);
        for _ in 0..rng.below(3) {
            turn(rng, tree);
        }
    }
    if plan.ends_edited && !tree.has_effective_edit() {
        if effective_edit(rng, tree).is_none() {
            turn(rng, tree);
        }
        if let Some(draft) = effective_edit(rng, tree) {
            tree.append(rng, draft);
        }
        if rng.chance(50) {
            turn(rng, tree);
        }
    }
    // Whatever the last step was, the last line of the file decides where the leaf is.
    if rng.chance(60) {
        turn(rng, tree);
    }
}
