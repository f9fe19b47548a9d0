//! The fork list as a screen: its keys, and the new session that comes of them.

use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError};

use pitree_export::numbers::count;
use pitree_host::events::ForkPosition;
use pitree_host::live::{LiveError, LiveSession};
use pitree_session::{CutOff, Session};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::ForkList;
use crate::background::{BackgroundJob, SessionPosition};
use crate::keymap::{ForkAction, Key, KeyHelp, Keymap};
use crate::screen::{Click, Ending, Event, Screen, ScreenResult, Transition};
use crate::state::AppState;
use crate::text;
use crate::tree::Purpose;
use crate::view::agent::AgentRequest;
use crate::wake::Waker;

/// A file up to this size is read at once: that takes less than a frame.
const MOST_BYTES_AT_ONCE: u64 = 1 << 20;

/// The new session; nothing if an extension did not want it.
type ForkResult = Result<Option<NewSession>, LiveError>;

/// What there is to say of a session that was made.
struct NewSession {
    /// The message to edit and resend.
    draft: Option<String>,
    /// What a damaged line keeps out of it.
    cut: Option<CutOff>,
}

/// The user's messages of the session that is open.
pub struct ForkScreen {
    pub(super) list: ForkList,
    reading: Option<Receiver<ForkList>>,
    /// The id of the message that the cursor begins on, if it is not the last one.
    first: Option<String>,
    /// A thread makes the new session, and how that is called.
    making: Option<(BackgroundJob<ForkResult>, &'static str)>,
    pub(super) message: Option<String>,
    /// How many messages were seen when it was drawn last.
    pub(super) height: usize,
    /// Where they were drawn.
    pub(super) rows_area: Rect,
    purpose: Purpose,
}

impl ForkScreen {
    /// The list for the open session. `None` if there is no session, or the user said
    /// nothing in it.
    pub fn open(state: &AppState, purpose: Purpose) -> Option<Self> {
        let session = state.live.as_ref()?.session();
        let size = session.path().and_then(|path| fs_err::metadata(path).ok());
        let (list, reading) = match session.path() {
            Some(_) if size.is_some_and(|file| file.len() > MOST_BYTES_AT_ONCE) => {
                (ForkList::default(), Some(read_in_thread(session, &state.waker)))
            }
            _ => (ForkList::read(session), None),
        };
        if reading.is_none() && list.messages().is_empty() {
            return None;
        }
        let rows_area = Rect::default();
        let (making, message, first) = (None, None, None);
        Some(Self { list, reading, first, making, message, height: 1, rows_area, purpose })
    }

    /// The same with the cursor on the message with this id.
    #[must_use]
    pub(crate) fn begin_at(mut self, id: Option<String>) -> Self {
        self.first = id;
        self.go_to_first();
        self
    }

    fn go_to_first(&mut self) {
        self.first.iter().for_each(|id| self.list.select(id));
    }

    /// Whether a thread makes the new session.
    pub(super) fn is_making(&self) -> bool {
        self.making.is_some()
    }

    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    fn press(&mut self, key: Key, state: &mut AppState) -> Transition {
        if self.making.is_some() {
            // The new session will be there in a moment, or it is known that there is none.
            return Transition::Stay;
        }
        self.message = None;
        let page = self.height as isize;
        let Some(action) = state.keymap.fork.action(key) else { return Transition::Stay };
        match action {
            ForkAction::Up => self.list.up(),
            ForkAction::Down => self.list.down(),
            ForkAction::PageUp => self.list.go(-page),
            ForkAction::PageDown => self.list.go(page),
            ForkAction::First => self.list.go(isize::MIN),
            ForkAction::Last => self.list.go(isize::MAX),
            ForkAction::Fork => return self.fork(state),
            ForkAction::Clone => return self.clone_branch(state),
            ForkAction::Close => return Transition::Close,
        }
        Transition::Stay
    }

    /// Leaves it to the agent, if one is attached.
    fn leave_to_agent(&self, request: AgentRequest, state: &mut AppState) -> bool {
        let has_agent = self.purpose == Purpose::Within && state.allowed.agent.is_some();
        if has_agent {
            state.agent_request = Some(request);
        }
        has_agent
    }

    fn fork(&mut self, state: &mut AppState) -> Transition {
        let Some(message) = self.list.selected() else { return Transition::Stay };
        let id = message.id.clone();
        if self.leave_to_agent(AgentRequest::Fork { entry_id: id.clone() }, state) {
            return Transition::Close;
        }
        self.make("Forked", state, move |live| {
            let session = live.session();
            let cut = session.entry(&id).and_then(|entry| session.cut_off_from(entry.index()));
            let forked = live.fork(&id, ForkPosition::Before)?;
            let draft = forked.text.map(|text| text.to_string());
            Ok((!forked.cancelled).then_some(NewSession { draft, cut }))
        })
    }

    fn clone_branch(&mut self, state: &mut AppState) -> Transition {
        if self.leave_to_agent(AgentRequest::Clone, state) {
            return Transition::Close;
        }
        self.make("Cloned", state, |live| {
            let cut = live.session().cut_off();
            let cloned = live.clone_session()?;
            Ok((!cloned.cancelled).then_some(NewSession { draft: None, cut }))
        })
    }

    fn make(
        &mut self,
        verb: &'static str,
        state: &mut AppState,
        make: impl FnOnce(&mut LiveSession) -> ForkResult + Send + 'static,
    ) -> Transition {
        let announcer = state.announcer();
        let job = state.run_on_session(move |live| announcer.around(live, make));
        self.making = job.map(|job| (job, verb));
        self.go_on(state)
    }

    /// Goes on once the new session is made.
    fn go_on(&mut self, state: &mut AppState) -> Transition {
        let result = self.making.as_ref().and_then(|(job, _)| job.poll(state));
        match (result, &self.making) {
            (Some(made), &Some((_, verb))) => {
                self.making = None;
                self.arrive(made, verb, state)
            }
            _ => Transition::Stay,
        }
    }

    /// Goes on with the new session.
    fn arrive(&mut self, done: ForkResult, verb: &str, state: &mut AppState) -> Transition {
        let NewSession { draft, cut } = match done {
            Ok(Some(made)) => made,
            Ok(None) => {
                self.complain("An extension canceled it; nothing was created");
                return Transition::Stay;
            }
            Err(error) => {
                self.complain(&error.to_string());
                return Transition::Stay;
            }
        };
        match self.purpose {
            Purpose::Within => {
                state.wants_composer |= draft.is_some();
                state.draft = draft.or(state.draft.take());
                let warning = cut.as_ref().map_or_else(String::new, warning);
                state.notice = Some(format!("{verb} to a new session{warning}"));
                Transition::Close
            }
            Purpose::Alone => self.end(NewSession { draft, cut }, verb, state),
        }
    }

    /// There is no later moment to write the file.
    fn end(&mut self, made: NewSession, verb: &str, state: &mut AppState) -> Transition {
        let Some(live) = &mut state.live else { return Transition::Stay };
        if let Err(error) = live.session_mut().write_now() {
            self.complain(&error.to_string());
            return Transition::Stay;
        }
        let new_file = live.session().path().map(Path::to_owned);
        let path = new_file.as_deref().unwrap_or(Path::new(""));
        let warning = made.cut.as_ref().map_or_else(String::new, warning);
        let message = format!("{verb} to {}{warning}", path.display());
        let (message, draft) = (text::line(&message).into_owned(), made.draft);
        Transition::End(Ending::Done(ScreenResult { message, draft, new_file }))
    }

    fn complain(&mut self, words: &str) {
        self.message = Some(text::line(words).into_owned());
    }

    fn poll(&mut self) {
        let Some(reading) = &self.reading else { return };
        match reading.try_recv() {
            Ok(list) => {
                self.list = list;
                self.reading = None;
                self.go_to_first();
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => self.reading = None,
        }
    }
}

impl Screen for ForkScreen {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) => return self.press(Key::of(key), state),
            Event::Wheel(rows) => self.list.go(*rows as isize),
            Event::ThreadMessages => {
                self.poll();
                return self.go_on(state);
            }
            Event::Paste(_)
            | Event::Mouse(_)
            | Event::Answer(_)
            | Event::Uncovered
            | Event::Returned(_) => {}
        }
        Transition::Stay
    }

    fn warn(&mut self, problem: &str) {
        self.complain(problem);
    }

    fn click(&mut self, click: Click, state: &mut AppState) -> Transition {
        let row = click.row_in(self.rows_area).filter(|_| !self.is_making());
        let at = row.and_then(|row| self.list.window(self.height).nth(row));
        let Some(at) = at else { return Transition::Stay };
        self.message = None;
        self.list.go(at as isize - self.list.at() as isize);
        if click.is_double { self.fork(state) } else { Transition::Stay }
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.draw(frame, area, state);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        [keymap.fork.help(), keymap.global.help()].concat()
    }
}

/// What a damaged line keeps out of a new session, to be said behind where it is.
fn warning(cut: &CutOff) -> String {
    format!("; left out {} {}", count(cut.entries, "entry", "entries"), cut.reason())
}

fn read_in_thread(session: &Session, waker: &Waker) -> Receiver<ForkList> {
    let (sender, list) = waker.channel();
    let position = SessionPosition::of(session);
    std::thread::spawn(move || {
        let session = position.open().and_then(Result::ok);
        sender.send(session.as_ref().map(ForkList::read).unwrap_or_default());
    });
    list
}
