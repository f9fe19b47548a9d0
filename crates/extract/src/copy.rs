//! The private copy of a session: its lines without secrets, in a file that has no name.
//!
//! The file is read once, up to the end that it had when it was opened, so a session that grows
//! meanwhile gives one state of it. A last line without its line feed is one that somebody is
//! still writing, or was cut off; it is copied as it is, and is an entry only if it is JSON.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_redact::{FoundSecrets, SessionMemory};
use pitree_session::{
    Environment, LineReader, Next, OpenOptions, Session, SessionError, open_file,
};
use serde::{Deserialize, Serialize};

use crate::error::{ExtractError, IoContext};
use crate::guard::{Guard, Hit, SourceLine};
use crate::reply_keys::{Spoken, SpokenLines};

const BUFFER_BYTES: usize = 256 << 10;

/// The copy of a session that is no larger stays in memory.
#[cfg(target_os = "linux")]
const MOST_IN_MEMORY: u64 = 8 << 20;

/// What is tried in the temporary folder.
const COPYING: &str = "make copies of sessions in";

/// A session that can be read but not written, and what was hidden in it.
pub struct PrivateCopy {
    /// The session, as if it lay at its own place.
    pub session: Session,
    /// What was redacted, in order.
    pub hits: Vec<Hit>,
    /// How many likely secrets were left in place.
    pub likely_left: u64,
    /// The secrets that were found in it.
    pub found: FoundSecrets,
    /// The secrets that were replaced wherever they stand in it: those that were found, and those
    /// that were known before.
    pub known: FoundSecrets,
    /// The hash of the bytes that were read.
    pub content: blake3::Hash,
    /// How many bytes were read.
    pub bytes: u64,
    /// The number of the last line, if it has no line feed: somebody may still be writing it.
    pub unfinished: Option<u64>,
    /// What each line says, before anything was hidden in it, if somebody wants to know.
    pub(crate) spoken: Option<Vec<Spoken>>,
}

/// Whether it is worked out what each line of a session says, which means to decode them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Speech {
    Hashed,
    Ignored,
}

/// A file, and how many bytes of it are read: those behind them came later. `None` for all that
/// there are when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pinned<'p> {
    pub(crate) path: &'p Path,
    pub(crate) len: Option<u64>,
}

impl<'p> Pinned<'p> {
    /// All of a file.
    pub(crate) fn whole(path: &'p Path) -> Self {
        Self { path, len: None }
    }

    /// How much is read of a file that has so many bytes now.
    fn len(self, now: u64) -> Result<u64, ExtractError> {
        match self.len {
            Some(pinned) if pinned > now => {
                Err(ExtractError::Changed { path: self.path.to_owned(), pinned, now })
            }
            pinned => Ok(pinned.unwrap_or(now)),
        }
    }

    /// Opens a file that was there before. One that is gone since would be missing in a part of
    /// the results only.
    fn open(self) -> Result<File, ExtractError> {
        match open_file(self.path) {
            Err(SessionError::Io { source, .. })
                if self.len.is_some() && source.kind() == ErrorKind::NotFound =>
            {
                let (path, pinned) = (self.path.to_owned(), self.len.unwrap_or(0));
                Err(ExtractError::Changed { path, pinned, now: 0 })
            }
            other => Ok(other?),
        }
    }
}

/// Copies a session without its secrets into a file without a name in the folder `temporary`, and
/// opens the copy.
pub fn private_copy(
    path: &Path,
    guard: &dyn Guard,
    temporary: &Path,
    environment: &Environment,
) -> Result<PrivateCopy, ExtractError> {
    let nothing = FoundSecrets::default();
    let source = Pinned::whole(path);
    copy_knowing(source, guard, &nothing, Speech::Ignored, temporary, environment)
}

/// The same, also without secrets that were found elsewhere.
pub(crate) fn copy_knowing(
    pinned: Pinned<'_>,
    guard: &dyn Guard,
    known: &FoundSecrets,
    speech: Speech,
    temporary: &Path,
    environment: &Environment,
) -> Result<PrivateCopy, ExtractError> {
    let knowing = guard.knowing(known);
    let first = knowing.as_deref().unwrap_or(guard);
    let path = pinned.path;
    let source = pinned.open()?;
    let len = pinned.len(source.metadata().map_err(|error| unreadable(path, error))?.len())?;
    let copy = unnamed_file(len, temporary).on(COPYING, temporary)?;
    // Most sessions of a large store are small.
    let room = usize::try_from(len).map_or(BUFFER_BYTES, |len| (len + 1).min(BUFFER_BYTES));
    let mut copying = Copying {
        copy: BufWriter::with_capacity(room, copy),
        hasher: BufWriter::with_capacity(room, blake3::Hasher::new()),
        hits: Vec::new(),
        likely_left: BTreeMap::new(),
        line: 0,
        unfinished: None,
        spoken: (speech == Speech::Hashed).then(SpokenLines::default),
        memory: SessionMemory::default(),
        guard: first,
    };
    copying.lines(&source, len, path, temporary)?;
    let Copying { copy, hasher, mut hits, mut likely_left, unfinished, spoken, mut memory, .. } =
        copying;
    let copy = copy.into_inner().map_err(std::io::IntoInnerError::into_error);
    let mut copy = copy.on(COPYING, temporary)?;
    let found = memory.found().clone();
    let mut known = known.clone();
    let knows_all = known.contains(&found);
    known.merge(&found);
    if !knows_all && let Some(guard) = guard.knowing(&known) {
        let files = (&source, &copy);
        let noted = (&mut memory, &mut hits, &mut likely_left);
        let again = again(files, len, &*guard, noted, temporary);
        if let Some(other) = again.on(COPYING, temporary)? {
            copy = other;
        }
    }
    let hasher = hasher.into_inner().map_err(std::io::IntoInnerError::into_error);
    let content = hasher.on("hash", path)?.finalize();
    // The threads of a run already share the work out among sessions.
    let session = OpenOptions::new().threads(1).open_copy(copy, path, environment)?;
    let likely_left = likely_left.into_values().sum();
    let (bytes, spoken) = (len, spoken.map(SpokenLines::into_lines));
    Ok(PrivateCopy { session, hits, likely_left, found, known, content, bytes, unfinished, spoken })
}

/// Hides in a copy what was found elsewhere in it; `None` if that stands nowhere else. Only lines
/// that may hold any of it are decoded.
///
/// Such a line is read from the session again: in the copy a name may already have been replaced
/// that is a part of the secret.
fn again(
    (source, copy): (&File, &File),
    source_len: u64,
    guard: &dyn Guard,
    (memory, hits, likely_left): (&mut SessionMemory, &mut Vec<Hit>, &mut BTreeMap<u64, u64>),
    temporary: &Path,
) -> std::io::Result<Option<File>> {
    let len = copy.metadata()?.len();
    let (mut originals, mut reader) =
        (LineReader::new(source, 0, source_len), LineReader::new(copy, 0, len));
    let mut other: Option<BufWriter<File>> = None;
    let (mut redone, mut found) = (HashSet::new(), Vec::new());
    for number in 1.. {
        let (offset, bytes, terminated) = match reader.next_line()? {
            Next::End => break,
            Next::TooLong { offset, terminated, .. } => (offset, &[][..], terminated),
            Next::Line { offset, bytes, terminated } => (offset, bytes, terminated),
        };
        let original = match originals.next_line()? {
            Next::Line { bytes, .. } => bytes,
            Next::End | Next::TooLong { .. } => bytes,
        };
        let mut hit = |hit: Hit| found.push(Hit { line: number, ..hit });
        let likely_before = memory.likely_left();
        let redacted = match guard.may_repeat(bytes) || guard.may_repeat_secret(original) {
            true => guard.redact_line(original, memory, &mut hit),
            false => None,
        };
        // Most of these lines are those in which the secret was found.
        let redacted = redacted.filter(|redacted| redacted != bytes);
        if redacted.is_some() {
            redone.insert(number);
            likely_left.insert(number, memory.likely_left() - likely_before);
            if other.is_none() {
                let file = unnamed_file(len, temporary)?;
                let mut begun = BufWriter::with_capacity(BUFFER_BYTES, file);
                write_range(copy, 0, offset, &mut begun)?;
                other = Some(begun);
            }
        }
        if let Some(other) = &mut other {
            other.write_all(redacted.as_deref().unwrap_or(bytes))?;
            other.write_all(if terminated { b"\n" } else { b"" })?;
        }
    }
    hits.retain(|hit| !redone.contains(&hit.line));
    hits.extend(found.into_iter().filter(|hit| redone.contains(&hit.line)));
    hits.sort_by_key(|hit| hit.line);
    let other = other.map(|other| other.into_inner().map_err(std::io::IntoInnerError::into_error));
    other.transpose()
}

/// A file without a name for so many bytes: in memory, or in the folder if they are many.
fn unnamed_file(len: u64, folder: &Path) -> std::io::Result<File> {
    #[cfg(target_os = "linux")]
    if len <= MOST_IN_MEMORY
        && let Ok(file) = rustix::fs::memfd_create("pitree-copy", rustix::fs::MemfdFlags::CLOEXEC)
    {
        return Ok(file.into());
    }
    tempfile::tempfile_in(folder)
}

/// The messages of a record of events: those of `message` entries and of `message_end` events.
pub(crate) struct RecordMessages {
    /// Without secrets.
    pub(crate) messages: Vec<Value>,
    /// What was redacted, in order.
    pub(crate) hits: Vec<Hit>,
    /// How many likely secrets were left in place.
    pub(crate) likely_left: u64,
    /// The secrets that were found in it.
    pub(crate) found: FoundSecrets,
    /// The hash of the bytes that were read.
    pub(crate) content: blake3::Hash,
}

/// Reads the messages of a record of events, without secrets that are known.
pub(crate) fn record_messages(
    path: &Path,
    guard: &dyn Guard,
    known: &FoundSecrets,
) -> Result<RecordMessages, ExtractError> {
    let knowing = guard.knowing(known);
    let record = read_record(path, knowing.as_deref().unwrap_or(guard))?;
    if known.contains(&record.found) {
        return Ok(record);
    }
    let mut all = known.clone();
    all.merge(&record.found);
    let knowing = guard.knowing(&all);
    read_record(path, knowing.as_deref().unwrap_or(guard))
}

fn read_record(path: &Path, guard: &dyn Guard) -> Result<RecordMessages, ExtractError> {
    let content = content_hash(path)?;
    let source = open_file(path)?;
    let mut reader = LineReader::new(&source, 0, u64::MAX);
    let (messages, hits, found) = (Vec::new(), Vec::new(), FoundSecrets::default());
    let mut record = RecordMessages { messages, hits, likely_left: 0, found, content };
    let mut memory = SessionMemory::default();
    for line in 1.. {
        match reader.next_line().map_err(|error| unreadable(path, error))? {
            Next::End => break,
            Next::TooLong { .. } => {}
            Next::Line { bytes, .. } => {
                let hits = &mut record.hits;
                let mut hit = |hit: Hit| hits.push(Hit { line, ..hit });
                let redacted = guard.redact_line(bytes, &mut memory, &mut hit);
                record.messages.extend(message_of(redacted.as_deref().unwrap_or(bytes)));
            }
        }
    }
    record.likely_left = memory.likely_left();
    record.found = memory.into_found();
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
    let len = source.metadata().map_err(|error| unreadable(path, error))?.len();
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut std::io::Read::take(source, len), &mut hasher)
        .map_err(|error| unreadable(path, error))?;
    Ok(hasher.finalize())
}

/// Writes bytes of a file: into a hash, if they are not copied, so that the hash of a copy is its
/// session's.
fn write_range(source: &File, offset: u64, len: u64, to: &mut impl Write) -> std::io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut done = 0;
    while done < len {
        let room = (len - done).min(BUFFER_BYTES as u64) as usize;
        source.read_exact_at(&mut buffer[..room], offset + done)?;
        to.write_all(&buffer[..room])?;
        done += room as u64;
    }
    Ok(())
}

/// An error of the session itself, which leaves it out.
fn unreadable(path: &Path, source: std::io::Error) -> SessionError {
    SessionError::Io { action: "read", path: path.to_owned(), source }
}

struct Copying<'g> {
    copy: BufWriter<File>,
    /// Lines are short, and many at once are hashed much faster.
    hasher: BufWriter<blake3::Hasher>,
    hits: Vec<Hit>,
    /// How many likely secrets were left in place, by line.
    likely_left: BTreeMap<u64, u64>,
    line: u64,
    unfinished: Option<u64>,
    spoken: Option<SpokenLines>,
    memory: SessionMemory,
    guard: &'g dyn Guard,
}

impl Copying<'_> {
    /// Copies all lines. What cannot be read is the session's fault, what cannot be written that
    /// of the temporary folder.
    fn lines(
        &mut self,
        source: &File,
        len: u64,
        path: &Path,
        temporary: &Path,
    ) -> Result<(), ExtractError> {
        let unreadable = |error| unreadable(path, error);
        let mut reader = LineReader::new(source, 0, len);
        loop {
            self.line += 1;
            let (written, terminated) = match reader.next_line().map_err(unreadable)? {
                Next::End => return Ok(()),
                Next::Line { bytes, terminated, .. } => {
                    let hashed = self.hasher.write_all(bytes);
                    (hashed.and_then(|()| self.line(bytes)), terminated)
                }
                // No entry can be that long, so nobody will miss it; its place is kept.
                Next::TooLong { offset, len, terminated } => {
                    write_range(source, offset, len, &mut self.hasher).map_err(unreadable)?;
                    self.spoken.iter_mut().for_each(SpokenLines::push_nothing);
                    (Ok(()), terminated)
                }
            };
            written.and_then(|()| self.end_line(terminated)).on(COPYING, temporary)?;
        }
    }

    fn line(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let line = SourceLine::new(bytes);
        self.spoken.iter_mut().for_each(|lines| lines.push(&line));
        let (hits, number) = (&mut self.hits, self.line);
        let mut hit = |hit: Hit| hits.push(Hit { line: number, ..hit });
        let likely_before = self.memory.likely_left();
        let redacted = self.guard.redact_decoded(line, &mut self.memory, &mut hit);
        let likely_left = self.memory.likely_left() - likely_before;
        if likely_left > 0 {
            self.likely_left.insert(number, likely_left);
        }
        match redacted {
            Some(other) => self.copy.write_all(&other),
            None => self.copy.write_all(bytes),
        }
    }

    fn end_line(&mut self, terminated: bool) -> std::io::Result<()> {
        if !terminated {
            self.unfinished = Some(self.line);
            return Ok(());
        }
        self.hasher.write_all(b"\n")?;
        self.copy.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_hash_of_its_bytes() {
        let bytes: Vec<u8> = (0..BUFFER_BYTES * 2 + 77).map(|at| at as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for (from, to) in [(0, bytes.len()), (5, BUFFER_BYTES + 5), (9, 9), (3, bytes.len() - 1)] {
            let mut hasher = blake3::Hasher::new();
            write_range(&file, from as u64, (to - from) as u64, &mut hasher).unwrap();
            assert_eq!(hasher.finalize(), blake3::hash(&bytes[from..to]));
        }
        let past = write_range(&file, 0, bytes.len() as u64 + 1, &mut blake3::Hasher::new());
        assert!(past.is_err());
    }
}
