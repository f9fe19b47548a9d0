//! Session files that are copies of files from elsewhere, such as a bucket.
//!
//! The paths that such a session names were written on another machine. They mean nothing on this
//! one, where another file may have the same path, so they are looked up among the copies alone.

use std::fmt;
use std::path::{Path, PathBuf};

/// Knows which session files are copies of files from elsewhere, and where what these name is.
pub trait Relocation: fmt::Debug + Send + Sync {
    /// The folder that holds this copy and all that it may name; `None` if the file is not a copy.
    fn root_of(&self, session: &Path) -> Option<PathBuf>;

    /// The copy of the file that a session names, if there is exactly one that it may mean.
    fn relocated(&self, session: &Path, named: &str) -> Option<PathBuf>;

    /// What a copy is called where it comes from, such as its URL.
    fn original_name(&self, copy: &Path) -> Option<String>;
}
