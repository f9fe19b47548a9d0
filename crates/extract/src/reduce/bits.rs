//! A bit for each of many numbers.

/// Bits that are all clear in the beginning.
#[derive(Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The bit of this number.
    pub(super) fn has(&self, at: u64) -> bool {
        let word = self.words.get((at / 64) as usize);
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Sets the bit of this number, and says whether it was clear.
    pub(super) fn set(&mut self, at: u64) -> bool {
        let word = (at / 64) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let before = self.words[word];
        self.words[word] |= 1 << (at % 64);
        self.words[word] != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_one_by_one() {
        let mut bits = Bits::default();
        assert!(!bits.has(1 << 40));
        assert!(bits.set(64) && !bits.set(64) && bits.set(3));
        let set: Vec<u64> = (0..200).filter(|at| bits.has(*at)).collect();
        assert_eq!(set, [3, 64]);
    }
}
