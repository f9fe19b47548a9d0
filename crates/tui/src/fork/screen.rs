//! The fork list as a screen: its keys, and the new session that comes of them.

use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError};

use pitree_host::events::ForkPosition;
use pitree_host::live::{LiveError, LiveSession};
use pitree_session::Session;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::ForkList;
use crate::desk::Desk;
use crate::errand::{Errand, Place};
use crate::keymap::{ForkAction, Key, KeyHelp, Keymap};
use crate::screen::{Done, Ending, Event, Outcome, Screen};
use crate::text;
use crate::tree::Purpose;
use crate::view::agent::Wish;
use crate::wake::Waker;

/// A file up to this size is read at once: that takes less than a frame.
const MOST_BYTES_AT_ONCE: u64 = 1 << 20;

/// The message to be said anew, if there is one; nothing if an extension did not want the session.
type Made = Result<Option<Option<String>>, LiveError>;

/// The user's messages of the session that is open.
pub struct ForkScreen {
    pub(super) list: ForkList,
    reading: Option<Receiver<ForkList>>,
    /// A thread makes the new session, and how that is called.
    making: Option<(Errand<Made>, &'static str)>,
    pub(super) message: Option<String>,
    /// How many messages were seen when it was drawn last.
    pub(super) height: usize,
    purpose: Purpose,
}

impl ForkScreen {
    /// The list for the session on the desk. `None` if there is no session, or the user said
    /// nothing in it.
    pub fn open(desk: &Desk, purpose: Purpose) -> Option<Self> {
        let session = desk.live.as_ref()?.session();
        let size = session.path().and_then(|path| fs_err::metadata(path).ok());
        let (list, reading) = match session.path() {
            Some(_) if size.is_some_and(|file| file.len() > MOST_BYTES_AT_ONCE) => {
                (ForkList::default(), Some(read_in_thread(session, &desk.waker)))
            }
            _ => (ForkList::read(session), None),
        };
        if reading.is_none() && list.messages().is_empty() {
            return None;
        }
        Some(Self { list, reading, making: None, message: None, height: 1, purpose })
    }

    /// Whether a thread makes the new session.
    pub(super) fn is_making(&self) -> bool {
        self.making.is_some()
    }

    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    fn press(&mut self, key: Key, desk: &mut Desk) -> Outcome {
        if self.making.is_some() {
            // The new session will be there in a moment, or it is known that there is none.
            return Outcome::Stay;
        }
        self.message = None;
        let page = self.height as isize;
        let Some(action) = desk.keymap.fork.action(key) else { return Outcome::Stay };
        match action {
            ForkAction::Up => self.list.up(),
            ForkAction::Down => self.list.down(),
            ForkAction::PageUp => self.list.go(-page),
            ForkAction::PageDown => self.list.go(page),
            ForkAction::First => self.list.go(isize::MIN),
            ForkAction::Last => self.list.go(isize::MAX),
            ForkAction::Fork => return self.fork(desk),
            ForkAction::Clone => return self.clone_branch(desk),
            ForkAction::Close => return Outcome::Close,
        }
        Outcome::Stay
    }

    /// Leaves it to the agent, if one is attached.
    fn leave_to_agent(&self, wish: Wish, desk: &mut Desk) -> bool {
        let has_agent = self.purpose == Purpose::Within && desk.allowed.agent.is_some();
        if has_agent {
            desk.wish = Some(wish);
        }
        has_agent
    }

    fn fork(&mut self, desk: &mut Desk) -> Outcome {
        let Some(message) = self.list.selected() else { return Outcome::Stay };
        let id = message.id.clone();
        if self.leave_to_agent(Wish::Fork { entry_id: id.clone() }, desk) {
            return Outcome::Close;
        }
        self.make("Forked", desk, move |live| {
            let forked = live.fork(&id, ForkPosition::Before)?;
            Ok((!forked.cancelled).then(|| forked.text.map(|text| text.to_string())))
        })
    }

    fn clone_branch(&mut self, desk: &mut Desk) -> Outcome {
        if self.leave_to_agent(Wish::Clone, desk) {
            return Outcome::Close;
        }
        self.make("Cloned", desk, |live| {
            let cloned = live.clone_session()?;
            Ok((!cloned.cancelled).then_some(None))
        })
    }

    fn make(
        &mut self,
        verb: &'static str,
        desk: &mut Desk,
        make: impl FnOnce(&mut LiveSession) -> Made + Send + 'static,
    ) -> Outcome {
        let announcer = desk.announcer();
        let errand = desk.send_out(move |live| announcer.around(live, make));
        self.making = errand.map(|errand| (errand, verb));
        self.go_on(desk)
    }

    /// Goes on once the new session is made.
    fn go_on(&mut self, desk: &mut Desk) -> Outcome {
        let heard = self.making.as_ref().and_then(|(errand, _)| errand.hear(desk));
        match (heard, &self.making) {
            (Some(made), &Some((_, verb))) => {
                self.making = None;
                self.arrive(made, verb, desk)
            }
            _ => Outcome::Stay,
        }
    }

    /// Goes on with the new session.
    fn arrive(&mut self, done: Made, verb: &str, desk: &mut Desk) -> Outcome {
        let draft = match done {
            Ok(Some(draft)) => draft,
            Ok(None) => {
                self.complain("An extension cancelled it; nothing was made");
                return Outcome::Stay;
            }
            Err(error) => {
                self.complain(&error.to_string());
                return Outcome::Stay;
            }
        };
        match self.purpose {
            Purpose::Within => {
                desk.draft = draft.or(desk.draft.take());
                desk.notice = Some(format!("{verb} to a new session"));
                Outcome::Close
            }
            Purpose::Alone => self.end(draft, verb, desk),
        }
    }

    /// There is no later moment to write the file.
    fn end(&mut self, draft: Option<String>, verb: &str, desk: &mut Desk) -> Outcome {
        let Some(live) = &mut desk.live else { return Outcome::Stay };
        if let Err(error) = live.session_mut().write_now() {
            self.complain(&error.to_string());
            return Outcome::Stay;
        }
        let new_file = live.session().path().map(Path::to_owned);
        let path = new_file.as_deref().unwrap_or(Path::new(""));
        let message = text::line(&format!("{verb} to {}", path.display())).into_owned();
        Outcome::End(Ending::Done(Done { message, draft, new_file }))
    }

    fn complain(&mut self, words: &str) {
        self.message = Some(text::line(words).into_owned());
    }

    fn hear(&mut self) {
        let Some(reading) = &self.reading else { return };
        match reading.try_recv() {
            Ok(list) => {
                self.list = list;
                self.reading = None;
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => self.reading = None,
        }
    }
}

impl Screen for ForkScreen {
    fn update(&mut self, event: &Event, desk: &mut Desk) -> Outcome {
        match event {
            Event::Key(key) => return self.press(Key::of(key), desk),
            Event::Wheel(rows) => self.list.go(*rows as isize),
            Event::News => {
                self.hear();
                return self.go_on(desk);
            }
            Event::Paste(_) | Event::Uncovered | Event::Returned(_) => {}
        }
        Outcome::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, desk: &Desk) {
        self.draw(frame, area, desk);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        [keymap.fork.help(), keymap.global.help()].concat()
    }
}

fn read_in_thread(session: &Session, waker: &Waker) -> Receiver<ForkList> {
    let (news, list) = waker.channel();
    let place = Place::of(session);
    std::thread::spawn(move || {
        let session = place.open().and_then(Result::ok);
        news.send(session.as_ref().map(ForkList::read).unwrap_or_default());
    });
    list
}
