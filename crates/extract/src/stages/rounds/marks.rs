//! Which sessions may share replies with others, so that more than marks is needed of them.
//!
//! A redaction decodes every line, and then all keys are worked out on the way. Without one, only
//! files of the same session, and a session and its forks, get them at once. All others have marks
//! only; those of which another session has a mark too are worked on once more, with all keys.

use std::collections::HashMap;

use crate::copy::Speech;
use crate::guard::Guard;
use crate::stages::session::{PlannedSource, SessionResult};

/// What is worked out of each session in the first round.
pub(super) fn first_round(sources: &[PlannedSource], guard: &dyn Guard) -> Vec<Speech> {
    if guard.fingerprint().is_some() {
        return vec![Speech::Hashed; sources.len()];
    }
    // Of each id: the sessions that have it or were forked from it.
    let mut of_id: HashMap<&str, usize> = HashMap::new();
    for source in sources {
        for id in ids(source) {
            *of_id.entry(id).or_default() += 1;
        }
    }
    let is_related = |source: &PlannedSource| ids(source).any(|id| of_id.get(id) > Some(&1));
    let speech = |source| if is_related(source) { Speech::Hashed } else { Speech::Ignored };
    sources.iter().map(speech).collect()
}

/// The session's own id, and the one that it was forked from. What a sub-agent was sent out by is
/// another conversation.
fn ids(planned: &PlannedSource) -> impl Iterator<Item = &str> {
    let about = &planned.source.about;
    let parent = about.parent_session_id.as_deref().filter(|_| !about.is_subagent);
    [Some(about.session_id.as_str()), parent].into_iter().flatten().filter(|id| !id.is_empty())
}

/// The sessions of which only marks are known, and which have a mark that another session has too.
/// Once their keys are known no two sessions have a reply in common unless these say so.
pub(super) fn unsettled(
    sources: &[PlannedSource],
    results: &[SessionResult],
    guard: &dyn Guard,
) -> Vec<usize> {
    let speech = first_round(sources, guard);
    match speech.contains(&Speech::Ignored) {
        true => ambiguous(&marks(results), &speech),
        false => Vec::new(),
    }
}

/// All marks with the places of their sessions, in order.
fn marks(results: &[SessionResult]) -> Vec<(u64, usize)> {
    let of_session = |(at, result): (usize, &SessionResult)| -> Vec<(u64, usize)> {
        let samples = result.summary().map_or(&[][..], |summary| &summary.samples);
        let targets = samples.iter().flat_map(|sample| &sample.targets);
        targets.map(|target| (target.mark, at)).collect()
    };
    let mut marks: Vec<_> = results.iter().enumerate().flat_map(of_session).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// The sessions without keys that have a mark with another one in common.
fn ambiguous(marks: &[(u64, usize)], speech: &[Speech]) -> Vec<usize> {
    let common = marks.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() > 1);
    let places = common.flatten().map(|(_, at)| *at);
    let mut places: Vec<usize> = places.filter(|at| speech[*at] == Speech::Ignored).collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pitree_sample::About;

    use super::*;
    use crate::guard::Unguarded;
    use crate::sources::Source;

    fn source(id: &str, parent: Option<&str>, is_subagent: bool) -> PlannedSource {
        let about = About {
            session_id: id.to_owned(),
            parent_session_id: parent.map(str::to_owned),
            is_subagent,
            ..About::default()
        };
        let source = Source { path: id.into(), about: Arc::new(about) };
        PlannedSource { source, pinned: None }
    }

    #[test]
    fn copies_and_forks_get_keys_at_once_and_sub_agents_do_not() {
        let sources = [
            source("alone", None, false),
            source("twice", None, false),
            source("twice", None, false),
            source("parent", None, false),
            source("fork", Some("parent"), false),
            source("one", Some("gone"), false),
            source("two", Some("gone"), false),
            source("agent", Some("alone"), true),
            source("", None, false),
            source("", None, false),
        ];
        let hashed = first_round(&sources, &Unguarded);
        let hashed: Vec<bool> = hashed.iter().map(|it| *it == Speech::Hashed).collect();
        assert_eq!(hashed, [false, true, true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn a_mark_that_two_sessions_have_makes_those_without_keys_ambiguous() {
        use Speech::{Hashed, Ignored};
        let marks = [(1, 0), (2, 1), (2, 2), (3, 2), (3, 3), (4, 4), (5, 5), (5, 6)];
        let speech = [Ignored, Ignored, Hashed, Ignored, Ignored, Hashed, Hashed];
        assert_eq!(ambiguous(&marks, &speech), [1, 3]);
    }
}
