//! One session: its header, its entries, its leaf.

mod bytes;
mod create;
mod entry_ref;
mod key;
mod open;
mod part;
mod stats;
mod usage;

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pitree_format::dialect::LookAlike;
use pitree_format::draft::Dialect;
use pitree_format::entry::Header;
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, JsString, Value};

use crate::blobs::Blobs;
use crate::environment::Environment;
use crate::error::{Result, SessionError};
use crate::labels::Labels;
use crate::read::{LineProblem, OddLine};
use crate::table::EntryTable;
use crate::write::{Rewrite, WriteOptions, read_at};

pub use create::NewSession;
pub use entry_ref::EntryRef;
pub use key::EntryKey;
pub use open::{OpenOptions, open_file};
pub(crate) use open::{open_regular, strip_path};
pub use stats::SessionStats;
pub use usage::{EntrySpend, SessionSpend};

/// What some editors write at the beginning of a file. To Pi it is no part of JSON.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// So much of a file is copied at once.
const COPIED_AT_ONCE: u64 = 1 << 20;

/// A session: offset table, envelopes, leaf. Bodies are read from the file when asked for.
///
/// See the [crate documentation](crate) for the table of Pi's methods and their names here.
#[derive(Debug)]
pub struct Session {
    pub(crate) environment: Environment,
    pub(crate) storage: Storage,
    pub(crate) header: HeaderLine,
    pub(crate) cwd: PathBuf,
    pub(crate) table: EntryTable,
    pub(crate) odd_lines: Vec<OddLine>,
    /// In version 1: the places, among the parsed lines, of those that are no entries.
    pub(crate) counted_odd: Vec<usize>,
    pub(crate) version: SourceVersion,
    pub(crate) leaf: Option<usize>,
    pub(crate) labels: OnceLock<Labels>,
    pub(crate) blobs: Blobs,
    pub(crate) writing: WriteOptions,
    /// Which program's form the header has.
    pub(crate) dialect: Dialect,
    /// The migration that an append has run and nobody has asked about.
    pub(crate) migration: Option<Rewrite>,
    /// Why Pi would refuse the file, if it was opened all the same.
    pub(crate) unfit: Option<Unfit>,
    /// A private copy, which has nothing to do with the file at its path.
    pub(crate) is_copy: bool,
}

/// Why a file is no session.
#[derive(Clone, Debug)]
pub(crate) struct Unfit {
    pub(crate) reason: String,
    pub(crate) looks_like: Option<LookAlike>,
    /// The file has a header, so Pi opens it; but it finds no conversation in it.
    pub(crate) pi_opens: bool,
}

impl Unfit {
    /// The error that opening the file without leniency gives.
    pub(crate) fn error(&self, path: &Path) -> SessionError {
        SessionError::NotASession {
            path: path.to_owned(),
            reason: self.reason.clone(),
            looks_like: self.looks_like,
        }
    }
}

/// Where a session is kept.
#[derive(Debug)]
pub(crate) enum Storage {
    /// Nowhere but in memory.
    Memory,
    /// In a file, now or with the first message.
    File(FileState),
}

/// What is known of the session's file.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) path: PathBuf,
    /// Where forks of this session go.
    pub(crate) directory: PathBuf,
    /// Open for reading; `None` until the file exists.
    pub(crate) file: Option<File>,
    /// The device and number of the file that was read.
    pub(crate) number: Option<(u64, u64)>,
    /// Open for appending, once something was appended.
    pub(crate) appender: Option<Arc<File>>,
    /// Its device and number.
    pub(crate) appender_number: Option<(u64, u64)>,
    /// When the file changed last by our own hand. A file of the same size and time is the same;
    /// of any other the end is compared.
    pub(crate) changed: Option<(i64, i64)>,
    /// The last bytes that were read or written.
    pub(crate) tail: Vec<u8>,
    /// How much of the file has been read.
    pub(crate) len: u64,
    pub(crate) lines: u64,
    pub(crate) ends_with_newline: bool,
    pub(crate) has_crlf: bool,
    /// The Rust port wrote the file, so its lock protocol is kept.
    pub(crate) is_port_dialect: bool,
}

impl FileState {
    /// A file of which nothing has been read yet.
    pub(crate) fn new(path: PathBuf, directory: PathBuf, file: Option<File>) -> Self {
        let number = file.as_ref().and_then(|file| file.metadata().ok()).map(|m| file_number(&m));
        Self {
            path,
            directory,
            file,
            number,
            appender: None,
            appender_number: None,
            changed: None,
            tail: Vec::new(),
            len: 0,
            lines: 0,
            ends_with_newline: true,
            has_crlf: false,
            is_port_dialect: false,
        }
    }

    /// Sets the file that bodies are read from.
    pub(crate) fn set_file(&mut self, file: File) {
        self.number = file.metadata().ok().map(|metadata| file_number(&metadata));
        self.file = Some(file);
    }
}

/// What identifies a file on this machine.
pub(crate) fn file_number(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// The header as it stands in the file and decoded.
#[derive(Clone, Debug)]
pub(crate) struct HeaderLine {
    pub(crate) value: Value,
    pub(crate) decoded: Header,
}

impl HeaderLine {
    pub(crate) fn new(value: Value) -> Self {
        let decoded = Header::decode(&value);
        Self { value, decoded }
    }
}

/// How many of the entries that a prefix fits are named.
const MOST_MATCHES: usize = 8;

impl Session {
    /// The session's id.
    pub fn id(&self) -> String {
        self.header.decoded.id.as_ref().map(|id| id.to_text().into_owned()).unwrap_or_default()
    }

    /// The header, decoded.
    pub fn header(&self) -> &Header {
        &self.header.decoded
    }

    /// The header with all its members, brought up to version 3.
    pub fn header_value(&self) -> &Value {
        &self.header.value
    }

    /// Whether the file is a session that has lost its header, opened with
    /// [`OpenOptions::lenient`]. A copy of it needs a new header.
    pub fn is_headerless(&self) -> bool {
        let headerless = Some(LookAlike::HeaderlessSession);
        self.unfit.as_ref().is_some_and(|unfit| unfit.looks_like == headerless)
    }

    /// The header of a file in which something stands before it, so that Pi refuses the file; it was
    /// opened with [`OpenOptions::lenient`]. A copy that begins with this line is a session.
    pub fn late_header(&self) -> Option<&OddLine> {
        let unfit = self.unfit.as_ref()?;
        let is_late = unfit.looks_like == Some(LookAlike::LateHeader);
        self.odd_lines.iter().find(|odd| is_late && odd.what == LineProblem::Header)
    }

    /// Where the text of the file begins: at 0, or behind a byte order mark before the header, which Pi
    /// cannot read, so that it refuses the file; it was opened with [`OpenOptions::lenient`]. A copy
    /// from there on is a session.
    pub fn text_start(&self) -> u64 {
        let marked = Some(LookAlike::ByteOrderMark);
        match self.unfit.as_ref().is_some_and(|unfit| unfit.looks_like == marked) {
            true => BYTE_ORDER_MARK.len() as u64,
            false => 0,
        }
    }

    /// Whether only [`OpenOptions::lenient`] opens the file, since Pi would refuse it or find no
    /// conversation in it.
    pub fn needs_lenient(&self) -> bool {
        self.unfit.is_some()
    }

    /// The working directory: the header's, or the one that was given when opening.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The session's file, if it has one (it may not exist before the first message).
    pub fn path(&self) -> Option<&Path> {
        match &self.storage {
            Storage::File(state) => Some(&state.path),
            Storage::Memory => None,
        }
    }

    /// The folder where forks of this session go.
    pub fn directory(&self) -> Option<&Path> {
        match &self.storage {
            Storage::File(state) => Some(&state.directory),
            Storage::Memory => None,
        }
    }

    /// The version of the file; old versions are read as if they were migrated.
    pub fn source_version(&self) -> SourceVersion {
        self.version
    }

    /// Which program's form the header has; forks have the same unless they are told otherwise.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The environment this session was opened with.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// How many entries there are, on all branches.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    /// All entries in file order. Pi's `getEntries`.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = EntryRef<'_>> + ExactSizeIterator {
        (0..self.table.len()).map(|at| EntryRef::new(self, at))
    }

    /// The entry at a place in file order.
    pub fn at(&self, index: usize) -> Option<EntryRef<'_>> {
        (index < self.table.len()).then(|| EntryRef::new(self, index))
    }

    /// The entry with this id. Pi's `getEntry`.
    pub fn entry(&self, entry: impl EntryKey) -> Option<EntryRef<'_>> {
        entry.place(self).map(|at| EntryRef::new(self, at))
    }

    /// The entry with this id, or an error that names it.
    pub fn require(&self, entry: impl EntryKey) -> Result<EntryRef<'_>> {
        Ok(EntryRef::new(self, self.place_of(&entry)?))
    }

    /// The entry whose id is this or begins with it; for people who type.
    pub fn entry_by_prefix(&self, prefix: &str) -> Result<EntryRef<'_>> {
        if let Some(entry) = self.entry(prefix) {
            return Ok(entry);
        }
        let mut matches = self.entries().filter(|entry| entry.id().starts_with(prefix));
        match (matches.next().filter(|_| !prefix.is_empty()), matches.next()) {
            (None, _) => Err(self.no_entry(prefix.to_owned())),
            (Some(only), None) => Ok(only),
            (Some(first), Some(second)) => {
                let others = matches.by_ref().take(MOST_MATCHES - 2);
                let shown = [first, second].into_iter().chain(others);
                let mut shown: Vec<String> = shown.map(|entry| entry.id().to_owned()).collect();
                let more = matches.count();
                shown.extend((more > 0).then(|| format!("and {more} more")));
                let prefix = prefix.to_owned();
                Err(SessionError::Ambiguous { prefix, what: "entries", matches: shown })
            }
        }
    }

    /// The end of the branch that an entry is on: of the entry and those that follow from it, the
    /// last one in the file. Of the whole file that is where Pi goes on.
    pub fn end_below(&self, entry: impl EntryKey) -> Option<EntryRef<'_>> {
        let start = self.entry(entry)?.index();
        let mut is_elsewhere = vec![false; self.len()];
        let follows = |end: &EntryRef<'_>| {
            let mut next = Some(end.index());
            while let Some(at) = next.filter(|at| *at != start) {
                if std::mem::replace(&mut is_elsewhere[at], true) {
                    return false;
                }
                next = self.table.parent(at);
            }
            next.is_some()
        };
        self.entries().rev().find(follows)
    }

    /// Where the session stands: the last entry of the file, until it is moved. `None` before
    /// the first entry. Pi's `getLeafEntry`.
    pub fn leaf(&self) -> Option<EntryRef<'_>> {
        self.leaf.map(|at| EntryRef::new(self, at))
    }

    /// The id of the leaf. Pi's `getLeafId`.
    pub fn leaf_id(&self) -> Option<&str> {
        self.leaf.map(|at| &*self.table.get(at).id)
    }

    /// Moves the leaf, in memory only, as in Pi; the next append becomes a child of it. Pi's
    /// `branch`.
    pub fn branch(&mut self, entry: impl EntryKey) -> Result<()> {
        self.leaf = Some(self.place_of(&entry)?);
        Ok(())
    }

    /// Moves the leaf before the first entry: the next append becomes a new root. Pi's
    /// `resetLeaf`.
    pub fn reset_leaf(&mut self) {
        self.leaf = None;
    }

    /// The path from the root to an entry, both included; empty for what names no entry. Pi's
    /// `getBranch`.
    pub fn path_to(&self, entry: impl EntryKey) -> Vec<EntryRef<'_>> {
        let entry = entry.place(self);
        let ancestors = entry.into_iter().flat_map(|entry| self.ancestors(entry));
        let mut path: Vec<_> = ancestors.map(|at| EntryRef::new(self, at)).collect();
        path.reverse();
        path
    }

    /// The way from the root to the leaf; empty before the first entry.
    pub fn active_path(&self) -> Vec<EntryRef<'_>> {
        self.leaf.map(|leaf| self.path_to(leaf)).unwrap_or_default()
    }

    /// Of each entry whether it is on the way from the root to the leaf.
    pub fn active_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.len()];
        self.leaf.into_iter().flat_map(|leaf| self.ancestors(leaf)).for_each(|at| flags[at] = true);
        flags
    }

    /// An entry and those above it, up to the root. Always ends: circles were cut when opening.
    pub(crate) fn ancestors(&self, entry: usize) -> impl Iterator<Item = usize> + '_ {
        let start = (entry < self.table.len()).then_some(entry);
        std::iter::successors(start, |&at| self.table.parent(at))
    }

    /// The current labels.
    pub fn labels(&self) -> Result<&Labels> {
        if let Some(labels) = self.labels.get() {
            return Ok(labels);
        }
        let labels = self.read_labels()?;
        Ok(self.labels.get_or_init(|| labels))
    }

    /// The label of an entry. Pi's `getLabel`.
    pub fn label(&self, entry: impl EntryKey) -> Result<Option<JsString>> {
        // A label may name an entry that is not in the file.
        let id = self.entry(&entry).map_or_else(|| entry.name(), |entry| entry.id().to_owned());
        Ok(self.labels()?.get(&id).map(|label| label.text.clone()))
    }

    /// The lines of the file that are no entries: headers and damage.
    pub fn odd_lines(&self) -> &[OddLine] {
        &self.odd_lines
    }

    /// Whether a user or an assistant has spoken; before that there is no file.
    pub fn has_conversation(&self) -> bool {
        use pitree_format::Role::{Assistant, User};
        self.entries().any(|entry| {
            entry.kind() == EntryKind::Message && matches!(entry.role(), User | Assistant)
        })
    }

    /// Appends a part of the file to `bytes`.
    pub(crate) fn read_range(&self, offset: u64, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
        let Storage::File(state) = &self.storage else { return Ok(()) };
        let Some(file) = &state.file else { return Ok(()) };
        let start = bytes.len();
        bytes.resize(start + usize::try_from(len).unwrap_or(usize::MAX), 0);
        read_at(file, &mut bytes[start..], offset, &state.path)
    }

    /// Gives a part of the file piece by piece: it may be larger than the memory.
    pub(crate) fn copy_range(
        &self,
        offset: u64,
        len: u64,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut piece = Vec::new();
        let mut done = 0;
        while done < len {
            let next = COPIED_AT_ONCE.min(len - done);
            piece.clear();
            self.read_range(offset + done, next, &mut piece)?;
            write(&piece)?;
            done += next;
        }
        Ok(())
    }

    pub(crate) fn table(&self) -> &EntryTable {
        &self.table
    }
}
