//! A hash that is the same in every process, so that it can be kept.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Mixes numbers and bytes into one number.
#[derive(Clone, Copy)]
pub(crate) struct Mixer(u64);

impl Mixer {
    pub(crate) fn new(kind: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15).number(kind)
    }

    pub(crate) fn number(self, number: u64) -> Self {
        let product =
            u128::from(self.0 ^ number ^ 0xA076_1D64_78BD_642F) * 0xE703_7ED1_A0B4_28DB_u128;
        Self((product as u64 ^ (product >> 64) as u64).rotate_left(29) ^ self.0.rotate_left(7))
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        let mut mixer = self.number(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            mixer = mixer.number(u64::from_le_bytes(*word));
        }
        if rest.is_empty() {
            return mixer;
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mixer.number(u64::from_le_bytes(last))
    }

    pub(crate) fn finish(self) -> u64 {
        self.number(0).0
    }
}

/// Tables of numbers that are hashes already. The seed keeps a hostile file from choosing them.
#[derive(Clone, Copy)]
pub(crate) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl Seeded {
    /// A hash of bytes.
    pub(crate) fn hash_bytes(self, bytes: &[u8]) -> u64 {
        Mixer(self.0).bytes(bytes).finish()
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        SeededHasher(Mixer(self.0))
    }
}

pub(crate) struct SeededHasher(Mixer);

impl Hasher for SeededHasher {
    fn finish(&self) -> u64 {
        self.0.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.bytes(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.number(number);
    }
}
