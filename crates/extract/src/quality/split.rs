//! The parts of a data set.

use serde::{Deserialize, Serialize};

/// Which part of the data a sample is in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Split {
    /// There is only one part.
    #[default]
    All,
    /// To learn from.
    Train,
    /// To measure with.
    Validation,
}

impl Split {
    /// The name of its files, without the ending.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::All => "data",
            Self::Train => "train",
            Self::Validation => "validation",
        }
    }
}
