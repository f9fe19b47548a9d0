//! The list of sessions as it was a moment ago.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use pitree_session::Environment;
use pitree_store::ledger::Ledger;
use pitree_store::roles::RoleFinder;
use pitree_store::{SessionFacts, Store, parents};

use crate::answer::Problem;
use crate::key::Key;
use crate::state::{App, locked};

/// A list is not made again within this time: a page asks for several things at once.
const FRESH: Duration = Duration::from_millis(700);

/// Where a session comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The place of the session that it was forked from, or that sent it out.
    pub(crate) parent: usize,
    /// Whether it was sent out as a sub-agent.
    pub(crate) is_subagent: bool,
}

/// All sessions, newest first.
pub(crate) struct Snapshot {
    pub(crate) sessions: Vec<SessionFacts>,
    links: OnceLock<Vec<Option<Link>>>,
    by_key: HashMap<Key, usize>,
    by_path: HashMap<PathBuf, usize>,
    ledger: Mutex<Option<Arc<Ledger>>>,
}

impl Snapshot {
    pub(crate) fn take(store: &Store) -> Self {
        let sessions = store.list_all().sessions;
        let places = || sessions.iter().map(|facts| &facts.path).enumerate();
        let by_key = places().map(|(at, path)| (Key::of(path), at)).collect();
        let by_path = places().map(|(at, path)| (path.clone(), at)).collect();
        Self { sessions, links: OnceLock::new(), by_key, by_path, ledger: Mutex::default() }
    }

    /// Whether it lists the same files, none of which has changed.
    pub(crate) fn is_of_same_files(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&SessionFacts, &SessionFacts)| {
            (one.stamp, &one.path) == (other.stamp, &other.path)
        };
        self.sessions.len() == other.sessions.len()
            && self.sessions.iter().zip(&other.sessions).all(is_same)
    }

    /// Where in the list a session is.
    pub(crate) fn place(&self, key: Key) -> Result<usize, Problem> {
        let unknown = || Problem::not_found("This session is not there any more");
        self.by_key.get(&key).copied().ok_or_else(unknown)
    }

    pub(crate) fn place_of(&self, path: &std::path::Path) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    pub(crate) fn key(&self, place: usize) -> Key {
        Key::of(&self.sessions[place].path)
    }

    /// All that was spent, read once for each list, with the roles as `pitree cost` tells them.
    pub(crate) fn ledger(&self, app: &App) -> Arc<Ledger> {
        let mut ledger = locked(&self.ledger);
        Arc::clone(ledger.get_or_insert_with(|| {
            let mut ledger = app.store.ledger();
            ledger.assign_roles(&self.roles(&ledger, &app.environment));
            Arc::new(ledger)
        }))
    }

    fn roles(
        &self,
        ledger: &Ledger,
        environment: &Environment,
    ) -> HashMap<PathBuf, Option<String>> {
        let finder = RoleFinder::default();
        if !finder.may_find(&self.sessions) {
            return HashMap::new();
        }
        let facts: Vec<&SessionFacts> = self.sessions.iter().collect();
        let found = finder.find_related(&facts, &ledger.senders(), environment);
        let name =
            |role: Option<pitree_store::roles::RoleFinding>| role.map(|it| it.role.to_string());
        facts.iter().zip(found).map(|(facts, role)| (facts.path.clone(), name(role))).collect()
    }

    /// Where each session of the list comes from.
    pub(crate) fn links(&self, app: &App) -> &[Option<Link>] {
        self.links.get_or_init(|| self.find_links(app))
    }

    fn find_links(&self, app: &App) -> Vec<Option<Link>> {
        let fork = |parent: Option<usize>| parent.map(|parent| Link { parent, is_subagent: false });
        let mut links: Vec<Option<Link>> = parents(&self.sessions).into_iter().map(fork).collect();
        // Most stores have no sub-agents, and are spared the ledger.
        if self.sessions.iter().all(|facts| facts.subagents == 0) {
            return links;
        }
        let ledger = self.ledger(app);
        for (at, session) in ledger.sessions.iter().enumerate() {
            let Some(place) = self.place_of(&session.path) else { continue };
            if links[place].is_none()
                && let Some(parent) = self.listed_above(&ledger, at)
                && !leads_to(&links, parent, place)
            {
                links[place] = Some(Link { parent, is_subagent: true });
            }
        }
        links
    }

    /// The next session of the list above one of the ledger.
    fn listed_above(&self, ledger: &Ledger, at: usize) -> Option<usize> {
        let above = |at: &usize| ledger.sessions[*at].parent;
        let above = std::iter::successors(above(&at), above).take(ledger.sessions.len());
        above.into_iter().find_map(|at| self.place_of(&ledger.sessions[at].path))
    }

    /// The session of the list that one of the ledger belongs to: itself, or the one that sent it
    /// out.
    pub(crate) fn listed(&self, ledger: &Ledger, at: usize) -> Option<usize> {
        self.place_of(&ledger.sessions[at].path).or_else(|| self.listed_above(ledger, at))
    }
}

/// Whether a session comes from another one, however far.
fn leads_to(links: &[Option<Link>], from: usize, to: usize) -> bool {
    let above = std::iter::successors(Some(from), |at| links[*at].map(|link| link.parent));
    above.take(links.len() + 1).any(|at| at == to)
}

/// The latest list.
#[derive(Default)]
pub(crate) struct Snapshots {
    latest: Mutex<Option<(Instant, Arc<Snapshot>)>>,
}

impl Snapshots {
    /// The list, not older than a moment.
    pub(crate) fn get(&self, store: &Store) -> Arc<Snapshot> {
        // Held while it is made: who asks meanwhile gets the same one.
        let mut latest = locked(&self.latest);
        if let Some((taken, snapshot)) = &*latest
            && taken.elapsed() < FRESH
        {
            return Arc::clone(snapshot);
        }
        let snapshot = Arc::new(Snapshot::take(store));
        *latest = Some((Instant::now(), Arc::clone(&snapshot)));
        snapshot
    }

    /// The file of a session. The list is only made again for one that is not in the last one, since a
    /// key belongs to one file for ever.
    pub(crate) fn path(&self, store: &Store, key: Key) -> Result<PathBuf, Problem> {
        let path =
            |snapshot: &Snapshot| Some(snapshot.sessions[snapshot.place(key).ok()?].path.clone());
        let last = locked(&self.latest).as_ref().and_then(|(_, snapshot)| path(snapshot));
        match last {
            Some(path) => Ok(path),
            None => {
                let snapshot = self.get(store);
                Ok(snapshot.sessions[snapshot.place(key)?].path.clone())
            }
        }
    }

    /// Something has changed: the next one who asks gets a new list.
    pub(crate) fn expire(&self) {
        if let Some((taken, _)) = &mut *locked(&self.latest)
            && let Some(past) = taken.checked_sub(FRESH)
        {
            *taken = past;
        }
    }
}
