//! The private copy of a session: its lines without secrets, in a file that has no name.
//!
//! The file is read once, up to the end that it had when it was opened, so a session that grows
//! meanwhile gives one state of it. A last line without its line feed is one that somebody is
//! still writing, or was cut off; it is copied as it is, and is an entry only if it is JSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::{Environment, LineReader, Next, OpenOptions, Session, open_file};

use crate::error::{ExtractError, IoContext};
use crate::guard::{Guard, Hit};

const BUFFER_BYTES: usize = 256 << 10;

/// A session that can be read but not written, and what was hidden in it.
pub struct PrivateCopy {
    /// The session, as if it lay at its own place.
    pub session: Session,
    /// What was redacted, in order.
    pub hits: Vec<Hit>,
    /// The hash of the bytes that were read.
    pub content: blake3::Hash,
    /// How many bytes were read.
    pub bytes: u64,
}

/// Copies a session without its secrets into a file without a name in the folder `temporary`, and
/// opens the copy.
pub fn private_copy(
    path: &Path,
    guard: &dyn Guard,
    temporary: &Path,
    environment: &Environment,
) -> Result<PrivateCopy, ExtractError> {
    let source = open_file(path)?;
    let len = source.metadata().on("read", path)?.len();
    let copy = tempfile::tempfile_in(temporary).on("make a copy in", temporary)?;
    let mut copying = Copying {
        copy: BufWriter::with_capacity(BUFFER_BYTES, copy),
        hasher: blake3::Hasher::new(),
        hits: Vec::new(),
        line: 0,
        guard,
    };
    copying.lines(&source, len).on("copy", path)?;
    let Copying { copy, hasher, hits, .. } = copying;
    let copy = copy.into_inner().map_err(std::io::IntoInnerError::into_error).on("copy", path)?;
    // The threads of a run already share the work out among sessions.
    let session = OpenOptions::new().threads(1).open_copy(copy, path, environment)?;
    Ok(PrivateCopy { session, hits, content: hasher.finalize(), bytes: len })
}

/// The messages of a record of events: those of `message` entries and of `message_end` events.
pub(crate) struct RecordMessages {
    /// Without secrets.
    pub(crate) messages: Vec<Value>,
    /// What was redacted, in order.
    pub(crate) hits: Vec<Hit>,
    /// The hash of the bytes that were read.
    pub(crate) content: blake3::Hash,
}

/// Reads the messages of a record of events.
pub(crate) fn record_messages(
    path: &Path,
    guard: &dyn Guard,
) -> Result<RecordMessages, ExtractError> {
    let content = content_hash(path)?;
    let source = open_file(path)?;
    let mut reader = LineReader::new(&source, 0, u64::MAX);
    let mut record = RecordMessages { messages: Vec::new(), hits: Vec::new(), content };
    for line in 1.. {
        match reader.next_line().on("read", path)? {
            Next::End => break,
            Next::TooLong { .. } => {}
            Next::Line { bytes, .. } => {
                let hits = &mut record.hits;
                let redacted = guard.redact_line(bytes, &mut |hit| hits.push(Hit { line, ..hit }));
                record.messages.extend(message_of(redacted.as_deref().unwrap_or(bytes)));
            }
        }
    }
    Ok(record)
}

fn message_of(line: &[u8]) -> Option<Value> {
    let mut value = parse(line).ok()?;
    let kind = value.get_string("type")?;
    if *kind != *"message" && *kind != *"message_end" {
        return None;
    }
    value.as_object_mut()?.remove("message").filter(|message| message.as_object().is_some())
}

/// The hash of a session's bytes up to the end that it has now.
pub(crate) fn content_hash(path: &Path) -> Result<blake3::Hash, ExtractError> {
    let source = open_file(path)?;
    let len = source.metadata().on("read", path)?.len();
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut std::io::Read::take(source, len), &mut hasher).on("read", path)?;
    Ok(hasher.finalize())
}

struct Copying<'g> {
    copy: BufWriter<File>,
    hasher: blake3::Hasher,
    hits: Vec<Hit>,
    line: u64,
    guard: &'g dyn Guard,
}

impl Copying<'_> {
    fn lines(&mut self, source: &File, len: u64) -> std::io::Result<()> {
        let mut reader = LineReader::new(source, 0, len);
        loop {
            match reader.next_line()? {
                Next::End => return Ok(()),
                Next::Line { bytes, terminated, .. } => {
                    self.hasher.update(bytes);
                    self.line += 1;
                    self.line(bytes)?;
                    self.end_line(terminated)?;
                }
                // No entry can be that long, so nobody will miss it; its place is kept.
                Next::TooLong { len, terminated, .. } => {
                    self.hasher.update(&len.to_le_bytes());
                    self.line += 1;
                    self.end_line(terminated)?;
                }
            }
        }
    }

    fn line(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let (hits, number) = (&mut self.hits, self.line);
        let redacted =
            self.guard.redact_line(bytes, &mut |hit| hits.push(Hit { line: number, ..hit }));
        match redacted {
            Some(other) => self.copy.write_all(&other),
            None => self.copy.write_all(bytes),
        }
    }

    fn end_line(&mut self, terminated: bool) -> std::io::Result<()> {
        if terminated {
            self.hasher.update(b"\n");
            self.copy.write_all(b"\n")?;
        }
        Ok(())
    }
}
