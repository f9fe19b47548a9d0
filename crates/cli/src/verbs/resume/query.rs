//! Finding a session by words, in the language of `pitree search`.

use std::collections::HashMap;
use std::path::PathBuf;

use pitree_store::SessionFacts;
use pitree_store::search::{MatchPlace, Nearness, Query, SessionMatch};

/// The sessions that fit by name, first message or directory, the best first, and how many of them
/// are equally good answers.
pub(super) fn matching(sessions: Vec<SessionFacts>, query: &Query) -> (Vec<SessionFacts>, usize) {
    let found = query.find_at_hand(&sessions);
    let best = found.first().map(quality);
    let count = found.iter().filter(|found| Some(quality(found)) == best).count();
    let mut by_path: HashMap<PathBuf, SessionFacts> =
        sessions.into_iter().map(|facts| (facts.path.clone(), facts)).collect();
    let facts = found.iter().filter_map(|found| by_path.remove(&found.path));
    (facts.collect(), count)
}

/// Equal for equally good answers: how often a word stands somewhere makes no session the one that
/// is meant, only whether it stands in the name. Of guesses the best one is.
fn quality(found: &SessionMatch) -> (Nearness, usize, u32) {
    let elsewhere = found.why.iter().filter(|why| why.place != MatchPlace::Title).count();
    let guess = if found.nearness == Nearness::Fuzzy { found.relevance } else { 0 };
    (found.nearness, elsewhere, guess)
}
