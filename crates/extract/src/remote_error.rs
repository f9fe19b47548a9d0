//! What can go wrong with an object store.
//!
//! Errors name the URL and say what to do. Whatever a server answers is shown only after
//! [`Secrets`](crate::remote) has cleaned it: answers repeat parts of the request.

use thiserror::Error;

/// Why a bucket could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Cannot {doing} {url}: {problem}")]
pub struct RemoteError {
    /// What was tried, such as `read`.
    pub doing: &'static str,
    /// What it was tried on, without anything secret in it.
    pub url: String,
    /// What is wrong.
    pub problem: RemoteProblem,
}

/// What is wrong with an object, or with how it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RemoteProblem {
    /// It is not a URL of an object store.
    #[error("{0}")]
    BadUrl(&'static str),
    /// pitree was built without object stores.
    #[error("this pitree was built without object stores")]
    NotBuilt,
    /// The variables of the environment do not say how to reach the bucket.
    #[error("the settings for it are not complete: {0}")]
    Settings(String),
    /// There is no such bucket or object.
    #[error("it does not exist")]
    NotFound,
    /// Nothing below a prefix is a `.jsonl` object.
    #[error("no object below it ends in .jsonl")]
    NoSessions,
    /// The server knows who asks, and refuses.
    #[error("access is denied{0}")]
    Denied(Detail),
    /// The server does not know who asks.
    #[error("the credentials were not accepted{0}")]
    Unauthenticated(Detail),
    /// There is another object now.
    #[error("it changed after it was listed")]
    Changed,
    /// There is another object now than when a data set was planned.
    #[error("it has changed since the dataset was planned; plan again")]
    ChangedSincePlan,
    /// The server sent another number of bytes, again and again.
    #[error("it has {expected} bytes, but {received} were sent")]
    WrongLength {
        /// How many it has by the list.
        expected: u64,
        /// How many came.
        received: u64,
    },
    /// The name of an object cannot be used.
    #[error("it holds an object whose name cannot be used: {0}")]
    BadName(String),
    /// The server did not answer, or with an error, and retrying did not help.
    #[error("{0}")]
    Unavailable(String),
}

/// What a server says about a refusal; empty if it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail(pub String);

impl std::fmt::Display for Detail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " ({})", self.0) }
    }
}

impl RemoteProblem {
    /// What the user can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::BadUrl(_) => "write it as s3://BUCKET/PREFIX, gs://, az:// or file:///FOLDER",
            Self::NotBuilt => {
                "take a released pitree, or build it with `--features object-store`; \
                 file:///FOLDER needs neither"
            }
            Self::Settings(_) => "set the variables of the store; docs/scale.md lists them",
            Self::NotFound | Self::NoSessions => "check the bucket and the prefix",
            Self::Denied(_) => "the credentials must allow to list, read and, for --output, write",
            Self::Unauthenticated(_) => {
                "check the variables with the credentials; docs/scale.md lists them"
            }
            Self::Changed => "run the command again: it plans again with what is there now",
            Self::ChangedSincePlan => "make the plan again, in a new work folder",
            Self::WrongLength { .. } | Self::Unavailable(_) => {
                "run the command again: what was fetched is kept"
            }
            Self::BadName(_) => "rename that object, or name a prefix without it",
        }
    }
}
