//! Near duplicates by MinHash and locality-sensitive hashing.
//!
//! The words of the user and the model are taken in runs of five. Of each run a hash is made, and
//! of all hashes the smallest under 112 different orders are kept. Two samples agree in one of
//! them as often as their runs overlap. The 112 are put into 14 bands of 8, and samples that agree
//! in a whole band are taken for near duplicates: half of those with an overlap of 0.685 are found,
//! nearly all above 0.85, nearly none below 0.5.

use crate::sample::{ChatRole, Part, Sample};

const RUN: usize = 5;
const BANDS: usize = 14;
const ROWS: usize = 8;
const HASHES: usize = BANDS * ROWS;

/// The keys of the bands of a sample. Samples that share one are near duplicates. A sample with
/// fewer words than a run has none: of so little text equality says more.
pub(super) fn bands(sample: &Sample) -> Vec<u64> {
    let mut sketch = Sketch::new();
    for message in &sample.messages {
        if !matches!(message.role, ChatRole::User | ChatRole::Assistant) {
            continue;
        }
        for part in &message.content {
            if let Part::Text(text) = part {
                sketch.text(text);
            }
        }
        for call in &message.tool_calls {
            sketch.text(&call.name);
            sketch.text(&pitree_format::js::stringify(&call.arguments));
        }
    }
    sketch.bands()
}

struct Sketch {
    least: [u32; HASHES],
    orders: [(u32, u32); HASHES],
    /// The hashes of the last words.
    last: [u64; RUN],
    words: usize,
}

impl Sketch {
    fn new() -> Self {
        // Any fixed odd factors do; these come from one fixed seed, so that two runs agree.
        let mut state = 0x5EED_u64;
        let mut next = || {
            state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
            state as u32
        };
        let orders = std::array::from_fn(|_| (next() | 1, next()));
        Self { least: [u32::MAX; HASHES], orders, last: [0; RUN], words: 0 }
    }

    fn text(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            self.last[self.words % RUN] = word_hash(word);
            self.words += 1;
            if self.words >= RUN {
                self.run();
            }
        }
    }

    fn run(&mut self) {
        let mut hash = 0;
        for at in self.words..self.words + RUN {
            hash = mix(hash ^ self.last[at % RUN]);
        }
        let run = hash as u32;
        for (least, (factor, add)) in self.least.iter_mut().zip(&self.orders) {
            *least = (*least).min(run.wrapping_mul(*factor).wrapping_add(*add));
        }
    }

    fn bands(&self) -> Vec<u64> {
        if self.words < RUN {
            return Vec::new();
        }
        let key = |(band, rows): (usize, &[u32])| {
            rows.iter().fold(band as u64 + 1, |key, row| mix(key ^ u64::from(*row)))
        };
        self.least.chunks(ROWS).enumerate().map(key).collect()
    }
}

/// Words are the same in upper and lower case.
fn word_hash(word: &str) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in word.bytes() {
        hash = (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01B3);
    }
    mix(hash)
}

/// Spreads the bits of a number over all others.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A text of `words` words of which the first `other` differ between `seed`s.
    fn text(words: usize, other: usize, seed: usize) -> String {
        let word = |at: usize| match at < other {
            true => format!("w{}x{seed}", at * 31),
            false => format!("w{}", at * 17),
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    fn keys(text: &str) -> HashSet<u64> {
        let mut sketch = Sketch::new();
        sketch.text(text);
        sketch.bands().into_iter().collect()
    }

    /// How often texts meet of which this many of 1000 words differ.
    fn meetings(other: usize) -> usize {
        let meet = |seed: usize| {
            let (a, b) = (text(1000, other, 2 * seed), text(1000, other, 2 * seed + 1));
            !keys(&a).is_disjoint(&keys(&b))
        };
        (0..50).filter(|seed| meet(*seed)).count()
    }

    #[test]
    fn texts_meet_as_often_as_they_overlap() {
        assert_eq!(meetings(0), 50, "equal");
        assert!(meetings(50) >= 45, "overlap 0.9: {}", meetings(50));
        let half = meetings(186);
        assert!((15..=35).contains(&half), "overlap 0.685: {half}");
        assert!(meetings(350) <= 10, "overlap 0.48: {}", meetings(350));
        assert_eq!(meetings(1000), 0, "nothing in common");
    }

    #[test]
    fn case_and_punctuation_do_not_count() {
        assert_eq!(
            keys("Run the tests, then commit them."),
            keys("run THE tests then commit them")
        );
        assert!(keys("too few words").is_empty());
    }
}
