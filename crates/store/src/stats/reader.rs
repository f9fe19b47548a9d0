//! What is counted of one file: a row for each entry.

use std::collections::VecDeque;

use pitree_format::migrate::SourceVersion;
use pitree_format::recognize::Opening;
use pitree_format::{EntryKind, Role};
use pitree_session::open_file;

use super::calls::{RawCall, each_call};
use super::command::command_name;
use super::names::{BEYOND, Names};
use super::touched::{Touch, TouchedFile, touched_file};
use crate::discover::{FileStamp, FoundFile};
use crate::facts::NotListed;
use crate::hash::{Map, Mixer};
use crate::ledger::{Selection, Tokens, cost_of, direct_runs, usage_key};
use crate::reading::raw::raw_string;
use crate::reading::{
    Consumer, EntryLine, HeaderFacts, Links, ReadError, Summary, read_lines, read_usage,
};

/// What stands for no name.
pub(super) const NONE: u32 = BEYOND - 1;

/// A name longer than this is counted without it.
const MOST_NAME_BYTES: usize = 1024;

/// What is counted of one file.
pub(super) struct FileRows {
    pub(super) header: HeaderFacts,
    /// Whether its directory is selected. Of other files only the keys of the rows matter.
    pub(super) is_selected: bool,
    /// One for each entry, in file order.
    pub(super) rows: Vec<Row>,
    /// In the order of the rows that make them.
    pub(super) calls: Vec<Call>,
    /// How many ends the tree has.
    pub(super) ends: usize,
    /// The places of entries with more than one child, and of their second children.
    pub(super) branch_points: Vec<(u32, u32)>,
    pub(super) tools: Vec<String>,
    pub(super) models: Vec<String>,
    pub(super) files: Vec<TouchedFile>,
    pub(super) commands: Vec<String>,
}

/// An entry.
pub(super) struct Row {
    /// Equal for all copies of the entry.
    pub(super) key: u64,
    /// Equal for all copies of the entry, even under another id.
    pub(super) twin: u64,
    pub(super) time_ms: Option<i64>,
    pub(super) what: What,
}

/// What an entry counts as. Names are given by their places in the lists of the file.
#[derive(Clone, Copy)]
pub(super) enum What {
    Nothing,
    Message(Role),
    Reply { model: u32, failed: bool },
    ToolResult { tool: u32, command: u32, is_error: bool, has_call: bool, runs: u16 },
    UserCommand { command: u32, is_error: bool },
    Compaction,
    BranchSummary,
    Label,
}

/// A tool call of a reply.
pub(super) struct Call {
    /// The place of the reply's row.
    pub(super) row: u32,
    pub(super) tool: u32,
    /// [`NONE`] if it does not touch a file.
    pub(super) file: u32,
    pub(super) touch: Touch,
    /// [`NONE`] if it is not a shell command.
    pub(super) command: u32,
}

/// Reads a file; `None` if it is not a session.
pub(super) fn read_file(
    found: &FoundFile,
    selection: &Selection,
    is_selected: &dyn Fn(&str) -> bool,
) -> Result<Option<FileRows>, String> {
    let file = match open_file(&found.path).map_err(NotListed::from) {
        Ok(file) => file,
        Err(NotListed::Unreadable(reason)) => return Err(reason),
        Err(NotListed::NotASession(_)) => return Ok(None),
    };
    // The file may have grown, or been replaced, since it was found.
    let size = FileStamp::of_open(&file).unwrap_or(found.stamp).size;
    let mut reader = Reader::new(selection, is_selected);
    match read_lines(&file, Summary::beginning(found.kind), size, &mut reader) {
        Ok(end) => Ok(if end.recognizer.has_header() { reader.finish() } else { None }),
        Err(ReadError::NotASession(_)) => Ok(None),
        Err(ReadError::Io(error)) => Err(pitree_session::cause(&error).to_string()),
    }
}

struct Reader<'s> {
    selection: &'s Selection,
    selects: &'s dyn Fn(&str) -> bool,
    header: Option<HeaderFacts>,
    is_selected: bool,
    /// A file of version 1 is a plain list of entries, without links.
    is_list: bool,
    links: Links,
    rows: Vec<Row>,
    calls: Vec<Call>,
    tools: Names<String>,
    models: Names<String>,
    files: Names<TouchedFile>,
    commands: Names<String>,
    /// The calls that wait for a result, oldest first, by their ids; by the name of the tool where
    /// there is no id.
    waiting: Map<u64, VecDeque<u32>>,
    /// Where the calls of the latest reply begin.
    latest: usize,
}

impl<'s> Reader<'s> {
    fn new(selection: &'s Selection, selects: &'s dyn Fn(&str) -> bool) -> Self {
        Self {
            selection,
            selects,
            header: None,
            is_selected: false,
            is_list: false,
            links: Links::default(),
            rows: Vec::new(),
            calls: Vec::new(),
            tools: Names::default(),
            models: Names::default(),
            files: Names::default(),
            commands: Names::default(),
            waiting: Map::default(),
            latest: 0,
        }
    }

    fn finish(self) -> Option<FileRows> {
        let resolved = (!self.is_list).then(|| self.links.resolve());
        let ends = resolved.as_ref().map_or(1, |resolved| resolved.shape().ends);
        Some(FileRows {
            header: self.header?,
            is_selected: self.is_selected,
            rows: self.rows,
            calls: self.calls,
            ends,
            branch_points: resolved.map(|it| it.branch_points()).unwrap_or_default(),
            tools: self.tools.into_list(),
            models: self.models.into_list(),
            files: self.files.into_list(),
            commands: self.commands.into_list(),
        })
    }

    fn what(&mut self, line: &EntryLine<'_>) -> What {
        match line.kind {
            EntryKind::Message => match line.role {
                Role::Assistant => self.reply(line),
                Role::ToolResult => self.tool_result(line),
                Role::BashExecution => self.user_command(line),
                role => What::Message(role),
            },
            EntryKind::Compaction => What::Compaction,
            EntryKind::BranchSummary => What::BranchSummary,
            // A label without a text takes one away.
            EntryKind::Label if line.members.label.and_then(text).is_some() => What::Label,
            _ => What::Nothing,
        }
    }

    fn reply(&mut self, line: &EntryLine<'_>) -> What {
        let message = &line.members.message;
        let model = match (message.provider.and_then(text), message.answered_by().and_then(text)) {
            (Some(provider), Some(model)) => format!("{provider}/{model}"),
            (one, other) => one.or(other).unwrap_or_default(),
        };
        self.latest = self.calls.len();
        if let Some(content) = message.content {
            each_call(content, |call| self.call(&call));
        }
        What::Reply { model: place(&mut self.models, model), failed: message.failed() }
    }

    fn call(&mut self, call: &RawCall<'_>) {
        let name = call.name.and_then(text).unwrap_or_default();
        let id = call.id.and_then(text);
        let number = self.calls.len() as u32;
        self.waiting.entry(waiting_key(id.as_deref(), &name)).or_default().push_back(number);
        let touch = Touch::of_tool(&name);
        let file = touch.zip(call.path.and_then(text)).and_then(|(_, path)| {
            touched_file(&path, self.header.as_ref().map_or("", |header| &header.cwd))
        });
        let is_shell = name.eq_ignore_ascii_case("bash");
        let command = call.command.filter(|_| is_shell).and_then(text);
        let command = command.and_then(|line| command_name(&line));
        self.calls.push(Call {
            row: self.rows.len() as u32,
            tool: place(&mut self.tools, name),
            file: file.map_or(NONE, |file| self.files.place(file)),
            touch: touch.unwrap_or(Touch::Read),
            command: command.map_or(NONE, |name| place(&mut self.commands, name)),
        });
    }

    fn tool_result(&mut self, line: &EntryLine<'_>) -> What {
        let message = &line.members.message;
        let id = message.tool_call_id.and_then(text);
        let name = message.tool_name.and_then(text).unwrap_or_default();
        let call = self.take_waiting(waiting_key(id.as_deref(), &name));
        let call = call.and_then(|number| self.calls.get(number as usize));
        let (tool, command, row) = match call {
            Some(call) => (call.tool, call.command, Some(call.row)),
            None => (place(&mut self.tools, name), NONE, None),
        };
        // A call of another time is not counted, so the result stands for it.
        let called_at = row.and_then(|row| self.rows.get(row as usize)).map(|row| row.time_ms);
        let has_call = called_at.is_some_and(|time| self.selection.contains_time(time));
        let is_error = message.is_error == Some(b"true");
        let runs = message.details.map_or(0, direct_runs);
        let runs = u16::try_from(runs).unwrap_or(u16::MAX);
        What::ToolResult { tool, command, is_error, has_call, runs }
    }

    /// The first waiting call of the latest reply, else the youngest of the older ones: ids may
    /// come again in each reply, and an old call may never have been answered.
    fn take_waiting(&mut self, key: u64) -> Option<u32> {
        let waiting = self.waiting.get_mut(&key)?;
        let at = waiting.partition_point(|&call| (call as usize) < self.latest);
        if at < waiting.len() { waiting.remove(at) } else { waiting.pop_back() }
    }

    fn user_command(&mut self, line: &EntryLine<'_>) -> What {
        let message = &line.members.message;
        let command = message.command.and_then(text).and_then(|line| command_name(&line));
        // A command that was canceled has no exit code.
        let is_error = message.exit_code.is_some_and(|code| !matches!(code, b"0" | b"null"));
        let command = command.map_or(NONE, |name| place(&mut self.commands, name));
        What::UserCommand { command, is_error }
    }
}

impl Consumer for Reader<'_> {
    fn header(&mut self, opening: &Opening) {
        self.is_list = opening.version == SourceVersion::V1;
        let header = HeaderFacts::of(opening);
        self.is_selected = (self.selects)(&header.cwd);
        self.header = Some(header);
    }

    fn entry(&mut self, line: &EntryLine<'_>) {
        let (key, twin) = keys(line);
        let mut what = What::Nothing;
        if self.is_selected {
            self.links.add(line);
            what = self.what(line);
        }
        self.rows.push(Row { key, twin, time_ms: line.time(), what });
    }
}

/// The keys of an entry: see [`Row`]. The first one is that of the ledger.
fn keys(line: &EntryLine<'_>) -> (u64, u64) {
    let (members, message) = (line.members, &line.members.message);
    let usage = match line.kind {
        EntryKind::Message => message.usage,
        _ => members.usage,
    };
    let usage = usage.and_then(read_usage);
    let tokens = usage.as_ref().map(Tokens::of).unwrap_or_default();
    let usage = usage_key(&tokens, usage.as_ref().and_then(cost_of));
    let kind = line.kind as u64;
    let call = message.tool_call_id.and_then(raw_string);
    let mut twin = Mixer::new(11).number(kind).number(usage);
    if let Some(call) = &call {
        twin = twin.bytes(call.as_bytes());
    }
    let time = line.time().unwrap_or(i64::MIN);
    (line.key(10, usage), twin.number(time.cast_unsigned()).finish())
}

/// What leads from a result to its call: the id, or the name of the tool where there is none.
fn waiting_key(id: Option<&str>, name: &str) -> u64 {
    match id {
        Some(id) => Mixer::new(12).bytes(id.as_bytes()).finish(),
        None => Mixer::new(13).bytes(name.as_bytes()).finish(),
    }
}

/// The text of a raw string, if there is any.
fn text(raw: &[u8]) -> Option<String> {
    raw_string(raw).map(|text| text.to_text().into_owned()).filter(|text| !text.is_empty())
}

fn place(names: &mut Names<String>, name: String) -> u32 {
    if name.len() > MOST_NAME_BYTES { BEYOND } else { names.place(name) }
}
