//! Finding the header without reading the rest.

use std::fs::File;
use std::io;

use pitree_format::Value;
use pitree_format::dialect::LookAlike;
use pitree_format::recognize::{Line, NotASession, Recognizer};
use pitree_format::scan::scan;

use super::lines::{LineReader, Next};

/// The first line that Pi would parse.
#[derive(Debug)]
pub enum FoundHeader {
    /// A header with a string id. Of a very long one only the members that tell something.
    Header(Value),
    /// JSON, but no header: not a session.
    Other {
        /// The line's number, from 1.
        line: u64,
        /// What it is instead.
        why: NotASession,
    },
    /// Nothing parses within the range.
    Nothing,
}

/// Reads up to the first line that parses, passing over blank and malformed ones as Pi does, and
/// looks no further than `limit` bytes.
pub fn read_header(file: &File, limit: u64) -> io::Result<FoundHeader> {
    let mut recognizer = Recognizer::default();
    let found = read_until(file, limit, |line, bytes| match recognize(&mut recognizer, bytes) {
        Ok(Line::Header(opening)) => Some(FoundHeader::Header(opening.value)),
        Err(why) => Some(FoundHeader::Other { line, why }),
        Ok(_) => None,
    });
    Ok(found?.unwrap_or(FoundHeader::Nothing))
}

/// What the first line behind the header shows a file to be, if that is not a session. Looks no
/// further than `limit` bytes.
pub(crate) fn read_look_alike(file: &File, limit: u64) -> io::Result<Option<LookAlike>> {
    let mut recognizer = Recognizer::default();
    let found = read_until(file, limit, |_, bytes| match recognize(&mut recognizer, bytes) {
        Err(why) => Some(why.looks_like),
        Ok(_) => recognizer.is_sure().then_some(None),
    });
    Ok(found?.flatten())
}

/// Looks at a line; at one that is too long to be read if there are no bytes.
fn recognize<'l>(
    recognizer: &mut Recognizer,
    bytes: Option<&'l [u8]>,
) -> Result<Line<'l>, NotASession> {
    match bytes {
        Some(bytes) => recognizer.take(bytes, &scan(bytes)),
        None => recognizer.too_long_or_no_object(),
    }
}

/// Shows the lines of a file with their numbers until one is what is looked for.
fn read_until<T>(
    file: &File,
    limit: u64,
    mut look: impl FnMut(u64, Option<&[u8]>) -> Option<T>,
) -> io::Result<Option<T>> {
    let mut reader = LineReader::new(file, 0, limit);
    for number in 1.. {
        let found = match reader.next_line()? {
            Next::End => return Ok(None),
            Next::TooLong { .. } => look(number, None),
            Next::Line { bytes, .. } => look(number, Some(bytes)),
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
