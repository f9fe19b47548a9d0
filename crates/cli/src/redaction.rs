//! What the user chose about redaction, and the redactor that it makes.
//!
//! The key is the one thing that ties placeholders to secrets. It is random; it is kept only if
//! the user names a file for it, and then only where nobody else can read it.

use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::Args;
use fs_err::os::unix::fs::OpenOptionsExt;
use pitree_host::auth::ApiKey;
use pitree_host::secrets::{env_file, known_secrets};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::paths;

use crate::error::CommandError;
use crate::output::Output;
use crate::target::Place;

/// What may be chosen wherever secrets are replaced.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KnownSecrets {
    /// A file with `NAME=value` lines whose secrets are looked for too; may be given several times
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
}

/// What may be chosen about placeholders.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PlaceholderArgs {
    /// The file with the key of the placeholders: with the same key the same secret has the same
    /// placeholder in every export. It is made if it is missing; without it the key is random and
    /// forgotten
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Replace home directories, your user name, the name of this machine and e-mail addresses too
    #[arg(long)]
    pseudonyms: bool,
}

impl PlaceholderArgs {
    /// Whether the user chose anything here.
    pub(crate) fn are_given(&self) -> bool {
        self.key.is_some() || self.pseudonyms
    }
}

impl KnownSecrets {
    /// Whether the user chose anything here.
    pub(crate) fn are_given(&self) -> bool {
        !self.env_file.is_empty()
    }

    /// The values of Pi's own files and of the files that the user named.
    fn literals(&self, place: &Place, output: &mut Output) -> Result<Literals, CommandError> {
        let secrets = known_secrets(&place.environment)?;
        let mut variables = Vec::new();
        for path in &self.env_file {
            variables.extend(env_file(&paths::resolve(path, &place.environment))?);
        }
        let shown = |named: &'_ (String, ApiKey)| (named.0.clone(), named.1.reveal().to_owned());
        let literals =
            Literals::with_variables(secrets.iter().map(shown), variables.iter().map(shown));
        if !literals.skipped().is_empty() {
            let skipped: Vec<String> = literals.skipped().iter().map(ToString::to_string).collect();
            output.remark(&format!("not looked for: {}", skipped.join(", ")))?;
        }
        Ok(literals)
    }
}

/// A redactor for output that is handed out. Without a key of the user's the one at `usual_key` is
/// taken, or a random one if there is no such place.
pub(crate) fn redactor(
    known: &KnownSecrets,
    placeholders: &PlaceholderArgs,
    usual_key: Option<&Path>,
    place: &Place,
    output: &mut Output,
) -> Result<Redactor, CommandError> {
    let key = match (&placeholders.key, usual_key) {
        (Some(path), _) => stored_key(&paths::resolve(path, &place.environment))?,
        (None, Some(path)) => stored_key(path)?,
        (None, None) => Key::new(random_bytes()?),
    };
    let pseudonyms =
        if placeholders.pseudonyms { of_this_machine(place) } else { Pseudonyms::default() };
    Ok(Redactor::new(key, known.literals(place, output)?, pseudonyms))
}

/// A redactor that only looks.
pub(crate) fn scanner(
    known: &KnownSecrets,
    place: &Place,
    output: &mut Output,
) -> Result<Redactor, CommandError> {
    let literals = known.literals(place, output)?;
    // Nothing is replaced, so no key is needed.
    Ok(Redactor::new(Key::new([0; Key::LEN]), literals, Pseudonyms::default()))
}

fn of_this_machine(place: &Place) -> Pseudonyms {
    let environment = &place.environment;
    let home = || environment.home().file_name().map(|name| name.to_string_lossy().into_owned());
    let user = environment.var("USER").map(str::to_owned).or_else(home);
    let host = fs_err::read_to_string("/etc/hostname").ok();
    let host = host.or_else(|| environment.var("HOSTNAME").map(str::to_owned));
    Pseudonyms {
        homes: true,
        emails: true,
        users: user.into_iter().collect(),
        hosts: host.into_iter().map(|host| host.trim().to_owned()).collect(),
    }
}

/// Bytes that nobody can guess. Unlike an id, a key must not be made without a source of them.
fn random_bytes() -> Result<[u8; Key::LEN], CommandError> {
    let mut bytes = [0; Key::LEN];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::BadData {
        message: format!("The system gives no random bytes for a key: {error}"),
        hint: Some("make the key elsewhere and name its file with --key".to_owned()),
    })?;
    Ok(bytes)
}

/// The key in a file; a missing file is made, for the user alone.
fn stored_key(path: &Path) -> Result<Key, CommandError> {
    let cannot = |action: &str, error: io::Error| CommandError::BadData {
        message: format!("Cannot {action} the key {}: {error}", path.display()),
        hint: None,
    };
    let metadata = match fs_err::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let bytes = random_bytes()?;
            return make_key(path, bytes).map_err(|error| cannot("make", error));
        }
        Err(error) => return Err(cannot("read", error)),
    };
    if !metadata.is_file() || metadata.mode() & 0o077 != 0 {
        return Err(CommandError::Refused {
            message: format!("{} may be read by others, or is no regular file", path.display()),
            hint: Some(format!(
                "whoever has the key can try out secrets: chmod 600 {}",
                path.display()
            )),
        });
    }
    let text = fs_err::read_to_string(path).map_err(|error| cannot("read", error))?;
    parse_key(text.trim()).ok_or_else(|| CommandError::BadData {
        message: format!("{} is no key: it must have 64 hexadecimal digits", path.display()),
        hint: Some("name a file that does not exist, and it is made".to_owned()),
    })
}

fn make_key(path: &Path, bytes: [u8; Key::LEN]) -> io::Result<Key> {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = fs_err::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{digits}")?;
    file.sync_all()?;
    Ok(Key::new(bytes))
}

fn parse_key(digits: &str) -> Option<Key> {
    let mut bytes = [0; Key::LEN];
    if digits.len() != 2 * Key::LEN || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Key::new(bytes))
}
