//! Whole runs over folders of sessions: what is written, what is kept, and what happens when
//! things go wrong in the middle.
//!
//! Some tests run a part of this binary again as a child process, to kill it or to take its disk
//! away. `PITREE_FULL=1` kills ten times as often.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a failed test")]
#![allow(clippy::print_stdout, reason = "what a child says to its parent")]

mod cache;
mod card;
mod common;
mod counts;
mod decisions;
mod families;
mod faults;
mod ids;
mod private;
mod secrets;
mod shared;
mod turns;
