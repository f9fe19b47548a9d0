//! Hashing many short texts one after the other.

/// So many bytes are hashed at once.
const BATCH: usize = 16 << 10;

/// A hash of texts that come one by one. They are hashed many at a time, which is much faster, and
/// gives the same hash.
#[derive(Debug, Default)]
pub(crate) struct BatchHasher {
    hasher: blake3::Hasher,
    /// What is not hashed yet.
    batch: Vec<u8>,
}

impl BatchHasher {
    /// Adds a text.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.batch.len() + bytes.len() > BATCH {
            self.hasher.update(&self.batch);
            self.batch.clear();
        }
        if bytes.len() < BATCH {
            self.batch.extend_from_slice(bytes);
        } else {
            self.hasher.update(bytes);
        }
    }

    /// Adds a text, and how long it is.
    pub(crate) fn push_sized(&mut self, bytes: &[u8]) {
        self.push(&(bytes.len() as u64).to_le_bytes());
        self.push(bytes);
    }

    /// The hash of all of them, after which it is as new, except that its memory is there already.
    pub(crate) fn finish(&mut self) -> blake3::Hash {
        self.hasher.update(&self.batch);
        self.batch.clear();
        let hash = self.hasher.finalize();
        self.hasher.reset();
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..BATCH * 5).map(|at| (at % 251) as u8).collect();
        let mut hasher = BatchHasher::default();
        for lengths in [&[1][..], &[7, BATCH, 3], &[BATCH - 1, 1], &[BATCH + 1, BATCH - 1, 0, 2]] {
            let mut rest = &bytes[..];
            for length in lengths.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at(rest.len().min(*length));
                hasher.push(piece);
                rest = after;
            }
            assert_eq!(hasher.finish(), blake3::hash(&bytes), "{lengths:?}");
        }
    }
}
