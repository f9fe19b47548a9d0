//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use pitree_sample::SampleError;
use pitree_sample::request::RequestError;
use pitree_session::{SessionError, cause, without_temporary_name};
use thiserror::Error;

use crate::folder_conflict::FolderConflict;
use crate::guard::Hit;
use crate::remote_error::RemoteError;
use crate::report::Plan;

/// Why sessions could not be extracted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A request could not be rebuilt.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A bucket could not be read or written.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A file could not be read or written.
    #[error("Cannot {doing} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, such as `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Nothing can be made in the folder that the data set is to be in.
    #[error("Cannot write to {}: {}", path.display(), cause(source))]
    OutputUnwritable {
        /// The folder around the data set.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A session gives a piece that is too long to be kept.
    #[error("a line of its output is longer than 4 GiB")]
    TooLong,
    /// Where a data set is to be written stands something that is not replaced.
    #[error("Cannot replace {}: {why}", path.display())]
    OutputTaken {
        /// The place.
        path: PathBuf,
        /// What speaks against it.
        why: FolderConflict,
    },
    /// Something else stands where the list of redactions is to be written.
    #[error("{} exists and is not a redaction log", path.display())]
    FileTaken {
        /// The place.
        path: PathBuf,
    },
    /// A file is not a tokenizer.
    #[error("{} is not a tokenizer of Hugging Face: {problem}", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A tokenizer cannot be read, because pitree was built without what reads them.
    #[error("{} cannot be read: this pitree was built without tokenizer files", path.display())]
    NoTokenizers {
        /// The file.
        path: PathBuf,
    },
    /// The data set would have more bytes than it may.
    #[error(
        "the dataset would have {} bytes, more than the limit of {limit}",
        plan.output_bytes
    )]
    TooLarge {
        /// What would have been written.
        plan: Plan,
        /// The most that may be.
        limit: u64,
    },
    /// A file that lies beside the data would show something that should be hidden.
    #[error("{name} would contain a secret that {} finds: {}", hit.rule, hit.masked)]
    Leak {
        /// The name of the file.
        name: String,
        /// What was found.
        hit: Hit,
    },
    /// Somebody asked to stop; nothing was written.
    #[error("interrupted")]
    Cancelled,
    /// Something that cannot be, was: a fault of pitree.
    #[error("{0}; this is a bug in pitree")]
    Unexpected(&'static str),
}

impl ExtractError {
    /// Whether it is about one session, so that all others can go on.
    pub(crate) fn is_of_session(&self) -> bool {
        match self {
            Self::Session(_) | Self::Request(_) | Self::TooLong => true,
            Self::Io { .. }
            | Self::Remote(_)
            | Self::OutputUnwritable { .. }
            | Self::OutputTaken { .. }
            | Self::FileTaken { .. }
            | Self::Tokenizer { .. }
            | Self::NoTokenizers { .. }
            | Self::TooLarge { .. }
            | Self::Leak { .. }
            | Self::Cancelled
            | Self::Unexpected(_) => false,
        }
    }
}

impl From<SampleError> for ExtractError {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::Session(error) => Self::Session(error),
            SampleError::Request(error) => Self::Request(error),
            _ => Self::Unexpected("a session gave an unknown error"),
        }
    }
}

/// Says what was tried on which file.
pub(crate) trait IoContext<T> {
    fn on(self, doing: &'static str, path: &Path) -> Result<T, ExtractError>;
}

impl<T> IoContext<T> for Result<T, io::Error> {
    fn on(self, doing: &'static str, path: &Path) -> Result<T, ExtractError> {
        self.map_err(|source| {
            let (path, source) = (path.to_owned(), without_temporary_name(source));
            ExtractError::Io { doing, path, source }
        })
    }
}
