//! The way in: a session file from elsewhere, copied to where sessions lie. Pi's `/import`.
//!
//! What comes in is opened first, so nothing that is no session gets a place among them. The copy
//! has the bytes that were looked at, appears whole or not at all, and never takes the place of
//! another file: a name that is taken gets `-1`, `-2` and so on, as in Pi.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use pitree_format::draft::Dialect;
use pitree_format::edit::set_member;
use pitree_format::js::date::parse_iso;
use pitree_format::js::stringify;
use pitree_session::location::Location;
use pitree_session::{
    Environment, LineProblem, OpenOptions, Session, SessionError, make_private_directory, paths,
};
use tempfile::NamedTempFile;

use crate::error::{ExportError, IoContext};
use crate::file::temporary_in;
use crate::jsonl::{copy_file, copy_rest};

/// How many names are tried before giving up.
const MOST_NAMES: usize = 10_000;

/// Where a session comes from.
pub enum ImportSource<'r> {
    /// A file.
    File(&'r Path),
    /// A stream of JSONL.
    Stream(&'r mut dyn Read),
}

/// What may be chosen about an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The working directory that the copy shall belong to, instead of the one in its header. The
    /// header of the copy says so.
    pub cwd: Option<PathBuf>,
    /// The working directory of the copy if `cwd` is not given and the one in the header does not
    /// exist. Without it, such a session is refused.
    pub fallback_cwd: Option<PathBuf>,
    /// The folder for the copy, instead of the one where the location keeps the sessions of the
    /// working directory. An interface passes the folder of its current session, as Pi does.
    pub directory: Option<PathBuf>,
    /// Sessions that are here already, by their ids. One that comes in must have another id, since
    /// no id could name either of the two afterwards. Empty to take in whatever comes, as Pi does.
    pub here: HashMap<String, PathBuf>,
}

/// A session that came in.
#[derive(Debug)]
pub struct Imported {
    /// The copy, opened.
    pub session: Session,
    /// The file lies where it belongs, so it was opened and not copied.
    pub was_there: bool,
    /// The directory of its header, if the fallback took its place.
    pub missing_cwd: Option<PathBuf>,
}

/// Copies a session to where it belongs and opens it.
///
/// The working directory must exist: Pi would not resume the session without it.
pub fn import(
    source: ImportSource<'_>,
    location: &Location,
    options: &ImportOptions,
    environment: &Environment,
) -> Result<Imported, ExportError> {
    match source {
        ImportSource::File(path) => {
            let session = Session::open(path, environment)?;
            let name = name_of_file(&session);
            copy_in(&session, &name, location, options)
        }
        ImportSource::Stream(stream) => {
            let waiting = received(stream, location)?;
            let session = Session::open(waiting.path(), environment).map_err(about_the_stream)?;
            let name = name_of_stream(&session);
            copy_in(&session, &name, location, options)
        }
    }
}

fn copy_in(
    session: &Session,
    name: &str,
    location: &Location,
    options: &ImportOptions,
) -> Result<Imported, ExportError> {
    let environment = session.environment();
    let (cwd, missing_cwd) = working_directory(session, options)?;
    let is_another = options.cwd.is_some() || missing_cwd.is_some();
    let directory = match &options.directory {
        Some(directory) => paths::resolve(directory, environment),
        None => location.directory_for(&cwd),
    };
    let open = |path: &Path| -> Result<Session, ExportError> {
        let options = OpenOptions::new().cwd(cwd.clone()).directory(directory.clone());
        Ok(options.open(path, environment)?)
    };
    if !is_another
        && let Some(path) = session.path()
        && is_same_file(path, &directory.join(name))
    {
        return Ok(Imported { session: open(path)?, was_there: true, missing_cwd });
    }
    let id = session.id();
    if let Some(path) = options.here.get(&id) {
        return Err(ExportError::IdExists { id, path: path.clone() });
    }
    make_private_directory(&directory)?;
    let mut copy = temporary_in(&directory)?;
    let copied = match is_another {
        false => copy_file(session, &mut copy),
        true => copy_with_cwd(session, &cwd, &mut copy),
    };
    copied.map_err(|error| error.while_writing(&directory.join(name)))?;
    copy.as_file().sync_all().on("flush", copy.path())?;
    let path = place(copy, &directory, name)?;
    Ok(Imported { session: open(&path)?, was_there: false, missing_cwd })
}

/// The directory of the copy, which must exist, and the one that is missing if it is the fallback.
fn working_directory(
    session: &Session,
    options: &ImportOptions,
) -> Result<(PathBuf, Option<PathBuf>), ExportError> {
    let chosen = |directory: &PathBuf| {
        let cwd = paths::resolve(directory, session.environment());
        if cwd.is_dir() { Ok(cwd) } else { Err(ExportError::NoSuchChoice { cwd }) }
    };
    if let Some(directory) = &options.cwd {
        return Ok((chosen(directory)?, None));
    }
    let cwd = session.cwd().to_owned();
    match &options.fallback_cwd {
        _ if cwd.exists() => Ok((cwd, None)),
        Some(fallback) => Ok((chosen(fallback)?, Some(cwd))),
        None => Err(ExportError::NoSuchDirectory { cwd }),
    }
}

/// The file with another working directory in its header. All other bytes stay.
fn copy_with_cwd(session: &Session, cwd: &Path, out: &mut dyn Write) -> Result<(), ExportError> {
    let header = session.odd_lines().iter().find(|line| line.what == LineProblem::Header);
    let Some(header) = header else { return copy_file(session, out) };
    let line = session.file_bytes(header.offset, header.len)?;
    let value = stringify(&cwd.to_string_lossy().into_owned().into());
    let line = set_member(&line, "cwd", &value).map_err(|error| SessionError::BadLine {
        path: session.path().unwrap_or("(memory)".as_ref()).to_owned(),
        line: header.line,
        problem: error.to_string(),
    })?;
    // Lines before the header are damage, and damage is kept too.
    out.write_all(&session.file_bytes(0, header.offset)?)?;
    out.write_all(&line)?;
    copy_rest(session, header.offset + header.len, out)
}

/// Gives the copy the first name that is free.
fn place(mut copy: NamedTempFile, directory: &Path, name: &str) -> Result<PathBuf, ExportError> {
    let base = name.strip_suffix(".jsonl").unwrap_or(name);
    let mut path = directory.join(name);
    for number in 1..=MOST_NAMES {
        match copy.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                copy = error.file;
                path = directory.join(format!("{base}-{number}.jsonl"));
            }
            Err(error) => return Err(error.error).on("create", &path),
        }
    }
    Err(ExportError::Exists { path })
}

/// The file's own name. One that does not end in `.jsonl` would never be found again.
fn name_of_file(session: &Session) -> String {
    let name = session.path().and_then(Path::file_name);
    match name.map(|name| name.to_string_lossy().into_owned()) {
        Some(name) if name.ends_with(".jsonl") => name,
        Some(name) => format!("{name}.jsonl"),
        None => name_of_stream(session),
    }
}

/// The name that Pi would have given the file. Header members are hostile, so an id or a time
/// that is none is replaced.
fn name_of_stream(session: &Session) -> String {
    let header = session.header();
    let time = header.timestamp.as_ref().map(ToString::to_string);
    let is_plain = |time: &String| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b":.-+".contains(&byte);
        time.len() <= 40 && time.bytes().all(plain) && parse_iso(time.as_bytes()).is_some()
    };
    let time = time.filter(is_plain).unwrap_or_else(|| session.environment().now_iso());
    let id = match session.id() {
        id if id.len() <= 100 && paths::is_valid_session_id(&id) => id,
        _ => session.environment().session_id(),
    };
    paths::file_name(&time, &id, Dialect::Pi)
}

/// Keeps a stream in a file until it is known where it belongs.
fn received(stream: &mut dyn Read, location: &Location) -> Result<NamedTempFile, ExportError> {
    make_private_directory(&location.path)?;
    let mut file = temporary_in(&location.path)?;
    std::io::copy(stream, &mut file).on("write", file.path())?;
    Ok(file)
}

/// An error about a stream names the stream and not the file it waits in.
fn about_the_stream(error: SessionError) -> ExportError {
    let name = "The input".to_owned();
    match error {
        SessionError::NotASession { reason, looks_like, .. } => {
            let looks = looks_like.map(|kind| format!("; it looks like {kind}"));
            let reason = format!("{reason}{}", looks.unwrap_or_default());
            ExportError::NotASession { name, reason }
        }
        SessionError::Empty { .. } => {
            ExportError::NotASession { name, reason: "it is empty".to_owned() }
        }
        other => other.into(),
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs_err::canonicalize(a), fs_err::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
