//! What the agent is asked for, and what comes of it.
//!
//! All that changes the agent's session goes through its protocol, so that it always knows what
//! it has. Afterwards it is asked where it is now: it may have gone on to another file, and one
//! that it has not written yet is only in its memory.

use std::path::{Path, PathBuf};

use pitree_format::{JsString, Object, Value};
use pitree_host::agent::{Agent, AgentError};
use pitree_session::{Environment, OpenOptions, Session, SessionError};

use super::panel::text_of;
use crate::view::composer::commands::Offer;

/// A request to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentRequest {
    /// To answer this.
    Prompt(String),
    /// To run one of its own slash commands, as it was typed.
    Command(String),
    /// A new session that ends before a message.
    Fork { entry_id: String },
    /// A new session with all of the branch.
    Clone,
    /// An empty session.
    New,
    /// A name for the session.
    Name(String),
    /// To run a shell command, perhaps without telling the model.
    Shell { command: String, excluded: bool },
    /// A summary of the older part, by these instructions.
    Compact(String),
}

impl AgentRequest {
    fn to_json(&self) -> Object {
        let of_type = |kind: &str| Object::new().with("type", kind);
        match self {
            Self::Prompt(text) | Self::Command(text) => {
                of_type("prompt").with("message", text.as_str())
            }
            Self::Fork { entry_id } => of_type("fork").with("entryId", entry_id.as_str()),
            Self::Clone => of_type("clone"),
            Self::New => of_type("new_session"),
            Self::Name(name) => of_type("set_session_name").with("name", name.as_str()),
            Self::Shell { command, excluded } => {
                let shell = of_type("bash").with("command", command.as_str());
                if *excluded { shell.with("excludeFromContext", true) } else { shell }
            }
            Self::Compact(text) if text.is_empty() => of_type("compact"),
            Self::Compact(text) => of_type("compact").with("customInstructions", text.as_str()),
        }
    }

    /// What is going on, for the user.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Prompt(_) => "Pi is replying".to_owned(),
            Self::Command(typed) => format!("Pi runs {typed}"),
            Self::Fork { .. } => "Pi forks".to_owned(),
            Self::Clone => "Pi clones".to_owned(),
            Self::New => "Pi starts a session".to_owned(),
            Self::Name(_) => "Pi saves the name".to_owned(),
            Self::Shell { command, .. } => format!("Pi runs {command}"),
            Self::Compact(_) => "Pi compacts".to_owned(),
        }
    }

    /// What is sent to stop it.
    pub(super) fn stop(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "abort_bash",
            _ => "abort",
        }
    }

    /// What was typed, to be typed again if it came to nothing.
    pub(crate) fn typed(&self) -> Option<String> {
        match self {
            Self::Prompt(text) | Self::Command(text) => Some(text.clone()),
            Self::Shell { command, excluded } => {
                Some(format!("{}{command}", if *excluded { "!!" } else { "!" }))
            }
            Self::Name(_) | Self::Compact(_) => None,
            Self::Fork { .. } | Self::Clone | Self::New => None,
        }
    }

    /// Whether the agent goes on with another session afterwards.
    pub(crate) fn replaces(&self) -> bool {
        matches!(self, Self::Fork { .. } | Self::Clone | Self::New)
    }
}

/// The reply to a request.
pub(crate) struct AgentReply {
    /// What the agent answered.
    pub(super) data: Value,
    /// Where it is now; not asked while it goes on working.
    pub(crate) session: Option<AgentSession>,
    /// Its own slash commands.
    pub(super) commands: Vec<Offer>,
}

impl AgentReply {
    /// Whether an extension of the agent did not want it.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.data.get("cancelled").is_some_and(Value::is_truthy)
    }
}

/// Has the agent load a file if it must, and asks it. Pi works on several requests at a time, so
/// each waits for the one before; this takes as long as the agent does.
pub(super) fn perform(
    agent: &Agent,
    request: &AgentRequest,
    reload: Option<&str>,
) -> Result<AgentReply, AgentError> {
    if let Some(path) = reload {
        load(agent, path)?;
    }
    let commands = ask_commands(agent)?;
    if let AgentRequest::Command(typed) = request {
        ensure_known(&commands, typed)?;
    }
    let data = agent.ask(&request.to_json())?;
    let became = data.get_string("disposition").map(ToString::to_string);
    let goes_on = became.is_some_and(|became| became != "handled");
    let session = if goes_on { None } else { Some(AgentSession::ask(agent)?) };
    Ok(AgentReply { data, session, commands })
}

fn load(agent: &Agent, path: &str) -> Result<(), AgentError> {
    let request = Object::new().with("type", "switch_session").with("sessionPath", path);
    let data = agent.ask(&request)?;
    match data.get("cancelled").is_some_and(Value::is_truthy) {
        true => Err(AgentError::Refused("an extension of the agent canceled it".into())),
        false => Ok(()),
    }
}

/// Commands of the agent's extensions, its prompts and its skills.
fn ask_commands(agent: &Agent) -> Result<Vec<Offer>, AgentError> {
    let answer = agent.ask(&Object::new().with("type", "get_commands"))?;
    let commands = answer.get("commands").and_then(Value::as_array).unwrap_or_default();
    let offer = |command: &Value| {
        Some(Offer {
            name: text_of(command, "name")?,
            takes: "[…]",
            does: text_of(command, "description").unwrap_or_default(),
        })
    };
    Ok(commands.iter().filter_map(offer).collect())
}

/// What looks like a command but is none would go to the model.
fn ensure_known(commands: &[Offer], typed: &str) -> Result<(), AgentError> {
    let name = typed.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    match commands.iter().any(|command| command.name == name) {
        true => Ok(()),
        false => Err(AgentError::Refused(format!(
            "Neither pitree nor Pi has the command /{name}; /help lists those of pitree."
        ))),
    }
}

/// The session that the agent has.
pub(crate) struct AgentSession {
    pub(crate) file: Option<PathBuf>,
    id: String,
    /// What is in the agent's memory only.
    unwritten: Option<(Vec<Value>, Option<String>)>,
}

impl AgentSession {
    fn ask(agent: &Agent) -> Result<Self, AgentError> {
        let state = agent.ask(&Object::new().with("type", "get_state"))?;
        let text = |value: &Value, name: &str| value.get_string(name).map(JsString::to_string);
        let file = text(&state, "sessionFile").map(PathBuf::from);
        let id = text(&state, "sessionId").unwrap_or_default();
        let is_written = file.as_ref().is_some_and(|file| file.exists());
        let unwritten = match is_written {
            true => None,
            false => {
                let answer = agent.ask(&Object::new().with("type", "get_entries"))?;
                let entries = answer.get("entries").and_then(Value::as_array);
                Some((entries.unwrap_or_default().to_vec(), text(&answer, "leafId")))
            }
        };
        Ok(Self { file, id, unwritten })
    }

    /// Whether it is in a file by now.
    pub(crate) fn is_written(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.exists())
    }

    /// The session, from its file or from what the agent tells.
    pub(super) fn open(
        &self,
        cwd: &Path,
        environment: &Environment,
    ) -> Result<Session, SessionError> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        match &self.unwritten {
            Some((entries, leaf)) if !path.exists() => {
                let around = (cwd, environment);
                Session::from_snapshot(path, &self.id, entries, leaf.as_deref(), around)
            }
            _ => OpenOptions::new().cwd(cwd).open(path, environment),
        }
    }
}
