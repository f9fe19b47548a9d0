//! The real Pi judges: the same files and the same operations on both sides, equal answers.
//!
//! Run through `cargo xtask test`, which installs the oracle. `PITREE_FULL=1` runs ten times the
//! cases; `PITREE_SEED` starts from another seed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

mod answer;
mod compare;
mod faults;
mod given_files;
mod messages;
mod old_versions;
mod plan;
mod reading;
mod writing;

pub(crate) use plan::{Plan, ready};
