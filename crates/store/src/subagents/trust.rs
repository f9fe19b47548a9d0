//! Which paths that a session names may be followed.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pitree_session::location::Location;
use pitree_session::{Environment, paths};
use thiserror::Error;

use super::relocation::Relocation;

/// The folders that sub-agents make for their sessions in the temporary folder.
const TEMPORARY: &[u8] = b"pi-subagent-session-";

/// Why a path that a session names is not followed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    /// It does not begin at the root of the file system.
    #[error("the path is not absolute")]
    NotAbsolute,
    /// It goes up with `..`.
    #[error("the path has a `..` in it")]
    GoesUp,
    /// It lies in no place where sessions are known to be.
    #[error("the path is outside the known session folders")]
    Outside,
    /// One of its parts is a symbolic link.
    #[error("{} is a symbolic link", .0.display())]
    Link(PathBuf),
    /// It is a folder, a pipe, a device or a socket.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file system says no.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// The places below which paths from a session may be followed: the locations of sessions, and
/// the folders of sub-agents in the temporary folder.
#[derive(Clone, Debug)]
pub struct Trust {
    roots: Vec<PathBuf>,
    temporary: Vec<PathBuf>,
    environment: Environment,
    /// Which sessions are copies from elsewhere.
    relocation: Option<Arc<dyn Relocation>>,
    /// The copy whose paths are followed, if it is one.
    copy: Option<PathBuf>,
}

impl Trust {
    /// Trusts these locations, and `$TMPDIR/pi-subagent-session-*`.
    pub fn new(locations: &[Location], environment: &Environment) -> Self {
        let temporary = environment.var("TMPDIR").unwrap_or("/tmp");
        Self {
            roots: locations.iter().flat_map(|location| both_names(&location.path)).collect(),
            temporary: both_names(Path::new(temporary)),
            environment: environment.clone(),
            relocation: None,
            copy: None,
        }
    }

    /// The same where some sessions are copies from elsewhere.
    #[must_use]
    pub fn with_relocation(mut self, relocation: Option<Arc<dyn Relocation>>) -> Self {
        self.relocation = relocation;
        self
    }

    /// What is trusted for the paths that this session names. Those of a copy from elsewhere lead
    /// to other copies from the same place, and nowhere else.
    pub fn of_session(&self, session: &Path) -> Cow<'_, Self> {
        match self.relocation.as_ref().and_then(|relocation| relocation.root_of(session)) {
            None => Cow::Borrowed(self),
            Some(root) => Cow::Owned(Self {
                roots: vec![root],
                temporary: Vec::new(),
                copy: Some(session.to_owned()),
                ..self.clone()
            }),
        }
    }

    /// The environment that `~` is looked up in.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Expands `~`; for a copy from elsewhere, finds the copy that is meant.
    pub fn expand(&self, path: &str) -> PathBuf {
        if let (Some(relocation), Some(copy)) = (&self.relocation, &self.copy)
            && let Some(found) = relocation.relocated(copy, path)
        {
            return found;
        }
        paths::expand(Path::new(path), &self.environment)
    }

    /// Whether a path may be followed: `Ok(false)` says that nothing is there.
    pub fn check(&self, path: &Path) -> Result<bool, Refused> {
        if !path.is_absolute() {
            return Err(Refused::NotAbsolute);
        }
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(Refused::GoesUp);
        }
        let (root, below) = self.root_of(path).ok_or(Refused::Outside)?;
        let mut at = root.to_owned();
        let mut parts = below.components().peekable();
        if parts.peek().is_none() {
            return Err(Refused::NotAFile);
        }
        while let Some(part) = parts.next() {
            at.push(part);
            let metadata = match fs_err::symlink_metadata(&at) {
                Ok(metadata) => metadata,
                Err(error) => return absent(&error),
            };
            if metadata.file_type().is_symlink() {
                return Err(Refused::Link(at));
            }
            if parts.peek().is_none() && !metadata.is_file() {
                return Err(Refused::NotAFile);
            }
        }
        Ok(true)
    }

    /// The trusted folder that a path lies in, and the rest of the path.
    fn root_of<'p>(&'p self, path: &'p Path) -> Option<(&'p Path, &'p Path)> {
        let in_one_of = |roots: &'p [PathBuf]| {
            roots.iter().find_map(|root| Some((&**root, path.strip_prefix(root).ok()?)))
        };
        in_one_of(&self.roots).or_else(|| {
            in_one_of(&self.temporary).filter(|(_, below)| {
                let first = below.components().next().map(Component::as_os_str);
                first.is_some_and(|first| first.as_bytes().starts_with(TEMPORARY))
            })
        })
    }
}

/// A folder as the user names it, and as it is named once links are followed. The user's own
/// links are trusted, and a session may have been written with either name.
fn both_names(folder: &Path) -> Vec<PathBuf> {
    let mut names = vec![folder.to_owned()];
    names.extend(fs_err::canonicalize(folder).ok().filter(|real| real != folder));
    names
}

fn absent(error: &std::io::Error) -> Result<bool, Refused> {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(false),
        kind => Err(Refused::Unreadable(kind.to_string())),
    }
}
