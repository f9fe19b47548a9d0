//! The hits in one session that is open.

use std::collections::HashSet;

use pitree_session::{EntryRef, Result, Session};

use super::filters::On;
use super::query::Query;

/// Tells which entries of a session are hits.
pub struct HitsWithin<'q> {
    query: &'q Query,
    /// The active branch, if the query asks for it or for the others.
    active: Option<HashSet<usize>>,
}

impl Query {
    /// What tells which entries of this session are hits, where it stands now.
    pub fn within(&self, session: &Session) -> HitsWithin<'_> {
        let active = || session.active_path().iter().map(EntryRef::index).collect();
        HitsWithin { query: self, active: self.filters.on.map(|_| active()) }
    }
}

impl HitsWithin<'_> {
    /// Whether an entry is a hit; an error if it cannot be read.
    pub fn has(&self, entry: EntryRef<'_>) -> Result<bool> {
        if let (Some(active), Some(on)) = (&self.active, self.query.filters.on)
            && active.contains(&entry.index()) != (on == On::Active)
        {
            return Ok(false);
        }
        Ok(self.query.matches_entry(&entry.value()?))
    }
}
