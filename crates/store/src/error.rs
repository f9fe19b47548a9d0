//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error of the store. A single file that cannot be read is no error: it is left out and
/// counted.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The operating system said no.
    #[error("Cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}
