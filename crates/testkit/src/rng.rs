//! A small seeded random number generator (splitmix64).

/// A stream of random choices that depends on nothing but its seed.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Starts the stream of this seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds would otherwise begin with neighbouring states.
        let mut rng = Self { state: seed ^ 0x5851_F42D_4C95_7F2D };
        rng.next_u64();
        rng
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next_u64() % bound as u64) as usize }
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in about this many of a hundred calls.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    ///
    /// # Panics
    /// Panics on an empty slice.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of the items, each as likely as its weight.
    ///
    /// # Panics
    /// Panics on an empty slice.
    pub fn weighted<T: Clone>(&mut self, items: &[(usize, T)]) -> T {
        let total = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, item) in items {
            if left < *weight {
                return item.clone();
            }
            left -= weight;
        }
        items[items.len() - 1].1.clone()
    }

    /// Brings the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// This many lowercase hexadecimal digits.
    pub fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(self.pick(b"0123456789abcdef"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_stream() {
        let stream = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(stream(7), stream(7));
        assert_ne!(stream(7), stream(8));
    }

    #[test]
    fn choices_stay_in_bounds() {
        let mut rng = Rng::new(1);
        assert_eq!(rng.below(0), 0);
        for _ in 0..1000 {
            assert!((3..=9).contains(&rng.between(3, 9)));
            assert_eq!(rng.weighted(&[(0, 'a'), (5, 'b')]), 'b');
        }
    }
}
