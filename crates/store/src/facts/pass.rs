//! The one pass over a file that a listing needs.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use pitree_format::dialect::{LookAlike, opening_value, recognise_first, recognise_second};
use pitree_format::entry::Header;
use pitree_format::js::date::parse_iso;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_format::scan::{Envelope, Level, Scanned, scan_members};
use pitree_format::{EntryKind, JsString, Role};
use pitree_session::{LineReader, Next, cause, open_file};

use super::content::{answered_by, content_text, raw_number, raw_string};
use super::grown::{MOST_LINKS, Rest};
use super::{FactsResult, ModelUse, SessionFacts, Spend};
use crate::discover::FileStamp;
use crate::ledger::{Links, ModelList, call_key, read_usage, runs_of, told_by_runs};

/// A first message longer than this is cut in the listing.
const MOST_FIRST_MESSAGE_BYTES: usize = 64 << 10;

/// Why a file is not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotListed {
    /// It has no header, or is another program's file.
    NotASession(Option<LookAlike>),
    /// It could not be read.
    Unreadable(String),
}

impl fmt::Display for NotListed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASession(None) => f.write_str("it is not a Pi session"),
            Self::NotASession(Some(kind)) => {
                write!(f, "it is not listed as a session: it looks like {kind}")
            }
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

/// What reading a file gave.
pub(crate) struct Reading {
    pub(crate) result: FactsResult,
    /// What the file was like when it was opened.
    pub(crate) stamp: FileStamp,
    /// What is needed to read on when the file has grown.
    pub(crate) rest: Option<Rest>,
}

/// Reads the facts of a session file.
pub fn read_facts(path: &Path, stamp: FileStamp) -> FactsResult {
    read_whole(path, stamp).result
}

/// Reads a file from its beginning.
pub(crate) fn read_whole(path: &Path, stamp: FileStamp) -> Reading {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(error) => return Reading { result: Err(error.into()), stamp, rest: None },
    };
    // The file may have grown, or been replaced, since it was found.
    let stamp = FileStamp::of_open(&file).unwrap_or(stamp);
    Pass::new(path, stamp).run(&file, 0)
}

/// Reads what was added to a file behind its old end. `None` when it has not just grown.
pub(crate) fn read_grown(mut facts: SessionFacts, rest: Rest) -> Option<Reading> {
    let file = open_file(&facts.path).ok()?;
    let stamp = FileStamp::of_open(&file)?;
    if !rest.fits(&file, facts.stamp, stamp) {
        return None;
    }
    let from = facts.stamp.size;
    facts.stamp = stamp;
    let pass = Pass {
        facts,
        header_seen: true,
        version_1: rest.version_1,
        second_line_seen: rest.second_line_seen,
        last_activity: rest.last_activity,
        links: Links::stable(&rest.links),
        models: ModelPlaces::default(),
        runs: rest.runs.into_iter().collect(),
    };
    Some(pass.run(&file, from))
}

/// The raw members of a line that the facts need.
#[derive(Default)]
struct Members<'a> {
    name: Option<&'a [u8]>,
    usage: Option<&'a [u8]>,
    custom_type: Option<&'a [u8]>,
    entry_content: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
    timestamp: Option<&'a [u8]>,
    message_usage: Option<&'a [u8]>,
    provider: Option<&'a [u8]>,
    model: Option<&'a [u8]>,
    response_model: Option<&'a [u8]>,
    stop_reason: Option<&'a [u8]>,
    is_error: Option<&'a [u8]>,
    details: Option<&'a [u8]>,
    tool_call_id: Option<&'a [u8]>,
}

impl<'a> Members<'a> {
    fn note(&mut self, level: Level, name: &'a [u8], value: &'a [u8]) {
        let slot = match (level, name) {
            (Level::Entry, b"name") => &mut self.name,
            (Level::Entry, b"usage") => &mut self.usage,
            (Level::Entry, b"customType") => &mut self.custom_type,
            (Level::Entry, b"content") => &mut self.entry_content,
            // A message begins: what an earlier one of the same line said does not count.
            (Level::Entry, b"message") => return self.forget_message(),
            (Level::Message, b"content") => &mut self.content,
            (Level::Message, b"timestamp") => &mut self.timestamp,
            (Level::Message, b"usage") => &mut self.message_usage,
            (Level::Message, b"provider") => &mut self.provider,
            (Level::Message, b"model") => &mut self.model,
            (Level::Message, b"responseModel") => &mut self.response_model,
            (Level::Message, b"stopReason") => &mut self.stop_reason,
            (Level::Message, b"isError") => &mut self.is_error,
            (Level::Message, b"details") => &mut self.details,
            (Level::Message, b"toolCallId") => &mut self.tool_call_id,
            _ => return,
        };
        *slot = Some(value);
    }

    fn forget_message(&mut self) {
        *self = Self {
            name: self.name,
            usage: self.usage,
            custom_type: self.custom_type,
            entry_content: self.entry_content,
            ..Self::default()
        };
    }
}

struct Pass {
    facts: SessionFacts,
    header_seen: bool,
    version_1: bool,
    second_line_seen: bool,
    last_activity: Option<f64>,
    links: Links,
    models: ModelPlaces,
    /// The keys of the runs of sub-agents.
    runs: HashSet<u64>,
}

impl Pass {
    fn new(path: &Path, stamp: FileStamp) -> Self {
        Self {
            facts: SessionFacts {
                path: path.to_owned(),
                stamp,
                id: String::new(),
                cwd: "".into(),
                name: None,
                parent_session: None,
                created_ms: None,
                modified_ms: 0,
                message_count: 0,
                first_message: None,
                entries: 0,
                branches: 0,
                compactions: 0,
                errors: 0,
                subagents: 0,
                damaged_lines: 0,
                models: Vec::new(),
                spend: Spend::default(),
                role_marker: None,
            },
            header_seen: false,
            version_1: false,
            second_line_seen: false,
            last_activity: None,
            links: Links::stable(&[]),
            models: ModelPlaces::default(),
            runs: HashSet::new(),
        }
    }

    fn run(mut self, file: &File, from: u64) -> Reading {
        let stamp = self.facts.stamp;
        match self.read(file, from) {
            Err(refused) => Reading { result: Err(refused), stamp, rest: None },
            Ok(false) => Reading { result: self.finish(), stamp, rest: None },
            Ok(true) => {
                let rest = || Rest {
                    head: 0,
                    tail: 0,
                    version_1: self.version_1,
                    second_line_seen: self.second_line_seen,
                    last_activity: self.last_activity,
                    links: self.links.to_kept(),
                    runs: self.runs.iter().copied().collect(),
                };
                let rest = (self.links.len() <= MOST_LINKS)
                    .then(rest)
                    .and_then(|rest| rest.with_marks(file, stamp.size));
                Reading { result: self.finish(), stamp, rest }
            }
        }
    }

    /// Reads all lines from a position on. Says whether the last one is finished.
    fn read(&mut self, file: &File, from: u64) -> Result<bool, NotListed> {
        let mut reader = LineReader::new(file, from, self.facts.stamp.size);
        let mut finished = true;
        loop {
            let next = reader.next_line();
            match next.map_err(|error| NotListed::Unreadable(cause(&error).to_string()))? {
                Next::End => return Ok(finished),
                Next::TooLong { terminated, .. } => {
                    finished = terminated;
                    self.facts.damaged_lines += 1;
                }
                Next::Line { bytes, terminated, .. } => {
                    finished = terminated;
                    self.line(bytes)?;
                }
            }
        }
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), NotListed> {
        let mut members = Members::default();
        match scan_members(bytes, |level, name, value| members.note(level, name, value)) {
            Scanned::Blank | Scanned::Falsy => {}
            Scanned::Malformed(_) => self.facts.damaged_lines += 1,
            Scanned::NotAnObject if !self.header_seen => {
                return Err(NotListed::NotASession(None));
            }
            Scanned::NotAnObject => self.facts.damaged_lines += 1,
            Scanned::Object(envelope) if !self.header_seen => self.first(bytes, &envelope)?,
            Scanned::Object(envelope) if envelope.kind() == EntryKind::Session => {}
            Scanned::Object(envelope) => {
                if !self.second_line_seen {
                    self.second_line_seen = true;
                    self.second(bytes)?;
                }
                self.entry(&envelope, &members);
            }
        }
        Ok(())
    }

    /// The first line that parses must be the header.
    fn first(&mut self, bytes: &[u8], envelope: &Envelope<'_>) -> Result<(), NotListed> {
        let value = opening_value(bytes);
        if envelope.kind() != EntryKind::Session || value.get_string("id").is_none() {
            return Err(NotListed::NotASession(recognise_first(&value)));
        }
        self.header_seen = true;
        self.version_1 = source_version(&value) == SourceVersion::V1;
        let header = Header::decode(&value);
        let text = |text: &Option<JsString>| text.as_ref().map(|text| text.to_text().into_owned());
        self.facts.id = text(&header.id).unwrap_or_default();
        self.facts.cwd = text(&header.cwd).unwrap_or_default().into();
        self.facts.parent_session = text(&header.parent_session);
        let created = text(&header.timestamp);
        self.facts.created_ms = created.and_then(|time| parse_iso(time.as_bytes()));
        Ok(())
    }

    fn second(&mut self, bytes: &[u8]) -> Result<(), NotListed> {
        match recognise_second(&opening_value(bytes)) {
            Some(kind) => Err(NotListed::NotASession(Some(kind))),
            None => Ok(()),
        }
    }

    fn entry(&mut self, envelope: &Envelope<'_>, members: &Members<'_>) {
        self.facts.entries += 1;
        self.links.add(envelope);
        match envelope.kind() {
            EntryKind::Message => self.message(envelope, members),
            EntryKind::SessionInfo => {
                let name = members.name.and_then(raw_string).map(|name| name.trim());
                self.facts.name = name.filter(|name| !name.is_empty());
            }
            EntryKind::Compaction => {
                self.facts.compactions += 1;
                self.spend(members.usage);
            }
            EntryKind::BranchSummary | EntryKind::Usage => self.spend(members.usage),
            EntryKind::CustomMessage
                if members.custom_type == Some(b"\"gastown-prime\"")
                    && self.facts.role_marker.is_none() =>
            {
                let text = members.entry_content.and_then(content_text);
                self.facts.role_marker = text.map(|text| text.to_text().into_owned());
            }
            _ => {}
        }
    }

    fn message(&mut self, envelope: &Envelope<'_>, members: &Members<'_>) {
        self.facts.message_count += 1;
        let role = envelope.role();
        match role {
            Role::User | Role::Assistant => self.spoken(role, envelope, members),
            Role::ToolResult => {
                self.facts.errors += usize::from(members.is_error == Some(b"true"));
                self.tool_result(members);
            }
            _ => {}
        }
        if role == Role::Assistant {
            self.answer(members);
        }
    }

    fn spoken(&mut self, role: Role, envelope: &Envelope<'_>, members: &Members<'_>) {
        // Without content it is no message for Pi's listing.
        let Some(content) = members.content else { return };
        let time = match members.timestamp.and_then(raw_number) {
            Some(time) => Some(time),
            None => envelope.time().map(|ms| ms as f64),
        };
        if let Some(time) = time {
            self.last_activity = Some(self.last_activity.unwrap_or(0.0).max(time));
        }
        if role == Role::User && self.facts.first_message.is_none() {
            let text = content_text(content).filter(|text| !text.is_empty());
            self.facts.first_message = text.map(cut);
        }
    }

    fn answer(&mut self, members: &Members<'_>) {
        let text = |raw: Option<&[u8]>| {
            raw.and_then(raw_string).map(|text| text.to_text().into_owned()).unwrap_or_default()
        };
        let stop = members.stop_reason;
        self.facts.errors += usize::from(stop == Some(b"\"error\""));
        let provider = text(members.provider);
        let model = text(answered_by(members.response_model, members.model));
        self.models.count(&mut self.facts.models, provider, model);
        self.spend(members.message_usage);
    }

    fn spend(&mut self, raw: Option<&[u8]>) {
        if let Some(usage) = raw.and_then(read_usage) {
            self.facts.spend.add(&usage);
        }
    }

    /// Adds what a tool spent, and the sub-agents that it sent out, by the rules of the ledger.
    fn tool_result(&mut self, members: &Members<'_>) {
        let details = members.details.unwrap_or_default();
        let call = match members.tool_call_id.and_then(raw_string) {
            Some(id) => call_key(&id),
            None => self.facts.entries as u64,
        };
        let told = runs_of(details, None, call, &mut ModelList::default());
        self.facts.subagents += told.direct;
        let usage = members.message_usage.and_then(read_usage);
        if let Some(usage) = usage.filter(|usage| !told_by_runs(usage, &told.runs)) {
            self.facts.spend.add(&usage);
        }
        for run in told.runs {
            // A run that is told twice counts once.
            if self.runs.insert(run.key) {
                self.facts.spend.add_run(&run);
            }
        }
    }

    fn finish(mut self) -> FactsResult {
        if !self.header_seen {
            return Err(NotListed::NotASession(None));
        }
        // A plain list has no links, and one end.
        self.facts.branches =
            if self.version_1 { self.facts.entries.min(1) } else { self.links.ends() };
        let activity = self.last_activity.filter(|time| *time > 0.0);
        self.facts.modified_ms = activity
            .map(|time| time as i64)
            .or(self.facts.created_ms)
            .unwrap_or_else(|| self.facts.stamp.modified_ms());
        Ok(self.facts)
    }
}

/// Where the models of a list stand. A hostile file may name a new one in each answer.
#[derive(Default)]
struct ModelPlaces {
    /// Empty as long as the list is short.
    places: HashMap<(Arc<str>, Arc<str>), usize>,
}

impl ModelPlaces {
    /// So many models are compared one by one.
    const FEW: usize = 8;

    /// Counts an answer of a model.
    fn count(&mut self, models: &mut Vec<ModelUse>, provider: String, model: String) {
        let few = models.len().min(Self::FEW);
        let is_it = |used: &&mut ModelUse| *used.model == *model && *used.provider == *provider;
        if let Some(known) = models[..few].iter_mut().find(is_it) {
            known.answers += 1;
            return;
        }
        // What was read before a file has grown is not among the places yet.
        for (at, used) in models.iter().enumerate().skip(Self::FEW + self.places.len()) {
            self.places.insert((Arc::clone(&used.provider), Arc::clone(&used.model)), at);
        }
        let key: (Arc<str>, Arc<str>) = (provider.into(), model.into());
        match self.places.get(&key) {
            Some(&at) => models[at].answers += 1,
            None => models.push(ModelUse { provider: key.0, model: key.1, answers: 1 }),
        }
    }
}

fn cut(text: JsString) -> JsString {
    if text.as_bytes().len() <= MOST_FIRST_MESSAGE_BYTES {
        return text;
    }
    let plain = text.to_text();
    let mut end = MOST_FIRST_MESSAGE_BYTES;
    while !plain.is_char_boundary(end) {
        end -= 1;
    }
    plain[..end].into()
}
