//! A file that has grown is read from its old end.
//!
//! Session files are only appended to, so what was read before still holds. That the file is the
//! same and begins and ended as it did is checked first; one that was rewritten is read whole.

use std::fs::File;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use crate::discover::FileStamp;
use crate::hash::{Mixer, hash_bytes};

/// How much of the beginning must be unchanged.
const HEAD_BYTES: u64 = 4096;

/// How much before the old end must be unchanged.
const TAIL_BYTES: u64 = 512;

/// The beginning and the end of what was read of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    head: u64,
    tail: u64,
}

impl Marks {
    /// The marks of the first `size` bytes, which must end a line.
    pub(crate) fn of(file: &File, size: u64) -> Option<Self> {
        if size == 0 {
            return None;
        }
        let mut buffer = [0; HEAD_BYTES as usize];
        let head = &mut buffer[..size.min(HEAD_BYTES) as usize];
        file.read_exact_at(head, 0).ok()?;
        let head_hash = hash_bytes(head);
        let tail = &mut buffer[..size.min(TAIL_BYTES) as usize];
        file.read_exact_at(tail, size - tail.len() as u64).ok()?;
        (tail.last() == Some(&b'\n')).then(|| Self { head: head_hash, tail: hash_bytes(tail) })
    }

    /// Both as one number.
    pub(crate) fn number(self) -> u64 {
        Mixer::new(self.head).number(self.tail).finish()
    }

    /// Whether a file still begins with the `size` bytes that these are the marks of.
    pub(crate) fn fit(self, file: &File, size: u64) -> bool {
        Self::of(file, size) == Some(self)
    }
}

/// Whether a file may be the one that it was, with something added to it.
pub(crate) fn may_have_grown(then: FileStamp, now: FileStamp) -> bool {
    now.identity == then.identity && now.size > then.size
}
