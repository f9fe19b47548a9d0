//! The list of sessions as it was a moment ago.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pitree_store::ledger::Ledger;
use pitree_store::{SessionFacts, Store, parents};

use crate::answer::Problem;
use crate::key::Key;
use crate::state::locked;

/// A list is not made again within this time: a page asks for several things at once.
const FRESH: Duration = Duration::from_millis(700);

/// All sessions, newest first.
pub(crate) struct Snapshot {
    pub(crate) sessions: Vec<SessionFacts>,
    /// The session of the list that each one was forked from.
    pub(crate) parents: Vec<Option<usize>>,
    by_key: HashMap<Key, usize>,
    by_path: HashMap<PathBuf, usize>,
    ledger: Mutex<Option<Arc<Ledger>>>,
}

impl Snapshot {
    fn take(store: &Store) -> Self {
        let sessions = store.list_all().sessions;
        let places = || sessions.iter().map(|facts| &facts.path).enumerate();
        let by_key = places().map(|(at, path)| (Key::of(path), at)).collect();
        let by_path = places().map(|(at, path)| (path.clone(), at)).collect();
        let parents = parents(&sessions);
        Self { sessions, parents, by_key, by_path, ledger: Mutex::default() }
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

    /// All that was spent, read once for each list.
    pub(crate) fn ledger(&self, store: &Store) -> Arc<Ledger> {
        let mut ledger = locked(&self.ledger);
        Arc::clone(ledger.get_or_insert_with(|| Arc::new(store.ledger())))
    }
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

    /// Something has changed: the next one who asks gets a new list.
    pub(crate) fn expire(&self) {
        if let Some((taken, _)) = &mut *locked(&self.latest)
            && let Some(past) = taken.checked_sub(FRESH)
        {
            *taken = past;
        }
    }
}
