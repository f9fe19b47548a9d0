//! How much will be written, before it is.
//!
//! Samples repeat their context, so a session of a few megabytes may give a data set of many
//! gigabytes. All pieces wait in their spools, so the size is known before the first byte.

use super::work::Outcome;
use super::{ExtractOptions, Made};
use crate::error::ExtractError;

/// A data set that is so many times as large as its sessions is much larger.
const MUCH_LARGER: u64 = 8;

/// Smaller data sets hurt nobody.
const NOT_LARGE: u64 = 16 << 20;

/// What will be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Sessions that are in it.
    pub sessions: usize,
    /// Bytes of their files.
    pub input_bytes: u64,
    /// Samples that are in it.
    pub samples: usize,
    /// Bytes of the data, about as many for tables, which are compressed.
    pub output_bytes: u64,
}

impl Plan {
    /// Whether the data set is much larger than what it is made of.
    pub fn is_much_larger(&self) -> bool {
        self.output_bytes > NOT_LARGE && self.output_bytes / MUCH_LARGER > self.input_bytes
    }

    fn of(made: &Made<'_>) -> Self {
        let mut plan = Self::default();
        for (outcome, decision) in made.outcomes.iter().zip(&made.decisions.sessions) {
            let Outcome::Done { summary, .. } = outcome else { continue };
            let bytes = summary.sample_bytes.iter().zip(&decision.samples);
            let kept = bytes.filter(|(_, verdict)| verdict.dropped.is_none());
            let kept: Vec<u64> = kept.map(|(bytes, _)| *bytes).collect();
            plan.sessions += 1;
            plan.samples += kept.len();
            plan.input_bytes += summary.counts.bytes;
            plan.output_bytes += summary.session_bytes + kept.iter().sum::<u64>();
        }
        plan
    }
}

/// Tells what will be written, and refuses to write too much.
pub(super) fn check(made: &Made<'_>, options: &ExtractOptions) -> Result<(), ExtractError> {
    let plan = Plan::of(made);
    if let Some(limit) = options.max_output.filter(|limit| plan.output_bytes > *limit) {
        return Err(ExtractError::TooLarge { plan, limit });
    }
    if let Some(tell) = &options.plan {
        tell(&plan);
    }
    Ok(())
}
