//! The active path cut into turns.

use pitree_format::Role;
use pitree_session::EntryRef;

/// A user message and everything up to the next one.
pub(super) struct Turn<'s> {
    /// Counted from 1; 0 is what comes before the first user message.
    pub(super) number: usize,
    pub(super) entries: Vec<EntryRef<'s>>,
}

/// The turns of a path. What comes before the first user message is turn 0.
pub(super) fn split(path: Vec<EntryRef<'_>>) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let mut number = 0;
    for entry in path {
        let begins = entry.is_message(Role::User);
        number += usize::from(begins);
        match turns.last_mut() {
            Some(turn) if !begins => turn.entries.push(entry),
            _ => turns.push(Turn { number, entries: vec![entry] }),
        }
    }
    turns
}

/// Which turns the user wants.
pub(super) struct Selection {
    pub(super) offset: usize,
    pub(super) limit: Option<usize>,
}

impl Selection {
    /// What comes before the first turn goes with the first turn and does not count.
    pub(super) fn apply<'s>(&self, turns: Vec<Turn<'s>>) -> Vec<Turn<'s>> {
        let end = self.limit.map_or(usize::MAX, |limit| self.offset.saturating_add(limit));
        let wanted = |turn: &Turn<'_>| match turn.number {
            0 => self.offset == 0,
            number => self.offset < number && number <= end,
        };
        turns.into_iter().filter(wanted).collect()
    }
}
