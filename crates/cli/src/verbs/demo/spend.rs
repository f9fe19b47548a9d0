//! What the sample cost: by model, and what went into branches that were left.

use pitree_format::entry::Body;
use pitree_format::message::Message;
use pitree_format::usage::{Cost, Usage};
use pitree_format::{JsString, Object, Value};
use pitree_session::{EntryRef, Session};

use crate::error::CommandError;
use crate::text::clean_line;

/// Money and tokens of several entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) count: usize,
    pub(super) tokens: f64,
    pub(super) cost: f64,
}

impl Sum {
    fn add(&mut self, usage: &Usage) {
        self.count += 1;
        self.tokens += usage.sum();
        self.cost += usage.cost.as_ref().and_then(Cost::total).unwrap_or(0.0);
    }

    fn describe(&self, object: Object) -> Object {
        object.with("count", self.count).with("tokens", self.tokens).with("cost", self.cost)
    }
}

/// What a session cost, over all branches.
#[derive(Debug, Default)]
pub(super) struct Spend {
    pub(super) total: Sum,
    /// By model, first come first. Summaries do not name theirs.
    pub(super) models: Vec<(String, Sum)>,
    /// The part on branches that were left.
    pub(super) abandoned: Sum,
}

impl Spend {
    pub(super) fn of(session: &Session) -> Result<Self, CommandError> {
        let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
        let mut spend = Self::default();
        for entry in session.entries() {
            let body = entry.body()?;
            let Some((model, usage)) = spent(&body) else { continue };
            spend.total.add(usage);
            spend.model(model).add(usage);
            if !active.contains(&entry.index()) {
                spend.abandoned.add(usage);
            }
        }
        Ok(spend)
    }

    fn model(&mut self, name: String) -> &mut Sum {
        let at = match self.models.iter().position(|(known, _)| *known == name) {
            Some(at) => at,
            None => {
                self.models.push((name, Sum::default()));
                self.models.len() - 1
            }
        };
        &mut self.models[at].1
    }

    pub(super) fn to_value(&self) -> Value {
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|(model, sum)| sum.describe(Object::new().with("model", model.as_str())).into())
            .collect();
        self.total
            .describe(Object::new())
            .with("models", models)
            .with("abandoned", self.abandoned.describe(Object::new()))
            .into()
    }
}

/// Who was paid for an entry, and how much was recorded.
fn spent(body: &Body) -> Option<(String, &Usage)> {
    match body {
        Body::Message(Message::Assistant(message)) => {
            let name = |part: Option<&JsString>| part.map(ToString::to_string).unwrap_or_default();
            let model = message.response_model.as_ref().or(message.model.as_ref());
            let model = format!("{}/{}", name(message.provider.as_ref()), name(model));
            Some((clean_line(&model), message.usage.as_ref()?))
        }
        Body::Compaction(compaction) => {
            Some(("(summaries)".to_owned(), compaction.usage.as_ref()?))
        }
        Body::BranchSummary(summary) => Some(("(summaries)".to_owned(), summary.usage.as_ref()?)),
        _ => None,
    }
}
