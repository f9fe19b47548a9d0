//! A row for an entry, and what of it is counted for its session.

use pitree_format::entry::Body;
use pitree_format::message::{Block, Content, Message};
use pitree_format::usage::{Cost, Usage};
use pitree_format::{EntryKind, JsString, Role, Value};
use pitree_session::EntryRef;
use pitree_session::context::estimate_tokens;
use pitree_store::ledger::{Price, Tokens};

use super::columns::Table;
use super::row::{Cell, TableRow};

/// Dollars from here on do not fit the column.
const TOO_MUCH: i64 = 1_000_000_000_000_000_000;

/// The position of an entry in its tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TreePosition {
    pub(crate) depth: u32,
    pub(crate) children: u32,
    pub(crate) is_active: bool,
}

/// The row of an entry, without what tells its file.
pub(crate) fn entry_row(
    entry: &EntryRef<'_>,
    value: Value,
    body: &Body,
    at: TreePosition,
) -> TableRow {
    let mut row = TableRow::new(Table::Entries);
    row.set("entry_id", entry.id());
    row.set("parent_id", entry.parent_id());
    row.set("seq", entry.index());
    row.set("line", entry.line());
    row.set("depth", i64::from(at.depth));
    row.set("n_children", i64::from(at.children));
    row.set("on_active_path", at.is_active);
    row.set("type", value.get_string("type"));
    row.set("ts", entry.time());
    if entry.kind() == EntryKind::Message {
        let message = value.get("message").unwrap_or(&Value::Null);
        row.set("role", message.get_string("role"));
        row.set("tokens_est", estimate_tokens(message));
        row.set("msg_ts", message.get_number("timestamp").and_then(whole));
    }
    set_model(&mut row, body);
    if let Some(usage) = usage_of(body) {
        set_usage(&mut row, usage);
    }
    set_text(&mut row, body);
    set_values(&mut row, value);
    row
}

/// The usage that an entry records.
pub(crate) fn usage_of(body: &Body) -> Option<&Usage> {
    match body {
        Body::Message(Message::Assistant(message)) => message.usage.as_ref(),
        Body::Message(Message::ToolResult(message)) => message.usage.as_ref(),
        Body::Usage { usage, .. } => usage.as_ref(),
        Body::Compaction(compaction) => compaction.usage.as_ref(),
        Body::BranchSummary(summary) => summary.usage.as_ref(),
        _ => None,
    }
}

fn set_model(row: &mut TableRow, body: &Body) {
    match body {
        Body::Message(Message::Assistant(message)) => {
            row.set("provider", message.provider.as_ref());
            row.set("model", message.answered_by());
            row.set("api", message.api.as_ref());
            row.set("thinking_level", message.thinking_level.as_ref());
            row.set("stop_reason", message.stop_reason.as_ref());
            row.set("error_message", message.error_message.as_ref());
        }
        Body::ModelChange { provider, model_id } => {
            row.set("provider", provider.as_ref());
            row.set("model", model_id.as_ref());
        }
        Body::Usage { provider, model, .. } => {
            row.set("provider", provider.as_ref());
            row.set("model", model.as_ref());
        }
        Body::ThinkingLevelChange(level) => row.set("thinking_level", level.as_ref()),
        Body::Custom { custom_type, .. } => row.set("custom_type", custom_type.as_ref()),
        Body::CustomMessage(custom) | Body::Message(Message::Custom(custom)) => {
            row.set("custom_type", custom.custom_type.as_ref());
        }
        _ => {}
    }
}

/// The four kinds of tokens.
pub(crate) fn set_tokens(row: &mut TableRow, tokens: &Tokens) {
    row.set("tok_in", tokens.input);
    row.set("tok_out", tokens.output);
    row.set("tok_cache_read", tokens.cache_read);
    row.set("tok_cache_write", tokens.cache_write);
}

fn set_usage(row: &mut TableRow, usage: &Usage) {
    set_tokens(row, &Tokens::of(usage));
    row.set("tok_reasoning", usage.reasoning.and_then(whole));
    row.set("tok_total", usage.total_tokens.and_then(whole));
    let part = |pick: fn(&Cost) -> Option<f64>| usage.cost.as_ref().and_then(pick);
    row.set("cost_in", part(|cost| cost.input).map(dollars));
    row.set("cost_out", part(|cost| cost.output).map(dollars));
    row.set("cost_cache_read", part(|cost| cost.cache_read).map(dollars));
    row.set("cost_cache_write", part(|cost| cost.cache_write).map(dollars));
    row.set("cost_total", usage.counted_cost().map(dollars));
    // Whether it counts here is known when all sessions are.
    row.set("counted", false);
}

fn set_text(row: &mut TableRow, body: &Body) {
    if let Some(text) = text_of(body) {
        row.set("text_chars", text.chars().count());
        row.set("text", text);
    }
    if let Body::Message(Message::Assistant(message)) = body {
        let thought = message.content.blocks().iter().filter_map(|block| match block {
            Block::Thinking { thinking, .. } => Some(thinking.to_text().chars().count()),
            _ => None,
        });
        row.set("thinking_chars", thought.sum::<usize>());
    }
}

/// What an entry says.
fn text_of(body: &Body) -> Option<String> {
    let plain = |text: &JsString| text.to_text().into_owned();
    match body {
        Body::Message(message) => message_text(message),
        Body::Compaction(compaction) => Some(plain(&compaction.summary)),
        Body::BranchSummary(summary) => Some(plain(&summary.summary)),
        Body::CustomMessage(custom) => content_text(&custom.content),
        Body::Label { label, .. } => label.as_ref().map(plain),
        Body::SessionInfo(name) => name.as_ref().map(plain),
        Body::Usage { note, .. } => note.as_ref().map(plain),
        _ => None,
    }
}

fn message_text(message: &Message) -> Option<String> {
    match message {
        Message::System(system) => {
            let sections = system.sections.iter().filter_map(|(_, text)| text.as_ref());
            let texts = content_text(&system.content).into_iter();
            let texts = texts.chain(sections.map(|text| text.to_text().into_owned()));
            Some(texts.collect::<Vec<_>>().join("\n\n"))
        }
        Message::User(user) => content_text(&user.content),
        Message::Assistant(reply) => content_text(&reply.content),
        Message::ToolResult(result) => content_text(&result.content),
        Message::Custom(custom) => content_text(&custom.content),
        Message::BashExecution(bash) => Some(format!("{}\n{}", bash.command, bash.output)),
        Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. } => {
            Some(summary.to_text().into_owned())
        }
        _ => None,
    }
}

/// The text of a content: its text blocks, a line each.
pub(crate) fn content_text(content: &Content) -> Option<String> {
    match content {
        Content::Missing | Content::Other => None,
        content => Some(content.to_text("\n")),
    }
}

/// The two columns that hold what no other one does.
fn set_values(row: &mut TableRow, mut value: Value) {
    let Some(object) = value.as_object_mut() else { return };
    for name in ["type", "id", "parentId", "timestamp"] {
        object.remove(name);
    }
    let message = object.get_mut("message").and_then(Value::as_object_mut);
    let content = match message {
        Some(message) => message.remove("content"),
        None => object.remove("content"),
    };
    row.set("content", content.as_ref());
    row.set("more", Some(&value).filter(|value| value.as_object().is_some_and(|o| !o.is_empty())));
}

/// An amount as a cell; empty for what does not fit.
pub(crate) fn dollars(amount: f64) -> Cell {
    Price::from_dollars(amount).map_or(Cell::Empty, |price| money(i128::from(price.units())))
}

/// Millionths of a millionth of a dollar as a cell; empty for what does not fit.
pub(crate) fn money(units: i128) -> Cell {
    match i64::try_from(units) {
        Ok(units) if units.abs() < TOO_MUCH => Cell::Int(units),
        _ => Cell::Empty,
    }
}

/// A number as a whole one, if it is near to one that JavaScript can hold.
pub(crate) fn whole(number: f64) -> Option<i64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    (number.abs() <= MOST).then(|| number.round() as i64)
}

/// Whether an entry is a reply.
pub(crate) fn is_reply(entry: &EntryRef<'_>) -> bool {
    entry.is_message(Role::Assistant)
}
