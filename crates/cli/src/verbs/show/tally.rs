//! Tokens and spend added up and shown.

use std::collections::HashMap;
use std::hash::Hash;

use pitree_format::{JsString, Object, Value};
use pitree_session::SessionSpend;
use pitree_store::ledger::Sum;

use super::plain;

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

/// Adds what the ledger added up.
pub(crate) fn add_sum(spend: &mut SessionSpend, sum: &Sum) {
    spend.usages += sum.count;
    spend.input += sum.tokens.input as f64;
    spend.output += sum.tokens.output as f64;
    spend.cache_read += sum.tokens.cache_read as f64;
    spend.cache_write += sum.tokens.cache_write as f64;
    spend.cost += sum.cost.dollars();
    spend.unknown_costs += sum.unknown_costs;
}

/// Whether no cost is known at all.
fn is_unknown(spend: &SessionSpend) -> bool {
    spend.usages > 0 && spend.unknown_costs == spend.usages
}

/// The cost in words.
pub(crate) fn cost_text(spend: &SessionSpend) -> String {
    if is_unknown(spend) {
        "unknown".to_owned()
    } else if spend.unknown_costs > 0 {
        format!("{} + {} unknown", plain::dollars(spend.cost), spend.unknown_costs)
    } else {
        plain::dollars(spend.cost)
    }
}

/// Adds `tokens`, `cost` and `unknownCosts` to an object; a cost of which nothing is known is
/// `null`.
pub(crate) fn describe(spend: &SessionSpend, object: Object) -> Object {
    let cost = if is_unknown(spend) { Value::Null } else { spend.cost.into() };
    object
        .with("tokens", spend.tokens_value())
        .with("cost", cost)
        .with("unknownCosts", spend.unknown_costs)
}
