//! Rows for tool calls, each with its result.
//!
//! A result belongs to the nearest reply above it, and to the call with its id. Old files have
//! empty ids on both sides; then the first such result belongs to the first such call. A reply may
//! have several results for a call, on several branches: the one on the active path is taken, else
//! the first of the file.

use std::collections::HashMap;

use pitree_format::Value;
use pitree_format::message::{Block, Message, ToolResultMessage};
use pitree_session::{EntryRef, Session, SessionError, Tree};
use pitree_store::subagents::SubagentCall;

use super::columns::Table;
use super::entries::{Place, content_text, is_reply, whole};
use super::row::TableRow;

/// What is needed of a result.
struct ResultFacts {
    entry: usize,
    call_id: String,
    is_error: bool,
    chars: usize,
    is_truncated: Option<bool>,
    time: Option<i64>,
    duration_ms: Option<i64>,
    nested_calls: Option<usize>,
    subagent_runs: usize,
}

/// The results of a session, met one by one.
#[derive(Default)]
pub(crate) struct Results {
    facts: Vec<ResultFacts>,
}

/// The call of a reply that a result belongs to.
#[derive(PartialEq, Eq, Hash)]
enum Call {
    Id(usize, String),
    /// The number among the calls without an id.
    Unnamed(usize, usize),
}

impl Results {
    /// Takes a result.
    pub(crate) fn add(&mut self, entry: &EntryRef<'_>, result: &ToolResultMessage) {
        let text = content_text(&result.content).unwrap_or_default();
        let id = result.tool_call_id.as_ref();
        self.facts.push(ResultFacts {
            entry: entry.index(),
            call_id: id.map(|id| id.to_text().into_owned()).unwrap_or_default(),
            is_error: result.is_error,
            chars: text.chars().count(),
            is_truncated: result.details.as_ref().and_then(is_truncated),
            time: result.timestamp.and_then(whole).or(entry.time()),
            duration_ms: result.duration_ms.and_then(whole),
            nested_calls: result.nested_calls.as_ref().and_then(Value::as_array).map(<[_]>::len),
            subagent_runs: result
                .details
                .as_ref()
                .and_then(SubagentCall::decode)
                .map_or(0, |call| call.runs.len()),
        });
    }

    /// How many of them failed.
    pub(crate) fn errors(&self) -> usize {
        self.facts.iter().filter(|result| result.is_error).count()
    }

    /// Says which result belongs to which call.
    pub(crate) fn pair(self, session: &Session, tree: &Tree, places: &[Place]) -> Paired {
        let mut unnamed = vec![false; session.len()];
        for result in self.facts.iter().filter(|result| result.call_id.is_empty()) {
            unnamed[result.entry] = true;
        }
        let owners = owners(session, tree, &unnamed);
        let mut of_call: HashMap<Call, usize> = HashMap::new();
        for (number, result) in self.facts.iter().enumerate() {
            let Some((reply, before)) = owners[result.entry] else { continue };
            let call = match &*result.call_id {
                "" => Call::Unnamed(reply, before),
                id => Call::Id(reply, id.to_owned()),
            };
            let slot = of_call.entry(call).or_insert(number);
            let is_active = |number: usize| places[self.facts[number].entry].is_active;
            if !is_active(*slot) && is_active(number) {
                *slot = number;
            }
        }
        Paired { facts: self.facts, of_call }
    }
}

/// For each entry the nearest reply above it, and how many unnamed results stand between them.
fn owners(session: &Session, tree: &Tree, unnamed: &[bool]) -> Vec<Option<(usize, usize)>> {
    let mut owners = vec![None; session.len()];
    for step in tree.walk() {
        let Some(entry) = session.at(step.entry) else { continue };
        owners[step.entry] = entry.parent().and_then(|parent| {
            if is_reply(&parent) {
                return Some((parent.index(), 0));
            }
            let (reply, before) = owners[parent.index()]?;
            Some((reply, before + usize::from(unnamed[parent.index()])))
        });
    }
    owners
}

/// Which result belongs to which call.
pub(crate) struct Paired {
    facts: Vec<ResultFacts>,
    of_call: HashMap<Call, usize>,
}

impl Paired {
    /// The rows of a reply's calls, without what tells its file.
    pub(crate) fn rows(
        &self,
        entry: &EntryRef<'_>,
        session: &Session,
        at: Place,
    ) -> Result<Vec<TableRow>, SessionError> {
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::Assistant(reply) = Message::decode(&message) else { return Ok(Vec::new()) };
        let called = reply.timestamp.and_then(whole).or(entry.time());
        let mut rows = Vec::new();
        let mut unnamed = 0;
        for block in reply.content.blocks() {
            let Block::ToolCall { id, name, arguments, namespace, .. } = block else { continue };
            let id = id.as_ref().map(|id| id.to_text().into_owned()).unwrap_or_default();
            let (call, call_id) = if id.is_empty() {
                unnamed += 1;
                let made_up = format!("{}_{}", entry.id(), rows.len());
                (Call::Unnamed(entry.index(), unnamed - 1), made_up)
            } else {
                (Call::Id(entry.index(), id.clone()), id.clone())
            };
            let mut row = TableRow::new(Table::ToolCalls);
            row.set("entry_id", entry.id());
            row.set("call_idx", rows.len());
            row.set("call_id", call_id);
            row.set("call_id_synth", id.is_empty());
            row.set("name", name.as_ref());
            row.set("namespace", namespace.as_ref());
            row.set("arguments", arguments.as_ref());
            row.set("on_active_path", at.is_active);
            row.set("ts", called);
            if let Some(number) = self.of_call.get(&call) {
                self.set_result(&mut row, &self.facts[*number], session, called);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn set_result(
        &self,
        row: &mut TableRow,
        result: &ResultFacts,
        session: &Session,
        called: Option<i64>,
    ) {
        let between = || result.time?.checked_sub(called?);
        row.set("result_entry_id", session.at(result.entry).map(|entry| entry.id()));
        row.set("is_error", result.is_error);
        row.set("result_chars", result.chars);
        row.set("result_truncated", result.is_truncated);
        row.set("duration_ms", result.duration_ms.or_else(between));
        row.set("nested_calls", result.nested_calls);
        row.set("subagent_runs", result.subagent_runs);
    }
}

/// Whether a tool says that it cut its result.
fn is_truncated(details: &Value) -> Option<bool> {
    let truncation = details.get("truncation").unwrap_or(details);
    truncation.get("truncated").and_then(Value::as_bool)
}
