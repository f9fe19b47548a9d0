//! A file that has grown is read from its old end.
//!
//! Session files are only appended to, so the facts of what was there before still hold. That the
//! file is the same and begins and ended as it did is checked first; a file that was rewritten is
//! read whole.

use std::fs::File;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use crate::discover::FileStamp;
#[cfg(doc)]
use crate::ledger::Links;

/// How much of the beginning must be unchanged.
const HEAD_BYTES: u64 = 4096;

/// How much before the old end must be unchanged.
const TAIL_BYTES: u64 = 512;

/// More links than these are not kept: such a file is read whole.
pub(super) const MOST_LINKS: usize = 200_000;

/// What is needed, besides the facts, to read on behind the end of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rest {
    /// The hash of the beginning of the file.
    pub(crate) head: u64,
    /// The hash of its last bytes.
    pub(crate) tail: u64,
    pub(crate) version_1: bool,
    pub(crate) second_line_seen: bool,
    pub(crate) last_activity: Option<f64>,
    /// The links between the entries: see [`Links::to_kept`].
    pub(crate) links: Vec<(u64, u64)>,
    /// The keys of the runs of sub-agents.
    pub(crate) runs: Vec<u64>,
}

impl Rest {
    /// Adds the hashes of the beginning and the end; `None` when the file cannot be read on later.
    pub(crate) fn with_marks(mut self, file: &File, size: u64) -> Option<Self> {
        if size == 0 {
            return None;
        }
        (self.head, self.tail) = marks(file, size)?;
        Some(self)
    }

    /// Whether the file is the one that was read, with something added to it.
    pub(crate) fn fits(&self, file: &File, then: FileStamp, now: FileStamp) -> bool {
        now.identity == then.identity
            && now.size > then.size
            && marks(file, then.size) == Some((self.head, self.tail))
    }

    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok().map(seal)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(unseal(bytes)?).ok()
    }
}

/// The hashes of the beginning and of the end of the first `size` bytes, which must end a line.
fn marks(file: &File, size: u64) -> Option<(u64, u64)> {
    let mut buffer = [0; HEAD_BYTES as usize];
    let head = &mut buffer[..size.min(HEAD_BYTES) as usize];
    file.read_exact_at(head, 0).ok()?;
    let head_hash = hash_bytes(head);
    let tail = &mut buffer[..size.min(TAIL_BYTES) as usize];
    file.read_exact_at(tail, size - tail.len() as u64).ok()?;
    (tail.last() == Some(&b'\n')).then(|| (head_hash, hash_bytes(tail)))
}

/// A hash that is the same in every process, since it is kept.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(FACTOR);
        mixed ^ (mixed >> 29)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = mix(0, bytes.len() as u64);
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), FACTOR)
}

/// Adds a hash to what is kept: a database does not notice a changed byte in a value.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = hash_bytes(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// What was sealed; `None` when it is not as it was.
pub(crate) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (inside, hash) = bytes.split_last_chunk::<8>()?;
    (u64::from_le_bytes(*hash) == hash_bytes(inside)).then_some(inside)
}
