//! An agent that answers: the real Pi in its protocol mode, on the same file.
//!
//! The agent alone writes the conversation, and while it works nobody else appends. It does not
//! see what others append: if the session was changed or moved since the agent had it last, the
//! place is made the last line and the agent is told to load the file again, before it is asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use pitree_format::{JsString, Object, Value};
use pitree_host::agent::{Agent, AgentError, AgentStart};
use pitree_session::Session;

use super::at_once::with_hint;
use super::{SessionView, place};
use crate::desk::Desk;
use crate::wake::{News, Waker};

/// What comes from the agent.
enum Heard {
    Event(Value),
    /// The message was not taken, and why.
    Refused(String, String),
}

/// A session as the agent has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Loaded {
    file: Option<PathBuf>,
    entries: usize,
    leaf_id: Option<String>,
}

impl Loaded {
    fn of(session: &Session) -> Self {
        Self {
            file: session.path().map(Path::to_owned),
            entries: session.len(),
            leaf_id: session.leaf_id().map(str::to_owned),
        }
    }
}

/// The agent that is attached.
pub(super) struct Attached {
    agent: Arc<Agent>,
    news: News<Heard>,
    heard: Receiver<Heard>,
    loaded: Loaded,
    /// Whether it was asked and has not settled.
    pub(super) is_working: bool,
    /// What it is saying, as far as it is not in the file yet.
    pub(super) words: String,
    /// Whether it has said it, so that the words go when the file has them.
    is_said: bool,
}

impl Attached {
    fn start(program: &Path, session: &Session, waker: &Waker) -> Result<Self, AgentError> {
        let (news, heard) = waker.channel();
        let start = AgentStart {
            program: program.to_owned(),
            args: session
                .path()
                .iter()
                .flat_map(|path| ["--session".into(), path.into()])
                .collect(),
            cwd: session.cwd().to_owned(),
            is_quiet: true,
        };
        let events = news.clone();
        let agent = Agent::start(&start, move |event| {
            events.send(Heard::Event(event.clone()));
        })?;
        Ok(Self {
            agent: Arc::new(agent),
            news,
            heard,
            loaded: Loaded::of(session),
            is_working: false,
            words: String::new(),
            is_said: false,
        })
    }

    /// Has the agent load the file if it must, and then asks it. The answers come as events.
    fn ask(&mut self, text: &str, session: &Session) {
        let path = session.path().map(|path| path.to_string_lossy().into_owned());
        let reload = path.filter(|_| self.loaded != Loaded::of(session));
        let (agent, news, text) = (Arc::clone(&self.agent), self.news.clone(), text.to_owned());
        self.is_working = true;
        // Pi works on several requests at a time, so each waits for the one before.
        std::thread::spawn(move || {
            let loaded = reload.map_or(Ok(()), |path| load(&agent, &path));
            let prompt = Object::new().with("type", "prompt").with("message", text.as_str());
            if let Err(error) = loaded.and_then(|()| agent.ask(&prompt).map(drop)) {
                news.send(Heard::Refused(text, error.to_string()));
            }
        });
    }

    fn abort(&self) {
        self.agent.send(&Object::new().with("type", "abort"), |_| {});
    }
}

fn load(agent: &Agent, path: &str) -> Result<(), AgentError> {
    let request = Object::new().with("type", "switch_session").with("sessionPath", path);
    let data = agent.ask(&request)?;
    match data.get("cancelled").is_some_and(Value::is_truthy) {
        true => Err(AgentError::Refused("an extension of the agent keeps it from the file".into())),
        false => Ok(()),
    }
}

impl SessionView {
    /// Whether an agent is at work, so that the session must not be touched.
    pub(super) fn is_answering(&self) -> bool {
        self.attached.as_ref().is_some_and(|attached| attached.is_working)
    }

    /// Asks the agent; `false` if that is not possible.
    pub(super) fn ask_agent(&mut self, text: &str, program: &Path, desk: &mut Desk) -> bool {
        let Some(live) = &mut desk.live else { return false };
        // Only a new agent and one that loads anew find the place, and both find the last line.
        if let Err(error) = place::make_last(live) {
            self.complain(&with_hint(&error));
            return false;
        }
        let session = live.session();
        if self.attached.is_none() {
            match Attached::start(program, session, &desk.waker) {
                Ok(attached) => self.attached = Some(attached),
                Err(error) => {
                    self.complain(&error.to_string());
                    return false;
                }
            }
        }
        if let Some(attached) = &mut self.attached {
            attached.ask(text, session);
        }
        self.conversation.go_to_end();
        true
    }

    /// Asks the agent to stop.
    pub(super) fn stop_answer(&self) {
        if let Some(attached) = &self.attached {
            attached.abort();
        }
    }

    /// Takes in what the agent says.
    pub(super) fn hear_agent(&mut self, desk: &mut Desk) {
        let heard: Vec<Heard> =
            self.attached.iter().flat_map(|attached| attached.heard.try_iter()).collect();
        for heard in heard {
            match heard {
                Heard::Event(event) => self.hear_event(&event, desk),
                Heard::Refused(text, why) => {
                    self.settle(desk);
                    self.complain(&format!("The agent did not take it: {why}"));
                    self.take_draft(&text);
                }
            }
        }
    }

    fn hear_event(&mut self, event: &Value, desk: &mut Desk) {
        let Some(attached) = &mut self.attached else { return };
        let kind = event.get_string("type").map(JsString::to_string).unwrap_or_default();
        match kind.as_str() {
            "message_start" => attached.words.clear(),
            "message_update" => {
                attached.is_said = false;
                attached.words.push_str(&delta(event));
            }
            "message_end" => {
                attached.is_said = true;
                self.follow_file(desk);
            }
            "agent_settled" => self.settle(desk),
            "agent_gone" => {
                self.settle(desk);
                self.attached = None;
                self.complain("The agent has ended. The next message starts it again.");
            }
            // Nobody here can answer; without an answer the agent would wait for ever.
            "extension_ui_request" => {
                let id = event.get("id").cloned().unwrap_or(Value::Null);
                let answer = Object::new().with("type", "extension_ui_response").with("id", id);
                let _ = attached.agent.tell(&answer.with("cancelled", true));
            }
            _ => {}
        }
    }

    /// The agent is done: what it wrote is read, and known to be what it has.
    fn settle(&mut self, desk: &mut Desk) {
        self.follow_file(desk);
        if let (Some(attached), Some(live)) = (&mut self.attached, &desk.live) {
            attached.is_working = false;
            attached.words.clear();
            attached.loaded = Loaded::of(live.session());
        }
    }

    /// The words are in the file now.
    pub(super) fn forget_words(&mut self) {
        if let Some(attached) = self.attached.as_mut().filter(|attached| attached.is_said) {
            attached.words.clear();
        }
    }
}

/// The text that an update adds.
fn delta(event: &Value) -> String {
    let update = event.get("assistantMessageEvent").unwrap_or(&Value::Null);
    let is_text = update.get_string("type").is_some_and(|kind| *kind == "text_delta");
    let delta = update.get_string("delta").filter(|_| is_text);
    delta.map(JsString::to_string).unwrap_or_default()
}
