//! What the index takes from a file, from its beginning or from where it stopped.

use std::fs::File;
use std::os::unix::fs::FileExt;

use pitree_format::js::parse;
use pitree_format::scan::{Scanned, scan};
use pitree_format::{EntryKind, Role};
use pitree_session::{LineReader, Next, open_file};

use super::database::FileRow;
use crate::discover::FoundFile;
use crate::search::hash::{Hash, entry_key};
use crate::search::pieces::EntryText;
use crate::search::scan::Opening;
use crate::search::words::push_words;

/// Stands between two texts of an entry, so that no phrase reaches across. It is no word.
const BETWEEN: &str = "\u{E000} ";

/// How many bytes at both ends of what was read are compared.
const COMPARED: u64 = 4096;

/// How many bytes of words are handed over at once.
const BATCH_BYTES: usize = 1 << 20;

/// An entry and its words.
#[derive(Debug)]
pub(super) struct EntryWords {
    pub(super) line: u64,
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) weight: i64,
    pub(super) time: Option<i64>,
    pub(super) key: u64,
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
}

/// Reads a file that has changed. `send` takes the parts, and says whether to go on.
pub(super) fn read_file(
    (at, found): (usize, &FoundFile),
    known: &FileRow,
    mut send: impl FnMut(Batch) -> bool,
) {
    let Ok(file) = open_file(&found.path) else { return };
    let grown = known.head.is_some()
        && known.stamp.identity == found.stamp.identity
        && known.read > 0
        && known.read <= found.stamp.size
        && ends(&file, known.read) == Some(known.tail);
    let mut row = FileRow { stamp: found.stamp, ..known.clone() };
    if !grown {
        (row.read, row.lines, row.head) = (0, 0, None);
    }
    let forget_from = Some(row.read);
    let mut batch = Batch { file: at, forget_from, entries: Vec::new(), done: None };
    let mut reading = Reading { row: &mut row, opening: Opening::default(), entries: Vec::new() };
    let mut reader = LineReader::new(&file, reading.row.read, found.stamp.size);
    while let Ok(more) = reading.next(&mut reader, grown) {
        if more
            && reading.entries.iter().map(|entry| entry.words.len()).sum::<usize>() < BATCH_BYTES
        {
            continue;
        }
        batch.entries = std::mem::take(&mut reading.entries);
        if !more {
            break;
        }
        let next = Batch { file: at, forget_from: None, entries: Vec::new(), done: None };
        if !send(std::mem::replace(&mut batch, next)) {
            return;
        }
    }
    // As long as it is not clear that it is a session, it is read from its beginning.
    if !grown && !reading.opening.is_complete() {
        row.read = 0;
    }
    row.tail = ends(&file, row.read).unwrap_or(0);
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
}

impl Reading<'_> {
    /// Takes some lines; `false` at the end, and for a file that is no session.
    fn next(&mut self, reader: &mut LineReader<'_>, grown: bool) -> std::io::Result<bool> {
        for _ in 0..64 {
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

    fn line(&mut self, offset: u64, bytes: &[u8]) {
        let Scanned::Object(envelope) = scan(bytes) else { return };
        let silent = match envelope.kind() {
            EntryKind::Message => {
                matches!(envelope.role(), Role::ToolResult | Role::BashExecution | Role::System)
            }
            EntryKind::Session
            | EntryKind::Usage
            | EntryKind::Custom
            | EntryKind::ModelChange
            | EntryKind::ThinkingLevelChange => true,
            _ => false,
        };
        if silent {
            return;
        }
        let Ok(entry) = parse(bytes) else { return };
        let Some(text) = EntryText::of(&entry) else { return };
        let mut words = String::new();
        let mut weight = 0;
        for piece in text.pieces.iter().filter(|piece| piece.field.is_conversation()) {
            if !words.is_empty() {
                words.push_str(BETWEEN);
            }
            push_words(&piece.text, &mut words);
            weight = weight.max(piece.field.weight() as i64);
        }
        if words.is_empty() {
            return;
        }
        self.entries.push(EntryWords {
            line: self.row.lines + 1,
            start: offset,
            len: bytes.len() as u64,
            weight,
            time: text.time,
            key: entry_key(&entry, &text, bytes),
            words,
        });
    }
}
