//! What each kind of entry looks like on a page.

use pitree_format::entry::{Body, BranchSummary, Compaction, Replacement};
use pitree_format::js::stringify;
use pitree_format::message::{
    AssistantMessage, BashExecution, Block, CustomMessage, ImageData, Message, SystemMessage,
    ToolResultMessage, UserMessage,
};
use pitree_format::usage::Usage;
use pitree_format::{JsString, Value};
use pitree_redact::cut_before;
use pitree_session::{EntryRef, outline_cut};

use crate::ExportError;
use crate::nodes::{Call, Kind};
use crate::numbers;
use crate::page::{Fold, Heading, Page, Shown};
use crate::redact::{ExportedSession, is_base64};
use crate::walk::label_of;

type Done = Result<(), ExportError>;

/// How much of a text is repeated where it is folded away.
const SUMMARY_CHARS: usize = 100;

/// Image types that no browser takes for a document with scripts in it.
const SAFE_IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Writes an entry.
pub(crate) fn write_entry(
    source: &ExportedSession<'_>,
    entry: EntryRef<'_>,
    page: &mut dyn Page,
) -> Done {
    let value = source.value(entry)?;
    let body = Body::decode(&value);
    let (kind, who) = title(&body, &value);
    let mut particulars: Vec<Shown<'_>> = Vec::new();
    particulars
        .extend(particulars_of(&body, page.is_brief()).iter().map(|text| Shown::owned(text)));
    let id = source.text(entry.id());
    page.entry_begin(&Heading {
        anchor: entry.index(),
        kind,
        who,
        id: Shown::line(&id),
        tool: tool_of(&body).map(|tool| Shown::short(&tool, SUMMARY_CHARS)),
        answers: call_id_of(&body),
        time: entry.time(),
        is_error: matches!(&body, Body::Message(message) if message.has_failed()),
        is_hidden: is_hidden(&body),
        particulars,
        label: label_of(source, entry)?,
    })?;
    write_body(&body, &value, page)?;
    Ok(page.entry_end()?)
}

/// The tool whose result it is.
fn tool_of(body: &Body) -> Option<String> {
    match body {
        Body::Message(Message::ToolResult(result)) => {
            result.tool_name.as_ref().filter(|name| !name.is_empty()).map(ToString::to_string)
        }
        _ => None,
    }
}

/// The call that it answers.
fn call_id_of(body: &Body) -> Option<String> {
    match body {
        Body::Message(Message::ToolResult(result)) => {
            result.tool_call_id.as_ref().map(|id| id.to_text().into_owned())
        }
        _ => None,
    }
}

/// Whether it is a message that Pi does not show.
fn is_hidden(body: &Body) -> bool {
    match body {
        Body::Message(Message::Custom(custom)) | Body::CustomMessage(custom) => !custom.display,
        _ => false,
    }
}

/// What it is, in words.
fn title(body: &Body, value: &Value) -> (Kind, Shown<'static>) {
    let named = |what: &str, name: Option<&JsString>| match name.filter(|name| !name.is_empty()) {
        Some(name) => Shown::short(&format!("{what} {name}"), SUMMARY_CHARS),
        None => Shown::owned(what),
    };
    match body {
        Body::Message(message) => match message {
            Message::System(_) => (Kind::Note, Shown::line("System")),
            Message::User(_) => (Kind::User, Shown::line("User")),
            Message::Assistant(_) => (Kind::Assistant, Shown::line("Assistant")),
            Message::ToolResult(result) => {
                let what = if result.is_error { "Failed tool" } else { "Tool" };
                (Kind::Tool, named(what, result.tool_name.as_ref()))
            }
            Message::BashExecution(_) => (Kind::Tool, Shown::line("Shell command of the user")),
            Message::Custom(custom) => {
                (Kind::Extension, named("Extension", custom.custom_type.as_ref()))
            }
            Message::BranchSummary { .. } => (Kind::Summary, Shown::line("Branch summary")),
            Message::CompactionSummary { .. } => (Kind::Summary, Shown::line("Compaction")),
            Message::Unknown { role } => (Kind::Extension, named("Message", role.as_ref())),
            _ => (Kind::Extension, Shown::line("Message")),
        },
        Body::Compaction(_) => (Kind::Summary, Shown::line("Compaction")),
        Body::BranchSummary(_) => (Kind::Summary, Shown::line("Branch summary")),
        Body::CustomMessage(custom) => {
            (Kind::Extension, named("Extension", custom.custom_type.as_ref()))
        }
        Body::Custom { custom_type, .. } => {
            (Kind::Note, named("Extension state", custom_type.as_ref()))
        }
        Body::Unknown { kind } => (Kind::Note, named("Entry", kind.as_ref())),
        _ => (Kind::Note, Shown::short(&outline_cut(value, &cut_before), SUMMARY_CHARS)),
    }
}

/// What stands beside the title.
fn particulars_of(body: &Body, is_brief: bool) -> Vec<String> {
    let usage = if is_brief { numbers::usage_in_short } else { numbers::usage };
    let text = |text: &JsString| text.to_string();
    let mut list: Vec<String> = Vec::new();
    match body {
        Body::Message(Message::Assistant(answer)) => {
            list.extend(answer.answered_by().map(text));
            let usual = |stop: &&JsString| **stop != "stop" && **stop != "toolUse";
            list.extend(answer.stop_reason.as_ref().filter(usual).map(text));
            list.extend(answer.usage.as_ref().map(usage));
            list.extend(answer.duration_ms.map(numbers::duration));
        }
        Body::Message(Message::ToolResult(result)) => {
            list.extend(result.usage.as_ref().map(usage));
            list.extend(result.duration_ms.map(numbers::duration));
        }
        Body::Message(Message::BashExecution(bash)) => list.extend(bash_outcome(bash)),
        body if is_hidden(body) => {
            list.push("not shown in Pi".to_owned());
        }
        Body::Compaction(Compaction { tokens_before, usage: spent, .. }) => {
            list.extend(tokens_before.map(|n| format!("{} tokens before", numbers::number(n))));
            list.extend(spent.as_ref().map(usage));
        }
        Body::BranchSummary(BranchSummary { usage: spent, .. }) => {
            list.extend(spent.as_ref().map(usage));
        }
        Body::Usage { usage: spent, .. } => list.extend(spent.as_ref().map(usage)),
        _ => {}
    }
    list
}

fn bash_outcome(bash: &BashExecution) -> Vec<String> {
    let mut list = Vec::new();
    list.extend(bash.exit_code.map(|code| format!("exit code {}", numbers::number(code))));
    list.extend(bash.marks().map(str::to_owned));
    list
}

fn write_body(body: &Body, value: &Value, page: &mut dyn Page) -> Done {
    match body {
        Body::Message(message) => {
            write_message(message, value.get("message").unwrap_or(&Value::Null), page)
        }
        Body::Compaction(compaction) => {
            prose(&compaction.summary, page)?;
            details(value, page)
        }
        Body::BranchSummary(summary) => {
            prose(&summary.summary, page)?;
            details(value, page)
        }
        Body::CustomMessage(custom) => write_custom(custom, value, page),
        Body::Custom { data: Some(data), .. } => fold("data", data, page),
        Body::ContextEdit { replacement: Replacement::Content(_), .. } => {
            let content = value.get("replacement").and_then(|new| new.get("content"));
            write_content(content, page)
        }
        Body::Label { target_id, .. } => some_fact("entry", target_id.as_ref(), page),
        Body::Usage { provider, model, usage, note, .. } => {
            some_fact("provider", provider.as_ref(), page)?;
            some_fact("model", model.as_ref(), page)?;
            some_fact("note", note.as_ref(), page)?;
            if usage.as_ref().is_none_or(|usage| *usage == Usage::default()) {
                page.remark(&Shown::line("no usage was recorded"))?;
            }
            Ok(())
        }
        Body::ModelChange { provider, .. } => some_fact("provider", provider.as_ref(), page),
        Body::Unknown { .. } => fold("entry", value, page),
        _ => Ok(()),
    }
}

fn write_message(message: &Message, value: &Value, page: &mut dyn Page) -> Done {
    match message {
        Message::System(system) => write_system(system, value, page),
        Message::User(user) => write_user(user, value, page),
        Message::Assistant(answer) => write_answer(answer, value, page),
        Message::ToolResult(result) => write_result(result, value, page),
        Message::BashExecution(bash) => write_bash(bash, page),
        Message::Custom(custom) => write_custom(custom, value, page),
        Message::BranchSummary { summary, .. } | Message::CompactionSummary { summary, .. } => {
            prose(summary, page)
        }
        _ => fold("message", value, page),
    }
}

fn write_system(system: &SystemMessage, value: &Value, page: &mut dyn Page) -> Done {
    page.fold_begin(Fold::More, &Shown::line("prompt and tools"))?;
    write_content(value.get("content"), page)?;
    for (name, part) in &system.sections {
        let part = part.as_ref().map(JsString::to_text);
        let (name, part) = (name.to_text(), part.as_deref().unwrap_or("removed"));
        page.fact(&Shown::line("section"), &Shown::line(&name))?;
        page.verbatim(&Shown::block(part))?;
    }
    for tool in &system.tools_added {
        let name = tool.get_string("name").map(ToString::to_string).unwrap_or_default();
        if !page.json(&Shown::owned(&format!("tool added: {name}")), tool)? {
            some_fact("tool added", tool.get_string("name"), page)?;
        }
    }
    for name in &system.tools_removed {
        some_fact("tool removed", Some(name), page)?;
    }
    Ok(page.fold_end()?)
}

fn write_user(user: &UserMessage, value: &Value, page: &mut dyn Page) -> Done {
    write_content(value.get("content"), page)?;
    for attachment in &user.attachments {
        let name = attachment.file_name.as_ref().or(attachment.id.as_ref());
        some_fact("attachment", name, page)?;
        if let Some(text) = &attachment.extracted_text {
            page.fold_begin(Fold::More, &Shown::line("text of the attachment"))?;
            page.verbatim(&Shown::block(&text.to_text()))?;
            page.fold_end()?;
        }
    }
    Ok(())
}

fn write_answer(answer: &AssistantMessage, value: &Value, page: &mut dyn Page) -> Done {
    write_content(value.get("content"), page)?;
    some_fact("error", answer.error_message.as_ref(), page)
}

fn write_result(result: &ToolResultMessage, value: &Value, page: &mut dyn Page) -> Done {
    let text = result.content.to_text("\n");
    let summary = format!("{}: {text}", numbers::count(text.lines().count(), "line", "lines"));
    page.fold_begin(Fold::Result, &Shown::short(&summary, SUMMARY_CHARS))?;
    let diff = value.get("details").and_then(|details| details.get_string("diff"));
    let shows_diff = match diff.filter(|diff| !diff.is_empty()) {
        Some(diff) => page.diff(&diff.to_text())?,
        None => false,
    };
    match value.get("content") {
        Some(Value::String(text)) => page.output(&text.to_text())?,
        Some(Value::Array(blocks)) => {
            for block in blocks {
                match Block::decode(block) {
                    Block::Text { text, .. } => page.output(&text.to_text())?,
                    _ => write_block(block, page)?,
                }
            }
        }
        other => write_content(other, page)?,
    }
    page.fold_end()?;
    match value.get("details") {
        Some(Value::Object(details)) if shows_diff => {
            let mut others = details.clone();
            for name in ["diff", "firstChangedLine"] {
                others.remove(name);
            }
            if !others.is_empty() {
                fold("details", &Value::Object(others), page)?;
            }
        }
        _ => details(value, page)?,
    }
    match &result.nested_calls {
        Some(calls) => fold("calls of the tool", calls, page),
        None => Ok(()),
    }
}

fn write_bash(bash: &BashExecution, page: &mut dyn Page) -> Done {
    page.verbatim(&Shown::block(&format!("$ {}", bash.command)))?;
    if !bash.output.is_empty() {
        let lines = bash.output.to_text().lines().count();
        let summary = numbers::count(lines, "line of output", "lines of output");
        page.fold_begin(Fold::Result, &Shown::owned(&summary))?;
        page.output(&bash.output.to_text())?;
        page.fold_end()?;
    }
    some_fact("whole output", bash.full_output_path.as_ref(), page)
}

fn write_custom(_custom: &CustomMessage, value: &Value, page: &mut dyn Page) -> Done {
    write_content(value.get("content"), page)?;
    details(value, page)
}

/// Content of any shape.
fn write_content(content: Option<&Value>, page: &mut dyn Page) -> Done {
    match content {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(text)) => prose(text, page),
        Some(Value::Array(blocks)) => blocks.iter().try_for_each(|block| write_block(block, page)),
        Some(other) => fold("content", other, page),
    }
}

fn write_block(value: &Value, page: &mut dyn Page) -> Done {
    match Block::decode(value) {
        Block::Text { text, .. } => prose(&text, page),
        Block::Thinking { thinking, redacted, .. } => {
            let hidden = redacted && thinking.is_empty();
            let summary = if hidden { "thinking that the provider hid" } else { "thinking" };
            page.fold_begin(Fold::Thinking, &Shown::line(summary))?;
            if !thinking.is_empty() {
                page.verbatim(&Shown::block(&thinking.to_text()))?;
            }
            Ok(page.fold_end()?)
        }
        ref block @ Block::ToolCall { ref arguments, ref arguments_error, .. } => {
            write_call(&call_from_block(block).unwrap_or_default(), arguments.as_ref(), page)?;
            match arguments_error {
                Some(error) => fold("arguments that could not be read", error, page),
                None => Ok(()),
            }
        }
        Block::Image { data, mime_type } => {
            write_image(&data, mime_type.as_ref(), value.get_string("data"), page)
        }
        _ => fold("block", value, page),
    }
}

/// The members of a call's arguments that tell it from others, in this order.
pub const TELLING: [&str; 9] =
    ["command", "pattern", "query", "path", "file_path", "url", "task", "prompt", "description"];

/// What a block calls.
pub(crate) fn call_from_block(block: &Block) -> Option<Call> {
    let Block::ToolCall { id, name, arguments, .. } = block else { return None };
    let argument = |key: &&str| {
        let text = arguments.as_ref()?.get_string(key).filter(|text| !text.is_empty())?;
        Some(text.to_text().into_owned())
    };
    let text = |text: &Option<JsString>| text.as_ref().map(ToString::to_string);
    let short = |text: String| Shown::short(&text, SUMMARY_CHARS).as_str().to_owned();
    let name = text(name).filter(|name| !name.is_empty());
    let first = arguments.as_ref().and_then(|all| all.get_number("offset"));
    Some(Call {
        id: text(id).unwrap_or_default(),
        name: short(name.unwrap_or_else(|| "unknown".to_owned())),
        what: TELLING.iter().find_map(argument).map(short),
        path: ["path", "file_path"].iter().find_map(argument),
        first_line: first.filter(|line| (1.0..1e9).contains(line)).map(|line| line as u64),
        body: Vec::new(),
    })
}

fn write_call(call: &Call, arguments: Option<&Value>, page: &mut dyn Page) -> Done {
    if page.call(call, arguments)? {
        return Ok(());
    }
    let summary = match &call.what {
        Some(what) => format!("tool call {}: {what}", call.name),
        None => format!("tool call {}", call.name),
    };
    page.fold_begin(Fold::More, &Shown::short(&summary, SUMMARY_CHARS))?;
    if let Some(arguments) = arguments {
        write_members(arguments, page)?;
    }
    Ok(page.fold_end()?)
}

fn write_image(
    data: &ImageData,
    mime_type: Option<&JsString>,
    base64: Option<&JsString>,
    page: &mut dyn Page,
) -> Done {
    let mime = mime_type.map_or("of unknown type".into(), JsString::to_text);
    let safe = SAFE_IMAGES.iter().find(|safe| **safe == mime);
    let base64 = base64.filter(|data| is_base64(data)).and_then(JsString::as_str);
    if let (Some(safe), Some(base64)) = (safe, base64) {
        return Ok(page.image(safe, base64)?);
    }
    let text = match data {
        ImageData::Inline(chars) => format!("image, {mime}, {}", numbers::image_size(*chars)),
        ImageData::Blob { digest, .. } => {
            format!("image, {mime}, kept beside the file as {digest}")
        }
        _ => format!("image, {mime}, without data"),
    };
    Ok(page.remark(&Shown::owned(&text))?)
}

fn prose(text: &JsString, page: &mut dyn Page) -> Done {
    let text = text.to_text();
    if text.trim().is_empty() {
        return Ok(());
    }
    Ok(page.prose(&Shown::block(&text))?)
}

fn some_fact(name: &'static str, value: Option<&JsString>, page: &mut dyn Page) -> Done {
    match value.filter(|value| !value.is_empty()) {
        Some(value) => Ok(page.fact(&Shown::line(name), &Shown::line(&value.to_text()))?),
        None => Ok(()),
    }
}

/// The `details` of a result or summary, folded.
fn details(value: &Value, page: &mut dyn Page) -> Done {
    match value.get("details").filter(|details| !details.is_null()) {
        Some(details) => fold("details", details, page),
        None => Ok(()),
    }
}

/// Any value, folded.
fn fold(name: &'static str, value: &Value, page: &mut dyn Page) -> Done {
    // Texts of several lines are better read as they are.
    let has_lines = value.strings().any(|text| text.as_bytes().contains(&b'\n'));
    if !has_lines && page.json(&Shown::line(name), value)? {
        return Ok(());
    }
    page.fold_begin(Fold::More, &Shown::line(name))?;
    write_members(value, page)?;
    Ok(page.fold_end()?)
}

/// The members of an object: texts as they are, all else as JSON.
fn write_members(value: &Value, page: &mut dyn Page) -> Done {
    let Value::Object(object) = value else {
        return Ok(page.verbatim(&Shown::block(&stringify(value)))?);
    };
    for (name, member) in object.iter() {
        let name = name.to_text();
        match member {
            Value::String(text) if text.as_bytes().contains(&b'\n') => {
                page.fact(&Shown::line(&name), &Shown::line(""))?;
                page.verbatim(&Shown::block(&text.to_text()))?;
            }
            Value::String(text) => page.fact(&Shown::line(&name), &Shown::line(&text.to_text()))?,
            other => page.fact(&Shown::line(&name), &Shown::owned(&stringify(other)))?,
        }
    }
    Ok(())
}
