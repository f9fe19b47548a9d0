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
mod old_versions;
mod reading;
mod writing;

use pitree_testkit::Oracle;

/// How much to run and from which seed.
pub(crate) struct Plan {
    pub(crate) cases: u64,
    pub(crate) seed: u64,
}

impl Plan {
    pub(crate) fn new(ordinary: u64, full: u64) -> Self {
        let is_full = std::env::var("PITREE_FULL").is_ok_and(|value| value == "1");
        let seed = std::env::var("PITREE_SEED").ok().and_then(|seed| seed.parse().ok());
        Self { cases: if is_full { full } else { ordinary }, seed: seed.unwrap_or(1) }
    }

    pub(crate) fn seeds(&self) -> impl Iterator<Item = u64> {
        let first = self.seed.wrapping_mul(1_000_003);
        (0..self.cases).map(move |case| first.wrapping_add(case))
    }
}

/// Whether to run at all; says why not.
pub(crate) fn ready(test: &str) -> bool {
    if std::env::var_os("PITREE_SKIP_CONFORMANCE").is_some() {
        return false;
    }
    let available = Oracle::available();
    if !available {
        println!("skipped {test}: the real Pi is not installed (cargo xtask oracle)");
    }
    available
}
