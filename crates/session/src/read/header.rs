//! Finding the header without reading the rest.

use std::fs::File;
use std::io;

use pitree_format::dialect::{LookAlike, opening_value, recognise_second};
use pitree_format::scan::{Scanned, scan};
use pitree_format::{EntryKind, Value};

use super::lines::{LineReader, Next};

/// The first line that Pi would parse.
#[derive(Debug)]
pub enum FoundHeader {
    /// A header with a string id.
    Header(Value),
    /// JSON, but no header: not a session.
    Other {
        /// The line's number, from 1.
        line: u64,
        /// The value.
        value: Value,
    },
    /// Nothing parses within the range.
    Nothing,
}

/// Reads up to the first line that parses, passing over blank and malformed ones as Pi does, and
/// looks no further than `limit` bytes.
pub fn read_header(file: &File, limit: u64) -> io::Result<FoundHeader> {
    let mut reader = LineReader::new(file, 0, limit);
    let mut line = 0;
    loop {
        match reader.next_line()? {
            Next::End => return Ok(FoundHeader::Nothing),
            Next::TooLong { .. } => line += 1,
            Next::Line { bytes, .. } => {
                line += 1;
                match scan(bytes) {
                    Scanned::Object(_) => return Ok(judge(line, opening_value(bytes))),
                    Scanned::NotAnObject => {
                        return Ok(FoundHeader::Other { line, value: Value::Null });
                    }
                    _ => {}
                }
            }
        }
    }
}

fn judge(line: u64, value: Value) -> FoundHeader {
    let is_session = value.get_string("type").is_some_and(|kind| *kind == "session");
    if is_session && value.get_string("id").is_some() {
        FoundHeader::Header(value)
    } else {
        FoundHeader::Other { line, value }
    }
}

/// What the first line behind the header shows a file to be, if that is not a session. Looks no
/// further than `limit` bytes.
pub(crate) fn read_look_alike(file: &File, limit: u64) -> io::Result<Option<LookAlike>> {
    let mut reader = LineReader::new(file, 0, limit);
    loop {
        match reader.next_line()? {
            Next::End => return Ok(None),
            Next::TooLong { .. } => {}
            Next::Line { bytes, .. } => {
                if let Scanned::Object(envelope) = scan(bytes)
                    && envelope.kind() != EntryKind::Session
                {
                    return Ok(recognise_second(&opening_value(bytes)));
                }
            }
        }
    }
}
