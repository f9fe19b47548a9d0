//! What a query says about sessions whose facts are at hand, without reading a file.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use pitree_format::JsString;
use pitree_session::parallel::{in_parallel, usual_threads};

use super::collected::Collected;
use super::entry_text::Field;
use super::matcher::{Grade, Nearness};
use super::query::Query;
use super::sessions::{MatchRank, SessionMatch};
use super::term::Term;
use super::words::Standing;
use super::{fuzzy, typos};
use crate::facts::SessionFacts;

/// Of a first message no more than this is looked at.
const MOST_TEXT: usize = 4096;

/// So many sessions a thread looks at at a time: with fewer it does not pay to start one.
const AT_A_TIME: usize = 1000;

impl Query {
    /// How a session matches by what a list knows of it: its name, its first message, its
    /// directory and its id. `None` if not all terms are there, or a filter asks for more.
    pub fn matches_facts(&self, facts: &SessionFacts) -> Option<SessionMatch> {
        let mut collected = Collected::new(self);
        let grade = collected.add_facts(facts)?;
        Some(SessionMatch {
            path: facts.path.clone(),
            nearness: grade.nearness,
            relevance: grade.relevance,
            why: collected.why(),
            entry: None,
        })
    }

    /// The [`SessionMatch::rank`] of that for each session of a list, of which only some rows are
    /// seen. A single letter says too little to weigh: those that match alike stay in the order of
    /// the list.
    pub fn ranks_of_facts(&self, facts: &[SessionFacts]) -> Vec<Option<MatchRank>> {
        let letter = match &*self.terms {
            [letter] if letter.is_letter() => Some(letter),
            _ => None,
        };
        let chunks: Vec<&[SessionFacts]> = facts.chunks(AT_A_TIME).collect();
        let of_chunk = |chunk: &&[SessionFacts]| {
            let mut collected = Collected::new(self);
            let rank = |facts: &SessionFacts| {
                if let Some(letter) = letter {
                    return self.rank_of_letter(letter, facts);
                }
                collected.clear();
                let grade = collected.add_facts(facts)?;
                Some((grade.nearness, Reverse(grade.relevance)))
            };
            chunk.iter().map(rank).collect::<Vec<Option<MatchRank>>>()
        };
        let ranks = in_parallel(&chunks, usual_threads(), |chunk| chunk.len() as u64, of_chunk);
        ranks.into_iter().flatten().collect()
    }

    fn rank_of_letter(&self, letter: &Term, facts: &SessionFacts) -> Option<MatchRank> {
        if !self.keeps_facts(facts) {
            return None;
        }
        let is_inside =
            |text: &str| letter.best_standing(text).map(|best| best == Standing::Inside);
        // Most first messages have a word that begins with the letter, and then that is all.
        let mut found = is_inside(&first_text(facts));
        for text in [&*name_of(facts), &*facts.cwd] {
            if found == Some(false) {
                break;
            }
            found = is_inside(text).or(found);
        }
        let nearness = if found? { Nearness::Parts } else { Nearness::Words };
        Some((nearness, Reverse(0)))
    }

    /// Whether the filters keep a session of which nothing is known but what a list knows.
    fn keeps_facts(&self, facts: &SessionFacts) -> bool {
        self.filters.asks_nothing_of_entries() && self.filters.keeps_session(&facts.cwd)
    }

    /// The sessions of a list that match by what it knows, the best first, of equals the newest. If
    /// none does, those that may be meant: in another case, with words that are spelled nearly alike,
    /// or letter by letter.
    pub fn find_at_hand(&self, facts: &[SessionFacts]) -> Vec<SessionMatch> {
        let matching = |query: &Self, nearness: Option<Nearness>| {
            let found = facts.iter().filter_map(|facts| {
                let found = query.matches_facts(facts)?;
                let nearness = nearness.unwrap_or(found.nearness);
                Some((SessionMatch { nearness, ..found }, facts.modified_ms))
            });
            let mut found: Vec<(SessionMatch, i64)> = found.collect();
            found.sort_by_key(|(found, modified_ms)| (found.rank(), Reverse(*modified_ms)));
            found.into_iter().map(|(found, _)| found).collect::<Vec<SessionMatch>>()
        };
        let mut found = matching(self, None);
        if found.is_empty() {
            found = matching(&self.in_any_case(), None);
        }
        if !found.is_empty() || !fuzzy::is_possible(self) {
            return found;
        }
        let corrected = typos::correct(self, facts);
        let found = corrected.map(|query| matching(&query, Some(Nearness::Fuzzy)));
        let found = found.unwrap_or_default();
        if found.is_empty() { fuzzy::match_sessions(self, facts) } else { found }
    }

    /// Where the terms stand in a text, in order and apart from each other, to be highlighted.
    pub fn marks_in(&self, text: &str) -> Vec<Range<usize>> {
        let all = self.terms.iter().flat_map(|term| term.find(text, false, usize::MAX));
        let mut all: Vec<Range<usize>> = all.collect();
        all.sort_by_key(|mark| (mark.start, mark.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for mark in all {
            match apart.last_mut().filter(|last| mark.start <= last.end) {
                Some(last) => last.end = last.end.max(mark.end),
                None => apart.push(mark),
            }
        }
        apart
    }

    /// The words and phrases, for whoever highlights them in his own way.
    pub fn words(&self) -> Vec<String> {
        self.terms.iter().filter_map(|term| term.literal()).map(str::to_owned).collect()
    }
}

impl Collected<'_> {
    /// Adds what a list knows of a session; `None` if it does not match by that.
    fn add_facts(&mut self, facts: &SessionFacts) -> Option<Grade> {
        if !self.query.keeps_facts(facts) {
            return None;
        }
        self.add_head(&facts.id, &facts.cwd);
        self.add_text(&name_of(facts), (Field::Name, true));
        self.add_text(&first_text(facts), (Field::User, true));
        self.grade().filter(|grade| grade.nearness != Nearness::Most)
    }
}

fn name_of(facts: &SessionFacts) -> Cow<'_, str> {
    facts.name.as_ref().map(JsString::to_text).unwrap_or_default()
}

/// As much of the first message as is looked at.
fn first_text(facts: &SessionFacts) -> Cow<'_, str> {
    let cut = |text: &str| text.floor_char_boundary(MOST_TEXT);
    match facts.first_message.as_ref().map(JsString::to_text).unwrap_or_default() {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..cut(text)]),
        Cow::Owned(mut text) => {
            text.truncate(cut(&text));
            Cow::Owned(text)
        }
    }
}
