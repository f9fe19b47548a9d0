//! Entries that a damaged line has separated from the current branch.
//!
//! The entry below a damaged line names a parent that is not in the file any more. It becomes a
//! root, so everything above it, though it was said first, is on no path to the leaf.

use std::collections::HashMap;

use crate::read::LineProblem;
use crate::session::Session;

/// What was on the current branch before a line was damaged or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutOff {
    /// The damaged line; if a whole line is missing, the line of the entry that names it.
    pub line: u64,
    /// Whether that line is damaged, and not just gone.
    pub is_damaged: bool,
    /// How many entries were separated.
    pub entries: usize,
    /// The last of them, by its place in file order.
    pub last: usize,
    /// The first entry of the current branch, whose parent is missing.
    pub root: usize,
}

impl CutOff {
    /// Where they were, and why they are not on the branch.
    pub fn reason(&self) -> String {
        let Self { line, is_damaged, .. } = self;
        let why = match is_damaged {
            true => format!("line {line} is damaged, and the current branch begins after it"),
            false => "an entry is missing, and the current branch begins after it".to_owned(),
        };
        format!("before line {line}: {why}")
    }
}

impl Session {
    /// The entries before a damaged line that are no longer on the current branch; `None` if the
    /// branch is whole.
    pub fn cut_off(&self) -> Option<CutOff> {
        let (root, _) = self.root_of(self.leaf?);
        self.table.lost_parent(root)?;
        let first_orphans = self.table.first_orphans();
        let below = self.first_below_lost(root, &first_orphans)?;
        let last = below.checked_sub(1)?;
        let (mut entries, mut next) = (0, Some(below));
        // The part above may have been cut as well.
        while let Some(below) = next
            && let Some(before) = below.checked_sub(1)
        {
            let (above, count) = self.root_of(before);
            // An entry may stand before its parent; then nothing is known about the order.
            if above >= below {
                break;
            }
            entries += count;
            next = self.first_below_lost(above, &first_orphans);
        }
        let (from, to) = (self.table.get(last).line, self.table.get(below).line);
        let is_cause = |what: &LineProblem| {
            matches!(
                what,
                LineProblem::Malformed { .. } | LineProblem::NotAnObject | LineProblem::TooLong
            )
        };
        let damaged = self
            .odd_lines
            .iter()
            .find(|odd| odd.line > from && odd.line < to && is_cause(&odd.what));
        let line = damaged.map_or(to, |odd| odd.line);
        let is_damaged = damaged.is_some();
        (entries > 0).then_some(CutOff { line, is_damaged, entries, last, root })
    }

    /// The same for the branch that ends at an entry; `None` if it does not begin where the current
    /// branch does.
    pub fn cut_off_from(&self, entry: usize) -> Option<CutOff> {
        self.at(entry)?;
        self.cut_off().filter(|cut| self.root_of(entry).0 == cut.root)
    }

    /// The first entry that names the same missing parent as this one: the parent was above it.
    fn first_below_lost(
        &self,
        entry: usize,
        first_orphans: &HashMap<&str, usize>,
    ) -> Option<usize> {
        first_orphans.get(self.table.lost_parent(entry)?).copied()
    }

    /// The root above an entry, and how many entries the path from it has.
    fn root_of(&self, entry: usize) -> (usize, usize) {
        let (mut at, mut count) = (entry, 1);
        while let Some(parent) = self.table.parent(at) {
            (at, count) = (parent, count + 1);
        }
        (at, count)
    }
}
