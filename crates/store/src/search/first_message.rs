//! Which entry is the first message of the user: the title of a session without a name.

use std::fs::File;

use pitree_format::Role;
use pitree_format::scan::{Scanned, scan};
use pitree_session::{LineReader, Next};

/// It is looked for among so many lines; what comes later is no title.
const MOST_LINES: usize = 64;

/// Finds the first message while the lines of a file go by.
#[derive(Debug, Default)]
pub(crate) struct FirstMessage {
    /// How many lines went by, as long as it is not found.
    lines: usize,
    is_over: bool,
}

impl FirstMessage {
    /// Whether the next line is it.
    pub(crate) fn is(&mut self, line: &[u8]) -> bool {
        if self.is_over {
            return false;
        }
        self.lines += 1;
        let is_user =
            matches!(scan(line), Scanned::Object(envelope) if envelope.role() == Role::User);
        self.is_over = is_user || self.lines == MOST_LINES;
        is_user
    }
}

/// Where the line of the first message begins in a file of this size.
pub(crate) fn first_message_start(file: &File, size: u64) -> Option<u64> {
    let mut reader = LineReader::new(file, 0, size);
    let mut first = FirstMessage::default();
    while !first.is_over {
        match reader.next_line() {
            Ok(Next::Line { bytes, offset, .. }) if first.is(bytes) => return Some(offset),
            Ok(Next::Line { .. }) => {}
            Ok(Next::TooLong { .. }) => first.lines += 1,
            Ok(Next::End) | Err(_) => return None,
        }
    }
    None
}
