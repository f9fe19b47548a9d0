//! Turns: what the entries of a branch say, in the form that the model reads.
//!
//! A [`ContextMessage`] is one message of a context. [`Thread`] puts messages in the order in which
//! they are sent, by the rules in `sending`: failed replies left out, each tool call with its result
//! behind it. Which ids the calls go by and which result is whose is decided in [`pairing`], for
//! tables too.

pub mod clean;
mod context_message;
pub mod pairing;
pub(crate) mod sending;
mod thread;

pub use context_message::{ContextMessage, MessageOrigin, ModelKey, Reply, ReplyEnd, read_usage};
pub use thread::Thread;
