//! The terminal interface in a real terminal.

mod agents;
mod endings;
mod picker;
pub(crate) mod tmux;
mod walks;
