//! A session that somebody works with: the open session, whoever watches it, and the operations
//! that fire events.
//!
//! The stdio protocol, the session view and the commands that fire events change a session through
//! [`LiveSession`], so that observers hear of it in Pi's order:
//!
//! | operation | events |
//! |---|---|
//! | [`LiveSession::start`] | `session_start` |
//! | [`LiveSession::new_session`] | `session_before_switch`, `session_shutdown`, `session_start`, `session_switch` |
//! | [`LiveSession::switch_session`], [`LiveSession::import_session`] | the same |
//! | [`LiveSession::fork`], [`LiveSession::clone_session`] | `session_before_fork`, `session_shutdown`, `session_start`, `session_fork` |
//! | [`LiveSession::navigate_tree`] | `session_before_tree`, `session_tree` |
//! | [`LiveSession::compact`] | `session_before_compact`, then `session_compact` or `session_compact_failed` |
//! | [`LiveSession::set_name`] | `session_info_changed` |
//! | [`LiveSession::shutdown`] | `session_shutdown` |
//!
//! What an attached agent does in place of these is told by [`LiveSession::allows`] before and
//! [`LiveSession::arrive`] after.
//!
//! An operation that fails or is cancelled leaves the session that was there. Everything is
//! synchronous; work that takes long can be done in steps, so that the caller need not hold the
//! session meanwhile ([`LiveSession::begin_compaction`], [`LiveSession::begin_navigation`]).
//!
//! ```
//! use pitree_format::Object;
//! use pitree_host::live::{LiveOptions, LiveSession};
//! use pitree_host::events::{
//!     BeforeReply, EventKind, ForkPosition, Moment, ObserverError, SessionEvent, SessionObserver,
//! };
//! use pitree_session::{Environment, NewSession, Session};
//!
//! /// Keeps a session from being forked.
//! struct NoForks;
//!
//! impl SessionObserver for NoForks {
//!     fn name(&self) -> &str {
//!         "no forks"
//!     }
//!
//!     fn wants(&self, kind: EventKind) -> bool {
//!         kind == EventKind::SessionBeforeFork
//!     }
//!
//!     fn on_event(
//!         &mut self,
//!         _event: &SessionEvent,
//!         _moment: &Moment<'_>,
//!     ) -> Result<Option<BeforeReply>, ObserverError> {
//!         Ok(Some(BeforeReply::cancelled()))
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
//! let session = Session::in_memory("/srv", &NewSession::default(), &environment)?;
//! let mut live = LiveSession::new(session, LiveOptions::default());
//! live.observe(Box::new(NoForks));
//! live.start()?;
//! let question = Object::new().with("role", "user").with("content", "How do I read a file?");
//! let id = live.session_mut().append_message(question)?.id;
//! assert!(live.fork(&id, ForkPosition::Before)?.cancelled);
//! live.shutdown();
//! # Ok(())
//! # }
//! ```

mod compact;
mod error;
mod marks;
mod replace;
mod tree;

use std::path::Path;
use std::sync::Arc;

use crate::events::{
    BeforeReply, EventKind, Moment, Notice, Observers, SessionEvent, SessionObserver, StartReason,
    Trouble,
};
use pitree_format::draft::Draft;
use pitree_format::{JsString, NewMessage, Role, Value};
use pitree_session::compaction::CompactionResult;
use pitree_session::summary::{Cancel, Summarizer};
use pitree_session::{Appended, EntryRef, Environment, ForkOptions, Session};

pub use compact::{CompactionPolicy, PendingCompaction};
pub use error::LiveError;
pub use replace::{Arrival, Forked, Replaced};
pub use tree::{BegunMove, Moved, PendingMove};

/// What a session without messages begins with.
#[derive(Clone, Debug, Default)]
pub struct StartingModel {
    /// Provider and model.
    pub model: Option<(JsString, JsString)>,
    /// The thinking level.
    pub thinking_level: Option<JsString>,
}

/// What a live session goes by.
#[derive(Clone, Default)]
pub struct LiveOptions {
    /// What a session without messages begins with. A new session gets entries for it, in memory
    /// until somebody speaks.
    pub starting_model: StartingModel,
    /// Who writes summaries; without one nothing is summarised.
    pub summarizer: Option<Arc<dyn Summarizer>>,
    /// When to compact and how much to keep.
    pub compaction: CompactionPolicy,
    /// Where forks and clones go and in which form.
    pub forks: ForkOptions,
    /// What `summarizer` and `compaction` are for the session at hand, since they depend on its
    /// model. Asked whenever a session begins and before each summary; it must not take long.
    pub by_session: Option<Arc<BySession>>,
}

/// Who writes the summaries of a session, and when it is compacted.
pub type BySession =
    dyn Fn(&Session) -> (Option<Arc<dyn Summarizer>>, CompactionPolicy) + Send + Sync;

/// What keeps a live session from being changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Busy {
    Compacting,
    Navigating,
}

/// A message that was appended, and the compaction that followed by itself, if there was one.
/// The message is there even if the compaction failed.
#[derive(Debug)]
pub struct AppendedMessage {
    /// The new entry and what became of it.
    pub appended: Appended,
    /// What came of the compaction.
    pub compaction: Option<Result<CompactionResult, LiveError>>,
}

/// An open session with its observers.
pub struct LiveSession {
    session: Session,
    options: LiveOptions,
    observers: Observers,
    is_started: bool,
    /// Between the first and the last step of work that takes long.
    busy: Option<Busy>,
}

impl LiveSession {
    /// Takes a session. Nobody hears of it before [`Self::start`].
    pub fn new(session: Session, options: LiveOptions) -> Self {
        let observers = Observers::new();
        Self { session, options, observers, is_started: false, busy: None }
    }

    /// Adds an observer that hears after all others.
    pub fn observe(&mut self, observer: Box<dyn SessionObserver>) {
        self.observers.add(observer);
    }

    /// Tells the observers that the session is there: `session_start` with the reason `startup`.
    /// A session without messages gets its model and thinking level. A second call does nothing.
    pub fn start(&mut self) -> Result<(), LiveError> {
        if self.is_started {
            return Ok(());
        }
        self.is_started = true;
        self.go_by_session();
        replace::begin_with(&mut self.session, &self.options.starting_model, false)?;
        self.tell(&SessionEvent::Start {
            reason: StartReason::Startup,
            previous_session_file: None,
        });
        Ok(())
    }

    /// Looks up what depends on the model of the session at hand.
    fn go_by_session(&mut self) {
        if let Some(by_session) = self.options.by_session.clone() {
            (self.options.summarizer, self.options.compaction) = by_session(&self.session);
        }
    }

    /// The session, to look at.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to change it without events; for what has none in Pi.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The environment the session was opened with.
    pub fn environment(&self) -> &Environment {
        self.session.environment()
    }

    /// What it goes by.
    pub fn options(&self) -> &LiveOptions {
        &self.options
    }

    /// What it goes by, to change it.
    pub fn options_mut(&mut self) -> &mut LiveOptions {
        &mut self.options
    }

    /// What went wrong with observers since this was called last.
    pub fn take_troubles(&mut self) -> Vec<Trouble> {
        self.observers.take_troubles()
    }

    /// Reads what others appended; see [`Session::refresh`].
    pub fn refresh(&mut self) -> Result<usize, LiveError> {
        Ok(self.session.refresh()?)
    }

    /// Whether a compaction has begun and not ended.
    pub fn is_compacting(&self) -> bool {
        self.busy == Some(Busy::Compacting)
    }

    /// Appends an entry that has no event in Pi: a change of the context, an extension's entry.
    pub fn append(&mut self, draft: &Draft) -> Result<Appended, LiveError> {
        Ok(self.session.append(draft)?)
    }

    /// Appends a message, and compacts if the context is nearly full then.
    pub fn append_message(
        &mut self,
        message: impl Into<NewMessage>,
    ) -> Result<AppendedMessage, LiveError> {
        self.append_message_until(message, &Cancel::new())
    }

    /// The same with a compaction that somebody else can cancel.
    pub fn append_message_until(
        &mut self,
        message: impl Into<NewMessage>,
        cancel: &Cancel,
    ) -> Result<AppendedMessage, LiveError> {
        let message = message.into().into_value(self.environment().now_ms());
        // Only an answer or a tool's result can be the last word before a compaction.
        let may_be_full = matches!(Role::of(&message), Role::Assistant | Role::ToolResult);
        let appended = self.session.append_message(message)?;
        let compaction =
            if may_be_full { self.compact_if_needed(cancel).transpose() } else { None };
        Ok(AppendedMessage { appended, compaction })
    }

    /// Whether a file is the session that is open, so that it must not be deleted. Links and odd
    /// spellings do not hide it.
    pub fn is_open_file(&self, path: &Path) -> bool {
        let Some(own) = self.session.path() else { return false };
        let path = pitree_session::paths::resolve(path, self.environment());
        let real = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        path == own || real(&path) == real(own)
    }

    /// Refuses the file of the session that is open, as Pi does.
    pub fn ensure_deletable(&self, path: &Path) -> Result<(), LiveError> {
        if self.is_open_file(path) { Err(LiveError::DeleteOpen) } else { Ok(()) }
    }

    /// Reports what went wrong with an observer to all observers.
    pub fn report(&mut self, trouble: Trouble) {
        self.observers.report(trouble);
    }

    fn want(&self, kind: EventKind) -> bool {
        self.observers.want(kind)
    }

    fn tell(&mut self, event: &SessionEvent) {
        self.ask(event, &Cancel::new());
    }

    /// Tells an event and comes back with the answer that counts.
    fn ask(&mut self, event: &SessionEvent, cancel: &Cancel) -> Option<BeforeReply> {
        self.observers.tell(event, &Moment { session: &self.session, cancel })
    }

    fn show(&mut self, notice: &Notice) {
        self.observers.show(notice);
    }

    fn session_file(&self) -> Option<String> {
        self.session.path().map(|path| path.to_string_lossy().into_owned())
    }
}

impl std::fmt::Debug for LiveSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveSession")
            .field("session", &self.session.id())
            .field("observers", &self.observers)
            .finish_non_exhaustive()
    }
}

/// The values of entries, for a payload.
fn entry_values(entries: &[EntryRef<'_>]) -> Result<Vec<Value>, LiveError> {
    entries.iter().map(|entry| Ok(entry.value()?)).collect()
}
