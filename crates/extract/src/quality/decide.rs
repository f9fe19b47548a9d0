//! What becomes of each sample, once all sessions are known.
//!
//! Samples are looked at one by one, and what is kept stays kept. So a sample that is left out as
//! a duplicate has its twins in what is written, whatever else is left out. The sessions come in a
//! fixed order, oldest first, so the same sessions always give the same data set.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use pitree_sample::About;

use super::twins::Twins;
use super::{Dedupe, Families, Quality, SampleFacts, Split};
use crate::reason::DropReason;

/// A session to decide on.
pub(crate) struct Judged<'a> {
    pub(crate) about: &'a About,
    pub(crate) samples: &'a [SampleFacts],
}

/// What was decided.
pub(crate) struct Decisions {
    /// For each session, in order.
    pub(crate) sessions: Vec<SessionDecision>,
    /// Samples that are left out, by reason.
    pub(crate) dropped: BTreeMap<DropReason, u64>,
    /// How many families there are.
    pub(crate) families: usize,
    /// How many sessions the largest family has.
    pub(crate) largest_family: usize,
}

pub(crate) struct SessionDecision {
    pub(crate) split: Split,
    pub(crate) samples: Vec<Verdict>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Verdict {
    /// Why it is left out.
    pub(crate) dropped: Option<DropReason>,
    /// The sample that it is a near duplicate of, by session and number; its own if it is kept.
    pub(crate) cluster: Option<(usize, usize)>,
}

/// Decides what becomes of all samples. No reply is a target of two sessions any more.
pub(crate) fn decide(sessions: &[Judged<'_>], families: Families, quality: &Quality) -> Decisions {
    let mut deciding = Deciding::new(sessions);
    deciding.go_through(quality);
    deciding.into_decisions(families, quality.validation)
}

struct Deciding<'a> {
    sessions: &'a [Judged<'a>],
    /// All samples, by session and number.
    places: Vec<(usize, usize)>,
    verdicts: Vec<Verdict>,
}

impl<'a> Deciding<'a> {
    fn new(sessions: &'a [Judged<'a>]) -> Self {
        let numbers = |(at, session): (usize, &Judged<'_>)| {
            (0..session.samples.len()).map(move |number| (at, number))
        };
        let places: Vec<_> = sessions.iter().enumerate().flat_map(numbers).collect();
        let verdicts = vec![Verdict::default(); places.len()];
        Self { sessions, places, verdicts }
    }

    fn facts(&self, at: usize) -> &'a SampleFacts {
        let (session, number) = self.places[at];
        &self.sessions[session].samples[number]
    }

    /// Samples in order; where near duplicates are looked for, those that train the most first, so
    /// that a short one gives way to a long one.
    fn order(&self, quality: &Quality) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        if quality.dedupe.is_near() {
            let weight = |at: &usize| {
                let facts = self.facts(*at);
                Reverse((facts.targets.len(), facts.target_chars, facts.chars))
            };
            order.sort_by_key(weight);
        }
        order
    }

    fn go_through(&mut self, quality: &Quality) {
        let mut equal: HashSet<[u8; 16]> = HashSet::new();
        let samples = self.sessions.iter().flat_map(|session| session.samples);
        let mut twins = Twins::among(&samples.flat_map(|sample| &sample.sketches));
        let mut caps = Caps::default();
        for at in self.order(quality) {
            let facts = self.facts(at);
            if quality.dedupe != Dedupe::Off && equal.contains(&facts.exact) {
                self.verdicts[at].dropped = Some(DropReason::Duplicate);
                continue;
            }
            let twin =
                if quality.dedupe.is_near() { twins.find_all(&facts.sketches) } else { None };
            if let Some(twin) = twin {
                self.verdicts[at].cluster = Some(self.places[twin]);
                self.verdicts[twin].cluster = Some(self.places[twin]);
                if quality.dedupe == Dedupe::Drop {
                    self.verdicts[at].dropped = Some(DropReason::NearDuplicate);
                    continue;
                }
            }
            let about = self.sessions[self.places[at].0].about;
            if quality.cap.is_some_and(|most| !caps.admits(about, facts.template, most)) {
                self.verdicts[at].dropped = Some(DropReason::Capped);
                continue;
            }
            equal.insert(facts.exact);
            if quality.dedupe.is_near() && twin.is_none() {
                facts.sketches.iter().for_each(|sketch| twins.add(sketch, at));
            }
        }
    }

    fn into_decisions(self, mut families: Families, validation: Option<f64>) -> Decisions {
        let mut dropped = BTreeMap::new();
        for reason in self.verdicts.iter().filter_map(|verdict| verdict.dropped) {
            *dropped.entry(reason).or_default() += 1;
        }
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        let mut sessions = Vec::with_capacity(self.sessions.len());
        let mut verdicts = self.verdicts.into_iter();
        for (at, session) in self.sessions.iter().enumerate() {
            let oldest = families.oldest(at);
            *sizes.entry(oldest).or_default() += 1;
            let split = validation
                .map_or(Split::All, |part| split_of(&self.sessions[oldest].about.session_id, part));
            let samples = verdicts.by_ref().take(session.samples.len()).collect();
            sessions.push(SessionDecision { split, samples });
        }
        let largest_family = sizes.values().copied().max().unwrap_or(0);
        Decisions { sessions, dropped, families: sizes.len(), largest_family }
    }
}

/// How many conversations begin in the same way. A session and its forks are one of them, however
/// many samples they give: these begin alike by nature.
#[derive(Default)]
struct Caps<'a> {
    admitted: HashMap<(Option<&'a str>, u64), HashSet<&'a str>>,
}

impl<'a> Caps<'a> {
    /// Whether a sample of this session may stay.
    fn admits(&mut self, about: &'a About, template: u64, most: usize) -> bool {
        let role = about.role.as_ref().map(|found| found.role.as_str());
        let admitted = self.admitted.entry((role, template)).or_default();
        // Sub-agents are in the family of who sent them out, and may be many that begin alike.
        let is_alone = about.is_subagent || about.family_id.is_empty();
        let conversation = if is_alone { &about.session_id } else { &about.family_id };
        if admitted.len() < most {
            admitted.insert(conversation);
        }
        admitted.contains(conversation.as_str())
    }
}

/// Which part a family is in: its oldest session decides, by a hash of its id, so that it stays
/// there when sessions are added.
pub(crate) fn split_of(session_id: &str, validation: f64) -> Split {
    let hash = blake3::hash(session_id.as_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    let place = f64::from(u32::from_le_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0);
    if place < validation { Split::Validation } else { Split::Train }
}

#[cfg(test)]
mod tests {
    use super::super::twins::TargetSketch;
    use super::*;
    use crate::reply_keys::ReplyKey;

    fn about(session_id: &str, family_id: &str) -> About {
        About {
            session_id: session_id.to_owned(),
            family_id: family_id.to_owned(),
            ..About::default()
        }
    }

    /// A sample that trains replies, of which those of one number are twins.
    fn facts(exact: u8, targets: &[u32]) -> SampleFacts {
        let sketch = |&target: &u32| TargetSketch {
            reply: [target; 14],
            prompt: [target; 14],
            rejected: None,
        };
        let key = |&target: &u32| {
            let path = (u128::from(exact) << 32 | u128::from(target)).to_le_bytes();
            ReplyKey { mark: 0, path, own: path }
        };
        SampleFacts {
            exact: [exact; 16],
            sketches: targets.iter().map(sketch).collect(),
            targets: targets.iter().map(key).collect(),
            ..SampleFacts::default()
        }
    }

    /// Compares the sessions and decides.
    fn decided(judged: &[Judged<'_>], quality: &Quality) -> Decisions {
        let mut families = Families::of(judged);
        let _ = families.compare(judged);
        decide(judged, families, quality)
    }

    fn dropped(decisions: &Decisions) -> Vec<Option<DropReason>> {
        let samples = decisions.sessions.iter().flat_map(|session| &session.samples);
        samples.map(|verdict| verdict.dropped).collect()
    }

    #[test]
    fn of_equal_samples_the_first_stays_and_of_near_ones_the_one_that_trains_more() {
        let abouts = [about("a", "a"), about("b", "b"), about("c", "c")];
        let samples = [
            vec![facts(1, &[7, 8]), facts(2, &[1])],
            vec![facts(1, &[7, 8]), facts(3, &[8, 7, 9])],
            vec![facts(4, &[5])],
        ];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let with = |dedupe| decided(&judged, &Quality { dedupe, ..Quality::default() });
        assert_eq!(dropped(&with(Dedupe::Off)), [None; 5]);
        assert_eq!(
            dropped(&with(Dedupe::Exact)),
            [None, None, Some(DropReason::Duplicate), None, None]
        );
        let decisions = with(Dedupe::Drop);
        assert_eq!(
            dropped(&decisions),
            [Some(DropReason::NearDuplicate), None, Some(DropReason::NearDuplicate), None, None]
        );
        assert_eq!(decisions.families, 2, "a and b say the same");
        assert_eq!(with(Dedupe::Off).families, 2, "whether the second is dropped or not");
        let marked = with(Dedupe::Mark);
        assert_eq!(dropped(&marked), [None, None, Some(DropReason::Duplicate), None, None]);
        assert_eq!(marked.sessions[0].samples[0].cluster, Some((1, 1)));
        assert_eq!(marked.sessions[1].samples[1].cluster, Some((1, 1)));
        assert_eq!(marked.sessions[2].samples[0].cluster, None);
    }

    #[test]
    fn nothing_is_dropped_for_what_is_not_written() {
        let abouts = [about("a", "a"), about("b", "b"), about("c", "c")];
        // The last one would have its twins in the first, but that is one too many.
        let samples = [vec![facts(1, &[1, 2])], vec![facts(2, &[3, 4, 5])], vec![facts(3, &[1])]];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let quality = Quality { dedupe: Dedupe::Drop, cap: Some(1), ..Quality::default() };
        assert_eq!(
            dropped(&decided(&judged, &quality)),
            [Some(DropReason::Capped), None, Some(DropReason::Capped)]
        );
        // A part of its targets has twins.
        let samples = [vec![facts(1, &[1, 2])], vec![facts(2, &[2, 3])], vec![]];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let quality = Quality { dedupe: Dedupe::Drop, ..Quality::default() };
        assert_eq!(dropped(&decided(&judged, &quality)), [None, None]);
    }

    #[test]
    fn families_never_straddle_the_split() {
        let abouts: Vec<About> =
            (0..1000).map(|n| about(&format!("s{n}"), &format!("f{}", n / 4))).collect();
        let none = Vec::new();
        let judged: Vec<_> = abouts.iter().map(|about| Judged { about, samples: &none }).collect();
        let quality = Quality { validation: Some(0.2), ..Quality::default() };
        let decisions = decided(&judged, &quality);
        assert_eq!((decisions.families, decisions.largest_family), (250, 4));
        for family in decisions.sessions.chunks(4) {
            assert!(family.iter().all(|session| session.split == family[0].split));
        }
        let in_validation = |it: &&SessionDecision| it.split == Split::Validation;
        let aside = decisions.sessions.iter().filter(in_validation).count();
        assert!((120..280).contains(&aside), "{aside} of 1000 with a share of 0.2");
    }

    #[test]
    fn sessions_that_begin_alike_are_capped_and_samples_of_one_session_are_not() {
        let of_family = |family: &str, is_subagent| About {
            is_subagent,
            ..about(&format!("{family} {is_subagent}"), family)
        };
        let abouts = [
            of_family("a", false),
            of_family("a", false),
            of_family("b", false),
            of_family("c", false),
            of_family("a", true),
        ];
        let samples: Vec<Vec<SampleFacts>> =
            (0..5).map(|at| vec![facts(2 * at, &[]), facts(2 * at + 1, &[])]).collect();
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let decisions = decided(&judged, &Quality { cap: Some(2), ..Quality::default() });
        let dropped = dropped(&decisions);
        assert_eq!(dropped[..6], [None; 6], "a, its fork and b");
        assert_eq!(
            dropped[6..],
            [Some(DropReason::Capped); 4],
            "a third one, and a sub-agent of the first"
        );
    }
}
