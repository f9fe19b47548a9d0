//! What can go wrong with an attached agent.

use std::io;
use std::path::PathBuf;

use pitree_session::cause;
use thiserror::Error;

/// Why an agent did not do what it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// It could not be started.
    #[error("Cannot start {}: {}", program.display(), cause(source))]
    Start {
        /// Its program.
        program: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// It has ended.
    #[error("The agent has ended")]
    Gone,
    /// It did not answer and showed no other sign of life for too long.
    #[error("The agent did not answer `{request}` within {seconds} seconds")]
    Silent {
        /// The type of the request.
        request: String,
        /// How long it was silent.
        seconds: u64,
    },
    /// It does not read or answer what it was sent, and so much waits for it that it is sent no
    /// more.
    #[error("The agent does not respond: {waiting} wait for it already; the request was not sent")]
    Flooded {
        /// How much waits.
        waiting: String,
    },
    /// It said no; the words are its own.
    #[error("{0}")]
    Refused(String),
}
