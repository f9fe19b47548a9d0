//! `messages` and `tools` as most trainers take them, with the small differences between them.

use pitree_format::js::{Members, print_list};
use pitree_format::{Value, js};
use pitree_sample::{About, ChatRole, Part, Sample, ToolCall};

use super::conversation::{Turn, tools};
use super::json::print_value;
use crate::output::{Item, Printed, SharedList};

/// How one trainer's messages differ from another's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The member of a reply that is not trained, and its value; none where it goes without
    /// saying.
    pub(super) untrained: Option<(&'static str, &'static str)>,
    /// OpenAI's own rules: arguments as a text, images, no name at a tool's result, and no
    /// content beside calls where there is none.
    pub(super) openai: bool,
}

/// Hugging Face's messages. The member for masks is axolotl's, and others ignore it.
pub(super) const HUGGING_FACE: Dialect =
    Dialect { untrained: Some(("train", "false")), openai: false };

/// Hugging Face's messages of a prompt, of which nothing is trained.
pub(super) const PROMPT: Dialect = Dialect { untrained: None, ..HUGGING_FACE };

impl Dialect {
    /// Prints a list of messages.
    pub(super) fn print(self, turns: &[Turn<'_>], printed: &mut Printed, out: &mut String) {
        let mut list = SharedList::open(printed, out);
        turns.iter().for_each(|turn| self.print_item(turn, &mut list));
        list.close();
    }

    /// Adds one message to a list.
    pub(super) fn print_item(self, turn: &Turn<'_>, list: &mut SharedList<'_>) {
        let is_marked = self.mark(turn).is_some();
        let item = Item::Message { message: turn.message, is_marked };
        list.item(item, |out| self.print_message(turn, out));
    }

    /// What says of a reply that it is not trained.
    fn mark(self, turn: &Turn<'_>) -> Option<(&'static str, &'static str)> {
        self.untrained.filter(|_| turn.is_reply() && !turn.trained)
    }

    /// Prints one message.
    pub(super) fn print_message(self, turn: &Turn<'_>, out: &mut String) {
        let mut message = Members::open(out);
        message.text("role", role(turn.role));
        if let Some(result) = turn.result {
            message.text("tool_call_id", &result.call_id);
            if !self.openai {
                message.text("name", &result.name);
            }
        }
        if self.openai && turn.role == ChatRole::User && has_image(turn.parts) {
            print_list(turn.parts, message.key("content"), print_part);
        } else if !(self.openai && turn.text.is_empty() && !turn.calls.is_empty()) {
            message.text("content", &turn.text);
        }
        if let Some(reasoning) = turn.reasoning.filter(|_| !self.openai) {
            message.text("reasoning_content", reasoning);
        }
        if !turn.calls.is_empty() {
            print_list(turn.calls, message.key("tool_calls"), |call, out| {
                self.print_call(call, out);
            });
        }
        if let Some((key, value)) = self.mark(turn) {
            message.key(key).push_str(value);
        }
        message.close();
    }

    fn print_call(self, call: &ToolCall, out: &mut String) {
        let mut members = Members::open(out);
        members.text("id", &call.id);
        members.text("type", "function");
        let mut function = Members::open(members.key("function"));
        function.text("name", &call.name);
        if self.openai {
            let mut text = String::new();
            print_value(&call.arguments, &mut text);
            function.text("arguments", &text);
        } else {
            print_value(&call.arguments, function.key("arguments"));
        }
        function.close();
        members.close();
    }
}

fn role(role: ChatRole) -> &'static str {
    match role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
        ChatRole::Tool => "tool",
    }
}

fn has_image(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Image { .. }))
}

/// Prints the name and the arguments of a call, for forms in which it stands in a text.
pub(super) fn print_plain_call(call: &ToolCall, out: &mut String) {
    let mut members = Members::open(out);
    members.text("name", &call.name);
    print_value(&call.arguments, members.key("arguments"));
    members.close();
}

fn print_part(part: &Part, out: &mut String) {
    let mut members = Members::open(out);
    match part {
        Part::Text(text) => {
            members.text("type", "text");
            members.text("text", text);
        }
        Part::Image { mime_type, data } => {
            members.text("type", "image_url");
            let mut url = Members::open(members.key("image_url"));
            url.text("url", &format!("data:{mime_type};base64,{data}"));
            url.close();
        }
    }
    members.close();
}

/// Prints tools in OpenAI's form, which all trainers take.
pub(super) fn print_tools(tools: &[Value], out: &mut String) {
    print_list(tools, out, print_tool);
}

fn print_tool(tool: &Value, out: &mut String) {
    let mut members = Members::open(out);
    members.text("type", "function");
    let mut function = Members::open(members.key("function"));
    for name in ["name", "description"] {
        if let Some(value) = tool.get(name) {
            print_value(value, function.key(name));
        }
    }
    match tool.get("parameters") {
        Some(parameters) => print_value(parameters, function.key("parameters")),
        None => function.key("parameters").push_str(r#"{"type":"object","properties":{}}"#),
    }
    function.close();
    members.close();
}

/// Adds the member `metadata`.
pub(super) fn print_metadata_member(sample: &Sample, row: &mut Members<'_>) {
    print_metadata(sample, row.key("metadata"));
}

/// Adds the member `metadata` as a text of JSON, for trainers that load a file with the types that
/// they guess from its first rows.
pub(super) fn print_metadata_text(sample: &Sample, row: &mut Members<'_>) {
    let mut text = String::new();
    print_metadata(sample, &mut text);
    row.text("metadata", &text);
}

/// Adds the member `tools` in the same way: an empty text where there are none.
pub(super) fn print_tools_text(sample: &Sample, row: &mut Members<'_>) {
    let mut text = String::new();
    if !tools(sample).is_empty() {
        print_tools(tools(sample), &mut text);
    }
    row.text("tools", &text);
}

/// As [`print_metadata_member`], with more members at the end.
pub(super) fn print_metadata_with(
    sample: &Sample,
    row: &mut Members<'_>,
    more: impl FnOnce(&mut Members<'_>),
) {
    print_metadata_and(sample, row.key("metadata"), more);
}

/// Prints where a sample comes from: always the same members, so that a table can be made of it.
pub(super) fn print_metadata(sample: &Sample, out: &mut String) {
    print_metadata_and(sample, out, |_| {});
}

fn print_metadata_and(sample: &Sample, out: &mut String, more: impl FnOnce(&mut Members<'_>)) {
    let about: &About = &sample.about;
    let role = about.role.as_ref();
    let mut members = Members::open(out);
    members.text("sampleId", &sample.id);
    members.text("sessionId", &about.session_id);
    members.text("leafId", &sample.leaf_id);
    members.number("segment", f64::from(sample.segment));
    members.text("familyId", &about.family_id);
    members.text("cwd", &about.cwd);
    members.text_or_null("createdAt", about.created_at.as_deref());
    members.text_or_null("name", about.name.as_deref());
    members.text_or_null("provider", about.provider.as_deref());
    members.text_or_null("model", about.model.as_deref());
    members.text_or_null("thinkingLevel", about.thinking_level.as_deref());
    members.bool("isSubagent", about.is_subagent);
    members.text_or_null("parentSessionId", about.parent_session_id.as_deref());
    members.text_or_null("gtRole", role.map(|role| role.role.as_str()));
    members.text_or_null("gtRig", role.and_then(|role| role.rig.as_deref()));
    members.text_or_null("gtName", role.and_then(|role| role.name.as_deref()));
    members.text_or_null("roleSource", role.map(|role| role.source));
    members.text_or_null("roleConfidence", role.map(|role| role.confidence));
    match role {
        Some(role) => members.bool("roleConflict", role.conflict),
        None => members.null("roleConflict"),
    }
    match &about.outcome {
        Some(outcome) => print_value(outcome, members.key("outcome")),
        None => members.null("outcome"),
    }
    let altered = sample.altered.iter().map(|altered| altered.name());
    print_list(altered, members.key("contextAltered"), js::print_text);
    // All samples of a data set are requests, or none is.
    if let Some(wire) = &sample.wire {
        let names = wire.notes.iter().map(|note| note.name());
        print_list(names, members.key("requestNotes"), js::print_text);
    }
    more(&mut members);
    members.close();
}

/// Adds the member `tools`, `null` where the session does not say.
pub(super) fn print_tools_member(sample: &Sample, row: &mut Members<'_>) {
    match &sample.tools {
        Some(tools) => print_tools(tools, row.key("tools")),
        None => row.null("tools"),
    }
}
