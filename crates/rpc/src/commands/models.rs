//! The model and how much it thinks.

use pitree_format::{Object, Value};
use pitree_host::live::LiveSession;
use pitree_host::models::{Model, Selection, ThinkingLevel, level_named};

use crate::answer::{Answer, Failure};
use crate::request::sentence_text;
use crate::server::Call;

pub(crate) fn get_available_models(call: &Call<'_>) -> Result<Answer, Failure> {
    let models = call.server.choices().available()?;
    let models: Vec<Value> = models.into_iter().map(Model::to_value).collect();
    Ok(Object::new().with("models", models).into())
}

pub(crate) fn set_model(call: &Call<'_>) -> Result<Answer, Failure> {
    let named = |name| sentence_text(call.request.get(name));
    let (provider, id) = (named("provider"), named("modelId"));
    let Some(model) = call.server.choices().find(&provider, &id)?.cloned() else {
        return Err(Failure::new(format!("Model not found: {provider}/{id}")));
    };
    select_model(call, &model)?;
    Ok(Answer::Data(model.to_value()))
}

pub(crate) fn cycle_model(call: &Call<'_>) -> Result<Answer, Failure> {
    let available = call.server.choices().available()?;
    if available.len() < 2 {
        return Ok(Answer::Data(Value::Null));
    }
    let current = call.server.selection().model.clone();
    let place = available.iter().position(|model| Some(*model) == current.as_ref()).unwrap_or(0);
    let next = available[(place + 1) % available.len()].clone();
    let level = select_model(call, &next)?;
    Ok(Object::new()
        .with("model", next.to_value())
        .with("thinkingLevel", level.name())
        .with("isScoped", false)
        .into())
}

/// Selects a model and the level that goes with it: its own of the settings, else the usual one,
/// else the one that was.
fn select_model(call: &Call<'_>, model: &Model) -> Result<ThinkingLevel, Failure> {
    let choices = call.server.choices();
    let before = call.server.selection().level;
    let level = choices.usual_level(Some(model))?.unwrap_or(before);
    let mut live = call.live_mut();
    live.set_model(model.provider(), model.id())?;
    let selection = Selection { model: Some(model.clone()), level: before };
    *call.server.selection() = selection;
    let level = select_level(call, &mut live, level)?;
    call.server.adapt(&mut live)?;
    Ok(level)
}

/// Selects the nearest level that the model has; writes it down if that is another one.
fn select_level(
    call: &Call<'_>,
    live: &mut LiveSession,
    level: ThinkingLevel,
) -> Result<ThinkingLevel, Failure> {
    let (level, before) = {
        let mut selection = call.server.selection();
        let model = selection.model.as_ref();
        let level = model.map_or(ThinkingLevel::Off, |model| model.clamp_thinking_level(level));
        (level, std::mem::replace(&mut selection.level, level))
    };
    if level != before {
        live.set_thinking_level(level.name())?;
    }
    Ok(level)
}

pub(crate) fn set_thinking_level(call: &Call<'_>) -> Result<Answer, Failure> {
    let name = sentence_text(call.request.get("level"));
    let level = level_named(&name, call.server.selection().model.as_ref());
    select_level(call, &mut call.live_mut(), level)?;
    Ok(Answer::Done)
}

pub(crate) fn cycle_thinking_level(call: &Call<'_>) -> Result<Answer, Failure> {
    let next = {
        let selection = call.server.selection();
        let model = selection.model.as_ref();
        model.and_then(|model| model.next_thinking_level(selection.level))
    };
    let Some(next) = next else { return Ok(Answer::Data(Value::Null)) };
    let level = select_level(call, &mut call.live_mut(), next)?;
    Ok(Object::new().with("level", level.name()).into())
}

pub(crate) fn get_available_thinking_levels(call: &Call<'_>) -> Result<Answer, Failure> {
    let levels = match &call.server.selection().model {
        Some(model) => model.thinking_levels(),
        None => ThinkingLevel::ALL.into(),
    };
    let levels: Vec<Value> = levels.into_iter().map(|level| level.name().into()).collect();
    Ok(Object::new().with("levels", levels).into())
}
