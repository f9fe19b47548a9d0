//! Finding the header without reading the rest.

use std::fs::File;
use std::io;

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_format::scan::{Scanned, scan};

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
                if matches!(scan(bytes), Scanned::Object(_) | Scanned::NotAnObject)
                    && let Ok(value) = parse(bytes)
                {
                    return Ok(judge(line, value));
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
