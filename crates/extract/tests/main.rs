//! Runs over whole stores, the formats that they print, and the consumers of these.
//!
//! `memory` is a program of its own: it counts what the whole process allocates.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

#[cfg(feature = "object-store")]
mod buckets;
mod formats;
mod library;
#[path = "../../sample/tests/selection/odd.rs"]
mod odd;
mod requests;
mod runs;
mod tables;
