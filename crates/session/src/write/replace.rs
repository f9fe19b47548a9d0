//! Writing a whole file: temporary file, flush, rename. The old file or the new one, never half.

use std::io::{BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::Durability;
use super::file::{sync_directory, temporary_in};
use crate::error::{IoContext, SessionError};
use crate::session::strip_path;

/// How much of a file that is written piece by piece is gathered for one write.
const PIECE_BYTES: usize = 256 << 10;

/// Replaces a file's content, keeping its permissions. Refused if the file is no longer
/// `expected_len` bytes long: somebody is writing to it.
pub(crate) fn replace_file(
    path: &Path,
    bytes: &[u8],
    expected_len: u64,
) -> Result<(), SessionError> {
    replace_file_with(path, expected_len, |file| file.write_all(bytes).on("write", path))
}

/// The same for a content that is written piece by piece, since it may be large.
pub(crate) fn replace_file_with(
    path: &Path,
    expected_len: u64,
    write: impl FnOnce(&mut dyn Write) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    // A link stays a link: the file it leads to is replaced.
    let real = fs_err::canonicalize(path).map_err(strip_path).on("read", path)?;
    let directory = real.parent().unwrap_or(Path::new("/"));
    let mut temporary = temporary_in(directory)?;
    let mut pieces = BufWriter::with_capacity(PIECE_BYTES, temporary.as_file_mut());
    write(&mut pieces)?;
    pieces.flush().on("write", path)?;
    drop(pieces);
    let before = fs_err::metadata(&real).map_err(strip_path).on("read", path)?;
    let mode = PermissionsExt::from_mode(before.mode() & 0o7777);
    temporary.as_file().set_permissions(mode).on("set the mode of", path)?;
    temporary.as_file().sync_all().on("flush", path)?;
    let now = fs_err::metadata(&real).map_err(strip_path).on("read", path)?;
    if now.len() != expected_len || now.ino() != before.ino() {
        let what = "another program is writing to it";
        return Err(SessionError::Changed { path: path.to_owned(), what });
    }
    temporary.persist(&real).map_err(|error| error.error).on("replace", path)?;
    sync_directory(directory)
}

/// Creates a file whose content is written piece by piece, since it may be large; it never exists
/// in part, and a file that is there already is left alone.
pub(crate) fn new_file_with(
    path: &Path,
    durability: Durability,
    write: impl FnOnce(&mut dyn Write) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut temporary = temporary_in(directory)?;
    let mut pieces = BufWriter::with_capacity(PIECE_BYTES, temporary.as_file_mut());
    write(&mut pieces)?;
    pieces.flush().on("write", path)?;
    drop(pieces);
    if durability == Durability::Durable {
        temporary.as_file().sync_all().on("flush", path)?;
    }
    temporary.persist_noclobber(path).map_err(|error| error.error).on("create", path)?;
    if durability == Durability::Durable {
        sync_directory(directory)?;
    }
    Ok(())
}
