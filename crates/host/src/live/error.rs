//! Why an operation on a live session was not done.

use std::path::PathBuf;

use pitree_session::SessionError;
use pitree_session::compaction::CompactionError;
use pitree_session::summary::SummaryError;
use thiserror::Error;

/// Why an operation on a live session was not done. Where Pi has words for it, these are Pi's,
/// since clients of its protocol look for them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The session engine refused.
    #[error(transparent)]
    Session(SessionError),
    /// The file is no session.
    #[error("Session file is not a valid pi session: {}", path.display())]
    NotASession {
        /// The path.
        path: PathBuf,
        /// What the engine says about it.
        source: SessionError,
    },
    /// The session belongs to a folder that is gone.
    #[error("Stored session working directory does not exist: {}\nSession file: {}\nCurrent working directory: {}", cwd.display(), path.display(), fallback.display())]
    MissingCwd {
        /// The session's file.
        path: PathBuf,
        /// The folder that is gone.
        cwd: PathBuf,
        /// The folder of the session that stays open.
        fallback: PathBuf,
    },
    /// The entry cannot be forked at.
    #[error("Invalid entry ID for forking")]
    InvalidForkEntry,
    /// There is no file yet that a fork could come from.
    #[error("This session has not been saved yet. Send a message before cloning or forking it.")]
    NotSaved,
    /// There is nothing to clone.
    #[error("Cannot clone session: no current entry selected")]
    NothingToClone,
    /// A name of spaces only.
    #[error("Session name cannot be empty")]
    EmptyName,
    /// The session that is open cannot be deleted.
    #[error("Cannot delete the currently active session")]
    DeleteOpen,
    /// There is nothing to compact, or no summary.
    #[error(transparent)]
    Compaction(#[from] CompactionError),
    /// An observer or the user cancelled.
    #[error("Compaction cancelled")]
    CompactionCancelled,
    /// Nobody can write a summary.
    #[error("No model available for summarization")]
    NoSummarizer,
    /// Other work on the session has not ended.
    #[error("Wait for the current compaction or tree navigation to finish before {0}.")]
    Busy(&'static str),
    /// The session went on while its summary was written.
    #[error("The session changed while it was being compacted; nothing was written")]
    Moved,
    /// Something else stands in the way.
    #[error("{0}")]
    Refused(String),
}

impl LiveError {
    /// One sentence on what to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Session(error) | Self::NotASession { source: error, .. } => error.hint(),
            Self::MissingCwd { .. } => {
                Some("make the folder, or fork the session into another one".to_owned())
            }
            Self::NoSummarizer => {
                Some("name a command or a model that writes summaries".to_owned())
            }
            _ => None,
        }
    }
}

impl From<SummaryError> for LiveError {
    fn from(error: SummaryError) -> Self {
        Self::Compaction(error.into())
    }
}

impl From<SessionError> for LiveError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::NotASession { ref path, .. } => {
                Self::NotASession { path: path.clone(), source: error }
            }
            other => Self::Session(other),
        }
    }
}
