//! The terminal interface in a real terminal.

mod agents;
mod endings;
mod pages;
mod picker;
mod pictures;
pub(crate) mod tmux;
mod walks;
