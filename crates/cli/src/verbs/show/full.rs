//! `--mode full`: everything the active path holds.
//!
//! As JSON the entries are given as they are, brought up to version 3.

use pitree_format::Value;
use pitree_format::entry::Body;
use pitree_format::js::print;
use pitree_format::message::{AssistantMessage, Attachment, Block, ImageData, Message};
use pitree_format::message::{BashExecution, SystemMessage, ToolResultMessage};
use pitree_format::usage::Usage;
use pitree_session::{EntryRef, outline_of};

use super::View;
use super::page::Page;
use super::plain;
use crate::error::Result;
use crate::output::Output;

/// So many characters of the texts around a marked entry are printed.
const MOST_AROUND: usize = 400;

pub(super) fn run(view: &View<'_>, output: &mut Output) -> Result<()> {
    if output.json {
        return print_json(view, output);
    }
    let mut page = Page::new(output, view.most);
    for turn in &view.turns {
        page.turn(turn)?;
        for entry in &turn.entries {
            match view.marked {
                Some(marked) if marked == entry.index() => page.mark_next(),
                Some(_) => page.shorten_to(view.most.min(MOST_AROUND)),
                None => {}
            }
            print_entry(*entry, &mut page)?;
        }
    }
    Ok(())
}

/// `{sessionId, turnCount, turns: [{number, entries}]}`, written piece by piece.
fn print_json(view: &View<'_>, output: &mut Output) -> Result<()> {
    let mut text = String::from("{\"sessionId\":");
    print(&view.session.id().into(), &mut text);
    text.push_str(&format!(",\"turnCount\":{},\"turns\":[", view.all_turns));
    for (at, turn) in view.turns.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        text.push_str(&format!("{comma}{{\"number\":{},\"entries\":[", turn.number));
        for (at, entry) in turn.entries.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            print(&plain::cut_strings(entry.value()?, view.most), &mut text);
            output.bytes(text.as_bytes())?;
            text.clear();
        }
        text.push_str("]}");
    }
    text.push_str("]}");
    output.line(&text)
}

fn print_entry(entry: EntryRef<'_>, page: &mut Page<'_>) -> Result<()> {
    let value = entry.value()?;
    let time = plain::minute(entry.time());
    let body = Body::decode(&value);
    if let Body::Message(message) = &body {
        let raw = value.get("message").unwrap_or(&Value::Null);
        let role = plain::name(raw.get_string("role"));
        page.heading(&role, &[entry.id(), &time, &particulars(message)])?;
        return print_message(message, raw, page);
    }
    page.heading(&plain::name(value.get_string("type")), &[entry.id(), &time])?;
    match body {
        Body::Compaction(compaction) => {
            page.block(&compaction.summary.to_text())?;
            for name in ["firstKeptEntryId", "tokensBefore", "details", "fromHook"] {
                page.some_member(name, value.get(name))?;
            }
            page.some_member("systemMessage", value.get("systemMessage"))?;
            print_usage(compaction.usage.as_ref(), page)
        }
        Body::BranchSummary(summary) => {
            page.block(&summary.summary.to_text())?;
            for name in ["fromId", "details", "fromHook"] {
                page.some_member(name, value.get(name))?;
            }
            print_usage(summary.usage.as_ref(), page)
        }
        Body::CustomMessage(custom) => {
            page.line(&format!("type: {}", plain::name(custom.custom_type.as_ref())))?;
            page.line(if custom.display { "shown" } else { "not shown" })?;
            print_content(value.get("content"), page)?;
            page.some_member("details", value.get("details"))
        }
        Body::Custom { custom_type, data } => {
            page.line(&format!("type: {}", plain::name(custom_type.as_ref())))?;
            page.some_member("data", data.as_ref())
        }
        Body::ContextEdit { .. } => {
            page.line(&outline_of(&value))?;
            print_content(value.get("replacement").and_then(|new| new.get("content")), page)
        }
        Body::Usage { usage, .. } => {
            for name in ["kind", "provider", "model", "note"] {
                page.some_member(name, value.get(name))?;
            }
            print_usage(usage.as_ref(), page)
        }
        Body::Label { .. } => {
            page.some_member("targetId", value.get("targetId"))?;
            page.line(&outline_of(&value))
        }
        Body::Unknown { .. } => page.member("entry", &value),
        _ => page.line(&outline_of(&value)),
    }
}

/// What goes into the heading of a message.
fn particulars(message: &Message) -> String {
    let mut parts = Vec::new();
    match message {
        Message::Assistant(assistant) => {
            parts.push(plain::model(assistant.provider.as_ref(), assistant.answered_by()));
            parts
                .extend(assistant.thinking_level.as_ref().map(|level| format!("thinking {level}")));
            parts.extend(assistant.stop_reason.as_ref().map(|stop| format!("stop {stop}")));
            parts.extend(assistant.duration_ms.map(plain::duration));
        }
        Message::ToolResult(result) => {
            parts.push(plain::name(result.tool_name.as_ref()));
            parts.push(plain::text_of(result.tool_call_id.as_ref()));
            parts.push(if result.is_error { "failed" } else { "ok" }.to_owned());
            parts.extend(result.duration_ms.map(plain::duration));
        }
        Message::Custom(custom) => {
            parts.push(plain::name(custom.custom_type.as_ref()));
            parts.push(if custom.display { "shown" } else { "not shown" }.to_owned());
        }
        _ => {}
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn print_message(message: &Message, raw: &Value, page: &mut Page<'_>) -> Result<()> {
    match message {
        Message::System(system) => print_system(system, raw, page),
        Message::User(user) => {
            print_content(raw.get("content"), page)?;
            user.attachments.iter().try_for_each(|file| print_attachment(file, page))
        }
        Message::Assistant(assistant) => print_assistant(assistant, raw, page),
        Message::ToolResult(result) => print_result(result, raw, page),
        Message::BashExecution(bash) => print_bash(bash, page),
        Message::Custom(_) => {
            print_content(raw.get("content"), page)?;
            page.some_member("details", raw.get("details"))
        }
        Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. } => {
            page.block(&summary.to_text())
        }
        _ => {
            page.line("a role that pitree does not know:")?;
            page.member("message", raw)
        }
    }
}

fn print_system(system: &SystemMessage, raw: &Value, page: &mut Page<'_>) -> Result<()> {
    print_content(raw.get("content"), page)?;
    for (name, part) in &system.sections {
        match part {
            Some(part) => {
                page.line(&format!("[section {name}]"))?;
                page.block(&part.to_text())?;
            }
            None => page.line(&format!("[section {name} removed]"))?,
        }
    }
    for tool in &system.tools_added {
        page.member("tool added", tool)?;
    }
    for tool in &system.tools_removed {
        page.line(&format!("tool removed: {tool}"))?;
    }
    Ok(())
}

fn print_attachment(file: &Attachment, page: &mut Page<'_>) -> Result<()> {
    let mut parts = vec![plain::name(file.file_name.as_ref())];
    parts.extend(file.kind.as_ref().map(ToString::to_string));
    parts.extend(file.mime_type.as_ref().map(ToString::to_string));
    parts.extend(file.size.map(plain::size));
    page.line(&format!("[attachment {}]", parts.join(", ")))?;
    file.extracted_text.as_ref().map_or(Ok(()), |text| page.dim_block(&text.to_text()))
}

fn print_assistant(assistant: &AssistantMessage, raw: &Value, page: &mut Page<'_>) -> Result<()> {
    print_content(raw.get("content"), page)?;
    let names = ["responseModel", "providerThinkingLevel", "rawStopReason", "errorMessage"];
    for name in names.iter().chain(&["diagnostics", "deferred", "endTurn"]) {
        page.some_member(name, raw.get(name))?;
    }
    print_usage(assistant.usage.as_ref(), page)
}

fn print_result(result: &ToolResultMessage, raw: &Value, page: &mut Page<'_>) -> Result<()> {
    print_content(raw.get("content"), page)?;
    page.some_member("details", raw.get("details"))?;
    page.some_member("nestedCalls", raw.get("nestedCalls"))?;
    print_usage(result.usage.as_ref(), page)
}

fn print_bash(bash: &BashExecution, page: &mut Page<'_>) -> Result<()> {
    page.line(&format!("$ {}", bash.command))?;
    page.block(&bash.output.to_text())?;
    let mut notes = Vec::new();
    notes.extend(bash.exit_code.map(|code| format!("exit code {}", plain::number(code))));
    notes.extend(bash.cancelled.then(|| "cancelled".to_owned()));
    notes.extend(bash.truncated.then(|| "output cut".to_owned()));
    notes.extend(bash.exclude_from_context.then(|| "not in the context".to_owned()));
    notes.extend(bash.full_output_path.as_ref().map(|path| format!("whole output in {path}")));
    if notes.is_empty() { Ok(()) } else { page.line(&format!("[{}]", notes.join(", "))) }
}

/// A usage on one line.
fn print_usage(usage: Option<&Usage>, page: &mut Page<'_>) -> Result<()> {
    let Some(usage) = usage else { return Ok(()) };
    let number = |number: Option<f64>| number.map_or("unknown".to_owned(), plain::counted);
    let mut text = format!(
        "[tokens: input {}, output {}, cache read {}, cache write {}",
        number(usage.input),
        number(usage.output),
        number(usage.cache_read),
        number(usage.cache_write),
    );
    if let Some(reasoning) = usage.reasoning {
        text.push_str(&format!(", reasoning {}", plain::counted(reasoning)));
    }
    let cost = usage.counted_cost();
    text.push_str(&format!("; cost {}]", cost.map_or("unknown".to_owned(), plain::dollars)));
    page.line(&text)
}

fn print_content(content: Option<&Value>, page: &mut Page<'_>) -> Result<()> {
    match content {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(text)) => page.block(&text.to_text()),
        Some(Value::Array(blocks)) => blocks.iter().try_for_each(|block| print_block(block, page)),
        Some(other) => page.member("content of an unknown form", other),
    }
}

fn print_block(block: &Value, page: &mut Page<'_>) -> Result<()> {
    match Block::decode(block) {
        Block::Text { text, .. } => page.block(&text.to_text()),
        Block::Thinking { thinking, redacted, .. } => {
            page.line(if redacted { "[thinking, hidden by the provider]" } else { "[thinking]" })?;
            page.dim_block(&thinking.to_text())
        }
        Block::Image { data, mime_type } => {
            let size = match data {
                ImageData::Inline(chars) => plain::image_size(chars),
                ImageData::Blob { digest, size_bytes } => {
                    let size = size_bytes.map_or("size unknown".to_owned(), plain::size);
                    format!("{size}, in the blob {digest}")
                }
                _ => "no data".to_owned(),
            };
            page.line(&format!("[image {}, {size}]", plain::name(mime_type.as_ref())))
        }
        Block::ToolCall { id, name, arguments, arguments_error, .. } => {
            page.line(&format!(
                "→ {}  {}",
                plain::name(name.as_ref()),
                plain::text_of(id.as_ref())
            ))?;
            match arguments.as_ref().and_then(Value::as_object) {
                Some(object) => {
                    for (name, value) in object.iter() {
                        page.member(&format!("  {name}"), value)?;
                    }
                }
                None => page.some_member("  arguments", arguments.as_ref())?,
            }
            page.some_member("  argumentsError", arguments_error.as_ref())
        }
        Block::Unknown { kind } => {
            let kind = plain::name(kind.as_ref());
            page.member(&format!("[block of the unknown type {kind}]"), block)
        }
        _ => page.member("[block]", block),
    }
}
