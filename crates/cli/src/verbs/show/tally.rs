//! Tokens and spend added up.

use std::collections::HashMap;
use std::hash::Hash;

use pitree_format::entry::Body;
use pitree_format::message::Message;
use pitree_format::usage::Usage;
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::EntryRef;
use pitree_store::ledger::Sum;

use super::plain;

/// What tokens were spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpentOn {
    Assistant,
    ToolResult,
    Compaction,
    BranchSummary,
    UsageEntry,
}

/// What one entry spent.
pub(crate) struct Spend<'b> {
    pub(crate) source: SpentOn,
    pub(crate) provider: Option<&'b JsString>,
    pub(crate) model: Option<&'b JsString>,
    /// `None` where it was not recorded.
    pub(crate) usage: Option<&'b Usage>,
}

impl<'b> Spend<'b> {
    /// Whether entries of this kind can have spent something; saves reading the others.
    pub(crate) fn is_possible(entry: EntryRef<'_>) -> bool {
        match entry.kind() {
            EntryKind::Message => matches!(entry.role(), Role::Assistant | Role::ToolResult),
            kind => {
                matches!(kind, EntryKind::Usage | EntryKind::Compaction | EntryKind::BranchSummary)
            }
        }
    }

    /// The spend of an entry. A tool result without a usage spent nothing; an answer or a summary
    /// without one spent something that nobody recorded.
    pub(crate) fn of(body: &'b Body) -> Option<Self> {
        let nameless = |source, usage| Some(Self { source, provider: None, model: None, usage });
        match body {
            Body::Message(Message::Assistant(message)) => Some(Self {
                source: SpentOn::Assistant,
                provider: message.provider.as_ref(),
                model: message.answered_by(),
                usage: message.usage.as_ref(),
            }),
            Body::Message(Message::ToolResult(result)) => {
                let usage = result.usage.as_ref()?;
                nameless(SpentOn::ToolResult, Some(usage))
            }
            Body::Compaction(compaction) => {
                nameless(SpentOn::Compaction, compaction.usage.as_ref())
            }
            Body::BranchSummary(summary) => {
                nameless(SpentOn::BranchSummary, summary.usage.as_ref())
            }
            Body::Usage { provider, model, usage, .. } => Some(Self {
                source: SpentOn::UsageEntry,
                provider: provider.as_ref(),
                model: model.as_ref(),
                usage: usage.as_ref(),
            }),
            _ => None,
        }
    }
}

/// Sums by key, first come first.
pub(crate) struct Sums<K, V> {
    places: HashMap<K, usize>,
    list: Vec<(K, V)>,
}

impl<K, V> Default for Sums<K, V> {
    fn default() -> Self {
        Self { places: HashMap::new(), list: Vec::new() }
    }
}

impl<K: Clone + Eq + Hash, V: Default> Sums<K, V> {
    /// The sum of a key, to add to.
    pub(crate) fn of(&mut self, key: K) -> &mut V {
        let next = self.list.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.list.push((key, V::default()));
        }
        &mut self.list[place].1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.list.iter().map(|(key, sum)| (key, sum))
    }

    pub(crate) fn into_list(self) -> Vec<(K, V)> {
        self.list
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A model by its provider and its own name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModelName {
    pub(crate) provider: Option<JsString>,
    pub(crate) model: Option<JsString>,
}

impl ModelName {
    /// `provider/model`, harmless.
    pub(crate) fn text(&self) -> String {
        plain::model(self.provider.as_ref(), self.model.as_ref())
    }

    /// `{provider, model}`
    pub(crate) fn to_object(&self) -> Object {
        Object::new().with("provider", self.provider.clone()).with("model", self.model.clone())
    }
}

/// A sum of usages. Absent tokens count as none; absent costs are counted as unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) count: usize,
    pub(crate) input: f64,
    pub(crate) output: f64,
    pub(crate) cache_read: f64,
    pub(crate) cache_write: f64,
    pub(crate) cost: f64,
    pub(crate) unknown_costs: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, usage: Option<&Usage>) {
        self.count += 1;
        if let Some(usage) = usage {
            let [input, output, cache_read, cache_write] = usage.counted();
            self.input += input;
            self.output += output;
            self.cache_read += cache_read;
            self.cache_write += cache_write;
        }
        match usage.and_then(Usage::counted_cost) {
            Some(cost) => self.cost += cost,
            None => self.unknown_costs += 1,
        }
    }

    /// Adds what the ledger added up.
    pub(crate) fn add_sum(&mut self, sum: &Sum) {
        self.count += sum.count;
        self.input += sum.tokens.input as f64;
        self.output += sum.tokens.output as f64;
        self.cache_read += sum.tokens.cache_read as f64;
        self.cache_write += sum.tokens.cache_write as f64;
        self.cost += sum.cost.dollars();
        self.unknown_costs += sum.unknown_costs;
    }

    pub(crate) fn total(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }

    /// Whether no cost is known at all.
    fn is_unknown(&self) -> bool {
        self.count > 0 && self.unknown_costs == self.count
    }

    /// `{input,output,cacheRead,cacheWrite,total}`, as in Pi's session statistics.
    pub(crate) fn tokens_value(&self) -> Object {
        Object::new()
            .with("input", self.input)
            .with("output", self.output)
            .with("cacheRead", self.cache_read)
            .with("cacheWrite", self.cache_write)
            .with("total", self.total())
    }

    /// The cost; `null` where none is known.
    pub(crate) fn cost_value(&self) -> Value {
        if self.is_unknown() { Value::Null } else { self.cost.into() }
    }

    /// The cost in words.
    pub(crate) fn cost_text(&self) -> String {
        if self.is_unknown() {
            "unknown".to_owned()
        } else if self.unknown_costs > 0 {
            format!("{} + {} unknown", plain::dollars(self.cost), self.unknown_costs)
        } else {
            plain::dollars(self.cost)
        }
    }

    /// Adds `tokens`, `cost` and `unknownCosts` to an object.
    pub(crate) fn describe(&self, object: Object) -> Object {
        object
            .with("tokens", self.tokens_value())
            .with("cost", self.cost_value())
            .with("unknownCosts", self.unknown_costs)
    }
}
