//! What a session cost, by part and by model.

use std::sync::Arc;

use pitree_format::usage::Usage;
use serde::{Deserialize, Serialize};

use crate::ledger::{FileRun, Price};

/// What money was spent on. The parts add up to the total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SpendPart {
    /// Answers on the active path.
    ActiveAssistant,
    /// Answers on branches that were left.
    AbandonedAssistant,
    /// Tools that call models.
    ToolResult,
    /// Compaction summaries.
    Compaction,
    /// Branch summaries.
    BranchSummary,
    /// `usage` entries.
    UsageEntry,
    /// Runs of sub-agents.
    Subagent,
}

/// A sum of usages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spend {
    /// How many usages it sums up.
    pub count: usize,
    /// Tokens of all four kinds.
    pub tokens: f64,
    /// Dollars, as far as they were recorded.
    pub cost: f64,
    /// How many of the usages have no cost.
    pub unknown_costs: usize,
}

impl Spend {
    /// What was spent, if anything of that was recorded.
    pub fn known_cost(&self) -> Option<f64> {
        (self.count > self.unknown_costs).then_some(self.cost)
    }

    /// Adds one usage.
    pub fn add(&mut self, usage: &Usage) {
        self.count += 1;
        self.tokens += usage.counted().iter().sum::<f64>();
        match usage.counted_cost() {
            Some(cost) => self.cost += cost,
            None => self.unknown_costs += 1,
        }
    }

    /// Adds a run of a sub-agent, as its parent tells it.
    pub(crate) fn add_run(&mut self, run: &FileRun) {
        self.count += 1;
        self.tokens += run.tokens.iter().map(|tokens| *tokens as f64).sum::<f64>();
        match run.cost {
            Some(units) => self.cost += Price::from_units(units).dollars(),
            None => self.unknown_costs += 1,
        }
    }
}

/// How often a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUse {
    /// The provider.
    pub provider: Arc<str>,
    /// The model.
    pub model: Arc<str>,
    /// How many answers it gave.
    pub answers: usize,
}
