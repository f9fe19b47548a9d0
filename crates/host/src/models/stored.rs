//! Newer lists of models, which Pi fetches from time to time and keeps in `models-store.json`.

use std::path::Path;

use pitree_format::Value;

use crate::error::HostError;
use crate::file;

use super::Model;

/// When Pi's built-in list was made, in Unix milliseconds: older lists add nothing to it.
const BUILT_IN_LIST_MADE: f64 = 1_793_616_208_346.0;
/// OpenRouter tells each user which models there are, so that list stands for itself.
const PERSONAL: &str = "openrouter";
/// Radius is asked in a way of its own.
const LEFT_OUT: &str = "radius";

/// The known models with those of the newer lists: changed ones in their place, new ones behind
/// the others of their provider.
pub(super) fn with_stored(
    known: Vec<Model>,
    path: &Path,
) -> Result<Vec<Model>, (Vec<Model>, HostError)> {
    let store = match file::read_json(path) {
        Ok(Some(store)) => store,
        Ok(None) => return Ok(known),
        Err(error) => return Err((known, error)),
    };
    let mut all: Vec<Model> = Vec::with_capacity(known.len());
    let mut rest = known.into_iter().peekable();
    while let Some(first) = rest.next() {
        let provider = first.provider();
        let mut models = vec![first];
        while let Some(next) = rest.next_if(|next| next.provider() == provider) {
            models.push(next);
        }
        all.extend(updated(models, &provider, store.get(&provider)));
    }
    Ok(all)
}

/// The models of one provider.
fn updated(mut models: Vec<Model>, provider: &str, list: Option<&Value>) -> Vec<Model> {
    let newer = newer_models(provider, list);
    if provider == PERSONAL {
        return if newer.is_empty() { models } else { newer };
    }
    for model in newer {
        match models.iter_mut().find(|old| old.get("id") == model.get("id")) {
            Some(old) => *old = model,
            None => models.push(model),
        }
    }
    models
}

fn newer_models(provider: &str, list: Option<&Value>) -> Vec<Model> {
    let Some(list) = list else { return Vec::new() };
    let made = list.get_number("lastModified").unwrap_or_default();
    if provider == LEFT_OUT || (provider != PERSONAL && made <= BUILT_IN_LIST_MADE) {
        return Vec::new();
    }
    let models = list.get("models").and_then(Value::as_array).unwrap_or_default();
    let is_chat = |model: &Value| model.get_string("type").is_none_or(|kind| *kind == *"chat");
    let is_own = |model: &Value| model.get_string("provider").is_some_and(|own| *own == *provider);
    let usable = models.iter().filter(|model| is_chat(model) && is_own(model));
    usable.filter_map(|model| Some(Model(model.as_object()?.clone()))).collect()
}
