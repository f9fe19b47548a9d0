//! Messages, as Anthropic speaks them.

use pitree_format::{Object, Value};
use pitree_session::summary::SummaryRequest;

use crate::auth::Auth;
use crate::models::ThinkingLevel;

use super::answer::{Answer, Fault, Stop, server_error};
use super::endpoint::Target;

const VERSION: &str = "2023-06-01";
/// How long an answer may be where the model's limit is not known.
const UNKNOWN_LIMIT: f64 = 8192.0;
/// No summary needs more.
const MOST_TOKENS: f64 = 32_000.0;
/// What an answer always gets, however full the context is.
const LEAST_TOKENS: f64 = 1024.0;
/// A careful guess: real text has about four characters a token.
const CHARACTERS_PER_TOKEN: f64 = 3.0;

pub(super) fn address(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let version = if base.ends_with("/v1") { "" } else { "/v1" };
    format!("{base}{version}/messages")
}

pub(super) fn headers(auth: &Auth) -> Vec<(String, String)> {
    let version = ("anthropic-version".to_owned(), VERSION.to_owned());
    let key = auth.key.as_ref().map(|key| ("x-api-key".to_owned(), key.reveal().to_owned()));
    [version].into_iter().chain(key).collect()
}

pub(super) fn body(target: &Target, request: &SummaryRequest) -> Value {
    let thinking = thinking(target);
    let budget = thinking.as_ref().and_then(|thinking| thinking.get_number("budget_tokens"));
    let limit = longest_answer(target, request, budget.unwrap_or_default());
    let message = Object::new().with("role", "user").with("content", request.prompt.as_str());
    let mut body = Object::new()
        .with("model", target.model.as_str())
        .with("max_tokens", limit)
        .with("stream", true)
        .with("system", request.system.as_str())
        .with("messages", vec![message.into()]);
    if let Some(thinking) = thinking
        && budget.is_none_or(|budget| budget + LEAST_TOKENS <= limit)
    {
        if budget.is_none()
            && let Some(effort) = effort(target)
        {
            body.set("output_config", Object::new().with("effort", effort).into());
        }
        body.set("thinking", thinking);
    }
    body.into()
}

/// The model's own limit, as far as the context window leaves room for it.
fn longest_answer(target: &Target, request: &SummaryRequest, thinking: f64) -> f64 {
    let Some(facts) = &target.facts else { return UNKNOWN_LIMIT };
    let characters = (request.system.len() + request.prompt.len()) as f64;
    let room = facts.context_window() - (characters / CHARACTERS_PER_TOKEN).ceil();
    (MOST_TOKENS + thinking).min(facts.max_tokens()).min(room.max(LEAST_TOKENS))
}

/// Newer models decide by themselves how much they think; older ones get a budget.
fn thinking(target: &Target) -> Option<Value> {
    let facts = target.facts.as_ref().filter(|facts| facts.reasoning())?;
    let budget = match facts.clamp_thinking_level(target.thinking_level?) {
        ThinkingLevel::Off => return None,
        ThinkingLevel::Minimal => 1024.0,
        ThinkingLevel::Low => 2048.0,
        ThinkingLevel::Medium => 8192.0,
        ThinkingLevel::High | ThinkingLevel::XHigh | ThinkingLevel::Max => 16_384.0,
    };
    let adaptive = facts.get("compat").and_then(|compat| compat.get("forceAdaptiveThinking"));
    Some(if adaptive.is_some_and(Value::is_truthy) {
        Object::new().with("type", "adaptive").into()
    } else {
        Object::new().with("type", "enabled").with("budget_tokens", budget).into()
    })
}

fn effort(target: &Target) -> Option<Value> {
    let facts = target.facts.as_ref()?;
    let level = facts.clamp_thinking_level(target.thinking_level?);
    match facts.mapped_level(level) {
        Some(name @ Value::String(_)) => Some(name.clone()),
        _ if level == ThinkingLevel::Minimal => Some("low".into()),
        _ => Some(level.name().into()),
    }
}

/// Takes one event of the stream, or a whole answer that was not streamed.
pub(super) fn take(answer: &mut Answer, event: &Value) -> Result<(), Fault> {
    let kind = event.get_string("type").map(ToString::to_string).unwrap_or_default();
    match kind.as_str() {
        "error" => return Err(server_error(event.get("error").unwrap_or(event))),
        "message_start" => take_usage(answer, event.get("message")),
        "content_block_start" => take_block(answer, event.get("content_block"))?,
        "content_block_delta" => {
            let delta = event.get("delta");
            if let Some(text) = delta.and_then(|delta| delta.get_string("text")) {
                answer.push(&text.to_text())?;
            }
        }
        "message_delta" => {
            take_usage(answer, Some(event));
            take_stop(answer, event.get("delta"));
        }
        "message_stop" => answer.is_over = true,
        "message" => {
            for block in event.get("content").and_then(Value::as_array).unwrap_or_default() {
                take_block(answer, Some(block))?;
            }
            take_usage(answer, Some(event));
            take_stop(answer, Some(event));
        }
        _ => {}
    }
    Ok(())
}

fn take_block(answer: &mut Answer, block: Option<&Value>) -> Result<(), Fault> {
    let Some(block) = block else { return Ok(()) };
    match block.get_string("type").map(ToString::to_string).as_deref() {
        Some("tool_use") => answer.has_tool_call = true,
        Some("text") => {
            if let Some(text) = block.get_string("text") {
                answer.push(&text.to_text())?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn take_stop(answer: &mut Answer, of: Option<&Value>) {
    let Some(reason) = of.and_then(|of| of.get_string("stop_reason")) else { return };
    let details = of
        .and_then(|of| of.get("stop_details"))
        .and_then(|details| details.get_string("explanation"));
    answer.stop = Some(match &*reason.to_text() {
        "end_turn" | "stop_sequence" | "pause_turn" => Stop::Done,
        "max_tokens" => Stop::Length,
        "tool_use" => Stop::ToolCall,
        "refusal" => {
            Stop::Other(details.map_or_else(|| "it refused".to_owned(), ToString::to_string))
        }
        other => Stop::Other(other.to_owned()),
    });
}

/// Later numbers replace earlier ones; what is not told stays.
fn take_usage(answer: &mut Answer, of: Option<&Value>) {
    let Some(usage) = of.and_then(|of| of.get("usage")) else { return };
    let mut tokens = answer.tokens.unwrap_or_default();
    let set = |key: &str, slot: &mut f64| {
        if let Some(number) = usage.get_number(key) {
            *slot = number;
        }
    };
    set("input_tokens", &mut tokens.input);
    set("output_tokens", &mut tokens.output);
    set("cache_read_input_tokens", &mut tokens.cache_read);
    set("cache_creation_input_tokens", &mut tokens.cache_write);
    let long =
        usage.get("cache_creation").and_then(|part| part.get_number("ephemeral_1h_input_tokens"));
    tokens.cache_write_1h = Some(long.or(tokens.cache_write_1h).unwrap_or_default());
    let thought =
        usage.get("output_tokens_details").and_then(|part| part.get_number("thinking_tokens"));
    tokens.reasoning = thought.or(tokens.reasoning);
    answer.tokens = Some(tokens);
}

/// The order in which Pi writes the usage of this protocol.
pub(super) fn in_order(mut usage: Value) -> Value {
    let Value::Object(members) = &mut usage else { return usage };
    for key in ["cacheWrite1h", "reasoning"] {
        if let Some(value) = members.remove(key) {
            members.set(key, value);
        }
    }
    usage
}
