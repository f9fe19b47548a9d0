//! Which sessions belong together, and which replies they have in common.
//!
//! This is found before any sample is left out: a sample that goes must not hide that two sessions
//! share something. The sessions come oldest first, and what two have in common is the older one's.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Judged;
use super::repeated::repeated;
use super::twins::Twins;
use super::union::Union;
use crate::reply_keys::TargetKey;

/// Sessions that never go to different parts of a split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Families {
    union: Union,
}

impl Families {
    /// Families by what is known of the sessions: copies of one session, forks, sub-agents. The
    /// session that two come from need not be among them.
    pub(crate) fn of(sessions: &[Judged<'_>]) -> Self {
        let mut union = Union::new(sessions.len());
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (at, session) in sessions.iter().enumerate() {
            let about = session.about;
            let parent = about.parent_session_id.as_deref().unwrap_or_default();
            let ids = [about.session_id.as_str(), about.family_id.as_str(), parent];
            for id in ids.into_iter().filter(|id| !id.is_empty()) {
                union.join(*first.entry(id).or_insert(at), at);
            }
        }
        Self { union }
    }

    /// Families by the oldest session of each session's family.
    pub(crate) fn of_oldest(oldest: impl Iterator<Item = u32>) -> Self {
        let mut union = Union::default();
        for (at, oldest) in oldest.enumerate() {
            union.grow();
            union.join(oldest as usize, at);
        }
        Self { union }
    }

    /// The oldest session of each session's family.
    pub(crate) fn all_oldest(&self) -> impl Iterator<Item = u32> {
        let mut union = self.union.clone();
        (0..union.len()).map(move |at| union.first(at) as u32)
    }

    /// Joins sessions with equal samples or nearly equal targets, and those that share a target.
    /// Returns for each session the targets that an older one has too, by their paths.
    pub(crate) fn compare(&mut self, sessions: &[Judged<'_>]) -> Vec<HashSet<TargetKey>> {
        let mut by_text: HashMap<[u8; 16], usize> = HashMap::new();
        let samples = || sessions.iter().flat_map(|session| session.samples);
        let mut twins = Twins::among(&samples().flat_map(|sample| &sample.sketches));
        let keys = samples().flat_map(|sample| &sample.targets).flat_map(|target| target.both());
        let shared = repeated(keys.collect());
        // The first session that has it.
        let mut by_target: HashMap<TargetKey, usize> = HashMap::new();
        let mut first = |key: TargetKey, at| match shared.binary_search(&key) {
            Ok(_) => *by_target.entry(key).or_insert(at),
            Err(_) => at,
        };
        let mut repeated = vec![HashSet::new(); sessions.len()];
        for (at, session) in sessions.iter().enumerate() {
            for sample in session.samples {
                self.union.join(*by_text.entry(sample.exact).or_insert(at), at);
                for sketch in &sample.sketches {
                    match twins.find(sketch) {
                        Some(older) => self.union.join(older, at),
                        None => twins.add(sketch, at),
                    }
                }
                for target in &sample.targets {
                    for older in target.both().map(|key| first(key, at)) {
                        if older != at {
                            repeated[at].insert(target.path);
                            self.union.join(older, at);
                        }
                    }
                }
            }
        }
        repeated
    }

    /// These two sessions belong together.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        self.union.join(one, other);
    }

    /// The oldest session of the family that this one is in.
    pub(crate) fn oldest(&mut self, session: usize) -> usize {
        self.union.first(session)
    }
}

#[cfg(test)]
mod tests {
    use super::super::SampleFacts;
    use super::*;
    use crate::reply_keys::ReplyKey;
    use pitree_sample::About;

    fn about(session_id: &str, family_id: &str, parent: Option<&str>) -> About {
        About {
            session_id: session_id.to_owned(),
            family_id: family_id.to_owned(),
            parent_session_id: parent.map(str::to_owned),
            ..About::default()
        }
    }

    /// The oldest of each session's family.
    fn oldest(abouts: &[About]) -> Vec<usize> {
        let judged: Vec<_> = abouts.iter().map(|about| Judged { about, samples: &[] }).collect();
        let mut families = Families::of(&judged);
        (0..abouts.len()).map(|at| families.oldest(at)).collect()
    }

    #[test]
    fn relatives_are_one_family_even_without_the_one_that_ties_them() {
        let child = |id| about(id, id, Some("gone"));
        assert_eq!(oldest(&[child("a"), about("x", "x", None), child("b")]), [0, 1, 0]);
        let by_root = |id| about(id, "root", None);
        assert_eq!(oldest(&[by_root("a"), by_root("b")]), [0, 0]);
        assert_eq!(oldest(&[about("a", "", None), about("a", "", None)]), [0, 0], "two copies");
        assert_eq!(oldest(&[about("", "", None), about("", "", None)]), [0, 1], "nothing known");
        // The child of a child.
        let chain = [about("c", "c", Some("b")), about("a", "a", None), about("b", "b", Some("a"))];
        assert_eq!(oldest(&chain), [0, 0, 0]);
    }

    #[test]
    fn a_target_that_an_older_session_has_is_the_older_ones() {
        let abouts = [about("a", "a", None), about("b", "b", None), about("c", "c", None)];
        let key = |&path: &u8| ReplyKey { mark: 0, path: [path; 16], own: [path % 10; 16] };
        let facts = |exact: u8, targets: &[u8]| SampleFacts {
            exact: [exact; 16],
            targets: targets.iter().map(key).collect(),
            ..SampleFacts::default()
        };
        let samples = [vec![facts(1, &[10, 11])], vec![facts(2, &[21, 12])], vec![facts(3, &[13])]];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let mut families = Families::of(&judged);
        let repeated = families.compare(&judged);
        assert_eq!(repeated, [HashSet::new(), HashSet::from([[21; 16]]), HashSet::new()]);
        assert_eq!([families.oldest(1), families.oldest(2)], [0, 2]);
    }

    #[test]
    fn a_target_may_tie_sessions_that_share_nothing_with_each_other() {
        let abouts = [about("a", "a", None), about("b", "b", None), about("c", "c", None)];
        let with = |path: u8, own: u8| {
            let key = ReplyKey { mark: 0, path: [path; 16], own: [own; 16] };
            let exact = [path ^ own; 16];
            vec![SampleFacts { exact, targets: vec![key], ..SampleFacts::default() }]
        };
        // The third has the path of the first and says itself what the second says.
        let samples = [with(1, 10), with(2, 20), with(1, 20)];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let mut families = Families::of(&judged);
        let repeated = families.compare(&judged);
        assert_eq!(repeated, [HashSet::new(), HashSet::new(), HashSet::from([[1; 16]])]);
        assert_eq!([families.oldest(1), families.oldest(2)], [0, 0]);
    }
}
