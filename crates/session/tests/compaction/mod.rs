//! Compaction and branch summaries: the real Pi judges what is summarised, what is kept and what
//! is written.
//!
//! Run through `cargo xtask test`, which installs the oracle. `PITREE_FULL=1` runs five times the
//! cases; `PITREE_SEED` starts from another seed.

#[path = "../conformance/compare.rs"]
mod compare;
#[path = "../conformance/plan.rs"]
mod plan;
mod preparing;
mod steps;
mod writing;

pub(crate) use plan::{Plan, ready};
