//! One session and those who ask about it.
//!
//! Each client has a thread that reads its requests and never waits for the session, so that an
//! answer to a question always gets through, and a thread that answers its reads in order. Changes
//! of all clients go through one queue, [`Changes`].

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, JoinHandle};

use pitree_host::HostError;
use pitree_host::live::{LiveError, LiveOptions, LiveSession};
use pitree_host::summarizer::{SummarizerOptions, choose};
use pitree_session::location::{Location, LocationChoice};
use pitree_session::summary::{Cancel, Summarizer};
use pitree_session::{Session, SessionError};
use pitree_store::Store;
use thiserror::Error;

use crate::answer::{Failure, Spool, failure_line, success_line, unreadable_line};
use crate::changes::{Changes, Ticket};
use crate::client::{Client, Clients};
use crate::events::Messenger;
use crate::frame::{Frame, Frames, MAX_REQUEST_BYTES};
use crate::process::Process;
use crate::protocol::{self, Command, Turn};
use crate::request::Request;
use crate::selection::{Choices, Selection, SelectionError};

/// As many long reads of one client run at a time; further ones wait.
const MOST_LONG_READS: usize = 4;
/// As many reads of one client wait; then its requests are not read for a while.
const MOST_WAITING_READS: usize = 1024;

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
}

/// Answers requests about a session.
pub struct Server {
    live: RwLock<LiveSession>,
    options: ServerOptions,
    selection: Mutex<Selection>,
    changes: Changes,
    clients: Arc<Clients>,
    pub(crate) process: Process,
    /// Where long answers wait.
    temporary: PathBuf,
}

impl Server {
    /// A server for this session. It starts the session.
    pub fn new(session: Session, options: ServerOptions) -> Result<Arc<Self>, ServerError> {
        let temporary = PathBuf::from(session.environment().var("TMPDIR").unwrap_or("/tmp"));
        let selection = options.choices.of_session(&session)?;
        let mut live = LiveSession::new(session, LiveOptions::default());
        let clients = Arc::new(Clients::default());
        live.observe(Box::new(Messenger { clients: Arc::clone(&clients) }));
        let process = Process::new(&options.choices.settings)?;
        let server = Self {
            live: RwLock::new(live),
            options,
            selection: Mutex::new(selection),
            changes: Changes::default(),
            clients,
            process,
            temporary,
        };
        {
            let mut live = server.live_mut();
            server.adapt(&mut live)?;
            live.start()?;
        }
        Ok(Arc::new(server))
    }

    /// Answers one client until its input ends or it takes no more answers; then the session is
    /// closed. All that was asked before the end is answered.
    pub fn run(
        self: &Arc<Self>,
        input: impl BufRead,
        output: impl Write + Send + 'static,
    ) -> io::Result<()> {
        let worker = self.start_changes();
        let result = self.serve(input, output);
        self.changes.finish();
        self.changes.close();
        let _ = worker.join();
        self.live_mut().shutdown();
        result
    }

    fn start_changes(self: &Arc<Self>) -> JoinHandle<()> {
        let server = Arc::clone(self);
        thread::spawn(move || server.changes.work())
    }

    /// Answers one client.
    fn serve(
        self: &Arc<Self>,
        input: impl BufRead,
        output: impl Write + Send + 'static,
    ) -> io::Result<()> {
        let client = Arc::new(Client::new(Box::new(output)));
        self.clients.add(&client);
        let (reads, waiting) = sync_channel::<Read>(MOST_WAITING_READS);
        let reader = thread::spawn({
            let (server, client) = (Arc::clone(self), Arc::clone(&client));
            move || server.answer_reads(&waiting, &client)
        });
        let mut frames = Frames::new(input, MAX_REQUEST_BYTES);
        let result = loop {
            if client.is_gone() {
                break Ok(());
            }
            match frames.next() {
                Err(error) => break Err(error),
                Ok(None) => break Ok(()),
                Ok(Some(Frame::TooLong(bytes))) => client.send(unreadable_line(&too_long(bytes))),
                Ok(Some(Frame::Line(line))) => match Request::read(line) {
                    Err(failure) => client.send(unreadable_line(&failure)),
                    Ok(request) => self.take(request, &client, |read| drop(reads.send(read))),
                },
            }
        };
        drop(reads);
        let _ = reader.join();
        result
    }

    /// Sees to it that a request is answered, now or later.
    fn take(
        self: &Arc<Self>,
        request: Request,
        client: &Arc<Client>,
        read_later: impl FnOnce(Read),
    ) {
        let name = request.command.as_ref().and_then(|command| command.as_string());
        let Some(command) = name.and_then(|name| protocol::find(&name.to_text())) else {
            let failure = Failure::new(format!("Unknown command: {}", request.command_text()));
            return client.send(failure_line(&request, &failure));
        };
        match command.turn {
            Turn::AtOnce => self.answer(command, &request, client),
            Turn::Read | Turn::LongRead => {
                read_later(Read { command, request, after: self.changes.ticket() });
            }
            Turn::Change => {
                let (server, client) = (Arc::clone(self), Arc::clone(client));
                self.changes.push(move || server.answer(command, &request, &client));
            }
        }
    }

    /// Answers the reads of a client in order; long ones on threads of their own.
    fn answer_reads(self: &Arc<Self>, waiting: &Receiver<Read>, client: &Arc<Client>) {
        let mut long_reads = LongReads::default();
        for read in waiting {
            self.changes.settle(read.after);
            if read.command.turn == Turn::Read {
                self.answer(read.command, &read.request, client);
                continue;
            }
            let (server, client) = (Arc::clone(self), Arc::clone(client));
            long_reads.start(move || server.answer(read.command, &read.request, &client));
        }
        long_reads.finish();
    }

    fn answer(self: &Arc<Self>, command: &Command, request: &Request, client: &Arc<Client>) {
        let call = Call { server: self, client, request };
        match (command.run)(&call) {
            Ok(answer) => {
                if let Some(line) = success_line(request, answer) {
                    client.send(line);
                }
            }
            Err(failure) => client.send(failure_line(request, &failure)),
        }
    }

    pub(crate) fn live(&self) -> RwLockReadGuard<'_, LiveSession> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn live_mut(&self) -> RwLockWriteGuard<'_, LiveSession> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The models there are.
    pub(crate) fn choices(&self) -> &Choices {
        &self.options.choices
    }

    /// What is selected. Whoever holds it must not wait for the session.
    pub(crate) fn selection(&self) -> MutexGuard<'_, Selection> {
        self.selection.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The `trash` command.
    pub(crate) fn trash_command(&self) -> Option<PathBuf> {
        self.options.trash_command.clone()
    }

    /// The queue of changes.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
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

    /// Makes the session go by what is selected now. New sessions begin with the usual model.
    pub(crate) fn adapt(&self, live: &mut LiveSession) -> Result<(), HostError> {
        let selection = self.selection().clone();
        let mut policy = self.options.choices.compaction(&selection)?;
        policy.settings.enabled &= self.process.state().auto_compaction;
        let options = live.options_mut();
        options.compaction = policy;
        options.starting_model = self.options.choices.initial()?.starting();
        Ok(())
    }

    /// Selects the model of a session that has taken the place of another.
    pub(crate) fn select_anew(&self, live: &mut LiveSession) -> Result<(), SelectionError> {
        let selection = self.options.choices.of_session(live.session())?;
        *self.selection() = selection;
        Ok(self.adapt(live)?)
    }
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
}

impl From<SelectionError> for ServerError {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::Session(error) => Self::Session(error),
            SelectionError::Host(error) => Self::Host(error),
        }
    }
}

fn too_long(bytes: u64) -> Failure {
    Failure::new(format!(
        "Failed to parse command: the line has {bytes} bytes, and {MAX_REQUEST_BYTES} is the limit"
    ))
}

/// A read that waits for its turn.
struct Read {
    command: &'static Command,
    request: Request,
    after: Ticket,
}

/// A command that is being carried out.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) client: &'a Arc<Client>,
    pub(crate) request: &'a Request,
}

impl<'a> Call<'a> {
    /// The session, to read it.
    pub(crate) fn session(&self) -> SessionGuard<'a> {
        SessionGuard(self.server.live())
    }

    /// The session, to change it.
    pub(crate) fn live_mut(&self) -> RwLockWriteGuard<'a, LiveSession> {
        self.server.live_mut()
    }

    /// Begins work that may take long.
    pub(crate) fn begin_work(&self) -> Cancel {
        self.server.process.begin_work()
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

/// The long reads of a client that are under way.
#[derive(Default)]
struct LongReads(Vec<JoinHandle<()>>);

impl LongReads {
    fn start(&mut self, job: impl FnOnce() + Send + 'static) {
        self.0.retain(|thread| !thread.is_finished());
        if self.0.len() >= MOST_LONG_READS {
            let _ = self.0.remove(0).join();
        }
        self.0.push(thread::spawn(job));
    }

    fn finish(self) {
        for thread in self.0 {
            let _ = thread.join();
        }
    }
}
