//! The threads of the picker, for what takes longer than a moment, and the messages they send.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use pitree_export::{ExportOptions, Format, Overwrite, default_name, export_to_file};
use pitree_session::{Durability, Environment, Session};
use pitree_store::delete::{DeleteError, DeletePlan, Deletion, Disposal, Trash};
use pitree_store::search::{Query, SessionMatch, SessionSearch};
use pitree_store::subagents::Trust;
use pitree_store::{Progress, Scope, ShortIds, Store};

use super::delete::DeleteQuestion;
use super::preview::{self, Preview, PreviewRequest};
use super::rows::ListedSessions;
use super::runs::{self, RunFacts};
use crate::migration::old_version;
use crate::screen::ChosenSession;
use crate::state::changing;
use crate::wake::WakingSender;

/// So many sessions are shown before all are read.
const FIRST_SCREEN: usize = 48;

/// So long the index may take before all messages are searched without waiting for it. What it knows
/// is usually there much sooner, and then both do not compete for the processors.
const INDEX_FIRST: Duration = Duration::from_millis(200);

/// How many ways there are to search messages. Both go on at the same time, but what the index knows
/// comes first.
pub(super) const SEARCH_METHODS: usize = 2;

/// What a thread sends. The number says which list it is of; older ones are of no use.
pub(super) enum PickerMessage {
    /// The newest sessions, before all are read.
    First(u64, ListedSessions),
    /// So many files of so many are read.
    Progress(u64, usize, usize),
    /// The whole list, and how many files are no sessions.
    All(u64, ListedSessions, usize),
    /// By which prefixes sessions can be named.
    Ids(ShortIds),
    /// Sessions that match, found by the search with this number; whether these are all.
    Matches { number: u64, found: Vec<SessionMatch>, is_all: bool },
    /// The search with this number has ended in one of the ways.
    Searched(u64),
    /// What is shown beside the list.
    Preview(Preview),
    /// The runs of a session's sub-agents.
    Runs(PathBuf, Result<Vec<RunFacts>, String>),
    /// A session was renamed, or not.
    Renamed(Result<(), String>),
    /// A session was not renamed: its file is of an old version, and the user was not asked.
    IsOld { path: PathBuf, name: String, version: u8 },
    /// A session that is to be opened in Pi was migrated, or not.
    Migrated(ChosenSession, Result<(), String>),
    /// A session that may be deleted is in use.
    InUse(PathBuf, &'static str),
    /// Sessions were deleted, or not.
    Deleted(DeleteQuestion, DeleteOutcome),
    /// Sessions were exported into a folder: how many, and why others were not.
    Exported(usize, Vec<String>),
}

/// What became of sessions that were to go.
#[derive(Default)]
pub(super) struct DeleteOutcome {
    /// They are gone.
    pub(super) gone: Vec<PathBuf>,
    /// Whether one of those is removed for good.
    pub(super) is_removed: bool,
    /// No trash takes them; they can only be removed for good.
    pub(super) no_trash: Vec<PathBuf>,
    /// Somebody works with them.
    pub(super) in_use: Vec<(PathBuf, &'static str)>,
    /// They are still there for another reason.
    pub(super) kept: Vec<String>,
}

/// Starts threads and knows what they need.
pub(super) struct PickerThreads {
    store: Store,
    environment: Environment,
    sender: WakingSender<PickerMessage>,
    searches: [Sender<MessageSearch>; SEARCH_METHODS],
    searched: Arc<SearchNumbers>,
    previews: Sender<PreviewRequest>,
}

impl PickerThreads {
    pub(super) fn new(
        store: &Store,
        environment: &Environment,
        sender: WakingSender<PickerMessage>,
    ) -> Self {
        let searched = Arc::new(SearchNumbers::default());
        let searches = [SearchMethod::Words, SearchMethod::Text].map(|method| {
            let (store, sender, searched) = (store.clone(), sender.clone(), Arc::clone(&searched));
            latest(move |search: MessageSearch| search.run(method, &store, &searched, &sender))
        });
        let (reader, preview_sender) = (environment.clone(), sender.clone());
        let previews = latest(move |request: PreviewRequest| {
            preview_sender.send(PickerMessage::Preview(preview::read(&request, &reader)));
        });
        let (store, environment) = (store.clone(), environment.clone());
        Self { store, environment, sender, searches, searched, previews }
    }

    /// The clock for times such as `after:yesterday`.
    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Reads the list: the newest sessions at once, then all.
    pub(super) fn list(&self, number: u64, scope: Scope) {
        let sender = self.sender.clone();
        let count = ListProgress { number, sender: sender.clone(), told: AtomicUsize::new(0) };
        let store = self.store.clone().with_progress(Arc::new(count));
        thread::spawn(move || {
            // One after the other: together they would both be late.
            let first = store.list_newest(scope, FIRST_SCREEN);
            sender.send(PickerMessage::First(number, ListedSessions::new(first)));
            let listing = store.list_scope(scope);
            let left_out = listing.left_out.len();
            let ids = listing.sessions.iter().map(|facts| facts.id.clone());
            let ids = matches!(scope, Scope::All).then(|| ShortIds::new(ids));
            sender.send(PickerMessage::All(
                number,
                ListedSessions::new(listing.sessions),
                left_out,
            ));
            sender.send(PickerMessage::Ids(ids.unwrap_or_else(|| store.short_ids())));
        });
    }

    /// Looks for sessions that match and gives up an earlier search. Gives the number of this one.
    pub(super) fn search(&self, scope: Scope, query: Option<&Query>) -> u64 {
        let number = self.searched.latest.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(query) = query {
            for thread in &self.searches {
                let query = query.clone();
                let _ = thread.send(MessageSearch { number, scope, query });
            }
        }
        number
    }

    /// Reads a preview; an earlier one that has not begun is given up.
    pub(super) fn preview(&self, request: PreviewRequest) {
        let _ = self.previews.send(request);
    }

    /// Reads the runs of a session's sub-agents.
    pub(super) fn runs(&self, path: &Path) {
        let (path, sender, environment) =
            (path.to_owned(), self.sender.clone(), self.environment.clone());
        let trust = Trust::new(self.store.locations(), &self.environment);
        thread::spawn(move || {
            let runs = runs::read(&path, &trust, &environment).map_err(|error| error.to_string());
            sender.send(PickerMessage::Runs(path, runs));
        });
    }

    /// Gives a session a name. A file of an old version is migrated first if the user agreed.
    pub(super) fn rename(&self, path: &Path, name: &str, migrates: bool) {
        let (path, name, sender) = (path.to_owned(), name.to_owned(), self.sender.clone());
        let (store, environment) = (self.store.clone(), self.environment.clone());
        thread::spawn(move || {
            let opened = Session::open(&path, &environment);
            let old = opened.as_ref().ok().and_then(old_version).filter(|_| !migrates);
            if let Some(version) = old {
                sender.send(PickerMessage::IsOld { path, name, version });
                return;
            }
            let _change = changing(&store, &[&path], &environment);
            let renamed = opened.and_then(|mut session| {
                session.set_durability(Durability::Durable);
                session.migrate()?;
                session.append_session_info(name.as_str())
            });
            sender.send(PickerMessage::Renamed(
                renamed.map(|_| ()).map_err(|error| error.to_string()),
            ));
        });
    }

    /// Brings a session up to the current version before Pi does, so that there is a backup.
    pub(super) fn migrate(&self, chosen: ChosenSession) {
        let (store, environment, sender) =
            (self.store.clone(), self.environment.clone(), self.sender.clone());
        thread::spawn(move || {
            let _change = changing(&store, &[&chosen.path], &environment);
            let migrated = Session::open(&chosen.path, &environment).and_then(|mut session| {
                session.set_durability(Durability::Durable);
                session.migrate()
            });
            let migrated = migrated.map(|_| ()).map_err(|error| error.to_string());
            sender.send(PickerMessage::Migrated(chosen, migrated));
        });
    }

    /// Looks whether sessions that may be deleted are in use.
    pub(super) fn check_use(&self, paths: Vec<PathBuf>) {
        let (sender, environment) = (self.sender.clone(), self.environment.clone());
        thread::spawn(move || {
            let used = paths.into_iter().find_map(|path| {
                let error = DeletePlan::new(&path, &environment, false).err()?;
                Some(PickerMessage::InUse(path, use_of(&error)?))
            });
            if let Some(used) = used {
                sender.send(used);
            }
        });
    }

    /// Lets sessions go.
    pub(super) fn delete(&self, deleting: DeleteQuestion, trash: Trash) {
        let sender = self.sender.clone();
        let (store, environment) = (self.store.clone(), self.environment.clone());
        thread::spawn(move || {
            let mut outcome = DeleteOutcome::default();
            let force = deleting.is_forced();
            for path in deleting.paths() {
                let _change = changing(&store, &[path], &environment);
                match DeletePlan::new(path, &environment, force) {
                    Ok(plan) => outcome.add(path, plan.delete(&trash, force)),
                    Err(error) => outcome.keep(path, &error),
                }
            }
            sender.send(PickerMessage::Deleted(deleting, outcome));
        });
    }

    /// Exports sessions to HTML, into the working directory.
    pub(super) fn export(&self, paths: Vec<PathBuf>) {
        let (sender, environment) = (self.sender.clone(), self.environment.clone());
        thread::spawn(move || {
            let (mut count, mut problems) = (0, Vec::new());
            for path in paths {
                match export_one(&path, &environment) {
                    Ok(()) => count += 1,
                    Err(problem) => problems.push(problem),
                }
            }
            sender.send(PickerMessage::Exported(count, problems));
        });
    }
}

fn export_one(path: &Path, environment: &Environment) -> Result<(), String> {
    let session = Session::open(path, environment).map_err(|error| error.to_string())?;
    let file = environment.cwd().join(default_name(&session, Format::Html));
    export_to_file(&session, Format::Html, &ExportOptions::new(), &file, Overwrite::Never)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

impl DeleteOutcome {
    fn add(&mut self, path: &Path, deletion: Deletion) {
        let is_gone = !deletion.gone.is_empty();
        self.is_removed |= deletion.gone.first().is_some_and(|gone| gone.to == Disposal::Removed);
        match deletion.kept.into_iter().next() {
            Some((_, error)) => self.keep(path, &error),
            None => self.gone.push(path.to_owned()),
        }
        // What lay next to it may have stayed.
        if is_gone && !self.gone.iter().any(|gone| gone == path) {
            self.gone.push(path.to_owned());
        }
    }

    fn keep(&mut self, path: &Path, error: &DeleteError) {
        match (error, use_of(error)) {
            (DeleteError::NoTrash { .. }, _) => self.no_trash.push(path.to_owned()),
            (_, Some(why)) => self.in_use.push((path.to_owned(), why)),
            _ => self.kept.push(error.to_string()),
        }
    }
}

/// How it is known that a session is in use.
fn use_of(error: &DeleteError) -> Option<&'static str> {
    match error {
        DeleteError::InUse { why, .. } => Some(why),
        _ => None,
    }
}

/// How messages are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchMethod {
    /// Those of the sessions that the index of words knows, which is quick.
    Words,
    /// All of them.
    Text,
}

/// The numbers of searches.
#[derive(Default)]
struct SearchNumbers {
    /// The latest one; all others are of no use.
    latest: AtomicU64,
    /// The latest one for which the index was asked.
    indexed: AtomicU64,
}

impl SearchNumbers {
    fn is_wanted(&self, number: u64) -> bool {
        self.latest.load(Ordering::Relaxed) == number
    }

    /// Waits for what the index knows, not long, and not at all for a search that is of no use.
    fn wait_for_index(&self, number: u64) {
        let start = Instant::now();
        while self.is_wanted(number)
            && self.indexed.load(Ordering::Relaxed) < number
            && start.elapsed() < INDEX_FIRST
        {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// A search of the messages.
struct MessageSearch {
    number: u64,
    scope: Scope,
    query: Query,
}

impl MessageSearch {
    fn run(
        self,
        method: SearchMethod,
        store: &Store,
        numbers: &SearchNumbers,
        sender: &WakingSender<PickerMessage>,
    ) {
        let Self { number, scope, query } = self;
        let is_wanted = || numbers.is_wanted(number);
        let search = SessionSearch { scope, is_wanted: &is_wanted };
        let found = match method {
            SearchMethod::Words => {
                let found = store.search_indexed_sessions(&query, &search);
                numbers.indexed.fetch_max(number, Ordering::Relaxed);
                found
            }
            SearchMethod::Text => {
                if store.has_word_index() {
                    numbers.wait_for_index(number);
                }
                store.search_sessions(&query, &search)
            }
        };
        // A search that was given up, or cannot be made, has found nothing.
        if let Some(found) = found {
            let is_all = method == SearchMethod::Text;
            sender.send(PickerMessage::Matches { number, found, is_all });
        }
        sender.send(PickerMessage::Searched(number));
    }
}

/// A thread that always does the latest of the jobs it is given. Ends when the sender is gone.
fn latest<T: Send + 'static>(mut work: impl FnMut(T) + Send + 'static) -> Sender<T> {
    let (sender, jobs) = channel();
    thread::spawn(move || {
        while let Ok(mut job) = jobs.recv() {
            while let Ok(newer) = jobs.try_recv() {
                job = newer;
            }
            work(job);
        }
    });
    sender
}

/// Tells how far the list is.
struct ListProgress {
    number: u64,
    sender: WakingSender<PickerMessage>,
    /// What was told last, in hundreds.
    told: AtomicUsize,
}

impl Progress for ListProgress {
    fn step(&self, done: usize, total: usize) {
        // Every file would be too many messages.
        if self.told.fetch_max(done / 100, Ordering::Relaxed) < done / 100 {
            self.sender.send(PickerMessage::Progress(self.number, done, total));
        }
    }
}

#[cfg(test)]
mod tests {
    use pitree_session::location::{Layout, Location, Origin};

    use super::*;
    use crate::wake::Waker;

    /// The search of all messages waits for the index, but neither long nor for a search that was
    /// given up.
    #[test]
    fn the_index_comes_first() {
        let waited = |latest: u64, indexed_after: Option<Duration>| {
            let numbers = Arc::new(SearchNumbers::default());
            numbers.latest.store(latest, Ordering::Relaxed);
            if let Some(after) = indexed_after {
                let numbers = Arc::clone(&numbers);
                thread::spawn(move || {
                    thread::sleep(after);
                    numbers.indexed.store(1, Ordering::Relaxed);
                });
            }
            let start = Instant::now();
            numbers.wait_for_index(1);
            start.elapsed()
        };
        assert!(waited(1, None) >= INDEX_FIRST);
        assert!(waited(2, None) < INDEX_FIRST);
        let until_indexed = Duration::from_millis(20);
        assert!(waited(1, Some(until_indexed)) >= until_indexed);
    }

    /// Both searches do so: the one says that the index has answered, the other waits for it.
    #[test]
    fn searches_run_one_after_the_other() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let line = "{\"type\":\"session\",\"version\":3,\"id\":\"a\",\"cwd\":\"/srv\"}\n";
        let said = r#"{"type":"message","id":"b","message":{"role":"user","content":"plum"}}"#;
        fs_err::write(folder.path().join("a.jsonl"), format!("{line}{said}\n")).unwrap();
        let environment = Environment::new("/", "/", || 0, |bytes| bytes.fill(7));
        let (path, layout) = (folder.path().to_owned(), Layout::Flat);
        let location = Location { path, layout, origin: Origin::SessionDirFlag };
        let store = Store::new(vec![location], &environment).with_cache(cache.path().to_owned());
        let (sender, messages) = Waker::default().channel();
        let numbers = SearchNumbers::default();
        numbers.latest.store(1, Ordering::Relaxed);
        let run = |method| {
            let query = Query::parse("plum", 0).unwrap();
            let search = MessageSearch { number: 1, scope: Scope::All, query };
            let start = Instant::now();
            search.run(method, &store, &numbers, &sender);
            start.elapsed()
        };
        // The search by words makes the index; until then there is nothing to wait for.
        run(SearchMethod::Words);
        assert!(store.has_word_index() && numbers.indexed.load(Ordering::Relaxed) == 1);
        numbers.indexed.store(0, Ordering::Relaxed);
        assert!(run(SearchMethod::Text) >= INDEX_FIRST);
        let found = |message| match message {
            PickerMessage::Matches { found, is_all, .. } => Some((found.len(), is_all)),
            _ => None,
        };
        let found: Vec<_> = messages.try_iter().filter_map(found).collect();
        assert_eq!(found, [(1, false), (1, true)]);
    }
}
