//! What a run has done, for the card and for whoever started it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::guard::Hit;

/// What is counted in one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionCounts {
    /// Bytes of the session file.
    pub bytes: u64,
    /// Entries in it.
    pub entries: u64,
    /// Lines that are no entries.
    pub damaged_lines: u64,
    /// Secrets that were hidden where they were found and not looked for elsewhere: there are too
    /// many.
    pub secrets_not_repeated: u64,
    /// Samples that the form could not hold, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// What was redacted, by rule.
    pub redactions: BTreeMap<String, u64>,
    /// Entries that the user has told an outcome of, and that are not in it.
    pub unknown_entries: Vec<String>,
}

/// Why a session is not in the data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It cannot be read, or is no session.
    Unreadable(String),
    /// Something that should be hidden was found in what was to be written.
    Leak(Hit),
}

/// What a run has done.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files of the data set, relative to its folder.
    pub files: Vec<PathBuf>,
    /// Sessions that are in it.
    pub sessions: usize,
    /// Those among them that came from the cache.
    pub cached: usize,
    /// Samples that were written.
    pub samples: usize,
    /// What its user should know.
    pub warnings: Vec<String>,
    /// Files that were chosen and are not in it, and why.
    pub left_out: Vec<(PathBuf, LeftOut)>,
    /// Sessions that are in it without some of their lines, and how many these are.
    pub damaged: Vec<(PathBuf, u64)>,
    /// Samples that are not in it, by reason.
    pub samples_left_out: BTreeMap<String, u64>,
}

impl Report {
    /// Whether a session was left out because of something in it that should be hidden.
    pub fn has_leaks(&self) -> bool {
        self.left_out.iter().any(|(_, why)| matches!(why, LeftOut::Leak(_)))
    }
}
