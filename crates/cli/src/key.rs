//! The key that ties placeholders to secrets: random bytes in a file that nobody else can read.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pitree_redact::Key;
use pitree_session::{
    Environment, backup_directory, cause, make_private_directory, read_small_text,
    without_temporary_name,
};

use crate::error::{CommandError, Result};
use crate::text::shell_word;

/// A larger file is not a key.
const MOST_BYTES: u64 = 1 << 20;

/// A key that nobody else has, and that is forgotten. Unlike an id, a key must not be made without
/// a source of bytes that nobody can guess.
pub(crate) fn random() -> Result<Key> {
    Ok(Key::new(random_bytes()?))
}

fn random_bytes() -> Result<[u8; Key::LEN]> {
    let mut bytes = [0; Key::LEN];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::BadData {
        message: format!("The system gives no random bytes for a key: {error}"),
        hint: Some("make the key elsewhere and name its file with --key".to_owned()),
    })?;
    Ok(bytes)
}

/// The folder of keys for which the user names no file.
pub(crate) fn directory(environment: &Environment) -> PathBuf {
    backup_directory(environment).with_file_name("keys")
}

/// Where the key of what is written to `out` is kept if the user names none: one file for each
/// place, so that the next run gives the same placeholders.
pub(crate) fn usual_place(out: &Path, environment: &Environment) -> Result<PathBuf> {
    let keys = directory(environment);
    make_private_directory(&keys).map_err(|error| CommandError::BadData {
        message: error.to_string(),
        hint: Some(
            "pitree keeps the redaction key there; pass --key FILE to keep it elsewhere".to_owned(),
        ),
    })?;
    // The hash tells places apart, and the name tells people which one it is.
    let hash = blake3::hash(out.as_os_str().as_bytes()).to_hex();
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.chars().map(plain).take(40).collect();
    Ok(keys.join(format!("{name}-{}.key", &hash[..32])))
}

/// The key in a file; a missing file is made, for the user alone.
pub(crate) fn stored(path: &Path) -> Result<Key> {
    if let Some(key) = read(path)? {
        return Ok(key);
    }
    let bytes = random_bytes()?;
    match make(path, &bytes) {
        Ok(()) => Ok(Key::new(bytes)),
        // Another run was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            read(path)?.ok_or_else(|| cannot_read(path, &error))
        }
        Err(error) => Err(CommandError::BadData {
            message: cannot("create", path, &without_temporary_name(error)),
            hint: Some("pass another file with --key".to_owned()),
        }),
    }
}

fn read(path: &Path) -> Result<Option<Key>> {
    let metadata = match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| cannot_read(path, &error))?,
    };
    if metadata.is_dir() {
        let inside = path.join("redaction.key");
        return Err(CommandError::Refused {
            message: format!("{} is a folder, not a key file", path.display()),
            hint: Some(format!(
                "name a file in it, such as `--key {}`; pitree creates it",
                shell_word(inside.as_os_str())
            )),
        });
    }
    if !metadata.is_file() {
        return Err(CommandError::Refused {
            message: format!("{} is not a regular file", path.display()),
            hint: Some("pass a file that does not exist yet; pitree creates it".to_owned()),
        });
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(CommandError::Refused {
            message: format!("{} can be read by others", path.display()),
            hint: Some(format!(
                "with the key, others can guess secrets; run `chmod 600 {}`",
                path.display()
            )),
        });
    }
    let text = read_small_text(path, MOST_BYTES).map_err(|error| cannot_read(path, &error))?;
    let key = parse(text.trim()).ok_or_else(|| CommandError::BadData {
        message: format!(
            "{} is not a key file: it must contain 64 hexadecimal digits",
            path.display()
        ),
        hint: Some("pass a file that does not exist yet; pitree creates it".to_owned()),
    })?;
    Ok(Some(key))
}

/// Makes the file whole and then gives it its name, so that no run ever finds half a key.
fn make(path: &Path, bytes: &[u8; Key::LEN]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = tempfile::Builder::new().prefix(".pitree-key-").tempfile_in(folder)?;
    writeln!(file, "{digits}")?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    // Where a folder cannot be flushed the name is there all the same.
    let _ = fs_err::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn cannot(action: &str, path: &Path, error: &io::Error) -> String {
    format!("Cannot {action} the key {}: {}", path.display(), cause(error))
}

fn cannot_read(path: &Path, error: &io::Error) -> CommandError {
    CommandError::BadData { message: cannot("read", path, error), hint: None }
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
