//! Text as Pi puts it into a request. Requests and samples both take it from here, so that they
//! say the same.

use std::borrow::Cow;

use pitree_format::message::{content_text, is_type, text_block};
use pitree_format::{JsString, Object, Value};

/// What Pi sends for a tool that gave nothing back.
pub(crate) const NO_OUTPUT: &str = "(no tool output)";

/// The text without lone surrogates, which no provider takes.
pub(crate) fn sanitized(text: &JsString) -> JsString {
    match text.as_str() {
        Some(_) => text.clone(),
        None => text.without_lone_surrogates().into_owned().into(),
    }
}

/// Whether there is nothing but white space.
pub(crate) fn is_blank(text: &JsString) -> bool {
    text.trim().is_empty()
}

/// Texts with a separator between them.
pub(crate) fn joined<'a>(
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

/// The type of a block; empty if it has none.
pub(crate) fn kind(block: &Value) -> &str {
    block.get_string("type").and_then(JsString::as_str).unwrap_or_default()
}

/// The blocks of a message. A text alone, which Pi's own messages never are where blocks are
/// wanted, is one block.
pub(crate) fn blocks(message: &Value) -> Cow<'_, [Value]> {
    match message.get("content") {
        Some(Value::Array(blocks)) => Cow::Borrowed(blocks),
        Some(Value::String(text)) => Cow::Owned(vec![text_block(text.clone())]),
        _ => Cow::Borrowed(&[]),
    }
}

/// The texts of the text blocks.
pub(crate) fn block_texts(blocks: &[Value]) -> impl Iterator<Item = &JsString> {
    blocks
        .iter()
        .filter(|block| is_type(block, "text"))
        .filter_map(|block| block.get_string("text"))
}

/// What a reply says: its texts without blank ones. They belong together with nothing between them.
pub(crate) fn reply_texts(blocks: &[Value]) -> Vec<JsString> {
    block_texts(blocks).filter(|text| !is_blank(text)).map(sanitized).collect()
}

/// What a tool gave back, a line for each text; blank if it gave nothing.
pub(crate) fn result_text(blocks: &[Value]) -> JsString {
    joined(block_texts(blocks), "\n")
}

/// The text of a system message: its content, then its sections.
pub(crate) fn system_text(message: &Value) -> JsString {
    let content = content_text(message.get("content"), "\n");
    let sections = sections(message).filter_map(|(_, section)| section.as_string());
    let parts: Vec<&JsString> =
        [&content].into_iter().chain(sections).filter(|part| !part.is_empty()).collect();
    joined(parts, "\n\n")
}

/// The text of a system message in the middle of a conversation: what it changes.
pub(crate) fn system_update_text(message: &Value) -> JsString {
    let mut parts = Vec::new();
    let content = content_text(message.get("content"), "\n");
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

fn sections(message: &Value) -> impl Iterator<Item = (&JsString, &Value)> {
    message.get("sections").and_then(Value::as_object).into_iter().flat_map(Object::iter)
}
