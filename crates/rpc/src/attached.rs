//! An attached agent: it writes the conversation, and pitree adds what Pi's protocol lacks.
//!
//! Pi's own commands go to the agent, in the order in which they arrive, and its events go to all
//! clients. pitree's own commands work on the agent's file: it is read anew if it has changed, and
//! nothing is appended while the agent works. Pi does not see what others append, so after a
//! change the wanted leaf is made the last line and the agent is told to load the file again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pitree_format::{Object, Value};
use pitree_host::agent::{Agent, AgentError, AgentStart, data_of};
use pitree_session::{OpenOptions, Session};

use crate::answer::{Answer, Failure, failure_line, success_line};
use crate::client::{Client, Clients};
use crate::protocol::{Command, Origin, Turn};
use crate::request::Request;
use crate::server::Server;

/// The `customType` of the entry that stores a place.
const LEAF_TYPE: &str = "pitree.leaf";

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
}

impl Attached {
    pub(crate) fn start(start: &AgentStart, clients: Arc<Clients>) -> Result<Self, AgentError> {
        let agent = Agent::start(start, move |event| clients.tell(event))?;
        Ok(Self { agent, seen: AtomicU64::new(u64::MAX) })
    }

    /// Passes a request on, and its answer back.
    pub(crate) fn pass_on(&self, request: Request, client: &Arc<Client>) {
        let client = Arc::clone(client);
        let members = request.members().clone();
        self.agent.send(&members, move |answer| {
            let line = match answer.and_then(|answer| data_of(&answer)) {
                Ok(Value::Null) if !answers_null(&request) => success_line(&request, Answer::Done),
                Ok(data) => success_line(&request, Answer::Data(data)),
                Err(error) => failure_line(&request, &error.into()),
            };
            client.send(line);
        });
    }

    /// Passes on a line that gets no answer.
    pub(crate) fn tell(&self, request: &Request) {
        // An agent that is gone needs no answers.
        let _ = self.agent.tell(request.members());
    }

    /// The file that the agent works with.
    fn file(&self) -> Result<PathBuf, Failure> {
        let state = self.agent.ask(&Object::new().with("type", "get_state"))?;
        let file = state.get_string("sessionFile").map(ToString::to_string);
        file.map(PathBuf::from)
            .ok_or_else(|| Failure::new("the agent keeps its session in memory only"))
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

impl Server {
    /// Reads the agent's file if it is another one or has changed, and refuses changes while the
    /// agent works. Without an agent this does nothing.
    pub(crate) fn before_own(&self, command: &Command) -> Result<(), Failure> {
        let Some(attached) = self.attached() else { return Ok(()) };
        if command.turn == Turn::AtOnce {
            return Ok(());
        }
        if command.turn == Turn::Change && attached.agent.is_working() {
            return Err(Failure::new(
                "the agent is at work: wait for `agent_settled`, or send `abort`",
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
        if command.turn == Turn::Change && !path.exists() {
            return Err(Failure::new("This session has not been saved yet. Send a message first."));
        }
        Ok(())
    }

    fn open_again(&self, path: &Path) -> Result<Session, Failure> {
        let environment = self.choices().environment();
        let writing = self.live().session().write_options().clone();
        Ok(OpenOptions::new().create(true).writing(writing).open(path, environment)?)
    }

    /// Makes the agent load the file after a change: Pi stands at the last line then.
    pub(crate) fn after_own(&self, command: &Command) -> Result<(), Failure> {
        let Some(attached) = self.attached() else { return Ok(()) };
        if command.turn != Turn::Change {
            return Ok(());
        }
        let path = {
            let mut live = self.live_mut();
            let session = live.session_mut();
            let last = session.entries().next_back().map(|entry| entry.index());
            if session.leaf().map(|leaf| leaf.index()) != last {
                session.append_custom(LEAF_TYPE, None)?;
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
