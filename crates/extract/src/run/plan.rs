//! How much will be written, before it is.
//!
//! Samples repeat their context, so a session of a few megabytes may give a data set of many
//! gigabytes. All pieces wait in their spools, so the size is known before the first byte.

use super::ProcessedSessions;
use super::worker_pool::SessionResult;
use crate::error::ExtractError;
use crate::options::ExtractOptions;
use crate::report::Plan;

/// What will be written of all that was made.
fn plan_of(processed: &ProcessedSessions<'_>) -> Plan {
    let mut plan = Plan::default();
    for (result, decision) in processed.results.iter().zip(&processed.decisions.sessions) {
        let SessionResult::Done { summary, .. } = result else { continue };
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

/// Tells what will be written, and refuses to write too much.
pub(super) fn check(
    processed: &ProcessedSessions<'_>,
    options: &ExtractOptions,
) -> Result<(), ExtractError> {
    let plan = plan_of(processed);
    if let Some(limit) = options.max_output.filter(|limit| plan.output_bytes > *limit) {
        return Err(ExtractError::TooLarge { plan, limit });
    }
    if let Some(tell) = &options.plan {
        tell(&plan);
    }
    Ok(())
}
