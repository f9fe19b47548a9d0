//! The one pass over a file that the ledger needs.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use pitree_format::dialect::{opening_value, recognise_second};
use pitree_format::entry::Header;
use pitree_format::js::date::parse_iso;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_format::scan::{Envelope, Field, Level, Scanned, scan_members};
use pitree_format::{EntryKind, JsString, Role, Value};
use pitree_session::{LineReader, Next, open_file};

use super::active::Links;
use super::file::{About, FileLedger, FileRow, FileRun};
use super::hash::Mixer;
use super::money::{Price, Tokens, cost_of};
use super::runs::{call_key, runs_of, told_by_runs};
use super::usage::read_usage;
use super::{ModelName, SpendPart};
use crate::discover::{FileKind, FoundFile};
use crate::facts::content::{answered_by, content_text, raw_number, raw_string};
use crate::roles::{RoleRules, role_of};

/// What a file says was spent; `Ok(None)` when it is no session, `Err` when it could not be read.
pub(crate) fn read_file(found: &FoundFile) -> Result<Option<FileLedger>, String> {
    read(&found.path, found.kind, found.stamp.size)
}

pub(crate) fn read(path: &Path, kind: FileKind, size: u64) -> Result<Option<FileLedger>, String> {
    let file = open_file(path).map_err(|error| error.to_string())?;
    let mut pass = Pass { is_record: kind == FileKind::SubagentArtifact, ..Pass::default() };
    match pass.read(&file, size) {
        Ok(true) => Ok(Some(pass.finish())),
        Ok(false) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The raw members of a line that the ledger needs.
#[derive(Default)]
struct Members<'a> {
    usage: Option<&'a [u8]>,
    provider: Option<&'a [u8]>,
    model: Option<&'a [u8]>,
    custom_type: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
    message: MessageMembers<'a>,
}

#[derive(Default)]
struct MessageMembers<'a> {
    content: Option<&'a [u8]>,
    timestamp: Option<&'a [u8]>,
    usage: Option<&'a [u8]>,
    provider: Option<&'a [u8]>,
    model: Option<&'a [u8]>,
    response_model: Option<&'a [u8]>,
    tool_call_id: Option<&'a [u8]>,
    details: Option<&'a [u8]>,
}

impl<'a> Members<'a> {
    fn note(&mut self, level: Level, name: &'a [u8], value: &'a [u8]) {
        let slot = match (level, name) {
            (Level::Entry, b"usage") => &mut self.usage,
            (Level::Entry, b"provider") => &mut self.provider,
            (Level::Entry, b"model") => &mut self.model,
            (Level::Entry, b"customType") => &mut self.custom_type,
            (Level::Entry, b"content") => &mut self.content,
            // A message begins: what an earlier one of the same line said does not count.
            (Level::Entry, b"message") => {
                self.message = MessageMembers::default();
                return;
            }
            (Level::Message, b"content") => &mut self.message.content,
            (Level::Message, b"timestamp") => &mut self.message.timestamp,
            (Level::Message, b"usage") => &mut self.message.usage,
            (Level::Message, b"provider") => &mut self.message.provider,
            (Level::Message, b"model") => &mut self.message.model,
            (Level::Message, b"responseModel") => &mut self.message.response_model,
            (Level::Message, b"toolCallId") => &mut self.message.tool_call_id,
            (Level::Message, b"details") => &mut self.message.details,
            _ => return,
        };
        *slot = Some(value);
    }
}

/// A line with what was found in it.
struct Line<'a> {
    bytes: &'a [u8],
    envelope: Envelope<'a>,
    members: Members<'a>,
}

#[derive(Default)]
struct Pass {
    /// The record of a run may have no header and hold events.
    is_record: bool,
    /// The number of the line at hand, from 1.
    line_number: u32,
    about: About,
    models: ModelList,
    runs: Vec<FileRun>,
    rows: Vec<FileRow>,
    last_model: LastModel,
    header: Option<Value>,
    second_line_seen: bool,
    first_message: Option<JsString>,
    prime: Option<JsString>,
    links: Links,
    /// The entries of the answers among the rows.
    answers: Vec<(usize, usize)>,
}

impl Pass {
    /// `false` when the file is no session.
    fn read(&mut self, file: &File, size: u64) -> std::io::Result<bool> {
        let mut reader = LineReader::new(file, 0, size);
        loop {
            match reader.next_line()? {
                Next::End => return Ok(self.header.is_some() || self.is_record),
                Next::TooLong { .. } => self.line_number = self.line_number.saturating_add(1),
                Next::Line { bytes, .. } => {
                    self.line_number = self.line_number.saturating_add(1);
                    if !self.line(bytes) {
                        return Ok(false);
                    }
                }
            }
        }
    }

    fn line(&mut self, bytes: &[u8]) -> bool {
        let mut members = Members::default();
        let scanned = scan_members(bytes, |level, name, value| members.note(level, name, value));
        let envelope = match scanned {
            Scanned::Object(envelope) => envelope,
            Scanned::NotAnObject => return self.header.is_some() || self.is_record,
            Scanned::Blank | Scanned::Falsy | Scanned::Malformed(_) => return true,
        };
        if envelope.kind() == EntryKind::Session {
            return self.header.is_some() || self.take_header(bytes);
        }
        if self.header.is_none() && !self.is_record {
            return false;
        }
        if !std::mem::replace(&mut self.second_line_seen, true)
            && !self.is_record
            && recognise_second(&opening_value(bytes)).is_some()
        {
            return false;
        }
        self.entry(&Line { bytes, envelope, members });
        true
    }

    fn take_header(&mut self, bytes: &[u8]) -> bool {
        let value = opening_value(bytes);
        let is_header = value.get_string("id").is_some();
        self.header = Some(value).filter(|_| is_header);
        is_header || self.is_record
    }

    fn entry(&mut self, line: &Line<'_>) {
        let at = self.links.add(&line.envelope);
        let members = &line.members;
        match line.envelope.kind() {
            EntryKind::Message => self.message(line, at),
            EntryKind::Compaction => self.spent(line, SpendPart::Compaction, members.usage),
            EntryKind::BranchSummary => self.spent(line, SpendPart::BranchSummary, members.usage),
            EntryKind::Usage => self.spent(line, SpendPart::UsageEntry, members.usage),
            EntryKind::CustomMessage
                if members.custom_type == Some(b"\"gastown-prime\"") && self.prime.is_none() =>
            {
                self.prime = members.content.and_then(content_text);
            }
            EntryKind::Other
                if self.is_record && line.envelope.type_name == Field::Text(b"message_end") =>
            {
                self.message(line, at);
            }
            _ => {}
        }
    }

    fn message(&mut self, line: &Line<'_>, at: usize) {
        let message = &line.members.message;
        match line.envelope.role() {
            Role::User if self.first_message.is_none() => {
                let text = message.content.and_then(content_text);
                self.first_message = text.filter(|text| !text.is_empty());
            }
            Role::Assistant => {
                self.answers.push((self.rows.len(), at));
                self.spent(line, SpendPart::ActiveAssistant, message.usage);
            }
            Role::ToolResult => self.tool_result(line),
            _ => {}
        }
    }

    /// A tool result without a usage spent nothing. One that tells the usage of its sub-agents
    /// and the sum of them beside it spent that once.
    fn tool_result(&mut self, line: &Line<'_>) {
        let message = &line.members.message;
        let first = self.runs.len();
        if let Some(details) = message.details {
            let time = line.envelope.time().or_else(|| message_time(message));
            let call = match message.tool_call_id.and_then(raw_string) {
                Some(id) => call_key(&id),
                None => entry_key(line, 0),
            };
            self.runs.extend(runs_of(details, time, call, &mut self.models).runs);
        }
        if let Some(raw) = message.usage
            && let Some(usage) = read_usage(raw)
            && !told_by_runs(&usage, &self.runs[first..])
        {
            self.spent(line, SpendPart::ToolResult, Some(raw));
        }
    }

    /// Adds a row. An answer or a summary without a usage spent something that nobody recorded.
    fn spent(&mut self, line: &Line<'_>, part: SpendPart, raw: Option<&[u8]>) {
        let usage = raw.and_then(read_usage);
        let tokens = usage.as_ref().map(Tokens::of).unwrap_or_default();
        let cost = usage.as_ref().and_then(cost_of);
        let usage_key = usage_key(&tokens, cost);
        let time = message_time(&line.members.message);
        let (provider, model) = match part {
            SpendPart::UsageEntry => (line.members.provider, line.members.model),
            SpendPart::ActiveAssistant => {
                let message = &line.members.message;
                (message.provider, answered_by(message.response_model, message.model))
            }
            _ => (None, None),
        };
        let row = FileRow {
            key: entry_key(line, usage_key),
            said: time.map_or(0, |time| said_key(time, usage_key)),
            line: self.line_number,
            time_ms: line.envelope.time().or(time),
            part,
            model: self.last_model.place(&mut self.models, provider, model),
            tokens,
            cost,
        };
        self.rows.push(row);
    }

    fn finish(mut self) -> FileLedger {
        let header = self.header.take().unwrap_or(Value::Null);
        let is_list = self.is_record || source_version(&header) == SourceVersion::V1;
        let active = self.links.active(is_list);
        for (row, entry) in self.answers {
            if !active[entry] {
                self.rows[row].part = SpendPart::AbandonedAssistant;
            }
        }
        let header = Header::decode(&header);
        let text = |text: &Option<JsString>| text.as_ref().map(|text| text.to_text().into_owned());
        let about = &mut self.about;
        about.models = self.models.into_names();
        about.id = text(&header.id).unwrap_or_default();
        about.cwd = text(&header.cwd).unwrap_or_default();
        about.parent_session = text(&header.parent_session);
        about.created_ms = text(&header.timestamp).and_then(|time| parse_iso(time.as_bytes()));
        let (first, prime) = (text(&self.first_message), text(&self.prime));
        let role = |rules| {
            let found = role_of(&about.cwd, first.as_deref(), prime.as_deref(), rules);
            found.map(|found| found.role.to_string())
        };
        (about.role, about.seed_role) = (role(&RoleRules::CwdFirst), role(&RoleRules::Seed));
        FileLedger::new(self.about, self.runs, self.rows)
    }
}

fn message_time(message: &MessageMembers<'_>) -> Option<i64> {
    message.timestamp.and_then(raw_number).map(|time| time as i64)
}

/// A number for what a usage says.
pub(crate) fn usage_key(tokens: &Tokens, cost: Option<Price>) -> u64 {
    let numbers = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
    let mixer = numbers.into_iter().fold(Mixer::new(1), Mixer::number);
    mixer.number(cost.map_or(u64::MAX, |cost| cost.units().cast_unsigned())).finish()
}

/// Equal for all records of a message, whatever entry or event holds it.
pub(crate) fn said_key(time_ms: i64, usage_key: u64) -> u64 {
    Mixer::new(2).number(time_ms.cast_unsigned()).number(usage_key).finish()
}

/// Equal for all copies of an entry: its id, its time and its usage; without an id the line.
fn entry_key(line: &Line<'_>, usage_key: u64) -> u64 {
    let Field::Text(id @ [_, ..]) = line.envelope.id else {
        return Mixer::new(3).bytes(line.bytes).number(usage_key).finish();
    };
    let mixer = Mixer::new(4).bytes(id).number(usage_key);
    match (line.envelope.time(), line.envelope.timestamp) {
        (Some(time), _) => mixer.number(time.cast_unsigned()).finish(),
        (None, Field::Text(text)) => mixer.bytes(text).finish(),
        (None, _) => mixer.finish(),
    }
}

/// The model of the answer before, which is that of most answers.
#[derive(Default)]
struct LastModel {
    provider: Option<Vec<u8>>,
    model: Option<Vec<u8>>,
    place: Option<u32>,
}

impl LastModel {
    /// The place of a model among those of the file.
    fn place(
        &mut self,
        models: &mut ModelList,
        provider: Option<&[u8]>,
        model: Option<&[u8]>,
    ) -> u32 {
        if let Some(place) = self.place
            && (self.provider.as_deref(), self.model.as_deref()) == (provider, model)
        {
            return place;
        }
        let text = |raw: Option<&[u8]>| {
            let text = raw.and_then(raw_string)?.to_text().into_owned();
            (!text.is_empty()).then_some(text)
        };
        let place = models.place(ModelName { provider: text(provider), model: text(model) });
        let bytes = |raw: Option<&[u8]>| raw.map(<[u8]>::to_vec);
        *self = Self { provider: bytes(provider), model: bytes(model), place: Some(place) };
        place
    }
}

/// The models of a file, first come first. A hostile file may name a new one in each answer.
#[derive(Default)]
pub(crate) struct ModelList {
    places: HashMap<ModelName, u32>,
}

impl ModelList {
    /// The place of a name in the list, which grows if it is new.
    pub(crate) fn place(&mut self, name: ModelName) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry(name).or_insert(next)
    }

    fn into_names(self) -> Vec<ModelName> {
        let mut names: Vec<(ModelName, u32)> = self.places.into_iter().collect();
        names.sort_unstable_by_key(|(_, place)| *place);
        names.into_iter().map(|(name, _)| name).collect()
    }
}
