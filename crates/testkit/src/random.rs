//! Where random tests begin: one seed for all of them, so that a failure can be repeated.

use proptest::test_runner::{Config, RngSeed};

/// The seed of every random test: `PITREE_SEED`, or 1 if it is not set.
///
/// # Panics
/// Panics if the variable is not a number: a typo must not silently test something else.
pub fn seed() -> u64 {
    match std::env::var("PITREE_SEED") {
        Ok(seed) if !seed.is_empty() => {
            seed.parse().unwrap_or_else(|_| panic!("PITREE_SEED={seed} is not a number"))
        }
        _ => 1,
    }
}

/// The configuration of a property test with that many cases, drawn from [`seed`].
pub fn properties(cases: u32) -> Config {
    Config {
        cases,
        // A regression becomes a unit test; nothing is written into the source tree.
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed()),
        ..Config::default()
    }
}
