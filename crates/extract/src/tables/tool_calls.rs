//! Rows for tool calls, each with its result.
//!
//! Which result belongs to which call, and by which ids the calls go, is what samples say of the
//! branch as it was said: a result belongs to a call of the nearest reply above it. A call may have
//! several results, on several branches: the one on the active path is taken, else the first of
//! the file.

use std::collections::HashMap;

use pitree_format::JsString;
use pitree_format::Value;
use pitree_format::message::{AssistantMessage, Block, Message, ToolResultMessage};
use pitree_sample::turns::pairing::{CallName, CallNames, OpenCalls};
use pitree_sample::turns::{ReplyEnd, clean};
use pitree_session::{EntryRef, Session, SessionError, Tree};
use pitree_store::subagents::SubagentCall;

use super::columns::Table;
use super::entries::{TreePosition, content_text, is_reply, whole};
use super::row::TableRow;

/// What is needed of a result.
struct ResultFacts {
    entry: usize,
    call_id: String,
    tool: String,
    is_error: bool,
    chars: usize,
    is_truncated: Option<bool>,
    time: Option<i64>,
    duration_ms: Option<i64>,
    nested_calls: Option<usize>,
    subagent_runs: usize,
}

/// What is needed of a reply that calls tools.
struct ReplyFacts {
    /// Whether it is never sent on.
    is_failed: bool,
    /// The ids that the session has, and the tools.
    calls: Vec<(String, String)>,
}

/// The calls and the results of a session, met one by one.
#[derive(Default)]
pub(crate) struct Results {
    facts: Vec<ResultFacts>,
    replies: HashMap<usize, ReplyFacts>,
}

impl Results {
    /// Takes a reply that calls tools.
    pub(crate) fn add_reply(&mut self, entry: &EntryRef<'_>, reply: &AssistantMessage) {
        let calls = reply.content.blocks().iter().filter_map(|block| match block {
            Block::ToolCall { id, name, .. } => Some((plain(id.as_ref()), plain(name.as_ref()))),
            _ => None,
        });
        let end = ReplyEnd::of(reply.stop_reason.as_ref().and_then(|end| end.as_str()));
        let is_failed = end == ReplyEnd::Failed;
        let facts = ReplyFacts { is_failed, calls: calls.collect() };
        self.replies.insert(entry.index(), facts);
    }

    /// Takes a result.
    pub(crate) fn add(&mut self, entry: &EntryRef<'_>, result: &ToolResultMessage) {
        let text = content_text(&result.content).unwrap_or_default();
        self.facts.push(ResultFacts {
            entry: entry.index(),
            call_id: plain(result.tool_call_id.as_ref()),
            tool: plain(result.tool_name.as_ref()),
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
    pub(crate) fn pair(self, session: &Session, tree: &Tree, positions: &[TreePosition]) -> Paired {
        let numbers: HashMap<usize, usize> =
            self.facts.iter().enumerate().map(|(number, result)| (result.entry, number)).collect();
        let mut paired =
            Paired { facts: self.facts, names: HashMap::new(), results: HashMap::new() };
        let mut branch = Branch::default();
        for step in tree.walk() {
            let Some(entry) = session.at(step.entry) else { continue };
            branch.go_back_to(step.depth, &paired.names);
            let passed = if is_reply(&entry) {
                branch.open_calls(&entry, self.replies.get(&step.entry), &mut paired.names)
            } else if let Some(&number) = numbers.get(&step.entry) {
                branch.answer(&paired.facts[number]).map_or(Passed::Other, |(reply, at)| {
                    paired.add_result((reply, at), number, positions);
                    Passed::Result(at)
                })
            } else {
                Passed::Other
            };
            branch.passed.push(passed);
        }
        paired
    }
}

/// The way from the root to where a walk through the tree stands.
#[derive(Default)]
struct Branch {
    names: CallNames,
    /// The replies on the way, with their calls.
    open: Vec<(usize, OpenCalls)>,
    /// What each entry on the way did.
    passed: Vec<Passed>,
}

/// What an entry did when it was passed.
enum Passed {
    /// It opened calls. They go by names that are used if the reply is sent on.
    Reply {
        at: usize,
        uses_names: bool,
    },
    /// It answered the call at this place of the last reply.
    Result(usize),
    Other,
}

impl Branch {
    /// Takes back what the entries from this depth on did.
    fn go_back_to(&mut self, depth: usize, names: &HashMap<usize, Vec<CallName>>) {
        while self.passed.len() > depth {
            match self.passed.pop() {
                Some(Passed::Reply { at, uses_names }) => {
                    self.open.pop();
                    let names = names.get(&at).filter(|_| uses_names).into_iter().flatten();
                    self.names.free_all(names.map(|name| name.id.as_str()));
                }
                Some(Passed::Result(place)) => {
                    if let Some((_, calls)) = self.open.last_mut() {
                        calls.reopen(place);
                    }
                }
                Some(Passed::Other) | None => {}
            }
        }
    }

    fn open_calls(
        &mut self,
        entry: &EntryRef<'_>,
        reply: Option<&ReplyFacts>,
        names: &mut HashMap<usize, Vec<CallName>>,
    ) -> Passed {
        let at = entry.index();
        let Some(reply) = reply else {
            self.open.push((at, OpenCalls::default()));
            return Passed::Reply { at, uses_names: false };
        };
        let calls = reply.calls.iter().map(|(id, tool)| (id.as_str(), tool.as_str()));
        self.open.push((at, OpenCalls::new(calls)));
        let given = self.names.of(entry.id(), reply.calls.iter().map(|(id, _)| id.as_str()));
        if !reply.is_failed {
            self.names.use_all(given.iter().map(|name| name.id.as_str()));
        }
        names.insert(at, given);
        Passed::Reply { at, uses_names: !reply.is_failed }
    }

    /// The call that a result belongs to: its reply and its place.
    fn answer(&mut self, result: &ResultFacts) -> Option<(usize, usize)> {
        let (reply, calls) = self.open.last_mut()?;
        Some((*reply, calls.answer(&result.call_id, &result.tool)?))
    }
}

/// Which result belongs to which call, and by which ids the calls go.
pub(crate) struct Paired {
    facts: Vec<ResultFacts>,
    /// By the reply.
    names: HashMap<usize, Vec<CallName>>,
    /// By the reply and the place of the call.
    results: HashMap<(usize, usize), usize>,
}

impl Paired {
    fn add_result(&mut self, call: (usize, usize), number: usize, positions: &[TreePosition]) {
        let rank = |number: usize| {
            let entry = self.facts[number].entry;
            (!positions[entry].is_active, entry)
        };
        let new = rank(number);
        if self.results.get(&call).is_none_or(|&before| new < rank(before)) {
            self.results.insert(call, number);
        }
    }

    /// The rows of a reply's calls, without what tells its file.
    pub(crate) fn rows(
        &self,
        entry: &EntryRef<'_>,
        session: &Session,
        at: TreePosition,
    ) -> Result<Vec<TableRow>, SessionError> {
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::Assistant(reply) = Message::decode(&message) else { return Ok(Vec::new()) };
        let called = reply.timestamp.and_then(whole).or(entry.time());
        let mut rows = Vec::new();
        let mut names = self.names.get(&entry.index()).into_iter().flatten();
        for block in reply.content.blocks() {
            let Block::ToolCall { name, arguments, namespace, .. } = block else { continue };
            let Some(call) = names.next() else { break };
            let mut row = TableRow::new(Table::ToolCalls);
            row.set("entry_id", entry.id());
            row.set("call_idx", rows.len());
            row.set("call_id", &call.id);
            row.set("call_id_synth", call.is_made_up);
            row.set("name", name.as_ref());
            row.set("namespace", namespace.as_ref());
            row.set("arguments", arguments.as_ref());
            row.set("on_active_path", at.is_active);
            row.set("ts", called);
            if let Some(number) = self.results.get(&(entry.index(), rows.len())) {
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

fn plain(text: Option<&JsString>) -> String {
    text.map(clean::text).unwrap_or_default()
}

/// Whether a tool says that it cut its result.
fn is_truncated(details: &Value) -> Option<bool> {
    let truncation = details.get("truncation").unwrap_or(details);
    truncation.get("truncated").and_then(Value::as_bool)
}
