//! A store with a cache, and the same store without.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pitree_format::Value;
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::search::{Hit, Query, SearchOptions, SessionSearch};
use pitree_store::{GrowthPolicy, Scope, SessionFacts, Store};
use pitree_testkit::session;
use tempfile::TempDir;

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

pub(crate) fn environment() -> Environment {
    let seed = std::sync::atomic::AtomicU64::new(now_ms().unsigned_abs());
    let random = move |bytes: &mut [u8]| {
        let next = seed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut rng = pitree_testkit::Rng::new(next);
        bytes.fill_with(|| rng.below(256) as u8);
    };
    Environment::new("/home/ana", "/home/ana/p", now_ms, random)
}

/// A folder with sessions and one for the cache.
pub(crate) struct Pair {
    folder: TempDir,
    /// Decides which of the readers comes first.
    turn: Cell<usize>,
    /// How the store with the cache reads on in files that have grown.
    pub(crate) growth: GrowthPolicy,
}

impl Pair {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sessions", "cache"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, turn: Cell::new(0), growth: GrowthPolicy::default() }
    }

    /// With generated sessions whose last change is long ago.
    pub(crate) fn with_sessions(count: u64) -> Self {
        let pair = Self::new();
        for seed in 0..count {
            let path = pair.session(&format!("s{seed:03}"));
            let bytes = session(seed).bytes;
            // Of small files less is kept.
            let bytes = if seed % 2 == 0 { bytes } else { with_a_long_entry(&bytes) };
            fs_err::write(&path, bytes).unwrap();
            set_age(&path, Duration::from_secs(1000 + seed));
        }
        pair
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root().join("cache")
    }

    /// The database of the cache.
    pub(crate) fn database(&self) -> PathBuf {
        let caches = pitree_store::cache::caches_in(&self.cache()).into_iter();
        caches.filter(|cache| cache.name == "sessions").map(|cache| cache.path).next().unwrap()
    }

    pub(crate) fn session(&self, name: &str) -> PathBuf {
        self.root().join("sessions").join(format!("{name}.jsonl"))
    }

    pub(crate) fn cached(&self) -> Store {
        cached_store(self.root()).with_growth(self.growth)
    }

    /// Insists that the list, the ledger and a search with the cache are those without, whichever
    /// of them reads what has changed.
    #[track_caller]
    pub(crate) fn same(&self, what: &str) {
        let turn = self.turn.get();
        self.turn.set(turn + 1);
        // Each of them comes first now and then, and reads what has changed.
        match turn % 4 {
            0 | 2 => {}
            1 => self.same_ledger(what),
            _ => self.same_search(what),
        }
        self.same_list(what);
        if turn % 4 == 2 {
            self.same_ledger(what);
        }
    }

    #[track_caller]
    fn same_ledger(&self, what: &str) {
        let (cached, plain) = (self.cached().ledger(), plain_store(self.root()).ledger());
        assert_eq!(cached, plain, "{what}");
    }

    #[track_caller]
    fn same_search(&self, what: &str) {
        let options = SearchOptions { scope: Scope::All, conversation: true, limit: 50 };
        let found = |store: Store| {
            let query = Query::parse("file", now_ms()).unwrap();
            let sessions = SessionSearch { scope: Scope::All, is_wanted: &|| true };
            let sessions = store.search_sessions(&query, &sessions).unwrap_or_default();
            let mut files: Vec<PathBuf> = sessions.into_iter().map(|found| found.path).collect();
            files.sort();
            let found = store.search(&query, &options);
            let told = |hit: &Hit| {
                let described = Value::from(hit.described()).to_string();
                (described, hit.turn, hit.snippet.text.clone(), hit.places.clone())
            };
            // Entries without ids are given new ones each time.
            let has_ids = |hit: &&Hit| !is_version_1(&hit.session.path);
            let hits: Vec<_> = found.hits.iter().filter(has_ids).map(told).collect();
            (found.total, files, hits)
        };
        assert_eq!(found(self.cached()), found(plain_store(self.root())), "{what}");
    }

    #[track_caller]
    fn same_list(&self, what: &str) {
        let plain = sorted(&plain_store(self.root()));
        let cached = sorted(&self.cached());
        assert_eq!(cached.len(), plain.len(), "{what}");
        for (cached, plain) in cached.iter().zip(&plain) {
            // As text, because a sum that is no number equals nothing.
            assert_eq!(format!("{cached:?}"), format!("{plain:?}"), "{what}");
        }
    }
}

fn is_version_1(path: &Path) -> bool {
    let text = String::from_utf8_lossy(&fs_err::read(path).unwrap()).into_owned();
    text.lines().next().is_none_or(|header| !header.contains("\"version\""))
}

pub(crate) fn plain_store(root: &Path) -> Store {
    let location = Location {
        path: root.join("sessions"),
        layout: Layout::Flat,
        origin: Origin::SessionDirFlag,
    };
    Store::new(vec![location], &environment())
}

pub(crate) fn cached_store(root: &Path) -> Store {
    plain_store(root).with_cache(root.join("cache"))
}

pub(crate) fn sorted(store: &Store) -> Vec<SessionFacts> {
    let mut sessions = store.list_all().sessions;
    sessions.sort_by(|a, b| a.path.cmp(&b.path));
    sessions
}

/// Makes the last change of a file that old.
pub(crate) fn set_age(path: &Path, age: Duration) {
    set_time(path, SystemTime::now() - age);
}

pub(crate) fn set_time(path: &Path, time: SystemTime) {
    let file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.file().set_modified(time).unwrap();
}

/// The session with an entry behind its header that makes the file large.
pub(crate) fn with_a_long_entry(bytes: &[u8]) -> Vec<u8> {
    let header = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let long = user("long-one", "null", &"x".repeat(20_000));
    [&bytes[..header], long.as_bytes(), &bytes[header..]].concat()
}

/// An entry with a message of the user.
pub(crate) fn user(id: &str, parent: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\",\"timestamp\":1770159127000}}}}\n"
    )
}
