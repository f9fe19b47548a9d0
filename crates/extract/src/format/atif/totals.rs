//! What a session has cost, over all its branches.

use pitree_format::Object;
use pitree_format::entry::Body;
use pitree_format::{EntryKind, Role};
use pitree_sample::{About, Usage};
use pitree_session::Session;

use crate::error::ExtractError;
use crate::tables::usage_of;

/// The sum of all usages that a file records.
#[derive(Default)]
pub(super) struct UsageTotals {
    sum: Usage,
}

impl UsageTotals {
    pub(super) fn of(session: &Session, about: &About) -> Result<Self, ExtractError> {
        let mut totals = Self::default();
        for entry in session.entries() {
            let may_cost = match entry.kind() {
                EntryKind::Message => matches!(entry.role(), Role::Assistant | Role::ToolResult),
                EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::Usage => true,
                _ => false,
            };
            if !may_cost {
                continue;
            }
            let body = Body::decode(&entry.value()?);
            if let Some(usage) = usage_of(&body) {
                totals.sum.add(&Usage::of(usage));
            } else if let Some(runs) = about.subagents.get(entry.id()) {
                // A result that tells no sum of its own tells what its sub-agents have cost.
                runs.iter()
                    .filter_map(|run| run.usage.as_ref())
                    .for_each(|run| totals.sum.add(run));
            }
        }
        Ok(totals)
    }

    /// As `final_metrics` of a trajectory.
    pub(super) fn metrics(&self, steps: usize) -> Object {
        of_run(&self.sum).with("total_steps", steps as f64)
    }
}

/// The usage of a whole run as `final_metrics`.
pub(super) fn of_run(usage: &Usage) -> Object {
    Object::new()
        .with("total_prompt_tokens", prompt_tokens(usage))
        .with("total_completion_tokens", tokens(usage.output))
        .with("total_cached_tokens", tokens(usage.cache_read))
        .with_some("total_cost_usd", usage.cost.filter(|cost| *cost > 0.0))
        .with("extra", Object::new().with("cache_write_tokens", tokens(usage.cache_write)))
}

/// All tokens that were sent, cached ones too.
pub(super) fn prompt_tokens(usage: &Usage) -> f64 {
    tokens(usage.input + usage.cache_read + usage.cache_write)
}

/// Tokens are whole numbers.
pub(super) fn tokens(count: f64) -> f64 {
    count.round()
}
