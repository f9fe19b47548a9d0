//! Whatever happens to the cache, the list is right.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

mod common;
mod grown;
mod processes;
mod trouble;
