//! Extension processes: what they are told, what their answers do, and that nothing they do wrong
//! can block, slow or damage a session.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

mod examples;
mod faults;
mod finding;
mod talking;
mod world;
