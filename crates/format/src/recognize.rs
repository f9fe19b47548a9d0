//! Whether a file is a session, told by its first lines.
//!
//! Pi takes the first line that parses for the header. A saved event stream begins with the same
//! header, so the first line behind it is looked at, too. Everything that reads session files asks
//! a [`Recognizer`], so that all of them give the same answer and decode no more than it does.

use std::fmt;

use crate::dialect::{LookAlike, Variant, look_alike_by_first, look_alike_by_second};
use crate::dialect::{opening_value, variant_of_header};
use crate::migrate::{SourceVersion, source_version};
use crate::scan::{Envelope, Scanned};
use crate::{EntryKind, Value};

/// Tells whether a file is a session while its lines go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recognizer {
    stage: Stage,
    /// The record of a sub-agent's run may have no header and hold events.
    is_record: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The header has not come yet.
    #[default]
    Header,
    /// The first line behind the header has not come yet.
    Second,
    Sure,
}

/// What a line of a session file is.
#[derive(Debug)]
pub enum Line<'l> {
    /// Nothing that counts: white space, or JSON that Pi drops, such as `null`.
    Nothing,
    /// Neither an entry nor a header; kept on disk.
    Damaged,
    /// The header.
    Header(Opening),
    /// Another header, which counts for nothing.
    FurtherHeader,
    /// An entry.
    Entry(Envelope<'l>),
}

/// What the header says.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The header. Of a very long one only the members that tell something.
    pub value: Value,
    /// The version of the file.
    pub version: SourceVersion,
    /// The relative of Pi that wrote it, as far as the header tells.
    pub variant: Option<Variant>,
}

impl Opening {
    /// What a header says.
    pub fn of(value: Value) -> Self {
        let (version, variant) = (source_version(&value), variant_of_header(&value));
        Self { value, version, variant }
    }
}

/// Why a file is not a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASession {
    /// What is wrong with the line that told it.
    pub problem: Problem,
    /// The kind of file that it seems to be.
    pub looks_like: Option<LookAlike>,
}

/// What is wrong with a line that should begin a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An entry, or another object, stands where the header should be.
    BeforeHeader,
    /// Something that is not an object stands where the header should be.
    NotAHeader,
    /// The header has no `id` that is a string.
    NoId,
    /// An event stands behind the header.
    Event,
}

impl Problem {
    /// The sentence for a line, by its number.
    pub fn in_line(self, line: u64) -> String {
        match self {
            Self::BeforeHeader => match line {
                1 => "the first line is not a session header".to_owned(),
                _ => format!("line {line} is not a session header, and none comes before it"),
            },
            Self::NotAHeader => format!("line {line} is not a header"),
            Self::NoId => format!("the header in line {line} has no string id"),
            Self::Event => format!("line {line} is an event, not an entry"),
        }
    }
}

impl fmt::Display for NotASession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.looks_like {
            Some(kind) => write!(f, "it looks like {kind}"),
            None => f.write_str("it does not begin with a header"),
        }
    }
}

impl Recognizer {
    /// For the record of a sub-agent's run, which may have no header and hold events.
    pub fn for_record() -> Self {
        Self { is_record: true, ..Self::default() }
    }

    /// Whether the lines so far have told that the file is a session.
    pub fn is_sure(self) -> bool {
        self.stage == Stage::Sure
    }

    /// Whether the header has come.
    pub fn has_header(self) -> bool {
        self.stage != Stage::Header
    }

    /// Goes on behind lines that were looked at before.
    #[must_use]
    pub fn behind(mut self, has_header: bool, is_sure: bool) -> Self {
        self.stage = match (has_header, is_sure) {
            (_, true) => Stage::Sure,
            (true, false) => Stage::Second,
            (false, false) => Stage::Header,
        };
        self
    }

    /// Looks at the next line and at what a scan of it gave.
    pub fn take<'l>(
        &mut self,
        bytes: &[u8],
        scanned: &Scanned<'l>,
    ) -> Result<Line<'l>, NotASession> {
        let envelope = match scanned {
            Scanned::Object(envelope) => *envelope,
            Scanned::Blank | Scanned::Falsy => return Ok(Line::Nothing),
            Scanned::Malformed(_) => return Ok(Line::Damaged),
            Scanned::NotAnObject => return self.too_long_or_no_object(),
        };
        if envelope.kind() == EntryKind::Session {
            return self.header(bytes);
        }
        match self.stage {
            Stage::Sure => {}
            Stage::Second | Stage::Header if self.is_record => {}
            Stage::Second => {
                if let Some(kind) = look_alike_by_second(&opening_value(bytes)) {
                    return Err(refuse(Problem::Event, Some(kind)));
                }
                self.stage = Stage::Sure;
            }
            Stage::Header => {
                let looks_like = look_alike_by_first(&opening_value(bytes));
                return Err(refuse(Problem::BeforeHeader, looks_like));
            }
        }
        Ok(Line::Entry(envelope))
    }

    /// The next line is too long to be read, or is no object. Neither can be the header.
    pub fn too_long_or_no_object(self) -> Result<Line<'static>, NotASession> {
        match self.stage {
            Stage::Header if !self.is_record => Err(refuse(Problem::NotAHeader, None)),
            _ => Ok(Line::Damaged),
        }
    }

    fn header(&mut self, bytes: &[u8]) -> Result<Line<'static>, NotASession> {
        if self.stage != Stage::Header {
            return Ok(Line::FurtherHeader);
        }
        let value = opening_value(bytes);
        if value.get_string("id").is_some() {
            self.stage = Stage::Second;
            return Ok(Line::Header(Opening::of(value)));
        }
        match self.is_record {
            true => Ok(Line::FurtherHeader),
            false => Err(refuse(Problem::NoId, None)),
        }
    }
}

fn refuse(problem: Problem, looks_like: Option<LookAlike>) -> NotASession {
    NotASession { problem, looks_like }
}
