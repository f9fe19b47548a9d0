//! Errors of the command: a kind that decides the exit code, a message, a hint.

use std::io;
use std::path::{Path, PathBuf};

use pitree_export::ExportError;
use pitree_host::HostError;
use pitree_session::compaction::CompactionError;
use pitree_session::summary::SummaryError;
use pitree_session::{AMBIGUOUS_HINT, SessionError, cause};
use pitree_store::search::{FilterError, QueryError};
use thiserror::Error;

use crate::hints;
use crate::text::{command, shell_word};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok,
    /// Nothing was found.
    Nothing,
    /// The command line is wrong.
    Usage,
    /// The data is bad.
    BadData,
    /// Refused, to protect something.
    Refused,
    /// A signal ended it.
    Signal(i32),
}

impl Exit {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Nothing => 1,
            Self::Usage => 2,
            Self::BadData => 3,
            Self::Refused => 4,
            // As a shell reports it.
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }
}

/// What the command gives, or why it failed.
pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CommandError {
    #[error("{}", session_words(.0))]
    Session(#[from] SessionError),
    /// What the user typed matches several sessions.
    #[error("`{prefix}` matches {count} sessions")]
    AmbiguousSession {
        prefix: String,
        count: usize,
        /// A line for each of them, or for the newest.
        candidates: Vec<String>,
        /// Whether they all have the same id, so that no prefix can tell them apart.
        same_id: bool,
    },
    /// No session has what the user typed; it may be among those that cannot be read.
    #[error("{}", SessionError::SessionNotFound { id: id.clone() })]
    SessionNotFound { id: String, unreadable: Vec<String>, hint: Option<String> },
    #[error(transparent)]
    Host(HostError),
    #[error("No summary was written: {0}")]
    Summary(SummaryError),
    #[error("Cannot write the output: {}", cause(.0))]
    Output(io::Error),
    #[error("Cannot read {}: {}", path.display(), cause(source))]
    File { path: PathBuf, source: io::Error },
    #[error("Cannot read standard input: {}", cause(.0))]
    Input(io::Error),
    #[error("{message}")]
    Usage { message: String, hint: Option<String> },
    #[error("{message}")]
    BadData { message: String, hint: Option<String> },
    #[error("{message}")]
    Refused { message: String, hint: Option<String> },
    /// What was asked for is not there.
    #[error("{message}")]
    Nothing { message: String, hint: Option<String> },
}

impl CommandError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// A directory was named where a session is wanted.
    pub(crate) fn directory(path: &Path, shown: &str) -> Self {
        let list = command("list", &[], "--scope all --session-dir");
        let folder = shell_word(path.as_os_str());
        Self::Nothing {
            message: format!("{shown} is a directory, not a session"),
            hint: Some(format!("`{list} {folder}` lists the sessions in it")),
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Session(error) => session_exit(error),
            Self::Host(error) => host_exit(error),
            Self::Summary(_) => Exit::Refused,
            Self::Output(_) | Self::File { .. } | Self::Input(_) | Self::BadData { .. } => {
                Exit::BadData
            }
            Self::Usage { .. } | Self::AmbiguousSession { .. } => Exit::Usage,
            Self::Refused { .. } => Exit::Refused,
            Self::Nothing { .. } | Self::SessionNotFound { .. } => Exit::Nothing,
        }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Session(error) => hints::of_session(error),
            Self::Host(error) => hints::of_host(error),
            Self::Summary(error) => Some(summary_hint(error).to_owned()),
            Self::Usage { hint, .. }
            | Self::BadData { hint, .. }
            | Self::Refused { hint, .. }
            | Self::Nothing { hint, .. }
            | Self::SessionNotFound { hint, .. } => hint.clone(),
            Self::AmbiguousSession { same_id: true, .. } => {
                Some("they have the same id; pass the path of the file".to_owned())
            }
            Self::AmbiguousSession { .. } => Some(AMBIGUOUS_HINT.to_owned()),
            Self::Output(_) | Self::File { .. } | Self::Input(_) => None,
        }
    }

    /// Lines that belong below the message.
    pub(crate) fn details(&self) -> &[String] {
        match self {
            Self::AmbiguousSession { candidates, .. } => candidates,
            Self::SessionNotFound { unreadable, .. } => unreadable,
            _ => &[],
        }
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<QueryError> for CommandError {
    fn from(error: QueryError) -> Self {
        let (message, hint) = match &error {
            QueryError::Filter(filter) => {
                let FilterError { name, value, problem, .. } = filter;
                (format!("`{name}:{value}` {problem}"), Some(filter.help()))
            }
            _ => (error.to_string(), None),
        };
        Self::Usage { message, hint }
    }
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> Self {
        let message = match &error {
            ExportError::NoSuchDirectory { cwd } => missing_directory(cwd),
            other => other.to_string(),
        };
        let hint = error.hint();
        match error {
            ExportError::Session(error) => error.into(),
            ExportError::Write(error) => Self::Output(error),
            ExportError::Exists { .. }
            | ExportError::NotARegularFile { .. }
            | ExportError::AmongSessions { .. }
            | ExportError::IsASession { .. }
            | ExportError::OntoItself { .. }
            | ExportError::IdExists { .. }
            | ExportError::NoSuchDirectory { .. } => Self::Refused { message, hint },
            ExportError::NoSuchChoice { .. } => Self::Usage { message, hint },
            _ => Self::BadData { message, hint },
        }
    }
}

impl From<HostError> for CommandError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Summary(error) => Self::Summary(error),
            other => Self::Host(other),
        }
    }
}

impl From<CompactionError> for CommandError {
    fn from(error: CompactionError) -> Self {
        match error {
            CompactionError::Session(error) => Self::Session(error),
            CompactionError::Summary(error) => Self::Summary(error),
            other => Self::Refused { message: other.to_string(), hint: None },
        }
    }
}

/// What is wrong with a session. The protocol says some of it in Pi's own words, which programs
/// compare; people get a sentence.
fn session_words(error: &SessionError) -> String {
    match error {
        SessionError::EntryNotFound { id, .. } => {
            format!("No entry of this session has the id `{id}`")
        }
        SessionError::Io { action: "open", path, source }
            if source.kind() == io::ErrorKind::NotFound =>
        {
            format!("There is no file {}", path.display())
        }
        other => other.to_string(),
    }
}

/// The directory that a session belongs to is gone.
pub(crate) fn missing_directory(cwd: &Path) -> String {
    format!("The session's working directory {} does not exist", cwd.display())
}

fn summary_hint(error: &SummaryError) -> &'static str {
    match error {
        SummaryError::CutOff => {
            "the session was not changed; pass a model with a larger output limit with \
             `--summarizer-model`"
        }
        SummaryError::Empty | SummaryError::ToolCall => {
            "the session was not changed; try again, or pass another model with \
             `--summarizer-model`"
        }
        SummaryError::TimedOut { .. } => {
            "the session was not changed; pass `--summarizer-timeout SECONDS` to wait longer"
        }
        SummaryError::Failed(_) => {
            "the session was not changed; try again, or pass another `--summarizer-url`, \
             `--summarizer-command` or `--summarizer-model`"
        }
        _ => "the session was not changed",
    }
}

fn host_exit(error: &HostError) -> Exit {
    match error {
        HostError::Usage(_)
        | HostError::NoModel
        | HostError::UnknownModel { .. }
        | HostError::UnsupportedApi { .. }
        | HostError::NoKey { .. }
        | HostError::OAuth { .. } => Exit::Usage,
        HostError::Io { .. }
        | HostError::NotJson { .. }
        | HostError::NotAnObject { .. }
        | HostError::NotAVariable { .. }
        | HostError::BadValue { .. } => Exit::BadData,
        _ => Exit::Refused,
    }
}

fn session_exit(error: &SessionError) -> Exit {
    match error {
        SessionError::EntryNotFound { .. } | SessionError::SessionNotFound { .. } => Exit::Nothing,
        SessionError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            Exit::Nothing
        }
        SessionError::Ambiguous { .. }
        | SessionError::AmbiguousSession { .. }
        | SessionError::InvalidSessionId => Exit::Usage,
        SessionError::Refused(_)
        | SessionError::Changed { .. }
        | SessionError::NeedsMigration { .. }
        | SessionError::Locked { .. }
        | SessionError::AppendedSince { .. } => Exit::Refused,
        _ => Exit::BadData,
    }
}
