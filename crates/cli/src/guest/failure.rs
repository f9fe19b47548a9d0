//! Why a request failed, as a program wants to know it.

use std::io;
use std::path::PathBuf;

use pitree_session::SessionError;

use crate::error::{CommandError, Exit};
use crate::text::clean_block;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A word for programs, such as `session-not-found`. See [`Failure::KINDS`].
    pub kind: &'static str,
    /// What is wrong, as a sentence.
    pub message: String,
    /// The file that it is about.
    pub path: Option<PathBuf>,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// What to do next.
    pub hint: Option<String>,
}

impl Failure {
    /// Every kind, with what it means.
    pub const KINDS: [(&str, &str); 16] = [
        ("session-not-found", "no session has the id, or there is no such file"),
        ("ambiguous", "several sessions or entries begin with what was given"),
        ("entry-not-found", "the session has no such entry"),
        ("not-found", "something else that was asked for is not there"),
        ("not-a-session", "the file is not a session"),
        ("damaged", "the file has a line that cannot be decoded"),
        ("bad-data", "other data is not what it should be"),
        ("io", "the system refused to read or write"),
        ("usage", "an argument is wrong"),
        ("bad-message", "the message cannot be appended"),
        ("locked", "another program has locked the session"),
        ("changed", "the file changed in an unexpected way"),
        ("needs-migration", "the file has an old version, and nobody agreed to rewrite it"),
        ("refused", "it was refused, to protect something"),
        ("canceled", "the caller ended it"),
        ("internal", "pitree has made a mistake"),
    ];

    pub(super) fn usage(message: &str) -> Self {
        Self::new("usage", message.to_owned(), None)
    }

    pub(super) fn canceled() -> Self {
        Self::new("canceled", "the work was canceled".to_owned(), None)
    }

    pub(super) fn new(kind: &'static str, message: String, hint: Option<String>) -> Self {
        debug_assert!(Self::KINDS.iter().any(|(known, _)| *known == kind), "{kind} is not listed");
        Self { kind, message, path: None, line: None, hint }
    }

    /// What clap says of wrong arguments, without how the command is used.
    pub(super) fn of_arguments(error: &clap::Error, hint: Option<String>) -> Self {
        let text = clean_block(&error.render().to_string());
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let end =
            ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|end| text.find(end));
        let text = text[..end.min().unwrap_or(text.len())].trim_end();
        Self::new("usage", text.to_owned(), hint)
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let details = error.details();
        let message = match details {
            [] => error.to_string(),
            lines => format!("{error}\n  {}", lines.join("\n  ")),
        };
        let (path, line) = match &error {
            CommandError::Session(error) => (error.path().map(PathBuf::from), error.line()),
            CommandError::File { path, .. } => (Some(path.clone()), None),
            _ => (None, None),
        };
        Self { path, line, ..Self::new(kind_of(&error), clean_block(&message), error.hint()) }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        CommandError::from(error).into()
    }
}

fn kind_of(error: &CommandError) -> &'static str {
    match error {
        CommandError::Session(error) => kind_of_session(error),
        CommandError::AmbiguousSession { .. } => "ambiguous",
        CommandError::SessionNotFound { .. } => "session-not-found",
        CommandError::Output(_) | CommandError::File { .. } | CommandError::Input(_) => "io",
        CommandError::Host(_)
        | CommandError::Summary(_)
        | CommandError::Usage { .. }
        | CommandError::BadData { .. }
        | CommandError::Refused { .. }
        | CommandError::Nothing { .. } => match error.exit() {
            Exit::Usage => "usage",
            Exit::BadData => "bad-data",
            Exit::Nothing => "not-found",
            Exit::Ok | Exit::Refused | Exit::Signal(_) => "refused",
        },
    }
}

fn kind_of_session(error: &SessionError) -> &'static str {
    match error {
        SessionError::Io { action: "open", source, .. }
            if source.kind() == io::ErrorKind::NotFound =>
        {
            "session-not-found"
        }
        SessionError::Io { .. } | SessionError::WrittenUnsure { .. } => "io",
        SessionError::NotAFile { .. }
        | SessionError::Empty { .. }
        | SessionError::NotASession { .. } => "not-a-session",
        SessionError::EntryNotFound { .. } => "entry-not-found",
        SessionError::Ambiguous { .. } | SessionError::AmbiguousSession { .. } => "ambiguous",
        SessionError::SessionNotFound { .. } => "session-not-found",
        SessionError::InvalidSessionId => "usage",
        SessionError::Changed { .. } => "changed",
        SessionError::NeedsMigration { .. } => "needs-migration",
        SessionError::Locked { .. } => "locked",
        SessionError::LineTooLong { .. } | SessionError::BadMessage { .. } => "bad-message",
        SessionError::BadLine { .. } => "damaged",
        _ => "refused",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_line_names_the_file_and_the_line() {
        let (path, problem) = (PathBuf::from("/s.jsonl"), "odd".to_owned());
        let error = CommandError::Session(SessionError::BadLine { path, line: 7, problem });
        let failure = Failure::from(error);
        assert_eq!((failure.kind, failure.line), ("damaged", Some(7)));
        assert_eq!(failure.path.as_deref(), Some(std::path::Path::new("/s.jsonl")));
        assert!(failure.hint.is_some());
    }
}
