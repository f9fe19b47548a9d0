//! How many cases to run, from which seed, and whether to run at all.

/// How much to run and from which seed.
pub(crate) struct Plan {
    pub(crate) cases: u64,
    pub(crate) seed: u64,
}

impl Plan {
    pub(crate) fn new(ordinary: u64, full: u64) -> Self {
        let is_full = pitree_testkit::is_full();
        Self { cases: if is_full { full } else { ordinary }, seed: pitree_testkit::seed() }
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
    pitree_testkit::has_pi(test)
}
