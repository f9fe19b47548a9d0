//! A session that is being opened, and the view of it once it is. Esc cancels; what else is typed
//! meanwhile is for the view.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use pitree_host::live::{LiveError, LiveSession};
use pitree_session::{OpenOptions, Session};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::SessionView;
use super::first_rows::FirstRows;
use super::tasks::session_commands::with_hint;
use super::transcript::rule;
use crate::keymap::{DialogAction, Key, KeyHelp, Keymap};
use crate::rich::{Line, Tone, show as show_rows};
use crate::screen::{ChosenSession, Event, Screen, Transition};
use crate::sheet::{Sheet, draw_box};
use crate::state::AppState;

/// The note that lies above the picker while a thread opens what was chosen there.
pub(super) struct OpeningNote {
    name: String,
    opened: Receiver<Result<LiveSession, LiveError>>,
    /// What is seen of a large session meanwhile.
    rows: Option<FirstRows>,
    /// What the user types for the view meanwhile.
    typed: Vec<Event>,
}

impl OpeningNote {
    /// Opens a session that was chosen, without this note if that is quick.
    pub(super) fn begin(chosen: ChosenSession, state: &mut AppState) -> Transition {
        let environment = state.environment.clone();
        let rows = FirstRows::of(&chosen.path, state);
        Self::with(state.display(&chosen.path), rows, state, move || {
            let options = OpenOptions::new().cwd(&chosen.cwd);
            Ok(options.open(&chosen.path, &environment)?)
        })
    }

    fn with(
        name: String,
        rows: Option<FirstRows>,
        state: &mut AppState,
        open: impl FnOnce() -> Result<Session, LiveError> + Send + 'static,
    ) -> Transition {
        let (sender, opened) = state.waker.channel();
        let setup = state.live_setup();
        std::thread::spawn(move || {
            // Extensions that nobody waits for any more end with it.
            sender.send(open().and_then(|session| setup.begin(session)));
        });
        // What can be seen already does not wait.
        let grace = if rows.is_some() { Duration::ZERO } else { state.grace };
        match opened.recv_timeout(grace) {
            Ok(opened) => show(opened, state),
            Err(_) => Transition::Push(Box::new(Self { name, opened, rows, typed: Vec::new() })),
        }
    }
}

impl OpeningNote {
    /// Draws the rows that are known of a large session where the view will have them.
    fn draw_rows(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let rows = [Constraint::Min(1), Constraint::Length(1), Constraint::Length(2)];
        let [transcript, separator, footer] = Layout::vertical(rows).areas(area);
        let is_reading = !state.opens_writing && state.allowed.agent.is_none();
        if let Some(page) = self.rows.as_mut().and_then(|rows| rows.page.as_mut()) {
            page.draw(frame, transcript, is_reading, &state.theme);
        }
        let width = usize::from(separator.width);
        let cancel = state.keymap.dialog.label(DialogAction::Cancel);
        let title = rule(&format!("── opening… · {cancel} cancels "), width).truncated(width);
        show_rows(frame, separator, &[title], &state.theme);
        let name = Line::of(&self.name, Tone::Dim).truncated(width);
        show_rows(frame, footer, &[name], &state.theme);
    }
}

/// The first screen for a session that was opened: its view, or a note while its extensions start.
pub fn first_screen(session: Session, state: &mut AppState) -> Box<dyn Screen> {
    let name = session.path().map(|path| state.display(path)).unwrap_or_default();
    as_first(OpeningNote::with(name, None, state, || Ok(session)), state)
}

/// The first rows of a large session, which a thread opens meanwhile; `None` if it is not large, or
/// has no such entry.
pub fn first_screen_of(
    path: &Path,
    options: &OpenOptions,
    state: &mut AppState,
) -> Option<Box<dyn Screen>> {
    let rows = FirstRows::of(path, state)?;
    let options = options.clone();
    let (path, environment) = (path.to_owned(), state.environment.clone());
    let name = state.display(&path);
    let opening =
        OpeningNote::with(name, Some(rows), state, move || Ok(options.open(&path, &environment)?));
    Some(as_first(opening, state))
}

fn as_first(opening: Transition, state: &AppState) -> Box<dyn Screen> {
    match opening {
        Transition::Push(screen) | Transition::Restart(screen) => screen,
        _ => Box::new(SessionView::new(state)),
    }
}

/// The view of a session, or why there is none.
fn show(opened: Result<LiveSession, LiveError>, state: &mut AppState) -> Transition {
    match opened {
        Ok(live) => {
            state.live = Some(live);
            let mut view = SessionView::new(state);
            view.read_at(state);
            Transition::Restart(Box::new(view))
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
                Err(_) => {
                    self.rows.iter_mut().for_each(|rows| rows.poll(state));
                    Transition::Stay
                }
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
        if self.rows.is_some() {
            return self.draw_rows(frame, area, state);
        }
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
        self.rows.is_none()
    }
}
