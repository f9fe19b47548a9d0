//! The hits in one session that is open.

use pitree_format::Value;
use pitree_session::{EntryRef, Result, Session};

use super::entry_text::EntryText;
use super::filters::On;
use super::matcher::Matcher;
use super::prefilter::{Glance, Prefilter};
use super::query::Query;
use super::snippet::Snippet;

/// Tells which entries of a session are hits.
pub struct HitsWithin<'q> {
    query: &'q Query,
    /// Tells of most lines that they are none, without reading them as JSON.
    prefilter: Prefilter,
    matcher: Matcher<'q>,
    /// The active branch, if the query asks for it or for the others.
    active: Option<Vec<bool>>,
}

impl Query {
    /// What tells which entries of this session are hits, where it stands now.
    pub fn within(&self, session: &Session) -> HitsWithin<'_> {
        HitsWithin {
            query: self,
            prefilter: Prefilter::all(self),
            matcher: Matcher::new(self, false),
            active: self.filters.on.map(|_| session.active_flags()),
        }
    }
}

impl HitsWithin<'_> {
    /// Whether an entry is a hit; an error if it cannot be read.
    pub fn has(&self, entry: EntryRef<'_>) -> Result<bool> {
        let Some(value) = self.read(entry)? else { return Ok(false) };
        Ok(self.hit(&value).is_some())
    }

    /// The text around the best place in an entry; `None` if it is not a hit.
    pub fn snippet(&self, entry: EntryRef<'_>) -> Result<Option<Snippet>> {
        let Some(value) = self.read(entry)? else { return Ok(None) };
        let best = |text: EntryText<'_>| {
            let (piece, marks) = self.matcher.best_piece(&text)?;
            Some(Snippet::cut(&piece.text, marks))
        };
        Ok(self.hit(&value).and_then(best))
    }

    /// An entry that may be a hit.
    fn read(&self, entry: EntryRef<'_>) -> Result<Option<Value>> {
        if let (Some(active), Some(on)) = (&self.active, self.query.filters.on)
            && active[entry.index()] != (on == On::Active)
        {
            return Ok(None);
        }
        if !self.prefilter.admits(&mut Glance::new(&entry.raw()?)) {
            return Ok(None);
        }
        Ok(Some(entry.value()?))
    }

    /// The text of an entry that is a hit.
    fn hit<'v>(&self, value: &'v Value) -> Option<EntryText<'v>> {
        EntryText::of(value).filter(|text| self.matcher.grade(text).is_some())
    }
}
