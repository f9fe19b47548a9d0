//! What the shared index says of a file, as the Rust port would write it.

use std::path::{Path, PathBuf};

use pitree_format::js::parse;
use pitree_format::scan::{Scanned, scan};
use pitree_format::{EntryKind, Value};
use pitree_session::location::is_session;
use pitree_session::{LineReader, Next, open_file};

use super::SharedRow;
use crate::discover::FileStamp;

/// The custom entry by which the port moves a session to another directory.
const WORKDIR: &str = "pi.session.workdir.v1";

/// Why a file is not in the shared index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The Rust port would refuse it; the text says why.
    Refused(String),
    /// It is not a session: a list leaves it out, too.
    NotASession,
    /// It could not be read.
    Unreadable(String),
    /// Its path is no text, and the index holds text only.
    PathIsNoText,
}

/// A file that was read for the index.
pub(crate) struct ReadFile {
    /// `None` when there is not even a header.
    pub(crate) row: Option<SharedRow>,
    /// What the port would say against it.
    pub(crate) against: Option<LeftOut>,
}

impl ReadFile {
    fn without(against: LeftOut) -> Self {
        Self { row: None, against: Some(against) }
    }
}

/// Reads a session file.
pub(crate) fn read_file(path: &Path, stamp: FileStamp) -> ReadFile {
    let Some(text) = path.to_str() else { return ReadFile::without(LeftOut::PathIsNoText) };
    let file = match open_file(path) {
        Ok(file) => file,
        Err(error) => return ReadFile::without(LeftOut::Unreadable(error.to_string())),
    };
    let mut reading = Reading::new(text, stamp);
    let mut reader = LineReader::new(&file, 0, stamp.size);
    for number in 1_u64.. {
        match reader.next_line() {
            Err(error) => return ReadFile::without(LeftOut::Unreadable(error.to_string())),
            Ok(Next::End) => break,
            Ok(Next::TooLong { .. }) => reading.object(format!("line {number} is too long")),
            Ok(Next::Line { bytes, .. }) => reading.line(number, bytes),
        }
    }
    let read = reading.finish();
    if read.against.is_some() && !is_session(path) {
        return ReadFile::without(LeftOut::NotASession);
    }
    read
}

struct Reading {
    row: SharedRow,
    header_seen: bool,
    workdir: Option<String>,
    against: Option<String>,
}

impl Reading {
    fn new(path: &str, stamp: FileStamp) -> Self {
        let row = SharedRow {
            path: PathBuf::from(path),
            id: String::new(),
            cwd: String::new(),
            timestamp: String::new(),
            message_count: 0,
            last_modified_ms: stamp.modified_ms(),
            size_bytes: stamp.size.cast_signed(),
            name: None,
        };
        Self { row, header_seen: false, workdir: None, against: None }
    }

    /// Notes what speaks against the file; the first thing is told.
    fn object(&mut self, what: String) {
        self.against.get_or_insert(what);
    }

    fn line(&mut self, number: u64, bytes: &[u8]) {
        let envelope = match scan(bytes) {
            Scanned::Blank => return,
            Scanned::Object(envelope) => envelope,
            Scanned::Malformed(_) => {
                return self.object(format!("line {number} is not valid JSON"));
            }
            _ => return self.object(format!("line {number} is not an object")),
        };
        if envelope.type_name.to_js().is_none() {
            return self.object(format!("line {number} has no type"));
        }
        match envelope.kind() {
            EntryKind::Session if self.header_seen => {
                self.object(format!("line {number} is a second header"));
            }
            EntryKind::Session => self.header(number, bytes),
            _ if !self.header_seen => self.object(format!("line {number} comes before the header")),
            EntryKind::Message => self.row.message_count += 1,
            EntryKind::SessionInfo => self.row.name = self.name(bytes),
            EntryKind::Custom => self.custom(bytes),
            _ => {}
        }
    }

    fn header(&mut self, number: u64, bytes: &[u8]) {
        let value = parse(bytes).unwrap_or(Value::Null);
        self.header_seen = true;
        if value.get("version").and_then(Value::as_number) != Some(3.0) {
            self.object("the header is not of version 3".to_owned());
        }
        for (name, slot) in [
            ("id", &mut self.row.id),
            ("timestamp", &mut self.row.timestamp),
            ("cwd", &mut self.row.cwd),
        ] {
            match value.get_string(name) {
                Some(text) => *slot = text.to_string(),
                None => {
                    self.against.get_or_insert(format!("line {number} has no {name}"));
                }
            }
        }
    }

    fn name(&self, bytes: &[u8]) -> Option<String> {
        let value = parse(bytes).ok()?;
        value.get_string("name").map(ToString::to_string)
    }

    fn custom(&mut self, bytes: &[u8]) {
        // Other custom entries may be large and need not be decoded.
        if memchr::memmem::find(bytes, WORKDIR.as_bytes()).is_none() {
            return;
        }
        let value = parse(bytes).unwrap_or(Value::Null);
        if value.get_string("customType").is_some_and(|kind| *kind == *WORKDIR)
            && let Some(cwd) = value.get("data").and_then(|data| data.get_string("cwd"))
        {
            self.workdir = Some(cwd.to_string());
        }
    }

    fn finish(mut self) -> ReadFile {
        if !self.header_seen || self.row.id.is_empty() {
            return ReadFile::without(LeftOut::NotASession);
        }
        if let Some(cwd) = self.workdir {
            self.row.cwd = cwd;
        }
        ReadFile { row: Some(self.row), against: self.against.map(LeftOut::Refused) }
    }
}
