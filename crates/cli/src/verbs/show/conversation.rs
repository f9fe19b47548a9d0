//! `--mode conversation`: who said what. Tools take one line, thinking none.

use pitree_format::entry::Body;
use pitree_format::js::stringify;
use pitree_format::message::{AssistantMessage, BashExecution, Block, Content, CustomMessage};
use pitree_format::message::{Message, ToolResultMessage, UserMessage};
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::EntryRef;

use super::View;
use super::page::Page;
use super::plain;
use crate::error::Result;
use crate::output::Output;
use crate::text::{counted, shorten};

/// How much of a tool result or of arguments fits on a line.
const FOLDED: usize = 120;

pub(super) fn run(view: &View<'_>, output: &mut Output) -> Result<()> {
    if output.json {
        return output.value(&to_object(view)?.into());
    }
    let mut page = Page::new(output, view.most);
    for turn in &view.turns {
        page.turn(turn)?;
        let mut heading = Heading::default();
        for entry in &turn.entries {
            for item in items(*entry)? {
                item.print(*entry, &mut heading, &mut page)?;
            }
        }
    }
    Ok(())
}

pub(super) fn to_object(view: &View<'_>) -> Result<Object> {
    let mut turns: Vec<Value> = Vec::new();
    for turn in &view.turns {
        let mut list: Vec<Value> = Vec::new();
        for entry in &turn.entries {
            list.extend(items(*entry)?.iter().map(|item| item.to_value(*entry, view.most)));
        }
        turns.push(Object::new().with("number", turn.number).with("items", list).into());
    }
    Ok(Object::new()
        .with("sessionId", view.session.id())
        .with("turnCount", view.all_turns)
        .with("turns", turns))
}

/// Something that was said or done.
#[derive(Default)]
struct Item {
    kind: &'static str,
    /// The tool, the extension, or the command.
    name: Option<String>,
    text: String,
    /// What the text does not say: images, sizes, exit codes.
    note: String,
    is_error: bool,
}

impl Item {
    fn new(kind: &'static str, text: String) -> Self {
        Self { kind, text, ..Self::default() }
    }

    fn print(&self, entry: EntryRef<'_>, heading: &mut Heading, page: &mut Page<'_>) -> Result<()> {
        let name = self.name.as_deref().unwrap_or_default();
        let failed = if self.is_error { " failed" } else { "" };
        let time = plain::minute(entry.time());
        match self.kind {
            "toolCall" => {
                // Answers that only call tools go on below the answer before them.
                if heading.kind != "assistant" {
                    page.heading("assistant", &[&time])?;
                    *heading = Heading { kind: "assistant", entry: Some(entry.index()) };
                }
                return page.line(&format!("→ {name} {}", self.text));
            }
            "toolResult" => {
                let line = format!("← {name}{failed} ({}) {}", self.note, self.text);
                return page.line(line.trim_end());
            }
            _ => {}
        }
        // Several texts of one answer go under one heading.
        let own = Heading { kind: self.kind, entry: Some(entry.index()) };
        if *heading != own {
            let who = if self.kind == "branchSummary" { "branch summary" } else { self.kind };
            page.heading(who, &[name, failed.trim(), &time])?;
            *heading = own;
        }
        page.block(&self.text)?;
        if self.note.is_empty() { Ok(()) } else { page.line(&format!("[{}]", self.note)) }
    }

    fn to_value(&self, entry: EntryRef<'_>, most: usize) -> Value {
        Object::new()
            .with("kind", self.kind)
            .with("entryId", entry.id())
            .with("timestamp", plain::iso(entry.time()))
            .with_some("name", self.name.as_deref())
            .with("text", plain::cut(&self.text, most))
            .with_some("note", Some(self.note.as_str()).filter(|note| !note.is_empty()))
            .with_some("isError", self.is_error.then_some(true))
            .into()
    }
}

/// The heading that stands last.
#[derive(Default, PartialEq)]
struct Heading {
    kind: &'static str,
    entry: Option<usize>,
}

/// What an entry adds to the conversation.
fn items(entry: EntryRef<'_>) -> Result<Vec<Item>> {
    let speaks = match entry.kind() {
        EntryKind::Message => entry.role() != Role::System,
        kind => matches!(
            kind,
            EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::CustomMessage
        ),
    };
    if !speaks {
        return Ok(Vec::new());
    }
    Ok(match entry.body()? {
        Body::Message(message) => message_items(&message),
        Body::Compaction(compaction) => {
            let note = compaction
                .tokens_before
                .map(|tokens| format!("replaces {} tokens", plain::counted(tokens)));
            let item = Item::new("compaction", compaction.summary.to_string());
            vec![Item { note: note.unwrap_or_default(), ..item }]
        }
        Body::BranchSummary(summary) => {
            vec![Item::new("branchSummary", summary.summary.to_string())]
        }
        Body::CustomMessage(custom) => custom_items(&custom),
        _ => Vec::new(),
    })
}

fn message_items(message: &Message) -> Vec<Item> {
    match message {
        Message::User(user) => vec![user_item(user)],
        Message::Assistant(assistant) => assistant_items(assistant),
        Message::ToolResult(result) => vec![result_item(result)],
        Message::BashExecution(bash) => vec![bash_item(bash)],
        Message::Custom(custom) => custom_items(custom),
        Message::BranchSummary { summary, .. } => {
            vec![Item::new("branchSummary", summary.to_string())]
        }
        Message::CompactionSummary { summary, .. } => {
            vec![Item::new("compaction", summary.to_string())]
        }
        Message::Unknown { role } => {
            let note = "a role that pitree does not know".to_owned();
            let name = raw_name(role.as_ref());
            vec![Item { note, name, ..Item::new("message", String::new()) }]
        }
        _ => Vec::new(),
    }
}

fn user_item(user: &UserMessage) -> Item {
    let mut notes = image_notes(&user.content);
    notes.extend(
        user.attachments
            .iter()
            .map(|file| format!("file {}", plain::name(file.file_name.as_ref()))),
    );
    Item { note: notes.join(", "), ..Item::new("user", user.content.to_text("\n")) }
}

fn assistant_items(assistant: &AssistantMessage) -> Vec<Item> {
    let mut items = Vec::new();
    if let Content::Text(text) = &assistant.content {
        items.push(Item::new("assistant", text.to_string()));
    }
    for block in assistant.content.blocks() {
        match block {
            Block::Text { text, .. } if !text.trim().is_empty() => {
                items.push(Item::new("assistant", text.to_string()));
            }
            Block::ToolCall { name, arguments, .. } => {
                let arguments = arguments.as_ref().unwrap_or(&Value::Null);
                let text = shorten(&stringify(arguments), FOLDED);
                let name = raw_name(name.as_ref());
                items.push(Item { name, ..Item::new("toolCall", text) });
            }
            _ => {}
        }
    }
    let stop = plain::text_of(assistant.stop_reason.as_ref());
    if assistant.error_message.is_some() || matches!(&*stop, "error" | "aborted" | "length") {
        let text = plain::text_of(assistant.error_message.as_ref());
        let note = format!("stopped: {stop}");
        items.push(Item { note, is_error: assistant.has_failed(), ..Item::new("assistant", text) });
    }
    items
}

fn result_item(result: &ToolResultMessage) -> Item {
    let text = result.content.to_text("\n");
    let mut notes = vec![counted(text.chars().count(), "character", "characters")];
    notes.extend(image_notes(&result.content));
    Item {
        name: raw_name(result.tool_name.as_ref()),
        note: notes.join(", "),
        is_error: result.is_error,
        ..Item::new("toolResult", plain::first_words(&text, FOLDED))
    }
}

fn bash_item(bash: &BashExecution) -> Item {
    let mut notes = Vec::new();
    match bash.exit_code {
        Some(code) => notes.push(format!("exit code {}", plain::number(code))),
        None if bash.cancelled => notes.push("cancelled".to_owned()),
        None => {}
    }
    if bash.truncated {
        notes.push("output cut".to_owned());
    }
    if bash.exclude_from_context {
        notes.push("not in the context".to_owned());
    }
    let text = format!("$ {}\n{}", bash.command, bash.output);
    Item { note: notes.join(", "), is_error: bash.has_failed(), ..Item::new("bash", text) }
}

fn custom_items(custom: &CustomMessage) -> Vec<Item> {
    if !custom.display {
        return Vec::new();
    }
    let name = raw_name(custom.custom_type.as_ref());
    let note = image_notes(&custom.content).join(", ");
    vec![Item { name, note, ..Item::new("custom", custom.content.to_text("\n")) }]
}

/// A name as it is; the page makes it harmless.
fn raw_name(name: Option<&JsString>) -> Option<String> {
    Some(name.map_or("unknown".to_owned(), ToString::to_string))
}

fn image_notes(content: &Content) -> Vec<String> {
    let images =
        content.blocks().iter().filter(|block| matches!(block, Block::Image { .. })).count();
    if images > 0 { vec![counted(images, "image", "images")] } else { Vec::new() }
}
