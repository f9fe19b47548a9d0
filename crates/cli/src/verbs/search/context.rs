//! The messages around a hit, on the branch that it is on.

use std::collections::HashMap;
use std::path::PathBuf;

use pitree_format::{Object, Value};
use pitree_session::{EntryRef, OpenOptions, Session};
use pitree_store::search::Hit;

use crate::neighborhood::Neighborhood;
use crate::target::Workspace;

/// What stands before and after a hit, a line for each message.
#[derive(Debug, Default)]
pub(super) struct HitContext {
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    ids: (Vec<String>, Vec<String>),
}

impl HitContext {
    /// As JSON: the entries before and after, with one line of each.
    pub(super) fn to_value(&self) -> Value {
        let entries = |ids: &[String], lines: &[String]| -> Vec<Value> {
            let entry = |(id, line): (&String, &String)| {
                Object::new().with("entryId", id.as_str()).with("text", line.as_str()).into()
            };
            ids.iter().zip(lines).map(entry).collect()
        };
        Object::new()
            .with("before", entries(&self.ids.0, &self.before))
            .with("after", entries(&self.ids.1, &self.after))
            .into()
    }
}

/// The sessions of hits, each opened once.
pub(super) struct Contexts<'w> {
    count: usize,
    workspace: &'w Workspace,
    sessions: HashMap<PathBuf, Option<Session>>,
}

impl<'w> Contexts<'w> {
    pub(super) fn new(count: usize, workspace: &'w Workspace) -> Self {
        Self { count, workspace, sessions: HashMap::new() }
    }

    /// The messages around a hit; none of a session that cannot be opened any more.
    pub(super) fn around(&mut self, hit: &Hit) -> HitContext {
        if self.count == 0 {
            return HitContext::default();
        }
        let environment = &self.workspace.environment;
        let open = || OpenOptions::new().open(&hit.session.path, environment).ok();
        let session = self.sessions.entry(hit.session.path.clone()).or_insert_with(open);
        session.as_ref().map(|session| around(session, hit, self.count)).unwrap_or_default()
    }
}

fn around(session: &Session, hit: &Hit, count: usize) -> HitContext {
    let path = session.path_to(&*hit.leaf_id);
    let Some(place) = path.iter().position(|entry| entry.id() == hit.entry_id) else {
        return HitContext::default();
    };
    let Some(around) = Neighborhood::of(&path, place, count) else {
        return HitContext::default();
    };
    let Neighborhood { before, after, .. } = around;
    let ids =
        |entries: &[EntryRef<'_>]| entries.iter().map(|entry| entry.id().to_owned()).collect();
    let lines = |entries: &[EntryRef<'_>]| {
        entries.iter().map(|entry| entry.outline().unwrap_or_default()).collect()
    };
    HitContext { ids: (ids(&before), ids(&after)), before: lines(&before), after: lines(&after) }
}
