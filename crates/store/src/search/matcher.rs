//! Whether an entry is a hit, and how good a one.

use std::ops::Range;

use pitree_format::named_enum;
use regex::Regex;

use super::entry_text::{EntryPart, EntryText};
use super::query::Query;
use super::term::as_typed;

/// More places of a term in a text than this make a hit no better.
pub(crate) const MOST_PLACES: usize = 16;

named_enum! {
    /// How near a hit is to what was typed. Nearer ones come first.
    #[derive(PartialOrd, Ord)]
    pub enum Nearness {
        /// The query stands there as it was typed.
        Exact = "exact",
        /// All of its parts are there, whatever their order and case.
        Parts = "parts",
        /// The letters of its parts are there, in their order, with others between them.
        Fuzzy = "fuzzy",
    }
}

/// How good a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grade {
    pub(crate) nearness: Nearness,
    /// More is better.
    pub(crate) relevance: u32,
}

/// What it counts that a term stands so often in a text of such a weight.
pub(crate) fn worth(weight: f64, places: usize) -> f64 {
    weight * (1.0 + (places as f64).log2() / 4.0)
}

/// The relevance of a hit, by what its terms count together.
pub(crate) fn relevance(worth: f64) -> u32 {
    (worth * 2.0).round() as u32
}

/// A query made ready for looking at entries.
#[derive(Debug)]
pub(crate) struct Matcher<'q> {
    query: &'q Query,
    exact: Option<Regex>,
    /// Only the conversation, in whole words.
    conversation: bool,
}

impl<'q> Matcher<'q> {
    pub(crate) fn new(query: &'q Query, conversation: bool) -> Self {
        Self { query, exact: as_typed(&query.terms), conversation }
    }

    /// Whether only the conversation is looked at.
    pub(crate) fn is_about_conversation(&self) -> bool {
        self.conversation
    }

    fn counts(&self, piece: &EntryPart<'_>) -> bool {
        (!self.conversation || piece.field.is_conversation())
            && self.query.filters.keeps_tool(piece.tool.as_deref())
    }

    /// How near the nearest hits can be.
    pub(crate) fn nearest(&self) -> Nearness {
        if self.exact.is_some() { Nearness::Exact } else { Nearness::Parts }
    }

    /// Grades an entry; `None` if it is no hit.
    pub(crate) fn grade(&self, entry: &EntryText<'_>) -> Option<Grade> {
        if !self.query.filters.keeps_entry(entry) {
            return None;
        }
        let pieces = || entry.pieces.iter().filter(|piece| self.counts(piece));
        let mut sum = 0.0;
        for term in &self.query.terms {
            let mut best = 0.0_f64;
            for piece in pieces() {
                let places = term.find(&piece.text, self.conversation, MOST_PLACES).len();
                if places > 0 {
                    best = best.max(worth(piece.field.weight(), places));
                }
            }
            if best == 0.0 {
                return None;
            }
            sum += best;
        }
        pieces().next()?;
        let exact = |exact: &Regex| pieces().any(|piece| exact.is_match(&piece.text));
        let nearness = match self.exact.as_ref().is_some_and(exact) {
            true => Nearness::Exact,
            false => Nearness::Parts,
        };
        Some(Grade { nearness, relevance: relevance(sum) })
    }

    /// The piece that shows best why an entry is a hit, and where.
    pub(crate) fn best_piece<'p, 'v>(
        &self,
        entry: &'p EntryText<'v>,
    ) -> Option<(&'p EntryPart<'v>, Vec<Range<usize>>)> {
        let mut best: Option<(usize, f64, &EntryPart<'_>, Vec<Range<usize>>)> = None;
        for piece in entry.pieces.iter().filter(|piece| self.counts(piece)) {
            let mut marks = Vec::new();
            let mut terms = 0;
            if let Some(found) = self.exact.as_ref().and_then(|exact| exact.find(&piece.text)) {
                terms = self.query.terms.len() + 1;
                marks.push(found.range());
            }
            for term in &self.query.terms {
                let found = term.find(&piece.text, self.conversation, MOST_PLACES);
                terms += usize::from(!found.is_empty());
                marks.extend(found);
            }
            let weight = piece.field.weight();
            let better = best
                .as_ref()
                .is_none_or(|(most, heaviest, ..)| (terms, weight) > (*most, *heaviest));
            if better {
                best = Some((terms, weight, piece, marks));
            }
        }
        best.map(|(_, _, piece, marks)| (piece, marks))
    }
}
