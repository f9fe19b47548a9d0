//! The stdio protocol: Pi's session commands, and those that its users ask for.
//!
//! A client writes one JSON object a line and reads one a line: answers, which name the command
//! and give its `id` back, and events. [`Server`] holds the session; [`protocol`] is the table of
//! all commands, from which the page `docs/protocol.md` and its JSON schema are made.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod announce;
mod answer;
mod attached;
mod changes;
mod client;
mod commands;
mod events;
mod follow;
mod frame;
#[cfg(fuzzing)]
pub mod fuzzing;
mod listen;
mod order;
mod outbox;
mod process;
pub mod protocol;
mod request;
mod serve;
mod server;

pub use answer::Need;
pub use frame::MAX_REQUEST_BYTES;
pub use listen::{ListenError, Socket, SocketFile};
pub use server::{Server, ServerError, ServerOptions};
