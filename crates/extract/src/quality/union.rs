//! Things that belong together, by links between two of them.

use serde::{Deserialize, Serialize};

/// Sets that are joined. There are fewer things than 2^32.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Union {
    parents: Vec<u32>,
}

impl Union {
    /// So many things, each alone.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Adds one more thing, alone.
    pub(crate) fn grow(&mut self) {
        self.parents.push(self.parents.len() as u32);
    }

    /// How many things there are.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The first of the things that this one belongs to.
    pub(crate) fn first(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.parents[at as usize] != at {
            let above = self.parents[at as usize];
            self.parents[at as usize] = self.parents[above as usize];
            at = self.parents[at as usize];
        }
        at as usize
    }

    /// These two belong together. The earlier first stays the first.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}
