//! What can go wrong around a session. No message holds a key.

use std::io;
use std::path::PathBuf;

use pitree_session::cause;
use pitree_session::summary::SummaryError;
use thiserror::Error;

/// An error of settings, models, keys, summarizers or commands.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostError {
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
    /// A file is not JSON.
    #[error("{}, line {line}, column {column}: {problem}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A file is JSON, but not an object.
    #[error("{} must contain a JSON object, such as {{}}", path.display())]
    NotAnObject {
        /// The file.
        path: PathBuf,
    },
    /// A file is JSON, but a value in it cannot be used.
    #[error("{}, {place}: {problem}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// Where in it, as member names with dots.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// A line of an environment file does not set a variable. What it holds is not shown.
    #[error("{}, line {line}: not a `NAME=value` line", path.display())]
    NotAVariable {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A value such as `$NAME` or `!command` gave nothing.
    #[error("Cannot get {what}: {problem}")]
    Unresolved {
        /// What the value is for.
        what: String,
        /// Why there is none.
        problem: String,
    },
    /// The provider's login needs to be renewed by Pi.
    #[error("The login for {provider} is an OAuth login, which only Pi can use")]
    OAuth {
        /// The provider.
        provider: String,
    },
    /// No key is configured for a provider.
    #[error("No API key found for {provider}")]
    NoKey {
        /// The provider.
        provider: String,
    },
    /// No such model is known.
    #[error("Unknown model: {model}")]
    UnknownModel {
        /// What was asked for.
        model: String,
    },
    /// A model speaks a protocol that pitree does not.
    #[error("{model} uses the API {api}, which pitree does not support")]
    UnsupportedApi {
        /// The model.
        model: String,
        /// Its protocol.
        api: String,
    },
    /// Options or variables that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A program could not be started.
    #[error("Cannot start {program}: {}", cause(source))]
    Start {
        /// The program.
        program: String,
        /// What the system answered.
        source: io::Error,
    },
    /// The folder in which a command should run is gone.
    #[error("Working directory does not exist: {}\nCannot execute bash commands.", cwd.display())]
    NoDirectory {
        /// The folder.
        cwd: PathBuf,
    },
    /// The configured shell is not there.
    #[error("Custom shell path not found: {}", path.display())]
    NoShell {
        /// The configured path.
        path: PathBuf,
    },
    /// A summarizer is named by its address alone.
    #[error("A summarizer URL needs a model")]
    NoModel,
    /// There is no summary.
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

impl HostError {
    /// One sentence on what to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotJson { .. } | Self::NotAnObject { .. } | Self::BadValue { .. } => {
                "fix the file, or rename it to go on without it; pitree never changes it".to_owned()
            }
            Self::NotAVariable { .. } => {
                "each line must be `NAME=value`, with quotes around a value of several lines, or a \
                 comment that begins with #"
                    .to_owned()
            }
            Self::OAuth { provider } => {
                format!("set an API key for {provider}, or use another summarizer")
            }
            Self::NoKey { provider } => match usual_variable(provider) {
                Some(variable) => format!("set {variable}, or log in with Pi"),
                None => "log in with Pi, or give the key in models.json".to_owned(),
            },
            Self::UnknownModel { .. } => "your own models are in models.json".to_owned(),
            Self::UnsupportedApi { .. } => {
                "use a model with another protocol, or a command".to_owned()
            }
            Self::NoShell { .. } => "correct `shellPath` in Pi's settings.json".to_owned(),
            _ => return None,
        };
        Some(hint)
    }
}

/// The variable in which most people have their key. Where there are others, they hold tokens
/// that a program got.
fn usual_variable(provider: &str) -> Option<&'static str> {
    let variables = crate::auth::variables(provider);
    let key = variables.iter().find(|name| name.ends_with("_API_KEY"));
    key.or(variables.first()).copied()
}
