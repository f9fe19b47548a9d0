//! What a live session needs around it: settings, summarizers, extension processes.
//!
//! * [`settings`]: Pi's `settings.json` of the user and, where that is harmless, of the project;
//!   pitree's own `config.json`.
//! * [`models`]: which models there are, how large their windows are, how much they can think.
//! * [`agent`]: the real Pi as a child process that writes the conversation.
//! * [`auth`]: keys, as Pi finds them. They are read, never written, and never shown.
//! * [`secrets`]: all of them, for whoever takes secrets out of sessions.
//! * [`events`]: what happens to a live session, for whoever wants to know or to step in.
//! * [`summarizer`]: who writes the text of a summary.
//! * [`shell`]: runs a user's command as Pi does.
//! * [`processes`]: all programs that were started, so that none outlives this process.
//!
//! Nothing in this crate prints. It asks the [`pitree_session::Environment`] for variables and
//! directories; programs that it starts inherit the environment of the process.
//!
//! ```no_run
//! use pitree_host::live::{LiveOptions, LiveSession};
//! use pitree_session::{Environment, Message, Session};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let session = Session::open("session.jsonl", &Environment::system())?;
//!     let mut live = LiveSession::new(session, LiveOptions::default());
//!     live.start()?;
//!     live.append_message(Message::user("Hello"))?;
//!     live.shutdown();
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod agent;
pub mod auth;
mod child;
mod error;
pub mod events;
pub mod extension;
mod file;
pub mod live;
pub mod models;
mod pipes;
pub mod processes;
pub mod secrets;
pub mod settings;
pub mod shell;
pub mod summarizer;

pub use error::HostError;

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
