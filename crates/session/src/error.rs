//! What can go wrong with a session, with the path and the line where it did.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pitree_format::dialect::LookAlike;
use thiserror::Error;

use crate::write::LockHolder;

/// Why a file without any JSON is not a session.
pub(crate) const NO_JSON: &str = "it contains no JSON";

/// What the session engine gives, or why it failed.
pub type Result<T, E = SessionError> = std::result::Result<T, E>;

/// An error of the session engine.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The operating system said no.
    #[error("Cannot {action} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The path is no regular file.
    #[error("{} is {what}, not a session file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// The file has no bytes.
    #[error("{} is empty", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The file has bytes, but Pi would not take it for a session.
    #[error("{} is not a Pi session: {reason}{}", path.display(), looks_like.map(|kind| format!("; it looks like {kind}")).unwrap_or_default())]
    NotASession {
        /// The path.
        path: PathBuf,
        /// Why not, with the line.
        reason: String,
        /// What it looks like, if that is known.
        looks_like: Option<LookAlike>,
    },
    /// No entry has this id.
    #[error("Entry {id} not found")]
    EntryNotFound {
        /// The id that was asked for.
        id: String,
        /// The file of the session; `None` if it is in memory only.
        path: Option<PathBuf>,
    },
    /// More than one entry or session begins with this prefix.
    #[error("`{prefix}` matches several {}: {}", what, matches.join(", "))]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// Entries or sessions.
        what: &'static str,
        /// Some of those it fits.
        matches: Vec<String>,
    },
    /// The id of more than one session begins with this prefix, or several sessions share an id.
    #[error("`{prefix}` matches {} sessions: {}", matches.len(), listed(matches))]
    AmbiguousSession {
        /// What was given.
        prefix: String,
        /// All sessions that it fits.
        matches: Vec<SessionMatch>,
    },
    /// No session has this id.
    #[error("No session found matching '{id}'")]
    SessionNotFound {
        /// What was given.
        id: String,
    },
    /// The id cannot be one.
    #[error(
        "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"
    )]
    InvalidSessionId,
    /// The entry exists but the operation does not fit it.
    #[error("{0}")]
    Refused(String),
    /// The file is not what it was when it was opened.
    #[error("{} changed in an unexpected way: {what}", path.display())]
    Changed {
        /// The path.
        path: PathBuf,
        /// What happened.
        what: &'static str,
    },
    /// The file has an old version, and nobody has agreed to rewrite it.
    #[error("{} is a version {version} session; appending would rewrite it as version 3", path.display())]
    NeedsMigration {
        /// The path.
        path: PathBuf,
        /// 1 or 2.
        version: u8,
    },
    /// Another program holds the lock of the file, and did not give it back in time.
    #[error("{} is locked by {}; gave up after {:.1} s", path.display(), holder.as_ref().map_or("another program".to_owned(), ToString::to_string), waited.as_secs_f64())]
    Locked {
        /// The file, or its lock file.
        path: PathBuf,
        /// Who holds the lock, as far as the system tells.
        holder: Option<LockHolder>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// A line that nobody could read back.
    #[error("The new entry has {bytes} bytes; the longest line that can be read has {most}")]
    LineTooLong {
        /// How long the line would be.
        bytes: u64,
        /// How long it may be.
        most: u64,
    },
    /// A message that Pi could not show or send.
    #[error("The message cannot be appended: {problem}")]
    BadMessage {
        /// What is wrong with it.
        problem: String,
    },
    /// The change is in the file and could not be taken back, but what had to follow failed.
    #[error("{} was changed, but could not be {action}: {}", path.display(), cause(source))]
    WrittenUnsure {
        /// The path.
        path: PathBuf,
        /// What could not be done with it, such as `flushed to the disk`.
        action: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// Lines were appended after the rewrite that was to be undone.
    #[error(
        "{} has {} since `{operation}` rewrote it at {timestamp}",
        path.display(),
        counted(lines.len())
    )]
    AppendedSince {
        /// The path.
        path: PathBuf,
        /// What was to be undone.
        operation: String,
        /// When it was done.
        timestamp: String,
        /// A line of text for each line of the file that would be lost.
        lines: Vec<String>,
    },
    /// A line that was valid can no longer be decoded.
    #[error("{}, line {line}: {problem}", path.display())]
    BadLine {
        /// The path.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

/// A session whose id fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionMatch {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
}

/// What to do about a prefix that matches several sessions.
pub const AMBIGUOUS_HINT: &str = "type more of the id, or pass the path of the file";

/// An error names at most so many of the sessions that a prefix fits.
const MOST_LISTED: usize = 10;

/// The ids of sessions; their paths where the ids do not tell them apart.
fn listed(matches: &[SessionMatch]) -> String {
    let same_id = matches.windows(2).any(|pair| pair[0].id == pair[1].id);
    let name = |found: &SessionMatch| match same_id {
        true => format!("{} ({})", found.id, found.path.display()),
        false => found.id.clone(),
    };
    let mut names: Vec<String> = matches.iter().take(MOST_LISTED).map(name).collect();
    if matches.len() > MOST_LISTED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

impl SessionError {
    /// Why a file could not be read, without its path. `None` if it is not there, which is no
    /// failure for whoever looks at many files: it may have been deleted meanwhile.
    pub fn io_reason(&self) -> Option<String> {
        match self {
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => None,
            other => Some(other.reason()),
        }
    }

    /// What went wrong, without the path where another sentence has it.
    pub fn reason(&self) -> String {
        match self {
            Self::Io { source, .. } => cause(source).to_string(),
            other => other.to_string(),
        }
    }

    /// The file that it is about, if it is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::NotAFile { path, .. }
            | Self::Empty { path }
            | Self::NotASession { path, .. }
            | Self::Changed { path, .. }
            | Self::NeedsMigration { path, .. }
            | Self::Locked { path, .. }
            | Self::WrittenUnsure { path, .. }
            | Self::AppendedSince { path, .. }
            | Self::BadLine { path, .. } => Some(path),
            Self::EntryNotFound { path, .. } => path.as_deref(),
            _ => None,
        }
    }

    /// The line that it is about, from 1.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::BadLine { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// Whether a file was taken for a session that holds no JSON at all.
    pub fn is_other_text(&self) -> bool {
        matches!(self, Self::NotASession { reason, .. } if reason == NO_JSON)
    }

    /// One sentence on what to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotASession { .. } => {
                Some("check the path; the file was not changed".to_owned())
            }
            Self::BadLine { path, .. } => Some(format!(
                "`pitree check {}` lists the damaged lines; the file was not changed",
                path.display()
            )),
            Self::Empty { .. } => Some(
                "there is nothing to read; you can delete the file, or open it in Pi to start a new \
                 session in it"
                    .to_owned(),
            ),
            Self::EntryNotFound { path, .. } => path.as_ref().map(|path| {
                format!(
                    "`pitree tree {} --print` shows the ids; the first characters are enough",
                    path.display()
                )
            }),
            Self::SessionNotFound { .. } => {
                Some("pass a path, a full id or the beginning of an id".to_owned())
            }
            Self::Ambiguous { .. } => Some("give more characters".to_owned()),
            Self::AmbiguousSession { .. } => Some(AMBIGUOUS_HINT.to_owned()),
            Self::Changed { .. } => Some(
                "nothing was written; open the session again to see what is there now".to_owned(),
            ),
            Self::Locked { .. } => Some("nothing was written; try again".to_owned()),
            Self::LineTooLong { .. } | Self::BadMessage { .. } => {
                Some("nothing was appended".to_owned())
            }
            Self::WrittenUnsure { .. } => {
                Some("do not repeat the command: what it does is in the file already".to_owned())
            }
            Self::NeedsMigration { .. } => {
                Some("nothing was written; the file has to be migrated first".to_owned())
            }
            _ => None,
        }
    }
}

/// "1 new line", "3 new lines".
fn counted(lines: usize) -> String {
    format!("{lines} new {}", if lines == 1 { "line" } else { "lines" })
}

/// What the system answered. `fs_err` puts an error of its own around it, which names the path and
/// not the reason. Our errors name the path themselves, so every message shows its I/O error by this.
pub fn cause(error: &io::Error) -> &io::Error {
    let mut cause = error;
    while let Some(inner) = std::error::Error::source(cause).and_then(|it| it.downcast_ref()) {
        cause = inner;
    }
    cause
}

/// The error without the random name of a temporary file, which `tempfile` adds and which says
/// nothing to anybody. Other errors, whose path may hold the same words, stay as they are.
pub fn without_temporary_name(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() || !std::ptr::eq(cause(&error), &raw const error) {
        return error;
    }
    match error.to_string().split_once(" at path \"") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

/// Adds the path and the action to an I/O error.
pub(crate) trait IoContext<T> {
    /// Names what was tried, as a verb, and on which path.
    fn on(self, action: &'static str, path: &Path) -> Result<T, SessionError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn on(self, action: &'static str, path: &Path) -> Result<T, SessionError> {
        self.map_err(|source| {
            let (path, source) = (path.to_owned(), without_temporary_name(source));
            SessionError::Io { action, path, source }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_what_the_system_said() {
        let nowhere = Path::new("/nowhere/at/all");
        let missing = io::Error::from_raw_os_error(2);
        let opened = fs_err::File::open(nowhere).unwrap_err();
        for error in [io::Error::other(fs_err::read(nowhere).unwrap_err()), opened] {
            assert_eq!(cause(&error).to_string(), missing.to_string(), "{error}");
            let shown = Err::<(), _>(error).on("read", nowhere).unwrap_err().to_string();
            assert_eq!(shown, format!("Cannot read /nowhere/at/all: {missing}"));
        }
        assert_eq!(cause(&io::Error::other("too large")).to_string(), "too large");
    }
}
