//! All sessions of the sample at once: the list, a search, and what it all cost.

use pitree_format::{Object, Value};
use pitree_store::ledger::{By, Selection};
use pitree_store::search::{Query, SearchOptions};
use pitree_store::{Scope, SessionFacts};

use crate::error::Result;
use crate::target::Workspace;

/// A word that stands in more than one session of the sample.
const WORD: &str = "days";

/// What the store says about the sample.
pub(super) struct Together {
    pub(super) sessions: Vec<SessionFacts>,
    pub(super) word: &'static str,
    pub(super) hits: usize,
    /// Sessions in which copies of the hits stand.
    pub(super) places: usize,
    /// Dollars over all sessions, each entry once.
    pub(super) cost: f64,
}

impl Together {
    pub(super) fn of(workspace: &Workspace) -> Result<Self> {
        let store = workspace.store();
        let query = Query::read(WORD, &workspace.environment)?;
        let options = SearchOptions { scope: Scope::All, conversation: false, limit: 100 };
        let found = store.search(&query, &options);
        let report =
            store.ledger().report(By::Session, &Selection::default(), &workspace.environment);
        Ok(Self {
            sessions: store.list_all().sessions,
            word: WORD,
            hits: found.total,
            places: found.hits.iter().map(|hit| hit.places.len()).sum(),
            cost: report.total.cost.dollars(),
        })
    }

    pub(super) fn to_value(&self) -> Value {
        Object::new()
            .with("sessions", self.sessions.len())
            .with("word", self.word)
            .with("hits", self.hits)
            .with("places", self.places)
            .with("cost", self.cost)
            .into()
    }
}
