//! `--mode tools`: each tool call with its outcome, then totals for each tool.

use std::collections::{HashMap, VecDeque};

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message, ToolResultMessage};
use pitree_format::{Object, Role, Value};
use pitree_session::EntryRef;

use super::View;
use super::plain;
use super::table::print_table;
use super::tally::Sums;
use crate::error::{Exit, Result};
use crate::output::{Output, Style};
use crate::text::{clean_line, counted, shorten};

pub(super) fn run(view: &View<'_>, output: &mut Output) -> Result<Exit> {
    let mut calls = Calls::default();
    for turn in &view.turns {
        for entry in &turn.entries {
            calls.read(turn.number, *entry)?;
        }
    }
    let totals = calls.totals();
    if output.json {
        let list: Vec<Value> = calls.list.iter().map(|call| call.to_value(view.most)).collect();
        let totals: Vec<Value> = totals.iter().map(|(name, total)| total.to_value(name)).collect();
        let object = Object::new()
            .with("sessionId", view.session.id())
            .with("calls", list)
            .with("totals", totals);
        output.value(&object.into())?;
    } else if !calls.list.is_empty() {
        for call in &calls.list {
            call.print(view.most, output)?;
        }
        output.line("")?;
        let rows: Vec<Vec<String>> =
            totals.iter().map(|(name, total)| total.to_row(name)).collect();
        print_table(&["tool", "calls", "errors", "unanswered", "duration"], &rows, output)?;
    }
    if calls.list.is_empty() {
        output.remark("no tool calls")?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}

/// A tool call and its result. A result without a call has no arguments.
struct Call {
    turn: usize,
    entry_id: Option<String>,
    time: Option<i64>,
    id: String,
    name: String,
    arguments: Option<Value>,
    outcome: Option<ToolAnswer>,
}

struct ToolAnswer {
    entry_id: String,
    is_error: bool,
    duration_ms: Option<f64>,
    characters: usize,
    images: usize,
    /// Calls that the tool made in turn.
    nested: Vec<Value>,
}

impl ToolAnswer {
    fn of(entry: EntryRef<'_>, result: &ToolResultMessage) -> Self {
        let blocks = result.content.blocks();
        let nested = result.nested_calls.as_ref().and_then(|nested| nested.get("calls"));
        Self {
            entry_id: entry.id().to_owned(),
            is_error: result.is_error,
            duration_ms: result.duration_ms,
            characters: result.content.to_text("").chars().count(),
            images: blocks.iter().filter(|block| matches!(block, Block::Image { .. })).count(),
            nested: nested.and_then(Value::as_array).unwrap_or_default().to_vec(),
        }
    }

    fn text(&self) -> String {
        let mut parts = vec![if self.is_error { "failed" } else { "ok" }.to_owned()];
        parts.extend(self.duration_ms.map(plain::duration));
        parts.push(counted(self.characters, "character", "characters"));
        if self.images > 0 {
            parts.push(counted(self.images, "image", "images"));
        }
        parts.join(", ")
    }
}

/// What leads from a result to its call: the id, or the tool's name where the id is empty.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Id(String),
    Name(String),
}

impl Key {
    fn new(id: &str, name: &str) -> Self {
        if id.is_empty() { Self::Name(name.to_owned()) } else { Self::Id(id.to_owned()) }
    }
}

/// All calls of the turns, in order.
#[derive(Default)]
struct Calls {
    list: Vec<Call>,
    /// The calls that wait for a result, oldest first.
    waiting: HashMap<Key, VecDeque<usize>>,
    /// Where the calls of the latest answer begin.
    latest: usize,
}

impl Calls {
    fn read(&mut self, turn: usize, entry: EntryRef<'_>) -> Result<()> {
        if !entry.is_message(Role::Assistant) && !entry.is_message(Role::ToolResult) {
            return Ok(());
        }
        match entry.body()? {
            Body::Message(Message::Assistant(message)) => {
                self.latest = self.list.len();
                for block in message.content.blocks() {
                    self.add_call(turn, entry, block);
                }
            }
            Body::Message(Message::ToolResult(result)) => self.add_result(turn, entry, &result),
            _ => {}
        }
        Ok(())
    }

    fn add_call(&mut self, turn: usize, entry: EntryRef<'_>, block: &Block) {
        let Block::ToolCall { id, name, arguments, .. } = block else { return };
        let (id, name) = (plain::text_of(id.as_ref()), plain::text_of(name.as_ref()));
        self.waiting.entry(Key::new(&id, &name)).or_default().push_back(self.list.len());
        self.list.push(Call {
            turn,
            entry_id: Some(entry.id().to_owned()),
            time: entry.time(),
            id,
            name,
            arguments: arguments.clone(),
            outcome: None,
        });
    }

    fn add_result(&mut self, turn: usize, entry: EntryRef<'_>, result: &ToolResultMessage) {
        let id = plain::text_of(result.tool_call_id.as_ref());
        let name = plain::text_of(result.tool_name.as_ref());
        let outcome = Some(ToolAnswer::of(entry, result));
        let call = self.take(&Key::new(&id, &name)).and_then(|at| self.list.get_mut(at));
        match call {
            Some(call) => call.outcome = outcome,
            None => self.list.push(Call {
                turn,
                entry_id: None,
                time: entry.time(),
                id,
                name,
                arguments: None,
                outcome,
            }),
        }
    }

    /// The first waiting call of the latest answer, else the youngest of the older ones: ids may
    /// come again in each answer, and an old call may never have been answered.
    fn take(&mut self, key: &Key) -> Option<usize> {
        let waiting = self.waiting.get_mut(key)?;
        let latest = self.latest;
        let at = waiting.partition_point(|&call| call < latest);
        if at < waiting.len() { waiting.remove(at) } else { waiting.pop_back() }
    }

    /// The totals by tool, the busiest first.
    fn totals(&self) -> Vec<(&str, Total)> {
        let mut sums: Sums<&str, Total> = Sums::default();
        for call in &self.list {
            sums.of(&call.name).add(call);
        }
        let mut totals: Vec<(&str, Total)> = sums.into_list();
        totals.sort_by_key(|(_, total)| std::cmp::Reverse(total.calls));
        totals
    }
}

impl Call {
    fn to_value(&self, most: usize) -> Value {
        let arguments = self.arguments.as_ref().map(|arguments| {
            if most == usize::MAX {
                arguments.clone()
            } else {
                shorten(&pitree_format::js::stringify(arguments), most).into()
            }
        });
        let result = self.outcome.as_ref().map(|outcome| {
            let nested = Some(outcome.nested.clone()).filter(|nested| !nested.is_empty());
            Object::new()
                .with("entryId", outcome.entry_id.as_str())
                .with("isError", outcome.is_error)
                .with("durationMs", outcome.duration_ms)
                .with("characters", outcome.characters)
                .with("images", outcome.images)
                .with_some("nestedCalls", nested)
        });
        Object::new()
            .with("turn", self.turn)
            .with("entryId", self.entry_id.as_deref())
            .with("timestamp", plain::iso(self.time))
            .with("id", self.id.as_str())
            .with("name", self.name.as_str())
            .with("arguments", arguments)
            .with("result", result)
            .into()
    }

    fn print(&self, most: usize, output: &mut Output) -> Result<()> {
        let time = output.paint(Style::Dim, &plain::minute(self.time));
        let arguments = match &self.arguments {
            Some(arguments) => plain::json_line(arguments, most),
            None if self.entry_id.is_some() => String::new(),
            None => "(a result without a call)".to_owned(),
        };
        let name = output.paint(Style::Bold, &shown_name(&self.name));
        output.folded(&format!("{:>4}  {time}  {name} {arguments}", self.turn), 6)?;
        let Some(outcome) = &self.outcome else {
            return output.line(&format!("      ← {}", output.paint(Style::Warning, "no result")));
        };
        let style = if outcome.is_error { Style::Warning } else { Style::Dim };
        output.folded(&format!("      ← {}", output.paint(style, &outcome.text())), 8)?;
        for nested in &outcome.nested {
            let name = plain::name(nested.get_string("name"));
            let status = plain::name(nested.get_string("status"));
            let arguments =
                nested.get("arguments").map(|a| plain::json_line(a, most)).unwrap_or_default();
            output.folded(&format!("        {name} {arguments} ← {status}"), 10)?;
        }
        Ok(())
    }
}

fn shown_name(name: &str) -> String {
    if name.is_empty() { "unknown".to_owned() } else { shorten(&clean_line(name), 100) }
}

/// All calls of one tool.
#[derive(Default)]
struct Total {
    calls: usize,
    errors: usize,
    unanswered: usize,
    duration_ms: f64,
    /// How many calls have a duration.
    timed: usize,
}

impl Total {
    fn add(&mut self, call: &Call) {
        self.calls += 1;
        match &call.outcome {
            None => self.unanswered += 1,
            Some(outcome) => {
                self.errors += usize::from(outcome.is_error);
                self.timed += usize::from(outcome.duration_ms.is_some());
                self.duration_ms += outcome.duration_ms.unwrap_or(0.0);
            }
        }
    }

    fn to_value(&self, name: &str) -> Value {
        Object::new()
            .with("name", name)
            .with("calls", self.calls)
            .with("errors", self.errors)
            .with("unanswered", self.unanswered)
            .with("durationMs", (self.timed > 0).then_some(self.duration_ms))
            .with("timed", self.timed)
            .into()
    }

    fn to_row(&self, name: &str) -> Vec<String> {
        let duration = match self.timed {
            0 => "unknown".to_owned(),
            timed if timed == self.calls => plain::duration(self.duration_ms),
            timed => format!("{} ({timed} of {})", plain::duration(self.duration_ms), self.calls),
        };
        let counts =
            [self.calls, self.errors, self.unanswered].map(|count| plain::counted(count as f64));
        let mut row = vec![shown_name(name)];
        row.extend(counts);
        row.push(duration);
        row
    }
}
