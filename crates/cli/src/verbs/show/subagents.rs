//! `--mode subagents`: what sub-agents did, from the `details` of the tools that ran them.
//!
//! The files that a result names are shown and never opened: their paths come from the session.

use pitree_format::message::{Message, ToolResultMessage};
use pitree_format::usage::Usage;
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::{EntryRef, outline_of};
use pitree_store::subagents::{SubagentCall, split_model};

use super::View;
use super::page::Page;
use super::plain;
use crate::error::{Exit, Result};
use crate::output::Output;
use crate::text::{counted, first_lines};

/// The members of `details` that have a place of their own.
const KNOWN_DETAILS: [&str; 3] = ["mode", "results", "artifacts"];

/// How many inline messages are shown.
const MOST_MESSAGES: usize = 20;

pub(super) fn run(view: &View<'_>, output: &mut Output) -> Result<Exit> {
    let mut runs = Vec::new();
    for turn in &view.turns {
        for entry in &turn.entries {
            runs.extend(Run::of(turn.number, *entry)?);
        }
    }
    if output.json {
        let list: Vec<Value> = runs.iter().map(|run| run.to_value(view.most)).collect();
        let object = Object::new().with("sessionId", view.session.id()).with("runs", list);
        output.value(&object.into())?;
    } else {
        let mut page = Page::new(output, view.most);
        runs.iter().try_for_each(|run| run.print(&mut page))?;
    }
    if runs.is_empty() {
        output.remark("no sub-agent runs")?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}

/// One tool result that holds the results of sub-agents.
struct Run<'s> {
    turn: usize,
    entry: EntryRef<'s>,
    tool_name: Option<JsString>,
    tool_call_id: Option<JsString>,
    is_error: bool,
    details: Object,
}

impl<'s> Run<'s> {
    fn of(turn: usize, entry: EntryRef<'s>) -> Result<Option<Self>> {
        if !entry.is_message(Role::ToolResult) {
            return Ok(None);
        }
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::ToolResult(result) = Message::decode(&message) else { return Ok(None) };
        let ToolResultMessage { tool_name, tool_call_id, is_error, details, .. } = *result;
        Ok(match details {
            Some(details) if SubagentCall::decode(&details).is_some() => {
                let Value::Object(details) = details else { return Ok(None) };
                Some(Self { turn, entry, tool_name, tool_call_id, is_error, details })
            }
            _ => None,
        })
    }

    fn results(&self) -> &[Value] {
        self.details.get("results").and_then(Value::as_array).unwrap_or_default()
    }

    fn to_value(&self, most: usize) -> Value {
        let results: Vec<Value> =
            self.results().iter().filter_map(Value::as_object).map(result_value).collect();
        let rest = others(&self.details, &KNOWN_DETAILS).map(|(k, v)| (k.clone(), v.clone()));
        let rest = Object::from_members(rest.collect());
        let object = Object::new()
            .with("turn", self.turn)
            .with("entryId", self.entry.id())
            .with("timestamp", plain::iso(self.entry.time()))
            .with("toolName", self.tool_name.clone())
            .with("toolCallId", self.tool_call_id.clone())
            .with("isError", self.is_error)
            .with("mode", self.details.get("mode").cloned())
            .with("results", results)
            .with("artifacts", self.details.get("artifacts").cloned())
            .with_some("otherDetails", Some(rest).filter(|rest| !rest.is_empty()));
        plain::cut_strings(object.into(), most)
    }

    fn print(&self, page: &mut Page<'_>) -> Result<()> {
        let mode = plain::name(self.details.get("mode").and_then(Value::as_string));
        let turn = format!("turn {}", self.turn);
        let agents = counted(self.results().len(), "agent", "agents");
        let failed = if self.is_error { "failed" } else { "" };
        let time = plain::minute(self.entry.time());
        let name = plain::name(self.tool_name.as_ref());
        let particulars = [&*mode, &*agents, failed, &*turn, &*time, self.entry.id()];
        page.heading(&name, &particulars)?;
        for (at, result) in self.results().iter().enumerate() {
            if let Some(result) = result.as_object() {
                print_result(at + 1, result, page)?;
            }
        }
        if let Some(artifacts) = self.details.get("artifacts") {
            page.some_member("artifacts in", artifacts.get("dir"))?;
            let files = artifacts.get("files").and_then(Value::as_array).unwrap_or_default();
            files.iter().try_for_each(|file| print_paths(file, page))?;
        }
        for (name, value) in others(&self.details, &KNOWN_DETAILS) {
            page.some_member(&name.to_text(), Some(value))?;
        }
        Ok(())
    }
}

/// The members whose names are not in the list.
fn others<'o>(
    object: &'o Object,
    known: &'o [&'o str],
) -> impl Iterator<Item = (&'o JsString, &'o Value)> {
    object.iter().filter(move |(name, _)| !known.iter().any(|known| **name == *known))
}

/// A result with all its members; of the messages only how many there are.
fn result_value(result: &Object) -> Value {
    let mut members: Vec<(JsString, Value)> = Vec::with_capacity(result.len() + 1);
    for (name, value) in result.iter() {
        match (name.as_str(), value) {
            (Some("model"), Value::String(model)) => {
                let (model, level) = split_model(model);
                members.push(("model".into(), model.into()));
                members.extend(level.map(|level| ("thinkingLevel".into(), level.into())));
            }
            (Some("messages"), Value::Array(messages)) => {
                members.push(("messageCount".into(), messages.len().into()));
            }
            _ => members.push((name.clone(), value.clone())),
        }
    }
    Object::from_members(members).into()
}

/// The members that have a line of their own.
const SHOWN: [&str; 11] = [
    "agent",
    "task",
    "exitCode",
    "messages",
    "model",
    "usage",
    "progressSummary",
    "skills",
    "sessionFile",
    "artifactPaths",
    "progress",
];

fn print_result(number: usize, result: &Object, page: &mut Page<'_>) -> Result<()> {
    let agent = plain::name(result.get("agent").and_then(Value::as_string));
    let exit = match result.get("exitCode").and_then(Value::as_number) {
        Some(code) => format!("exit code {}", plain::number(code)),
        None => "exit code unknown".to_owned(),
    };
    page.line(&format!("{number}. {agent}: {exit}"))?;
    page.some_member("task", result.get("task"))?;
    if let Some(model) = result.get("model").and_then(Value::as_string) {
        let (model, level) = split_model(model);
        let level = level.map(|level| format!(", thinking {level}")).unwrap_or_default();
        page.line(&format!("model: {}{level}", plain::name(Some(&model))))?;
    }
    if let Some(usage) = result.get("usage") {
        print_usage(usage, page)?;
    }
    if let Some(summary) = result.get("progressSummary") {
        print_summary(summary, page)?;
    }
    page.some_member("skills", result.get("skills"))?;
    page.some_member("session file", result.get("sessionFile"))?;
    if let Some(paths) = result.get("artifactPaths") {
        print_paths(paths, page)?;
    }
    page.some_member("progress", result.get("progress"))?;
    for (name, value) in others(result, &SHOWN) {
        page.some_member(&name.to_text(), Some(value))?;
    }
    print_messages(result.get("messages").and_then(Value::as_array).unwrap_or_default(), page)
}

fn print_usage(usage: &Value, page: &mut Page<'_>) -> Result<()> {
    let Some(decoded) = Usage::decode(usage) else { return page.some_member("usage", Some(usage)) };
    let number = |number: Option<f64>| number.map_or("unknown".to_owned(), plain::counted);
    let cost = decoded.counted_cost();
    page.line(&format!(
        "tokens: input {}, output {}, cache read {}, cache write {}; cost {}; turns {}",
        number(decoded.input),
        number(decoded.output),
        number(decoded.cache_read),
        number(decoded.cache_write),
        cost.map_or("unknown".to_owned(), plain::dollars),
        number(usage.get_number("turns")),
    ))
}

fn print_summary(summary: &Value, page: &mut Page<'_>) -> Result<()> {
    let number = |key| summary.get_number(key);
    let mut parts = Vec::new();
    parts.extend(number("toolCount").map(|count| format!("tool calls {}", plain::counted(count))));
    parts.extend(number("tokens").map(|tokens| format!("tokens {}", plain::counted(tokens))));
    parts.extend(number("durationMs").map(plain::duration));
    if parts.is_empty() {
        return page.some_member("summary", Some(summary));
    }
    page.line(&format!("work: {}", parts.join(", ")))
}

/// Paths by name, as text.
fn print_paths(paths: &Value, page: &mut Page<'_>) -> Result<()> {
    match paths.as_object() {
        Some(paths) => {
            paths.iter().try_for_each(|(name, path)| page.some_member(&name.to_text(), Some(path)))
        }
        None => page.some_member("artifacts", Some(paths)),
    }
}

/// The inline conversation, a line a message.
fn print_messages(messages: &[Value], page: &mut Page<'_>) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    page.line(&format!("{}:", counted(messages.len(), "message", "messages")))?;
    let line = |message: &Value| {
        // Some tools keep whole entries here.
        let outline = if message.get("message").is_some() {
            outline_of(message)
        } else {
            outline_of(
                &Object::new().with("type", "message").with("message", message.clone()).into(),
            )
        };
        plain::first_words(&outline, 100)
    };
    let lines = first_lines(messages, MOST_MESSAGES, line);
    lines.iter().try_for_each(|line| page.line(&format!("  {line}")))
}
