//! A conversation as plain text, so that the model reads it and does not go on with it.

use pitree_format::js::stringify;
use pitree_format::message::{content_text, is_type};
use pitree_format::{JsString, Object, Role, Value};

use crate::context::{interpolated, to_llm};

/// How much of a tool's output a summary is made from, in UTF-16 units.
const TOOL_RESULT_UNITS: usize = 2000;

/// Writes messages as text, one part for what was said, called or answered. Thinking is left out.
/// Lone surrogates become U+FFFD, since no model is sent such a thing. Pi's
/// `serializeConversation`, after its `convertToLlm`.
pub fn serialize_conversation(messages: &[Value]) -> String {
    let mut text = String::new();
    for message in &to_llm(messages) {
        match Role::of(message) {
            Role::User => {
                let said = content_text(message.get("content"), "");
                if !said.is_empty() {
                    push_part(&mut text, "[User]: ", &said.to_text());
                }
            }
            Role::Assistant => push_assistant(&mut text, message),
            Role::ToolResult => {
                let output = content_text(message.get("content"), "");
                if !output.is_empty() {
                    push_part(&mut text, "[Tool result]: ", &shortened(output).to_text());
                }
            }
            _ => {}
        }
    }
    text
}

fn push_part(text: &mut String, name: &str, part: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(name);
    text.push_str(part);
}

fn push_assistant(text: &mut String, message: &Value) {
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
    if blocks.iter().any(|block| is_type(block, "text")) {
        push_part(text, "[Assistant]: ", &content_text(message.get("content"), "\n").to_text());
    }
    let mut calls = String::new();
    for block in blocks.iter().filter(|block| is_type(block, "toolCall")) {
        if !calls.is_empty() {
            calls.push_str("; ");
        }
        calls.push_str(&interpolated(block.get("name")).to_text());
        calls.push('(');
        let arguments = block.get("arguments").and_then(Value::as_object);
        for (at, (name, value)) in arguments.into_iter().flat_map(Object::iter).enumerate() {
            if at > 0 {
                calls.push_str(", ");
            }
            calls.push_str(&name.to_text());
            calls.push('=');
            calls.push_str(&stringify(value));
        }
        calls.push(')');
    }
    if !calls.is_empty() {
        push_part(text, "[Assistant tool calls]: ", &calls);
    }
}

fn shortened(output: JsString) -> JsString {
    let units = output.utf16_len();
    if units <= TOOL_RESULT_UNITS {
        return output;
    }
    let mut short = output.utf16_prefix(TOOL_RESULT_UNITS);
    short.push_str(&format!("\n\n[... {} more characters truncated]", units - TOOL_RESULT_UNITS));
    short
}
