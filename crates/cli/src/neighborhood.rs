//! The messages around an entry, on a branch that it is on.

use pitree_format::EntryKind;
use pitree_session::EntryRef;

/// An entry with what stands before and after it, oldest first.
pub(crate) struct Neighborhood<'s> {
    pub(crate) before: Vec<EntryRef<'s>>,
    pub(crate) entry: EntryRef<'s>,
    pub(crate) after: Vec<EntryRef<'s>>,
}

impl<'s> Neighborhood<'s> {
    /// So many messages and summaries before the entry at a place of a branch, and after it.
    pub(crate) fn of(branch: &[EntryRef<'s>], place: usize, count: usize) -> Option<Self> {
        let entry = *branch.get(place)?;
        let is_message = |entry: &&EntryRef<'_>| {
            matches!(
                entry.kind(),
                EntryKind::Message | EntryKind::Compaction | EntryKind::BranchSummary
            )
        };
        let before = branch[..place].iter().rev().filter(is_message).take(count);
        let mut before: Vec<EntryRef<'s>> = before.copied().collect();
        before.reverse();
        let after = branch[place + 1..].iter().filter(is_message).take(count).copied().collect();
        Some(Self { before, entry, after })
    }

    /// All of them in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = EntryRef<'s>> + '_ {
        self.before.iter().chain([&self.entry]).chain(&self.after).copied()
    }
}
