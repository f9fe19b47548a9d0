//! Sketches of texts by MinHash, from which the overlap of two texts can be told.
//!
//! The words of a message are taken in runs of five. Of each run a hash is made, and of all hashes
//! the smallest under 56 different orders are kept. Two texts agree in one of them as often as
//! their runs overlap. A message of fewer words counts as one run: it overlaps with its equals
//! only. The sketch of several messages is the smallest of their hashes.

use pitree_format::js::stringify;
use pitree_sample::{ChatMessage, Part};

const RUN: usize = 5;
/// How many keys a sketch gives.
pub(crate) const BANDS: usize = 14;
const ROWS: usize = 4;
const HASHES: usize = BANDS * ROWS;

/// The keys of a sketch. Of two texts as many are equal as the fourth power of their overlap says:
/// all of 14 if it is 1, about 7 at 0.85, about 3 at 0.685, about 1 at 0.5.
pub(crate) type Keys = [u32; BANDS];

/// The smallest hashes of the runs of some messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sketch {
    least: [u32; HASHES],
}

impl Default for Sketch {
    /// Of nothing.
    fn default() -> Self {
        Self { least: [u32::MAX; HASHES] }
    }
}

impl Sketch {
    /// The sketch of what a message says: texts, images and calls. Reasoning counts only where
    /// there is nothing else.
    pub(super) fn of(message: &ChatMessage) -> Self {
        let mut runs = Runs::default();
        for part in &message.content {
            match part {
                Part::Text(text) => runs.text(text),
                Part::Image { data, .. } => runs.run(word_hash(data)),
            }
        }
        for call in &message.tool_calls {
            runs.text(&call.name);
            runs.text(&stringify(&call.arguments));
        }
        if message.content.is_empty() && message.tool_calls.is_empty() {
            runs.text(message.thought().unwrap_or_default());
        }
        runs.finish()
    }

    /// Adds what other messages say.
    pub(super) fn add(&mut self, other: &Self) {
        for (least, other) in self.least.iter_mut().zip(&other.least) {
            *least = (*least).min(*other);
        }
    }

    /// Its keys.
    pub(super) fn keys(&self) -> Keys {
        let mut keys = [0; BANDS];
        for (key, rows) in keys.iter_mut().zip(self.least.chunks(ROWS)) {
            *key = rows.iter().fold(1, |key, row| mix(key ^ u64::from(*row))) as u32;
        }
        keys
    }
}

/// The runs of one message.
struct Runs {
    sketch: Sketch,
    orders: [(u32, u32); HASHES],
    /// The hashes of the last words.
    last: [u64; RUN],
    words: usize,
    /// All text so far, for a message that is too short for a run.
    exact: u64,
    is_empty: bool,
}

impl Default for Runs {
    fn default() -> Self {
        // Any fixed odd factors do; these come from one fixed seed, so that two runs agree.
        let mut state = 0x5EED_u64;
        let mut next = || {
            state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
            state as u32
        };
        let orders = std::array::from_fn(|_| (next() | 1, next()));
        let sketch = Sketch::default();
        Self { sketch, orders, last: [0; RUN], words: 0, exact: 0, is_empty: true }
    }
}

impl Runs {
    fn text(&mut self, text: &str) {
        if self.words < RUN {
            self.exact = mix(self.exact ^ text_hash(text));
            self.is_empty &= text.is_empty();
        }
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            self.last[self.words % RUN] = word_hash(word);
            self.words += 1;
            if self.words >= RUN {
                let last = (self.words..self.words + RUN).map(|at| self.last[at % RUN]);
                let hash = last.fold(0, |hash, word| mix(hash ^ word));
                self.run(hash);
            }
        }
    }

    fn run(&mut self, hash: u64) {
        let run = hash as u32;
        for (least, (factor, add)) in self.sketch.least.iter_mut().zip(&self.orders) {
            *least = (*least).min(run.wrapping_mul(*factor).wrapping_add(*add));
        }
    }

    fn finish(mut self) -> Sketch {
        if self.words < RUN && !self.is_empty {
            self.run(self.exact);
        }
        self.sketch
    }
}

/// Words are the same in upper and lower case.
fn word_hash(word: &str) -> u64 {
    hash_bytes(word.bytes().map(|byte| byte.to_ascii_lowercase()))
}

fn text_hash(text: &str) -> u64 {
    hash_bytes(text.bytes())
}

fn hash_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
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
    use super::super::testing::message;
    use super::*;
    use pitree_sample::ChatRole;

    fn keys(text: &str) -> Keys {
        Sketch::of(&message(ChatRole::User, text)).keys()
    }

    fn agreeing(one: &Keys, other: &Keys) -> usize {
        one.iter().zip(other).filter(|(one, other)| one == other).count()
    }

    /// A text of `words` words of which the first `other` differ between `seed`s.
    fn text(words: usize, other: usize, seed: usize) -> String {
        let word = |at: usize| match at < other {
            true => format!("w{}x{seed}", at * 31),
            false => format!("w{}", at * 17),
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    /// The keys that texts share of which this many of 1000 words differ, on average.
    fn shared(other: usize) -> f64 {
        let count = |seed: usize| {
            agreeing(&keys(&text(1000, other, 2 * seed)), &keys(&text(1000, other, 2 * seed + 1)))
        };
        (0..50).map(count).sum::<usize>() as f64 / 50.0
    }

    #[test]
    fn texts_share_keys_as_they_overlap() {
        assert_eq!(shared(0), 14.0, "equal");
        assert!((6.0..9.0).contains(&shared(81)), "overlap 0.85: {}", shared(81));
        assert!((2.0..4.5).contains(&shared(186)), "overlap 0.685: {}", shared(186));
        assert!(shared(350) < 2.0, "overlap 0.48: {}", shared(350));
        assert_eq!(shared(1000), 0.0, "nothing in common");
    }

    #[test]
    fn case_and_punctuation_do_not_count_and_few_words_are_compared_as_they_are() {
        assert_eq!(
            keys("Run the tests, then commit them."),
            keys("run THE tests then commit them")
        );
        assert_eq!(keys("yes, do"), keys("yes, do"));
        for other in ["yes do", "no, do not", "!", ""] {
            assert_eq!(agreeing(&keys("yes, do"), &keys(other)), 0, "{other}");
        }
        assert_ne!(keys("!"), keys("?"));
    }

    #[test]
    fn a_short_message_beside_a_long_one_makes_a_difference() {
        let sketch = |text| Sketch::of(&message(ChatRole::User, text));
        let mut one = sketch("it works");
        let mut other = sketch("it does not");
        let long = sketch("run the tests of everything");
        one.add(&long);
        other.add(&long);
        assert!(agreeing(&one.keys(), &other.keys()) < 6);
    }
}
