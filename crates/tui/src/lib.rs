//! The terminal interface: finding, walking, branching and reading sessions.
//!
//! Keys and messages from threads become an [`Event`](screen::Event); the
//! [`Screen`](screen::Screen) on top of the stack changes itself and answers with a [`Transition`](screen::Transition); then
//! it is drawn. What a screen shows is decided in modules that know no terminal, so that it can be
//! tested without one. Long work is done by threads that wake the loop when they send something;
//! the loop itself never waits for anything but events.
//!
//! | module | owns |
//! |---|---|
//! | [`app`] | the stack of screens and what happens to an event |
//! | [`state`] | what all screens share: store, environment, the open session |
//! | [`screen`] | what a screen is, what it hears, what it answers |
//! | [`keymap`] | which key does what, and the help about it |
//! | [`terminal`] | raw mode, signals, the loop; leaves the terminal as it was |
//! | [`clipboard`] | what of a session is copied, and how the terminal takes it |
//! | [`theme`], [`text`], [`field`], `rich` | colors, harmless text that fits, a line to type in, rich text |
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod app;
mod background;
pub mod clipboard;
pub mod confirm;
mod editor;
pub mod field;
pub mod fork;
pub mod keymap;
mod migration;
pub mod picker;
mod rich;
pub mod screen;
mod sheet;
pub mod state;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod tree;
pub mod view;
pub mod wake;

use std::io;

use thiserror::Error;

/// Why the interface could not be shown.
#[derive(Debug, Error)]
pub enum TuiError {
    /// Standard input or output is no terminal.
    #[error("Standard input and output must be a terminal")]
    NoTerminal,
    /// The terminal has nobody at its keys: its input is at the end.
    #[error("The input of the terminal has ended, so there are no keys to read")]
    InputEnded,
    /// The terminal has no columns or no rows.
    #[error("The terminal has a size of 0, so there is nothing to draw on")]
    NoSize,
    /// The terminal failed.
    #[error("The terminal cannot be used: {}", pitree_session::cause(.0))]
    Terminal(#[from] io::Error),
}
