//! The store against files that are read in full, and against the real Pi.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod cache_robustness;
mod delete;
mod ledger;
mod listing;
mod live_pi;
mod old_forks;
mod roles;
mod search;
mod shared_index;
mod spend;
mod stats;
mod subagents;
mod watch;
