//! What a page is to leave out: it is taken from a copy of the session before anything is made of
//! it, so that no part of the page can have it.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use pitree_export::ExportError;
use pitree_export::harmless::clean_beginning;
use pitree_export::nodes::TELLING;
use pitree_format::js::stringify;
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::{OpenOptions, Session};

use crate::ToolDetail;
use crate::page_file::PageFile;

/// The length of what a line says a tool was called with.
const LINE_CHARS: usize = 120;

/// The types of blocks that call a tool: Pi's own, and those that other programs leave in details.
const CALLS: [&str; 5] = ["toolCall", "tool_call", "tool_use", "toolUse", "function_call"];

/// The types and roles of what a tool gave back.
const RESULTS: [&str; 5] =
    ["toolResult", "tool_result", "tool", "function_call_output", "bashExecution"];

/// The types of blocks that are reasoning.
const THINKING: [&str; 3] = ["thinking", "redacted_thinking", "reasoning"];

/// The members that hold reasoning, or what a provider made of it.
const SIGNATURES: [&str; 2] = ["thinkingSignature", "thoughtSignature"];
const REASONING: [&str; 4] = ["reasoning", "reasoning_content", "reasoning_details", "thinking"];

/// The types of blocks that are images.
const IMAGES: [&str; 4] = ["image", "image_url", "input_image", "output_image"];

/// The names of the media type.
const MEDIA: [&str; 4] = ["mimeType", "mime_type", "media_type", "mediaType"];

/// How the address of an image begins that is the image itself.
const DATA_IMAGE: &str = "data:image/";

/// What is left out of a page.
#[derive(Clone, Copy)]
pub(crate) struct LeftOut {
    images: bool,
    thinking: bool,
    tools: ToolDetail,
}

impl LeftOut {
    pub(crate) fn of(page: &PageFile) -> Self {
        Self { images: !page.images, thinking: !page.thinking, tools: page.tools }
    }

    pub(crate) fn is_nothing(self) -> bool {
        !self.images && !self.thinking && self.tools == ToolDetail::Full
    }

    /// The session without it: every entry is there, at its place.
    pub(crate) fn copy(self, session: &Session) -> Result<Session, ExportError> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        writeln!(file, "{}", stringify(session.header_value()))?;
        for entry in session.entries() {
            let mut value = entry.value()?;
            self.take_from_edit(session, &mut value);
            self.take_from(&mut value);
            writeln!(file, "{}", stringify(&value))?;
        }
        let mut file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        let path = session.path().unwrap_or(Path::new("session.jsonl"));
        let options = OpenOptions::new().cwd(session.cwd()).lenient(true);
        let mut copy = options.open_copy(file, path, session.environment())?;
        if copy.len() != session.len() {
            let message = "The session could not be copied entry by entry";
            return Err(std::io::Error::other(message).into());
        }
        match session.leaf_id() {
            Some(leaf) => copy.branch(leaf)?,
            None => copy.reset_leaf(),
        }
        Ok(copy)
    }

    /// The same message without it.
    pub(crate) fn message(self, message: &Value) -> Value {
        let mut message = message.clone();
        self.take_from(&mut message);
        message
    }

    /// What replaces the output of a tool is output too.
    fn take_from_edit(self, session: &Session, entry: &mut Value) {
        if self.tools == ToolDetail::Full {
            return;
        }
        let target = entry.get_string("targetId").and_then(|id| session.entry(id));
        let is_output = target.is_some_and(|target| {
            target.is_message(Role::ToolResult) || target.is_message(Role::BashExecution)
        });
        let replacement = entry.as_object_mut().filter(|_| is_output);
        if let Some(Value::Object(new)) = replacement.and_then(|it| it.get_mut("replacement"))
            && new.get("content").is_some()
        {
            new.set("content", Vec::<Value>::new().into());
        }
    }

    fn take_from(self, value: &mut Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) if self.images => {
                    if let Some(without) = without_images(&text.to_text()) {
                        *text = without.into();
                    }
                }
                Value::Array(items) => {
                    if self.thinking && items.iter().any(is_thinking) {
                        let kept: Vec<Value> =
                            items.iter().filter(|item| !is_thinking(item)).cloned().collect();
                        *items = kept.into();
                    }
                    open.extend(items.iter_mut());
                }
                // Kept as text, since nothing goes that deep: it is not looked through.
                Value::Deep(_) => *value = Value::Null,
                Value::Object(object) => {
                    self.take_from_object(object);
                    open.extend(object.iter_mut().map(|(_, value)| value));
                }
                _ => {}
            }
        }
    }

    fn take_from_object(self, object: &mut Object) {
        let name_of = |name: &str| object.get(name).and_then(Value::as_string).cloned();
        let (kind, role) = (name_of("type"), name_of("role"));
        let is = |names: &[&str]| {
            [&kind, &role].into_iter().flatten().any(|it| names.iter().any(|name| *it == **name))
        };
        if self.images && (is(&IMAGES) || is_of_an_image(object)) {
            keep(object, &["type", "id", "name", "fileName", "mimeType"]);
        }
        if self.thinking {
            SIGNATURES.iter().for_each(|name| drop(object.remove(name)));
            if is(&["assistant"]) {
                REASONING.iter().for_each(|name| drop(object.remove(name)));
            } else if is(&THINKING) {
                keep(object, &["type"]);
            }
        }
        if self.tools == ToolDetail::Full {
            return;
        }
        if is(&CALLS) {
            self.take_from_call(object);
        } else if is(&RESULTS) {
            self.take_from_result(object);
        } else if is(&["compaction", "branch_summary", "compactionSummary", "branchSummary"]) {
            // The files that tools were called with.
            object.remove("details");
        }
        ["nestedCalls", "tool_calls"].iter().for_each(|name| drop(object.remove(name)));
    }

    /// Leaves what is called, and the line that tells it from other calls if that is wanted.
    fn take_from_call(self, call: &mut Object) {
        let telling = TELLING.iter().find_map(|name| {
            let text = call.get("arguments")?.get_string(name).filter(|text| !text.is_empty())?;
            Some(Object::new().with(name, line_of(text)))
        });
        let telling = telling.filter(|_| self.tools == ToolDetail::Summary).unwrap_or_default();
        keep(call, &["type", "id", "name"]);
        call.set("arguments", telling.into());
    }

    /// Leaves that there was one, and how it ended.
    fn take_from_result(self, result: &mut Object) {
        let command = result.get("command").and_then(Value::as_string).map(line_of);
        let command = command.filter(|_| self.tools == ToolDetail::Summary).unwrap_or_default();
        let is_shell = result.get("command").is_some();
        let kept = [
            "type",
            "role",
            "id",
            "parentId",
            "toolCallId",
            "tool_use_id",
            "toolName",
            "isError",
            "timestamp",
            "usage",
            "durationMs",
            "exitCode",
            "cancelled",
            "truncated",
            "excludeFromContext",
        ];
        keep(result, &kept);
        if is_shell {
            result.set("command", command.into());
            result.set("output", "".into());
        } else {
            result.set("content", Vec::<Value>::new().into());
        }
    }
}

fn line_of(text: &JsString) -> String {
    clean_beginning(&text.to_text(), LINE_CHARS)
}

/// Removes all members but these.
fn keep(object: &mut Object, names: &[&str]) {
    let members = std::mem::take(object).into_members().into_iter();
    let kept = members.filter(|(name, _)| names.iter().any(|kept| *name == **kept));
    *object = Object::from_members(kept.collect());
}

fn is_thinking(value: &Value) -> bool {
    value.get_string("type").is_some_and(|kind| THINKING.iter().any(|name| *kind == **name))
}

fn is_of_an_image(object: &Object) -> bool {
    let media = MEDIA.iter().filter_map(|name| object.get(name)?.as_string());
    media.into_iter().any(|media| media.to_text().to_ascii_lowercase().starts_with("image/"))
}

/// A text without the images that are in it as addresses; `None` if there are none.
fn without_images(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let mut without = String::new();
    let mut from = 0;
    while let Some(at) = lower[from..].find(DATA_IMAGE).map(|at| from + at) {
        without.push_str(&text[from..at]);
        without.push_str("(image)");
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | '<' | '>');
        from = text[at..].find(ends).map_or(text.len(), |end| at + end);
    }
    if from == 0 {
        return None;
    }
    without.push_str(&text[from..]);
    Some(without)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_in_a_text_is_taken_out() {
        let text = "see ![a](DATA:image/png;base64,AAAA) and <img src=\"data:image/gif;base64,B\">";
        assert_eq!(
            without_images(text).as_deref(),
            Some("see ![a]((image)) and <img src=\"(image)\">")
        );
        assert_eq!(without_images("data:image/png;base64,AA").as_deref(), Some("(image)"));
        assert_eq!(without_images("data:text/plain,x"), None);
    }
}
