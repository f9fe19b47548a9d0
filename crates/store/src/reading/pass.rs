//! The one loop over the lines of a file.

use std::fs::File;
use std::io;

use pitree_format::dialect::LookAlike;
use pitree_format::recognize::{Line, NotASession, Opening, Recognizer};
use pitree_format::scan::scan_members;
use pitree_session::{LineReader, Next};

use super::line::{EntryLine, Members};

/// Somebody who takes something from each line of a file.
pub(crate) trait Consumer {
    /// The header has come.
    fn header(&mut self, opening: &Opening);

    /// An entry has come.
    fn entry(&mut self, line: &EntryLine<'_>);

    /// A line has come that is neither an entry nor a header.
    fn damaged(&mut self) {}

    /// The file is known up to here: a line ends here, or the file does.
    fn passed(&mut self, _end: u64, _terminated: bool) {}

    /// Whether a line of a session can be left out without being looked at closely.
    fn is_nothing(&self, _offset: u64, _bytes: &[u8]) -> bool {
        false
    }

    /// Whether there is any use in going on.
    fn is_full(&self) -> bool {
        false
    }
}

/// Where a pass begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begin {
    pub(crate) recognizer: Recognizer,
    /// A place at which a line begins.
    pub(crate) offset: u64,
    /// How many lines there are before it.
    pub(crate) lines: u32,
}

/// Where a pass has come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) recognizer: Recognizer,
    pub(crate) lines: u32,
    /// Whether the last line is finished.
    pub(crate) is_terminated: bool,
}

/// Why a pass did not come to the end.
#[derive(Debug)]
pub(crate) enum ReadError {
    NotASession(Option<LookAlike>),
    Io(io::Error),
}

impl From<NotASession> for ReadError {
    fn from(why: NotASession) -> Self {
        Self::NotASession(why.looks_like)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Shows the lines of a file, from a place up to a size, to a consumer.
pub(crate) fn read_lines(
    file: &File,
    begin: Begin,
    size: u64,
    consumer: &mut impl Consumer,
) -> Result<End, ReadError> {
    let Begin { mut recognizer, offset, mut lines } = begin;
    let mut reader = LineReader::new(file, offset, size);
    let mut is_terminated = true;
    while !consumer.is_full() {
        match reader.next_line()? {
            Next::End => break,
            Next::TooLong { offset, len, terminated } => {
                lines = lines.saturating_add(1);
                recognizer.too_long_or_no_object()?;
                consumer.damaged();
                is_terminated = terminated;
                consumer.passed(offset + len + u64::from(terminated), terminated);
            }
            Next::Line { offset, bytes, terminated } => {
                lines = lines.saturating_add(1);
                if !(recognizer.is_sure() && consumer.is_nothing(offset, bytes)) {
                    show(bytes, (offset, lines), &mut recognizer, consumer)?;
                }
                is_terminated = terminated;
                let end = offset + bytes.len() as u64 + u64::from(terminated);
                consumer.passed(end, terminated);
            }
        }
    }
    Ok(End { recognizer, lines, is_terminated })
}

fn show(
    bytes: &[u8],
    (offset, number): (u64, u32),
    recognizer: &mut Recognizer,
    consumer: &mut impl Consumer,
) -> Result<(), NotASession> {
    let mut members = Members::default();
    let scanned = scan_members(bytes, |level, name, value| members.take(level, name, value));
    match recognizer.take(bytes, &scanned)? {
        Line::Entry(envelope) => {
            consumer.entry(&EntryLine::new(bytes, (offset, number), envelope, &members));
        }
        Line::Header(opening) => consumer.header(&opening),
        Line::Damaged => consumer.damaged(),
        Line::Nothing | Line::FurtherHeader => {}
    }
    Ok(())
}

/// Two consumers in one pass; each is shown the lines from its own place on.
pub(crate) struct Both<'c, A, B> {
    pub(crate) first: (u64, &'c mut A),
    pub(crate) second: (u64, &'c mut B),
    /// Where the line at hand begins.
    at: u64,
}

impl<'c, A: Consumer, B: Consumer> Both<'c, A, B> {
    pub(crate) fn new(first: (u64, &'c mut A), second: (u64, &'c mut B)) -> Self {
        let at = first.0.min(second.0);
        Self { first, second, at }
    }
}

impl<A: Consumer, B: Consumer> Consumer for Both<'_, A, B> {
    fn header(&mut self, opening: &Opening) {
        if self.at >= self.first.0 {
            self.first.1.header(opening);
        }
        if self.at >= self.second.0 {
            self.second.1.header(opening);
        }
    }

    fn entry(&mut self, line: &EntryLine<'_>) {
        if line.offset >= self.first.0 {
            self.first.1.entry(line);
        }
        if line.offset >= self.second.0 {
            self.second.1.entry(line);
        }
    }

    fn damaged(&mut self) {
        if self.at >= self.first.0 {
            self.first.1.damaged();
        }
        if self.at >= self.second.0 {
            self.second.1.damaged();
        }
    }

    fn passed(&mut self, end: u64, terminated: bool) {
        if end > self.first.0 {
            self.first.1.passed(end, terminated);
        }
        if end > self.second.0 {
            self.second.1.passed(end, terminated);
        }
        self.at = end;
    }

    fn is_nothing(&self, offset: u64, bytes: &[u8]) -> bool {
        (offset < self.first.0 || self.first.1.is_nothing(offset, bytes))
            && (offset < self.second.0 || self.second.1.is_nothing(offset, bytes))
    }

    fn is_full(&self) -> bool {
        self.first.1.is_full() && self.second.1.is_full()
    }
}
