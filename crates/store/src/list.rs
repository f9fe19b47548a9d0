//! The list: every session of the locations with its facts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_session::parallel::usual_threads;

use crate::cache::SessionCache;
use crate::cached_facts;
use crate::discover::{Discovered, Unreadable, scan, scan_folders};
use crate::facts::{NotListed, SessionFacts};
use crate::progress::{Listener, Progress};
use crate::reading::GrowthPolicy;
use crate::scope::{Scope, ScopeFilter};
use crate::subagents::{Relocation, Trust};

/// One or more locations, looked at together.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) locations: Vec<Location>,
    pub(crate) environment: Environment,
    pub(crate) threads: usize,
    /// Where what was read is kept; `None` reads every file each time.
    pub(crate) cache_directory: Option<PathBuf>,
    /// Who is told how far it has come.
    pub(crate) progress: Listener,
    pub(crate) growth: GrowthPolicy,
    /// Which sessions are copies from elsewhere.
    pub(crate) relocation: Option<Arc<dyn Relocation>>,
}

/// A list of sessions.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, newest first.
    pub sessions: Vec<SessionFacts>,
    /// Files that lie among them and are not listed, and folders that could not be read, and why.
    pub left_out: Vec<(PathBuf, NotListed)>,
    /// Records of sub-agents, which belong to their parents.
    pub artifacts: Vec<PathBuf>,
}

impl Listing {
    /// The files and folders that could not be read.
    pub fn unreadable(&self) -> Vec<Unreadable> {
        let reason = |(path, why): &(PathBuf, NotListed)| match why {
            NotListed::Unreadable(why) => Some((path.clone(), why.clone())),
            NotListed::NotASession(_) => None,
        };
        self.left_out.iter().filter_map(reason).collect()
    }
}

impl Listing {
    /// The files that lie among the sessions and are none.
    pub fn not_sessions(&self) -> Vec<&Path> {
        let files = self.left_out.iter();
        let others = files.filter(|(_, why)| matches!(why, NotListed::NotASession(_)));
        others.map(|(path, _)| path.as_path()).collect()
    }

    /// Keeps the sessions of a scope. What a file that is not a session is about is not known, so
    /// it counts for a repository if it lies in a folder with a session of it.
    fn narrow(&mut self, scope: Scope, environment: &Environment) {
        let mut filter = ScopeFilter::new(scope, environment);
        self.sessions.retain(|facts| filter.contains(facts));
        if scope == Scope::Repository {
            let folders: HashSet<&Path> =
                self.sessions.iter().filter_map(|facts| facts.path.parent()).collect();
            self.left_out.retain(|(path, why)| {
                matches!(why, NotListed::Unreadable(_))
                    || path.parent().is_some_and(|folder| folders.contains(folder))
            });
        }
    }
}

impl Store {
    /// A store over these locations.
    pub fn new(locations: Vec<Location>, environment: &Environment) -> Self {
        let threads = usual_threads();
        Self {
            locations,
            environment: environment.clone(),
            threads,
            cache_directory: None,
            progress: Listener::default(),
            growth: GrowthPolicy::default(),
            relocation: None,
        }
    }

    /// Follows the paths that copies from elsewhere name to other copies from there.
    #[must_use]
    pub fn with_relocation(mut self, relocation: Arc<dyn Relocation>) -> Self {
        self.relocation = Some(relocation);
        self
    }

    /// Keeps what was read in this folder, so that only changed files are read again.
    #[must_use]
    pub fn with_cache(mut self, directory: PathBuf) -> Self {
        self.cache_directory = Some(directory);
        self
    }

    /// Tells somebody how far it has come whenever many files are read.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Listener::new(progress);
        self
    }

    /// How many threads read files.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Reads on in files that have grown by this policy, and not by the usual one.
    #[must_use]
    pub fn with_growth(mut self, policy: GrowthPolicy) -> Self {
        self.growth = policy;
        self
    }

    /// Where what was read is kept.
    pub fn cache_directory(&self) -> Option<&Path> {
        self.cache_directory.as_deref()
    }

    /// Which sessions are copies from elsewhere, if that was given.
    pub fn relocation(&self) -> Option<&Arc<dyn Relocation>> {
        self.relocation.as_ref()
    }

    /// Which paths that sessions name may be followed.
    pub(crate) fn trust(&self) -> Trust {
        Trust::new(&self.locations, &self.environment).with_relocation(self.relocation.clone())
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
        // Taken before any file is looked at: see `kept_stamp`.
        let now = self.environment.now_ms();
        let cwd = self.environment.cwd();
        let folder = |location: &Location| match scope {
            Scope::Directory => location.directory_for(cwd),
            Scope::Repository | Scope::All => location.path.clone(),
        };
        let folders: Vec<PathBuf> = self.locations.iter().map(folder).collect();
        let mut listing = self.read_all(scope, &folders, now);
        // A folder name stands for more than one directory (`/a/b` and `/a-b`), so the header
        // decides; but what lies in the folder of the directory is Pi's list of it.
        if scope != Scope::All {
            listing.narrow(scope, &self.environment);
        }
        listing
    }

    /// The files in which the sessions of a scope may be.
    pub(crate) fn files_of(&self, scope: Scope) -> Discovered {
        match scope {
            Scope::Directory => {
                let cwd = self.environment.cwd();
                let folders = self.locations.iter().map(|location| location.directory_for(cwd));
                scan_folders(folders.zip(0..).collect()).into()
            }
            Scope::Repository | Scope::All => scan(&self.locations).into(),
        }
    }

    fn read_all(&self, scope: Scope, folders: &[PathBuf], now: i64) -> Listing {
        let scan_scope = || match scope {
            Scope::Directory => scan_folders(folders.iter().cloned().zip(0..).collect()),
            Scope::Repository | Scope::All => scan(&self.locations),
        };
        let cache = SessionCache::open(self.cache_directory(), &self.progress);
        let reading = cached_facts::FactsReading {
            seen_at_ms: now,
            threads: self.threads,
            progress: &self.progress,
            growth: self.growth,
        };
        let facts = cached_facts::facts_of(scan_scope, folders, cache, &reading);
        let cached_facts::Facts { sessions, left_out, artifacts } = facts;
        let mut listing = Listing { sessions, left_out, artifacts };
        sort_newest_first(&mut listing.sessions);
        listing
    }
}

/// By activity, newest first; equal ones by the file's time and name, as in Pi.
pub(crate) fn sort_newest_first(sessions: &mut [SessionFacts]) {
    // Facts are large, so what is mostly compared is taken out, and each is moved once.
    let mut order: Vec<(i64, usize)> =
        sessions.iter().enumerate().map(|(at, facts)| (facts.modified_ms, at)).collect();
    order.sort_unstable_by(|(a_time, a), (b_time, b)| {
        b_time.cmp(a_time).then_with(|| {
            let (a, b) = (&sessions[*a], &sessions[*b]);
            let by_time = b.stamp.modified_ns.cmp(&a.stamp.modified_ns);
            by_time
                .then_with(|| b.path.file_name().cmp(&a.path.file_name()))
                .then_with(|| a.path.cmp(&b.path))
        })
    });
    for start in 0..order.len() {
        let mut at = start;
        while order[at].1 != start {
            let from = std::mem::replace(&mut order[at].1, at);
            sessions.swap(at, from);
            at = from;
        }
        order[at].1 = at;
    }
}
