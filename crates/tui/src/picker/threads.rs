//! The threads of the picker, for what takes longer than a moment, and the messages they send.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use pitree_session::{Durability, Environment, Session};
use pitree_store::delete::{DeleteError, DeletePlan, Deletion, Disposal, Trash};
use pitree_store::pick::Needle;
use pitree_store::search::Spoken;
use pitree_store::subagents::Trust;
use pitree_store::{Progress, Scope, SessionFacts, ShortIds, Store};

use super::delete::DeleteQuestion;
use super::list::NeedleQuery;
use super::preview::{self, Preview};
use super::query::SearchMethod;
use super::rows::ListedSessions;
use super::runs::{self, RunFacts};
use crate::migration::old_version;
use crate::screen::ChosenSession;
use crate::state::changing;
use crate::wake::WakingSender;

/// So many sessions are shown before all are read.
const FIRST_SCREEN: usize = 48;

/// In so many ways messages are searched, at the same time.
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
    /// Sessions that hold a needle, found in one of the ways.
    Matches { scope: Scope, needle: Needle, files: HashSet<PathBuf>, method: SearchMethod },
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
    /// A session was deleted, or not.
    Deleted(DeleteQuestion, DeleteOutcome),
}

/// What became of a session that was to go.
pub(super) enum DeleteOutcome {
    /// It is in the trash.
    Trashed,
    /// It is removed for good.
    Removed,
    /// No trash takes it; it can only be removed for good.
    NoTrash,
    /// It is still there.
    Kept(String),
}

/// Starts threads and knows what they need.
pub(super) struct PickerThreads {
    store: Store,
    environment: Environment,
    sender: WakingSender<PickerMessage>,
    searches: [Sender<MessageSearch>; SEARCH_METHODS],
    /// The number of the latest search.
    searched: Arc<AtomicU64>,
    previews: Sender<(PathBuf, u64)>,
}

impl PickerThreads {
    pub(super) fn new(
        store: &Store,
        environment: &Environment,
        sender: WakingSender<PickerMessage>,
    ) -> Self {
        let searched = Arc::new(AtomicU64::new(0));
        let searches = [SearchMethod::Words, SearchMethod::Text].map(|method| {
            let (store, sender, searched) = (store.clone(), sender.clone(), Arc::clone(&searched));
            latest(move |search: MessageSearch| search.run(method, &store, &searched, &sender))
        });
        let (reader, preview_sender) = (environment.clone(), sender.clone());
        let previews = latest(move |(path, size): (PathBuf, u64)| {
            preview_sender.send(PickerMessage::Preview(preview::read(&path, size, &reader)));
        });
        let (store, environment) = (store.clone(), environment.clone());
        Self { store, environment, sender, searches, searched, previews }
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

    /// Looks for needles and gives up an earlier search. Gives the number of this one.
    pub(super) fn search(&self, scope: Scope, questions: &[NeedleQuery]) -> u64 {
        let number = self.searched.fetch_add(1, Ordering::Relaxed) + 1;
        let now_ms = self.environment.now_ms();
        for thread in &self.searches {
            let questions = questions.to_vec();
            let _ = thread.send(MessageSearch { number, scope, questions, now_ms });
        }
        number
    }

    /// Reads a preview; an earlier one that has not begun is given up.
    pub(super) fn preview(&self, facts: &SessionFacts) {
        let _ = self.previews.send((facts.path.clone(), facts.stamp.size));
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

    /// Lets a session go.
    pub(super) fn delete(&self, deleting: DeleteQuestion, trash: Trash) {
        let (path, sender) = (deleting.path().to_owned(), self.sender.clone());
        let (store, environment) = (self.store.clone(), self.environment.clone());
        thread::spawn(move || {
            let _change = changing(&store, &[&path], &environment);
            let outcome = match DeletePlan::new(&path, &environment, false) {
                Ok(plan) => outcome_of(plan.delete(&trash, false)),
                Err(error) => DeleteOutcome::Kept(reason(error)),
            };
            sender.send(PickerMessage::Deleted(deleting, outcome));
        });
    }
}

/// A search of the messages.
struct MessageSearch {
    number: u64,
    scope: Scope,
    questions: Vec<NeedleQuery>,
    now_ms: i64,
}

impl MessageSearch {
    fn run(
        self,
        method: SearchMethod,
        store: &Store,
        latest: &AtomicU64,
        sender: &WakingSender<PickerMessage>,
    ) {
        let (scope, number) = (self.scope, self.number);
        let is_wanted = || latest.load(Ordering::Relaxed) == number;
        for question in self.questions {
            if !is_wanted() {
                return;
            }
            let files = match method {
                SearchMethod::Words => {
                    let query = question.needle.to_word_query(self.now_ms);
                    query.map(|query| store.files_with(&query, scope))
                }
                SearchMethod::Text => question.files_saying(store, scope, self.now_ms, &is_wanted),
            };
            // A search that was given up, or cannot be made, has found nothing.
            let Some(files) = files else { continue };
            sender.send(PickerMessage::Matches { scope, needle: question.needle, files, method });
        }
        sender.send(PickerMessage::Searched(number));
    }
}

impl NeedleQuery {
    /// The sessions whose messages hold the needle, wherever it stands in them.
    pub(super) fn files_saying(
        &self,
        store: &Store,
        scope: Scope,
        now_ms: i64,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<HashSet<PathBuf>> {
        let (query, look) = self.needle.to_query(now_ms).zip(self.needle.to_look())?;
        let among = self.among.as_deref();
        store.files_saying(&Spoken { query: &query, fits: &*look, among, is_wanted }, scope)
    }
}

fn outcome_of(deletion: Deletion) -> DeleteOutcome {
    match (deletion.kept.into_iter().next(), deletion.gone.first()) {
        (Some((_, DeleteError::NoTrash { .. })), None) => DeleteOutcome::NoTrash,
        (Some((_, error)), _) => DeleteOutcome::Kept(reason(error)),
        (None, Some(gone)) if gone.to == Disposal::Removed => DeleteOutcome::Removed,
        (None, _) => DeleteOutcome::Trashed,
    }
}

/// Why a session is still there. It is the one that is selected, so its long path says nothing.
fn reason(error: DeleteError) -> String {
    match error {
        DeleteError::InUse { why, .. } => format!("kept, it is in use: {why}"),
        other => other.to_string(),
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
