//! The terminal interface in a real terminal.

mod agents;
mod endings;
mod hangup;
mod pages;
mod picker;
mod pictures;
mod tasks;
pub(crate) mod tmux;
mod walks;
