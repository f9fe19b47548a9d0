//! The terminal interface in a real terminal.

mod agents;
mod endings;
mod pages;
mod picker;
pub(crate) mod tmux;
mod walks;
