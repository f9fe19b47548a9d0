//! One line of text for an entry, as Pi's tree shows it.

use pitree_format::entry::{Body, Replacement};
use pitree_format::js::stringify;
use pitree_format::message::{AssistantMessage, Block, Content, Message};
use pitree_format::{JsString, Value};

use crate::error::SessionError;
use crate::session::EntryRef;

/// How much of a text is looked at.
const MAX_CHARS: usize = 200;

impl EntryRef<'_> {
    /// A short description: who spoke and the beginning of what was said, or what changed. The
    /// text comes from a file and may hold control characters.
    pub fn outline(&self) -> Result<String, SessionError> {
        Ok(outline_of(&self.value()?))
    }
}

/// The same for an entry that is at hand as a value.
pub fn outline_of(entry: &Value) -> String {
    match Body::decode(entry) {
        Body::Message(message) => message_outline(&message),
        Body::ThinkingLevelChange(level) => format!("[thinking: {}]", text(level.as_ref())),
        Body::ModelChange { model_id, .. } => format!("[model: {}]", text(model_id.as_ref())),
        Body::Usage { kind, .. } => format!("[usage: {}]", text(kind.as_ref())),
        Body::Compaction(compaction) => {
            let tokens = compaction.tokens_before.unwrap_or(0.0);
            format!("[compaction: {}k tokens]", (tokens / 1000.0).round())
        }
        Body::BranchSummary(summary) => {
            format!("[branch summary]: {}", first_words(&summary.summary.to_text()))
        }
        Body::Custom { custom_type, .. } => format!("[custom: {}]", text(custom_type.as_ref())),
        Body::CustomMessage(message) => {
            let said = message.content.to_text("");
            format!("[{}]: {}", text(message.custom_type.as_ref()), first_words(&said))
        }
        Body::ContextEdit { target_id, replacement } => {
            let verb = match replacement {
                Replacement::Omit => "omit",
                Replacement::Content(_) => "replace",
                Replacement::Missing => "edit without effect",
            };
            format!("[context {verb}: {}]", text(target_id.as_ref()))
        }
        Body::Label { label, .. } => match label.filter(|label| !label.is_empty()) {
            Some(label) => format!("[label: {label}]"),
            None => "[label: (cleared)]".to_owned(),
        },
        Body::SessionInfo(name) => match name.filter(|name| !name.is_empty()) {
            Some(name) => format!("[title: {name}]"),
            None => "[title: empty]".to_owned(),
        },
        Body::Unknown { kind } => format!("[{}]", text(kind.as_ref())),
    }
}

fn text(value: Option<&JsString>) -> String {
    value.map(|value| first_words(&value.to_text())).unwrap_or_default()
}

/// The beginning of a text on one line.
fn first_words(text: &str) -> String {
    let mut out = String::new();
    let mut space = false;
    for c in text.chars().take(MAX_CHARS * 2) {
        if c.is_whitespace() {
            space = !out.is_empty();
            continue;
        }
        if space {
            out.push(' ');
            space = false;
        }
        out.push(c);
        if out.len() >= MAX_CHARS {
            out.push('…');
            break;
        }
    }
    out
}

fn message_outline(message: &Message) -> String {
    match message {
        Message::System(_) => "[system]".to_owned(),
        Message::User(user) => format!("user: {}", or_empty(&user.content)),
        Message::Assistant(assistant) => assistant_outline(assistant),
        Message::ToolResult(result) => {
            let failed = if result.is_error { " failed" } else { "" };
            format!(
                "[{}{failed}]: {}",
                text(result.tool_name.as_ref()),
                first_words(&result.content.to_text(" "))
            )
        }
        Message::BashExecution(bash) => format!("[bash]: {}", first_words(&bash.command.to_text())),
        Message::Custom(custom) => {
            let said = custom.content.to_text("");
            format!("[{}]: {}", text(custom.custom_type.as_ref()), first_words(&said))
        }
        Message::BranchSummary { summary, .. } => {
            format!("[branch summary]: {}", first_words(&summary.to_text()))
        }
        Message::CompactionSummary { summary, .. } => {
            format!("[compaction summary]: {}", first_words(&summary.to_text()))
        }
        Message::Unknown { role } => format!("[{}]", text(role.as_ref())),
    }
}

fn or_empty(content: &Content) -> String {
    let said = first_words(&content.to_text(" "));
    if said.is_empty() { "(no content)".to_owned() } else { said }
}

fn assistant_outline(assistant: &AssistantMessage) -> String {
    let said = first_words(&assistant.content.to_text(" "));
    if !said.is_empty() {
        return format!("assistant: {said}");
    }
    if assistant.stop_reason.as_ref().is_some_and(|stop| *stop == "aborted") {
        return "assistant: (aborted)".to_owned();
    }
    if let Some(error) = &assistant.error_message {
        return format!("assistant: {}", first_words(&error.to_text()));
    }
    let calls: Vec<String> = assistant.content.blocks().iter().filter_map(call_outline).collect();
    if calls.is_empty() { "assistant: (no content)".to_owned() } else { calls.join(" ") }
}

/// A tool call: the path or the command where there is one, else its arguments.
fn call_outline(block: &Block) -> Option<String> {
    let Block::ToolCall { name, arguments, .. } = block else { return None };
    let argument = |key| arguments.as_ref().and_then(|a| a.get_string(key)).map(JsString::to_text);
    let what = argument("path").or_else(|| argument("command")).map(|text| first_words(&text));
    let what =
        what.unwrap_or_else(|| first_words(&stringify(arguments.as_ref().unwrap_or(&Value::Null))));
    let what: String = what.chars().take(60).collect();
    Some(format!("[{}: {what}]", text(name.as_ref())))
}
