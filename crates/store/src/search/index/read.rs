//! What the index takes from a file, from its beginning or from where it stopped.

use std::fs::File;
use std::os::unix::fs::FileExt;

use pitree_session::{LineReader, Next, cause, open_file};

use super::database::FileRow;
use super::entries::{IndexedEntry, MOST_ENTRIES};
use crate::discover::FoundFile;
use crate::search::hash::Hash;
use crate::search::said::{Said, is_plain_output};
use crate::search::scan::Opening;
use crate::search::words::Words;

/// How many bytes at both ends of what was read are compared.
const COMPARED: u64 = 4096;

/// How many bytes of words are handed over at once.
const BATCH_BYTES: usize = 1 << 20;

/// How many lines are read between two looks at how much there is.
const LINES: usize = 64;

/// An entry and its words.
#[derive(Debug)]
pub(super) struct EntryWords {
    pub(super) entry: IndexedEntry,
    pub(super) words: String,
}

/// A part of what was read of a file.
pub(super) struct Batch {
    /// Which of the files.
    pub(super) file: usize,
    /// Entries that were known from here on do not count; comes with the first part.
    pub(super) forget_from: Option<u64>,
    pub(super) entries: Vec<EntryWords>,
    /// Comes with the last part.
    pub(super) done: Option<FileRow>,
    /// Why the file could not be read, or not to its end. Comes with the last part.
    pub(super) failure: Option<String>,
}

impl Batch {
    fn new(file: usize, forget_from: Option<u64>) -> Self {
        Self { file, forget_from, entries: Vec::new(), done: None, failure: None }
    }
}

/// Reads a file that has changed. `send` takes the parts, and says whether to go on.
pub(super) fn read_file(
    (at, found): (usize, &FoundFile),
    known: &FileRow,
    mut send: impl FnMut(Batch) -> bool,
) {
    let file = match open_file(&found.path) {
        Ok(file) => file,
        Err(error) => {
            send(Batch { failure: error.io_reason(), ..Batch::new(at, None) });
            return;
        }
    };
    // One that is as long as before has changed in some other way.
    let grown = known.head.is_some()
        && known.stamp.identity == found.stamp.identity
        && known.stamp.size < found.stamp.size
        && known.read > 0
        && known.read <= found.stamp.size
        && ends(&file, known.read) == Some(known.tail);
    let mut row = FileRow { stamp: found.stamp, ..known.clone() };
    if !grown {
        (row.read, row.lines, row.head) = (0, 0, None);
    }
    let mut batch = Batch::new(at, Some(row.read));
    let (opening, entries) = (Opening::default(), Vec::new());
    let mut reading = Reading { row: &mut row, opening, entries, bytes: 0 };
    let mut reader = LineReader::new(&file, reading.row.read, found.stamp.size);
    loop {
        let more = reading.next(&mut reader, grown).unwrap_or_else(|error| {
            batch.failure = Some(cause(&error).to_string());
            false
        });
        if more && reading.bytes < BATCH_BYTES && reading.entries.len() + LINES < MOST_ENTRIES {
            continue;
        }
        batch.entries = std::mem::take(&mut reading.entries);
        reading.bytes = 0;
        if !more {
            break;
        }
        if !send(std::mem::replace(&mut batch, Batch::new(at, None))) {
            return;
        }
    }
    // As long as it is not clear that it is a session, it is read from its beginning.
    if !grown && !reading.opening.is_complete() {
        row.read = 0;
    }
    row.tail = ends(&file, row.read).unwrap_or(0);
    // What was read of it is found now, but the next search tries again: no file has this time.
    if batch.failure.is_some() {
        row.stamp.modified_ns = i64::MIN;
    }
    batch.done = Some(row);
    send(batch);
}

/// A hash of the first and the last bytes before a place; `None` if no line ends there.
fn ends(file: &File, end: u64) -> Option<u64> {
    let len = COMPARED.min(end);
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    let mut hash = Hash::new();
    file.read_exact_at(&mut bytes, 0).ok()?;
    hash.add(&bytes);
    file.read_exact_at(&mut bytes, end - len).ok()?;
    hash.add(&bytes);
    (bytes.last() == Some(&b'\n')).then(|| hash.value())
}

struct Reading<'r> {
    row: &'r mut FileRow,
    opening: Opening,
    entries: Vec<EntryWords>,
    /// How many bytes of words they have.
    bytes: usize,
}

impl Reading<'_> {
    /// Takes some lines; `false` at the end, and for a file that is no session.
    fn next(&mut self, reader: &mut LineReader<'_>, grown: bool) -> std::io::Result<bool> {
        for _ in 0..LINES {
            let (offset, bytes, terminated) = match reader.next_line()? {
                Next::End => return Ok(false),
                Next::TooLong { offset, len, terminated } => {
                    if terminated {
                        self.row.lines += 1;
                        self.row.read = offset + len + 1;
                    }
                    continue;
                }
                Next::Line { offset, bytes, terminated } => (offset, bytes, terminated),
            };
            if !grown && !self.opening.is_complete() {
                let is_session = self.opening.take(bytes).is_some();
                self.row.head = self.opening.head.clone().filter(|_| is_session);
                if !is_session {
                    self.entries.clear();
                    return Ok(false);
                }
            }
            self.line(offset, bytes);
            // A line that is not finished yet is taken, and read again when it has grown.
            if terminated {
                self.row.lines += 1;
                self.row.read = offset + bytes.len() as u64 + 1;
            }
        }
        Ok(true)
    }

    fn line(&mut self, start: u64, bytes: &[u8]) {
        if is_plain_output(bytes) {
            return;
        }
        let Some(said) = Said::of(bytes) else { return };
        let mut words = Words::default();
        let mut weight = 0;
        for (field, raw) in &said.pieces {
            if !words.is_empty() {
                words.add_border();
            }
            words.add_raw(raw);
            weight = weight.max(field.weight() as u8);
        }
        if words.is_empty() {
            return;
        }
        let words = words.into_text();
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let (line, len) = (number(self.row.lines + 1), number(bytes.len() as u64));
        let key = said.key(&words, bytes);
        self.bytes += words.len();
        let entry = IndexedEntry { line, start, len, weight, time: said.time, key };
        self.entries.push(EntryWords { entry, words });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::discover::{FileKind, FileStamp};

    #[test]
    fn a_file_that_fails_while_it_is_read_is_not_complete() {
        // The memory of this process: a regular file whose first bytes cannot be read.
        let path = Path::new("/proc/self/mem");
        let Some(stamp) = FileStamp::of(path) else { return };
        let stamp = FileStamp { size: 100, ..stamp };
        let found = FoundFile { path: path.into(), kind: FileKind::Session, location: 0, stamp };
        let mut batches = Vec::new();
        read_file((0, &found), &FileRow::new(1), |batch| {
            batches.push(batch);
            true
        });
        let [batch] = &batches[..] else { panic!("{} batches", batches.len()) };
        assert!(batch.failure.is_some());
        let row = batch.done.as_ref().unwrap();
        assert_ne!(row.stamp, stamp, "the next search reads it again");
        assert!(!row.is_new(), "and forgets what this one has read");
    }
}
