//! What can go wrong.

use std::path::PathBuf;

use pitree_session::SessionError;
use thiserror::Error;

/// Why sessions could not be extracted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
}
