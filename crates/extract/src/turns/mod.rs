//! Turns: what the entries of a branch say, in the form that the model reads.
//!
//! [`source`] reads one message of a context. [`Thread`] puts messages in the order in which they
//! are sent: failed replies left out, each tool call with its result behind it. Which ids the
//! calls go by and which result is whose is decided in [`pairing`], for the tables too.

pub(crate) mod clean;
pub(crate) mod pairing;
pub(crate) mod source;
mod thread;

pub(crate) use source::{ModelKey, Reply, Source};
pub(crate) use thread::Thread;
