//! Numbers by which copies of an entry are known. They are kept on disk, so they must be the same
//! in every run.

use pitree_format::Value;

use super::pieces::EntryText;

/// FNV-1a with eight bytes at a time, and a last stir.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut step = |number: u64| {
            self.0 = (self.0 ^ number).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23);
        };
        let (chunks, rest) = bytes.as_chunks::<8>();
        chunks.iter().for_each(|chunk| step(u64::from_le_bytes(*chunk)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        step(u64::from_le_bytes(last));
        step(bytes.len() as u64);
    }

    pub(crate) fn value(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    }
}

/// Equal for entries with the same id, time and text, as copies in forks have. An entry without an
/// id, as in version 1, is known by its line.
pub(crate) fn entry_key(entry: &Value, text: &EntryText<'_>, line: &[u8]) -> u64 {
    let mut hash = Hash::new();
    match entry.get_string("id") {
        Some(id) => {
            hash.add(id.as_bytes());
            // Ids are short: two entries that have nothing to do with each other may share one.
            let time = entry.get_string("timestamp").cloned().unwrap_or_default();
            hash.add(time.as_bytes());
            text.pieces.iter().for_each(|piece| hash.add(piece.text.as_bytes()));
        }
        None => hash.add(line),
    }
    hash.value()
}
