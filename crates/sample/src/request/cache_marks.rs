//! Marks for providers that cache a prompt only up to where they are told.

use std::sync::Arc;

use pitree_format::message::{is_type, text_block};
use pitree_format::{Object, Value};

use super::target::{CacheRetention, Compat};

/// The mark that a request to this endpoint carries, if any.
pub(super) fn mark(compat: &Compat, retention: CacheRetention) -> Option<Value> {
    if !compat.cache_marks || retention == CacheRetention::None {
        return None;
    }
    let is_long = retention == CacheRetention::Long && compat.long_cache;
    Some(Object::new().with("type", "ephemeral").with_some("ttl", is_long.then_some("1h")).into())
}

/// Marks the system prompt, the last tool and the last message that has text.
pub(super) fn set(messages: &mut [Arc<Value>], tools: Option<&mut Vec<Value>>, mark: &Value) {
    let is_prompt = |message: &Value| {
        message.get_string("role").is_some_and(|role| *role == *"system" || *role == *"developer")
    };
    if let Some(prompt) = messages.iter_mut().find(|message| is_prompt(message)) {
        mark_text(prompt, mark);
    }
    if let Some(Value::Object(tool)) = tools.and_then(|tools| tools.last_mut()) {
        tool.set("cache_control", mark.clone());
    }
    for message in messages.iter_mut().rev().filter(|message| !is_prompt(message)) {
        if mark_text(message, mark) {
            break;
        }
    }
}

/// Marks the last text of a message. `false` if it has none.
fn mark_text(message: &mut Arc<Value>, mark: &Value) -> bool {
    let can_be_marked = match message.get("content") {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => parts.iter().any(|part| is_type(part, "text")),
        _ => false,
    };
    if !can_be_marked {
        return false;
    }
    // The unmarked message may belong to other requests too, so this one gets its own.
    let Some(object) = Arc::make_mut(message).as_object_mut() else { return false };
    let Some(content) = object.get_mut("content") else { return false };
    if let Value::String(text) = content {
        *content = vec![text_block(text.clone())].into();
    }
    if let Value::Array(parts) = content
        && let Some(Value::Object(part)) = parts.iter_mut().rev().find(|part| is_type(part, "text"))
    {
        part.set("cache_control", mark.clone());
    }
    true
}
