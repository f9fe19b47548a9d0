//! Chat completions, as OpenAI and most other endpoints speak them.

use pitree_format::{Object, Value};
use pitree_session::summary::SummaryRequest;

use crate::auth::Auth;
use crate::models::{ThinkingLevel, Tokens};

use super::answer::{Answer, Fault, Stop, server_error};
use super::endpoint::Target;

pub(super) fn address(base: &str) -> String {
    format!("{}/chat/completions", base.trim_end_matches('/'))
}

pub(super) fn headers(auth: &Auth) -> Vec<(String, String)> {
    let key = auth.key.as_ref();
    let bearer = key.map(|key| ("authorization".to_owned(), format!("Bearer {}", key.reveal())));
    bearer.into_iter().collect()
}

pub(super) fn body(target: &Target, request: &SummaryRequest) -> Value {
    let message =
        |role: &str, content: &str| Object::new().with("role", role).with("content", content);
    let messages: Vec<Value> =
        vec![message("system", &request.system).into(), message("user", &request.prompt).into()];
    let mut body = Object::new()
        .with("model", target.model.as_str())
        .with("messages", messages)
        .with("stream", true);
    let compat = target.facts.as_ref().and_then(|facts| facts.get("compat"));
    let says_no =
        |key: &str| compat.and_then(|compat| compat.get(key)) == Some(&Value::Bool(false));
    if !says_no("supportsUsageInStreaming") {
        body.set("stream_options", Object::new().with("include_usage", true).into());
    }
    for parameters in sampling(target) {
        for (name, value) in parameters.iter() {
            body.set(&name.to_text(), value.clone());
        }
    }
    // Endpoints with a way of their own to ask for thinking are asked without it.
    let format = compat.and_then(|compat| compat.get_string("thinkingFormat"));
    let has_effort = format.is_none_or(|format| *format == *"openai" || *format == *"openrouter");
    if let Some(effort) = effort(target)
        && has_effort
        && !says_no("supportsReasoningEffort")
    {
        body.set("reasoning_effort", effort);
    }
    body.into()
}

/// What `models.json` wants in every request: for the model, then for its thinking level.
fn sampling(target: &Target) -> impl Iterator<Item = &Object> {
    let facts = target.facts.as_ref();
    let level = target.thinking_level.unwrap_or(ThinkingLevel::Off).name();
    let general = facts.and_then(|facts| facts.get("samplingParams"));
    let by_level = facts.and_then(|facts| facts.get("samplingParamsByThinkingLevel"));
    let special = by_level.and_then(|by_level| by_level.get(level));
    [general, special].into_iter().flatten().filter_map(Value::as_object)
}

/// The provider's name for the thinking level, if the model can think.
fn effort(target: &Target) -> Option<Value> {
    let facts = target.facts.as_ref().filter(|facts| facts.reasoning())?;
    let level = facts.clamp_thinking_level(target.thinking_level?);
    match facts.mapped_level(level) {
        Some(name @ Value::String(_)) => Some(name.clone()),
        _ if level == ThinkingLevel::Off => None,
        _ => Some(level.name().into()),
    }
}

/// Takes one event of the stream, or a whole answer that was not streamed.
pub(super) fn take(answer: &mut Answer, event: &Value) -> Result<(), Fault> {
    if let Some(error) = event.get("error").filter(|error| error.is_truthy()) {
        return Err(server_error(error));
    }
    if let Some(usage) = event.get("usage").filter(|usage| usage.as_object().is_some()) {
        answer.tokens = Some(tokens(usage));
    }
    let choices = event.get("choices").and_then(Value::as_array).unwrap_or_default();
    let Some(choice) = choices.first() else { return Ok(()) };
    if let Some(part) = choice.get("delta").or_else(|| choice.get("message")) {
        if let Some(text) = part.get_string("content") {
            answer.push(&text.to_text())?;
        }
        let calls = part.get("tool_calls").and_then(Value::as_array).unwrap_or_default();
        answer.has_tool_call |=
            !calls.is_empty() || part.get("function_call").is_some_and(Value::is_truthy);
    }
    if let Some(reason) = choice.get_string("finish_reason") {
        answer.stop = Some(stop(&reason.to_text()));
    }
    Ok(())
}

fn stop(reason: &str) -> Stop {
    match reason {
        "stop" | "end" | "eos" => Stop::Done,
        "length" => Stop::Length,
        "tool_calls" | "function_call" => Stop::ToolCall,
        other => Stop::Other(other.to_owned()),
    }
}

/// Tokens in Pi's counting: what a cache held is no input.
fn tokens(usage: &Value) -> Tokens {
    let number = |of: Option<&Value>, key: &str| of.and_then(|of| of.get_number(key));
    let sent = usage.get("prompt_tokens_details");
    let cache_read = number(sent, "cached_tokens")
        .or_else(|| usage.get_number("prompt_cache_hit_tokens"))
        .or_else(|| usage.get_number("cached_tokens"))
        .unwrap_or_default();
    let cache_write = number(sent, "cache_write_tokens").unwrap_or_default();
    let prompt = usage.get_number("prompt_tokens").unwrap_or_default();
    let reasoning = number(usage.get("completion_tokens_details"), "reasoning_tokens");
    Tokens {
        input: (prompt - cache_read - cache_write).max(0.0),
        output: usage.get_number("completion_tokens").unwrap_or_default(),
        cache_read,
        cache_write,
        cache_write_1h: None,
        reasoning: Some(reasoning.unwrap_or_default()),
    }
}
