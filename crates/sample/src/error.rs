//! What can go wrong.

use pitree_session::SessionError;
use thiserror::Error;

use crate::request::RequestError;

/// Why a session gives no samples.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A request could not be rebuilt.
    #[error(transparent)]
    Request(#[from] RequestError),
}
