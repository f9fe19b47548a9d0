//! One session: bad input, several writers, compaction, and Pi's own mistakes.
//!
//! `conformance`, `kills` and `memory` are programs of their own: the first two are built optimized,
//! and the last counts what the whole process allocates.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod bad_input;
mod branches;
mod compaction;
mod pi_mistakes;
mod refresh;
mod writers;
