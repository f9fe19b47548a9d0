//! Following sessions live.
//!
//! A [`Watcher`] remembers how far it has read each file and tells what comes after that. The
//! operating system says which files to look at; where it cannot, all are looked at twice a
//! second. Files are only read. A line that is not finished waits until it is; a file that was cut
//! off, replaced or written anew is told as [`WatchChange::Rewritten`], unless what was read of it
//! is still the same.

mod follow;
mod signals;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pitree_format::{JsString, Value};
use pitree_session::location::Layout;
use pitree_session::paths;

use crate::discover::{Discovered, FileKind, FileStamp, Unreadable, subfolders};
use crate::list::Store;
use crate::scope::{Scope, ScopeFilter};

use follow::{Followed, Head};
use signals::{Signals, Wake};

/// How often all files are looked at when the system tells of changes: it may have missed one.
const PACE_NOTIFIED: Duration = Duration::from_secs(2);

/// How often all files are looked at when it does not.
const PACE_POLLING: Duration = Duration::from_millis(500);

/// So many times in a row only the files that the system names are looked at.
const MOST_PARTIAL_LOOKS: u32 = 100;

/// What to watch, and how.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Which sessions.
    pub scope: Scope,
    /// Only this one.
    pub only: Option<PathBuf>,
    /// Look at the files again and again instead of being told by the system.
    pub poll: bool,
}

impl Default for WatchOptions {
    /// All sessions, as the system tells of them.
    fn default() -> Self {
        Self { scope: Scope::All, only: None, poll: false }
    }
}

impl WatchOptions {
    /// Only this session.
    pub fn only(path: impl Into<PathBuf>) -> Self {
        Self { only: Some(path.into()), ..Self::default() }
    }
}

/// Something that happened to a session.
#[derive(Clone, Debug)]
pub struct WatchEvent {
    /// The session's file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// Its working directory; empty if it has none.
    pub cwd: String,
    /// What happened.
    pub change: WatchChange,
}

/// What happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WatchChange {
    /// A session is new. Its entries follow, unless they were copied or are many.
    Created {
        /// The session it was forked from, as its header names it.
        parent: Option<String>,
        /// How many entries it has.
        entries: usize,
    },
    /// An entry was appended.
    Appended {
        /// The entry.
        entry: Value,
    },
    /// The session has another name.
    Named {
        /// The name; `None` if it was taken away.
        name: Option<JsString>,
        /// The entry that says so.
        entry: Value,
    },
    /// An entry has another label.
    Labelled {
        /// The entry that is labelled.
        target: Option<JsString>,
        /// The label; `None` if it was taken away.
        label: Option<JsString>,
        /// The entry that says so.
        entry: Value,
    },
    /// A line was appended that is no entry.
    Damaged {
        /// Where it begins.
        offset: u64,
    },
    /// The part of the file that was read is no longer the same.
    Rewritten,
    /// The file is gone.
    Removed,
}

impl WatchChange {
    /// The entry that was appended, if it was one.
    pub fn entry(&self) -> Option<&Value> {
        match self {
            Self::Appended { entry } | Self::Named { entry, .. } | Self::Labelled { entry, .. } => {
                Some(entry)
            }
            Self::Created { .. } | Self::Damaged { .. } | Self::Rewritten | Self::Removed => None,
        }
    }
}

/// Follows sessions.
pub struct Watcher {
    store: Store,
    options: WatchOptions,
    filter: ScopeFilter,
    files: HashMap<PathBuf, Followed>,
    signals: Option<Signals>,
    /// Why the system does not tell of changes, if it should.
    fallback: Option<String>,
    unreadable: Vec<Unreadable>,
    partial_looks: u32,
}

impl Store {
    /// Begins to follow the sessions of the store. What is in them now is not told.
    pub fn watch(&self, mut options: WatchOptions) -> Watcher {
        // The system tells of changes by whole paths.
        options.only = options.only.map(|path| paths::resolve(&path, self.environment()));
        let filter = ScopeFilter::new(options.scope, self.environment());
        let store = self.clone();
        let (files, unreadable) = (HashMap::new(), Vec::new());
        let (signals, fallback, partial_looks) = (None, None, 0);
        let mut watcher =
            Watcher { store, options, filter, files, signals, fallback, unreadable, partial_looks };
        if !watcher.options.poll {
            match Signals::start() {
                Ok(signals) => watcher.signals = Some(signals),
                Err(error) => watcher.fallback = Some(signals::reason(error)),
            }
        }
        // The folders are watched before the files are looked at, so that nothing falls between.
        watcher.watch_folders();
        let (found, unreadable) = watcher.found();
        watcher.unreadable = unreadable;
        for (path, stamp) in found {
            let followed = Followed::from_end(&path, stamp);
            watcher.files.insert(path, followed);
        }
        watcher
    }
}

impl Watcher {
    /// How many sessions there are now whose changes are told.
    pub fn count(&mut self) -> usize {
        let Self { files, filter, options, .. } = self;
        let heads = files.values().filter_map(|followed| followed.head.as_ref());
        heads.filter(|head| is_told(head, options, filter)).count()
    }

    /// What could not be read when it began, and why: sessions in there are not followed.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Why the files are looked at again and again, if that was not asked for.
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// Waits for changes, for no longer than this and a few seconds at most, and tells each.
    pub fn wait(&mut self, at_most: Duration, tell: &mut dyn FnMut(WatchEvent)) {
        let wake = match &mut self.signals {
            Some(signals) => signals.wait(at_most.min(PACE_NOTIFIED)),
            None => {
                std::thread::sleep(at_most.min(PACE_POLLING));
                Wake::Time
            }
        };
        match wake {
            Wake::Paths(paths) if self.partial_looks < MOST_PARTIAL_LOOKS => {
                self.partial_looks += 1;
                self.look_at(&paths, tell);
            }
            Wake::Paths(_) | Wake::Time | Wake::Anything => self.look_at_all(tell),
        }
    }

    /// The changes, one after another. Waits for each; ends when there was none for so long, and
    /// may then be asked for again.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use pitree_store::Store;
    /// use pitree_store::watch::WatchOptions;
    ///
    /// # fn follow(store: &Store) {
    /// let mut watcher = store.watch(WatchOptions::default());
    /// for event in watcher.events(Duration::MAX) {
    ///     if let Some(entry) = event.change.entry() {
    ///         println!("{}: {entry}", event.id);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn events(&mut self, patience: Duration) -> WatchEvents<'_> {
        WatchEvents { watcher: self, patience, told: VecDeque::new() }
    }

    /// Looks at the files that are known; any other name may stand for more than a file.
    fn look_at(&mut self, paths: &BTreeSet<PathBuf>, tell: &mut dyn FnMut(WatchEvent)) {
        for path in paths {
            match (self.files.contains_key(path), FileStamp::of(path)) {
                (true, Some(stamp)) => self.look(path, stamp, tell),
                (true, None) => self.forget(path, tell),
                (false, _) if self.may_be_new(path) => return self.look_at_all(tell),
                (false, _) => {}
            }
        }
    }

    /// Whether a path that is not known is a reason to look at everything.
    fn may_be_new(&self, path: &Path) -> bool {
        match &self.options.only {
            Some(only) => path == only,
            None => path.extension().is_some_and(|end| end == "jsonl") || path.is_dir(),
        }
    }

    /// Looks at all files, in the order of their names.
    fn look_at_all(&mut self, tell: &mut dyn FnMut(WatchEvent)) {
        self.partial_looks = 0;
        self.watch_folders();
        let (found, _) = self.found();
        let there: HashSet<&PathBuf> = found.iter().map(|(path, _)| path).collect();
        let mut gone: Vec<PathBuf> =
            self.files.keys().filter(|path| !there.contains(path)).cloned().collect();
        gone.sort();
        for path in &gone {
            self.forget(path, tell);
        }
        for (path, stamp) in &found {
            if self.files.get(path).is_none_or(|followed| followed.stamp != *stamp) {
                self.look(path, *stamp, tell);
            }
        }
    }

    fn look(&mut self, path: &Path, stamp: FileStamp, tell: &mut dyn FnMut(WatchEvent)) {
        let Self { files, filter, options, .. } = self;
        let followed = files.entry(path.to_owned()).or_insert_with(|| Followed::from_start(stamp));
        followed.look(path, stamp, &mut |head, change| {
            if is_told(head, options, filter) {
                tell(event(path, head, change));
            }
        });
    }

    fn forget(&mut self, path: &Path, tell: &mut dyn FnMut(WatchEvent)) {
        let head = self.files.remove(path).and_then(|followed| followed.head);
        if let Some(head) = head
            && is_told(&head, &self.options, &mut self.filter)
        {
            tell(event(path, &head, WatchChange::Removed));
        }
    }

    /// The files to follow, and what could not be read.
    fn found(&self) -> (Vec<(PathBuf, FileStamp)>, Vec<Unreadable>) {
        if let Some(path) = &self.options.only {
            let stamp = FileStamp::of(path).map(|stamp| (path.clone(), stamp));
            return (stamp.into_iter().collect(), Vec::new());
        }
        let Discovered { files, unreadable } = self.store.files_of(self.options.scope);
        let mut found: Vec<_> = files
            .into_iter()
            .filter(|file| file.kind == FileKind::Session)
            .map(|file| (file.path, file.stamp))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        (found, unreadable)
    }

    /// Watches the folders that are there now. If the system has no more room, goes on without.
    fn watch_folders(&mut self) {
        let folders = self.folders();
        if let Some(signals) = &mut self.signals
            && let Err(error) = signals.watch(folders)
        {
            self.fallback = Some(signals::reason(error));
            self.signals = None;
        }
    }

    fn folders(&self) -> BTreeSet<PathBuf> {
        if let Some(path) = &self.options.only {
            return path.parent().map(Path::to_owned).into_iter().collect();
        }
        let mut folders = BTreeSet::new();
        for location in self.store.locations() {
            folders.insert(location.path.clone());
            match (location.layout, self.options.scope) {
                (Layout::Flat, _) => {}
                (Layout::PerDirectory, Scope::Directory) => {
                    folders.insert(location.directory_for(self.store.environment().cwd()));
                }
                (Layout::PerDirectory, Scope::Repository | Scope::All) => {
                    folders.extend(subfolders(&location.path));
                }
            }
        }
        folders
    }
}

/// Changes of sessions; see [`Watcher::events`].
pub struct WatchEvents<'w> {
    watcher: &'w mut Watcher,
    patience: Duration,
    told: VecDeque<WatchEvent>,
}

impl Iterator for WatchEvents<'_> {
    type Item = WatchEvent;

    fn next(&mut self) -> Option<WatchEvent> {
        let begun = Instant::now();
        loop {
            if let Some(event) = self.told.pop_front() {
                return Some(event);
            }
            let left = self.patience.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
            let Self { watcher, told, .. } = self;
            watcher.wait(left, &mut |event| told.push_back(event));
        }
    }
}

/// Whether the changes of a session are told.
fn is_told(head: &Head, options: &WatchOptions, filter: &mut ScopeFilter) -> bool {
    options.only.is_some() || filter.contains_directory(&head.cwd)
}

fn event(path: &Path, head: &Head, change: WatchChange) -> WatchEvent {
    WatchEvent { path: path.to_owned(), id: head.id.clone(), cwd: head.cwd.clone(), change }
}
