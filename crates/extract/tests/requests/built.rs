//! Messages that are built by `pitree_format::compose` are those that the real Pi stores.

use std::collections::BTreeMap;

use pitree_format::message::{AssistantMessage, BashExecution, Block, ToolResultMessage};
use pitree_format::{JsString, Message, NewMessage, Value};
use pitree_session::{Environment, Session};

use crate::requests::recording::Recording;

/// Builds every message of the recorded sessions again, and counts them by role.
pub(crate) fn rebuild(recording: &Recording, counts: &mut BTreeMap<String, usize>) {
    let environment = Environment::new("/", "/", || 0, |_| {});
    for file in recording.files() {
        let session = Session::open(&file, &environment).unwrap();
        for entry in session.entries() {
            let Some(stored) = entry.message().unwrap() else { continue };
            let Some(built) = build(&stored) else { continue };
            assert_eq!(built.into_value(0).to_string(), stored.to_string());
            *counts.entry(entry.role().name().to_owned()).or_default() += 1;
        }
    }
}

fn build(stored: &Value) -> Option<NewMessage> {
    let blocks = || stored.get("content").and_then(Value::as_array).unwrap_or_default().iter();
    let first = blocks().next().map(Block::decode);
    match Message::decode(stored) {
        // What is nothing, or begins with an image, is not built.
        Message::User(_) | Message::ToolResult(_) if !matches!(first, Some(Block::Text { .. })) => {
            None
        }
        Message::User(user) => {
            let draft = Message::user(first_text(&user.content.blocks()[0]));
            let draft = blocks().skip(1).fold(draft, |draft, block| {
                let part = |name| block.get_string(name).unwrap();
                draft.image(part("data"), part("mimeType"))
            });
            Some(draft.timestamp(user.timestamp.unwrap() as i64).into())
        }
        // Pi has another order for what failed before it was sent.
        Message::Assistant(_) if precedes(stored, "errorMessage", "timestamp") => None,
        Message::Assistant(reply) => Some(build_reply(*reply, blocks())),
        Message::ToolResult(result) => Some(build_result(*result, blocks())),
        Message::BashExecution(bash) => Some(build_bash(bash)),
        _ => None,
    }
}

fn precedes(stored: &Value, first: &str, second: &str) -> bool {
    let place = |name: &str| stored.as_object()?.iter().position(|(key, _)| *key == name);
    place(first).is_some_and(|first| place(second).is_some_and(|second| first < second))
}

fn first_text(block: &Block) -> JsString {
    let Block::Text { text, .. } = block else { panic!("{block:?}") };
    text.clone()
}

fn build_reply<'a>(reply: AssistantMessage, blocks: impl Iterator<Item = &'a Value>) -> NewMessage {
    let mut draft = Message::assistant(reply.provider.unwrap(), reply.model.unwrap())
        .api(reply.api.unwrap())
        .usage(reply.usage.unwrap())
        .timestamp(reply.timestamp.unwrap() as i64);
    for block in blocks {
        draft = match Block::decode(block) {
            Block::Text { text, signature: None } => draft.text(text),
            Block::Thinking { thinking, signature: None, redacted: false } => {
                draft.thinking(thinking)
            }
            Block::Thinking { thinking, signature: Some(signature), redacted: false } => {
                draft.signed_thinking(thinking, signature)
            }
            Block::ToolCall { id, name, arguments, arguments_error: None, .. } => {
                draft.tool_call(id.unwrap(), name.unwrap(), arguments.unwrap())
            }
            _ => draft.block(block.clone()),
        };
    }
    // What the builder finds out by itself is not told.
    let usual = ["stop", "toolUse", "error"];
    let reason = reply.stop_reason.unwrap();
    if !usual.iter().any(|usual| reason == *usual) {
        draft = draft.stop_reason(reason);
    }
    if let Some(id) = reply.response_id {
        draft = draft.response_id(id);
    }
    if let Some(model) = reply.response_model {
        draft = draft.response_model(model);
    }
    if let Some(message) = reply.error_message {
        draft = draft.error_message(message);
    }
    if let Some(reason) = reply.raw_stop_reason {
        draft = draft.raw_stop_reason(reason);
    }
    if let Some(level) = reply.thinking_level {
        draft = draft.thinking_level(level);
    }
    if let Some(ms) = reply.duration_ms {
        draft = draft.duration_ms(ms as i64);
    }
    draft.into()
}

fn build_result<'a>(
    result: ToolResultMessage,
    blocks: impl Iterator<Item = &'a Value>,
) -> NewMessage {
    let text = first_text(&result.content.blocks()[0]);
    let mut draft =
        Message::tool_result(result.tool_call_id.unwrap(), result.tool_name.unwrap(), text)
            .error(result.is_error)
            .timestamp(result.timestamp.unwrap() as i64);
    for block in blocks.skip(1) {
        let part = |name| block.get_string(name).unwrap();
        draft = draft.image(part("data"), part("mimeType"));
    }
    if let Some(details) = result.details {
        draft = draft.details(details);
    }
    if let Some(ms) = result.duration_ms {
        draft = draft.duration_ms(ms as i64);
    }
    draft.into()
}

fn build_bash(bash: BashExecution) -> NewMessage {
    let mut draft = Message::bash(bash.command, bash.output).cancelled(bash.cancelled);
    draft = draft.timestamp(bash.timestamp.unwrap() as i64);
    if let Some(code) = bash.exit_code {
        draft = draft.exit_code(code as i32);
    }
    if let Some(path) = bash.full_output_path {
        draft = draft.full_output_path(path);
    }
    if bash.exclude_from_context {
        draft = draft.exclude_from_context();
    }
    draft.into()
}
