//! What a session cost, as its entries record it.

use pitree_format::entry::Body;
use pitree_format::message::Message;
use pitree_format::{EntryKind, JsString, Object, Role, Usage};

use super::{EntryRef, Session};
use crate::error::Result;

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
    /// What was spent, if anything of that was recorded.
    pub fn known_cost(&self) -> Option<f64> {
        (self.usages > self.unknown_costs).then_some(self.cost)
    }

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

    /// Adds one usage as Pi does: each number as it stands, however large, and only the total of
    /// the cost. An endless number, which would make the whole sum useless, is left out.
    pub(super) fn add_as_pi(&mut self, usage: &Usage) {
        let known = |number: Option<f64>| number.filter(|number| number.is_finite()).unwrap_or(0.0);
        self.usages += 1;
        self.input += known(usage.input);
        self.output += known(usage.output);
        self.cache_read += known(usage.cache_read);
        self.cache_write += known(usage.cache_write);
        self.cost += known(usage.cost.as_ref().and_then(|cost| cost.total));
    }

    /// Adds one usage that may not be recorded: then its cost is unknown.
    pub fn add_recorded(&mut self, usage: Option<&Usage>) {
        match usage {
            Some(usage) => self.add(usage),
            None => {
                self.usages += 1;
                self.unknown_costs += 1;
            }
        }
    }

    /// `{input, output, cacheRead, cacheWrite, total}`, as in Pi's session statistics.
    pub fn tokens_value(&self) -> Object {
        Object::new()
            .with("input", self.input)
            .with("output", self.output)
            .with("cacheRead", self.cache_read)
            .with("cacheWrite", self.cache_write)
            .with("total", self.tokens())
    }
}

/// What one entry spent, and on which model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntrySpend<'b> {
    /// The provider; tools and summaries do not name theirs.
    pub provider: Option<&'b JsString>,
    /// The model that answered.
    pub model: Option<&'b JsString>,
    /// `None` where it was not recorded.
    pub usage: Option<&'b Usage>,
}

impl<'b> EntrySpend<'b> {
    /// Whether entries of this kind can have spent something; saves reading the others.
    pub fn is_possible(entry: EntryRef<'_>) -> bool {
        match entry.kind() {
            EntryKind::Message => matches!(entry.role(), Role::Assistant | Role::ToolResult),
            kind => {
                matches!(kind, EntryKind::Usage | EntryKind::Compaction | EntryKind::BranchSummary)
            }
        }
    }

    /// The spend of an entry. A tool result without a usage spent nothing; a reply or a summary
    /// without one spent something that nobody recorded.
    pub fn of(body: &'b Body) -> Option<Self> {
        let nameless = |usage| Some(Self { provider: None, model: None, usage });
        match body {
            Body::Message(Message::Assistant(message)) => Some(Self {
                provider: message.provider.as_ref(),
                model: message.answered_by(),
                usage: message.usage.as_ref(),
            }),
            Body::Message(Message::ToolResult(result)) => nameless(Some(result.usage.as_ref()?)),
            Body::Compaction(compaction) => nameless(compaction.usage.as_ref()),
            Body::BranchSummary(summary) => nameless(summary.usage.as_ref()),
            Body::Usage { provider, model, usage, .. } => Some(Self {
                provider: provider.as_ref(),
                model: model.as_ref(),
                usage: usage.as_ref(),
            }),
            _ => None,
        }
    }
}

impl EntryRef<'_> {
    /// The tokens and the cost that the entry records: of a reply, of a tool that asked a model,
    /// of a summary, or of a `usage` entry.
    pub fn usage(&self) -> Result<Option<Usage>> {
        if !EntrySpend::is_possible(*self) {
            return Ok(None);
        }
        let body = self.body()?;
        Ok(EntrySpend::of(&body).and_then(|spend| spend.usage.cloned()))
    }
}

impl Session {
    /// What all entries of this file record, on all branches. Runs of sub-agents, and entries
    /// that a fork shares with its source, are not told apart here; the ledger of `pitree-store`
    /// counts each of them once.
    pub fn spend(&self) -> Result<SessionSpend> {
        let mut spend = SessionSpend::default();
        for entry in self.entries() {
            if let Some(usage) = entry.usage()? {
                spend.add(&usage);
            }
        }
        Ok(spend)
    }
}
