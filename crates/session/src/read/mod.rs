//! Reading a session file: every line once, every byte validated, in a window of fixed size.
//!
//! The file is never mapped (Pi truncates files in place when it migrates them, and a mapped
//! page that is gone kills the process) and never held whole. Large files are cut into segments
//! that several threads scan; a line belongs to the segment in which it begins.

mod find;
mod header;
mod lines;
mod tail;

use std::borrow::Cow;
use std::fs::File;
use std::io;

use pitree_format::js::decode_string;
use pitree_format::scan::{Field, Scanned, scan};
use pitree_format::{EntryKind, Role};

use crate::parallel::in_parallel;
use crate::table::{Body, Found, ParentField, ScannedEntries};

pub use find::find_entry;
pub(crate) use header::read_look_alike;
pub use header::{FoundHeader, read_header};
pub use lines::{LineReader, MAX_LINE_BYTES, Next};
pub use tail::{Tail, TailLine, read_tail};

/// Segments are large enough that the line cut at each end does not matter.
const SEGMENT_BYTES: u64 = 4 << 20;

/// A line that is not an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddLine {
    /// Where it begins.
    pub offset: u64,
    /// How long it is, without its line feed.
    pub len: u64,
    /// Its number, from 1.
    pub line: u64,
    /// What it is.
    pub what: LineProblem,
}

/// Why a line is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineProblem {
    /// A header.
    Header,
    /// No JSON.
    Malformed {
        /// What is wrong.
        problem: &'static str,
        /// At which byte of the line.
        at: usize,
    },
    /// `null`, `0`, `false` or `""`.
    Falsy,
    /// JSON, but no object.
    NotAnObject,
    /// Longer than [`MAX_LINE_BYTES`]; kept on disk and not decoded.
    TooLong,
}

/// All lines of a file.
#[derive(Debug, Default)]
pub(crate) struct LineTable {
    pub(crate) entries: ScannedEntries,
    /// Headers and lines that are not entries, in file order.
    pub(crate) odd: Vec<OddLine>,
    /// How many lines there are, blank ones and an unfinished last one included.
    pub(crate) lines: u64,
    /// How many bytes were read.
    pub(crate) bytes: u64,
    /// Whether the last byte is a line feed (or there is none).
    pub(crate) ends_with_newline: bool,
    /// Whether line ends are `\r\n`.
    pub(crate) has_crlf: bool,
}

/// Scans `[from, to)` of a file whose line `from` begins at a line start.
pub(crate) fn scan_range(file: &File, from: u64, to: u64, threads: usize) -> io::Result<LineTable> {
    // A file that shrank is as good as one with nothing to read; callers look at the size too.
    let to = to.max(from);
    let segments = (to - from).div_ceil(SEGMENT_BYTES).max(1) as usize;
    let segment = |at: usize| {
        let start = from + at as u64 * SEGMENT_BYTES;
        scan_segment(file, start, (start + SEGMENT_BYTES).min(to), to, start == from)
    };
    let segments: Vec<usize> = (0..segments).collect();
    let parts = in_parallel(&segments, threads, |_| 0, |at| segment(*at));
    Ok(join(parts.into_iter().collect::<io::Result<_>>()?, to - from))
}

fn join(mut parts: Vec<LineTable>, bytes: u64) -> LineTable {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return LineTable { bytes, ..only };
    }
    let mut whole = LineTable { bytes, ends_with_newline: true, ..LineTable::default() };
    whole.entries.reserve_exact(parts.iter().map(|part| part.entries.len()).sum());
    for mut part in parts {
        for entry in &mut part.entries {
            entry.line += whole.lines;
        }
        for odd in &mut part.odd {
            odd.line += whole.lines;
        }
        whole.entries.append(part.entries);
        whole.odd.append(&mut part.odd);
        whole.lines += part.lines;
        whole.has_crlf |= part.has_crlf;
        if part.lines > 0 {
            whole.ends_with_newline = part.ends_with_newline;
        }
    }
    whole
}

/// Scans the lines that begin in `[start, stop)`; they may reach up to `limit`.
fn scan_segment(
    file: &File,
    start: u64,
    stop: u64,
    limit: u64,
    first: bool,
) -> io::Result<LineTable> {
    let mut table = LineTable { ends_with_newline: true, ..LineTable::default() };
    let Some(mut reader) = segment_reader(file, start, stop, limit, first)? else {
        return Ok(table);
    };
    while reader.position() < stop {
        match reader.next_line()? {
            Next::End => break,
            Next::Line { offset, bytes, terminated } => {
                table.lines += 1;
                table.ends_with_newline = terminated;
                table.has_crlf |= terminated && bytes.last() == Some(&b'\r');
                note_line(&mut table, offset, bytes);
            }
            Next::TooLong { offset, len, terminated } => {
                table.lines += 1;
                table.ends_with_newline = terminated;
                table.odd.push(OddLine {
                    offset,
                    len,
                    line: table.lines,
                    what: LineProblem::TooLong,
                });
            }
        }
    }
    Ok(table)
}

/// Reads the lines that begin in `[start, stop)`, and maybe more; `None` if there are none.
fn segment_reader(
    file: &File,
    start: u64,
    stop: u64,
    limit: u64,
    first: bool,
) -> io::Result<Option<LineReader<'_>>> {
    if first {
        return Ok(Some(LineReader::new(file, start, limit)));
    }
    // The line under way here began earlier, unless the byte before is a line feed. A segment
    // in the middle of a long line has no line of its own, and must not look further.
    let mut reader = LineReader::new(file, start - 1, stop);
    if reader.skip_line()?.is_none() {
        return Ok(None);
    }
    reader.set_limit(limit);
    Ok(Some(reader))
}

fn note_line(table: &mut LineTable, offset: u64, bytes: &[u8]) {
    let what = match scan(bytes) {
        Scanned::Blank => return,
        Scanned::Malformed(error) => {
            LineProblem::Malformed { problem: error.problem, at: error.at }
        }
        Scanned::Falsy => LineProblem::Falsy,
        Scanned::NotAnObject => LineProblem::NotAnObject,
        Scanned::Object(envelope) => match envelope.kind() {
            EntryKind::Session => LineProblem::Header,
            kind => {
                let found = Found {
                    // Longer lines never get here: see MAX_LINE_BYTES.
                    body: Body::File { offset, len: bytes.len() as u32 },
                    line: table.lines,
                    kind,
                    role: if kind == EntryKind::Message { envelope.role() } else { Role::Other },
                    time: envelope.time(),
                };
                let parent = parent_field(&envelope.parent_id, table.entries.last_id());
                let id = text_field(&envelope.id).filter(|id| !id.is_empty());
                table.entries.push(found, id.as_deref(), parent);
                return;
            }
        },
    };
    table.odd.push(OddLine { offset, len: bytes.len() as u64, line: table.lines, what });
}

fn text_field<'a>(field: &Field<'a>) -> Option<Cow<'a, str>> {
    match field {
        Field::Text(raw) => match std::str::from_utf8(raw) {
            Ok(text) if !text.contains('\\') => Some(text.into()),
            _ => Some(decode_string(raw).to_text().into_owned().into()),
        },
        _ => None,
    }
}

/// The parent that a line names. `previous` is the id of the entry before it, decoded.
fn parent_field<'a>(field: &Field<'a>, previous: Option<&[u8]>) -> ParentField<'a> {
    match field {
        Field::Absent => ParentField::Absent,
        Field::Null | Field::Text(b"") => ParentField::Null,
        Field::Other => ParentField::Invalid,
        // A text with escapes stands for another one than its bytes say.
        Field::Text(raw) if previous == Some(*raw) && !raw.contains(&b'\\') => {
            ParentField::Previous
        }
        Field::Text(_) => text_field(field).map_or(ParentField::Invalid, ParentField::Id),
    }
}
