//! Messages of every role but `system`, with the blocks they hold.

use super::text::{free_object, free_value, number, price, some_text, text, word};
use crate::json::{Json, Object, boolean, int, null, raw, string};
use crate::rng::Rng;

/// A role that stands for all those that Pi does not know.
pub(crate) const UNKNOWN_ROLES: [&str; 3] = ["observer", "developer", "notice"];

const MODELS: [(&str, &str, &str); 5] = [
    ("anthropic-messages", "anthropic", "claude-sonnet-4-5"),
    ("openai-responses", "openai", "gpt-5.2"),
    ("openai-completions", "local", "qwen3"),
    ("google-generative-ai", "google", "gemini-3-pro"),
    ("pi-virtual", "router", "auto"),
];

const TOOLS: [&str; 6] = ["bash", "read", "edit", "write", "grep", "ls"];

/// A call that waits for its result.
#[derive(Clone, Debug)]
pub(crate) struct PendingCall {
    pub(crate) id: String,
    pub(crate) tool: &'static str,
}

/// Provider and model name.
pub(crate) fn model(rng: &mut Rng) -> (Json, Json) {
    let (_, provider, model) = rng.pick(&MODELS);
    (string(provider), string(model))
}

/// Evaluates to `Some(value)` in so many percent of the cases.
macro_rules! sometimes {
    ($rng:ident, $percent:expr, $value:expr) => {
        if $rng.chance($percent) { Some(Json::from($value)) } else { None }
    };
}
pub(crate) use sometimes;

pub(crate) fn text_block(rng: &mut Rng) -> Json {
    let content = text(rng);
    Object::typed("text")
        .with("text", content)
        .with_option("textSignature", sometimes!(rng, 8, string(&rng.hex(12))))
        .into()
}

fn image_block(rng: &mut Rng) -> Json {
    Object::typed("image")
        .with("data", string("iVBORw0KGgo="))
        .with("mimeType", string(rng.pick(&["image/png", "image/jpeg"])))
        .into()
}

fn thinking_block(rng: &mut Rng) -> Json {
    let thought = text(rng);
    Object::typed("thinking")
        .with("thinking", thought)
        .with_option("thinkingSignature", sometimes!(rng, 50, string(&rng.hex(16))))
        .with_option("redacted", sometimes!(rng, 8, boolean(true)))
        .into()
}

fn tool_call_block(rng: &mut Rng, call: &PendingCall) -> Json {
    let spoiled = rng.chance(4);
    let arguments = if spoiled { Object::new().into() } else { free_object(rng, 0) };
    Object::typed("toolCall")
        .with("id", string(&call.id))
        .with("name", string(call.tool))
        .with("arguments", arguments)
        .with_option("thoughtSignature", sometimes!(rng, 8, string(&rng.hex(10))))
        .with_option("namespace", sometimes!(rng, 5, string("mcp")))
        .with_option("argumentsError", spoiled.then(|| string("Unexpected end of JSON input")))
        .into()
}

/// Text and image blocks, now and then one of a type that Pi does not know.
pub(crate) fn plain_blocks(rng: &mut Rng) -> Json {
    let count = rng.pick(&[0, 1, 1, 1, 1, 2, 3]);
    let block = |rng: &mut Rng| match rng.below(30) {
        0..=3 => image_block(rng),
        4 => Object::typed("document").with("source", free_value(rng, 2)).into(),
        _ => text_block(rng),
    };
    Json::List((0..count).map(|_| block(rng)).collect())
}

/// String or block content; `None` when the member is missing.
pub(crate) fn content(rng: &mut Rng) -> Option<Json> {
    match rng.below(60) {
        0 => None,
        1 => Some(null()),
        2..=20 => Some(text(rng)),
        _ => Some(plain_blocks(rng)),
    }
}

/// Token counts and prices, sometimes with members missing as in old files.
pub(crate) fn usage(rng: &mut Rng) -> Json {
    let cost = Object::new()
        .with("input", price(rng))
        .with("output", price(rng))
        .with("cacheRead", price(rng))
        .with("cacheWrite", price(rng))
        .with("total", price(rng))
        .with_option("totalFromProvider", sometimes!(rng, 15, boolean(rng.chance(50))));
    Object::new()
        .with("input", number(rng))
        .with("output", number(rng))
        .with("cacheRead", number(rng))
        .with("cacheWrite", number(rng))
        .with_option("cacheWrite1h", sometimes!(rng, 10, number(rng)))
        .with_option("reasoning", sometimes!(rng, 10, number(rng)))
        .with_option("totalTokens", sometimes!(rng, 94, number(rng)))
        .with_option("cost", sometimes!(rng, 94, cost))
        .into()
}

/// The time of a message in milliseconds, rarely spelled oddly, repeated or missing.
fn stamped(object: Object, rng: &mut Rng, time: i64) -> Object {
    match rng.below(120) {
        0 => object,
        1 => object.with("timestamp", number(rng)),
        2 => object.with("timestamp", int(1)).with("timestamp", int(time)),
        _ => object.with("timestamp", int(time)),
    }
}

pub(crate) fn user(rng: &mut Rng, time: i64) -> Object {
    let object = Object::new().with("role", string("user"));
    let content = content(rng);
    let object = match content {
        // A repeated key: the second value counts.
        Some(content) if rng.chance(1) => {
            object.with("content", string("first")).with("content", content)
        }
        content => object.with_option("content", content),
    };
    stamped(object, rng, time)
}

/// An assistant message that makes the given calls.
pub(crate) fn assistant(rng: &mut Rng, time: i64, calls: &[PendingCall]) -> Object {
    let (api, provider, model) = rng.pick(&MODELS);
    let stop = if calls.is_empty() {
        rng.weighted(&[(20, "stop"), (2, "length"), (2, "error"), (2, "aborted"), (1, "deferred")])
    } else {
        "toolUse"
    };
    let object = Object::new()
        .with("role", string("assistant"))
        .with_option("content", assistant_content(rng, calls))
        .with("api", string(api))
        .with("provider", string(provider))
        .with("model", string(model))
        .with_option("responseModel", sometimes!(rng, 6, string("dated-model")))
        .with_option("responseId", sometimes!(rng, 20, string(&rng.hex(12))))
        .with_option("providerThinkingLevel", sometimes!(rng, 5, string("high")))
        .with_option("thinkingLevel", sometimes!(rng, 20, string("medium")))
        .with_option("diagnostics", sometimes!(rng, 3, diagnostics(rng, time)))
        .with_option("usage", sometimes!(rng, 98, usage(rng)))
        .with("stopReason", string(stop))
        .with_option("deferred", (stop == "deferred").then(|| deferred(provider, model, api)))
        .with_option("errorMessage", (stop == "error").then(|| some_text(rng)))
        .with_option("rawStopReason", sometimes!(rng, 4, string("end_turn")))
        .with_option("endTurn", sometimes!(rng, 4, boolean(rng.chance(50))));
    stamped(object, rng, time).with_option("durationMs", sometimes!(rng, 40, number(rng)))
}

fn assistant_content(rng: &mut Rng, calls: &[PendingCall]) -> Option<Json> {
    if calls.is_empty() {
        match rng.below(80) {
            0 => return None,
            1 => return Some(null()),
            2 => return Some(text(rng)),
            3 => return Some(Json::List(Vec::new())),
            _ => {}
        }
    }
    let mut blocks = Vec::new();
    if rng.chance(35) {
        blocks.push(thinking_block(rng));
    }
    if calls.is_empty() || rng.chance(60) {
        blocks.push(text_block(rng));
    }
    blocks.extend(calls.iter().map(|call| tool_call_block(rng, call)));
    Some(Json::List(blocks))
}

fn diagnostics(rng: &mut Rng, time: i64) -> Json {
    let error = Object::new()
        .with("name", string("Error"))
        .with("message", some_text(rng))
        .with_option("code", sometimes!(rng, 50, string("ECONNRESET")));
    let entry = Object::typed("retry")
        .with("timestamp", int(time))
        .with("error", error)
        .with_option("details", sometimes!(rng, 50, free_object(rng, 1)));
    Json::List(vec![entry.into()])
}

fn deferred(provider: &str, model: &str, api: &str) -> Json {
    Object::new()
        .with("provider", string(provider))
        .with("modelId", string(model))
        .with("api", string(api))
        .with("id", string("batch_1"))
        .with("pollAfterMs", int(5000))
        .into()
}

/// A tool call that will be part of the next assistant message.
pub(crate) fn new_call(rng: &mut Rng) -> PendingCall {
    let id = match rng.below(4) {
        0 => format!("call_{}|fc_{}", rng.hex(6), rng.hex(6)),
        _ => format!("toolu_{}", rng.hex(10)),
    };
    PendingCall { id, tool: rng.pick(&TOOLS) }
}

pub(crate) fn tool_result(rng: &mut Rng, time: i64, call: &PendingCall) -> Object {
    let content = match rng.below(60) {
        0 => None,
        1 => Some(null()),
        _ => Some(plain_blocks(rng)),
    };
    let object = Object::new()
        .with("role", string("toolResult"))
        .with("toolCallId", string(&call.id))
        .with("toolName", string(call.tool))
        .with_option("content", content)
        .with_option("details", sometimes!(rng, 30, free_object(rng, 0)))
        .with_option("usage", sometimes!(rng, 4, usage(rng)))
        .with_option("nestedCalls", sometimes!(rng, 4, nested_calls(rng)))
        .with("isError", boolean(rng.chance(10)));
    stamped(object, rng, time).with_option("durationMs", sometimes!(rng, 30, number(rng)))
}

fn nested_calls(rng: &mut Rng) -> Json {
    let call = Object::new()
        .with("id", string(&rng.hex(6)))
        .with("name", string("read"))
        .with_option("arguments", sometimes!(rng, 60, free_object(rng, 1)))
        .with_option("argumentsBytes", sometimes!(rng, 30, number(rng)))
        .with("status", string(rng.pick(&["ok", "error", "unfinished"])))
        .with_option("durationMs", sometimes!(rng, 50, number(rng)))
        .with_option("error", sometimes!(rng, 20, some_text(rng)));
    Object::new()
        .with("calls", Json::List(vec![call.into()]))
        .with("complete", boolean(rng.chance(70)))
        .into()
}

/// A command that the user ran with `!` or `!!`.
pub(crate) fn bash_execution(rng: &mut Rng, time: i64) -> Object {
    let cancelled = rng.chance(12);
    let truncated = rng.chance(15);
    let exit = match rng.below(40) {
        0 => null(),
        1 => number(rng),
        2..=8 => int(rng.between(1, 255) as i64),
        _ => int(0),
    };
    let object = Object::new()
        .with("role", string("bashExecution"))
        .with("command", some_text(rng))
        .with("output", text(rng))
        .with_option("exitCode", (!cancelled || rng.chance(10)).then_some(exit))
        .with("cancelled", boolean(cancelled))
        .with("truncated", boolean(truncated))
        .with_option("fullOutputPath", truncated.then(|| string("/tmp/pi-bash-1.log")));
    stamped(object, rng, time)
        .with_option("excludeFromContext", sometimes!(rng, 20, boolean(rng.chance(80))))
}

/// A message of an extension, under its name of today or that of version 2.
pub(crate) fn extension_message(rng: &mut Rng, time: i64, role: &str) -> Object {
    let object = Object::new()
        .with("role", string(role))
        .with("customType", string(word(rng)))
        .with("content", if rng.chance(50) { text(rng) } else { plain_blocks(rng) })
        .with("display", boolean(rng.chance(70)))
        .with_option("details", sometimes!(rng, 30, free_value(rng, 0)));
    stamped(object, rng, time)
}

/// A message of a role that Pi does not know.
pub(crate) fn unknown_role(rng: &mut Rng, time: i64) -> Object {
    let object = Object::new()
        .with("role", string(rng.pick(&UNKNOWN_ROLES)))
        .with_option("content", content(rng))
        .with_option("extra", sometimes!(rng, 30, free_value(rng, 0)));
    stamped(object, rng, time)
}

/// A summary role, which Pi only makes in memory but would read from a message entry.
pub(crate) fn stored_summary(rng: &mut Rng, time: i64) -> Object {
    let object = if rng.chance(50) {
        Object::new()
            .with("role", string("branchSummary"))
            .with("summary", text(rng))
            .with("fromId", string("root"))
    } else {
        Object::new()
            .with("role", string("compactionSummary"))
            .with("summary", text(rng))
            .with("tokensBefore", raw("1000"))
    };
    stamped(object, rng, time)
}
