//! Targets in the form in which they are compared out of core: as words.

use super::tape::Record;
use crate::quality::{BANDS, TargetSketch};

/// The words of one part of a sketch.
const PART_WORDS: usize = BANDS / 2;

/// The words of a candidate: who it is, and three parts.
pub(super) const WORDS: usize = 3 + 3 * PART_WORDS;

/// A target that others are compared with.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// What the samples or sessions are gone through by: the order of those that are compared.
    pub(super) unit: u64,
    /// Which target of its unit it is.
    pub(super) ordinal: u32,
    /// In which bands it is meant, a bit for each.
    pub(super) bands: u16,
    /// The sample that it is in.
    pub(super) place: u64,
    /// What is compared.
    pub(super) sketch: TargetSketch,
}

impl Candidate {
    /// Its words. Those of one unit come in the order of their numbers, whatever their bands are.
    pub(super) fn to_words(&self) -> Record<WORDS> {
        let mut words = [0; WORDS];
        let is_pair = u64::from(self.sketch.rejected.is_some());
        let about = u64::from(self.ordinal) << 32 | u64::from(self.bands) << 1 | is_pair;
        words[..3].copy_from_slice(&[self.unit, about, self.place]);
        let parts =
            [Some(&self.sketch.reply), Some(&self.sketch.prompt), self.sketch.rejected.as_deref()];
        for (words, part) in words[3..].chunks_mut(PART_WORDS).zip(parts) {
            let pairs = part.into_iter().flat_map(|part| part.chunks(2));
            for (word, pair) in words.iter_mut().zip(pairs) {
                *word = u64::from(pair[0]) << 32 | u64::from(pair[1]);
            }
        }
        words
    }

    /// What these words say.
    pub(super) fn of_words(words: &Record<WORDS>) -> Self {
        let part = |number: usize| {
            let first = 3 + number * PART_WORDS;
            std::array::from_fn(|at| {
                let word = words[first + at / 2];
                if at % 2 == 0 { (word >> 32) as u32 } else { word as u32 }
            })
        };
        let [unit, about, place] = [words[0], words[1], words[2]];
        let is_pair = about & 1 == 1;
        Self {
            unit,
            ordinal: (about >> 32) as u32,
            bands: (about >> 1) as u16,
            place,
            sketch: TargetSketch {
                reply: part(0),
                prompt: part(1),
                rejected: is_pair.then(|| Box::new(part(2))),
            },
        }
    }
}
