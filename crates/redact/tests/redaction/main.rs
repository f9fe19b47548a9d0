//! Secrets are found wherever they stand, and nothing else is touched.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic and say what it skips"
)]

mod commands;
mod entries;
mod formats;
mod harmless;
mod people;
mod planted;
mod properties;
mod providers;
mod repeated;
mod tables;

use pitree_redact::{Key, Literals, Pseudonyms, Redactor};

fn redactor() -> Redactor {
    Redactor::new(Key::new([7; Key::LEN]), Literals::default(), Pseudonyms::default())
}

/// The seed of the random tests.
fn seed() -> u64 {
    pitree_testkit::seed().wrapping_mul(1_000_003)
}
