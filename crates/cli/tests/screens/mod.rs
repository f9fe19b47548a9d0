//! The terminal interface in a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it left out"
)]

mod agents;
mod endings;
mod picker;
mod tmux;
mod walks;
