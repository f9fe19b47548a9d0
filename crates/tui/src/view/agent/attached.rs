//! The agent that is attached: its process, what it was asked for, what it says and shows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use pitree_format::{Object, Value};
use pitree_host::agent::{Agent, AgentError, AgentLimits, AgentStart};
use pitree_session::Session;
use pitree_store::shared_index::Announcement;

use super::dialog::{Dialog, cancelled};
use super::panel::{Panel, text_of};
use super::request::{AgentReply, AgentRequest, perform};
use super::streamed_reply::StreamedReply;
use crate::keymap::{Keymap, ViewAction};
use crate::view::composer::commands::Offer;
use crate::wake::{Waker, WakingSender};

/// How much of a running command's output is kept in sight.
const MOST_TAIL_BYTES: usize = 8 << 10;
/// How many events of the agent wait for the view. An agent that says more waits itself.
const MOST_EVENTS: usize = 256;
/// So many questions in a row are canceled without more; canceling the next one stops the agent.
const MOST_CANCELED: u8 = 2;

/// What comes from the agent.
pub(super) enum AgentMessage {
    Event(Value),
    /// What became of a request.
    Answered(AgentRequest, Result<AgentReply, AgentError>),
    /// What was said while it worked was not taken.
    NotSteered(String, AgentError),
    /// It was asked to stop and does not answer.
    NotStopped,
    /// A question that does not wait for ever is a second older.
    Older,
}

/// A session as the agent has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LoadedSession {
    file: Option<PathBuf>,
    entries: usize,
    leaf_id: Option<String>,
}

impl LoadedSession {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            file: session.path().map(Path::to_owned),
            entries: session.len(),
            leaf_id: session.leaf_id().map(str::to_owned),
        }
    }
}

/// What the agent is at.
pub(super) struct AgentActivity {
    /// For the user.
    what: String,
    /// The same for the moment: a tool that runs, another attempt.
    now: Option<String>,
    /// The end of what a command has written.
    pub(super) tail: String,
    /// What is sent to stop it.
    stop: &'static str,
    /// How often the user asked it to stop.
    pub(super) stops: u8,
    /// Whether it answers a message, so that more can be said.
    pub(super) is_talking: bool,
    /// What was typed, until the agent has taken it.
    pub(super) typed: Option<String>,
    /// Those who use a shared index are told when it is done.
    pub(super) change: Announcement,
}

impl AgentActivity {
    pub(super) fn words(&self) -> &str {
        self.now.as_deref().unwrap_or(&self.what)
    }

    /// What the key that stops it does next.
    pub(super) fn hint(&self, keymap: &Keymap) -> String {
        let stop = keymap.view.label(ViewAction::Interrupt);
        match self.stops {
            0 => format!("…  {stop} stops it"),
            1 => "…  stopping".to_owned(),
            _ => format!("…  it does not stop; {stop} ends the agent"),
        }
    }
}

/// The agent that is attached.
pub(super) struct AttachedAgent {
    pub(super) agent: Arc<Agent>,
    sender: WakingSender<AgentMessage>,
    messages: Receiver<AgentMessage>,
    /// Something for each event that waits. It holds only so much, and whoever reads from the
    /// agent waits for room. Answers wait for nobody: some come from the view's own thread.
    waiting_events: Receiver<()>,
    pub(super) loaded: LoadedSession,
    /// What it was asked for, until it is done.
    pub(super) busy: Option<AgentActivity>,
    /// What was said while it worked and waits for its turn.
    pub(super) waiting: Vec<String>,
    /// What it is saying, as far as it is not in the file yet.
    pub(super) words: StreamedReply,
    /// Whether it has said it, so that the words go when the file has them.
    pub(super) is_said: bool,
    /// What its extensions show and ask.
    pub(super) panel: Panel,
    /// How many questions in a row the user canceled.
    canceled: u8,
    /// Its own slash commands, as far as they are known.
    pub(super) commands: Vec<Offer>,
}

impl AttachedAgent {
    pub(super) fn start(
        program: &Path,
        session: &Session,
        limits: AgentLimits,
        waker: &Waker,
    ) -> Result<Self, AgentError> {
        let (sender, messages) = waker.channel();
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
        let events = sender.clone();
        let (room, waiting_events) = sync_channel(MOST_EVENTS);
        let agent = Agent::start_with(&start, limits, move |event| {
            // Without a view there is room enough.
            let _ = room.send(());
            events.send(AgentMessage::Event(event.clone()));
        })?;
        Ok(Self {
            agent: Arc::new(agent),
            sender,
            messages,
            waiting_events,
            loaded: LoadedSession::of(session),
            busy: None,
            waiting: Vec::new(),
            words: StreamedReply::default(),
            is_said: false,
            panel: Panel::default(),
            canceled: 0,
            commands: Vec::new(),
        })
    }

    /// Has the agent load the file if it must, and then asks it. The answer comes as a message.
    pub(super) fn ask(&mut self, request: AgentRequest, session: &Session, change: Announcement) {
        let path = session.path().map(|path| path.to_string_lossy().into_owned());
        let reload = path.filter(|_| self.loaded != LoadedSession::of(session));
        if reload.is_some() || request.replaces() {
            self.panel.begin_anew();
        }
        self.busy = Some(AgentActivity {
            what: request.words(),
            now: None,
            tail: String::new(),
            stop: request.stop(),
            stops: 0,
            is_talking: matches!(request, AgentRequest::Prompt(_)),
            typed: request.typed(),
            change,
        });
        self.canceled = 0;
        let (agent, sender) = (Arc::clone(&self.agent), self.sender.clone());
        std::thread::spawn(move || {
            let reply = perform(&agent, &request, reload.as_deref());
            sender.send(AgentMessage::Answered(request, reply));
        });
    }

    /// The next thing that comes from the agent.
    pub(super) fn next(&self) -> Option<AgentMessage> {
        let message = self.messages.try_recv().ok()?;
        if matches!(message, AgentMessage::Event(_)) {
            let _ = self.waiting_events.try_recv();
        }
        Some(message)
    }

    /// Says something more while the agent answers.
    pub(super) fn steer(&self, text: &str) {
        let request = Object::new().with("type", "steer").with("message", text);
        let (sender, text) = (self.sender.clone(), text.to_owned());
        self.agent.send(&request, move |answer| {
            let taken = answer.and_then(|answer| pitree_host::agent::data_of(&answer));
            if let Err(error) = taken {
                sender.send(AgentMessage::NotSteered(text, error));
            }
        });
    }

    pub(super) fn stop(&self) {
        let Some(busy) = &self.busy else { return };
        let send = |kind: &str| {
            let sender = self.sender.clone();
            self.agent.send(&Object::new().with("type", kind), move |answer| {
                if matches!(answer, Err(AgentError::Silent { .. })) {
                    sender.send(AgentMessage::NotStopped);
                }
            });
        };
        if !self.waiting.is_empty() {
            send("clear_queue");
        }
        send(busy.stop);
    }

    /// Takes in a question of an extension, or what it shows.
    pub(super) fn handle_extension(&mut self, request: &Value) -> Option<ExtensionOutput> {
        let method = text_of(request, "method").unwrap_or_default();
        if self.panel.take(&method, request) {
            return None;
        }
        match method.as_str() {
            "notify" => {
                let text = text_of(request, "message").unwrap_or_default();
                let kind = text_of(request, "notifyType");
                let is_bad = kind.is_some_and(|kind| kind == "warning" || kind == "error");
                return Some(ExtensionOutput::Notice { text, is_bad });
            }
            "set_editor_text" => {
                return Some(ExtensionOutput::Draft(text_of(request, "text").unwrap_or_default()));
            }
            _ => {}
        }
        let dialog = Dialog::of(&method, request, Instant::now());
        let until = dialog.as_ref().and_then(Dialog::until);
        if dialog.is_some_and(|dialog| self.panel.ask(dialog)) {
            until.into_iter().for_each(|until| self.count_down(until));
        } else {
            // Nobody here can answer; without an answer the agent might wait for ever.
            let id = request.get("id").cloned().unwrap_or(Value::Null);
            let _ = self.agent.tell(&cancelled(&id));
        }
        None
    }

    fn count_down(&self, until: Instant) {
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            loop {
                let left = until.saturating_duration_since(Instant::now());
                std::thread::sleep(left.min(Duration::from_secs(1)));
                if !sender.send(AgentMessage::Older) || left.is_zero() {
                    return;
                }
            }
        });
    }

    /// The agent alone, to be waited for when it ends.
    pub(super) fn into_agent(self) -> Arc<Agent> {
        self.agent
    }

    /// Sends the answer to the question that is seen. `true` if the user has canceled so many that
    /// the agent is to stop: it could go on asking for ever.
    pub(super) fn answer(&mut self, answer: &Object) -> bool {
        let is_last_straw = self.cancel_stops() && answer.get("cancelled").is_some();
        self.canceled = match answer.get("cancelled") {
            Some(_) => self.canceled.saturating_add(1),
            None => 0,
        };
        self.panel.dialogs.pop_front();
        // An agent that is gone needs no answers.
        let _ = self.agent.tell(answer);
        is_last_straw
    }

    /// Whether the user who cancels one more question stops the agent.
    pub(super) fn cancel_stops(&self) -> bool {
        self.canceled >= MOST_CANCELED
    }
}

/// What an extension has for the view.
pub(super) enum ExtensionOutput {
    Notice { text: String, is_bad: bool },
    Draft(String),
}

impl AttachedAgent {
    /// It may begin to talk by itself, when an extension wants it.
    pub(super) fn begin_talking(&mut self) {
        let busy = self.busy.get_or_insert_with(|| AgentActivity {
            what: "Pi is replying".to_owned(),
            now: None,
            tail: String::new(),
            stop: "abort",
            stops: 0,
            is_talking: true,
            typed: None,
            change: Announcement::default(),
        });
        busy.is_talking = true;
    }

    /// What it is at for the moment; `None` when that is over.
    pub(super) fn note(&mut self, now: Option<String>) {
        if let Some(busy) = &mut self.busy {
            busy.now = now;
        }
    }

    pub(super) fn add_output(&mut self, text: &str) {
        let Some(busy) = &mut self.busy else { return };
        busy.tail.push_str(text);
        if busy.tail.len() > MOST_TAIL_BYTES {
            let from = busy.tail.ceil_char_boundary(busy.tail.len() - MOST_TAIL_BYTES / 2);
            busy.tail.drain(..from);
        }
    }
}
