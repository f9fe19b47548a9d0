//! Why a data set is not written to a folder.

use std::fmt;
use std::path::PathBuf;

/// Why a folder is not written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderConflict {
    /// It is a symbolic link, and it is not said which of the two names is meant.
    Link,
    /// It is a file, a pipe or the like.
    NotAFolder,
    /// Something is in it, and no card of ours.
    NoDataSet,
    /// It is a data set of ours, and this is in it too.
    Stranger(PathBuf),
    /// It is a data set of ours, and this file of it was edited since.
    Edited(PathBuf),
}

impl fmt::Display for FolderConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link => f.write_str("it is a symbolic link"),
            Self::NotAFolder => f.write_str("it is not a folder"),
            Self::NoDataSet => f.write_str("it is not empty and was not written by pitree"),
            Self::Stranger(path) => {
                write!(f, "pitree did not write {}, which is in it", path.display())
            }
            Self::Edited(path) => {
                write!(f, "{} was edited since pitree wrote it", path.display())
            }
        }
    }
}
