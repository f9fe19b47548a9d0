//! Finding a session by words, in the language of `pitree search`.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

use pitree_store::SessionFacts;
use pitree_store::search::{MatchPlace, Nearness, Query, SessionMatch};

/// The sessions that fit by name, first message or directory, the best first, and how many of them
/// are equally good answers.
pub(super) fn matching(sessions: Vec<SessionFacts>, query: &Query) -> (Vec<SessionFacts>, usize) {
    let mut found: Vec<SessionMatch> =
        sessions.iter().filter_map(|facts| query.matches_facts(facts)).collect();
    if found.is_empty() {
        found = query.guess(&sessions);
    }
    let mut by_path: HashMap<PathBuf, SessionFacts> =
        sessions.into_iter().map(|facts| (facts.path.clone(), facts)).collect();
    let facts = |found: SessionMatch| Some((by_path.remove(&found.path)?, found));
    let mut fitting: Vec<(SessionFacts, SessionMatch)> =
        found.into_iter().filter_map(facts).collect();
    fitting.sort_by_key(|(facts, found)| (found.rank(), Reverse(facts.modified_ms)));
    let best = fitting.first().map(|(_, found)| quality(found));
    let count = fitting.iter().filter(|(_, found)| Some(quality(found)) == best).count();
    (fitting.into_iter().map(|(facts, _)| facts).collect(), count)
}

/// Equal for equally good answers: how often a word stands somewhere makes no session the one that
/// is meant, only whether it stands in the name. Of guesses the best one is.
fn quality(found: &SessionMatch) -> (Nearness, usize, u32) {
    let elsewhere = found.why.iter().filter(|why| why.place != MatchPlace::Title).count();
    let guess = if found.nearness == Nearness::Fuzzy { found.relevance } else { 0 };
    (found.nearness, elsewhere, guess)
}
