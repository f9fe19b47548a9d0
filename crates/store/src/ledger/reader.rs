//! What was spent, taken from the lines of a file.

use std::collections::HashMap;

use pitree_format::scan::Field;
use pitree_format::usage::Usage;
use pitree_format::{EntryKind, JsString, Role};

use super::file::{About, FileLedger, FileRow, FileRun};
use super::money::{Price, Tokens, cost_of};
use super::runs::{ToldRuns, call_key, runs_of, told_by_runs};
use super::{ModelName, SpendPart};
use crate::facts::SessionFacts;
use crate::hash::Mixer;
use crate::reading::raw::{content_text, raw_string};
use crate::reading::{EntryLine, HeaderFacts, Shape, read_usage};
use crate::roles::{RoleRules, role_of};

/// What an entry spent.
pub(crate) struct Spent<'r> {
    /// The usage that counts as its own.
    pub(crate) usage: Option<Usage>,
    /// The runs of sub-agents that it tells, and those that they tell.
    pub(crate) runs: &'r [FileRun],
    /// How many of them its tool sent out itself.
    pub(crate) direct_runs: usize,
}

/// Takes what was spent from the lines of a file.
#[derive(Default)]
pub(crate) struct SpendReader {
    /// The record of a run may hold events.
    is_record: bool,
    about: About,
    models: ModelList,
    last_model: LastModel,
    runs: Vec<FileRun>,
    /// In the order of the lines.
    rows: Vec<FileRow>,
    /// The rows of answers, with the places of their entries among the links.
    answers: Vec<(u32, u32)>,
    /// In a record, of which there are no facts: the first thing that the user said, and what
    /// primed an agent of Gas Town.
    first_message: Option<JsString>,
    prime: Option<JsString>,
    /// What was spent before, if the rows are only those of added entries.
    before: Option<FileLedger>,
}

impl SpendReader {
    pub(crate) fn new(is_record: bool) -> Self {
        Self { is_record, ..Self::default() }
    }

    /// Goes on behind what was read before; `None` if its single usages are not at hand.
    pub(crate) fn behind(ledger: FileLedger, answers: Vec<(u32, u32)>) -> Option<Self> {
        let mut rows: Vec<FileRow> = ledger.rows()?.collect();
        rows.sort_by_key(|row| row.line);
        if answers.iter().any(|(row, _)| *row as usize >= rows.len()) {
            return None;
        }
        let FileLedger { mut about, runs, .. } = ledger;
        let models = ModelList::of(std::mem::take(&mut about.models));
        Some(Self { about, models, runs, rows, answers, ..Self::default() })
    }

    /// Goes on behind what was read before, without its single usages: see
    /// [`SpendReader::finish_growth`].
    pub(crate) fn added_to(mut ledger: FileLedger) -> Self {
        let mut about = std::mem::take(&mut ledger.about);
        let models = ModelList::of(std::mem::take(&mut about.models));
        let runs = std::mem::take(&mut ledger.runs);
        Self { about, models, runs, before: Some(ledger), ..Self::default() }
    }

    /// See [`SpendReader::behind`].
    pub(crate) fn answers(&self) -> &[(u32, u32)] {
        &self.answers
    }

    /// The keys of the runs of sub-agents.
    pub(crate) fn run_keys(&self) -> Vec<u64> {
        self.runs.iter().map(|run| run.key).collect()
    }

    pub(crate) fn header(&mut self, header: HeaderFacts) {
        let about = &mut self.about;
        (about.id, about.cwd) = (header.id, header.cwd);
        (about.parent_session, about.created_ms) = (header.parent_session, header.created_ms);
    }

    /// Takes an entry, which has this place among the links.
    pub(crate) fn entry(&mut self, line: &EntryLine<'_>, place: usize) -> Spent<'_> {
        let (first_run, mut direct_runs) = (self.runs.len(), 0);
        let own = |reader: &mut Self, part| {
            let usage = line.members.usage.and_then(read_usage);
            reader.spent(line, part, usage.as_ref());
            usage
        };
        let usage = match line.kind {
            EntryKind::Message => self.message(line, place, &mut direct_runs),
            EntryKind::Compaction => own(self, SpendPart::Compaction),
            EntryKind::BranchSummary => own(self, SpendPart::BranchSummary),
            EntryKind::Usage => own(self, SpendPart::UsageEntry),
            EntryKind::CustomMessage
                if line.members.custom_type == Some(b"\"gastown-prime\"")
                    && self.is_record
                    && self.prime.is_none() =>
            {
                self.prime = line.members.content.and_then(content_text);
                None
            }
            EntryKind::Other
                if self.is_record && line.envelope.type_name == Field::Text(b"message_end") =>
            {
                self.message(line, place, &mut direct_runs)
            }
            _ => None,
        };
        Spent { usage, runs: &self.runs[first_run..], direct_runs }
    }

    fn message(
        &mut self,
        line: &EntryLine<'_>,
        place: usize,
        direct_runs: &mut usize,
    ) -> Option<Usage> {
        let message = &line.members.message;
        match line.role {
            Role::User if self.is_record && self.first_message.is_none() => {
                let text = message.content.and_then(content_text);
                self.first_message = text.filter(|text| !text.is_empty());
                None
            }
            Role::Assistant => {
                self.answers.push((self.rows.len() as u32, place as u32));
                let usage = message.usage.and_then(read_usage);
                self.spent(line, SpendPart::ActiveAssistant, usage.as_ref());
                usage
            }
            Role::ToolResult => self.tool_result(line, direct_runs),
            _ => None,
        }
    }

    /// A tool result without a usage spent nothing. One that tells the usage of its sub-agents
    /// and the sum of them beside it spent that once.
    fn tool_result(&mut self, line: &EntryLine<'_>, direct_runs: &mut usize) -> Option<Usage> {
        let message = &line.members.message;
        let first = self.runs.len();
        if let Some(details) = message.details {
            let call = match message.tool_call_id.and_then(raw_string) {
                Some(id) => call_key(&id),
                None => entry_key(line, 0),
            };
            let ToldRuns { runs, direct } = runs_of(details, line.time(), call, &mut self.models);
            *direct_runs = direct;
            self.runs.extend(runs);
        }
        let usage = message.usage.and_then(read_usage)?;
        if told_by_runs(&usage, &self.runs[first..]) {
            return None;
        }
        self.spent(line, SpendPart::ToolResult, Some(&usage));
        Some(usage)
    }

    /// Adds a row. An answer or a summary without a usage spent something that nobody recorded.
    fn spent(&mut self, line: &EntryLine<'_>, part: SpendPart, usage: Option<&Usage>) {
        let tokens = usage.map(Tokens::of).unwrap_or_default();
        let cost = usage.and_then(cost_of);
        let usage_key = usage_key(&tokens, cost);
        let (members, message) = (line.members, &line.members.message);
        let time = message.time();
        let (provider, model) = match part {
            SpendPart::UsageEntry => (members.provider, members.model),
            SpendPart::ActiveAssistant => (message.provider, message.answered_by()),
            _ => (None, None),
        };
        let row = FileRow {
            key: entry_key(line, usage_key),
            said: time.map_or(0, |time| said_key(time, usage_key)),
            line: line.number,
            time_ms: line.written_at().or(time),
            part,
            model: self.last_model.place(&mut self.models, provider, model),
            tokens,
            cost,
        };
        self.rows.push(row);
    }

    /// What was spent in all; the role comes from the facts where there are some.
    pub(crate) fn finish(mut self, shape: &Shape, facts: Option<&SessionFacts>) -> FileLedger {
        for (row, entry) in std::mem::take(&mut self.answers) {
            let is_active = shape.active.get(entry as usize).copied().unwrap_or(false);
            self.rows[row as usize].part = match is_active {
                true => SpendPart::ActiveAssistant,
                false => SpendPart::AbandonedAssistant,
            };
        }
        let (about, runs, rows, _) = self.finish_about(facts);
        FileLedger::new(about, runs, rows)
    }

    /// What was spent in all, after entries were added that are active, and leave active what
    /// was. `None` if the usages before are needed for it.
    pub(crate) fn finish_growth(self, facts: &SessionFacts) -> Option<FileLedger> {
        let (about, runs, rows, before) = self.finish_about(Some(facts));
        before?.grown_by(about, runs, rows)
    }

    fn finish_about(
        mut self,
        facts: Option<&SessionFacts>,
    ) -> (About, Vec<FileRun>, Vec<FileRow>, Option<FileLedger>) {
        let about = &mut self.about;
        about.models = self.models.into_names();
        let text = |text: Option<&JsString>| text.map(|text| text.to_text().into_owned());
        let (first, prime) = match facts {
            Some(facts) => (text(facts.first_message.as_ref()), facts.role_marker.clone()),
            None => (text(self.first_message.as_ref()), text(self.prime.as_ref())),
        };
        let role = |rules| {
            let found = role_of(&about.cwd, first.as_deref(), prime.as_deref(), rules);
            found.map(|found| found.role.to_string())
        };
        (about.role, about.seed_role) = (role(&RoleRules::CwdFirst), role(&RoleRules::Seed));
        (self.about, self.runs, self.rows, self.before)
    }
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
fn entry_key(line: &EntryLine<'_>, usage_key: u64) -> u64 {
    line.key(3, usage_key)
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

    fn of(names: Vec<ModelName>) -> Self {
        Self { places: names.into_iter().zip(0..).collect() }
    }

    fn into_names(self) -> Vec<ModelName> {
        let mut names: Vec<(ModelName, u32)> = self.places.into_iter().collect();
        names.sort_unstable_by_key(|(_, place)| *place);
        names.into_iter().map(|(name, _)| name).collect()
    }
}
