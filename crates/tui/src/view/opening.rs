//! A session that is being opened, and the view of it once it is. Esc cancels; what else is typed
//! meanwhile is for the view.

use std::sync::mpsc::Receiver;

use pitree_host::live::{LiveError, LiveSession};
use pitree_session::{OpenOptions, Session};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::SessionView;
use super::tasks::session_commands::with_hint;
use crate::keymap::{DialogAction, Key, KeyHelp, Keymap};
use crate::rich::{Line, Tone};
use crate::screen::{ChosenSession, Event, Screen, Transition};
use crate::sheet::{Sheet, draw_box};
use crate::state::AppState;

/// The note that lies above the picker while a thread opens what was chosen there.
pub(super) struct OpeningNote {
    name: String,
    opened: Receiver<Result<LiveSession, LiveError>>,
    /// What the user types for the view meanwhile.
    typed: Vec<Event>,
}

impl OpeningNote {
    /// Opens a session that was chosen, without this note if that is quick.
    pub(super) fn begin(chosen: ChosenSession, state: &mut AppState) -> Transition {
        let environment = state.environment.clone();
        Self::with(state.display(&chosen.path), state, move || {
            let options = OpenOptions::new().cwd(&chosen.cwd);
            Ok(options.open(&chosen.path, &environment)?)
        })
    }

    fn with(
        name: String,
        state: &mut AppState,
        open: impl FnOnce() -> Result<Session, LiveError> + Send + 'static,
    ) -> Transition {
        let (sender, opened) = state.waker.channel();
        let setup = state.live_setup();
        std::thread::spawn(move || {
            // Extensions that nobody waits for any more end with it.
            sender.send(open().and_then(|session| setup.begin(session)));
        });
        match opened.recv_timeout(state.grace) {
            Ok(opened) => show(opened, state),
            Err(_) => Transition::Push(Box::new(Self { name, opened, typed: Vec::new() })),
        }
    }
}

/// The first screen for a session that was opened: its view, or a note while its extensions start.
pub fn first_screen(session: Session, state: &mut AppState) -> Box<dyn Screen> {
    let name = session.path().map(|path| state.display(path)).unwrap_or_default();
    match OpeningNote::with(name, state, || Ok(session)) {
        Transition::Push(screen) | Transition::Restart(screen) => screen,
        _ => Box::new(SessionView::new(state)),
    }
}

/// The view of a session, or why there is none.
fn show(opened: Result<LiveSession, LiveError>, state: &mut AppState) -> Transition {
    match opened {
        Ok(live) => {
            state.live = Some(live);
            Transition::Restart(Box::new(SessionView::new(state)))
        }
        Err(error) => {
            let lines = with_hint(&error);
            let lines = lines.lines().map(|line| Line::of(line, Tone::Bad)).collect();
            Transition::Push(Box::new(Sheet::new(" Not opened ", lines)))
        }
    }
}

impl Screen for OpeningNote {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) if state.keymap.dialog.is(Key::of(key), DialogAction::Cancel) => {
                Transition::Close
            }
            Event::ThreadMessages => match self.opened.try_recv() {
                Ok(opened) => match show(opened, state) {
                    Transition::Push(why) => Transition::Replace(why),
                    Transition::Restart(view) => {
                        Transition::RestartWith(view, std::mem::take(&mut self.typed))
                    }
                    transition => transition,
                },
                Err(_) => Transition::Stay,
            },
            Event::Key(key) => {
                self.typed.push(Event::Key(*key));
                Transition::Stay
            }
            Event::Paste(text) => {
                self.typed.push(Event::Paste(text.clone()));
                Transition::Stay
            }
            _ => Transition::Stay,
        }
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let name = Line::of(&self.name, Tone::Plain);
        let cancel = state.keymap.dialog.label(DialogAction::Cancel);
        let lines = [name, Line::of(&format!("{cancel} cancels"), Tone::Dim)];
        draw_box(frame, area, " Opening… ", &lines, 0, &state.theme);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        keymap.dialog.help()
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn is_overlay(&self) -> bool {
        true
    }
}
