//! What a run has done, for the card and for whoever started it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pitree_format::{Object, Value};
use pitree_store::NotListed;
use serde::{Deserialize, Serialize};

use crate::guard::Hit;
use crate::reason::{DropReason, FilteredBy};
use crate::reply_keys::ReplyKey;
use crate::warning::DatasetWarning;

/// What is counted in one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionCounts {
    /// Bytes of the session file.
    pub bytes: u64,
    /// Entries in it.
    pub entries: u64,
    /// Lines that are not entries.
    pub damaged_lines: u64,
    /// Secrets that were hidden where they were found and not looked for elsewhere: there are too
    /// many.
    pub secrets_not_repeated: u64,
    /// Samples that the form could not hold, by reason.
    pub left_out: BTreeMap<DropReason, u64>,
    /// Replies that can be trained: whole ones on the branches that were chosen. With pairs, pairs.
    pub replies: u64,
    /// Those among them that are in no sample, by reason.
    pub replies_left_out: BTreeMap<DropReason, u64>,
    /// Those among them that are trained in another session.
    pub copies: Vec<ReplyKey>,
    /// Replies that failed or were aborted.
    pub failed: u64,
    /// Replies that were cut off, such as at the model's output limit.
    pub cut_off: u64,
    /// What was redacted, by rule.
    pub redactions: BTreeMap<String, u64>,
    /// How many likely secrets were left in place.
    pub likely_left: u64,
    /// Entries that the user has told an outcome of, and that are not in it.
    pub unknown_entries: Vec<String>,
}

/// What was redacted in another file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OtherRedactions {
    pub(crate) path: PathBuf,
    pub(crate) by_rule: BTreeMap<String, u64>,
    /// How many likely secrets were left in place.
    pub(crate) likely_left: u64,
}

/// Why a file is not in the data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftOut {
    /// It is not a session.
    NotASession(String),
    /// It cannot be read.
    Unreadable(String),
    /// Something that should be hidden was found in what was to be written.
    Leak(Hit),
}

impl From<&NotListed> for LeftOut {
    fn from(why: &NotListed) -> Self {
        match why {
            NotListed::NotASession(_) => Self::NotASession(why.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }
}

/// What became of the replies that can be trained. With `preference` they are pairs.
///
/// `found` is the sum of `trained`, `copies`, `twins` and all that is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyCounts {
    /// All of them: whole replies on the branches that were chosen, in all sessions.
    pub found: u64,
    /// Those that are trained.
    pub trained: u64,
    /// Copies in forks and other files of replies that are trained.
    pub copies: u64,
    /// Those that are left out as duplicates of replies that are trained.
    pub twins: u64,
    /// Those that are left out for another reason, by reason.
    pub left_out: BTreeMap<DropReason, u64>,
    /// Replies that failed or were aborted. They cannot be trained and are not in `found`.
    pub failed: u64,
    /// Replies that were cut off, such as at the model's output limit. Not in `found` either.
    pub cut_off: u64,
}

impl ReplyCounts {
    /// As it is in cards and in what the command prints.
    pub fn to_object(&self) -> Object {
        Object::new()
            .with("found", number(self.found))
            .with("trained", number(self.trained))
            .with("copies", number(self.copies))
            .with("twins", number(self.twins))
            .with("leftOut", counts(&self.left_out))
            .with("failed", number(self.failed))
            .with("cutOff", number(self.cut_off))
    }

    /// Counts targets of a sample that is written, or was left out for this reason.
    pub(crate) fn count(&mut self, dropped: Option<DropReason>, targets: u64) {
        match dropped {
            None => self.trained += targets,
            Some(reason) if reason.has_twin() => self.twins += targets,
            Some(reason) => self.leave_out(reason, targets),
        }
    }

    pub(crate) fn leave_out(&mut self, reason: DropReason, count: u64) {
        if count > 0 {
            *self.left_out.entry(reason).or_default() += count;
        }
    }
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
    /// How many of them are in each part, by the name of its files; none if it is not split.
    pub parts: Vec<(&'static str, u64)>,
    /// What its user should know.
    pub warnings: Vec<DatasetWarning>,
    /// How many sessions each filter has left out.
    pub skipped: BTreeMap<FilteredBy, u64>,
    /// Files that were chosen and are not in it, and why.
    pub left_out: Vec<(PathBuf, LeftOut)>,
    /// Sessions that are in it without some of their lines, and how many these are.
    pub damaged: Vec<(PathBuf, u64)>,
    /// Samples that are not in it, by reason.
    pub samples_left_out: BTreeMap<DropReason, u64>,
    /// What became of all replies.
    pub replies: ReplyCounts,
}

impl Report {
    /// Whether a session was left out because of something in it that should be hidden.
    pub fn has_leaks(&self) -> bool {
        self.left_out.iter().any(|(_, why)| matches!(why, LeftOut::Leak(_)))
    }
}

/// A data set that is so many times as large as its sessions is much larger.
const MUCH_LARGER: u64 = 8;

/// Smaller data sets hurt nobody.
const NOT_LARGE: u64 = 16 << 20;

/// What will be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Sessions that are in it.
    pub sessions: usize,
    /// Bytes of their files.
    pub input_bytes: u64,
    /// Samples that are in it.
    pub samples: usize,
    /// Bytes of the data, about as many for tables, which are compressed.
    pub output_bytes: u64,
}

impl Plan {
    /// Whether the data set is much larger than what it is made of.
    pub fn is_much_larger(&self) -> bool {
        self.output_bytes > NOT_LARGE && self.output_bytes / MUCH_LARGER > self.input_bytes
    }
}

/// Counts by name.
pub(crate) fn counts<K: AsRef<str>>(counts: &BTreeMap<K, u64>) -> Object {
    let with =
        |object: Object, (name, &count): (&K, &u64)| object.with(name.as_ref(), number(count));
    counts.iter().fold(Object::new(), with)
}

/// A count in JSON.
pub(crate) fn number(count: u64) -> Value {
    Value::Number(count as f64)
}
