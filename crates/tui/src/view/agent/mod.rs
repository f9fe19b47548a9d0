//! An agent that answers: the real Pi in its protocol mode, on the same file.
//!
//! The agent alone writes the conversation, and whatever else it can do itself is asked of it
//! ([`Wish`]); while it works nobody else appends. It does not see what others append: if the
//! session was changed or moved since the agent had it last, the place is made the last line and
//! the agent is told to load the file again, before it is asked. Its extensions may have
//! questions and things to show ([`Panel`]).

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
use pitree_host::agent::{Agent, AgentError, AgentStart};
use pitree_host::live::{LiveError, LiveSession};
use pitree_session::Session;
use pitree_session::events::{ForkPosition, SessionEvent, SwitchReason};
use pitree_store::shared_index::Announcement;

use super::at_once::{CANCELLED, with_hint};
use super::commands::Offer;
use super::work::Progress;
use super::{SessionView, place};
use crate::desk::{Announcer, Desk};
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
        let send = |kind: &str| self.agent.send(&Object::new().with("type", kind), |_| {});
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

    /// Asks the agent for something; `false` if it is known at once that this is not possible.
    pub(super) fn wish(&mut self, wish: Wish, desk: &mut Desk) -> bool {
        let announcer = desk.announcer();
        if wish.replaces() {
            self.send_out("asking the extensions", desk, move |live| {
                let prepared = prepare(&wish, live, &announcer);
                Progress::Prepared(wish, prepared)
            });
            return true;
        }
        let Some(live) = &mut desk.live else { return false };
        let prepared = prepare(&wish, live, &announcer);
        self.go_on_wishing(wish, prepared, desk);
        self.is_answering()
    }

    /// Asks the agent, which can find the session now.
    pub(super) fn go_on_wishing(
        &mut self,
        wish: Wish,
        prepared: Result<bool, LiveError>,
        desk: &mut Desk,
    ) {
        match prepared {
            Ok(true) => {}
            Ok(false) => return self.complain(CANCELLED),
            Err(LiveError::NothingToClone) => return self.complain("Nothing to clone yet"),
            Err(error) => return self.complain(&with_hint(&error)),
        }
        let change = desk.announce();
        let Some(program) = &desk.allowed.agent else { return };
        let Some(session) = desk.live.as_ref().map(LiveSession::session) else { return };
        let attached = match &mut self.attached {
            Some(attached) => attached,
            none => match Attached::start(program, session, &desk.waker) {
                Ok(attached) => none.insert(attached),
                Err(error) => return self.complain(&error.to_string()),
            },
        };
        attached.ask(wish, session, change);
        self.conversation.go_to_end();
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

    /// Asks the agent to stop. What waited for its turn comes back.
    pub(super) fn stop_answer(&mut self) {
        let Some(attached) = &mut self.attached else { return };
        attached.stop();
        let waiting = std::mem::take(&mut attached.waiting).join("\n");
        self.bring_back(&waiting);
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

/// Asks our own observers, and makes the agent find the session where it stands; `false` if an
/// observer does not want it. Only a new agent and one that loads anew find the place, and both
/// find the last line.
fn prepare(wish: &Wish, live: &mut LiveSession, announcer: &Announcer) -> Result<bool, LiveError> {
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
        return Ok(false);
    }
    match wish {
        // What is made does not depend on the place, which must not be lost all the same.
        Wish::Fork { .. } | Wish::New => announcer.keep(live)?,
        _ if place::is_elsewhere(live.session()) => announcer.around(live, place::make_last)?,
        _ => {}
    }
    Ok(true)
}
