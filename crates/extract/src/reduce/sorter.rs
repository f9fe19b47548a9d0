//! Sorting more records than memory holds: sorted runs on disk, merged a few at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use super::tape::{Disk, Reader, Record, Tape};
use crate::error::ExtractError;

/// Takes records in any order.
#[derive(Debug)]
pub(super) struct Sorter<const N: usize> {
    tape: Tape<N>,
    /// The sorted runs that are in the file.
    runs: Vec<Range<u64>>,
}

impl<const N: usize> Sorter<N> {
    /// An empty one that holds so many bytes in memory.
    pub(super) fn new(disk: &Disk, bytes: usize) -> Self {
        Self { tape: Tape::new(disk, bytes), runs: Vec::new() }
    }

    pub(super) fn push(&mut self, record: Record<N>) -> Result<(), ExtractError> {
        if self.tape.is_full() {
            self.end_run()?;
        }
        self.tape.push(record)
    }

    /// The bytes that are in memory.
    pub(super) fn held(&self) -> usize {
        self.tape.held()
    }

    /// Writes what is in memory to the file.
    pub(super) fn spill(&mut self) -> Result<(), ExtractError> {
        self.end_run()?;
        self.tape.release()
    }

    fn end_run(&mut self) -> Result<(), ExtractError> {
        let start = self.tape.written();
        self.tape.tail().sort_unstable();
        self.tape.flush()?;
        if self.tape.written() > start {
            self.runs.push(start..self.tape.written());
        }
        Ok(())
    }

    /// Sorts what was taken. If all of it is in memory, it stays there.
    pub(super) fn finish(mut self) -> Result<Sorted<N>, ExtractError> {
        if self.runs.is_empty() {
            self.tape.tail().sort_unstable();
            let all = 0..self.tape.len();
            return Ok(Sorted { tape: self.tape, runs: vec![all] });
        }
        self.spill()?;
        let mut sorted = Sorted { tape: self.tape, runs: self.runs };
        while sorted.runs.len() > sorted.tape.disk().fan_in {
            sorted = sorted.merge_some()?;
        }
        Ok(sorted)
    }
}

/// Sorted records. They can be read more than once.
#[derive(Debug)]
pub(super) struct Sorted<const N: usize> {
    tape: Tape<N>,
    runs: Vec<Range<u64>>,
}

impl<const N: usize> Sorted<N> {
    /// Reads all records in order.
    pub(super) fn iter(&self) -> Result<Merge<'_, N>, ExtractError> {
        Merge::of(&self.tape, &self.runs)
    }

    /// One run for every few.
    fn merge_some(self) -> Result<Self, ExtractError> {
        let mut tape = Tape::new(self.tape.disk(), self.tape.disk().merge_bytes);
        let mut runs = Vec::new();
        for some in self.runs.chunks(self.tape.disk().fan_in.max(2)) {
            let start = tape.len();
            let mut merge = Merge::of(&self.tape, some)?;
            while let Some(record) = merge.next()? {
                tape.push(record)?;
            }
            runs.push(start..tape.len());
        }
        tape.release()?;
        Ok(Self { tape, runs })
    }

    /// The records in one piece, equal ones once, so that each can be found.
    pub(super) fn into_tape(self) -> Result<Tape<N>, ExtractError> {
        let mut tape = Tape::new(self.tape.disk(), self.tape.most() * size_of::<Record<N>>());
        let mut all = self.iter()?;
        let mut last = None;
        while let Some(record) = all.next()? {
            if last != Some(record) {
                tape.push(record)?;
            }
            last = Some(record);
        }
        if tape.written() > 0 {
            tape.release()?;
        }
        Ok(tape)
    }
}

/// Reads sorted runs as one.
pub(super) struct Merge<'t, const N: usize> {
    readers: Vec<Reader<'t, N>>,
    /// The next record of each run with its number.
    heads: BinaryHeap<Reverse<(Record<N>, usize)>>,
}

impl<'t, const N: usize> Merge<'t, N> {
    fn of(tape: &'t Tape<N>, runs: &[Range<u64>]) -> Result<Self, ExtractError> {
        let bytes = tape.disk().merge_bytes / runs.len().max(1);
        let readers = runs.iter().map(|run| tape.range(run.clone(), bytes));
        Self::among(readers.collect())
    }

    /// The records of these readers, each of which gives them in order.
    pub(super) fn among(mut readers: Vec<Reader<'t, N>>) -> Result<Self, ExtractError> {
        let mut heads = BinaryHeap::with_capacity(readers.len());
        for (run, reader) in readers.iter_mut().enumerate() {
            heads.extend(reader.next()?.map(|record| Reverse((record, run))));
        }
        Ok(Self { readers, heads })
    }

    /// The next record, which stays the next one.
    pub(super) fn peek(&self) -> Option<&Record<N>> {
        self.heads.peek().map(|Reverse((record, _))| record)
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<Record<N>>, ExtractError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((record, run)) = *head;
        match self.readers[run].next()? {
            Some(next) => *head = Reverse((next, run)),
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(record))
    }

    /// The next record, if its first word is this.
    pub(super) fn next_of(&mut self, first: u64) -> Result<Option<Record<N>>, ExtractError> {
        match self.peek() {
            Some(record) if record[0] == first => self.next(),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use pitree_testkit::{Rng, properties};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(properties(200))]
        #[test]
        fn records_come_in_order_however_little_fits(
            records in proptest::collection::vec([0..20_u64, 0..20_u64], 0..200),
            most in 1..40_usize,
            fan_in in 2..5_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let disk = Disk::new(folder.path(), fan_in, 100);
            let mut sorter = Sorter::new(&disk, most * 16);
            for record in &records {
                sorter.push(*record).unwrap();
                prop_assert!(sorter.held() <= most * 16);
            }
            let sorted = sorter.finish().unwrap();
            let mut expected = records;
            expected.sort_unstable();
            for _ in 0..2 {
                let mut merge = sorted.iter().unwrap();
                let read: Vec<_> = std::iter::from_fn(|| merge.next().unwrap()).collect();
                prop_assert_eq!(&read, &expected);
            }
            expected.dedup();
            let tape = sorted.into_tape().unwrap();
            let mut reader = tape.reader();
            let read: Vec<_> = std::iter::from_fn(|| reader.next().unwrap()).collect();
            prop_assert_eq!(&read, &expected);
        }
    }

    #[test]
    fn memory_is_kept_to_while_a_sorter_grows() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path(), 4, 1 << 12);
        let mut sorter = Sorter::new(&disk, 24 * 1000);
        let mut rng = Rng::new(7);
        for _ in 0..10_500 {
            sorter.push([rng.next_u64(), 0, 0]).unwrap();
            assert!(sorter.held() <= 24 * 1000);
        }
        let sorted = sorter.finish().unwrap();
        assert_eq!(sorted.tape.held(), 0);
        assert!(sorted.runs.len() <= 4);
    }
}
