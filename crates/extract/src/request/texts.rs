//! Text as Pi puts it into a request.

use pitree_format::{JsString, Object, Value};

/// The text without lone surrogates, which no provider takes.
pub(super) fn sanitized(text: &JsString) -> JsString {
    if text.as_str().is_some() {
        return text.clone();
    }
    char::decode_utf16(text.utf16_units()).filter_map(Result::ok).collect::<String>().into()
}

/// Whether there is nothing but white space.
pub(super) fn is_blank(text: &JsString) -> bool {
    text.trim().is_empty()
}

/// Texts with a separator between them.
pub(super) fn joined<'a>(
    texts: impl IntoIterator<Item = &'a JsString>,
    separator: &str,
) -> JsString {
    let mut result = JsString::new();
    for (at, text) in texts.into_iter().enumerate() {
        if at > 0 {
            result.push_str(separator);
        }
        result.push(text);
    }
    result
}

/// Whether a block or a message is of a type.
pub(super) fn is_type(block: &Value, name: &str) -> bool {
    block.get_string("type").is_some_and(|kind| *kind == *name)
}

/// Whether a message has a role.
pub(super) fn has_role(message: &Value, name: &str) -> bool {
    message.get_string("role").is_some_and(|role| *role == *name)
}

/// The blocks of a message. A text alone, which Pi's own messages never are where blocks are
/// wanted, is one block.
pub(super) fn blocks(message: &Value) -> Vec<Value> {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::String(text)) => vec![text_block(text.clone())],
        _ => Vec::new(),
    }
}

/// The texts of the text blocks.
pub(super) fn block_texts(blocks: &[Value]) -> impl Iterator<Item = &JsString> {
    blocks
        .iter()
        .filter(|block| is_type(block, "text"))
        .filter_map(|block| block.get_string("text"))
}

/// A text block, which has the same form in Pi's messages and in requests.
pub(super) fn text_block(text: impl Into<Value>) -> Value {
    Object::new().with("type", "text").with("text", text).into()
}

/// The text of a system message: its content, then its sections.
pub(super) fn system_text(message: &Value) -> JsString {
    let content = content_text(message);
    let sections = sections(message).filter_map(|(_, section)| section.as_string());
    let parts: Vec<&JsString> =
        [&content].into_iter().chain(sections).filter(|part| !part.is_empty()).collect();
    joined(parts, "\n\n")
}

/// The text of a system message in the middle of a conversation: what it changes.
pub(super) fn system_update_text(message: &Value) -> JsString {
    let mut parts = Vec::new();
    let content = content_text(message);
    if !content.is_empty() {
        parts.push(content);
    }
    for (name, section) in sections(message) {
        let (before, after) = match section {
            Value::Null => ("Removed system prompt section \"", "\"."),
            _ => ("Updated system prompt section \"", "\":\n\n"),
        };
        let mut part = JsString::from(before);
        part.push(name);
        part.push_str(after);
        if let Some(text) = section.as_string() {
            part.push(text);
        }
        parts.push(part);
    }
    joined(&parts, "\n\n")
}

fn content_text(message: &Value) -> JsString {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => joined(block_texts(blocks), "\n"),
        _ => JsString::new(),
    }
}

fn sections(message: &Value) -> impl Iterator<Item = (&JsString, &Value)> {
    message.get("sections").and_then(Value::as_object).into_iter().flat_map(Object::iter)
}
