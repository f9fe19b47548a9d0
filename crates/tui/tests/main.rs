//! The interface as a terminal shows it, and its tree against that of the real Pi.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod screens;
mod tree;
