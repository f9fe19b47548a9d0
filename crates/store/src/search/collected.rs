//! What was found of a query in one session, entry by entry.

use super::entry_text::{EntryText, Field};
use super::matcher::{Evidence, Grade, Matcher, Nearness, Why, evidence_in, relevance, worth};
use super::prefilter::Prefilter;
use super::query::Query;
use super::scan::{Candidate, Head};
use super::sessions::{BestMessage, FileMatch};
use super::term::Term;
use super::threshold::most_weight;
use super::walk::WalkedLine;
use super::words::Standing;
use crate::discover::FoundFile;

/// What terms count that stand in different messages, against those that stand in one.
const APART: f64 = 0.8;

/// With fewer terms none may be missing.
pub(super) const LEAST_TERMS: usize = 3;

/// What a header has of a term.
pub(super) fn head_evidence(term: &Term, Head { id, cwd }: &Head) -> Option<Evidence> {
    let of_directory = evidence_in(term, cwd, false, (Field::Directory, false));
    of_directory.or_else(|| id_evidence(term, id))
}

/// An id is found by its beginning.
fn id_evidence(term: &Term, id: &str) -> Option<Evidence> {
    let begins = |text: &str| match (text.is_ascii(), id.get(..text.len())) {
        (true, begin) => begin.is_some_and(|begin| {
            let typed = text.bytes().map(|byte| byte.to_ascii_lowercase());
            typed.eq(begin.bytes())
        }),
        (false, _) => id.starts_with(&text.to_lowercase()),
    };
    let is_id = |text: &str| text.len() >= 4 && begins(text);
    let (worth, standing) = (Field::Id.weight(), Standing::Whole);
    let found = Evidence { worth, standing, place: Field::Id.place(false) };
    term.literal().is_some_and(is_id).then_some(found)
}

/// What was found of a query in one session.
pub(super) struct Collected<'q> {
    pub(super) query: &'q Query,
    /// The best of each term.
    terms: Vec<Option<Evidence>>,
    /// What the best text with all of them counts.
    together: f64,
    /// The best message: how many terms it has, and what they count.
    pub(super) best: Option<(usize, f64, BestMessage)>,
    /// The first name that has a term.
    pub(super) named: Option<Candidate>,
    /// Whether an entry passed the filters.
    is_kept: bool,
}

impl<'q> Collected<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let terms = vec![None; query.terms.len()];
        let is_kept = query.filters.asks_nothing_of_entries();
        Self { query, terms, together: 0.0, best: None, named: None, is_kept }
    }

    /// Forgets what was found, to look at another session.
    pub(super) fn clear(&mut self) {
        self.terms.fill(None);
        let terms = std::mem::take(&mut self.terms);
        *self = Self { terms, ..Self::new(self.query) };
    }

    /// The directory counts, and an id by its beginning.
    pub(super) fn add_head(&mut self, id: &str, cwd: &str) {
        if !self.query.filters.asks_nothing_of_entries() {
            return;
        }
        self.add_text(cwd, (Field::Directory, false));
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            if let Some(found) = id_evidence(term, id) {
                found.improve(best);
            }
        }
    }

    pub(super) fn add_text(&mut self, text: &str, of: (Field, bool)) {
        let (mut sum, mut count) = (0.0, 0);
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            if let Some(found) = evidence_in(term, text, false, of) {
                (sum, count) = (sum + found.worth, count + 1);
                found.improve(best);
            }
        }
        if count == self.terms.len() {
            self.together = self.together.max(sum);
        }
    }

    /// Adds what an entry has; says how many terms that are, and what they count.
    pub(super) fn add_entry(
        &mut self,
        text: &EntryText<'_>,
        matcher: &Matcher<'_>,
    ) -> Option<(usize, f64)> {
        if !self.query.filters.keeps_entry(text) {
            return None;
        }
        self.is_kept = true;
        let (mut sum, mut count, mut words) = (0.0, 0, 0);
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            if let Some(found) = matcher.evidence(term, text) {
                (sum, count) = (sum + found.worth, count + 1);
                words += usize::from(found.standing != Standing::Inside);
                found.improve(best);
            }
        }
        if count == self.terms.len() {
            let bonus = if matcher.is_in_a_row(text) { matcher.most_bonus() } else { 1.0 };
            sum *= bonus;
            self.together = self.together.max(sum);
        }
        (count > 0 || self.terms.is_empty()).then_some((words, sum))
    }

    /// How good the session is; `None` if it does not match.
    pub(super) fn grade(&self) -> Option<Grade> {
        let missing = self.terms.iter().filter(|found| found.is_none()).count();
        let nearness = match missing {
            0 if self.terms.iter().flatten().any(|found| found.standing == Standing::Inside) => {
                Nearness::Parts
            }
            0 => Nearness::Words,
            1 if self.terms.len() >= LEAST_TERMS => Nearness::Most,
            _ => return None,
        };
        let sum: f64 = self.terms.iter().flatten().map(|found| found.worth).sum();
        let relevance = relevance(self.together.max(APART * sum));
        self.is_kept.then_some(Grade { nearness, relevance })
    }

    /// Whether a line can make a difference, told from what it can count at most.
    pub(super) fn may_gain(
        &self,
        line: &WalkedLine<'_>,
        prefilter: &Prefilter,
        matcher: &Matcher<'_>,
    ) -> bool {
        if !self.is_kept || self.terms.is_empty() {
            return true;
        }
        let weight = most_weight(line.bytes, line.is_first);
        let (mut sum, mut count) = (0.0, 0);
        for (at, best) in self.terms.iter().enumerate() {
            let places = prefilter.most_places(at, line.bytes);
            if places == 0 {
                continue;
            }
            let worth = worth(weight, places);
            if best.is_none_or(|best| best.standing == Standing::Inside || worth > best.worth) {
                return true;
            }
            (sum, count) = (sum + worth, count + 1);
        }
        if count == self.terms.len() {
            sum *= matcher.most_bonus();
            if sum > self.together {
                return true;
            }
        }
        let is_better =
            |(most, worth, _): &(usize, f64, BestMessage)| (count, sum) > (*most, *worth);
        count > 0 && self.best.as_ref().is_none_or(is_better)
    }

    /// What a file has of the query; `None` if it does not match.
    pub(super) fn into_match(self, found: &FoundFile, head: Head) -> Option<FileMatch> {
        let (grade, why) = (self.grade()?, self.why());
        let explained = |line: Candidate| Candidate { why: why.clone(), grade, ..line };
        let (best, named) = (self.best.map(|(.., best)| best), self.named);
        let explain = |best: BestMessage| BestMessage { hit: explained(best.hit), ..best };
        let (best, named) = (best.map(explain), named.map(explained));
        let (path, modified_ns) = (found.path.clone(), found.stamp.modified_ns);
        Some(FileMatch { path, head, modified_ns, grade, why, best, named })
    }

    pub(super) fn why(&self) -> Vec<Why> {
        let found = self.query.terms.iter().zip(&self.terms);
        found.filter_map(|(term, found)| Some(found.as_ref()?.why(term))).collect()
    }
}
