//! Which terms of a query a file holds at all, told from its raw lines: whoever has read a file once
//! knows whether another look at it can find more.

use std::sync::atomic::{AtomicBool, Ordering};

use super::collected::head_evidence;
use super::prefilter::{Glance, Prefilter};
use super::query::Query;
use super::raw_text::is_plain_output;
use super::scan::Head;

/// Some terms of a query, by their places. Those from the 65th on are always among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TermSet(u64);

impl TermSet {
    fn insert(&mut self, at: usize) {
        if at < 64 {
            self.0 |= 1 << at;
        }
    }

    fn has(self, at: usize) -> bool {
        at >= 64 || self.0 & 1 << at != 0
    }

    /// How many of so many terms are not among them.
    pub(super) fn missing(self, count: usize) -> usize {
        count.min(64).saturating_sub(self.0.count_ones() as usize)
    }
}

/// Which terms stand somewhere in a file, in any case. All that are there are among them, and
/// perhaps some that are not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenTerms {
    /// In lines that are more than the output of tools, or in the header.
    pub(super) said: TermSet,
    /// In any line.
    pub(super) anywhere: TermSet,
}

/// What was noted of a file, and of its lines if it was looked at line by line.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenFile<Lines = SeenLines> {
    /// Which of the files.
    pub(super) file: usize,
    pub(super) terms: SeenTerms,
    pub(super) lines: Lines,
}

/// What was noted of the lines of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenLines {
    /// Whether a line was worth a closer look.
    pub(super) are_any: bool,
    /// Whether a message was found that no other one of the session can be better than.
    pub(super) is_answered: bool,
}

/// Takes notes of what files hold.
pub(super) struct TermNotes {
    any_case: Query,
    /// Whether nobody needs to know any more.
    is_over: AtomicBool,
}

impl TermNotes {
    pub(super) fn new(query: &Query) -> Self {
        Self { any_case: query.in_any_case(), is_over: AtomicBool::new(false) }
    }

    /// Ends the notes for all files.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether there is anything left to be noted of a file.
    pub(super) fn are_wanted(&self, seen: &SeenTerms) -> bool {
        seen.said.missing(self.any_case.terms.len()) > 0 && !self.is_over.load(Ordering::Relaxed)
    }

    /// Notes what a line holds.
    pub(super) fn take(
        &self,
        prefilter: &Prefilter,
        glance: &mut Glance<'_>,
        seen: &mut SeenTerms,
    ) {
        for at in 0..self.any_case.terms.len() {
            if !seen.said.has(at) && prefilter.may_hold(at, glance) {
                seen.anywhere.insert(at);
                if !is_plain_output(glance.line) {
                    seen.said.insert(at);
                }
            }
        }
    }

    /// Notes what a header holds.
    pub(super) fn take_head(&self, head: &Head, seen: &mut SeenTerms) {
        for (at, term) in self.any_case.terms.iter().enumerate() {
            if head_evidence(term, head).is_some() {
                seen.anywhere.insert(at);
                seen.said.insert(at);
            }
        }
    }
}
