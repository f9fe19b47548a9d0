//! Whole runs over folders of sessions: what is written, what is kept, and what happens when
//! things go wrong in the middle.
//!
//! Some tests run a part of this binary again as a child process, to kill it or to take its disk
//! away. `PITREE_FULL=1` kills ten times as often.

mod cache;
mod card;
pub(crate) mod common;
mod counts;
mod decisions;
mod families;
mod faults;
mod ids;
mod marks;
mod private;
mod secrets;
mod shared;
mod turns;
