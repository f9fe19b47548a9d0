//! The files of a search: found once, however often they are gone through.

use std::sync::Mutex;

use super::prefilter::Prefilter;
use super::query::Query;
use super::seen_terms::SeenFile;
use super::sessions::SessionSearch;
use crate::discover::{Discovered, FileKind, FoundFile, Unreadable};
use crate::facts::SessionFacts;
use crate::list::Store;
use crate::scope::{Scope, ScopeFilter};

/// The session files of a scope, for all passes of a search.
pub(super) struct Sweep<'s> {
    pub(super) store: &'s Store,
    pub(super) scope: Scope,
    /// Taken before any file is looked at: see `kept_stamp`.
    pub(super) now_ms: i64,
    files: Vec<FoundFile>,
    pub(super) unreadable: Vec<Unreadable>,
    filter: Mutex<ScopeFilter>,
    pub(super) is_wanted: &'s (dyn Fn() -> bool + Sync),
    /// Whether what cannot change the answer is passed over; tests read everything.
    pub(super) takes_shortcuts: bool,
}

impl<'s> Sweep<'s> {
    pub(super) fn new(store: &'s Store, scope: Scope) -> Self {
        let now_ms = store.environment.now_ms();
        let Discovered { mut files, unreadable } = store.files_of(scope);
        files.retain(|file| file.kind == FileKind::Session);
        let filter = Mutex::new(ScopeFilter::new(scope, &store.environment));
        Self {
            store,
            scope,
            now_ms,
            files,
            unreadable,
            filter,
            is_wanted: &|| true,
            takes_shortcuts: true,
        }
    }

    pub(super) fn of_sessions(store: &'s Store, search: &SessionSearch<'s>) -> Self {
        Self::while_wanted(store, search.scope, search.is_wanted)
    }

    /// The same for somebody who may not want the answer any more.
    pub(super) fn while_wanted(
        store: &'s Store,
        scope: Scope,
        is_wanted: &'s (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self { is_wanted, ..Self::new(store, scope) }
    }

    pub(super) fn is_in_scope(&self, cwd: &str) -> bool {
        self.scope == Scope::All
            || self.filter.lock().is_ok_and(|mut filter| filter.contains_directory(cwd))
    }

    pub(super) fn all_files(&self) -> &[FoundFile] {
        &self.files
    }

    /// The files with these numbers, or all.
    pub(super) fn files(&self, among: Option<&[usize]>) -> Vec<(usize, &FoundFile)> {
        match among {
            Some(among) => among.iter().map(|&at| (at, &self.files[at])).collect(),
            None => self.files.iter().enumerate().collect(),
        }
    }

    /// The files that can still change the answer, by what was noted of them; `None` for all.
    pub(super) fn among<L>(
        &self,
        seen: &[SeenFile<L>],
        can_change: impl Fn(&SeenFile<L>) -> bool,
    ) -> Option<Vec<usize>> {
        let numbers = || seen.iter().filter(|seen| can_change(seen)).map(|seen| seen.file);
        self.takes_shortcuts.then(|| numbers().collect())
    }

    pub(super) fn prefilter(&self, query: &Query, of: fn(&Query) -> Prefilter) -> Prefilter {
        if self.takes_shortcuts { of(query) } else { Prefilter::open(query) }
    }

    /// What a list knows of the sessions that a query may mean.
    pub(super) fn facts(&self, query: &Query) -> Vec<SessionFacts> {
        let mut facts = self.store.list_scope(self.scope).sessions;
        facts.retain(|facts| query.filters.keeps_session(&facts.cwd));
        facts
    }

    /// The files that hold each of the terms that the index of words knows; `None` if there is no
    /// index, or no such term.
    pub(super) fn indexed_files(&self, query: &Query) -> Option<Vec<usize>> {
        self.store.cache_directory.as_ref()?;
        let mut among: Option<Vec<usize>> = None;
        for term in query.terms.iter().filter(|term| term.words().is_some()) {
            let with = self.files_with(&query.with_terms(vec![term.as_prefix()]));
            // What was found of a term that nobody waited for is not all.
            if !(self.is_wanted)() {
                return None;
            }
            let is_with = |at: &usize| with.contains(&self.files[*at].path);
            among = Some(match among {
                Some(among) => among.into_iter().filter(is_with).collect(),
                None => (0..self.files.len()).filter(is_with).collect(),
            });
        }
        among
    }
}
