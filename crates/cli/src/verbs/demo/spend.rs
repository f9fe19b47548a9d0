//! What the sample cost: by model, and what went into branches that were left.

use pitree_format::{Object, Value};
use pitree_session::{EntryRef, EntrySpend, Session, SessionSpend};

use crate::error::Result;
use crate::verbs::show::tally::{ModelName, Sums, describe};

/// What a session cost, over all branches.
#[derive(Debug, Default)]
pub(super) struct Spend {
    pub(super) total: SessionSpend,
    /// By model, first come first. Summaries do not name theirs.
    pub(super) models: Vec<(String, SessionSpend)>,
    /// The part on branches that were left.
    pub(super) abandoned: SessionSpend,
}

impl Spend {
    pub(super) fn of(session: &Session) -> Result<Self> {
        let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
        let mut spend = Self::default();
        let mut models: Sums<ModelName, SessionSpend> = Sums::default();
        for entry in session.entries().filter(|entry| EntrySpend::is_possible(*entry)) {
            let body = entry.body()?;
            let Some(spent) = EntrySpend::of(&body) else { continue };
            let provider = spent.provider.cloned();
            let name = ModelName { provider, model: spent.model.cloned() };
            spend.total.add_recorded(spent.usage);
            models.of(name).add_recorded(spent.usage);
            if !active.contains(&entry.index()) {
                spend.abandoned.add_recorded(spent.usage);
            }
        }
        spend.models = models.into_list().into_iter().map(named).collect();
        Ok(spend)
    }

    pub(super) fn to_value(&self) -> Value {
        let row = |tally: &SessionSpend| describe(tally, Object::new().with("count", tally.usages));
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

fn named((name, tally): (ModelName, SessionSpend)) -> (String, SessionSpend) {
    let text = if name.model.is_none() { "(summaries)".to_owned() } else { name.text() };
    (text, tally)
}
