//! `/model` and `/thinking`: what a session goes on with. Changes are entries, as Pi writes them.

use pitree_format::{JsString, Value};
use pitree_host::live::LiveSession;
use pitree_host::models::{Model, Models, ThinkingLevel};

use super::session_commands::{CommandResult, with_hint};

/// So many models are named if several fit.
const MOST_NAMED: usize = 5;

/// Changes the model, or says which one it is.
pub(crate) fn model(live: &mut LiveSession, wanted: &str) -> CommandResult {
    if wanted.is_empty() {
        let model = live.session().restored().map_err(|error| error.to_string())?.model;
        let named = model.and_then(|model| Some((text(model.provider)?, text(model.model_id)?)));
        return Ok(match named {
            Some((provider, id)) => format!("The model is {provider}/{id}"),
            None => "No model is set: /model PROVIDER/MODEL sets one".to_owned(),
        });
    }
    let models = Models::load(live.environment()).map_err(|error| error.to_string())?;
    let available = models.available(live.environment()).unwrap_or_default();
    let (provider, id) = chosen(wanted, models.all(), &available)?;
    live.set_model(provider.as_str(), id.as_str()).map_err(|error| with_hint(&error))?;
    Ok(format!("The model is {provider}/{id} from here on."))
}

/// Changes the thinking level, or says which one it is.
pub(crate) fn thinking(live: &mut LiveSession, wanted: &str) -> CommandResult {
    if wanted.is_empty() {
        let level = live.session().restored().map_err(|error| error.to_string())?.thinking_level;
        return Ok(match text(level) {
            Some(level) => format!("The thinking level is {level}"),
            None => "No thinking level is set: /thinking LEVEL sets one".to_owned(),
        });
    }
    let level: ThinkingLevel = wanted.parse().map_err(|_| {
        let names = ThinkingLevel::ALL.map(ThinkingLevel::name).join(", ");
        format!("`{wanted}` is not a thinking level: {names}")
    })?;
    live.set_thinking_level(level.name()).map_err(|error| with_hint(&error))?;
    Ok(format!("The thinking level is {level} from here on."))
}

/// The model that was meant: by provider and id, by its id, or by a part of that which only one has.
/// Of those that fit, one that the user has a key for comes first.
fn chosen(wanted: &str, all: &[Model], available: &[&Model]) -> Result<(String, String), String> {
    let names = |model: &Model| (model.provider(), model.id());
    let of = |fits: &dyn Fn(&Model) -> bool| -> Vec<(String, String)> {
        let usable: Vec<_> = available.iter().filter(|it| fits(it)).map(|it| names(it)).collect();
        match usable.is_empty() {
            true => all.iter().filter(|it| fits(it)).map(names).collect(),
            false => usable,
        }
    };
    let lower = wanted.to_lowercase();
    let whole = of(&|model| format!("{}/{}", model.provider(), model.id()) == wanted);
    let by_id = || of(&|model| model.id() == wanted);
    let by_part = || of(&|model| model.id().to_lowercase().contains(&lower));
    let ways: [&dyn Fn() -> Vec<(String, String)>; 3] = [&|| whole.clone(), &by_id, &by_part];
    let found = ways.iter().map(|way| way()).find(|found| !found.is_empty()).unwrap_or_default();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(format!("There is no model `{wanted}`.")),
        several => {
            let named =
                several.iter().take(MOST_NAMED).map(|(provider, id)| format!("{provider}/{id}"));
            let named = named.collect::<Vec<_>>().join(", ");
            let more = if several.len() > MOST_NAMED { ", …" } else { "" };
            Err(format!("Several models match `{wanted}`: {named}{more}"))
        }
    }
}

fn text(value: Option<Value>) -> Option<String> {
    value?.as_string().map(JsString::to_string)
}
