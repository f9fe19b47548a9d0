//! What can go wrong with an export or an import.

use std::io;
use std::path::{Path, PathBuf};

use pitree_session::{SessionError, cause, without_temporary_name};
use thiserror::Error;

/// Why a session could not be exported or imported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The export could not be written to where it goes.
    #[error("Cannot write the export: {}", cause(.0))]
    Write(#[from] io::Error),
    /// A file could not be made.
    #[error("Cannot {action} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// There is something at the path already.
    #[error("{} already exists", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// What is there cannot be replaced: a folder, a link, a device, a pipe.
    #[error("{} is not a regular file and is not replaced", path.display())]
    NotARegularFile {
        /// The path.
        path: PathBuf,
    },
    /// What is there lies below a folder of sessions.
    #[error("{} is in a sessions folder; an export replaces nothing there", path.display())]
    AmongSessions {
        /// The path.
        path: PathBuf,
    },
    /// What is there is a session.
    #[error("{} is a session, and pitree never replaces one", path.display())]
    IsASession {
        /// The path.
        path: PathBuf,
    },
    /// The export would replace the session itself.
    #[error("{} is the session itself", path.display())]
    OntoItself {
        /// The path.
        path: PathBuf,
    },
    /// A finished export still has what a rule takes for a secret; nothing of it was handed out.
    #[error("line {line} of the export still has a secret ({rule}, {masked})")]
    StillSecret {
        /// The rule that found it.
        rule: &'static str,
        /// The line of the export, from 1.
        line: usize,
        /// The masked value.
        masked: String,
    },
    /// What came in is no session.
    #[error("{name} is not a Pi session: {reason}")]
    NotASession {
        /// Where it came from.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The session's working directory is not there.
    #[error("Stored session working directory does not exist: {}", cwd.display())]
    NoSuchDirectory {
        /// The directory that the header names.
        cwd: PathBuf,
    },
    /// A session with this id is here already.
    #[error("A session with the id {id} already exists: {}", path.display())]
    IdExists {
        /// The id of both.
        id: String,
        /// The file that is here.
        path: PathBuf,
    },
    /// The working directory that the caller chose is not there.
    #[error("{} is not a directory", cwd.display())]
    NoSuchChoice {
        /// The directory.
        cwd: PathBuf,
    },
}

impl ExportError {
    /// One sentence on what to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Session(error) => error.hint(),
            Self::Exists { .. }
            | Self::NotARegularFile { .. }
            | Self::AmongSessions { .. }
            | Self::IsASession { .. } => {
                Some("nothing was written; choose another name".to_owned())
            }
            Self::OntoItself { .. } => {
                Some("session files are never overwritten; choose another name".to_owned())
            }
            Self::NoSuchDirectory { .. } => {
                Some("nothing was imported; choose the directory it should belong to".to_owned())
            }
            Self::NotASession { .. } | Self::IdExists { .. } => {
                Some("nothing was imported".to_owned())
            }
            Self::StillSecret { rule: "literal", .. } => Some(
                "nothing was written; one of the secrets that you named, or one of Pi's keys, is \
                 also an id or a name that every export needs: change that secret, or do not name \
                 it"
                .to_owned(),
            ),
            Self::StillSecret { .. } => Some(
                "nothing was written; please report this, or remove the secret by hand".to_owned(),
            ),
            Self::Write(_) | Self::Io { .. } | Self::NoSuchChoice { .. } => None,
        }
    }
}

impl ExportError {
    /// Names the file that could not be written, for an error that does not know it.
    pub(crate) fn while_writing(self, path: &Path) -> Self {
        match self {
            Self::Write(source) => {
                let (path, source) = (path.to_owned(), without_temporary_name(source));
                Self::Io { action: "write", path, source }
            }
            other => other,
        }
    }
}

/// Adds the path and the action to an I/O error.
pub(crate) trait IoContext<T> {
    fn on(self, action: &'static str, path: &Path) -> Result<T, ExportError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn on(self, action: &'static str, path: &Path) -> Result<T, ExportError> {
        self.map_err(|source| ExportError::Io {
            action,
            path: path.to_owned(),
            source: without_temporary_name(source),
        })
    }
}
