//! The key that ties placeholders to secrets: random bytes in a file that nobody else can read.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pitree_extract::stages::{KeyFileError, read_key_file};
use pitree_redact::Key;
use pitree_session::{
    Environment, backup_directory, cause, make_private_directory, without_temporary_name,
};

use crate::error::{CommandError, Result};
use crate::text::shell_word;

/// A key that nobody else has, and that is forgotten with the process. A program that asks more than
/// once gets the same one, so that what it gets fits together. Unlike an id, a key must not be made
/// without a source of bytes that nobody can guess.
pub(crate) fn of_process() -> Result<Key> {
    static MADE: Mutex<Option<Key>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = &*made {
        return Ok(key.clone());
    }
    Ok(made.insert(Key::new(random_bytes()?)).clone())
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
    read_key_file(path).map_err(|error| {
        let message = error.to_string();
        match error {
            KeyFileError::Folder(path) => {
                let inside = path.join("redaction.key");
                CommandError::Refused {
                    message,
                    hint: Some(format!(
                        "name a file in it, such as `--key {}`; pitree creates it",
                        shell_word(inside.as_os_str())
                    )),
                }
            }
            KeyFileError::NotAFile(_) => CommandError::Refused {
                message,
                hint: Some("pass a file that does not exist yet; pitree creates it".to_owned()),
            },
            KeyFileError::Open(path) => CommandError::Refused {
                message,
                hint: Some(format!(
                    "with the key, others can guess secrets; run `chmod 600 {}`",
                    path.display()
                )),
            },
            KeyFileError::NotAKey(_) => CommandError::BadData {
                message,
                hint: Some("pass a file that does not exist yet; pitree creates it".to_owned()),
            },
            _ => CommandError::BadData { message, hint: None },
        }
    })
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
