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
type BandKey = u128;

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
    fn keys(&self) -> impl Iterator<Item = BandKey> {
        (0..BANDS).map(|band| self.key(band))
    }

    /// The band, and the key that each part has there. Nothing is hashed, so no two targets have a
    /// key in common that differ in this band.
    fn key(&self, band: usize) -> BandKey {
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
pub(super) struct Twins<'a> {
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

    /// The owner of a twin.
    pub(super) fn find(&self, target: &TargetSketch) -> Option<usize> {
        target.keys().find_map(|key| {
            let candidates = self.by_key.get(&key)?.iter();
            let mut candidates = candidates.filter_map(|&at| self.targets.get(at as usize));
            candidates.find(|(other, _)| target.is_twin_of(other)).map(|(_, owner)| *owner)
        })
    }

    /// The owner of a twin of the first target, if all of them have one.
    pub(super) fn find_all(&self, targets: &[TargetSketch]) -> Option<usize> {
        let mut owner = None;
        for target in targets {
            let found = self.find(target)?;
            owner.get_or_insert(found);
        }
        owner
    }

    /// Adds a target.
    pub(super) fn add(&mut self, target: &'a TargetSketch, owner: usize) {
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
    fn the_same_answer_to_another_question_is_no_twin() {
        use ChatRole::{Assistant, User};
        let one = targets(&[(User, "Is the first test green by now?"), (Assistant, "yes")]);
        let other = targets(&[(User, "May I delete the whole branch?"), (Assistant, "yes")]);
        assert!(!one[0].is_twin_of(&other[0]));
    }
}
