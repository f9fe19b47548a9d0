//! Exports as files: whole or not at all, and never over something that would be missed.

use std::io::{BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pitree_session::location::Location;
use pitree_session::{Environment, Session, make_private_directory};
use tempfile::NamedTempFile;

use crate::error::{ExportError, IoContext};
use crate::guard::ensure_replaceable;
use crate::{ExportOptions, Exported, Format, export};

/// The name that Pi gives an export: `pi-session-<name of the session file>.html`, and
/// `session-<time>.jsonl` for JSONL.
pub fn default_name(session: &Session, format: Format) -> String {
    let ending = format.extension();
    if format == Format::Jsonl {
        let time = session.environment().now_iso().replace([':', '.'], "-");
        return format!("session-{time}.{ending}");
    }
    let file = session.path().and_then(Path::file_name).map(|name| name.to_string_lossy());
    let base = match &file {
        Some(name) => name.strip_suffix(".jsonl").unwrap_or(name).to_owned(),
        None => session.id(),
    };
    format!("pi-session-{base}.{ending}")
}

/// What happens to a file that already exists.
#[derive(Clone, Copy, Debug)]
pub enum Overwrite<'l> {
    /// It stays, and nothing is written.
    Never,
    /// It is replaced if [`ensure_replaceable`] has no objection: nothing that lies in these
    /// locations is.
    OutsideOf(&'l [Location]),
}

/// Writes a session to a file that only the user can read. The file appears whole or not at all.
/// Something that already exists is replaced only if `overwrite` says so, and a session never
/// is. Missing folders are made, as Pi does.
pub fn export_to_file(
    session: &Session,
    format: Format,
    options: &ExportOptions<'_>,
    path: &Path,
    overwrite: Overwrite<'_>,
) -> Result<Exported, ExportError> {
    refuse_itself(session, path)?;
    write_file(path, overwrite, session.environment(), |out| export(session, format, options, out))
}

/// Writes a file that only the user can read, whole or not at all, by the rules of
/// [`export_to_file`].
pub fn write_file<T>(
    path: &Path,
    overwrite: Overwrite<'_>,
    environment: &Environment,
    write: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    let exists = || ExportError::Exists { path: path.to_owned() };
    let ensure_free = || match overwrite {
        Overwrite::Never if path.symlink_metadata().is_ok() => Err(exists()),
        Overwrite::Never => Ok(()),
        Overwrite::OutsideOf(known) => ensure_replaceable(path, known, environment),
    };
    ensure_free()?;
    let folder = folder_of(path);
    make_private_directory(&folder)?;
    let mut file = BufWriter::with_capacity(256 << 10, temporary_in(&folder)?);
    let exported = write(&mut file).map_err(|error| error.while_writing(path))?;
    let file = file.into_inner().map_err(std::io::IntoInnerError::into_error).on("write", path)?;
    file.as_file().sync_all().on("flush", path)?;
    if matches!(overwrite, Overwrite::OutsideOf(_)) {
        // Writing takes a while, and something else may have come meanwhile.
        ensure_free()?;
        file.persist(path).map_err(|error| error.error).on("replace", path)?;
        return Ok(exported);
    }
    match file.persist_noclobber(path) {
        Ok(_) => Ok(exported),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists()),
        Err(error) => Err(error.error).on("create", path),
    }
}

/// Refuses to write a session onto its own file.
pub fn refuse_itself(session: &Session, path: &Path) -> Result<(), ExportError> {
    let number = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    let own = session.path().and_then(number);
    if own.is_some() && own == number(path) {
        return Err(ExportError::OntoItself { path: path.to_owned() });
    }
    Ok(())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A temporary file for the user alone, whose name no program takes for a session.
pub(crate) fn temporary_in(folder: &Path) -> Result<NamedTempFile, ExportError> {
    pitree_session::temporary_file_in(folder).on("create a file in", folder)
}
