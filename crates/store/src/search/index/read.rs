//! What the index takes from a file, from its beginning or from where it stopped.

use std::fs::File;

use pitree_format::recognize::{Opening, Recognizer};
use pitree_session::{cause, open_file};

use super::database::FileRow;
use super::entries::{IndexedEntry, MOST_ENTRIES};
use crate::cache::NewRow;
use crate::discover::{FileStamp, FoundFile};
use crate::reading::marks::{Marks, may_have_grown};
use crate::reading::{Begin, Both, Consumer, EntryLine, Prior, ReadError, Summary};
use crate::reading::{read_lines, row_of};
use crate::search::raw_text::{Said, is_plain_output};
use crate::search::scan::Head;
use crate::search::words::Words;

/// How many bytes of words are handed over at once.
const BATCH_BYTES: usize = 1 << 20;

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
    /// Facts and spending, if they were wanted. Comes with the last part.
    pub(super) summary: Option<NewRow>,
    /// Why the file could not be read, or not to its end. Comes with the last part.
    pub(super) failure: Option<String>,
}

impl Batch {
    fn new(file: usize, forget_from: Option<u64>) -> Self {
        let (entries, done, summary, failure) = (Vec::new(), None, None, None);
        Self { file, forget_from, entries, done, summary, failure }
    }
}

/// What else a pass for the index is to find out.
pub(super) enum Besides {
    /// Facts and spending are known already.
    Nothing,
    /// Facts and spending, from the old end of the file if they were known there. With the time at
    /// which the file was looked at.
    Summary(Option<Box<Prior>>, i64),
}

/// Reads a file that has changed. `send` takes the parts, and says whether to go on.
pub(super) fn read_file(
    (at, found): (usize, &FoundFile),
    known: &FileRow,
    besides: Besides,
    send: impl FnMut(Batch) -> bool,
) {
    let mut words = WordsReader::new(at, found, known, send);
    let file = match open_file(&found.path) {
        Ok(file) => file,
        Err(error) => {
            (words.send)(Batch { failure: error.io_reason(), ..Batch::new(at, None) });
            return;
        }
    };
    let begin = words.go_on(&file, known);
    let size = found.stamp.size;
    let (end, summary) = match besides {
        Besides::Nothing => (read_lines(&file, begin, size, &mut words), None),
        Besides::Summary(prior, seen_at_ms) => {
            let prior = prior.and_then(|prior| Summary::behind(*prior, &file, found.stamp));
            let (mut summary, of_summary) = prior.unwrap_or_else(|| {
                let summary = Summary::new(&found.path, found.kind, found.stamp);
                (summary, Summary::beginning(found.kind))
            });
            let first = if of_summary.offset < begin.offset { of_summary } else { begin };
            let places = (of_summary.offset, begin.offset);
            let mut both = Both::new((places.0, &mut summary), (places.1, &mut words));
            let end = read_lines(&file, first, size, &mut both);
            let read = summary.finish(&end, &file, found.stamp);
            let row = row_of(found, &read, seen_at_ms);
            (end, row)
        }
    };
    words.finish(end.map(|end| end.recognizer), summary, &file);
}

/// Whether a file is the one that is known, with something added to it.
pub(super) fn has_only_grown(file: &File, known: &FileRow, now: FileStamp) -> bool {
    known.head.is_some()
        && may_have_grown(known.stamp, now)
        && known.read <= now.size
        && Marks::of(file, known.read).is_some_and(|marks| marks.number() == known.marks)
}

/// The words of what is said in an entry, and how much the weightiest text counts; `None` if there
/// are no words in it.
pub(super) fn words_of(said: &Said<'_>) -> Option<(String, u8)> {
    let mut words = Words::default();
    let mut weight = 0;
    for (field, raw) in &said.pieces {
        if !words.is_empty() {
            words.add_border();
        }
        words.add_raw(raw);
        weight = weight.max(field.weight() as u8);
    }
    (!words.is_empty()).then(|| (words.into_text(), weight))
}

/// Takes the words from the lines of a file.
struct WordsReader<S> {
    row: FileRow,
    /// What is handed over next.
    batch: Batch,
    /// How many bytes of words it has.
    bytes: usize,
    send: S,
    /// Whether nobody takes any more.
    is_full: bool,
}

impl<S: FnMut(Batch) -> bool> WordsReader<S> {
    fn new(at: usize, found: &FoundFile, known: &FileRow, send: S) -> Self {
        let row = FileRow { stamp: found.stamp, ..known.clone() };
        Self { row, batch: Batch::new(at, None), bytes: 0, send, is_full: false }
    }

    /// Where to go on: behind what is known of a file that has only grown.
    fn go_on(&mut self, file: &File, known: &FileRow) -> Begin {
        let grown = has_only_grown(file, known, self.row.stamp);
        if !grown {
            (self.row.read, self.row.lines, self.row.head) = (0, 0, None);
        }
        self.batch.forget_from = Some(self.row.read);
        let recognizer = Recognizer::default().behind(grown, grown);
        let lines = u32::try_from(self.row.lines).unwrap_or(u32::MAX);
        Begin { recognizer, offset: self.row.read, lines }
    }

    fn finish(mut self, end: Result<Recognizer, ReadError>, summary: Option<NewRow>, file: &File) {
        match end {
            // As long as it is not clear that it is a session, it is read from its beginning.
            Ok(recognizer) if !recognizer.is_sure() => self.row.read = 0,
            Ok(_) => {}
            Err(ReadError::NotASession(_)) => {
                self.batch.entries.clear();
                (self.row.read, self.row.head) = (0, None);
            }
            // What was read of it is found now, but the next search tries again: no file has this
            // time.
            Err(ReadError::Io(error)) => {
                self.batch.failure = Some(cause(&error).to_string());
                self.row.stamp.modified_ns = i64::MIN;
            }
        }
        let marks = Marks::of(file, self.row.read);
        self.row.marks = marks.map_or(0, Marks::number);
        self.batch.summary = summary;
        self.batch.done = Some(self.row);
        (self.send)(self.batch);
    }
}

impl<S: FnMut(Batch) -> bool> Consumer for WordsReader<S> {
    fn header(&mut self, opening: &Opening) {
        self.row.head = Some(Head::of(opening));
    }

    fn entry(&mut self, line: &EntryLine<'_>) {
        let Some(said) = Said::in_entry(line.envelope, line.members) else { return };
        let Some((words, weight)) = words_of(&said) else { return };
        let key = said.key(&words, line.bytes);
        self.bytes += words.len();
        let (start, number) = (line.offset, line.number);
        let len = u32::try_from(line.bytes.len()).unwrap_or(u32::MAX);
        let entry = IndexedEntry { line: number, start, len, weight, time: said.time, key };
        self.batch.entries.push(EntryWords { entry, words });
    }

    fn passed(&mut self, end: u64, terminated: bool) {
        // A line that is not finished yet is taken, and read again when it has grown.
        if terminated {
            self.row.lines += 1;
            self.row.read = end;
        }
        if self.bytes >= BATCH_BYTES || self.batch.entries.len() >= MOST_ENTRIES {
            let next = Batch::new(self.batch.file, None);
            self.bytes = 0;
            self.is_full = !(self.send)(std::mem::replace(&mut self.batch, next));
        }
    }

    fn is_nothing(&self, _: u64, bytes: &[u8]) -> bool {
        is_plain_output(bytes)
    }

    fn is_full(&self) -> bool {
        self.is_full
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::discover::FileKind;

    #[test]
    fn a_file_that_fails_while_it_is_read_is_not_complete() {
        // The memory of this process: a regular file whose first bytes cannot be read.
        let path = Path::new("/proc/self/mem");
        let Some(stamp) = FileStamp::of(path) else { return };
        let stamp = FileStamp { size: 100, ..stamp };
        let found = FoundFile { path: path.into(), kind: FileKind::Session, location: 0, stamp };
        let mut batches = Vec::new();
        read_file((0, &found), &FileRow::new(1), Besides::Nothing, |batch| {
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
