//! The whole tree in the order in which it is drawn, before anything is hidden.

use pitree_session::Session;

/// Stands for "no entry" and "no row" in the lists of numbers.
pub(super) const NONE: u32 = u32::MAX;

/// All entries, each before its children, the branch with the leaf first.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeShape {
    /// The entries as they are drawn.
    pub(super) order: Vec<u32>,
    /// For each entry its place in `order`.
    pub(super) place: Vec<u32>,
    /// For each entry its parent, or [`NONE`].
    pub(super) parent: Vec<u32>,
    /// For each entry whether it lies between its root and the leaf.
    pub(super) is_active: Vec<bool>,
    pub(super) leaf: Option<u32>,
}

impl TreeShape {
    pub(super) fn of(session: &Session) -> Self {
        let count = session.len();
        let is_active = session.active_flags();
        let parent = session
            .entries()
            .map(|entry| entry.parent().map_or(NONE, |parent| parent.index() as u32))
            .collect();
        let tree = session.tree();
        let mut order = Vec::with_capacity(count);
        let mut place = vec![NONE; count];
        let mut stack = Vec::new();
        push_last_first(&mut stack, tree.roots(), &is_active);
        while let Some(entry) = stack.pop() {
            place[entry as usize] = order.len() as u32;
            order.push(entry);
            push_last_first(&mut stack, tree.children(entry as usize), &is_active);
        }
        let leaf = session.leaf().map(|leaf| leaf.index() as u32);
        Self { order, place, parent, is_active, leaf }
    }

    /// An entry and those above it.
    pub(super) fn ancestors(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(entry), |&at| {
            self.parent.get(at as usize).copied().filter(|&parent| parent != NONE)
        })
    }
}

/// Puts siblings on the stack so that the active one comes off first and the others follow in
/// their order.
fn push_last_first(
    stack: &mut Vec<u32>,
    siblings: impl ExactSizeIterator<Item = usize>,
    is_active: &[bool],
) {
    let first = stack.len();
    stack.extend(siblings.map(|entry| entry as u32));
    let siblings = &mut stack[first..];
    if let Some(active) = siblings.iter().position(|&entry| is_active[entry as usize]) {
        siblings[..=active].rotate_right(1);
    }
    siblings.reverse();
}
