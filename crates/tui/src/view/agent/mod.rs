//! An agent that answers: the real Pi in its protocol mode, on the same file.
//!
//! The agent alone writes the conversation, and whatever else it can do itself is asked of it
//! ([`Wish`]); while it works nobody else appends. It does not see what others append: if the
//! session was changed or moved since the agent had it last, the position is saved and the agent
//! is told to load the file again, before it is asked. Its extensions may have questions and things
//! to show ([`Panel`]).
//!
//! An agent may hang: what it is asked has a limit, Esc asks it to stop, and if it does not, ends
//! it. Nothing that is done here waits for it.

mod arrive;
mod dialog;
mod hear;
mod panel;
mod wish;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use pitree_format::{Object, Value};
use pitree_host::agent::{Agent, AgentError, AgentLimits, AgentStart};
use pitree_host::live::{LiveError, LiveSession};
use pitree_session::Session;
use pitree_session::events::{ForkPosition, SessionEvent, SwitchReason};
use pitree_store::shared_index::Announcement;

use super::SessionView;
use super::at_once::{CANCELLED, with_hint};
use super::commands::Offer;
use super::work::Progress;
use crate::desk::{Announcer, Desk};
use crate::keymap::{Keymap, ViewAction};
use crate::wake::{News, Waker};

use dialog::{Dialog, cancelled};
use panel::{Panel, text_of};
use wish::grant;

pub(crate) use wish::{Granted, Wish};

/// How much of a running command's output is kept in sight.
const MOST_TAIL_BYTES: usize = 8 << 10;

/// What comes from the agent.
enum Heard {
    Event(Value),
    /// What became of a wish.
    Answered(Wish, Result<Granted, AgentError>),
    /// What was said while it worked was not taken.
    NotSteered(String, AgentError),
    /// It was asked to stop and does not answer.
    NotStopped,
    /// A question that does not wait for ever is a second older.
    Older,
}

/// A session as the agent has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// What the agent is at.
pub(super) struct Busy {
    /// For the user.
    what: String,
    /// The same for the moment: a tool that runs, another attempt.
    now: Option<String>,
    /// The end of what a command has written.
    pub(super) tail: String,
    /// What is sent to stop it.
    stop: &'static str,
    /// How often the user asked it to stop.
    stops: u8,
    /// Whether it answers a message, so that more can be said.
    is_talking: bool,
    /// What was typed, until the agent has taken it.
    typed: Option<String>,
    /// Those who use a shared index are told when it is done.
    change: Announcement,
}

impl Busy {
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
pub(super) struct Attached {
    agent: Arc<Agent>,
    news: News<Heard>,
    heard: Receiver<Heard>,
    loaded: Loaded,
    /// What it was asked for, until it is done.
    pub(super) busy: Option<Busy>,
    /// What was said while it worked and waits for its turn.
    pub(super) waiting: Vec<String>,
    /// What it is saying, as far as it is not in the file yet.
    pub(super) words: String,
    /// Whether it has said it, so that the words go when the file has them.
    is_said: bool,
    /// What its extensions show and ask.
    pub(super) panel: Panel,
    /// Its own slash commands, as far as they are known.
    pub(super) commands: Vec<Offer>,
}

impl Attached {
    fn start(
        program: &Path,
        session: &Session,
        limits: AgentLimits,
        waker: &Waker,
    ) -> Result<Self, AgentError> {
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
        let agent = Agent::start_with(&start, limits, move |event| {
            events.send(Heard::Event(event.clone()));
        })?;
        Ok(Self {
            agent: Arc::new(agent),
            news,
            heard,
            loaded: Loaded::of(session),
            busy: None,
            waiting: Vec::new(),
            words: String::new(),
            is_said: false,
            panel: Panel::default(),
            commands: Vec::new(),
        })
    }

    /// Has the agent load the file if it must, and then asks it. The answer is news.
    fn ask(&mut self, wish: Wish, session: &Session, change: Announcement) {
        let path = session.path().map(|path| path.to_string_lossy().into_owned());
        let reload = path.filter(|_| self.loaded != Loaded::of(session));
        if reload.is_some() || wish.replaces() {
            self.panel.begin_anew();
        }
        self.busy = Some(Busy {
            what: wish.words(),
            now: None,
            tail: String::new(),
            stop: wish.stop(),
            stops: 0,
            is_talking: matches!(wish, Wish::Prompt(_)),
            typed: wish.typed(),
            change,
        });
        let (agent, news) = (Arc::clone(&self.agent), self.news.clone());
        std::thread::spawn(move || {
            let granted = grant(&agent, &wish, reload.as_deref());
            news.send(Heard::Answered(wish, granted));
        });
    }

    /// Says something more while the agent answers.
    fn steer(&self, text: &str) {
        let request = Object::new().with("type", "steer").with("message", text);
        let (news, text) = (self.news.clone(), text.to_owned());
        self.agent.send(&request, move |answer| {
            let taken = answer.and_then(|answer| pitree_host::agent::data_of(&answer));
            if let Err(error) = taken {
                news.send(Heard::NotSteered(text, error));
            }
        });
    }

    fn stop(&self) {
        let Some(busy) = &self.busy else { return };
        let send = |kind: &str| {
            let news = self.news.clone();
            self.agent.send(&Object::new().with("type", kind), move |answer| {
                if matches!(answer, Err(AgentError::Silent { .. })) {
                    news.send(Heard::NotStopped);
                }
            });
        };
        if !self.waiting.is_empty() {
            send("clear_queue");
        }
        send(busy.stop);
    }

    /// Takes in a question of an extension, or what it shows.
    fn hear_extension(&mut self, request: &Value) -> Option<Said> {
        let method = text_of(request, "method").unwrap_or_default();
        if self.panel.take(&method, request) {
            return None;
        }
        match method.as_str() {
            "notify" => {
                let text = text_of(request, "message").unwrap_or_default();
                let kind = text_of(request, "notifyType");
                let is_bad = kind.is_some_and(|kind| kind == "warning" || kind == "error");
                return Some(Said::Notice { text, is_bad });
            }
            "set_editor_text" => {
                return Some(Said::Draft(text_of(request, "text").unwrap_or_default()));
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
        let news = self.news.clone();
        std::thread::spawn(move || {
            loop {
                let left = until.saturating_duration_since(Instant::now());
                std::thread::sleep(left.min(Duration::from_secs(1)));
                if !news.send(Heard::Older) || left.is_zero() {
                    return;
                }
            }
        });
    }

    /// The agent alone, to be waited for when it ends.
    pub(super) fn into_agent(self) -> Arc<Agent> {
        self.agent
    }

    /// Sends the answer to the question that is seen.
    pub(super) fn answer(&mut self, answer: &Object) {
        self.panel.dialogs.pop_front();
        // An agent that is gone needs no answers.
        let _ = self.agent.tell(answer);
    }
}

/// What an extension has for the view.
enum Said {
    Notice { text: String, is_bad: bool },
    Draft(String),
}

impl SessionView {
    /// Whether an agent is at work, so that the session must not be touched.
    pub(super) fn is_answering(&self) -> bool {
        self.attached.as_ref().is_some_and(|attached| attached.busy.is_some())
    }

    /// The question of an extension that is seen.
    pub(super) fn dialog(&mut self) -> Option<&mut Dialog> {
        self.attached.as_mut()?.panel.dialogs.front_mut()
    }

    /// Asks the agent for something. What was typed comes back if that is not possible.
    pub(super) fn wish(&mut self, wish: Wish, desk: &mut Desk) {
        let announcer = desk.announcer();
        let what = if wish.replaces() { "asking the extensions" } else { "asking the agent" };
        self.send_out(what, desk, move |live| {
            let prepared = prepare(&wish, live, &announcer);
            Progress::Prepared(wish, prepared)
        });
    }

    /// Asks the agent, which can find the session now.
    pub(super) fn go_on_wishing(
        &mut self,
        wish: Wish,
        prepared: Result<Prepared, LiveError>,
        desk: &mut Desk,
    ) {
        let typed = wish.typed();
        let problem = match prepared {
            Ok(Prepared { is_refused: true, .. }) => CANCELLED.to_owned(),
            Ok(Prepared { is_saved, .. }) => match self.start_wishing(wish, desk) {
                Ok(()) if is_saved => return self.say("The position was saved for Pi."),
                Ok(()) => return,
                Err(error) => error.to_string(),
            },
            Err(LiveError::NothingToClone) => "Nothing to clone yet".to_owned(),
            Err(error) => with_hint(&error),
        };
        self.complain(&problem);
        typed.iter().for_each(|typed| self.bring_back(typed));
    }

    fn start_wishing(&mut self, wish: Wish, desk: &mut Desk) -> Result<(), AgentError> {
        let change = desk.announce();
        let Some(program) = &desk.allowed.agent else { return Ok(()) };
        let Some(session) = desk.live.as_ref().map(LiveSession::session) else { return Ok(()) };
        let attached = match &mut self.attached {
            Some(attached) => attached,
            none => none.insert(Attached::start(program, session, desk.agent_limits, &desk.waker)?),
        };
        attached.ask(wish, session, change);
        self.conversation.go_to_end();
        Ok(())
    }

    /// Says something while the agent answers; `false` if it does something else.
    pub(super) fn steer(&mut self, text: &str) -> bool {
        let attached = self.attached.as_ref();
        let talking =
            attached.filter(|attached| attached.busy.as_ref().is_some_and(|busy| busy.is_talking));
        if let Some(attached) = talking {
            attached.steer(text);
        }
        talking.is_some()
    }

    /// Asks the agent to stop, and ends it if it does not. What waited for its turn comes back.
    pub(super) fn stop_answer(&mut self, desk: &mut Desk) {
        let Some(attached) = &mut self.attached else { return };
        let Some(busy) = &mut attached.busy else { return };
        busy.stops += 1;
        match busy.stops {
            1 => attached.stop(),
            2 => {}
            _ => return self.end_agent(desk, "The agent was ended."),
        }
        let waiting = std::mem::take(&mut attached.waiting).join("\n");
        self.bring_back(&waiting);
    }

    /// Ends an agent that does not answer. What it had not taken comes back.
    pub(super) fn end_agent(&mut self, desk: &mut Desk, why: &str) {
        let Some(attached) = &mut self.attached else { return };
        let typed = attached.busy.as_mut().and_then(|busy| busy.typed.take());
        let waiting = std::mem::take(&mut attached.waiting);
        self.settle(desk);
        if let Some(attached) = self.attached.take() {
            let agent = attached.into_agent();
            agent.end_now();
            // Its last threads may take a moment.
            std::thread::spawn(move || drop(agent));
        }
        self.complain(&format!("{why}\nThe next message starts it again."));
        let lost: Vec<String> = typed.into_iter().chain(waiting).collect();
        self.bring_back(&lost.join("\n"));
    }

    /// The words are in the file now.
    pub(super) fn forget_words(&mut self) {
        if let Some(attached) = self.attached.as_mut().filter(|attached| attached.is_said) {
            attached.words.clear();
        }
    }
}

impl Attached {
    /// It may begin to talk by itself, when an extension wants it.
    fn begin_talking(&mut self) {
        let busy = self.busy.get_or_insert_with(|| Busy {
            what: "Pi answers".to_owned(),
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
    fn note(&mut self, now: Option<String>) {
        if let Some(busy) = &mut self.busy {
            busy.now = now;
        }
    }

    fn add_output(&mut self, text: &str) {
        let Some(busy) = &mut self.busy else { return };
        busy.tail.push_str(text);
        if busy.tail.len() > MOST_TAIL_BYTES {
            let from = busy.tail.ceil_char_boundary(busy.tail.len() - MOST_TAIL_BYTES / 2);
            busy.tail.drain(..from);
        }
    }
}

/// A wish for which everything is ready, or which an observer does not want.
pub(crate) struct Prepared {
    is_refused: bool,
    /// Whether the position had to be saved.
    is_saved: bool,
}

/// Asks our own observers, and saves the position if the agent must find it. Only a new agent and
/// one that loads the file again look for it, and both look at the last line.
fn prepare(
    wish: &Wish,
    live: &mut LiveSession,
    announcer: &Announcer,
) -> Result<Prepared, LiveError> {
    let fork = |entry_id: &str, position| {
        Some(SessionEvent::BeforeFork { entry_id: entry_id.to_owned(), position })
    };
    let before = match wish {
        Wish::Fork { entry_id } => fork(entry_id, ForkPosition::Before),
        Wish::Clone => {
            let leaf = live.session().leaf_id().ok_or(LiveError::NothingToClone)?;
            fork(leaf, ForkPosition::At)
        }
        Wish::New => Some(SessionEvent::BeforeSwitch {
            reason: SwitchReason::New,
            target_session_file: None,
        }),
        _ => None,
    };
    if before.is_some_and(|before| !live.allows(&before)) {
        return Ok(Prepared { is_refused: true, is_saved: false });
    }
    let is_saved = match wish {
        // What is made does not depend on the position.
        Wish::Fork { .. } | Wish::New => false,
        _ => announcer.save_position(live)?,
    };
    Ok(Prepared { is_refused: false, is_saved })
}
