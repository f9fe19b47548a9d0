//! Who hides secrets, and with which key.

use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::{Guard, Redacting, Unguarded};
use pitree_redact::{Key, Pseudonyms};
use pitree_session::{backup_directory, make_private_directory, paths};

use super::{ExtractArgs, is_output};
use crate::error::CommandError;
use crate::output::Output;
use crate::target::Place;

/// The guard that was asked for.
pub(super) fn of(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Arc<dyn Guard>, CommandError> {
    if args.secrets.no_redact {
        output.remark("nothing is redacted: secrets and personal data are written as they are")?;
        return Ok(Arc::new(Unguarded));
    }
    let path = match &args.secrets.key {
        Some(path) => paths::resolve(path, &place.environment),
        None => usual_key(args, place),
    };
    let key = read_or_make_key(&path, place)?;
    let pseudonyms = match args.secrets.pseudonyms {
        true => Pseudonyms { homes: true, emails: true, ..Pseudonyms::default() },
        false => Pseudonyms::default(),
    };
    Ok(Arc::new(Redacting::new(key, &[], pseudonyms)))
}

/// The key of a data set that has none named: one for each place that is written to, so that a
/// second run gives the same placeholders.
fn usual_key(args: &ExtractArgs, place: &Place) -> PathBuf {
    let state = backup_directory(&place.environment);
    let keys = state.parent().unwrap_or(&state).join("keys");
    match is_output(args) {
        true => keys.join("standard-output.key"),
        false => {
            let out = paths::resolve(&args.out, &place.environment);
            keys.join(format!("{}.key", paths::encode_cwd(&out)))
        }
    }
}

fn read_or_make_key(path: &Path, place: &Place) -> Result<[u8; Key::LEN], CommandError> {
    let bad = |message: String| CommandError::BadData { message, hint: None };
    if !path.exists() {
        if let Some(folder) = path.parent() {
            make_private_directory(folder)?;
        }
        let mut key = [0; Key::LEN];
        place.environment.fill_random(&mut key);
        let mut options = fs_err::OpenOptions::new();
        options.options_mut().mode(0o600);
        let mut file = options
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|error| bad(format!("cannot make the key: {error}")))?;
        file.write_all(&key).map_err(|error| bad(format!("cannot write the key: {error}")))?;
        return Ok(key);
    }
    let metadata = fs_err::metadata(path).map_err(|error| bad(error.to_string()))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(CommandError::Refused {
            message: format!("{} can be read by others, so it is no key", path.display()),
            hint: Some(format!("`chmod 600 {}`, or name another file", path.display())),
        });
    }
    let bytes = fs_err::read(path).map_err(|error| bad(error.to_string()))?;
    bytes.try_into().map_err(|_| {
        let message = format!("{} is no key: a key has {} bytes", path.display(), Key::LEN);
        CommandError::BadData { message, hint: Some("name a file that is not there".to_owned()) }
    })
}
