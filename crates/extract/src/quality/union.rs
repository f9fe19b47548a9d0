//! Things that belong together, by links between two of them.

use serde::{Deserialize, Serialize};

/// Sets that are joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Union {
    parents: Vec<usize>,
}

impl Union {
    /// So many things, each alone.
    pub(super) fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    /// The first of the things that this one belongs to.
    pub(super) fn first(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// These two belong together. The earlier first stays the first.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
