//! Opening: reads the envelopes, changes nothing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pitree_format::dialect::{LookAlike, Variant, variant_of_header};
use pitree_format::draft::Dialect;
use pitree_format::js::parse;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_format::recognize::{Line, NotASession, Problem, Recognizer};
use pitree_format::scan::scan;
use pitree_format::{Object, Value, setters};

use super::{BYTE_ORDER_MARK, FileState, HeaderLine, NewSession, Session, Storage, Unfit};
use crate::blobs::Blobs;
use crate::environment::Environment;
use crate::error::{IoContext, NO_JSON, Result, SessionError};
use crate::parallel::usual_threads;
use crate::paths;
use crate::read::{LineProblem, LineTable, MAX_LINE_BYTES, OddLine, scan_range};
use crate::table::{Body, EntryTable};
use crate::write::{OldVersion, WriteOptions, read_at};

/// Why Pi refuses a file whose header would be sound without a byte order mark.
const BEHIND_A_MARK: &str =
    "it begins with a byte order mark, so Pi cannot read the header on line 1";

/// Why nothing is appended to a private copy or to a part of a session.
pub(super) const READ_ONLY_COPY: &str = "is a copy for reading only";

/// How to open a session.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    threads: Option<usize>,
    cwd: Option<PathBuf>,
    directory: Option<PathBuf>,
    header_leaf: bool,
    create: bool,
    lenient: bool,
    writing: WriteOptions,
}

impl OpenOptions {
    /// The defaults: as many threads as the machine has, nothing overridden.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// How many threads scan a large file.
        threads: Option<usize>,
        /// The working directory to use instead of the header's.
        cwd: Option<into PathBuf>,
        /// The folder for forks, instead of the one the file is in.
        directory: Option<into PathBuf>,
        /// Stand at the header's `leafId` (the Rust port's) instead of at the last line.
        header_leaf: bool,
        /// A path without a file, or an empty file, is a new session bound to that path.
        create: bool,
        /// Open for reading even what Pi refuses: a file without a header, or one that only looks
        /// like a session. Nothing can be appended to it.
        lenient: bool,
    }

    /// What an append does to a file of version 1 or 2. Without this it is refused.
    #[must_use]
    pub fn old_version(mut self, policy: OldVersion) -> Self {
        self.writing.old_version = policy;
        self
    }

    setters! {
        /// How the session is written.
        writing: WriteOptions,
    }

    /// Opens a session file. Nothing is written; an old version is migrated in memory.
    pub fn open(&self, path: impl AsRef<Path>, environment: &Environment) -> Result<Session> {
        let path = paths::resolve(path.as_ref(), environment);
        let directory = self.directory_of(&path, environment);
        let file = match open_regular(&path) {
            Err(SessionError::Io { source, .. })
                if self.create && source.kind() == std::io::ErrorKind::NotFound =>
            {
                return self.new_at(path, directory, None, environment);
            }
            other => other?,
        };
        if self.create && file.metadata().on("read", &path)?.len() == 0 {
            return self.new_at(path, directory, Some(file), environment);
        }
        self.open_scanned(file, path, directory, environment)
    }

    /// Opens a session file that is open already.
    pub(crate) fn open_file(
        &self,
        file: File,
        path: &Path,
        environment: &Environment,
    ) -> Result<Session> {
        let path = paths::resolve(path, environment);
        let directory = self.directory_of(&path, environment);
        self.open_scanned(file, path, directory, environment)
    }

    /// The folder for forks.
    fn directory_of(&self, path: &Path, environment: &Environment) -> PathBuf {
        match (&self.directory, path.parent()) {
            (Some(directory), _) => paths::expand(directory, environment),
            (None, Some(parent)) => parent.to_owned(),
            (None, None) => PathBuf::from("/"),
        }
    }

    /// Opens a private copy of a session, such as one without its secrets, as if it lay at `path`.
    /// It can only be read: nothing is appended to it or to the file at that path.
    pub fn open_copy(
        &self,
        copy: File,
        path: impl AsRef<Path>,
        environment: &Environment,
    ) -> Result<Session> {
        let path = paths::resolve(path.as_ref(), environment);
        let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut session = self.open_scanned(copy, path, directory, environment)?;
        session.forbid_writing(READ_ONLY_COPY);
        Ok(session)
    }

    fn open_scanned(
        &self,
        file: File,
        path: PathBuf,
        directory: PathBuf,
        environment: &Environment,
    ) -> Result<Session> {
        let len = file.metadata().on("read", &path)?.len();
        if len == 0 {
            return Err(SessionError::Empty { path });
        }
        let threads = self.threads.unwrap_or_else(usual_threads);
        let mut lines = scan_range(&file, 0, len, threads).on("read", &path)?;
        let header = find_header(&file, &path, &lines);
        let (header, refusal) = match header {
            Err(SessionError::NotASession { reason, looks_like, .. }) if self.lenient => {
                // A look-alike behind a sound header is refused by its events only, which Pi keeps.
                let pi_opens = looks_like.is_some() && begins_with_header(&lines);
                let found = match looks_like {
                    Some(LookAlike::LateHeader) => {
                        late_header(&file, &path, &lines)?.map(|(_, value)| value)
                    }
                    Some(LookAlike::ByteOrderMark) => take_marked(&file, &path, &mut lines)?,
                    _ => None,
                };
                let header = found.unwrap_or_else(|| Value::Object(Object::new()));
                (header, Some(Unfit { reason, looks_like, pi_opens }))
            }
            other => (other?, None),
        };
        // Without a header the version is unknown; entries that have ids are a tree.
        let has_ids = lines.entries.has_ids();
        let version = match refusal {
            Some(_) if has_ids => SourceVersion::Current,
            _ => source_version(&header),
        };
        let mut session =
            self.assemble(path, directory, file, lines, (header, version), environment);
        session.unfit = refusal;
        session.remember_tail()?;
        Ok(session)
    }

    /// A new session bound to a path. An empty file is kept open, so that it is filled and not
    /// created.
    fn new_at(
        &self,
        path: PathBuf,
        directory: PathBuf,
        file: Option<File>,
        environment: &Environment,
    ) -> Result<Session> {
        let cwd = self.cwd.clone().unwrap_or_else(|| environment.cwd().to_owned());
        let mut session = Session::in_memory(&cwd, &NewSession::default(), environment)?;
        session.storage = Storage::File(FileState::new(path, directory, file));
        session.writing = self.writing.clone();
        Ok(session)
    }

    pub(super) fn assemble(
        &self,
        path: PathBuf,
        directory: PathBuf,
        file: File,
        lines: LineTable,
        (mut header, version): (Value, SourceVersion),
        environment: &Environment,
    ) -> Session {
        let seed = header.get_string("id").map(|id| id.to_text().into_owned()).unwrap_or_default();
        if version != SourceVersion::Current
            && let Some(object) = header.as_object_mut()
        {
            object.set("version", Value::Number(3.0));
        }
        let header = HeaderLine::new(header);
        let cwd = self.cwd.clone().unwrap_or_else(|| match &header.decoded.cwd {
            Some(cwd) => paths::resolve(Path::new(&*cwd.to_text()), environment),
            None => environment.cwd().to_owned(),
        });
        let is_port = variant_of_header(&header.value) == Some(Variant::RustPort);
        let state = FileState {
            len: lines.bytes,
            lines: lines.lines,
            ends_with_newline: lines.ends_with_newline,
            has_crlf: lines.has_crlf,
            is_port_dialect: is_port,
            ..FileState::new(path, directory, Some(file))
        };
        let table = EntryTable::build(lines.entries, &seed, version == SourceVersion::V1);
        let mut session = Session {
            environment: environment.clone(),
            storage: Storage::File(state),
            header,
            cwd,
            leaf: table.len().checked_sub(1),
            counted_odd: counted_odd(&table, &lines.odd, version),
            odd_lines: lines.odd,
            table,
            version,
            labels: OnceLock::new(),
            blobs: Blobs::default(),
            writing: self.writing.clone(),
            dialect: if is_port { Dialect::Port } else { Dialect::Pi },
            migration: None,
            unfit: None,
            is_copy: false,
        };
        if self.header_leaf {
            session.follow_header_leaf();
        }
        session
    }
}

impl Session {
    /// Opens a session file with the default options. Pi's `SessionManager.open`.
    pub fn open(path: impl AsRef<Path>, environment: &Environment) -> Result<Self> {
        OpenOptions::new().open(path.as_ref(), environment)
    }

    /// Nothing can be appended from now on, for this reason.
    pub(super) fn forbid_writing(&mut self, reason: &'static str) {
        let unfit = || Unfit { reason: reason.into(), looks_like: None, pi_opens: true };
        self.unfit.get_or_insert_with(unfit);
        self.is_copy = true;
    }

    /// Remembers the end of the file, to notice later if somebody wrote it anew.
    fn remember_tail(&mut self) -> Result<()> {
        let Storage::File(state) = &mut self.storage else { return Ok(()) };
        let Some(file) = state.file.take() else { return Ok(()) };
        let result = state.remember_tail(&file);
        state.file = Some(file);
        result
    }

    /// Stands at the header's `leafId`; an empty one means before the first entry.
    pub fn follow_header_leaf(&mut self) {
        let Some(leaf) = &self.header.decoded.leaf_id else { return };
        if leaf.is_empty() {
            self.leaf = None;
        } else if let Some(at) = self.table.find(&leaf.to_text()) {
            self.leaf = Some(at);
        }
    }
}

/// Opens a session file as plain bytes, with the same care: only a regular file.
pub fn open_file(path: &Path) -> Result<File> {
    open_regular(path)
}

/// Opens a regular file for reading. Anything else (a FIFO would block) is named and refused.
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    let metadata = fs_err::metadata(path).map_err(strip_path).on("open", path)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "a device, pipe or socket" };
        return Err(SessionError::NotAFile { path: path.to_owned(), what });
    }
    let file = fs_err::File::open(path).map_err(strip_path).on("open", path)?;
    Ok(file.into_parts().0)
}

/// `fs_err` puts the path into the message, and so do our errors; once is enough.
pub(crate) fn strip_path(error: std::io::Error) -> std::io::Error {
    match error.get_ref().and_then(std::error::Error::source) {
        Some(source) => match source.downcast_ref::<std::io::Error>() {
            Some(inner) => inner
                .raw_os_error()
                .map_or_else(|| inner.kind().into(), std::io::Error::from_raw_os_error),
            None => error,
        },
        None => error,
    }
}

/// The first line that is not an entry and counts all the same.
fn first_counted_odd(lines: &LineTable) -> Option<&OddLine> {
    let counted = |odd: &&OddLine| {
        matches!(odd.what, LineProblem::Header | LineProblem::NotAnObject | LineProblem::TooLong)
    };
    lines.odd.iter().find(counted)
}

/// Whether the first line that parses is a header.
fn begins_with_header(lines: &LineTable) -> bool {
    let first_entry = lines.entries.first().map_or(u64::MAX, |entry| entry.line);
    first_counted_odd(lines)
        .is_some_and(|odd| odd.what == LineProblem::Header && odd.line < first_entry)
}

/// The header: the first line that parses must be one, with a string id.
fn find_header(file: &File, path: &Path, lines: &LineTable) -> Result<Value> {
    let refuse = |reason: String, looks_like| {
        Err(SessionError::NotASession { path: path.to_owned(), reason, looks_like })
    };
    let odd = first_counted_odd(lines).map(|odd| (odd.line, odd.offset, odd.len));
    let entry = lines.entries.first().and_then(|entry| match entry.body {
        Body::File { offset, len } => Some((entry.line, offset, u64::from(len))),
        Body::Memory(_) => None,
    });
    let mut opening: Vec<(u64, u64, u64)> = odd.into_iter().chain(entry).collect();
    opening.sort_unstable();
    let mut recognizer = Recognizer::default();
    let mut header = None;
    for (line, offset, len) in opening {
        let taken = match len <= MAX_LINE_BYTES {
            true => {
                let bytes = read_line(file, path, offset, len)?;
                let taken = recognizer.take(&bytes, &scan(&bytes));
                if let Ok(Line::Header(_)) = taken {
                    header = Some(parse_header(&bytes, path, line)?);
                }
                taken.map(|_| ())
            }
            false => recognizer.too_long_or_no_object().map(|_| ()),
        };
        if let Err(why) = taken {
            if marked_header(file, path, lines)?.is_some() {
                return refuse(BEHIND_A_MARK.to_owned(), Some(LookAlike::ByteOrderMark));
            }
            return match late_header(file, path, lines)?.filter(|_| may_precede_header(why)) {
                Some((late, _)) => refuse(
                    format!("line {line} comes before the header, which is on line {}", late.line),
                    Some(LookAlike::LateHeader),
                ),
                None => refuse(why.problem.in_line(line), why.looks_like),
            };
        }
    }
    match header {
        Some(header) => Ok(header),
        None if marked_header(file, path, lines)?.is_some() => {
            refuse(BEHIND_A_MARK.to_owned(), Some(LookAlike::ByteOrderMark))
        }
        None => refuse(NO_JSON.to_owned(), None),
    }
}

/// The header on a first line that begins with a byte order mark: not JSON, for Pi and for us.
fn marked_header(file: &File, path: &Path, lines: &LineTable) -> Result<Option<Value>> {
    let is_first = |odd: &&OddLine| odd.offset == 0 && odd.len <= MAX_LINE_BYTES;
    let Some(first) = lines.odd.first().filter(is_first) else { return Ok(None) };
    let bytes = read_line(file, path, first.offset, first.len)?;
    let Some(bytes) = bytes.strip_prefix(BYTE_ORDER_MARK) else { return Ok(None) };
    let taken = Recognizer::default().take(bytes, &scan(bytes));
    Ok(match taken {
        Ok(Line::Header(_)) => parse(bytes).ok(),
        _ => None,
    })
}

/// The same; the line counts as the header from then on.
fn take_marked(file: &File, path: &Path, lines: &mut LineTable) -> Result<Option<Value>> {
    let header = marked_header(file, path, lines)?;
    if let Some(first) = lines.odd.first_mut().filter(|_| header.is_some()) {
        first.offset += BYTE_ORDER_MARK.len() as u64;
        first.len -= BYTE_ORDER_MARK.len() as u64;
        first.what = LineProblem::Header;
    }
    Ok(header)
}

/// Whether a file whose first line is refused may still be a session with its header further down,
/// and not a kind of file of its own.
fn may_precede_header(why: NotASession) -> bool {
    let is_other_kind = !matches!(
        why.looks_like,
        None | Some(LookAlike::HeaderlessSession | LookAlike::ForeignMessages)
    );
    matches!(why.problem, Problem::BeforeHeader | Problem::NotAHeader) && !is_other_kind
}

/// The first header with a string id, wherever it is.
fn late_header<'l>(
    file: &File,
    path: &Path,
    lines: &'l LineTable,
) -> Result<Option<(&'l OddLine, Value)>> {
    let headers = lines.odd.iter().filter(|odd| odd.what == LineProblem::Header);
    // Only the first one counts, as in a sound file.
    let Some(first) = headers.filter(|odd| odd.len <= MAX_LINE_BYTES).min_by_key(|odd| odd.line)
    else {
        return Ok(None);
    };
    let value = parse(&read_line(file, path, first.offset, first.len)?).ok();
    Ok(value.filter(|value| value.get_string("id").is_some()).map(|value| (first, value)))
}

/// Where the parsed lines that are not entries stand among all parsed lines. Version 1 counts
/// them too when a compaction names the first kept line.
fn counted_odd(table: &EntryTable, odd: &[OddLine], version: SourceVersion) -> Vec<usize> {
    if version != SourceVersion::V1 {
        return Vec::new();
    }
    let counted =
        odd.iter().filter(|odd| matches!(odd.what, LineProblem::Header | LineProblem::NotAnObject));
    counted.enumerate().map(|(before, odd)| table.count_before_line(odd.line) + before).collect()
}

fn read_line(file: &File, path: &Path, offset: u64, len: u64) -> Result<Vec<u8>> {
    let mut line = vec![0; len as usize];
    read_at(file, &mut line, offset, path)?;
    Ok(line)
}

fn parse_header(line: &[u8], path: &Path, number: u64) -> Result<Value> {
    parse(line).map_err(|error| SessionError::BadLine {
        path: path.to_owned(),
        line: number,
        problem: error.to_string(),
    })
}
