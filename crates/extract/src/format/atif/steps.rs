//! The steps of a trajectory.

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_format::{Object, Value};
use pitree_sample::{ChatMessage, ChatRole, IMAGE, Part, Speaker, ToolCall, Usage};

use super::images::Images;
use super::model_name;
use super::totals::{prompt_tokens, tokens};

/// Steps in the making.
#[derive(Default)]
pub(super) struct Steps {
    steps: Vec<Step>,
}

struct Step {
    value: Object,
    is_agent: bool,
    is_trained: bool,
    calls: Vec<String>,
    results: Vec<Value>,
}

impl Steps {
    /// Adds a message, with references to the sub-agents that it tells of.
    pub(super) fn add(
        &mut self,
        message: &ChatMessage,
        is_trained: bool,
        references: Vec<Value>,
        images: &mut Images<'_>,
    ) {
        match message.role {
            ChatRole::System => self.push("system", message, images),
            ChatRole::User => self.push("user", message, images),
            ChatRole::Assistant => {
                self.push("agent", message, images);
                if let Some(step) = self.steps.last_mut() {
                    step.is_trained = is_trained;
                    set_reply(&mut step.value, message);
                    step.calls = message.tool_calls.iter().map(|call| call.id.clone()).collect();
                }
            }
            ChatRole::Tool => self.add_result(message, references, images),
        }
    }

    /// The one step of a run of which only the task is left.
    pub(super) fn only_task(task: &str) -> Value {
        Object::new().with("step_id", 1.0).with("source", "user").with("message", task).into()
    }

    fn push(&mut self, source: &str, message: &ChatMessage, images: &mut Images<'_>) {
        let value = Object::new()
            .with("step_id", (self.steps.len() + 1) as f64)
            .with_some("timestamp", message.timestamp.as_deref().and_then(timestamp))
            .with("source", source)
            .with("message", content(message, images))
            .with_some("extra", entry_extra(message));
        self.steps.push(Step {
            value,
            is_agent: source == "agent",
            is_trained: false,
            calls: Vec::new(),
            results: Vec::new(),
        });
    }

    /// A result stands in the step of its call. One whose call is not there is left out: there is
    /// no step that it could be an observation of.
    fn add_result(
        &mut self,
        message: &ChatMessage,
        references: Vec<Value>,
        images: &mut Images<'_>,
    ) {
        let Some(result) = &message.result else { return };
        let mut steps = self.steps.iter_mut().rev();
        let Some(step) = steps.find(|step| step.calls.contains(&result.call_id)) else { return };
        let extra = Object::new()
            .with_some("pi_event_id", message.entry_id.as_deref())
            .with("tool_name", result.name.as_str())
            .with("is_error", result.is_error);
        let value = Object::new()
            .with("source_call_id", result.call_id.as_str())
            .with("content", content(message, images))
            .with_some("subagent_trajectory_ref", (!references.is_empty()).then_some(references))
            .with("extra", extra);
        step.results.push(value.into());
    }

    /// The steps as values. What stands before the first step to be learned was copied with the
    /// replies that stand there.
    pub(super) fn finish(self) -> Vec<Value> {
        let is_learned = |step: &Step| step.is_trained;
        let first = self.steps.iter().position(is_learned).unwrap_or(self.steps.len());
        let last_copied = self.steps[..first].iter().rposition(|step| step.is_agent);
        let copied = last_copied.map_or(0, |at| at + 1);
        let steps = self.steps.into_iter().enumerate();
        steps.map(|(at, step)| step.finish(at < copied)).collect()
    }
}

impl Step {
    fn finish(self, is_copied: bool) -> Value {
        let observation =
            (!self.results.is_empty()).then(|| Object::new().with("results", self.results));
        let mut value = self.value.with_some("observation", observation);
        if is_copied || (self.is_agent && !self.is_trained) {
            value = value.with("is_copied_context", true);
        }
        value.into()
    }
}

/// Sets what only a reply has.
fn set_reply(step: &mut Object, message: &ChatMessage) {
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            step.set(name, value);
        }
    };
    let none = Speaker::default();
    let speaker = message.speaker.as_ref().unwrap_or(&none);
    let model = model_name(speaker.provider.as_deref(), speaker.model.as_deref());
    set("model_name", model.map(Value::from));
    set("reasoning_effort", speaker.thinking_level.as_deref().map(Value::from));
    set("reasoning_content", message.reasoning.as_deref().map(Value::from));
    let calls: Vec<Value> = message.tool_calls.iter().map(tool_call).collect();
    set("tool_calls", (!calls.is_empty()).then(|| calls.into()));
    set("metrics", speaker.usage.as_ref().map(|usage| metrics(usage).into()));
    // Both halves of a reply come from one call.
    set("llm_call_count", (!speaker.is_second_half).then(|| 1.0.into()));
    let extra = entry_extra(message)
        .unwrap_or_default()
        .with_some("provider", speaker.provider.as_deref())
        .with_some("api", speaker.api.as_deref())
        .with_some("stop_reason", speaker.stop_reason.as_deref());
    set("extra", (!extra.is_empty()).then(|| extra.into()));
}

/// Tells the entry of a step, by the name that Harbor gives it.
fn entry_extra(message: &ChatMessage) -> Option<Object> {
    let id = message.entry_id.as_deref()?;
    Some(Object::new().with("pi_event_id", id))
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        object @ Value::Object(_) => object.clone(),
        other => Object::new().with("value", other.clone()).into(),
    };
    let made_up = call.made_up_id.then(|| Object::new().with("made_up_id", true));
    Object::new()
        .with("tool_call_id", call.id.as_str())
        .with("function_name", call.name.as_str())
        .with("arguments", arguments)
        .with_some("extra", made_up)
        .into()
}

/// Tokens and cost of a reply. A cost of nothing is one that is not known.
fn metrics(usage: &Usage) -> Object {
    Object::new()
        .with("prompt_tokens", prompt_tokens(usage))
        .with("completion_tokens", tokens(usage.output))
        .with("cached_tokens", tokens(usage.cache_read))
        .with_some("cost_usd", usage.cost.filter(|cost| *cost > 0.0))
        .with("extra", Object::new().with("cache_write_tokens", tokens(usage.cache_write)))
}

/// Text, or a list of parts where there is an image.
fn content(message: &ChatMessage, images: &mut Images<'_>) -> Value {
    let is_image = |part: &Part| matches!(part, Part::Image { .. });
    if message.content.iter().any(is_image) {
        let parts = message.content.iter().map(|part| self::part(part, images));
        return parts.collect::<Vec<_>>().into();
    }
    message.text().into()
}

fn part(part: &Part, images: &mut Images<'_>) -> Value {
    let text = |text: &str| Object::new().with("type", "text").with("text", text).into();
    match part {
        Part::Text(said) => text(said),
        Part::Image { mime_type, data } => match images.add(mime_type, data) {
            Some(name) => {
                let source =
                    Object::new().with("media_type", mime_type.as_str()).with("path", name);
                Object::new().with("type", "image").with("source", source).into()
            }
            None => text(IMAGE),
        },
    }
}

/// A time as every reader takes it: what is no date, or of another era, is left out.
fn timestamp(text: &str) -> Option<String> {
    let iso = format_iso(parse_iso(text.as_bytes())?);
    iso.starts_with(|c: char| c.is_ascii_digit() && iso.len() == 24).then_some(iso)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_dates_are_told() {
        for (text, told) in [
            ("2026-02-03T22:52:06.410Z", Some("2026-02-03T22:52:06.410Z")),
            ("2026-02-03", Some("2026-02-03T00:00:00.000Z")),
            ("+012026-02-03T00:00:00.000Z", None),
            ("yesterday", None),
        ] {
            assert_eq!(timestamp(text).as_deref(), told, "{text}");
        }
    }
}
