//! Backups of files that had to be rewritten, and the way back.
//!
//! They lie in the user's state directory, never under a sessions root, for the user alone. A note
//! beside each (`<backup>.json`) says which file it belongs to. It is written before the rewrite,
//! so that a rewrite can be undone whenever the process ends. Files are read piece by piece: they
//! may be larger than the memory.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pitree_format::js::{parse, stringify};
use pitree_format::scan::{Scanned, scan};
use pitree_format::{Object, Value};

use super::create::{make_private_directory, open_directory, temporary_in};
use super::file::hold_path;
use super::replace_file_with;
use crate::environment::Environment;
use crate::error::{IoContext, Result, SessionError};
use crate::paths;
use crate::session::strip_path;

/// How much of a file's name stands in the name of its backup; the end holds the session's id.
const MOST_NAME_CHARS: usize = 48;

/// How much of a file is held at a time.
const PIECE_BYTES: usize = 64 << 10;

/// A rewrite that can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// What was done, such as `migrate`.
    pub operation: String,
    /// The file that was rewritten.
    pub path: PathBuf,
    /// The file as it was before.
    pub backup: PathBuf,
    /// When.
    pub timestamp: String,
    /// What the file held afterwards.
    result: Fingerprint,
}

/// Enough to see that a file is still what it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fingerprint {
    len: u64,
    hash: String,
}

/// Takes a content piece by piece, for its fingerprint.
pub(crate) struct Fingerprinter {
    len: u64,
    hash: u64,
}

impl Default for Fingerprinter {
    fn default() -> Self {
        Self { len: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Fingerprinter {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.len += bytes.len() as u64;
    }

    fn finish(&self) -> Fingerprint {
        Fingerprint { len: self.len, hash: format!("{:016x}", self.hash) }
    }
}

impl Write for Fingerprinter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where backups lie.
pub fn backup_directory(environment: &Environment) -> PathBuf {
    let state = match environment.var("XDG_STATE_HOME") {
        Some(path) if path.starts_with('/') => PathBuf::from(path),
        _ => environment.home().join(".local").join("state"),
    };
    state.join("pitree").join("backups")
}

/// Saves the old content before a rewrite and notes how to go back. `old` writes it.
pub(crate) fn back_up(
    operation: &str,
    path: &Path,
    old: impl Fn(&mut dyn Write) -> Result<()>,
    new: &Fingerprinter,
    environment: &Environment,
) -> Result<Rewrite> {
    let path = &paths::real_path(path);
    let backup = save(operation, path, old, environment)?;
    let rewrite = Rewrite {
        operation: operation.to_owned(),
        path: path.to_owned(),
        backup,
        timestamp: environment.now_iso(),
        result: new.finish(),
    };
    rewrite.write_note(false)?;
    Ok(rewrite)
}

/// Saves the content of a file among the backups; `content` writes it.
fn save(
    operation: &str,
    path: &Path,
    content: impl Fn(&mut dyn Write) -> Result<()>,
    environment: &Environment,
) -> Result<PathBuf> {
    let directory = backup_directory(environment);
    make_private_directory(&directory)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // A long name with more before it would be too long for the file system.
    let skip = name.chars().count().saturating_sub(MOST_NAME_CHARS);
    let name: String = name.chars().skip(skip).collect();
    let stamp = environment.now_iso().replace([':', '.'], "-");
    // The session's id is in the name, so two backups of one moment differ in their names; a
    // counter covers the rest. It sorts behind the name without one, for `last_rewrite`.
    let mut backup = directory.join(format!("{stamp}_{operation}_{name}.backup"));
    let mut again = 1;
    loop {
        match super::new_file_with(&backup, super::Durability::Durable, &content) {
            Err(SessionError::Io { source, .. })
                if source.kind() == io::ErrorKind::AlreadyExists && again < 1000 =>
            {
                again += 1;
                backup = directory.join(format!("{stamp}~{again:03}_{operation}_{name}.backup"));
            }
            other => return other.map(|_| backup),
        }
    }
}

/// Forgets a rewrite that did not come about.
pub(crate) fn forget(rewrite: &Rewrite) {
    // What cannot be removed does no harm: undoing finds the file as it was.
    let _ = fs_err::remove_file(rewrite.note_path());
    let _ = fs_err::remove_file(&rewrite.backup);
}

/// How to undo.
#[derive(Clone, Debug)]
pub struct UndoOptions {
    /// Bring the old file back even if the file has changed since.
    pub force: bool,
    /// How long to wait for another program's lock.
    pub lock_wait: Duration,
}

impl Default for UndoOptions {
    fn default() -> Self {
        Self { force: false, lock_wait: super::LOCK_WAIT }
    }
}

/// A rewrite that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// What was undone.
    pub rewrite: Rewrite,
    /// Where the file is kept as it was before undoing, if it had changed since the rewrite.
    pub kept: Option<PathBuf>,
}

/// Takes the last rewrite of a file back, under the file's lock. Refused when lines were appended
/// or the file has changed otherwise, unless `force` says so; then the file as it is now is kept
/// among the backups.
pub fn undo_last(path: &Path, options: &UndoOptions, environment: &Environment) -> Result<Undone> {
    let path = paths::real_path(&paths::resolve(path, environment));
    loop {
        let rewrite = last_rewrite(&path, environment)?.ok_or_else(|| {
            SessionError::Refused(format!(
                "There is nothing to undo for {}: `undo` only reverts a migration, and does not \
                 remove appended lines",
                path.display()
            ))
        })?;
        let old = |file: &mut dyn Write| copy(&rewrite.backup, file);
        // Told before the file is touched.
        open(&rewrite.backup)?;
        let held = match hold_path(&path, options.lock_wait) {
            Err(SessionError::Io { source, .. })
                if source.kind() == io::ErrorKind::NotFound && options.force =>
            {
                super::new_file_with(&path, super::Durability::Durable, old)?;
                rewrite.write_note(true)?;
                return Ok(Undone { rewrite, kept: None });
            }
            other => other?,
        };
        if is_same(&path, &rewrite.backup)? {
            // The rewrite was noted, but it never came about.
            rewrite.write_note(true)?;
            continue;
        }
        let now = fingerprint(&path)?;
        let is_rewrite = now == rewrite.result;
        if !is_rewrite && !options.force {
            return Err(rewrite.refusal()?);
        }
        let kept = match is_rewrite {
            true => None,
            false => {
                let content = |file: &mut dyn Write| copy(&path, file);
                Some(save("undo", &path, content, environment)?)
            }
        };
        replace_file_with(&path, now.len, old)?;
        rewrite.write_note(true)?;
        drop(held);
        return Ok(Undone { rewrite, kept });
    }
}

/// The last rewrite of a file that was not undone yet.
pub fn last_rewrite(path: &Path, environment: &Environment) -> Result<Option<Rewrite>> {
    let path = &paths::real_path(path);
    let directory = backup_directory(environment);
    let entries = match fs_err::read_dir(&directory).map_err(strip_path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).on("read", &directory),
    };
    let mut open: Vec<Rewrite> = Vec::new();
    for entry in entries.flatten() {
        let note = entry.path();
        if note.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let Some(value) = fs_err::read(&note).ok().and_then(|bytes| parse(&bytes).ok()) else {
            continue;
        };
        let undone = value.get("undone").is_some_and(Value::is_truthy);
        open.extend(Rewrite::from_value(&value).filter(|one| one.path == *path && !undone));
    }
    // Backups of one moment are numbered, so their names decide.
    Ok(open
        .into_iter()
        .max_by(|a, b| a.timestamp.cmp(&b.timestamp).then_with(|| a.backup.cmp(&b.backup))))
}

fn open(path: &Path) -> Result<BufReader<fs_err::File>> {
    let file = fs_err::File::open(path).map_err(strip_path).on("read", path)?;
    Ok(BufReader::with_capacity(PIECE_BYTES, file))
}

/// The next bytes of a file; none at its end.
fn piece<'r>(reader: &'r mut impl BufRead, path: &Path) -> Result<&'r [u8]> {
    reader.fill_buf().map_err(strip_path).on("read", path)
}

/// Calls `take` with each piece of what a reader gives.
fn each_piece(
    mut reader: impl BufRead,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    loop {
        let bytes = piece(&mut reader, path)?;
        let length = bytes.len();
        if length == 0 {
            return Ok(());
        }
        take(bytes)?;
        reader.consume(length);
    }
}

fn copy(path: &Path, to: &mut dyn Write) -> Result<()> {
    each_piece(open(path)?, path, |bytes| to.write_all(bytes).on("write", path))
}

fn fingerprint(path: &Path) -> Result<Fingerprint> {
    let mut content = Fingerprinter::default();
    copy(path, &mut content)?;
    Ok(content.finish())
}

/// Whether two files hold the same.
fn is_same(one: &Path, other: &Path) -> Result<bool> {
    let (mut first, mut second) = (open(one)?, open(other)?);
    loop {
        let (here, there) = (piece(&mut first, one)?, piece(&mut second, other)?);
        let length = here.len().min(there.len());
        if length == 0 {
            return Ok(here.len() == there.len());
        }
        if here[..length] != there[..length] {
            return Ok(false);
        }
        first.consume(length);
        second.consume(length);
    }
}

fn described_line(line: &[u8]) -> String {
    match scan(line) {
        Scanned::Object(envelope) => {
            let kind = envelope.kind().name();
            match envelope.id.to_js().filter(|id| !id.is_empty()) {
                Some(id) => format!("{kind} {}", harmless(&id.to_text())),
                None => kind.to_owned(),
            }
        }
        Scanned::Blank => "an empty line".to_owned(),
        _ => format!("{} bytes that are not an entry", line.len()),
    }
}

/// An id for a message: short, and without anything but visible ASCII.
fn harmless(id: &str) -> String {
    id.chars().take(64).map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect()
}

/// The bytes of a path that is not UTF-8, and so not a string of JSON: base64.
fn odd_bytes(path: &Path) -> Option<String> {
    let is_odd = path.to_str().is_none();
    is_odd.then(|| STANDARD.encode(path.as_os_str().as_bytes()))
}

fn path_of_bytes(text: &str) -> Option<PathBuf> {
    STANDARD.decode(text).ok().map(|bytes| OsString::from_vec(bytes).into())
}

impl Rewrite {
    /// Why the rewrite is not undone while the file is what it is now.
    fn refusal(&self) -> Result<SessionError> {
        Ok(match self.added_lines()? {
            Some(lines) => SessionError::AppendedSince {
                path: self.path.clone(),
                operation: self.operation.clone(),
                timestamp: self.timestamp.clone(),
                lines,
            },
            None => SessionError::Refused(format!(
                "{} has changed since `{}` rewrote it at {}; its old content is in {}",
                self.path.display(),
                self.operation,
                self.timestamp,
                self.backup.display()
            )),
        })
    }

    /// A line of text for each line that was added to what the rewrite made: its number, and what
    /// it is. `None` if the file has changed otherwise.
    fn added_lines(&self) -> Result<Option<Vec<String>>> {
        let mut now = open(&self.path)?;
        let (mut rewritten, mut number) = (Fingerprinter::default(), 1);
        each_piece(now.by_ref().take(self.result.len), &self.path, |bytes| {
            rewritten.add(bytes);
            number += bytes.iter().filter(|byte| **byte == b'\n').count();
            Ok(())
        })?;
        if rewritten.finish() != self.result {
            return Ok(None);
        }
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        while now.read_until(b'\n', &mut line).map_err(strip_path).on("read", &self.path)? > 0 {
            let text = described_line(line.strip_suffix(b"\n").unwrap_or(&line));
            lines.push(format!("line {number}: {text}"));
            number += 1;
            line.clear();
        }
        Ok(Some(lines))
    }

    fn note_path(&self) -> PathBuf {
        let mut name = self.backup.as_os_str().to_owned();
        name.push(".json");
        name.into()
    }

    /// Writes the note whole, in place of an earlier one.
    fn write_note(&self, undone: bool) -> Result<()> {
        let path = self.note_path();
        let directory = self.backup.parent().unwrap_or(Path::new("/"));
        let mut temporary = temporary_in(directory)?;
        let text = format!("{}\n", stringify(&self.to_value(undone)));
        temporary.write_all(text.as_bytes()).on("write", &path)?;
        temporary.as_file().sync_all().on("flush", &path)?;
        temporary.persist(&path).map_err(|error| error.error).on("write", &path)?;
        open_directory(directory)?.sync_all().on("flush", directory)
    }

    fn to_value(&self, undone: bool) -> Value {
        Object::new()
            .with("timestamp", self.timestamp.as_str())
            .with("operation", self.operation.as_str())
            .with("path", self.path.to_string_lossy().into_owned())
            .with_some("pathBytes", odd_bytes(&self.path))
            .with("backup", self.backup.to_string_lossy().into_owned())
            .with_some("backupBytes", odd_bytes(&self.backup))
            .with("resultBytes", self.result.len as f64)
            .with("resultHash", self.result.hash.as_str())
            .with("undone", undone)
            .into()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let text = |key| value.get_string(key).map(ToString::to_string);
        let path = |key, bytes| {
            let odd = value.get_string(bytes).and_then(|bytes| path_of_bytes(&bytes.to_text()));
            odd.or_else(|| Some(text(key)?.into()))
        };
        Some(Self {
            operation: text("operation")?,
            path: path("path", "pathBytes")?,
            backup: path("backup", "backupBytes")?,
            timestamp: text("timestamp")?,
            result: Fingerprint {
                len: value.get_number("resultBytes")? as u64,
                hash: text("resultHash")?,
            },
        })
    }
}
