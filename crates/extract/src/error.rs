//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use pitree_session::SessionError;
use thiserror::Error;

use crate::guard::Hit;
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
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Something that is no data set stands where one is to be written.
    #[error("{} is there and is no data set of pitree", path.display())]
    OutputTaken {
        /// The place.
        path: PathBuf,
    },
    /// Something else stands where the list of redactions is to be written.
    #[error("{} is there and is no list of redactions", path.display())]
    FileTaken {
        /// The place.
        path: PathBuf,
    },
    /// A file that lies beside the data would show something that should be hidden.
    #[error("{name} would show what {} finds: {}", hit.rule, hit.masked)]
    Leak {
        /// The name of the file.
        name: String,
        /// What was found.
        hit: Hit,
    },
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
