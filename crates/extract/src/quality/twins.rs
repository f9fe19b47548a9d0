//! Targets that are nearly the same: what is trained, and what it answers.
//!
//! A target is a reply; its prompt is what it answers: all since the reply before, and the last
//! message of the user. Two targets are twins if their replies overlap and their prompts do. All
//! else in the context does not count: the samples of one session have most of that in common.
//! Neither does one part make up for another: a long prompt does not make twins of two answers.

use std::collections::HashMap;
use std::sync::Arc;

use pitree_sample::{ChatMessage, ChatRole, Sample};
use serde::{Deserialize, Serialize};

use super::MessageMemo;
use super::minhash::{BANDS, Keys, Sketch};
use super::repeated::repeated;

/// So many keys of each part must be equal. Nearly always so above an overlap of 0.85, in about
/// six of ten cases at 0.685, in one of twenty at 0.5.
const LEAST_EQUAL: usize = 3;

/// So many targets are looked at for one key.
const MOST_CANDIDATES: usize = 8;

/// The keys of all parts of a target in one band.
pub(crate) type BandKey = u128;

/// The band of a key.
pub(crate) fn band_of(key: BandKey) -> usize {
    // A pair has one part more, and never all of these bits clear.
    let kind = if key >> 96 == 0 { key >> 64 } else { key >> 96 };
    (kind / 2) as usize
}

/// A target as it is compared with others. There may be hundreds of thousands, all in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetSketch {
    /// The reply; of a pair, the one that was chosen.
    pub(crate) reply: Keys,
    /// What it answers.
    pub(crate) prompt: Keys,
    /// Of a pair, the other reply.
    pub(crate) rejected: Option<Box<Keys>>,
}

impl TargetSketch {
    /// Of the keys of a reply and of what it answers: 14 hashes of what each of them says, of which
    /// texts have the more in common the more they overlap.
    pub fn new(reply: [u32; 14], prompt: [u32; 14]) -> Self {
        Self { reply, prompt, rejected: None }
    }

    /// Whether two targets are twins.
    pub(crate) fn is_twin_of(&self, other: &Self) -> bool {
        let are_near = |(one, other): (&Keys, &Keys)| {
            one.iter().zip(other).filter(|(one, other)| one == other).count() >= LEAST_EQUAL
        };
        self.rejected.is_some() == other.rejected.is_some()
            && self.parts().zip(other.parts()).all(are_near)
    }

    fn parts(&self) -> impl Iterator<Item = &Keys> {
        [&self.reply, &self.prompt].into_iter().chain(self.rejected.as_deref())
    }

    /// What twins are likely to have in common.
    pub(crate) fn keys(&self) -> impl Iterator<Item = BandKey> {
        (0..BANDS).map(|band| self.key(band))
    }

    /// The band, and the key that each part has there. Nothing is hashed, so no two targets have a
    /// key in common that differ in this band.
    pub(crate) fn key(&self, band: usize) -> BandKey {
        let kind = band as BandKey * 2 + BandKey::from(self.rejected.is_some());
        self.parts().fold(kind, |key, part| key << 32 | BandKey::from(part[band]))
    }
}

/// The sketches of the targets of a sample, in order. A reply that was split in two is one.
pub(super) fn sketches(sample: &Sample, known: &mut MessageMemo) -> Vec<TargetSketch> {
    let mut sketches = Vec::new();
    let mut asked: Option<&Arc<ChatMessage>> = None;
    let mut since_reply = 0;
    for (at, (message, trained)) in sample.turns().enumerate() {
        if message.role == ChatRole::User {
            asked = Some(message);
        }
        if message.role != ChatRole::Assistant {
            continue;
        }
        if trained && !message.is_second_half() {
            let halves = sample.messages[at + 1..].iter().take_while(|it| it.is_second_half());
            let reply = sketch_of(std::iter::once(message).chain(halves), known);
            let answered = &sample.messages[since_reply..at];
            let answered = answered.iter().filter(|it| it.role != ChatRole::System);
            let prompt = sketch_of(answered.chain(asked), known);
            let (reply, prompt) = (reply.keys(), prompt.keys());
            sketches.push(TargetSketch { reply, prompt, rejected: None });
        }
        since_reply = at + 1;
    }
    sketches.shrink_to_fit();
    sketches
}

fn sketch_of<'a>(
    messages: impl Iterator<Item = &'a Arc<ChatMessage>>,
    known: &mut MessageMemo,
) -> Sketch {
    let mut whole = Sketch::default();
    messages.for_each(|message| whole.add(&known.sketch(message)));
    whole
}

/// Targets in which twins are looked for, each of an owner.
pub(crate) struct Twins<'a> {
    targets: Vec<(&'a TargetSketch, usize)>,
    /// Only keys that several targets have: most have theirs alone, and nobody would find them.
    by_key: HashMap<BandKey, Vec<u32>>,
}

impl<'a> Twins<'a> {
    /// None yet, but all that will be added or looked for are among these.
    pub(super) fn among(targets: &(impl Iterator<Item = &'a TargetSketch> + Clone)) -> Self {
        let in_band = |band| repeated(targets.clone().map(|target| target.key(band)).collect());
        let keys = (0..BANDS).flat_map(in_band).map(|key| (key, Vec::new()));
        Self { targets: Vec::new(), by_key: keys.collect() }
    }

    /// None yet; only these keys count.
    pub(crate) fn with_keys(keys: impl Iterator<Item = BandKey>) -> Self {
        let keys = keys.map(|key| (key, Vec::new()));
        Self { targets: Vec::new(), by_key: keys.collect() }
    }

    /// Adds a target that was added elsewhere, where there was room for it in these bands.
    pub(crate) fn add_known(&mut self, target: &'a TargetSketch, owner: usize, bands: u16) {
        let at = self.targets.len() as u32;
        self.targets.push((target, owner));
        for band in (0..BANDS).filter(|band| bands >> band & 1 == 1) {
            if let Some(candidates) = self.by_key.get_mut(&target.key(band)) {
                candidates.push(at);
            }
        }
    }

    /// The owners of all targets that were added and are found by this key, in that order.
    pub(crate) fn owners(&self, key: BandKey) -> impl Iterator<Item = usize> {
        let candidates = self.by_key.get(&key).into_iter().flatten();
        candidates.filter_map(|&at| self.targets.get(at as usize)).map(|(_, owner)| *owner)
    }

    /// The owner of a twin.
    pub(crate) fn find(&self, target: &TargetSketch) -> Option<usize> {
        target.keys().find_map(|key| {
            let candidates = self.by_key.get(&key)?.iter();
            let mut candidates = candidates.filter_map(|&at| self.targets.get(at as usize));
            candidates.find(|(other, _)| target.is_twin_of(other)).map(|(_, owner)| *owner)
        })
    }

    /// The owner of a twin of the first target, if all of them have one.
    pub(crate) fn find_all<'t>(
        &self,
        targets: impl IntoIterator<Item = &'t TargetSketch>,
    ) -> Option<usize> {
        let mut owner = None;
        for target in targets {
            let found = self.find(target)?;
            owner.get_or_insert(found);
        }
        owner
    }

    /// Adds a target.
    pub(crate) fn add(&mut self, target: &'a TargetSketch, owner: usize) {
        let at = self.targets.len() as u32;
        let mut can_be_found = false;
        for key in target.keys() {
            let Some(candidates) = self.by_key.get_mut(&key) else { continue };
            if candidates.len() < MOST_CANDIDATES {
                candidates.push(at);
                can_be_found = true;
            }
        }
        if can_be_found {
            self.targets.push((target, owner));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{message, sample, speaking};
    use super::*;

    fn targets(messages: &[(ChatRole, &str)]) -> Vec<TargetSketch> {
        let said = messages.iter().map(|(role, text)| match role {
            ChatRole::Assistant => speaking(text, "stop"),
            other => message(*other, text),
        });
        sketches(&sample(said.collect()), &mut MessageMemo::default())
    }

    #[test]
    fn neither_a_long_prompt_nor_a_long_context_makes_twins() {
        use ChatRole::{Assistant, Tool, User};
        let long: String = (0..300).map(|at| format!("word{at} ")).collect();
        let [first, second, third] = &targets(&[
            (User, &long),
            (Assistant, "look at the first file of the folder"),
            (Tool, "nothing"),
            (Assistant, "now the second one must be read"),
            (Tool, "something else"),
            (Assistant, "look at the first file of the folder"),
        ])[..] else {
            panic!("three targets")
        };
        assert!(!first.is_twin_of(second) && !second.is_twin_of(third));
        let again = targets(&[
            (User, "Be so kind."),
            (Assistant, "gladly"),
            (User, &long),
            (Assistant, "look at the first file of the folder"),
        ]);
        assert!(first.is_twin_of(&again[1]), "what went before does not count");
        let mut twins = Twins::among(&[first, second, third].into_iter().chain(&again));
        twins.add(first, 7);
        assert_eq!(twins.find(&again[1]), Some(7));
        assert_eq!(twins.find(second), None);
        assert_eq!(twins.find_all(&again), None, "one of two has a twin");
        assert_eq!(twins.find_all(&again[1..]), Some(7));
        assert_eq!(twins.find_all(&[]), None);
    }

    #[test]
    fn a_key_says_its_band_and_all_parts() {
        for rejected in [None, Some([0; BANDS]), Some([u32::MAX; BANDS])] {
            for part in [0, u32::MAX] {
                let rejected = rejected.map(Box::new);
                let target = TargetSketch { reply: [part; BANDS], prompt: [part; BANDS], rejected };
                let bands: Vec<usize> = target.keys().map(band_of).collect();
                assert_eq!(bands, (0..BANDS).collect::<Vec<_>>());
                let other = TargetSketch { prompt: [7; BANDS], ..target.clone() };
                assert!(target.keys().zip(other.keys()).all(|(one, other)| one != other));
            }
        }
    }

    #[test]
    fn the_same_answer_to_another_question_is_no_twin() {
        use ChatRole::{Assistant, User};
        let one = targets(&[(User, "Is the first test green by now?"), (Assistant, "yes")]);
        let other = targets(&[(User, "May I delete the whole branch?"), (Assistant, "yes")]);
        assert!(!one[0].is_twin_of(&other[0]));
    }
}
