//! The tree navigator without a terminal: equal to the real Pi's, and fluid on huge trees.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

mod common;
mod large;
mod pi;
