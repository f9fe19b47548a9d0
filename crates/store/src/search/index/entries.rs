//! How the index keeps entries: those that were read together lie in one blob, each in a form of
//! fixed length, so that one of them is found by its number.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | start |
//! | 8 | time, the least number for none |
//! | 8 | key |
//! | 4 | line |
//! | 4 | length |
//! | 1 | weight |
//!
//! All numbers have their lowest byte first.

/// How many entries are kept together at most.
pub(super) const MOST_ENTRIES: usize = 1 << 16;

/// The length of an entry.
const BYTES: usize = 33;

/// An entry in whose text the words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexedEntry {
    /// Its line, from 1; no file has more lines than fit.
    pub(super) line: u32,
    /// Where the line begins in the file.
    pub(super) start: u64,
    pub(super) len: u32,
    pub(super) time: Option<i64>,
    /// Equal for copies of the entry.
    pub(super) key: u64,
    /// How much its weightiest text counts.
    pub(super) weight: u8,
}

impl IndexedEntry {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let time = self.time.unwrap_or(i64::MIN).cast_unsigned();
        for number in [self.start, time, self.key] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.line, self.len] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(self.weight);
    }

    /// The entry with this number in a blob.
    pub(super) fn read(blob: &[u8], at: usize) -> Option<Self> {
        let bytes = blob.get(at.checked_mul(BYTES)?..)?.get(..BYTES)?;
        let (long, short) = bytes.split_at(24);
        let (&[start, time, key], _) = long.as_chunks::<8>() else { return None };
        let (&[line, len], &[weight]) = short.as_chunks::<4>() else { return None };
        let time = Some(i64::from_le_bytes(time)).filter(|time| *time != i64::MIN);
        let [start, key] = [start, key].map(u64::from_le_bytes);
        let [line, len] = [line, len].map(u32::from_le_bytes);
        Some(Self { line, start, len, time, key, weight })
    }
}

/// How many entries a blob has.
pub(super) fn count(blob: &[u8]) -> usize {
    blob.len() / BYTES
}

/// How many entries at the beginning of a blob begin before a place in their file.
pub(super) fn count_before(blob: &[u8], place: u64) -> usize {
    let begins_before =
        |at: &usize| IndexedEntry::read(blob, *at).is_some_and(|entry| entry.start < place);
    (0..count(blob)).take_while(begins_before).count()
}

/// The first entries of a blob.
pub(super) fn first(blob: &[u8], count: usize) -> &[u8] {
    blob.get(..count * BYTES).unwrap_or(blob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let entry = |start, time| IndexedEntry {
            line: u32::MAX,
            start,
            len: 3,
            time,
            key: 1 << 63,
            weight: 8,
        };
        let entries = [entry(5, None), entry(7, Some(-1)), entry(9, Some(0))];
        let mut blob = Vec::new();
        entries.iter().for_each(|entry| entry.write(&mut blob));
        for (at, entry) in entries.iter().enumerate() {
            assert_eq!(IndexedEntry::read(&blob, at), Some(*entry));
        }
        assert_eq!(IndexedEntry::read(&blob, 3), None);
        assert_eq!(IndexedEntry::read(&blob, usize::MAX), None);
        assert_eq!((count(&blob), count_before(&blob, 9), count_before(&blob, 5)), (3, 2, 0));
        assert_eq!(count(first(&blob, 2)), 2);
    }
}
