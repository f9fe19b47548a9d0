//! Finding a session by words, as Pi's picker does.

use std::cmp::Reverse;

use pitree_store::SessionFacts;
use pitree_store::pick::{Fit, Haystack, PickerQuery};

/// The sessions that fit, the best first, and how many of them are the best.
pub(super) fn matching(
    sessions: Vec<SessionFacts>,
    query: &PickerQuery,
) -> (Vec<SessionFacts>, usize) {
    let mut fitting: Vec<(Fit, SessionFacts)> = sessions
        .into_iter()
        .filter_map(|facts| Some((query.fit(&Haystack::of(&facts, usize::MAX), |_| false)?, facts)))
        .collect();
    // Letters that are scattered over a name count only where no word is found whole.
    if fitting.iter().any(|(fit, _)| !fit.is_fuzzy) {
        fitting.retain(|(fit, _)| !fit.is_fuzzy);
    }
    fitting.sort_by_key(|(_, facts)| Reverse(facts.modified_ms));
    fitting.sort_by(|(a, _), (b, _)| rank(a).total_cmp(&rank(b)));
    let best = fitting.first().map(|(fit, _)| rank(fit));
    let count = fitting.iter().take_while(|(fit, _)| Some(rank(fit)) == best).count();
    (fitting.into_iter().map(|(_, facts)| facts).collect(), count)
}

/// Less is better. Where in a name a whole word stands makes no session a better answer.
fn rank(fit: &Fit) -> f64 {
    if fit.is_fuzzy { fit.score } else { fit.tiers.into() }
}
