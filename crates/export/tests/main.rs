//! Pages for people, and what must never be on them.
//!
//! `memory` is a program of its own: it counts what the whole process allocates.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod export;
