//! The tree: children in Pi's order, walked without recursion.

pub(crate) mod filter;

use crate::session::{EntryKey, EntryRef, Session};

/// The tree of a session.
///
/// Roots stand in file order: entries without a parent, with an unknown parent, and those where a
/// circle of parents was cut. Children stand by time; equal times stay in file order.
#[derive(Clone, Debug)]
pub struct Tree {
    roots: Vec<u32>,
    /// The children of all entries in one list; those of entry `n` are
    /// `list[starts[n]..starts[n + 1]]`.
    list: Vec<u32>,
    starts: Vec<u32>,
}

/// A step of a walk over the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeStep {
    /// The entry.
    pub entry: usize,
    /// How many ancestors it has.
    pub depth: usize,
}

impl Tree {
    pub(crate) fn build(session: &Session) -> Self {
        let table = session.table();
        let count = table.len();
        let mut starts = vec![0u32; count + 1];
        let mut roots = Vec::new();
        for at in 0..count {
            match table.parent(at) {
                Some(parent) => starts[parent + 1] += 1,
                None => roots.push(at as u32),
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut list = vec![0u32; starts[count] as usize];
        let mut next = starts.clone();
        for at in 0..count {
            if let Some(parent) = table.parent(at) {
                list[next[parent] as usize] = at as u32;
                next[parent] += 1;
            }
        }
        for at in 0..count {
            let children = &mut list[starts[at] as usize..starts[at + 1] as usize];
            if children.len() > 1 {
                sort_by_time(children, |child| table.get(child as usize).time());
            }
        }
        Self { roots, list, starts }
    }

    /// The entries without a parent, in file order.
    pub fn roots(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.roots.iter().map(|&at| at as usize)
    }

    /// The children of an entry, oldest first; none for an entry that the tree does not know.
    pub fn children(&self, entry: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let range = match self.starts.get(entry..).unwrap_or_default() {
            [from, to, ..] => *from as usize..*to as usize,
            // No entry of this tree; it may have been appended since.
            _ => 0..0,
        };
        self.list[range].iter().map(|&at| at as usize)
    }

    /// All entries, each before its children.
    pub fn walk(&self) -> impl Iterator<Item = TreeStep> + '_ {
        let mut stack: Vec<TreeStep> =
            self.roots().map(|entry| TreeStep { entry, depth: 0 }).collect();
        stack.reverse();
        std::iter::from_fn(move || {
            let step = stack.pop()?;
            let first = stack.len();
            let depth = step.depth + 1;
            stack.extend(self.children(step.entry).map(|entry| TreeStep { entry, depth }));
            stack[first..].reverse();
            Some(step)
        })
    }

    /// The entries without children, in file order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.starts.len() - 1).filter(|&at| self.starts[at] == self.starts[at + 1])
    }

    /// The entries with more than one child, in file order.
    pub fn branch_points(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.starts.len() - 1).filter(|&at| self.starts[at + 1] - self.starts[at] > 1)
    }
}

impl Session {
    /// The tree of all entries. Pi's `getTree`.
    pub fn tree(&self) -> Tree {
        Tree::build(self)
    }

    /// The children of an entry in file order; none for what names no entry. Pi's `getChildren`.
    pub fn children(&self, entry: impl EntryKey) -> Vec<EntryRef<'_>> {
        let Some(parent) = self.entry(entry).map(|entry| entry.index()) else { return Vec::new() };
        let table = self.table();
        self.entries().filter(|entry| table.parent(entry.index()) == Some(parent)).collect()
    }

    /// The entries without a parent, in file order.
    pub fn roots(&self) -> Vec<EntryRef<'_>> {
        self.entries().filter(|entry| entry.parent().is_none()).collect()
    }
}

/// Sorts as JavaScript's `sort((a, b) => a.time - b.time)` does. A time that is no date compares
/// as equal to everything, which is no order at all; the outcome is then what V8's algorithm
/// happens to give (a run, then binary insertion), and that is reproduced for the short lists
/// that V8 sorts in one go.
fn sort_by_time(items: &mut [u32], time: impl Fn(u32) -> Option<i64>) {
    const ONE_RUN: usize = 64;
    if items.iter().all(|&item| time(item).is_some()) || items.len() >= ONE_RUN {
        items.sort_by_key(|&item| time(item));
        return;
    }
    let order = |a: u32, b: u32| match (time(a), time(b)) {
        (Some(a), Some(b)) => a - b,
        _ => 0,
    };
    let mut run = 2;
    if order(items[1], items[0]) < 0 {
        while run < items.len() && order(items[run], items[run - 1]) < 0 {
            run += 1;
        }
        items[..run].reverse();
    } else {
        while run < items.len() && order(items[run], items[run - 1]) >= 0 {
            run += 1;
        }
    }
    for at in run..items.len() {
        let pivot = items[at];
        let (mut left, mut right) = (0, at);
        while left < right {
            let middle = left + (right - left) / 2;
            if order(pivot, items[middle]) < 0 {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        items[left..=at].rotate_right(1);
    }
}
