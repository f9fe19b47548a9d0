//! The list: every session of the locations with its facts.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location};

use crate::cache::{CachedFile, FileCache};
use crate::discover::{FileKind, FoundFile, discover, discover_folder};
use crate::facts::kept::{GENERATION, from_bytes, to_bytes};
use crate::facts::{FactsResult, NotListed, SessionFacts, read_facts};
use crate::scope::{Scope, ScopeFilter};

/// One or more locations, looked at together.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) locations: Vec<Location>,
    pub(crate) environment: Environment,
    pub(crate) threads: usize,
    /// Where what was read is kept; `None` reads every file each time.
    pub(crate) cache_directory: Option<PathBuf>,
}

/// A list of sessions.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, newest first.
    pub sessions: Vec<SessionFacts>,
    /// Files that lie among them and are not listed, and why.
    pub left_out: Vec<(PathBuf, NotListed)>,
    /// Records of sub-agents, which belong to their parents.
    pub artifacts: Vec<PathBuf>,
}

impl Store {
    /// A store over these locations.
    pub fn new(locations: Vec<Location>, environment: &Environment) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let environment = environment.clone();
        Self { locations, environment, threads, cache_directory: None }
    }

    /// Keeps what was read in this folder, so that only changed files are read again.
    #[must_use]
    pub fn with_cache(mut self, directory: PathBuf) -> Self {
        self.cache_directory = Some(directory);
        self
    }

    /// How many threads read files.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The locations.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// The environment that the store was made with.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The sessions of this working directory. Pi's `SessionManager.list`.
    pub fn list(&self) -> Listing {
        self.list_scope(Scope::Directory)
    }

    /// All sessions. Pi's `SessionManager.listAll`.
    pub fn list_all(&self) -> Listing {
        self.list_scope(Scope::All)
    }

    /// The sessions of a scope.
    pub fn list_scope(&self, scope: Scope) -> Listing {
        let mut listing = self.read_all(self.files_of(scope));
        // A folder name stands for more than one directory (`/a/b` and `/a-b`), so the header
        // decides; but what lies in the folder of the directory is Pi's list of it.
        if scope != Scope::All {
            let mut filter = ScopeFilter::new(scope, &self.environment);
            listing.sessions.retain(|facts| filter.contains(facts));
        }
        listing
    }

    /// The files in which the sessions of a scope may be.
    pub(crate) fn files_of(&self, scope: Scope) -> Vec<FoundFile> {
        match scope {
            Scope::Directory => self.files_of_directory(),
            Scope::Repository | Scope::All => discover(&self.locations),
        }
    }

    pub(crate) fn files_of_directory(&self) -> Vec<FoundFile> {
        let cwd = self.environment.cwd();
        let mut files = Vec::new();
        for (number, location) in self.locations.iter().enumerate() {
            files.extend(discover_folder(&location.directory_for(cwd), number));
        }
        files
    }

    fn read_all(&self, files: Vec<FoundFile>) -> Listing {
        let mut listing = Listing::default();
        let (sessions, artifacts): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| file.kind == FileKind::Session);
        listing.artifacts = artifacts.into_iter().map(|file| file.path).collect();
        let results = self.facts_of(&sessions);
        for (file, result) in sessions.into_iter().zip(results) {
            match result {
                Ok(facts) => listing.sessions.push(facts),
                Err(reason) => listing.left_out.push((file.path, reason)),
            }
        }
        sort_newest_first(&mut listing.sessions);
        listing
    }

    /// The facts of files: from the cache where the file has not changed, else from the file.
    fn facts_of(&self, files: &[FoundFile]) -> Vec<FactsResult> {
        let Some(directory) = &self.cache_directory else { return self.read_parallel(files) };
        let mut cache = FileCache::open(directory, "facts", GENERATION);
        let mut known: HashMap<PathBuf, CachedFile> = HashMap::new();
        for folder in folders_of(files) {
            known.extend(cache.load(&folder));
        }
        let mut results: Vec<Option<FactsResult>> = files
            .iter()
            .map(|file| {
                let cached = known.remove(&file.path)?;
                let fresh = cached.stamp == file.stamp;
                fresh.then(|| from_bytes(&file.path, file.stamp, &cached.payload)).flatten()
            })
            .collect();
        let missing: Vec<usize> = (0..files.len()).filter(|&at| results[at].is_none()).collect();
        let to_read: Vec<FoundFile> = missing.iter().map(|&at| files[at].clone()).collect();
        let mut read = Vec::new();
        for (at, result) in missing.into_iter().zip(self.read_parallel(&to_read)) {
            if let Some(payload) = to_bytes(&result) {
                let stamp = files[at].stamp;
                read.push((files[at].path.clone(), CachedFile { stamp, payload }));
            }
            results[at] = Some(result);
        }
        // What is left was known and is no longer there.
        let gone: Vec<PathBuf> = known.into_keys().collect();
        cache.update(&read, &gone);
        results.into_iter().flatten().collect()
    }

    /// Reads the facts of all files, the largest first so that no thread is left with it alone.
    fn read_parallel(&self, files: &[FoundFile]) -> Vec<FactsResult> {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(files[at].stamp.size));
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, FactsResult)>> = Mutex::new(Vec::with_capacity(files.len()));
        let work = || {
            let mut own = Vec::new();
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let Some(&at) = order.get(turn) else { break };
                own.push((at, read_facts(&files[at].path, files[at].stamp)));
            }
            if let Ok(mut done) = done.lock() {
                done.append(&mut own);
            }
        };
        if self.threads == 1 || files.len() < 2 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..self.threads.min(files.len()) {
                    scope.spawn(work);
                }
            });
        }
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Whether new files of the first location lie directly in it.
    pub fn is_flat(&self) -> bool {
        self.locations.first().is_some_and(|location| location.layout == Layout::Flat)
    }
}

/// The folders in which the files lie.
fn folders_of(files: &[FoundFile]) -> BTreeSet<PathBuf> {
    files.iter().filter_map(|file| file.path.parent().map(Path::to_owned)).collect()
}

/// By activity, newest first; equal ones by the file's time and name, as in Pi.
fn sort_newest_first(sessions: &mut [SessionFacts]) {
    sessions.sort_by(|a, b| {
        b.modified_ms
            .cmp(&a.modified_ms)
            .then_with(|| b.stamp.modified_ns.cmp(&a.stamp.modified_ns))
            .then_with(|| b.path.file_name().cmp(&a.path.file_name()))
    });
}
