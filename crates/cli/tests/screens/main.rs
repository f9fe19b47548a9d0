//! The terminal interface in a real terminal.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail loudly")]

mod agents;
mod endings;
mod picker;
mod tmux;
