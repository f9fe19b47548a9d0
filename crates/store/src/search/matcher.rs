//! Whether an entry is a hit, and how good a one.

use std::ops::Range;

use pitree_format::{Object, Value, named_enum};
use regex::Regex;

use super::entry_text::{EntryPart, EntryText, Field, MatchPlace};
use super::query::Query;
use super::term::{Term, as_typed};
use super::words::Standing;

/// More places of a term in a text than this make a hit no better.
pub(crate) const MOST_PLACES: usize = 16;

/// What a term counts as a whole word, at the beginning of one, and inside one.
const BY_STANDING: [f64; 3] = [1.0, 0.6, 0.15];

/// What several terms count more that stand in a row as they were typed.
pub(crate) const IN_A_ROW: f64 = 1.5;

named_enum! {
    /// How near a hit is to what was typed. Nearer ones come first.
    #[derive(PartialOrd, Ord)]
    pub enum Nearness {
        /// All words of the query are there, whole or with more letters behind them.
        Words = "words",
        /// All of them are there, some inside other words.
        Parts = "parts",
        /// All but one of them are there.
        Most = "most",
        /// Words that are spelled nearly like them are there, or their letters in that order.
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

/// Why something was found: a word of the query, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The word, phrase or expression, as it was typed.
    pub term: String,
    /// Where it stands.
    pub place: MatchPlace,
    /// Whether it stands there as whole words.
    pub is_whole: bool,
}

impl Why {
    /// What was found and where, as JSON.
    pub fn described(&self) -> Value {
        let place = self.place.name();
        let object = Object::new().with("term", self.term.as_str()).with("in", place);
        object.with("whole", self.is_whole).into()
    }
}

/// The best that was found of one term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) worth: f64,
    pub(crate) standing: Standing,
    pub(crate) place: MatchPlace,
}

impl Evidence {
    /// A word of its own, wherever it stands, is better than any part of another one.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        let is_word = |evidence: &Self| evidence.standing != Standing::Inside;
        (is_word(self), self.worth) > (is_word(other), other.worth)
    }

    /// Puts this in the place of what is worse.
    pub(crate) fn improve(self, best: &mut Option<Self>) {
        if best.as_ref().is_none_or(|best| self.is_better_than(best)) {
            *best = Some(self);
        }
    }

    /// Says it to the user.
    pub(crate) fn why(&self, term: &Term) -> Why {
        let is_whole = self.standing == Standing::Whole;
        Why { term: term.to_string(), place: self.place, is_whole }
    }
}

/// How much more a term counts that stands so often in a text, from once on: an eighth more each time
/// that doubles.
const BY_PLACES: [f64; MOST_PLACES] = [
    1.0,
    1.125,
    1.1981203125901445,
    1.25,
    1.2902410118609202,
    1.3231203125901445,
    1.3509193652572005,
    1.375,
    1.396240625180289,
    1.4152410118609202,
    1.432428952329662,
    1.4481203125901445,
    1.4625549647676366,
    1.4759193652572005,
    1.488361324451065,
    1.5,
];

/// What it counts that a term stands so often in a text of such a weight.
pub(crate) fn worth(weight: f64, places: usize) -> f64 {
    weight * BY_PLACES[places.clamp(1, MOST_PLACES) - 1]
}

/// The relevance of a hit, by what its terms count together.
pub(crate) fn relevance(worth: f64) -> u32 {
    (worth * 4.0).round() as u32
}

/// What a text has of a term.
pub(crate) fn evidence_in(
    term: &Term,
    text: &str,
    whole_words: bool,
    (field, is_first): (Field, bool),
) -> Option<Evidence> {
    let counts = term.count(text, whole_words, MOST_PLACES);
    let kinds = [Standing::Whole, Standing::Beginning, Standing::Inside];
    // However often it stands there, a worse way to stand never counts as much as a better one.
    let (standing, places) = kinds.into_iter().zip(counts).find(|(_, places)| *places > 0)?;
    let worth = BY_STANDING[standing as usize] * worth(field.weight_in(is_first), places);
    Some(Evidence { worth, standing, place: field.place(is_first) })
}

/// A query made ready for looking at entries.
#[derive(Debug)]
pub(crate) struct Matcher<'q> {
    query: &'q Query,
    in_a_row: Option<Regex>,
    /// Only the conversation, in whole words.
    conversation: bool,
}

impl<'q> Matcher<'q> {
    pub(crate) fn new(query: &'q Query, conversation: bool) -> Self {
        Self { query, in_a_row: as_typed(&query.terms), conversation }
    }

    /// Whether only the conversation is looked at.
    pub(crate) fn is_about_conversation(&self) -> bool {
        self.conversation
    }

    /// How much more all terms together may count than each alone.
    pub(crate) fn most_bonus(&self) -> f64 {
        if self.in_a_row.is_some() { IN_A_ROW } else { 1.0 }
    }

    fn counts(&self, piece: &EntryPart<'_>) -> bool {
        (!self.conversation || piece.field.is_conversation())
            && self.query.filters.keeps_tool(piece.tool.as_deref())
    }

    fn pieces<'p, 'v>(&self, entry: &'p EntryText<'v>) -> impl Iterator<Item = &'p EntryPart<'v>> {
        entry.pieces.iter().filter(|piece| self.counts(piece))
    }

    /// Whether there is a text in an entry that counts.
    pub(crate) fn has_pieces(&self, entry: &EntryText<'_>) -> bool {
        self.pieces(entry).next().is_some()
    }

    /// The best that an entry has of a term.
    pub(crate) fn evidence(&self, term: &Term, entry: &EntryText<'_>) -> Option<Evidence> {
        let mut best = None;
        for piece in self.pieces(entry) {
            let of = (piece.field, entry.is_first);
            if let Some(found) = evidence_in(term, &piece.text, self.conversation, of) {
                found.improve(&mut best);
            }
        }
        best
    }

    /// Whether the terms stand in a row in an entry.
    pub(crate) fn is_in_a_row(&self, entry: &EntryText<'_>) -> bool {
        let is_in = |row: &Regex| self.pieces(entry).any(|piece| row.is_match(&piece.text));
        self.in_a_row.as_ref().is_some_and(is_in)
    }

    /// Grades an entry; `None` if it is no hit.
    pub(crate) fn grade(&self, entry: &EntryText<'_>) -> Option<Grade> {
        if !self.query.filters.keeps_entry(entry) {
            return None;
        }
        self.pieces(entry).next()?;
        let (mut sum, mut nearness) = (0.0, Nearness::Words);
        for term in &self.query.terms {
            let found = self.evidence(term, entry)?;
            sum += found.worth;
            if found.standing == Standing::Inside {
                nearness = Nearness::Parts;
            }
        }
        if self.is_in_a_row(entry) {
            sum *= IN_A_ROW;
        }
        Some(Grade { nearness, relevance: relevance(sum) })
    }

    /// Which terms an entry has, and where.
    pub(crate) fn why(&self, entry: &EntryText<'_>) -> Vec<Why> {
        let found = self.query.terms.iter().map(|term| (term, self.evidence(term, entry)));
        found.filter_map(|(term, found)| Some(found?.why(term))).collect()
    }

    /// The piece that shows best why an entry is a hit, and where.
    pub(crate) fn best_piece<'p, 'v>(
        &self,
        entry: &'p EntryText<'v>,
    ) -> Option<(&'p EntryPart<'v>, Vec<Range<usize>>)> {
        let mut best: Option<(usize, f64, &EntryPart<'_>, Vec<Range<usize>>)> = None;
        for piece in self.pieces(entry) {
            let (mut marks, mut terms, mut sum) = (Vec::new(), 0, 0.0);
            if let Some(found) = self.in_a_row.as_ref().and_then(|row| row.find(&piece.text)) {
                terms = self.query.terms.len() + 1;
                marks.push(found.range());
            }
            for term in &self.query.terms {
                let of = (piece.field, entry.is_first);
                if let Some(found) = evidence_in(term, &piece.text, self.conversation, of) {
                    (terms, sum) = (terms + 1, sum + found.worth);
                    marks.extend(term.best_places(&piece.text, self.conversation, MOST_PLACES));
                }
            }
            let better =
                best.as_ref().is_none_or(|(most, heaviest, ..)| (terms, sum) > (*most, *heaviest));
            if better {
                best = Some((terms, sum, piece, marks));
            }
        }
        best.map(|(_, _, piece, marks)| (piece, marks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_counts_an_eighth_more_each_time_its_places_double() {
        for (at, more) in BY_PLACES.iter().enumerate() {
            let expected = 1.0 + ((at + 1) as f64).log2() / 8.0;
            assert!((more - expected).abs() < 1e-15, "{} places: {more}", at + 1);
        }
    }

    /// Only the best way in which a term stands in a text is looked at.
    #[test]
    fn the_best_standing_counts_most_however_often_others_are_there() {
        let most = BY_PLACES[MOST_PLACES - 1];
        assert!(BY_STANDING.windows(2).all(|pair| pair[0] > pair[1] * most));
        for (text, standing) in [
            ("foobar foobar foobar foo xfoo", Standing::Whole),
            ("xfoo xfoo xfoo foobar", Standing::Beginning),
            ("xfoo xfoox", Standing::Inside),
        ] {
            let found = evidence_in(&Term::word("foo"), text, false, (Field::User, false));
            assert_eq!(found.unwrap().standing, standing, "{text}");
        }
    }
}
