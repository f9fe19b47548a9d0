//! A reader without any hurry: knows the format in its own way, and decodes everything.

use std::collections::BTreeSet;
use std::path::Path;

use pitree_format::js::parse;
use pitree_format::{JsString, Object, Value};
use pitree_session::OpenOptions;
use pitree_testkit::{session, session_v1, session_v2};

use crate::search::environment;

/// Texts by their entry's line, as a reader without any hurry sees them. The flag tells the
/// conversation from the rest.
pub(crate) fn texts(path: &Path) -> Vec<(u64, Vec<(bool, String)>)> {
    let Ok(session) = OpenOptions::new().open(path, &environment()) else { return Vec::new() };
    session.entries().map(|entry| (entry.line(), texts_of(&entry.value().unwrap()))).collect()
}

fn texts_of(entry: &Value) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    let text = |value: Option<&Value>| value.and_then(Value::as_string).map(JsString::to_string);
    let mut add = |said: bool, text: Option<String>| {
        out.extend(text.filter(|text| !text.is_empty()).map(|text| (said, text)));
    };
    let kind = text(entry.get("type")).unwrap_or_default();
    let message = entry.get("message").cloned().unwrap_or(Value::Null);
    let role = text(message.get("role")).unwrap_or_default();
    let (said, content) = match (&*kind, &*role) {
        ("message", "user" | "assistant" | "custom" | "hookMessage") => {
            (true, message.get("content"))
        }
        ("message", "toolResult" | "system") => (false, message.get("content")),
        ("custom_message", _) => (true, entry.get("content")),
        ("context_edit", _) => (true, entry.get("replacement").and_then(|r| r.get("content"))),
        _ => (true, None),
    };
    add(said, text(content));
    for block in content.and_then(Value::as_array).unwrap_or_default() {
        match &*text(block.get("type")).unwrap_or_default() {
            "text" => add(said, text(block.get("text"))),
            "thinking" => add(false, text(block.get("thinking"))),
            "toolCall" => {
                let mut strings = Vec::new();
                collect_strings(block.get("arguments"), &mut strings);
                strings.into_iter().for_each(|string| add(false, Some(string)));
            }
            _ => {}
        }
    }
    match (&*kind, &*role) {
        ("message", "assistant") => add(true, text(message.get("errorMessage"))),
        ("message", "bashExecution") => {
            add(false, text(message.get("command")));
            add(false, text(message.get("output")));
        }
        ("message", "toolResult") => {
            let mut strings = Vec::new();
            collect_details(message.get("details"), &mut strings);
            strings.into_iter().for_each(|string| add(false, Some(string)));
        }
        ("message", "user") => {
            for file in message.get("attachments").and_then(Value::as_array).unwrap_or_default() {
                add(true, text(file.get("fileName")));
                add(true, text(file.get("extractedText")));
            }
        }
        ("message", "system") => {
            let sections = message.get("sections").and_then(Value::as_object);
            for (_, value) in sections.into_iter().flat_map(Object::iter) {
                add(false, text(Some(value)));
            }
        }
        ("message", "branchSummary" | "compactionSummary") => {
            add(true, text(message.get("summary")));
        }
        ("compaction" | "branch_summary", _) => add(true, text(entry.get("summary"))),
        ("label", _) => add(true, text(entry.get("label"))),
        ("session_info", _) => add(true, text(entry.get("name"))),
        _ => {}
    }
    out
}

fn collect_strings(value: Option<&Value>, out: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => out.push(text.to_string()),
        Some(Value::Array(items)) => {
            items.iter().for_each(|item| collect_strings(Some(item), out));
        }
        Some(Value::Object(object)) => {
            object.iter().for_each(|(_, item)| collect_strings(Some(item), out));
        }
        _ => {}
    }
}

/// The same without what is no text.
fn collect_details(value: Option<&Value>, out: &mut Vec<String>) {
    let Some(Value::Object(object)) = value else {
        return match value {
            Some(Value::Array(items)) => {
                items.iter().for_each(|item| collect_details(Some(item), out));
            }
            other => collect_strings(other, out),
        };
    };
    for (name, item) in object.iter() {
        let name = name.to_string();
        let number = ["id", "toolCallId", "responseId", "timestamp", "type", "role", "mimeType"];
        let is_image = name == "data" && object.get("mimeType").is_some();
        if !number.contains(&&*name) && !name.to_lowercase().ends_with("signature") && !is_image {
            collect_details(Some(item), out);
        }
    }
}

pub(crate) fn generated(seed: u64) -> Vec<u8> {
    match seed % 6 {
        0 => session_v1(seed).bytes,
        1 => session_v2(seed).bytes,
        _ => session(seed).bytes,
    }
}

pub(crate) fn has_copies(path: &Path) -> bool {
    let bytes = fs_err::read(path).unwrap();
    let ids: Vec<Option<JsString>> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| parse(line).ok())
        .map(|value| value.get_string("id").cloned())
        .collect();
    let named: Vec<_> = ids.iter().flatten().collect();
    named.iter().collect::<BTreeSet<_>>().len() < named.len() || named.len() < ids.len()
}
