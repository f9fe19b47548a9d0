//! How good a hit must be to be shown, when there are very many.
//!
//! A common word stands in most lines, and to decode them all takes far longer than to find them.
//! So once there are many hits, a line is only decoded if it can be among the best: who speaks and
//! how often the text stands in the line say how relevant it can be at most. The hits that are
//! shown are the same as without this; only their number is no longer known exactly.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use memchr::memmem;

use super::entry_text::{FIRST_MESSAGE, Field};
use super::matcher::{MOST_PLACES, Matcher, Nearness, relevance, worth};
use super::prefilter::Prefilter;
use super::query::Query;
use super::scan::Candidate;

/// So many hits are always graded, so that the number of fewer ones is exact.
const MANY: usize = 5000;

/// How far into a line the role is looked for.
const BEGIN: usize = 256;

/// How good a hit must be.
#[derive(Debug)]
pub(crate) struct Threshold {
    limit: usize,
    /// How much more all terms together may count than each alone.
    bonus: f64,
    terms: usize,
    /// How many hits were graded.
    graded: AtomicUsize,
    /// The relevance of the last hit that is shown; 0 as long as there are too few.
    least: AtomicU32,
    /// The relevance and the key of the hits that are shown, as far as it is known.
    best: Mutex<BTreeSet<(u32, u64)>>,
}

impl Threshold {
    /// `None` if every hit must be graded: to be counted, to be shown, or to be filtered.
    pub(crate) fn new(query: &Query, matcher: &Matcher<'_>, limit: usize) -> Option<Self> {
        let useful = (1..MANY).contains(&limit)
            && !query.terms.is_empty()
            && query.filters.asks_nothing_of_entries();
        useful.then(|| Self {
            limit,
            bonus: matcher.most_bonus(),
            terms: query.terms.len(),
            graded: AtomicUsize::new(0),
            least: AtomicU32::new(0),
            best: Mutex::new(BTreeSet::new()),
        })
    }

    /// Whether there were so many hits that lines were passed over.
    pub(crate) fn is_high(&self) -> bool {
        self.graded.load(Ordering::Relaxed) >= MANY
    }

    /// Whether a line that may be a hit is worth being graded.
    pub(crate) fn admits(&self, line: &[u8], prefilter: &Prefilter) -> bool {
        let least = self.least.load(Ordering::Relaxed);
        if least == 0 || !self.is_high() {
            return true;
        }
        let weight = most_weight(line, true);
        // Only the places of one term are counted.
        let others = worth(weight, MOST_PLACES) * (self.terms - 1) as f64;
        let mut enough = 1..=MOST_PLACES;
        let needed = enough
            .find(|places| relevance(self.bonus * (others + worth(weight, *places))) >= least);
        needed.is_some_and(|places| prefilter.has_places(line, places))
    }

    /// Whether a hit may be shown, as far as it is known.
    pub(crate) fn takes(&self, hit: &Candidate) -> bool {
        self.graded.fetch_add(1, Ordering::Relaxed);
        let least = self.least.load(Ordering::Relaxed);
        if hit.grade.nearness != Nearness::Words || hit.grade.relevance < least {
            // As long as the hits are counted, each of them is needed.
            return least == 0 || !self.is_high();
        }
        let Ok(mut best) = self.best.lock() else { return true };
        best.insert((hit.grade.relevance, hit.key));
        if best.len() > self.limit {
            best.pop_first();
        }
        if best.len() == self.limit
            && let Some((least, _)) = best.first()
        {
            self.least.store(*least, Ordering::Relaxed);
        }
        true
    }
}

/// How much the weightiest text of a line can count, told from the line's beginning. Of a line
/// with two messages, which nobody writes, the first one counts. `may_be_first`: it may be the first
/// message of the user.
pub(crate) fn most_weight(line: &[u8], may_be_first: bool) -> f64 {
    let begin = &line[..line.len().min(BEGIN)];
    let role = line
        .starts_with(br#"{"type":"message","#)
        .then(|| memmem::find(begin, br#""message":{"role":""#))
        .flatten()
        .map(|at| &begin[at + br#""message":{"role":""#.len()..]);
    let field = match role {
        Some(role) if role.starts_with(b"toolResult\"") => Field::ToolOutput,
        Some(role) if role.starts_with(b"bashExecution\"") => Field::Bash,
        Some(role) if role.starts_with(b"assistant\"") => Field::Assistant,
        Some(role) if role.starts_with(b"user\"") && may_be_first => return FIRST_MESSAGE,
        Some(role) if role.starts_with(b"user\"") => Field::User,
        _ => Field::Name,
    };
    field.weight()
}
