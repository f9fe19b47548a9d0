//! What a screen is: it hears events, changes itself, answers what is to happen, and draws itself.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::keymap::{KeyHelp, Keymap};
use crate::state::AppState;
use crate::theme::TerminalAnswer;

/// Something that a screen hears.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted. It is hostile like all text: it may hold control characters.
    Paste(String),
    /// The mouse wheel was turned, by so many lines; upwards is negative.
    Wheel(i32),
    /// The mouse was used. No screen gets it as it is: a wheel is [`Event::Wheel`], and a press is
    /// [`Screen::click`].
    Mouse(Mouse),
    /// The terminal has reported one of its colors. No screen gets it: the theme changes.
    Answer(TerminalAnswer),
    /// Threads have sent messages. All screens of the stack get the event, each takes its own.
    ThreadMessages,
    /// The screen above was closed, so that this one is seen again.
    Uncovered,
    /// The program that was run by [`Transition::Run`] has ended, or could not be started.
    Returned(io::Result<ExitStatus>),
}

/// What the mouse did, and where: columns and rows are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What it did.
    pub action: MouseAction,
    /// The column that it points at.
    pub column: u16,
    /// The row that it points at.
    pub row: u16,
}

/// What a mouse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// The wheel was turned, by so many lines; upwards is negative.
    Wheel(i32),
    /// The left button was pressed.
    Press,
}

/// A click of the left button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Click {
    /// The column.
    pub column: u16,
    /// The row.
    pub row: u16,
    /// Whether it is the second one there in a short time.
    pub is_double: bool,
}

impl Click {
    /// The row of an area that it is in, counted from zero; `None` if it is elsewhere.
    pub fn row_in(&self, area: Rect) -> Option<usize> {
        let is_in = area.contains(Position::new(self.column, self.row));
        is_in.then(|| usize::from(self.row - area.y))
    }
}

/// What is to happen after an event.
pub enum Transition {
    /// Go on.
    Stay,
    /// Show another screen above this one.
    Push(Box<dyn Screen>),
    /// Show another screen instead of this one.
    Replace(Box<dyn Screen>),
    /// Show another screen instead of all.
    Restart(Box<dyn Screen>),
    /// The same, and then give it what was typed for it before it was there.
    RestartWith(Box<dyn Screen>, Vec<Event>),
    /// Close this screen. When it was the last one the interface ends.
    Close,
    /// Close this screen, and give the event to the one below.
    PassOn,
    /// Lend the terminal to a program, and come back with [`Event::Returned`].
    Run(Program),
    /// End the interface.
    End(Ending),
}

/// A program that is given the terminal. Its name comes from the user, never from a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What to run.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub directory: PathBuf,
}

/// How the interface ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The user left.
    Quit,
    /// A session was chosen, for whoever asked for one.
    Chosen(ChosenSession),
    /// What the only screen was opened for is done.
    Done(ScreenResult),
    /// A signal asked for it.
    Signal(i32),
}

/// A session that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSession {
    /// Its file.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// The directory to go on in.
    pub cwd: PathBuf,
}

/// What a screen that was opened for one thing has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenResult {
    /// One sentence about it, harmless.
    pub message: String,
    /// A message to edit and resend, as it stands in the file.
    pub draft: Option<String>,
    /// The file of the session that was made, if one was.
    pub new_file: Option<PathBuf>,
}

/// One screen.
pub trait Screen {
    /// Hears an event. Takes no longer than a moment: long work is done by threads.
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition;

    /// Shows that something of the user's set-up is wrong.
    fn warn(&mut self, _problem: &str) {}

    /// Hears a click, unless there is a question.
    fn click(&mut self, _click: Click, _state: &mut AppState) -> Transition {
        Transition::Stay
    }

    /// Draws itself. Of many events that come at once only the last is drawn, so what is needed
    /// for that alone may be done here.
    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState);

    /// What its keys do, for the help.
    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp>;

    /// Whether letters are text just now, so that `?` is a question mark.
    fn takes_text(&self) -> bool {
        false
    }

    /// Whether a text that begins above it may go on here; else a letter would be taken for a
    /// command.
    fn is_typed_into(&self) -> bool {
        true
    }

    /// The question that the next key answers with yes or no, if there is one. Keys that were
    /// pressed before the user could see it are not meant for it.
    fn question(&self) -> Option<String> {
        None
    }

    /// What takes the keys in place of the screen itself: a question, or a dialog of an agent. When
    /// it goes by itself, keys that were pressed before the user could see that are not meant for
    /// what is below.
    fn dialog(&self) -> Option<String> {
        self.question()
    }

    /// Whether the screen below is drawn first, as under a dialog.
    fn is_overlay(&self) -> bool {
        false
    }
}
