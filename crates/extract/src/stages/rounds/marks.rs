//! Which sessions may share replies with others, so that more than marks is needed of them.
//!
//! A redaction decodes every line, and then all keys are worked out on the way. Without one, only
//! files of the same session, and a session and its forks, get them at once. All others have marks
//! only; those of which another session has a mark too are worked on once more, with all keys.

use std::collections::HashMap;

use crate::copy::Speech;
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::reduce::CommonMarks;
use crate::stages::results::Results;
use crate::stages::session::PlannedSource;

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
    results: &dyn Results,
    guard: &dyn Guard,
    no_marks: impl FnOnce() -> CommonMarks,
) -> Result<Vec<usize>, ExtractError> {
    let speech = first_round(sources, guard);
    if !speech.contains(&Speech::Ignored) {
        return Ok(Vec::new());
    }
    let mut marks = no_marks();
    results.each_summary(|at, summary| {
        let mut targets = summary.samples.iter().flat_map(|sample| &sample.targets);
        targets.try_for_each(|target| marks.push(target.mark, at))
    })?;
    ambiguous(marks, &speech)
}

/// The sessions without keys that have a mark with another one in common.
fn ambiguous(marks: CommonMarks, speech: &[Speech]) -> Result<Vec<usize>, ExtractError> {
    let mut is_ambiguous = vec![false; speech.len()];
    marks.each(|at| is_ambiguous[at] = speech[at] == Speech::Ignored)?;
    Ok((0..speech.len()).filter(|at| is_ambiguous[*at]).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pitree_sample::About;
    use pitree_session::summary::Cancel;

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
        let folder = tempfile::tempdir().unwrap();
        let mut common = CommonMarks::new(1 << 20, folder.path(), &Cancel::new());
        marks.iter().for_each(|(mark, at)| common.push(*mark, *at).unwrap());
        assert_eq!(ambiguous(common, &speech).unwrap(), [1, 3]);
    }
}
