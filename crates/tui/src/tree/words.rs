//! What an entry says: in its row, to a search, to the clipboard.
//!
//! The words are Pi's. Text of the session is made harmless here, so a [`RowText`] can be drawn as
//! it is.

use pitree_export::harmless::clean_line;
use pitree_format::entry::{Body, Replacement, changed_model};
use pitree_format::message::{AssistantMessage, Content, Message};
use pitree_format::{JsString, Value};

use super::calls::{call_in_brief, number_in_words};

/// How much of a message is looked at, in UTF-16 units.
const MOST_OF_A_MESSAGE: usize = 200;
/// How much of an error is shown.
const MOST_OF_AN_ERROR: usize = 80;

/// How a piece of a row is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowTone {
    /// What somebody said.
    Plain,
    /// The name of the user.
    User,
    /// The name of the assistant.
    Assistant,
    /// Tool calls and remarks.
    Muted,
    /// Bookkeeping.
    Dim,
    /// What went wrong.
    Error,
    /// Labels and summaries.
    Warning,
    /// The name of an extension's message.
    Extension,
    /// A compaction.
    Compaction,
}

/// A harmless text in one tone, without line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowText {
    /// How it is coloured.
    pub tone: RowTone,
    /// The text.
    pub text: String,
}

impl RowText {
    /// Makes text of a session harmless.
    pub fn new(tone: RowTone, text: &str) -> Self {
        Self { tone, text: clean_line(text).into_owned() }
    }
}

/// What the row of an entry says. `call` finds the tool call with an id: its name and arguments.
pub(super) fn row_pieces(
    entry: &Value,
    home: &str,
    call: impl FnOnce(&JsString) -> Option<(JsString, Value)>,
) -> Vec<RowText> {
    let dim = |text: String| vec![RowText::new(RowTone::Dim, &text)];
    match Body::decode(entry) {
        Body::Message(message) => message_pieces(entry, &message, home, call),
        Body::CustomMessage(message) => named(
            RowTone::Extension,
            &format!("[{}]: ", text(message.custom_type.as_ref())),
            &one_line(&message.content.to_js_text()),
        ),
        Body::Compaction(compaction) => {
            // JavaScript rounds halves up.
            let thousands = (compaction.tokens_before.unwrap_or(0.0) / 1000.0 + 0.5).floor();
            let words = format!("[compaction: {}k tokens]", number_in_words(thousands));
            vec![RowText::new(RowTone::Compaction, &words)]
        }
        Body::BranchSummary(summary) => {
            named(RowTone::Warning, "[branch summary]: ", &one_line(&summary.summary))
        }
        Body::ModelChange { .. } => match changed_model(entry) {
            Some(model) => dim(format!("[model: {model}]")),
            None => dim("[model]".to_owned()),
        },
        Body::ThinkingLevelChange(level) => dim(format!("[thinking: {}]", text(level.as_ref()))),
        Body::Custom { custom_type, .. } => {
            dim(format!("[custom: {}]", text(custom_type.as_ref())))
        }
        Body::ContextEdit { target_id, replacement } => {
            let verb = edit_verb(&replacement);
            dim(format!("[context {verb}: {}]", text(target_id.as_ref())))
        }
        Body::Label { label: Some(label), .. } => dim(format!("[label: {label}]")),
        Body::Label { label: None, .. } => dim("[label: (cleared)]".to_owned()),
        Body::SessionInfo(name) => match name.filter(|name| !name.is_empty()) {
            Some(name) => dim(format!("[title: {name}]")),
            None => dim("[title: empty]".to_owned()),
        },
        Body::Usage { kind, .. } | Body::Unknown { kind } => {
            dim(format!("[{}]", text(kind.as_ref())))
        }
        _ => dim(format!("[{}]", text(entry.get_string("type")))),
    }
}

fn message_pieces(
    entry: &Value,
    message: &Message,
    home: &str,
    call: impl FnOnce(&JsString) -> Option<(JsString, Value)>,
) -> Vec<RowText> {
    match message {
        Message::User(user) => named(RowTone::User, "user: ", &beginning(&user.content)),
        Message::Assistant(assistant) => assistant_pieces(assistant),
        Message::ToolResult(result) => {
            let id = result.tool_call_id.as_ref().filter(|id| !id.is_empty());
            let words = match id.and_then(call) {
                Some((name, arguments)) => call_in_brief(&name, &arguments, home),
                None => match &result.tool_name {
                    Some(name) => format!("[{name}]"),
                    None => "[tool]".to_owned(),
                },
            };
            vec![RowText::new(RowTone::Muted, &words)]
        }
        Message::BashExecution(bash) => {
            vec![RowText::new(RowTone::Dim, &format!("[bash]: {}", one_line(&bash.command)))]
        }
        // Pi shows the role alone, as if nothing had been said.
        Message::Custom(custom) => named(
            RowTone::Extension,
            &format!("[{}]: ", text(custom.custom_type.as_ref())),
            &beginning(&custom.content),
        ),
        Message::BranchSummary { summary, .. } => {
            named(RowTone::Warning, "[branch summary]: ", &beginning_of(summary))
        }
        Message::CompactionSummary { summary, .. } => {
            named(RowTone::Compaction, "[compaction summary]: ", &beginning_of(summary))
        }
        _ => {
            vec![RowText::new(RowTone::Dim, &format!("[{}]", text(role(entry))))]
        }
    }
}

fn assistant_pieces(assistant: &AssistantMessage) -> Vec<RowText> {
    let said = beginning(&assistant.content);
    let (tone, words) = if !said.is_empty() {
        (RowTone::Plain, said)
    } else if assistant.stop_reason.as_ref().is_some_and(|reason| *reason == "aborted") {
        (RowTone::Muted, "(aborted)".to_owned())
    } else if let Some(error) = assistant.error_message.as_ref().filter(|error| !error.is_empty()) {
        let error = JsString::from(one_line(error)).utf16_prefix(MOST_OF_AN_ERROR);
        (RowTone::Error, error.to_text().into_owned())
    } else {
        (RowTone::Muted, "(no content)".to_owned())
    };
    vec![RowText::new(RowTone::Assistant, "assistant: "), RowText::new(tone, &words)]
}

fn named(tone: RowTone, name: &str, said: &str) -> Vec<RowText> {
    vec![RowText::new(tone, name), RowText::new(RowTone::Plain, said)]
}

fn role(entry: &Value) -> Option<&JsString> {
    entry.get("message").and_then(|message| message.get_string("role"))
}

fn edit_verb(replacement: &Replacement) -> &'static str {
    match replacement {
        Replacement::Omit => "omit",
        Replacement::Content(_) | Replacement::Missing => "replace",
    }
}

fn text(value: Option<&JsString>) -> String {
    value.map(JsString::to_string).unwrap_or_default()
}

fn beginning(content: &Content) -> String {
    one_line(&first_units(content))
}

fn beginning_of(said: &JsString) -> String {
    one_line(&said.utf16_prefix(MOST_OF_A_MESSAGE))
}

fn first_units(content: &Content) -> JsString {
    content.to_js_text().utf16_prefix(MOST_OF_A_MESSAGE)
}

/// A text on one line, without white space around it.
fn one_line(text: &JsString) -> String {
    let flat = text.to_text().replace(['\n', '\t'], " ");
    JsString::from(flat).trim().to_text().into_owned()
}

/// What a search looks through, in lower case; the label is beside it.
pub(super) fn search_text(entry: &Value) -> String {
    let parts: Vec<String> = match Body::decode(entry) {
        Body::Message(message) => message_search_parts(entry, &message),
        Body::CustomMessage(message) => {
            let is_plain = matches!(message.content, Content::Text(_));
            let said = message.content.to_js_text();
            let said = if is_plain { said } else { said.utf16_prefix(MOST_OF_A_MESSAGE) };
            vec![text(message.custom_type.as_ref()), said.to_string()]
        }
        Body::Compaction(_) => vec!["compaction".to_owned()],
        Body::BranchSummary(summary) => {
            vec!["branch summary".to_owned(), summary.summary.to_string()]
        }
        Body::SessionInfo(name) => vec!["title".to_owned(), text(name.as_ref())],
        Body::ModelChange { .. } => vec!["model".to_owned(), text(changed_model(entry))],
        Body::ThinkingLevelChange(level) => vec!["thinking".to_owned(), text(level.as_ref())],
        Body::Custom { custom_type, .. } => vec!["custom".to_owned(), text(custom_type.as_ref())],
        Body::ContextEdit { target_id, replacement } => {
            let verb = edit_verb(&replacement).to_owned();
            vec!["context edit".to_owned(), verb, text(target_id.as_ref())]
        }
        Body::Label { label, .. } => vec!["label".to_owned(), text(label.as_ref())],
        _ => Vec::new(),
    };
    parts.join(" ").to_lowercase()
}

fn message_search_parts(entry: &Value, message: &Message) -> Vec<String> {
    let content = entry.get("message").and_then(|message| message.get("content"));
    let said = first_units(&Content::decode(content)).to_string();
    let mut parts = vec![text(role(entry)), said];
    match message {
        Message::BashExecution(bash) => parts.push(bash.command.to_string()),
        Message::BranchSummary { summary, .. } => {
            parts.extend(["branch summary".to_owned(), summary.to_string()]);
        }
        Message::CompactionSummary { summary, .. } => {
            parts.extend(["compaction summary".to_owned(), summary.to_string()]);
        }
        _ => {}
    }
    parts
}

/// What is copied from an entry: all it says, if it says something.
pub fn copy_text(entry: &Value) -> Option<String> {
    let said = match Body::decode(entry) {
        Body::Message(Message::BashExecution(bash)) => bash.command,
        Body::Message(
            Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. },
        ) => summary,
        Body::Message(message) => {
            let content = entry.get("message").and_then(|message| message.get("content"));
            let said = Content::decode(content).to_js_text();
            match message {
                Message::Assistant(assistant) if said.is_empty() => {
                    assistant.error_message.unwrap_or_default()
                }
                _ => said,
            }
        }
        Body::CustomMessage(message) => message.content.to_js_text(),
        Body::Compaction(compaction) => compaction.summary,
        Body::BranchSummary(summary) => summary.summary,
        _ => return None,
    };
    (!said.trim().is_empty()).then(|| said.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_model_names_it_also_as_oh_my_pi_does() {
        for (members, row, searched) in [
            (r#""provider":"zai","modelId":"glm-5.2""#, "[model: glm-5.2]", "model glm-5.2"),
            (r#""model":"zai/glm-5.2""#, "[model: zai/glm-5.2]", "model zai/glm-5.2"),
            (r#""provider":"zai""#, "[model]", "model "),
        ] {
            let entry = format!(r#"{{"type":"model_change","id":"a1","parentId":null,{members}}}"#);
            let entry: Value = entry.parse().unwrap();
            let rows = row_pieces(&entry, "", |_| None);
            assert_eq!(rows, [RowText::new(RowTone::Dim, row)]);
            assert_eq!(search_text(&entry), searched);
        }
    }
}
