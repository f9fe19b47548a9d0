//! What the sample cost: by model, and what went into branches that were left.

use pitree_format::{Object, Value};
use pitree_session::{EntryRef, Session};

use crate::error::CommandError;
use crate::verbs::show::tally::{ModelName, Spend as Spent, Sums, Tally};

/// What a session cost, over all branches.
#[derive(Debug, Default)]
pub(super) struct Spend {
    pub(super) total: Tally,
    /// By model, first come first. Summaries do not name theirs.
    pub(super) models: Vec<(String, Tally)>,
    /// The part on branches that were left.
    pub(super) abandoned: Tally,
}

impl Spend {
    pub(super) fn of(session: &Session) -> Result<Self, CommandError> {
        let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
        let mut spend = Self::default();
        let mut models: Sums<ModelName, Tally> = Sums::default();
        for entry in session.entries().filter(|entry| Spent::is_possible(*entry)) {
            let body = entry.body()?;
            let Some(spent) = Spent::of(&body) else { continue };
            let provider = spent.provider.cloned();
            let name = ModelName { provider, model: spent.model.cloned() };
            spend.total.add(spent.usage);
            models.of(name).add(spent.usage);
            if !active.contains(&entry.index()) {
                spend.abandoned.add(spent.usage);
            }
        }
        spend.models = models.into_list().into_iter().map(named).collect();
        Ok(spend)
    }

    pub(super) fn to_value(&self) -> Value {
        let row = |tally: &Tally| tally.describe(Object::new().with("count", tally.count));
        let models = self
            .models
            .iter()
            .map(|(name, tally)| Value::Object(row(tally).with("model", name.as_str())));
        row(&self.total)
            .with("models", models.collect::<Vec<_>>())
            .with("abandoned", row(&self.abandoned))
            .into()
    }
}

fn named((name, tally): (ModelName, Tally)) -> (String, Tally) {
    let text = if name.model.is_none() { "(summaries)".to_owned() } else { name.text() };
    (text, tally)
}
