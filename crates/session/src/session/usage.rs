//! What a session cost, as its entries record it.

use pitree_format::entry::Body;
use pitree_format::message::Message;
use pitree_format::{EntryKind, Usage};

use super::{EntryRef, Session};
use crate::error::SessionError;

/// A sum of what the entries of a session record; see [`Session::spend`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionSpend {
    /// How many usages it sums up.
    pub usages: usize,
    /// Tokens sent that no cache held.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cache_read: f64,
    /// Tokens written to the provider's cache.
    pub cache_write: f64,
    /// Dollars, as far as they were recorded.
    pub cost: f64,
    /// How many of the usages have no cost.
    pub unknown_costs: usize,
}

impl SessionSpend {
    /// Tokens of all four kinds.
    pub fn tokens(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }

    /// Adds one usage.
    pub fn add(&mut self, usage: &Usage) {
        let [input, output, cache_read, cache_write] = usage.counted();
        self.usages += 1;
        self.input += input;
        self.output += output;
        self.cache_read += cache_read;
        self.cache_write += cache_write;
        match usage.counted_cost() {
            Some(cost) => self.cost += cost,
            None => self.unknown_costs += 1,
        }
    }
}

impl EntryRef<'_> {
    /// The tokens and the cost that the entry records: of a reply, of a tool that asked a model,
    /// of a summary, or of a `usage` entry.
    pub fn usage(&self) -> Result<Option<Usage>, SessionError> {
        let may_have = matches!(
            self.kind(),
            EntryKind::Message
                | EntryKind::Usage
                | EntryKind::Compaction
                | EntryKind::BranchSummary
        );
        if !may_have {
            return Ok(None);
        }
        Ok(match self.body()? {
            Body::Message(Message::Assistant(reply)) => reply.usage,
            Body::Message(Message::ToolResult(result)) => result.usage,
            Body::Usage { usage, .. } => usage,
            Body::Compaction(compaction) => compaction.usage,
            Body::BranchSummary(summary) => summary.usage,
            _ => None,
        })
    }
}

impl Session {
    /// What all entries of this file record, on all branches. Runs of sub-agents, and entries
    /// that a fork shares with its source, are not told apart here; the ledger of `pitree-store`
    /// counts each of them once.
    pub fn spend(&self) -> Result<SessionSpend, SessionError> {
        let mut spend = SessionSpend::default();
        for entry in self.entries() {
            if let Some(usage) = entry.usage()? {
                spend.add(&usage);
            }
        }
        Ok(spend)
    }
}
