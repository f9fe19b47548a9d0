//! How much will be written, before it is.
//!
//! Samples repeat their context, so a session of a few megabytes may give a data set of many
//! gigabytes. All pieces wait in their spools, so the size is known before the first byte.

use super::Decided;
use crate::error::ExtractError;
use crate::options::ExtractOptions;
use crate::report::Plan;

/// What will be written of all that was made; an error if that is too much.
pub(super) fn checked(
    decided: &Decided<'_>,
    options: &ExtractOptions,
) -> Result<Plan, ExtractError> {
    let mut plan = Plan::default();
    for (at, result) in decided.results.iter().enumerate() {
        let Some(summary) = result.summary() else { continue };
        let verdicts = &decided.decisions.sessions[at].samples;
        plan.sessions += 1;
        plan.samples += verdicts.iter().filter(|verdict| verdict.dropped.is_none()).count();
        plan.input_bytes += summary.counts.bytes;
        plan.output_bytes += decided.bytes(at);
    }
    match options.max_output.filter(|limit| plan.output_bytes > *limit) {
        Some(limit) => Err(ExtractError::TooLarge { plan, limit }),
        None => Ok(plan),
    }
}
