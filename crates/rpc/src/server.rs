//! One session and what all who ask about it share.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
    TryLockError,
};
use std::time::Duration;

use pitree_format::{EntryKind, JsString, Object, Value};
use pitree_host::HostError;
use pitree_host::agent::{AgentError, AgentStart};
use pitree_host::extension::Limits;
use pitree_host::live::{LiveError, LiveOptions, LiveSession};
use pitree_host::models::{Choices, Selection, SelectionError};
use pitree_host::summarizer::{SummarizerOptions, choose};
use pitree_session::location::{Location, LocationChoice};
use pitree_session::summary::Summarizer;
use pitree_session::{Session, SessionError};
use pitree_store::Store;
use thiserror::Error;

use crate::answer::{Answer, Failure, Need, Spool, failure_line, success_line};
use crate::attached::Attached;
use crate::changes::Changes;
use crate::client::{Client, Clients};
use crate::events::Messenger;
use crate::order::{OpenRequest, Place};
use crate::process::{Process, Running};
use crate::protocol::{Command, Turn};
use crate::request::Request;

/// How long shell commands and summaries may take to end when they are stopped.
const LONGEST_LAST_WORK: Duration = Duration::from_secs(2);

/// What a server goes by.
pub struct ServerOptions {
    /// The models there are, and what the user prefers.
    pub choices: Choices,
    /// Who writes summaries, if the user names somebody; else it is the session's model.
    pub summarizer: SummarizerOptions,
    /// Where other sessions are.
    pub store: Store,
    /// The `trash` command, with its whole path.
    pub trash_command: Option<PathBuf>,
    /// Whether clients may run shell commands.
    pub allow_bash: bool,
    /// The agent to attach.
    pub agent: Option<AgentStart>,
    /// Whether the user's own extensions are loaded.
    pub extensions: bool,
    /// Extensions of the TypeScript Pi to load, with the Node that runs them.
    pub pi_extensions: Option<(PathBuf, Vec<PathBuf>)>,
    /// What to tell a client whose request needs something that it cannot give.
    pub hint: fn(&Need) -> String,
}

/// What is costly to find out about a session.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// How many messages the context has.
    pub(crate) messages: usize,
    pub(crate) name: Option<JsString>,
}

/// Answers requests about a session.
pub struct Server {
    live: RwLock<LiveSession>,
    options: ServerOptions,
    selection: Mutex<Selection>,
    pub(crate) changes: Changes,
    pub(crate) clients: Arc<Clients>,
    pub(crate) process: Arc<Process>,
    attached: OnceLock<Attached>,
    /// Set once somebody wants to hear what is written into the file.
    pub(crate) follows: AtomicBool,
    /// Counts the times that the session may have changed.
    changed: AtomicU64,
    /// What was found out about the session as it stands.
    outline: Mutex<Option<(u64, Outline)>>,
    /// Where long answers wait.
    temporary: PathBuf,
}

impl Server {
    /// A server for this session.
    pub fn new(session: Session, options: ServerOptions) -> Result<Arc<Self>, ServerError> {
        let temporary = PathBuf::from(session.environment().var("TMPDIR").unwrap_or("/tmp"));
        let selection = options.choices.of_session(&session)?;
        let mut live = LiveSession::new(session, LiveOptions::default());
        let clients = Arc::new(Clients::default());
        live.observe(Box::new(Messenger { clients: Arc::clone(&clients) }));
        let process = Arc::new(Process::new(options.choices.settings())?);
        Ok(Arc::new(Self {
            live: RwLock::new(live),
            options,
            selection: Mutex::new(selection),
            changes: Changes::default(),
            clients,
            process,
            attached: OnceLock::new(),
            follows: AtomicBool::new(false),
            changed: AtomicU64::new(0),
            outline: Mutex::default(),
            temporary,
        }))
    }

    /// Starts the session: extensions and clients hear of it.
    pub(crate) fn start(&self) -> Result<(), ServerError> {
        if let Some(start) = &self.options.agent {
            let attached = Attached::start(start, Arc::clone(&self.clients))?;
            // The agent tells its own extensions of its session; ours hear of nothing.
            let _ = self.attached.set(attached);
            return Ok(());
        }
        let mut live = self.live_mut();
        live.options_mut().starting_model = self.options.choices.initial()?.starting();
        self.adapt(&mut live)?;
        if self.options.extensions {
            live.load_extensions(Limits::default());
        }
        if let Some((node, files)) = &self.options.pi_extensions {
            for file in files {
                live.load_pi_extension(node, file, Limits::default());
            }
        }
        live.start()?;
        drop(live);
        self.tell_migration();
        Ok(())
    }

    /// Closes the session: long work is stopped, and extensions and clients hear of the end.
    /// Called a second time it does nothing.
    pub fn close(&self) {
        self.process.close(LONGEST_LAST_WORK);
        // Nobody waits for the answer of a client any more.
        self.clients.present().iter().for_each(|client| client.stop_work());
        self.live_mut().shutdown();
    }

    /// Carries out a command and sends its answer.
    pub(crate) fn answer(
        self: &Arc<Self>,
        command: &Command,
        request: &Request,
        client: &Arc<Client>,
        open: Option<OpenRequest>,
    ) {
        self.carry_out(command, &Call::new(self, client, request, open));
    }

    /// The same for a call.
    pub(crate) fn carry_out(self: &Arc<Self>, command: &Command, call: &Call<'_>) {
        let answer = self.before_own(command, call.request).and_then(|beside| {
            let change = self.announce(command);
            let answer = (command.run)(call).and_then(|answer| {
                beside.finish()?;
                Ok(answer)
            });
            change.into_iter().for_each(|change| self.announced(change));
            if command.turn == Turn::Change {
                self.tell_migration();
            }
            answer
        });
        self.send(call.request, call.client, answer);
    }

    /// Answers that a request is not carried out.
    pub(crate) fn refuse(&self, request: &Request, client: &Client, reason: impl Into<String>) {
        self.send(request, client, Err(Failure::new(reason)));
    }

    /// Carries out a command that only reads the session, unless that would mean to wait for it.
    /// With an agent the session may be older than its file, so that this will not do.
    pub(crate) fn try_answer(
        self: &Arc<Self>,
        command: &Command,
        request: &Request,
        client: &Arc<Client>,
    ) -> bool {
        let live = match self.live.try_read() {
            Ok(live) => live,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let call = Call::new(self, client, request, None);
        call.session.set(Some(SessionGuard(live)));
        self.send(request, client, (command.run)(&call));
        true
    }

    fn send(&self, request: &Request, client: &Client, answer: Result<Answer, Failure>) {
        match answer {
            Ok(answer) => client.send(success_line(request, answer)),
            Err(failure) => {
                let failure = failure.with_hint(self.options.hint);
                client.send(failure_line(request, &failure));
            }
        }
    }

    /// Tells all clients if the file of an old version was rewritten by an append.
    pub(crate) fn tell_migration(&self) {
        let Some(rewrite) = self.live_mut().session_mut().take_migration() else { return };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let event = Object::new()
            .with("type", "session_migrated")
            .with("sessionFile", text(&rewrite.path))
            .with("backup", text(&rewrite.backup));
        self.clients.tell(&event.into());
    }

    pub(crate) fn live(&self) -> RwLockReadGuard<'_, LiveSession> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn live_mut(&self) -> RwLockWriteGuard<'_, LiveSession> {
        let live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        self.changed.fetch_add(1, Ordering::Relaxed);
        live
    }

    /// What needs a look at the whole session; found out once for each change.
    pub(crate) fn outline(&self, session: &SessionGuard<'_>) -> Result<Outline, SessionError> {
        // Whoever holds the session keeps it from changing.
        let now = self.changed.load(Ordering::Relaxed);
        let known = |known: &Option<(u64, Outline)>| {
            known.as_ref().filter(|(then, _)| *then == now).map(|(_, outline)| outline.clone())
        };
        let mut kept = self.outline.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outline) = known(&kept) {
            return Ok(outline);
        }
        let outline = Outline { messages: count_messages(session)?, name: session.name()? };
        *kept = Some((now, outline.clone()));
        Ok(outline)
    }

    /// The models there are.
    pub(crate) fn choices(&self) -> &Choices {
        &self.options.choices
    }

    /// What is selected. Whoever holds it must not wait for the session.
    pub(crate) fn selection(&self) -> MutexGuard<'_, Selection> {
        self.selection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The attached agent.
    pub(crate) fn attached(&self) -> Option<&Attached> {
        self.attached.get()
    }

    /// Other sessions.
    pub(crate) fn store(&self) -> &Store {
        &self.options.store
    }

    /// Where new sessions go.
    pub(crate) fn location(&self) -> Location {
        let first = self.options.store.locations().first().cloned();
        let environment = self.options.choices.environment();
        first.unwrap_or_else(|| Location::choose(&LocationChoice::default(), environment))
    }

    /// Whether clients may run shell commands.
    pub(crate) fn allows_bash(&self) -> bool {
        self.options.allow_bash
    }

    /// The `trash` command.
    pub(crate) fn trash_command(&self) -> Option<PathBuf> {
        self.options.trash_command.clone()
    }

    /// Who writes summaries; `None` if nobody is named and there is no model.
    pub(crate) fn summarizer(&self) -> Result<Option<Arc<dyn Summarizer>>, HostError> {
        let (model, level) = {
            let selection = self.selection();
            (selection.model_name(), selection.level)
        };
        let mut options = self.options.summarizer.clone();
        options.thinking_level.get_or_insert(level);
        let chosen = choose(&options, self.options.choices.environment(), model.as_ref())?;
        Ok(chosen.map(Arc::from))
    }

    /// Makes the session go by what is selected now.
    pub(crate) fn adapt(&self, live: &mut LiveSession) -> Result<(), HostError> {
        let selection = self.selection().clone();
        let mut policy = self.options.choices.compaction(&selection)?;
        policy.settings.enabled &= self.process.state().auto_compaction;
        live.options_mut().compaction = policy;
        Ok(())
    }

    /// Selects the model of a session that has taken the place of another.
    pub(crate) fn select_anew(&self, live: &mut LiveSession) -> Result<(), SelectionError> {
        let selection = self.options.choices.of_session(live.session())?;
        *self.selection() = selection;
        Ok(self.adapt(live)?)
    }
}

/// How many messages the context has. Bodies are read only where they decide about it, since a
/// context may be as large as the file.
fn count_messages(session: &Session) -> Result<usize, SessionError> {
    let entries = session.context_entries()?;
    if entries.iter().any(|entry| entry.kind() == EntryKind::ContextEdit) {
        return Ok(session.projection()?.messages().count());
    }
    let mut count = 0;
    for (at, entry) in entries.iter().enumerate() {
        let has = |name: &str| -> Result<usize, SessionError> {
            Ok(usize::from(entry.value()?.get(name).is_some_and(Value::is_truthy)))
        };
        count += match entry.kind() {
            EntryKind::Message | EntryKind::CustomMessage => 1,
            EntryKind::BranchSummary => has("summary")?,
            // Older compactions in the kept range say nothing.
            EntryKind::Compaction if at == 0 => 1 + has("systemMessage")?,
            _ => 0,
        };
    }
    Ok(count)
}

/// Why a server cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The session cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The session cannot be started.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// The settings or models cannot be read.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The agent cannot be started.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl From<SelectionError> for ServerError {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::Session(error) => Self::Session(error),
            SelectionError::Host(error) => Self::Host(error),
        }
    }
}

/// A command that is being carried out.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) client: &'a Arc<Client>,
    pub(crate) request: &'a Request,
    /// Those behind it may wait until this goes; at the latest when it is answered.
    open: Cell<Option<OpenRequest>>,
    /// Its place among the requests of its client, if it had to wait for its turn.
    place: Option<Place>,
    /// Its shell command, noted before its thread began.
    shell: Cell<Option<Running>>,
    /// The session, where it is held already.
    session: Cell<Option<SessionGuard<'a>>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        server: &'a Arc<Server>,
        client: &'a Arc<Client>,
        request: &'a Request,
        open: Option<OpenRequest>,
    ) -> Self {
        let (open, shell, session) = (Cell::new(open), Cell::default(), Cell::default());
        Self { server, client, request, open, place: None, shell, session }
    }

    /// The call of a request that had to wait for its turn.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The call of a shell command that counts as running.
    pub(crate) fn with_shell(self, shell: Running) -> Self {
        self.shell.set(Some(shell));
        self
    }

    /// The shell command of the call. Whoever stops shell commands stops it.
    pub(crate) fn take_shell(&self) -> Running {
        self.shell.take().unwrap_or_else(|| self.server.process.begin_shell())
    }

    /// Says that the command has seen what it needs of the session.
    pub(crate) fn let_others_go_on(&self) {
        drop(self.open.take());
    }

    /// The session, to read it.
    pub(crate) fn session(&self) -> SessionGuard<'a> {
        self.session.take().unwrap_or_else(|| SessionGuard(self.server.live()))
    }

    /// The session, to change it.
    pub(crate) fn live_mut(&self) -> RwLockWriteGuard<'a, LiveSession> {
        self.server.live_mut()
    }

    /// Begins work that may take long.
    pub(crate) fn begin_work(&self) -> Running {
        let running = self.server.process.begin_work();
        if self.place.as_ref().is_some_and(Place::is_work_stopped) {
            running.cancel();
        }
        self.client.add_work((*running).clone());
        running
    }

    /// Where a long answer is written.
    pub(crate) fn spool(&self) -> Spool {
        Spool::new(&self.server.temporary)
    }
}

/// The session while it is read. It does not change before this is dropped.
pub(crate) struct SessionGuard<'a>(RwLockReadGuard<'a, LiveSession>);

impl SessionGuard<'_> {
    /// Whether a compaction is under way.
    pub(crate) fn is_compacting(&self) -> bool {
        self.0.is_compacting()
    }
}

impl std::ops::Deref for SessionGuard<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.0.session()
    }
}
