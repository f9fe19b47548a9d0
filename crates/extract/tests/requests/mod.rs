//! The requests that pitree makes from a session file are those that the real Pi sent.
//!
//! Pi is led through scripted conversations, and a model on loopback writes down what it is asked.
//! Then every request is made again from the files that Pi left, and the two must be equal, member
//! by member. Run through `cargo xtask test`, which installs the oracle. `PITREE_FULL=1` runs five
//! times the random scripts; `PITREE_SEED` starts from another seed.

mod built;
mod compare;
mod coverage;
mod generated;
mod known_models;
mod models;
mod recording;
mod script;

use compare::Tally;
use std::collections::BTreeMap;
use std::fmt::Write;

use pitree_testkit::{is_full, seed, tell};
use recording::record;

/// The length of a random script.
const STEPS: usize = 12;

#[test]
fn requests_are_those_that_pi_sent() {
    if !pitree_testkit::has_pi("requests_are_those_that_pi_sent") {
        return;
    }
    let mut tally = Tally::default();
    let tour = record(&script::tour(), false);
    tally.add(&tour);
    let mut counts = BTreeMap::new();
    built::rebuild(&tour, &mut counts);
    for role in ["user", "assistant", "toolResult", "bashExecution"] {
        assert!(counts.contains_key(role), "no {role} was built: {counts:?}");
    }
    for script in 0..cases(8) {
        let seed = seed() + script;
        println!("random script, seed {seed}");
        tally.add(&record(&script::random(seed, STEPS), script % 2 == 1));
    }
    report(&tally);
}

/// How many random cases to run.
fn cases(usual: u64) -> u64 {
    if is_full() { usual * 5 } else { usual }
}

fn report(tally: &Tally) {
    let mut table = String::new();
    let mut row = |what: &str, count: usize| {
        writeln!(table, "{what:<44}{count:>6}").unwrap();
    };
    let mut missing = Vec::new();
    for (kind, count) in tally.coverage.table() {
        row(kind, count);
        if count == 0 {
            missing.push(kind);
        }
    }
    row("requests sent", tally.sent);
    row("samples of one request, all equal", tally.samples);
    row("comparisons, copies in forks too", tally.comparisons);
    row("replies stopped before they began", tally.stopped);
    let mut without_reply = 0;
    for (reason, count) in &tally.left_out {
        row(&format!("no sample: {reason}"), *count);
        without_reply += count;
    }
    tell(&format!("Requests of the real Pi, made again:\n{table}"));
    assert!(missing.is_empty(), "never seen: {missing:?}");
    assert!(without_reply * 5 <= tally.sent, "more than a fifth are no samples");
    assert!(tally.samples >= 200, "too few requests");
}
