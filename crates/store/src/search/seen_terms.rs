//! Which terms of a query a file holds at all, told from its raw lines: whoever has read a file once
//! knows whether another look at it can find more.

use std::sync::atomic::{AtomicBool, Ordering};

use regex::bytes::Regex;

use super::matcher::MOST_PLACES;
use super::prefilter::{Prefilter, term_finder};
use super::query::Query;
use super::raw_text::is_plain_output;
use super::scan::Head;
use super::sessions::head_evidence;

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

/// What was noted of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenFile {
    /// Which of the files.
    pub(super) file: usize,
    pub(super) terms: SeenTerms,
    /// Whether a line was worth a closer look.
    pub(super) has_lines: bool,
    /// Whether a message was found that no other one of the session can be better than.
    pub(super) is_answered: bool,
}

/// Looks for each term on its own.
pub(super) struct TermScan {
    any_case: Query,
    any: Prefilter,
    /// Of a term that cannot be told from raw lines there is none.
    each: Vec<Option<Regex>>,
    /// Whether a text that is found twice in an entry is found twice in its line.
    counts: bool,
    /// Whether nobody needs to know any more.
    is_over: AtomicBool,
}

impl TermScan {
    pub(super) fn new(query: &Query) -> Self {
        Self {
            any_case: query.in_any_case(),
            any: Prefilter::any(query),
            each: query.terms.iter().map(|term| term_finder(query, term)).collect(),
            counts: query.terms.iter().all(|term| term.literal().is_some()),
            is_over: AtomicBool::new(false),
        }
    }

    /// Ends the notes for all files.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether there is anything left to be noted of a file.
    pub(super) fn is_noting(&self, seen: &SeenTerms) -> bool {
        seen.said.missing(self.each.len()) > 0 && !self.is_over.load(Ordering::Relaxed)
    }

    /// Notes what a line holds; `false` if it holds none of the terms.
    pub(super) fn note(&self, line: &[u8], seen: &mut SeenTerms) -> bool {
        if !self.any.admits(line) {
            return false;
        }
        let is_said = !is_plain_output(line);
        for (at, finder) in self.each.iter().enumerate() {
            let is_news = !seen.anywhere.has(at) || (is_said && !seen.said.has(at));
            if is_news && finder.as_ref().is_none_or(|finder| finder.is_match(line)) {
                seen.anywhere.insert(at);
                if is_said {
                    seen.said.insert(at);
                }
            }
        }
        true
    }

    /// Notes what a header holds.
    pub(super) fn note_head(&self, head: &Head, seen: &mut SeenTerms) {
        for (at, term) in self.any_case.terms.iter().enumerate() {
            if head_evidence(term, head).is_some() {
                seen.anywhere.insert(at);
                seen.said.insert(at);
            }
        }
    }

    /// At how many places of its text a line may hold a term at most; more do not count.
    pub(super) fn most_places(&self, at: usize, line: &[u8]) -> usize {
        match &self.each[at] {
            Some(finder) if self.counts => finder.find_iter(line).take(MOST_PLACES).count(),
            Some(finder) if !finder.is_match(line) => 0,
            _ => MOST_PLACES,
        }
    }
}
