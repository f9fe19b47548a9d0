//! The rows of one session.

use std::collections::HashSet;

use pitree_format::EntryKind;
use pitree_format::entry::Body;
use pitree_format::js::date::parse_iso;
use pitree_format::message::{AssistantMessage, Block, Message};
use pitree_sample::About;
use pitree_session::{EntryRef, LineProblem, Session, Tree};
use pitree_store::ledger::{Price, Sum, Tokens};
use pitree_store::roles::read_beacon;

use super::columns::Table;
use super::entries::{TreePosition, entry_row, money, set_tokens, usage_of};
use super::redactions::redaction_rows;
use super::row::{Cell, TableRow};
use super::tool_calls::Results;
use crate::error::ExtractError;
use crate::guard::Hit;

/// The file of a session.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// Unique in a data set.
    pub id: String,
    /// Its size.
    pub bytes: u64,
    /// The BLAKE3 hash of its bytes in hexadecimal digits, as it may be shown.
    pub blake3: Option<String>,
}

/// A session of which rows are made.
pub struct SessionTables<'s> {
    /// The session, redacted.
    pub session: &'s Session,
    /// What is known of it.
    pub about: &'s About,
    /// Its file.
    pub file: &'s SourceFile,
    /// What was replaced in it.
    pub hits: &'s [Hit],
}

/// Where rows go.
pub type Emit<'e> = &'e mut dyn FnMut(TableRow) -> Result<(), ExtractError>;

impl SessionTables<'_> {
    /// Makes the rows of `sessions`, `entries`, `tool_calls` and `redactions`. One entry is held
    /// at a time.
    pub fn rows(&self, emit: Emit<'_>) -> Result<(), ExtractError> {
        let session = self.session;
        let tree = session.tree();
        let positions = positions(session, &tree);
        let mut counts = Counts::default();
        let mut results = Results::default();
        let mut calling = Vec::new();
        for entry in session.entries() {
            let value = entry.value()?;
            let body = Body::decode(&value);
            if counts.add(&entry, &body) {
                calling.push(entry.index());
            }
            match &body {
                Body::Message(Message::ToolResult(result)) => results.add(&entry, result),
                Body::Message(Message::Assistant(reply)) => results.add_reply(&entry, reply),
                _ => {}
            }
            emit(self.mark(entry_row(&entry, value, &body, positions[entry.index()])))?;
        }
        let errors = results.errors();
        // Replies are read again, since their results stand behind them.
        let paired = results.pair(session, &tree, &positions);
        for entry in calling.into_iter().filter_map(|at| session.at(at)) {
            for mut row in paired.rows(&entry, session, positions[entry.index()])? {
                row.set("subagent_session_id", self.sent_out(&row));
                emit(self.mark(row))?;
            }
        }
        for row in redaction_rows(session, self.hits)? {
            emit(self.mark(row))?;
        }
        let mut row = self.session_row(&counts);
        row.set("n_tool_errors", errors);
        row.set("n_leaves", positions.iter().filter(|position| position.children == 0).count());
        emit(row)
    }

    /// The sessions of the sub-agents that a call sent out, by the entry of its result.
    fn sent_out(&self, call: &TableRow) -> Cell {
        let Some(Cell::Text(result)) = call.get("result_entry_id") else { return Cell::Empty };
        let runs = self.about.subagents.get(result).into_iter().flatten();
        let ids = runs.map(|run| &run.about.session_id).filter(|id| !id.is_empty());
        let ids: Vec<String> = ids.cloned().collect();
        if ids.is_empty() { Cell::Empty } else { Cell::Texts(ids) }
    }

    /// Sets what tells the file of a row.
    fn mark(&self, mut row: TableRow) -> TableRow {
        row.set("session_id", &self.about.session_id);
        row.set("file_id", &self.file.id);
        row
    }

    fn session_row(&self, counts: &Counts) -> TableRow {
        let (about, session) = (self.about, self.session);
        let mut row = self.mark(TableRow::new(Table::Sessions));
        row.set("path", &about.source_path);
        row.set("folder", folder_of(&about.source_path));
        row.set("file_blake3", self.file.blake3.as_ref());
        row.set("bytes", self.file.bytes);
        row.set("version", i64::from(session.source_version().number()));
        row.set("cwd", &about.cwd);
        let created = about.created_at.as_ref();
        row.set("created_at", created.and_then(|time| parse_iso(time.as_bytes())));
        row.set("last_at", session.entries().filter_map(|entry| entry.time()).max());
        row.set("name", about.name.as_ref());
        row.set("parent_session_id", about.parent_session_id.as_ref());
        row.set("family_id", &about.family_id);
        if let Some(role) = &about.role {
            row.set("gt_role", &role.role);
            row.set("gt_rig", role.rig.as_ref());
            row.set("gt_name", role.name.as_ref());
            row.set("role_source", role.source);
            row.set("role_confidence", role.confidence);
            row.set("role_conflict", role.conflict);
            row.set("town_root", role.town.as_ref());
        }
        if let Some(beacon) = counts.first_message.as_deref().and_then(read_beacon) {
            row.set("beacon_topic", beacon.topic);
            row.set("beacon_sender", beacon.sender);
            row.set("mol_id", beacon.molecule);
        }
        row.set("is_subagent", about.is_subagent);
        row.set("outcome", about.outcome.as_ref());
        row.set("active_leaf_id", session.leaf_id());
        let odd = session.odd_lines().iter();
        row.set("parse_errors", odd.filter(|line| line.what != LineProblem::Header).count());
        counts.set(&mut row);
        row
    }
}

/// What is counted of a session.
#[derive(Default)]
struct Counts {
    entries: usize,
    user: usize,
    assistant: usize,
    tool_calls: usize,
    compactions: usize,
    errors: usize,
    /// What the user said first.
    first_message: Option<String>,
    /// As provider/model, first come first.
    models: Vec<String>,
    /// The same to be looked up: a hostile file may name a new one in each reply.
    known_models: HashSet<String>,
    spent: Sum,
}

impl Counts {
    /// Takes an entry; says whether it calls tools.
    fn add(&mut self, entry: &EntryRef<'_>, body: &Body) -> bool {
        self.entries += 1;
        self.compactions += usize::from(entry.kind() == EntryKind::Compaction);
        if let Some(usage) = usage_of(body) {
            let cost = usage.counted_cost().and_then(Price::from_dollars);
            self.spent.add(&Tokens::of(usage), cost);
        }
        match body {
            Body::Message(Message::User(said)) => {
                self.user += 1;
                self.first_message.get_or_insert_with(|| said.content.to_text("\n"));
            }
            Body::Message(Message::Assistant(reply)) => return self.add_reply(reply),
            _ => {}
        }
        false
    }

    fn add_reply(&mut self, reply: &AssistantMessage) -> bool {
        self.assistant += 1;
        self.errors += usize::from(reply.stop_reason.as_ref().is_some_and(|why| *why == "error"));
        let names = [reply.provider.as_ref(), reply.answered_by()];
        let names: Vec<_> = names.into_iter().flatten().map(|name| name.to_text()).collect();
        let model = names.join("/");
        if !model.is_empty() && !self.known_models.contains(&model) {
            self.known_models.insert(model.clone());
            self.models.push(model);
        }
        let is_call = |block: &&Block| matches!(block, Block::ToolCall { .. });
        let calls = reply.content.blocks().iter().filter(is_call).count();
        self.tool_calls += calls;
        calls > 0
    }

    fn set(&self, row: &mut TableRow) {
        row.set("n_entries", self.entries);
        row.set("n_user", self.user);
        row.set("n_assistant", self.assistant);
        row.set("n_tool_calls", self.tool_calls);
        row.set("n_compactions", self.compactions);
        row.set("n_errors", self.errors);
        row.set("models", Cell::Texts(self.models.clone()));
        set_tokens(row, &self.spent.tokens);
        row.set("cost_usd", money(self.spent.cost.units()));
    }
}

/// The position of each entry in the tree.
fn positions(session: &Session, tree: &Tree) -> Vec<TreePosition> {
    let mut positions = vec![TreePosition::default(); session.len()];
    for step in tree.walk() {
        let position = &mut positions[step.entry];
        position.depth = u32::try_from(step.depth).unwrap_or(u32::MAX);
        position.children = u32::try_from(tree.children(step.entry).len()).unwrap_or(u32::MAX);
    }
    for entry in session.active_path() {
        positions[entry.index()].is_active = true;
    }
    positions
}

fn folder_of(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    folder.rsplit('/').next()
}
