//! An attached agent: it writes the conversation, and pitree adds what Pi's protocol lacks.
//!
//! Pi's own commands go to the agent, in the [order](crate::order) of the client's requests, and
//! its events go to all clients. pitree's own commands work on the agent's file: it is read again
//! if it has changed, and nothing is appended while the agent works. Pi does not see what others
//! append, so after a change the wanted leaf is made the last line and the agent is told to load
//! the file again. Until it has, nobody's message goes to it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use pitree_export::ensure_replaceable;
use pitree_format::{Object, Value};
use pitree_host::agent::{Agent, AgentError, AgentStart, data_of};
use pitree_session::{OpenOptions, Session, paths};

use crate::answer::{Answer, Failure, Line, failure_line, success_line};
use crate::client::{Client, Clients};
use crate::order::OpenRequest;
use crate::protocol::{Command, Origin, Turn};
use crate::request::Request;
use crate::server::Server;

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        Self::new(error.to_string())
    }
}

/// The agent of a server.
pub(crate) struct Attached {
    agent: Agent,
    /// The size of the file when it was read last.
    seen: AtomicU64,
    /// Whose change is being made.
    change: Mutex<Option<Maker>>,
    moved: Condvar,
}

/// Who makes a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    Pitree,
    Agent,
}

/// A change that is being made; messages for the agent wait until the value goes.
struct Changing<'a>(&'a Attached);

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        *self.0.change() = None;
        self.0.moved.notify_all();
    }
}

impl Attached {
    pub(crate) fn start(start: &AgentStart, clients: Arc<Clients>) -> Result<Self, AgentError> {
        let agent = Agent::start(start, move |line| {
            // Anything else is chatter that went astray.
            if line.get_string("type").is_some() {
                clients.tell(line);
            }
        })?;
        let (seen, change) = (AtomicU64::new(u64::MAX), Mutex::default());
        Ok(Self { agent, seen, change, moved: Condvar::new() })
    }

    fn change(&self) -> MutexGuard<'_, Option<Maker>> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, once it is not made by one of these.
    fn change_unless(&self, makers: &[Maker]) -> MutexGuard<'_, Option<Maker>> {
        let is_made = |change: &mut Option<Maker>| change.is_some_and(|it| makers.contains(&it));
        self.moved.wait_while(self.change(), is_made).unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a request on, and its answer back. The request is open until then.
    pub(crate) fn pass_on(
        &self,
        request: Request,
        client: &Arc<Client>,
        open: Option<OpenRequest>,
    ) {
        let (client, asker) = (Arc::clone(client), Arc::clone(client));
        let members = request.members().clone();
        let on_update = move |update: &Value| asker.send_event(update);
        self.agent.send_with_updates(&members, on_update, move |answer| {
            client.send(line_of(&request, answer.and_then(|answer| data_of(&answer))));
            drop(open);
        });
    }

    /// Passes on a message for the agent, while nobody's change is being made.
    pub(crate) fn say(&self, request: Request, client: &Arc<Client>, open: Option<OpenRequest>) {
        // Held until the agent counts as working: no change can begin in between.
        let _change = self.change_unless(&[Maker::Pitree, Maker::Agent]);
        self.pass_on(request, client, open);
    }

    /// Has the agent make a change, and waits until it has.
    pub(crate) fn make(&self, request: &Request, client: &Client) {
        let _changing = self.begin(&mut self.change(), Maker::Agent);
        client.send(line_of(request, self.agent.ask(request.members())));
    }

    fn begin(&self, change: &mut Option<Maker>, maker: Maker) -> Changing<'_> {
        *change = Some(maker);
        Changing(self)
    }

    /// Passes on a request to stop, if there is anything to be stopped. Nobody hears the answer.
    pub(crate) fn stop_what_runs(&self, request: &Request) {
        if self.agent.is_working() {
            self.agent.send(request.members(), |_| {});
        }
    }

    /// Passes on a line that gets no answer, unless it cannot be sent.
    pub(crate) fn tell(&self, request: &Request, client: &Client) {
        match self.agent.tell(request.members()) {
            // An agent that is gone needs no answers.
            Ok(()) | Err(AgentError::Gone) => {}
            Err(error) => client.send(failure_line(request, &error.into())),
        }
    }

    /// Ends the agent with all that it started. Whoever waits for it is told.
    pub(crate) fn end(&self) {
        self.agent.end_now();
    }

    /// The file that the agent works with.
    fn file(&self) -> Result<PathBuf, Failure> {
        let state = self.agent.ask(&Object::new().with("type", "get_state"))?;
        let file = state.get_string("sessionFile").map(ToString::to_string);
        file.map(PathBuf::from)
            .ok_or_else(|| Failure::new("the agent keeps its session in memory only"))
    }
}

fn line_of(request: &Request, data: Result<Value, AgentError>) -> Line {
    match data {
        Ok(Value::Null) if !answers_null(request) => success_line(request, Answer::Done),
        Ok(data) => success_line(request, Answer::Data(data)),
        Err(error) => failure_line(request, &error.into()),
    }
}

/// Whether `null` is an answer to a command, and not the lack of one.
fn answers_null(request: &Request) -> bool {
    matches!(request.command_text().as_str(), "cycle_model" | "cycle_thinking_level")
}

/// Whether a command is the agent's.
pub(crate) fn is_for_agent(command: &Command) -> bool {
    command.origin == Origin::Pi
}

/// A command of pitree's own beside an agent. After a change [`Beside::finish`] makes the agent
/// load the file.
pub(crate) struct Beside<'a> {
    server: &'a Server,
    changing: Option<Changing<'a>>,
}

impl Server {
    /// Passes a read on. A page replaces only what one of ours would.
    pub(crate) fn read_of_agent(
        &self,
        agent: &Attached,
        command: &Command,
        request: Request,
        client: &Arc<Client>,
        open: OpenRequest,
    ) {
        let path = request.get("outputPath").and_then(Value::as_string);
        if let Some(path) = path.filter(|_| command.name == "export_html") {
            let environment = self.choices().environment();
            let path = paths::resolve(Path::new(&path.to_string()), environment);
            if let Err(error) = ensure_replaceable(&path, self.store().locations(), environment) {
                return client.send(failure_line(&request, &error.into()));
            }
        }
        agent.pass_on(request, client, Some(open));
    }

    /// Reads the agent's file if it is another one or has changed, and refuses changes while the
    /// agent works. Without an agent this does nothing.
    pub(crate) fn before_own(
        &self,
        command: &Command,
        request: &Request,
    ) -> Result<Beside<'_>, Failure> {
        let mut beside = Beside { server: self, changing: None };
        let Some(attached) = self.attached() else { return Ok(beside) };
        let needs_session = match command.turn {
            Turn::Change | Turn::LongRead | Turn::QuickRead => true,
            Turn::Read => command.name != "subscribe" || request.flag("file")?,
            _ => false,
        };
        if !needs_session {
            return Ok(beside);
        }
        // Held so that no message goes to the agent in between, and two do not read at once.
        let mut change = attached.change_unless(&[Maker::Agent]);
        if change.is_some() {
            // Whoever makes the change has read the file.
            return Ok(beside);
        }
        if command.turn == Turn::Change && attached.agent.is_working() {
            return Err(Failure::new(
                "the agent is busy: wait for `agent_settled`, or send `abort`",
            ));
        }
        let path = attached.file()?;
        let len = path.metadata().map_or(0, |metadata| metadata.len());
        let is_known = self.live().session().path() == Some(&path)
            && attached.seen.swap(len, Ordering::Relaxed) == len;
        if !is_known {
            let session = self.open_again(&path)?;
            *self.live_mut().session_mut() = session;
            attached.seen.store(len, Ordering::Relaxed);
        }
        if command.turn == Turn::Change {
            if !path.exists() {
                let message = "This session has not been saved yet. Send a message first.";
                return Err(Failure::new(message));
            }
            beside.changing = Some(attached.begin(&mut change, Maker::Pitree));
        }
        Ok(beside)
    }

    fn open_again(&self, path: &Path) -> Result<Session, Failure> {
        let environment = self.choices().environment();
        let writing = self.live().session().write_options().clone();
        Ok(OpenOptions::new().create(true).writing(writing).open(path, environment)?)
    }
}

impl Beside<'_> {
    /// Makes the agent load the file after a change: Pi stands at the last line then.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Some(Changing(attached)) = &self.changing else { return Ok(()) };
        let path = {
            let mut live = self.server.live_mut();
            let session = live.session_mut();
            if !session.is_at_last_entry() {
                session.save_position()?;
            }
            session.path().map(Path::to_owned).unwrap_or_default()
        };
        let request = Object::new()
            .with("type", "switch_session")
            .with("sessionPath", path.to_string_lossy().into_owned());
        let data = attached.agent.ask(&request)?;
        if data.get("cancelled").is_some_and(Value::is_truthy) {
            return Err(Failure::new("an extension of the agent keeps it from loading the file"));
        }
        Ok(())
    }
}
