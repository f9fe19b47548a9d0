//! One line of text for an entry, as Pi's tree shows it.

use pitree_format::entry::{Body, Replacement, changed_model};
use pitree_format::js::stringify;
use pitree_format::message::{AssistantMessage, Block, Content, Message};
use pitree_format::{JsString, Value};

use crate::error::Result;
use crate::session::EntryRef;

/// How much of a text is looked at.
const MAX_CHARS: usize = 200;

/// How much more is read, so that it is known in what a text would be cut.
const MAX_AHEAD: usize = 100;

/// How much is shown of what a tool is called with.
const CALL_CHARS: usize = 60;

impl EntryRef<'_> {
    /// A short description: who spoke and the beginning of what was said, or what changed. The
    /// text comes from a file and may hold control characters.
    pub fn outline(&self) -> Result<String> {
        Ok(outline_of(&self.value()?))
    }
}

/// The same for an entry that is at hand as a value.
pub fn outline_of(entry: &Value) -> String {
    outline_cut(entry, &|_, at| at)
}

/// The same, with texts cut only where `cut` allows it: it is given a text and the byte at which
/// it is about to be cut, and gives a byte at or before that one.
pub fn outline_cut(entry: &Value, cut: &dyn Fn(&str, usize) -> usize) -> String {
    Outline { cut }.entry(entry)
}

struct Outline<'c> {
    cut: &'c dyn Fn(&str, usize) -> usize,
}

impl Outline<'_> {
    fn entry(&self, entry: &Value) -> String {
        match Body::decode(entry) {
            Body::Message(message) => self.message(&message),
            Body::ThinkingLevelChange(level) => {
                format!("[thinking: {}]", self.text(level.as_ref()))
            }
            Body::ModelChange { .. } => {
                format!("[model: {}]", self.text(changed_model(entry)))
            }
            Body::Usage { kind, .. } => format!("[usage: {}]", self.text(kind.as_ref())),
            Body::Compaction(compaction) => {
                let tokens = compaction.tokens_before.unwrap_or(0.0);
                format!("[compaction: {}k tokens]", (tokens / 1000.0).round())
            }
            Body::BranchSummary(summary) => {
                format!("[branch summary]: {}", self.first_words(&summary.summary.to_text()))
            }
            Body::Custom { custom_type, .. } => {
                format!("[custom: {}]", self.text(custom_type.as_ref()))
            }
            Body::CustomMessage(message) => {
                let said = message.content.to_text("");
                format!(
                    "[{}]: {}",
                    self.text(message.custom_type.as_ref()),
                    self.first_words(&said)
                )
            }
            Body::ContextEdit { target_id, replacement } => {
                let verb = match replacement {
                    Replacement::Omit => "omit",
                    Replacement::Content(_) => "replace",
                    Replacement::Missing => "edit without effect",
                };
                format!("[context {verb}: {}]", self.text(target_id.as_ref()))
            }
            Body::Label { label, .. } => match label.filter(|label| !label.is_empty()) {
                Some(label) => format!("[label: {label}]"),
                None => "[label: (cleared)]".to_owned(),
            },
            Body::SessionInfo(name) => match name.filter(|name| !name.is_empty()) {
                Some(name) => format!("[title: {name}]"),
                None => "[title: empty]".to_owned(),
            },
            // A kind without a line of its own here has its type for one.
            _ => format!("[{}]", self.text(entry.get_string("type"))),
        }
    }

    fn text(&self, value: Option<&JsString>) -> String {
        value.map(|value| self.first_words(&value.to_text())).unwrap_or_default()
    }

    /// The beginning of a text on one line.
    fn first_words(&self, text: &str) -> String {
        let (mut out, mut end) = (String::new(), None);
        let mut space = false;
        for c in self.beginning(text, MAX_CHARS * 2).chars() {
            if c.is_whitespace() {
                space = !out.is_empty();
                continue;
            }
            if space {
                out.push(' ');
                space = false;
            }
            out.push(c);
            if end.is_none() && out.len() >= MAX_CHARS {
                end = Some(out.len());
            }
            if out.len() >= MAX_CHARS + MAX_AHEAD {
                break;
            }
        }
        if let Some(end) = end {
            out.truncate((self.cut)(&out, end));
            out.push('…');
        }
        out
    }

    fn message(&self, message: &Message) -> String {
        match message {
            Message::System(_) => "[system]".to_owned(),
            Message::User(user) => format!("user: {}", self.or_empty(&user.content)),
            Message::Assistant(assistant) => self.assistant(assistant),
            Message::ToolResult(result) => {
                let failed = if result.is_error { " failed" } else { "" };
                format!(
                    "[{}{failed}]: {}",
                    self.text(result.tool_name.as_ref()),
                    self.first_words(&result.content.to_text(" "))
                )
            }
            Message::BashExecution(bash) => {
                format!("[bash]: {}", self.first_words(&bash.command.to_text()))
            }
            Message::Custom(custom) => {
                let said = custom.content.to_text("");
                format!("[{}]: {}", self.text(custom.custom_type.as_ref()), self.first_words(&said))
            }
            Message::BranchSummary { summary, .. } => {
                format!("[branch summary]: {}", self.first_words(&summary.to_text()))
            }
            Message::CompactionSummary { summary, .. } => {
                format!("[compaction summary]: {}", self.first_words(&summary.to_text()))
            }
            Message::Unknown { role } => format!("[{}]", self.text(role.as_ref())),
            _ => "[message]".to_owned(),
        }
    }

    fn or_empty(&self, content: &Content) -> String {
        let said = self.first_words(&content.to_text(" "));
        if said.is_empty() { "(no content)".to_owned() } else { said }
    }

    fn assistant(&self, assistant: &AssistantMessage) -> String {
        let said = self.first_words(&assistant.content.to_text(" "));
        if !said.is_empty() {
            return format!("assistant: {said}");
        }
        if assistant.stop_reason.as_ref().is_some_and(|stop| *stop == "aborted") {
            return "assistant: (aborted)".to_owned();
        }
        if let Some(error) = &assistant.error_message {
            return format!("assistant: {}", self.first_words(&error.to_text()));
        }
        let calls: Vec<String> =
            assistant.content.blocks().iter().filter_map(|block| self.call(block)).collect();
        if calls.is_empty() { "assistant: (no content)".to_owned() } else { calls.join(" ") }
    }

    /// A tool call: the path or the command where there is one, else its arguments.
    fn call(&self, block: &Block) -> Option<String> {
        let Block::ToolCall { name, arguments, .. } = block else { return None };
        let argument =
            |key| arguments.as_ref().and_then(|a| a.get_string(key)).map(JsString::to_text);
        let what =
            argument("path").or_else(|| argument("command")).map(|text| self.first_words(&text));
        let what = what.unwrap_or_else(|| {
            self.first_words(&stringify(arguments.as_ref().unwrap_or(&Value::Null)))
        });
        let what = self.beginning(&what, CALL_CHARS);
        Some(format!("[{}: {what}]", self.text(name.as_ref())))
    }

    /// At most so many characters of a text.
    fn beginning<'t>(&self, text: &'t str, most: usize) -> &'t str {
        match text.char_indices().nth(most) {
            Some((at, _)) => &text[..(self.cut)(text, at)],
            None => text,
        }
    }
}
