//! The facts of a list, taken from the lines of a file.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use pitree_format::dialect::LookAlike;
use pitree_format::{EntryKind, JsString, Role};

use super::{FactsResult, ModelUse, SessionFacts, Spend};
use crate::discover::FileStamp;
use crate::hash::Set;
use crate::ledger::Spent;
use crate::reading::raw::{content_text, raw_number, raw_string};
use crate::reading::{EntryLine, HeaderFacts, read_whole};

/// A first message longer than this is cut in the listing.
const MOST_FIRST_MESSAGE_BYTES: usize = 64 << 10;

/// Why a file is not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
                write!(f, "it is not a Pi session; it looks like {kind}")
            }
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

/// Reads the facts of a session file.
pub fn read_facts(path: &Path, stamp: FileStamp) -> FactsResult {
    read_whole(path, crate::FileKind::Session, stamp).facts()
}

/// Takes the facts from the lines of a file.
pub(crate) struct FactsReader {
    facts: SessionFacts,
    last_activity: Option<f64>,
    models: ModelPlaces,
    /// The keys of the runs of sub-agents.
    runs: Set<u64>,
}

impl FactsReader {
    pub(crate) fn new(path: &Path, stamp: FileStamp) -> Self {
        let facts = SessionFacts {
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
            ends_failed: false,
            subagents: 0,
            damaged_lines: 0,
            models: Vec::new(),
            spend: Spend::default(),
            role_marker: None,
        };
        Self::behind(facts, None, [])
    }

    /// Goes on behind what was read before, with the keys of the runs that were told there.
    pub(crate) fn behind(
        facts: SessionFacts,
        last_activity: Option<f64>,
        runs: impl IntoIterator<Item = u64>,
    ) -> Self {
        let runs = runs.into_iter().collect();
        Self { facts, last_activity, models: ModelPlaces::default(), runs }
    }

    /// How many ends the tree had when it was read before.
    pub(crate) fn ends_before(&self) -> usize {
        self.facts.branches
    }

    pub(crate) fn last_activity(&self) -> Option<f64> {
        self.last_activity
    }

    pub(crate) fn header(&mut self, header: &HeaderFacts) {
        self.facts.id.clone_from(&header.id);
        self.facts.cwd = header.cwd.as_str().into();
        self.facts.parent_session.clone_from(&header.parent_session);
        self.facts.created_ms = header.created_ms;
    }

    pub(crate) fn damaged(&mut self) {
        self.facts.damaged_lines += 1;
    }

    /// Takes an entry, with what it spent.
    pub(crate) fn entry(&mut self, line: &EntryLine<'_>, spent: &Spent<'_>) {
        self.facts.entries += 1;
        self.spend(spent);
        let members = line.members;
        match line.kind {
            EntryKind::Message => self.message(line),
            EntryKind::SessionInfo => {
                let name = members.name.and_then(raw_string).map(|name| name.trim());
                self.facts.name = name.filter(|name| !name.is_empty());
            }
            EntryKind::Compaction => self.facts.compactions += 1,
            EntryKind::CustomMessage
                if members.custom_type == Some(b"\"gastown-prime\"")
                    && self.facts.role_marker.is_none() =>
            {
                let text = members.content.and_then(content_text);
                self.facts.role_marker = text.map(|text| text.to_text().into_owned());
            }
            _ => {}
        }
    }

    fn message(&mut self, line: &EntryLine<'_>) {
        self.facts.message_count += 1;
        let message = &line.members.message;
        let role = line.role;
        match role {
            Role::User | Role::Assistant => self.spoken(role, line),
            Role::ToolResult => {
                self.facts.errors += usize::from(message.is_error == Some(b"true"));
            }
            _ => {}
        }
        if role == Role::Assistant {
            self.facts.errors += usize::from(message.failed());
            self.facts.ends_failed = message.failed() || message.was_aborted();
            self.models.answer(&mut self.facts.models, message.provider, message.answered_by());
        }
    }

    fn spoken(&mut self, role: Role, line: &EntryLine<'_>) {
        let message = &line.members.message;
        // Without content it is no message for Pi's listing.
        let Some(content) = message.content else { return };
        let time = match message.timestamp.and_then(raw_number) {
            Some(time) => Some(time),
            None => line.written_at().map(|ms| ms as f64),
        };
        if let Some(time) = time {
            self.last_activity = Some(self.last_activity.unwrap_or(0.0).max(time));
        }
        if role == Role::User && self.facts.first_message.is_none() {
            let text = content_text(content).filter(|text| !text.is_empty());
            self.facts.first_message = text.map(cut);
        }
    }

    fn spend(&mut self, spent: &Spent<'_>) {
        if let Some(usage) = &spent.usage {
            self.facts.spend.add(usage);
        }
        self.facts.subagents += spent.direct_runs;
        for run in spent.runs {
            // A run that is told twice counts once.
            if self.runs.insert(run.key) {
                self.facts.spend.add_run(run);
            }
        }
    }

    pub(crate) fn finish(mut self, ends: usize) -> SessionFacts {
        self.facts.branches = ends;
        let activity = self.last_activity.filter(|time| *time > 0.0);
        self.facts.modified_ms = activity
            .map(|time| time as i64)
            .or(self.facts.created_ms)
            .unwrap_or_else(|| self.facts.stamp.modified_ms());
        self.facts
    }
}

/// Where the models of a list stand. A hostile file may name a new one in each answer.
#[derive(Default)]
struct ModelPlaces {
    /// Empty as long as the list is short.
    places: HashMap<(Arc<str>, Arc<str>), usize>,
    /// The answer before: most answers are of the same model.
    last: Option<LastAnswer>,
}

/// The model of an answer, as it is spelled, and its place.
struct LastAnswer {
    provider: Option<Vec<u8>>,
    model: Option<Vec<u8>>,
    at: usize,
}

impl ModelPlaces {
    /// So many models are compared one by one.
    const FEW: usize = 8;

    /// Counts an answer of a model, whose names are given as they are spelled.
    fn answer(
        &mut self,
        models: &mut Vec<ModelUse>,
        provider: Option<&[u8]>,
        model: Option<&[u8]>,
    ) {
        if let Some(last) = &self.last
            && (last.provider.as_deref(), last.model.as_deref()) == (provider, model)
        {
            models[last.at].answers += 1;
            return;
        }
        let text = |raw: Option<&[u8]>| {
            raw.and_then(raw_string).map(|text| text.to_text().into_owned()).unwrap_or_default()
        };
        let at = self.count(models, text(provider), text(model));
        let bytes = |raw: Option<&[u8]>| raw.map(<[u8]>::to_vec);
        self.last = Some(LastAnswer { provider: bytes(provider), model: bytes(model), at });
    }

    /// Counts an answer of a model and gives its place.
    fn count(&mut self, models: &mut Vec<ModelUse>, provider: String, model: String) -> usize {
        let few = models.len().min(Self::FEW);
        let is_it = |used: &ModelUse| *used.model == *model && *used.provider == *provider;
        if let Some(at) = models[..few].iter().position(is_it) {
            models[at].answers += 1;
            return at;
        }
        // What was read before a file has grown is not among the places yet.
        for (at, used) in models.iter().enumerate().skip(Self::FEW + self.places.len()) {
            self.places.insert((Arc::clone(&used.provider), Arc::clone(&used.model)), at);
        }
        let key: (Arc<str>, Arc<str>) = (provider.into(), model.into());
        match self.places.get(&key) {
            Some(&at) => {
                models[at].answers += 1;
                at
            }
            None => {
                models.push(ModelUse { provider: key.0, model: key.1, answers: 1 });
                models.len() - 1
            }
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
