//! How much fits into the context of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use pitree_format::Value;
use pitree_session::{Session, SessionError};

/// How many tokens each model can look at. Session files do not say it, so whoever knows the models
/// passes it; of a model that is not in here nothing is claimed.
#[derive(Clone, Debug, Default)]
pub struct ModelWindows(Arc<BTreeMap<(String, String), u64>>);

impl ModelWindows {
    /// The window of the model that a session would go on with after an entry.
    pub(crate) fn of(
        &self,
        session: &Session,
        leaf: Option<usize>,
    ) -> Result<Option<u64>, SessionError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let model = session.restored_at(leaf)?.model;
        let text = |value: Option<Value>| value?.as_string().map(ToString::to_string);
        let name = model.and_then(|model| Some((text(model.provider)?, text(model.model_id)?)));
        Ok(name.and_then(|name| self.0.get(&name).copied()).filter(|window| *window > 0))
    }
}

/// Of the provider, the model's id there and its window.
impl FromIterator<(String, String, u64)> for ModelWindows {
    fn from_iter<T: IntoIterator<Item = (String, String, u64)>>(models: T) -> Self {
        let models = models.into_iter().map(|(provider, id, window)| ((provider, id), window));
        Self(Arc::new(models.collect()))
    }
}
