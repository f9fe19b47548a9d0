//! The conversation, in windows of rows.

use pitree_export::nodes::{ViewOptions, entry_view};
use pitree_format::message::{Block, Content, Message};
use pitree_format::{Object, Role, Value};
use pitree_session::{EntryRef, TreeFilter};

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;

/// A request gets no more rows than this.
const MOST_ROWS: usize = 200;

/// So many rows below a call its result is looked for.
const NEAR: usize = 200;

/// A part of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) from: usize,
    pub(crate) count: usize,
}

impl Window {
    pub(crate) fn new(from: Option<usize>, count: Option<usize>) -> Self {
        Self { from: from.unwrap_or(0), count: count.unwrap_or(MOST_ROWS).min(MOST_ROWS) }
    }

    /// What of a list is in it.
    pub(crate) fn of<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        let rest = list.get(self.from..).unwrap_or_default();
        &rest[..self.count.min(rest.len())]
    }
}

/// A window of a branch.
pub(crate) fn window(
    opened: &mut OpenSession,
    leaf: Option<usize>,
    filter: TreeFilter,
    window: &Window,
) -> Answer {
    let leaf = opened.leaf_or(leaf)?;
    let path = opened.path(leaf, filter)?;
    let mut rows = Vec::new();
    for (place, at) in window.of(&path).iter().enumerate() {
        let below = path.get(window.from + place + 1..).unwrap_or_default();
        rows.push(row(opened, *at, below)?);
    }
    let object = Object::new().with("from", window.from).with("total", path.len());
    Ok(Json::of(object.with("leaf", leaf).with("rows", list(rows, Value::from))))
}

/// One entry, whole.
pub(crate) fn one(opened: &OpenSession, at: usize) -> Answer {
    let entry = opened.entry(at)?;
    let view = entry_view(&opened.session, entry, &ViewOptions::whole())?;
    Ok(Json::of(view.to_json()))
}

/// The entries of a branch, as runs of places that follow each other.
pub(crate) fn path(opened: &mut OpenSession, leaf: Option<usize>, filter: TreeFilter) -> Answer {
    let leaf = opened.leaf_or(leaf)?;
    let path = opened.path(leaf, filter)?;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in &*path {
        match runs.last_mut() {
            Some((from, count)) if *from + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    let runs = list(runs, |(from, count)| Value::Array(vec![from.into(), count.into()]));
    Ok(Json::of(Object::new().with("leaf", leaf).with("total", path.len()).with("runs", runs)))
}

fn row(opened: &OpenSession, at: usize, below: &[usize]) -> Result<Object, Problem> {
    let entry = opened.entry(at)?;
    let view = entry_view(&opened.session, entry, &ViewOptions::default())?;
    let Value::Object(object) = view.to_json() else { return Ok(Object::new()) };
    let parent = entry.parent().map(|parent| parent.index());
    let object = object.with("at", at).with("parent", parent).with("line", entry.line());
    if !entry.is_message(Role::Assistant) {
        return Ok(object);
    }
    Ok(object.with("calls", calls(opened, entry, below)?))
}

/// The tool calls of a reply, each with the row of its result.
fn calls(opened: &OpenSession, reply: EntryRef<'_>, below: &[usize]) -> Result<Value, Problem> {
    let message = reply.message()?.unwrap_or(Value::Null);
    let Message::Assistant(reply) = Message::decode(&message) else {
        return Ok(Value::Array(Vec::new()));
    };
    let Content::Blocks(blocks) = reply.content else { return Ok(Value::Array(Vec::new())) };
    let mut calls = Vec::new();
    for block in blocks {
        let Block::ToolCall { id, name, .. } = block else { continue };
        let mut result = None;
        for at in below.iter().take(NEAR) {
            let entry = opened.entry(*at)?;
            // The results of a reply follow it, before anybody says anything else.
            if entry.is_message(Role::Assistant) || entry.is_message(Role::User) {
                break;
            }
            if entry.is_message(Role::ToolResult)
                && let Some(message) = entry.message()?
                && message.get_string("toolCallId") == id.as_ref()
            {
                result = Some(*at);
                break;
            }
        }
        calls.push(Object::new().with("id", id).with("name", name).with("resultAt", result));
    }
    Ok(list(calls, Value::from))
}
