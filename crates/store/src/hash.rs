//! The one hash of the store, and tables that use it.
//!
//! Numbers that are kept on disk must be the same in every run and on every machine, so they come
//! from a fixed algorithm without a seed. Tables in memory have a random seed, so that no file can
//! choose what falls together.

use rapidhash::v3::rapidhash_v3;

/// A table in memory.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, rapidhash::fast::RandomState>;

/// A set in memory.
pub(crate) type Set<K> = std::collections::HashSet<K, rapidhash::fast::RandomState>;

/// A number for some bytes.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    rapidhash_v3(bytes)
}

/// Makes one number of several parts. Parts of different kinds of things give different numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer(u64);

impl Mixer {
    pub(crate) fn new(kind: u64) -> Self {
        Self(kind)
    }

    pub(crate) fn number(self, number: u64) -> Self {
        let mut both = [0; 16];
        both[..8].copy_from_slice(&self.0.to_le_bytes());
        both[8..].copy_from_slice(&number.to_le_bytes());
        Self(hash_bytes(&both))
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        self.number(hash_bytes(bytes))
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}
