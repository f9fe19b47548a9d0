//! The ids of some samples, in memory while there is room and then in a file.

use std::path::Path;

use pitree_session::summary::Cancel;

use super::FAN_IN;
use super::decisions::SamplePlace;
use super::tape::{Disk, Tape};
use crate::error::ExtractError;

/// The words of a record that hold a piece of an id.
const PIECE_WORDS: usize = 4;
const PIECE_BYTES: usize = 8 * PIECE_WORDS;

/// The words of a record: the place of the sample, how many bytes the piece has, and the piece.
const WORDS: usize = 2 + PIECE_WORDS;

/// Ids of samples by their places.
pub(crate) struct SampleIds {
    /// The pieces of all ids in order.
    pieces: Tape<WORDS>,
}

impl SampleIds {
    /// With so many bytes of memory. What does not fit is written to a file without a name in this
    /// folder.
    pub(crate) fn new(memory: usize, folder: &Path, cancel: &Cancel) -> Self {
        let disk = Disk::new(folder, FAN_IN, memory / 16).until(cancel);
        Self { pieces: Tape::new(&disk, memory) }
    }

    /// Takes the id of a sample. Samples come in the order of their places.
    pub(crate) fn push(&mut self, place: SamplePlace, id: &str) -> Result<(), ExtractError> {
        let mut rest = id.as_bytes();
        loop {
            let (piece, behind) = rest.split_at(rest.len().min(PIECE_BYTES));
            let mut bytes = [0; PIECE_BYTES];
            bytes[..piece.len()].copy_from_slice(piece);
            let mut record = [0; WORDS];
            record[..2].copy_from_slice(&[place.to_word(), piece.len() as u64]);
            for (word, bytes) in record[2..].iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            self.pieces.push(record)?;
            rest = behind;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// The id of a sample, if it was taken.
    pub(crate) fn get(&self, place: SamplePlace) -> Result<Option<String>, ExtractError> {
        let place = place.to_word();
        let first = self.pieces.partition_point(|record| record[0] < place)?;
        let mut pieces = self.pieces.range(first..self.pieces.len(), 2 * size_of::<[u64; WORDS]>());
        let (mut id, mut is_there) = (Vec::new(), false);
        while let Some(record) = pieces.next()?.filter(|record| record[0] == place) {
            is_there = true;
            let bytes = record[2..].iter().flat_map(|word| word.to_le_bytes());
            id.extend(bytes.take(record[1] as usize));
        }
        let broken = |_| ExtractError::Unexpected("the id of a sample is not what was written");
        is_there.then(|| String::from_utf8(id).map_err(broken)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_length_are_found_by_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let place = |number: u32| SamplePlace { session: number / 3, sample: number % 3 };
        let id = |number: u32| "é\0x".repeat(number as usize % 40);
        for memory in [0, 1000, 1 << 20] {
            let mut ids = SampleIds::new(memory, folder.path(), &Cancel::new());
            let some = || (0..200).step_by(2);
            some().for_each(|number| ids.push(place(number), &id(number)).unwrap());
            for number in some() {
                assert_eq!(ids.get(place(number)).unwrap(), Some(id(number)), "{memory}, {number}");
                assert_eq!(ids.get(place(number + 1)).unwrap(), None, "{memory}, {number}");
            }
        }
    }
}
