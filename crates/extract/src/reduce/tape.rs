//! Records of a fixed size, one after the other, in memory while there is room and then in a file.
//!
//! The file has no name, so nothing is left of it when the process ends, however it ends.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pitree_session::summary::Cancel;

use crate::error::{ExtractError, IoContext};

/// Words that are compared one after the other.
pub(super) type Record<const N: usize> = [u64; N];

/// Bytes that are turned into records, or the other way round, at a time.
const CHUNK_BYTES: usize = 256 << 10;

/// How many bytes were written, how many of them are there now, and how many were at most.
#[derive(Debug, Default)]
struct DiskBytes {
    written: AtomicU64,
    now: AtomicU64,
    most: AtomicU64,
}

/// Where records go for which memory has no room.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    folder: Arc<Path>,
    bytes: Arc<DiskBytes>,
    /// How many sorted runs are merged at a time.
    pub(super) fan_in: usize,
    /// The bytes of all buffers from which they are merged.
    pub(super) merge_bytes: usize,
    cancel: Cancel,
}

impl Disk {
    /// Files in this folder.
    pub(super) fn new(folder: &Path, fan_in: usize, merge_bytes: usize) -> Self {
        let (bytes, cancel) = (Arc::default(), Cancel::new());
        Self { folder: folder.into(), bytes, fan_in, merge_bytes, cancel }
    }

    /// The same, until somebody asks to stop.
    pub(super) fn until(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// How many bytes were written so far, and how many were there at most at a time.
    pub(super) fn written_and_most(&self) -> (u64, u64) {
        let [written, most] = [&self.bytes.written, &self.bytes.most];
        (written.load(Ordering::Relaxed), most.load(Ordering::Relaxed))
    }

    fn add_bytes(&self, bytes: u64) {
        self.bytes.written.fetch_add(bytes, Ordering::Relaxed);
        let now = self.bytes.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.bytes.most.fetch_max(now, Ordering::Relaxed);
    }

    fn go_on(&self) -> Result<(), ExtractError> {
        if self.cancel.is_cancelled() { Err(ExtractError::Cancelled) } else { Ok(()) }
    }

    fn create(&self) -> Result<fs_err::File, ExtractError> {
        let file = tempfile::tempfile_in(&self.folder).on("write into", &self.folder)?;
        Ok(fs_err::File::from_parts(file, PathBuf::from(&*self.folder)))
    }
}

/// Records in the order in which they were added.
#[derive(Debug)]
pub(super) struct Tape<const N: usize> {
    disk: Disk,
    file: Option<fs_err::File>,
    /// How many records the file has.
    written: u64,
    /// Those behind it.
    tail: Vec<Record<N>>,
    /// How many of them there may be.
    most: usize,
}

impl<const N: usize> Tape<N> {
    /// An empty one that may hold so many bytes in memory.
    pub(super) fn new(disk: &Disk, bytes: usize) -> Self {
        let most = (bytes / size_of::<Record<N>>()).max(1);
        Self { disk: disk.clone(), file: None, written: 0, tail: Vec::new(), most }
    }

    pub(super) fn len(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// How many records may be in memory.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The bytes that are in memory.
    pub(super) fn held(&self) -> usize {
        self.tail.capacity() * size_of::<Record<N>>()
    }

    /// How many records are in the file.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The records that are in memory.
    pub(super) fn tail(&mut self) -> &mut Vec<Record<N>> {
        &mut self.tail
    }

    /// Whether the next record needs room first.
    pub(super) fn is_full(&self) -> bool {
        self.tail.len() >= self.most
    }

    /// Adds a record.
    pub(super) fn push(&mut self, record: Record<N>) -> Result<(), ExtractError> {
        if self.is_full() {
            self.flush()?;
        }
        if self.tail.len() == self.tail.capacity() {
            // By doubling, but never beyond what is allowed.
            let more = self.tail.len().max(64).min(self.most - self.tail.len());
            self.tail.reserve_exact(more);
        }
        self.tail.push(record);
        Ok(())
    }

    /// Writes what is in memory to the file.
    pub(super) fn flush(&mut self) -> Result<(), ExtractError> {
        if self.tail.is_empty() {
            return Ok(());
        }
        self.disk.go_on()?;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.disk.create()?),
        };
        let mut bytes = Vec::with_capacity(CHUNK_BYTES);
        file.seek(SeekFrom::End(0)).on("write into", &self.disk.folder)?;
        for chunk in self.tail.chunks((CHUNK_BYTES / size_of::<Record<N>>()).max(1)) {
            bytes.clear();
            chunk.as_flattened().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            file.write_all(&bytes).on("write into", &self.disk.folder)?;
        }
        self.disk.add_bytes((self.tail.len() * size_of::<Record<N>>()) as u64);
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// The same, and gives the memory back.
    pub(super) fn release(&mut self) -> Result<(), ExtractError> {
        self.flush()?;
        self.tail = Vec::new();
        Ok(())
    }

    /// Reads all records.
    pub(super) fn reader(&self) -> Reader<'_, N> {
        self.range(0..self.len(), CHUNK_BYTES)
    }

    /// Reads these records, so many bytes at a time.
    pub(super) fn range(&self, records: Range<u64>, bytes: usize) -> Reader<'_, N> {
        Reader { tape: self, cursor: Cursor::new(records, bytes) }
    }

    /// The first record that is not before, among records in order.
    pub(super) fn partition_point(
        &self,
        is_before: impl Fn(&Record<N>) -> bool,
    ) -> Result<u64, ExtractError> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let record = self.range(middle..middle + 1, size_of::<Record<N>>()).next()?;
            if record.is_some_and(|record| is_before(&record)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Reads so many records of the file.
    fn read(
        &self,
        first: u64,
        count: usize,
        into: &mut Vec<Record<N>>,
    ) -> Result<(), ExtractError> {
        into.clear();
        self.disk.go_on()?;
        let Some(mut file) = self.file.as_ref() else { return Ok(()) };
        let mut bytes = vec![0; count * size_of::<Record<N>>()];
        let place = first * size_of::<Record<N>>() as u64;
        file.seek(SeekFrom::Start(place)).on("read", &self.disk.folder)?;
        file.read_exact(&mut bytes).on("read", &self.disk.folder)?;
        let (words, _) = bytes.as_chunks::<8>();
        let record = |words: &[[u8; 8]]| {
            let mut record = [0; N];
            for (word, bytes) in record.iter_mut().zip(words) {
                *word = u64::from_le_bytes(*bytes);
            }
            record
        };
        into.extend(words.chunks_exact(N).map(record));
        Ok(())
    }
}

/// The file goes with the tape.
impl<const N: usize> Drop for Tape<N> {
    fn drop(&mut self) {
        let bytes = self.written * size_of::<Record<N>>() as u64;
        self.disk.bytes.now.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A place in a tape, up to which it was read.
#[derive(Debug)]
pub(super) struct Cursor<const N: usize> {
    next: u64,
    end: u64,
    /// What was read from the file, and how much of it was given.
    chunk: Vec<Record<N>>,
    at: usize,
    at_a_time: usize,
}

impl<const N: usize> Cursor<N> {
    /// Reads these records, so many bytes at a time.
    pub(super) fn new(records: Range<u64>, bytes: usize) -> Self {
        let at_a_time = (bytes / size_of::<Record<N>>()).max(1);
        Self { next: records.start, end: records.end, chunk: Vec::new(), at: 0, at_a_time }
    }

    /// The next record of the tape.
    pub(super) fn next(&mut self, tape: &Tape<N>) -> Result<Option<Record<N>>, ExtractError> {
        if let Some(record) = self.chunk.get(self.at) {
            self.at += 1;
            return Ok(Some(*record));
        }
        if self.next >= self.end {
            return Ok(None);
        }
        if let Some(behind) = self.next.checked_sub(tape.written) {
            self.next += 1;
            return Ok(tape.tail.get(behind as usize).copied());
        }
        let left = self.end.min(tape.written) - self.next;
        let count = left.min(self.at_a_time as u64);
        tape.read(self.next, count as usize, &mut self.chunk)?;
        self.next += count;
        self.at = 1;
        Ok(self.chunk.first().copied())
    }
}

/// Reads a part of a tape.
pub(super) struct Reader<'t, const N: usize> {
    tape: &'t Tape<N>,
    cursor: Cursor<N>,
}

impl<const N: usize> Reader<'_, N> {
    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<Record<N>>, ExtractError> {
        self.cursor.next(self.tape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_read_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path(), 2, 64);
        for bytes in [16, 64, 1 << 20] {
            let mut tape = Tape::new(&disk, bytes);
            (0..100_u64).for_each(|at| tape.push([at, 2 * at]).unwrap());
            assert_eq!((tape.len(), tape.written() > 0), (100, bytes < 1600));
            for (range, chunk) in [(0..100, 1), (3..4, 16), (37..99, 100), (100..100, 9)] {
                let mut reader = tape.range(range.clone(), chunk);
                let read: Vec<_> = std::iter::from_fn(|| reader.next().unwrap()).collect();
                assert_eq!(read, range.map(|at| [at, 2 * at]).collect::<Vec<_>>());
            }
            assert_eq!(tape.partition_point(|record| record[1] < 31).unwrap(), 16);
            assert_eq!(tape.partition_point(|_| true).unwrap(), 100);
        }
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let mut tape = Tape::new(&Disk::new(&gone, 2, 64), 8);
        tape.push([1]).unwrap();
        let error = tape.push([2]).unwrap_err().to_string();
        assert!(error.contains("write into") && error.contains("gone"), "{error}");
    }
}
