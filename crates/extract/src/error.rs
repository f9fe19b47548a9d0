//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use pitree_session::{SessionError, cause};
use thiserror::Error;

use crate::output::Taken;
use crate::request::RequestError;

/// Why sessions could not be extracted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A request could not be made again.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, such as `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Where a data set is to be written stands something that is not replaced.
    #[error("{} is not replaced: {why}", path.display())]
    OutputTaken {
        /// The place.
        path: PathBuf,
        /// What speaks against it.
        why: Taken,
    },
    /// Somebody asked to stop; nothing was written.
    #[error("the work was stopped")]
    Cancelled,
    /// Something that cannot be, was: a fault of pitree.
    #[error("{0}: this is a fault of pitree")]
    Unexpected(&'static str),
}

/// Says what was tried on which file.
pub(crate) trait IoContext<T> {
    fn on(self, doing: &'static str, path: &Path) -> Result<T, ExtractError>;
}

impl<T> IoContext<T> for Result<T, io::Error> {
    fn on(self, doing: &'static str, path: &Path) -> Result<T, ExtractError> {
        self.map_err(|source| ExtractError::Io { doing, path: path.to_owned(), source })
    }
}
