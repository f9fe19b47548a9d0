//! Errors of the command: a kind that decides the exit code, a message, a hint.

use std::io;
use std::process::ExitCode;

use pitree_export::ExportError;
use pitree_session::SessionError;
use thiserror::Error;

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
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Nothing => 1,
            Exit::Usage => 2,
            Exit::BadData => 3,
            Exit::Refused => 4,
        })
    }
}

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("Cannot write the output: {0}")]
    Output(io::Error),
    #[error("Cannot read standard input: {0}")]
    Input(io::Error),
    #[error("{message}")]
    Usage { message: String, hint: Option<String> },
    #[error("{message}")]
    BadData { message: String, hint: Option<String> },
    #[error("{message}")]
    Refused { message: String, hint: Option<String> },
}

impl CommandError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Session(error) => session_exit(error),
            Self::Output(_) | Self::Input(_) | Self::BadData { .. } => Exit::BadData,
            Self::Usage { .. } => Exit::Usage,
            Self::Refused { .. } => Exit::Refused,
        }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Session(error) => error.hint(),
            Self::Usage { hint, .. } | Self::BadData { hint, .. } | Self::Refused { hint, .. } => {
                hint.clone()
            }
            Self::Output(_) | Self::Input(_) => None,
        }
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> Self {
        let (message, hint) = (error.to_string(), error.hint());
        match error {
            ExportError::Session(error) => error.into(),
            ExportError::Write(error) => Self::Output(error),
            ExportError::Exists { .. }
            | ExportError::OntoItself { .. }
            | ExportError::NoSuchDirectory { .. } => Self::Refused { message, hint },
            ExportError::NoSuchChoice { .. } => Self::Usage { message, hint },
            ExportError::Io { .. } | ExportError::NotASession { .. } => {
                Self::BadData { message, hint }
            }
        }
    }
}

fn session_exit(error: &SessionError) -> Exit {
    match error {
        SessionError::EntryNotFound { .. } | SessionError::SessionNotFound { .. } => Exit::Nothing,
        SessionError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            Exit::Nothing
        }
        SessionError::Ambiguous { .. } | SessionError::InvalidSessionId => Exit::Usage,
        SessionError::Refused(_) | SessionError::Changed { .. } => Exit::Refused,
        SessionError::Io { .. }
        | SessionError::NotAFile { .. }
        | SessionError::Empty { .. }
        | SessionError::NotASession { .. }
        | SessionError::BadLine { .. } => Exit::BadData,
    }
}
