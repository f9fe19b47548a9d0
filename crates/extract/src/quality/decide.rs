//! What becomes of each sample, once all sessions are known.
//!
//! The sessions come in a fixed order, oldest first, and of things that are the same the first one
//! stays. So the same sessions always give the same data set, and a fork gives way to the session
//! that it was copied from.

use std::collections::{BTreeMap, HashMap};

use super::union::Union;
use super::{Dedupe, Families, Quality, SampleFacts};
use crate::output::Split;
use crate::sample::About;

/// The same was said in another sample.
pub(crate) const EQUAL: &str = "equal to another sample";
/// Nearly the same was said in another sample.
pub(crate) const NEAR: &str = "nearly equal to another sample";
/// There are enough samples that begin in this way.
pub(crate) const CAPPED: &str = "begins like many others";

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
    pub(crate) dropped: BTreeMap<&'static str, u64>,
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
    pub(crate) dropped: Option<&'static str>,
    /// The sample that it is a near duplicate of, by session and number; its own if it is kept.
    pub(crate) cluster: Option<(usize, usize)>,
}

/// Decides what becomes of all samples. No reply is a target of two sessions any more.
pub(crate) fn decide(sessions: &[Judged<'_>], families: Families, quality: &Quality) -> Decisions {
    let mut deciding = Deciding::new(sessions);
    if quality.dedupe != Dedupe::Off {
        deciding.drop_equal();
    }
    if quality.dedupe.is_near() {
        deciding.find_near(quality.dedupe == Dedupe::Drop);
    }
    if let Some(most) = quality.cap {
        deciding.cap(most);
    }
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

    /// The samples that are still in.
    fn kept(&self) -> impl Iterator<Item = usize> + use<> {
        let kept: Vec<usize> =
            (0..self.places.len()).filter(|&at| self.verdicts[at].dropped.is_none()).collect();
        kept.into_iter()
    }

    fn drop_equal(&mut self) {
        let mut first: HashMap<[u8; 16], usize> = HashMap::new();
        for at in 0..self.places.len() {
            let earlier = *first.entry(self.facts(at).exact).or_insert(at);
            if earlier != at {
                self.verdicts[at].dropped = Some(EQUAL);
            }
        }
    }

    fn find_near(&mut self, drops: bool) {
        let mut first: HashMap<u64, usize> = HashMap::new();
        let mut clusters = Union::new(self.places.len());
        for at in self.kept() {
            for band in &self.facts(at).bands {
                clusters.join(*first.entry(*band).or_insert(at), at);
            }
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in self.kept() {
            members.entry(clusters.first(at)).or_default().push(at);
        }
        for members in members.into_values().filter(|members| members.len() > 1) {
            self.settle_cluster(&members, drops);
        }
    }

    /// The longest of near duplicates stays; of equally long ones the first.
    fn settle_cluster(&mut self, members: &[usize], drops: bool) {
        let by_length = |at: &&usize| (self.facts(**at).chars, std::cmp::Reverse(**at));
        let Some(&longest) = members.iter().max_by_key(by_length) else { return };
        for &at in members {
            self.verdicts[at].cluster = Some(self.places[longest]);
            if drops && at != longest {
                self.verdicts[at].dropped = Some(NEAR);
            }
        }
    }

    fn cap(&mut self, most: usize) {
        let mut seen: HashMap<(Option<String>, u64), usize> = HashMap::new();
        for at in self.kept() {
            let about = self.sessions[self.places[at].0].about;
            let role = about.role.as_ref().map(|finding| format!("{:?}", finding.role));
            let count = seen.entry((role, self.facts(at).template)).or_default();
            *count += 1;
            if *count > most {
                self.verdicts[at].dropped = Some(CAPPED);
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

/// Which part a family is in: its oldest session decides, by a hash of its id, so that it stays
/// there when sessions are added.
fn split_of(session_id: &str, validation: f64) -> Split {
    let hash = blake3::hash(session_id.as_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    let place = f64::from(u32::from_le_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0);
    if place < validation { Split::Validation } else { Split::Train }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(session_id: &str, family_id: &str) -> About {
        About {
            session_id: session_id.to_owned(),
            family_id: family_id.to_owned(),
            ..About::default()
        }
    }

    fn facts(exact: u8, bands: &[u64], chars: u64, targets: &[u64]) -> SampleFacts {
        SampleFacts {
            exact: [exact; 16],
            bands: bands.to_vec(),
            chars,
            targets: targets.to_vec(),
            ..SampleFacts::default()
        }
    }

    /// Compares the sessions and decides.
    fn decided(judged: &[Judged<'_>], quality: &Quality) -> Decisions {
        let mut families = Families::of(judged);
        let _ = families.compare(judged);
        decide(judged, families, quality)
    }

    fn dropped(decisions: &Decisions) -> Vec<Option<&'static str>> {
        let samples = decisions.sessions.iter().flat_map(|session| &session.samples);
        samples.map(|verdict| verdict.dropped).collect()
    }

    #[test]
    fn of_equal_samples_the_first_stays_and_of_near_ones_the_longest() {
        let abouts = [about("a", "a"), about("b", "b"), about("c", "c")];
        let samples = [
            vec![facts(1, &[7, 8], 10, &[]), facts(2, &[1], 5, &[])],
            vec![facts(1, &[7, 8], 10, &[]), facts(3, &[8], 90, &[])],
            vec![facts(4, &[9], 5, &[])],
        ];
        let judged: Vec<_> =
            abouts.iter().zip(&samples).map(|(about, samples)| Judged { about, samples }).collect();
        let with = |dedupe| decided(&judged, &Quality { dedupe, ..Quality::default() });
        assert_eq!(dropped(&with(Dedupe::Off)), [None; 5]);
        assert_eq!(dropped(&with(Dedupe::Exact)), [None, None, Some(EQUAL), None, None]);
        let decisions = with(Dedupe::Drop);
        assert_eq!(dropped(&decisions), [Some(NEAR), None, Some(EQUAL), None, None]);
        assert_eq!(decisions.families, 2, "a and b say the same");
        assert_eq!(with(Dedupe::Off).families, 2, "whether the second is dropped or not");
        let marked = with(Dedupe::Mark);
        assert_eq!(dropped(&marked), [None, None, Some(EQUAL), None, None]);
        assert_eq!(marked.sessions[0].samples[0].cluster, Some((1, 1)));
        assert_eq!(marked.sessions[2].samples[0].cluster, None);
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
    fn what_begins_alike_is_capped() {
        let abouts = [about("a", "a")];
        let samples: Vec<SampleFacts> = (0..5).map(|n| facts(n, &[], 1, &[])).collect();
        let judged = [Judged { about: &abouts[0], samples: &samples }];
        let decisions = decided(&judged, &Quality { cap: Some(3), ..Quality::default() });
        assert_eq!(dropped(&decisions)[3..], [Some(CAPPED); 2]);
    }
}
