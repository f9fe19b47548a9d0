//! The facts of the tour, all of them asked of the engine.

use std::path::Path;

use pitree_format::entry::Body;
use pitree_format::message::Content;
use pitree_format::{Object, Role, Value};
use pitree_session::{EntryRef, Finding, ForkOptions, LineProblem, OpenOptions, Session};

use super::spend::Spend;
use super::store::SampleStore;
use super::store_tour::Together;
use super::training::Training;
use crate::error::{CommandError, Result};
use crate::hints;

/// A session file of the sample.
pub(super) struct Kept {
    pub(super) session: Session,
    pub(super) file: String,
    /// All lines, the header included.
    pub(super) lines: usize,
    pub(super) name: String,
    /// The id of the session it was forked from.
    pub(super) forked_from: Option<String>,
}

impl Kept {
    fn open(path: &Path, store: &SampleStore) -> Result<Self> {
        let session = OpenOptions::new().open(path, &store.workspace.environment)?;
        let name = session.name()?.map(|name| name.to_string()).unwrap_or_default();
        let lines = session.len() + session.odd_lines().len();
        Ok(Self { file: file_name(path), lines, name, forked_from: None, session })
    }

    /// Finds the session that the header names as its parent.
    fn find_parent(&mut self, others: &[Self]) {
        let Some(parent) = &self.session.header().parent_session else { return };
        let parent = file_name(Path::new(&*parent.to_text()));
        let found = others.iter().find(|other| other.file == parent);
        self.forked_from = found.map(|other| other.session.id());
    }

    fn to_value(&self) -> Value {
        Object::new()
            .with("file", self.file.as_str())
            .with("id", self.session.id())
            .with("name", self.name.as_str())
            .with("lines", self.lines)
            .with_some("forkedFrom", self.forked_from.as_deref())
            .into()
    }
}

/// The shape of the tree.
pub(super) struct Shape {
    pub(super) entries: usize,
    pub(super) active: usize,
    pub(super) branch_points: usize,
    pub(super) ends: usize,
    pub(super) labels: usize,
}

impl Shape {
    fn of(session: &Session) -> Result<Self> {
        let tree = session.tree();
        Ok(Self {
            entries: session.len(),
            active: session.active_path().len(),
            branch_points: tree.branch_points().count(),
            ends: tree.leaves().count(),
            labels: session.labels()?.iter().count(),
        })
    }

    fn to_value(&self, session: &Session) -> Value {
        Object::new()
            .with("entries", self.entries)
            .with("activePath", self.active)
            .with("branchPoints", self.branch_points)
            .with("ends", self.ends)
            .with("labels", self.labels)
            .with("leafId", session.leaf_id())
            .into()
    }
}

/// What the model is given.
pub(super) struct Given {
    pub(super) messages: usize,
    pub(super) tokens: f64,
    /// What the context held before the last compaction.
    pub(super) tokens_before: f64,
    /// The entries of the active path that the summary stands for.
    pub(super) summed_up: usize,
}

impl Given {
    fn of(session: &Session) -> Result<Self> {
        let path = session.active_path();
        let projection = session.projection()?;
        let mut tokens_before = 0.0;
        for entry in &path {
            if let Body::Compaction(compaction) = entry.body()? {
                tokens_before = compaction.tokens_before.unwrap_or(0.0);
            }
        }
        Ok(Self {
            messages: projection.messages().count(),
            tokens: session.context_estimate()?.tokens,
            tokens_before,
            summed_up: path.len() - projection.entries.len(),
        })
    }

    fn to_value(&self) -> Value {
        Object::new()
            .with("messages", self.messages)
            .with("tokens", self.tokens)
            .with("tokensBeforeCompaction", self.tokens_before)
            .with("entriesSummedUp", self.summed_up)
            .into()
    }
}

/// A fork that was made on the way.
pub(super) struct Fork {
    pub(super) at: String,
    /// The message to say anew.
    pub(super) text: String,
    pub(super) file: String,
    pub(super) entries: usize,
    /// Whether its header names the source.
    pub(super) names_source: bool,
    pub(super) source_bytes: usize,
    pub(super) source_unchanged: bool,
}

impl Fork {
    /// Forks where the user first went another way: at the first message off the active path.
    fn make(session: &Session, store: &SampleStore) -> Result<Option<Self>> {
        let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
        let mut left = session.entries().filter(|entry| !active.contains(&entry.index()));
        let Some(entry) = left.find(|entry| entry.is_message(Role::User)) else { return Ok(None) };
        let Some(source) = session.path() else { return Ok(None) };
        let message = entry.message()?.unwrap_or(Value::Null);
        let before = read(source)?;
        let mut fork = session.fork_before(entry.id(), &ForkOptions::default())?;
        fork.write_now()?;
        let Some(path) = fork.path() else { return Ok(None) };
        // What counts is what the file says, so it is read again.
        let written = Session::open(path, &store.workspace.environment)?;
        let parent = written.header().parent_session.as_ref().map(ToString::to_string);
        Ok(Some(Self {
            at: entry.id().to_owned(),
            text: Content::decode(message.get("content")).to_text(""),
            file: file_name(path),
            entries: written.len(),
            names_source: parent.as_deref().map(Path::new) == Some(source),
            source_bytes: before.len(),
            source_unchanged: read(source)? == before,
        }))
    }

    fn to_value(&self) -> Value {
        Object::new()
            .with("at", self.at.as_str())
            .with("text", self.text.as_str())
            .with("file", self.file.as_str())
            .with("entries", self.entries)
            .with("namesSource", self.names_source)
            .with("sourceBytes", self.source_bytes)
            .with("sourceUnchanged", self.source_unchanged)
            .into()
    }
}

/// What `check` says.
pub(super) struct Checked {
    /// Each with what it means.
    pub(super) findings: Vec<(Finding, String)>,
    /// The text of the damaged lines, as it stands in the file.
    pub(super) damaged: Vec<String>,
}

impl Checked {
    fn of(session: &Session) -> Result<Self> {
        let bytes = session.path().map(read).transpose()?.unwrap_or_default();
        let torn = |what: &LineProblem| matches!(what, LineProblem::Malformed { .. });
        let damaged = session.odd_lines().iter().filter(|odd| torn(&odd.what)).map(|odd| {
            let start = usize::try_from(odd.offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(usize::try_from(odd.len).unwrap_or(usize::MAX));
            String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned()
        });
        let advised = |finding: Finding| {
            let advice = hints::of_finding(&finding, session).into_owned();
            (finding, advice)
        };
        let findings = session.findings()?.into_iter().map(advised).collect();
        Ok(Self { findings, damaged: damaged.collect() })
    }

    fn to_value(&self) -> Value {
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|(finding, advice)| {
                Object::new()
                    .with("code", finding.code)
                    .with("line", finding.line as usize)
                    .with("text", finding.text.as_str())
                    .with("advice", advice.as_str())
                    .into()
            })
            .collect();
        let damaged: Vec<Value> = self.damaged.iter().map(|line| line.as_str().into()).collect();
        Object::new().with("findings", findings).with("damagedLines", damaged).into()
    }
}

/// Everything the tour tells.
pub(super) struct Facts {
    pub(super) folder: String,
    /// Never empty; the tour is about the first one.
    pub(super) kept: Vec<Kept>,
    pub(super) shape: Shape,
    pub(super) given: Given,
    pub(super) fork: Option<Fork>,
    pub(super) spend: Spend,
    pub(super) checked: Checked,
    pub(super) together: Together,
    pub(super) training: Training,
}

impl Facts {
    /// Runs the engine on the sample.
    pub(super) fn collect(store: &SampleStore) -> Result<Option<Self>> {
        let mut kept: Vec<Kept> = Vec::new();
        for path in store.files() {
            let mut session = Kept::open(&path, store)?;
            session.find_parent(&kept);
            kept.push(session);
        }
        let Some(first) = kept.first() else { return Ok(None) };
        let session = &first.session;
        // Before the tour adds a fork of its own.
        let together = Together::of(&store.workspace)?;
        Ok(Some(Self {
            folder: store.folder(),
            shape: Shape::of(session)?,
            given: Given::of(session)?,
            fork: Fork::make(session, store)?,
            spend: Spend::of(session)?,
            checked: Checked::of(session)?,
            training: Training::of(session)?,
            together,
            kept,
        }))
    }

    /// The facts as one object.
    pub(super) fn to_value(&self, next: Vec<Value>) -> Value {
        let sessions: Vec<Value> = self.kept.iter().map(Kept::to_value).collect();
        let store = Object::new().with("folder", self.folder.as_str()).with("sessions", sessions);
        let tree = self.kept.first().map(|first| self.shape.to_value(&first.session));
        Object::new()
            .with("store", store)
            .with("tree", tree)
            .with("context", self.given.to_value())
            .with("fork", self.fork.as_ref().map(Fork::to_value))
            .with("costs", self.spend.to_value())
            .with("check", self.checked.to_value())
            .with("together", self.together.to_value())
            .with("training", self.training.to_value())
            .with("next", next)
            .into()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs_err::read(path).map_err(CommandError::Input)
}
