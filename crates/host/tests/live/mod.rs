//! The live session with observers and a summarizer of the test's own. What can be compared with
//! the real Pi is in `live_events`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail loudly and say what it saw"
)]

mod compaction;
mod replacing;
mod world;
