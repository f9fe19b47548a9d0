//! The order in which samples are decided, with all that decides.

use std::ops::Range;

use super::decisions::SamplePlace;
use super::tape::Record;
use super::words;
use crate::quality::SampleFacts;

/// The words of a record.
pub(super) const WORDS: usize = 11;

/// What the words of a record say.
const WEIGHTS: Range<usize> = 0..3;
const PLACE: usize = 3;
const EXACT: Range<usize> = 4..6;
const GROUP: Range<usize> = 6..8;
const CONVERSATION: Range<usize> = 8..10;
const SKETCHES: usize = 10;

/// A sample that is to be decided. What comes first has the smallest words.
pub(super) struct OrderRecord(Record<WORDS>);

impl OrderRecord {
    /// Where near duplicates are looked for, the samples that train the most come first.
    pub(super) fn of(
        place: SamplePlace,
        sample: &SampleFacts,
        role: [u64; 2],
        conversation: [u64; 2],
        is_near: bool,
    ) -> Self {
        let mut words_ = [0; WORDS];
        if is_near {
            let weights = [sample.targets.len() as u64, sample.target_chars, sample.chars];
            words_[WEIGHTS].copy_from_slice(&weights.map(|weight| !weight));
            words_[SKETCHES] = sample.sketches.len() as u64;
        }
        words_[PLACE] = place.to_word();
        words_[EXACT].copy_from_slice(&words(&sample.exact));
        words_[GROUP].copy_from_slice(&[role[0], sample.template]);
        words_[CONVERSATION].copy_from_slice(&conversation);
        Self(words_)
    }

    pub(super) fn of_words(words: Record<WORDS>) -> Self {
        Self(words)
    }

    pub(super) fn to_words(&self) -> Record<WORDS> {
        self.0
    }

    /// Where the sample is.
    pub(super) fn place(&self) -> u64 {
        self.0[PLACE]
    }

    /// How many sketches it has.
    pub(super) fn sketches(&self) -> usize {
        self.0[SKETCHES] as usize
    }

    /// What samples have in common that say the same, and its position.
    pub(super) fn exact(&self, position: u64) -> Record<3> {
        let [_, _, _, _, high, low, ..] = self.0;
        [high, low, position]
    }

    /// How it begins, in which conversation, and its position.
    pub(super) fn beginning(&self, position: u64) -> Record<5> {
        let mut record = [position; 5];
        record[..4].copy_from_slice(&self.0[GROUP.start..CONVERSATION.end]);
        record
    }
}
