//! Writing a whole file: temporary file, flush, rename. The old file or the new one, never half.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::bytes::unsure;
use super::create::{open_directory, temporary_in, write_pieces};
use crate::error::{IoContext, Result, SessionError};
use crate::session::strip_path;

/// Replaces a file's content, keeping its permissions. Refused if the file is no longer
/// `expected_len` bytes long: somebody is writing to it. Gives the new file, open for reading.
pub(crate) fn replace_file_with(
    path: &Path,
    expected_len: u64,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<File> {
    // A link stays a link: the file it leads to is replaced.
    let real = fs_err::canonicalize(path).map_err(strip_path).on("read", path)?;
    let directory = real.parent().unwrap_or(Path::new("/"));
    // Opened before the file has its name: an error afterwards would come too late.
    let folder = open_directory(directory)?;
    let mut temporary = temporary_in(directory)?;
    write_pieces(temporary.as_file_mut(), path, write)?;
    let before = fs_err::metadata(&real).map_err(strip_path).on("read", path)?;
    let mode = PermissionsExt::from_mode(before.mode() & 0o7777);
    temporary.as_file().set_permissions(mode).on("set the mode of", path)?;
    temporary.as_file().sync_all().on("flush", path)?;
    let now = fs_err::metadata(&real).map_err(strip_path).on("read", path)?;
    if now.len() != expected_len || now.ino() != before.ino() {
        let what = "another program is writing to it";
        return Err(SessionError::Changed { path: path.to_owned(), what });
    }
    let file = temporary.persist(&real).map_err(|error| error.error).on("replace", path)?;
    // It is kept open to be read, and appending to it takes the lock by another descriptor.
    let _ = file.unlock();
    folder.sync_all().map_err(|error| unsure(path, "flushed to the disk", error))?;
    Ok(file)
}
