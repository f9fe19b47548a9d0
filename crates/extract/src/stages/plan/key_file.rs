//! The file of a key: 64 hexadecimal digits that nobody but the user can read.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pitree_redact::Key;
use pitree_session::{cause, read_small_text};
use thiserror::Error;

/// A larger file is not a key.
const MOST_BYTES: u64 = 1 << 20;

/// Why a file is not taken for a key.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It is a folder.
    #[error("{} is a folder, not a key file", .0.display())]
    Folder(PathBuf),
    /// It is a pipe, a link or something else.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// With it others could guess secrets.
    #[error("{} can be read by others", .0.display())]
    Open(PathBuf),
    /// It holds something else.
    #[error("{} is not a key file: it must contain 64 hexadecimal digits", .0.display())]
    NotAKey(PathBuf),
    /// It cannot be read.
    #[error("Cannot read the key {}: {}", .0.display(), cause(.1))]
    Unreadable(PathBuf, io::Error),
}

/// The key in a file; `None` if there is no such file.
///
/// # Errors
/// Fails if the file holds no key, or if others may read it.
pub fn read(path: &Path) -> Result<Option<Key>, KeyFileError> {
    let unreadable = |error| KeyFileError::Unreadable(path.to_owned(), error);
    let metadata = match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    if metadata.is_dir() {
        return Err(KeyFileError::Folder(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(KeyFileError::NotAFile(path.to_owned()));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(KeyFileError::Open(path.to_owned()));
    }
    let text = read_small_text(path, MOST_BYTES).map_err(unreadable)?;
    parse(text.trim()).map(Some).ok_or_else(|| KeyFileError::NotAKey(path.to_owned()))
}

fn parse(digits: &str) -> Option<Key> {
    let mut bytes = [0; Key::LEN];
    if digits.len() != 2 * Key::LEN || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Key::new(bytes))
}
