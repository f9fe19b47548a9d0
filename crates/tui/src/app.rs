//! The stack of screens, and what happens to an event. Knows no terminal, so tests drive it.

use std::time::{Duration, Instant};

use ratatui::Frame;

use crate::keymap::{DialogAction, GlobalAction, InputAction, Key};
use crate::screen::{Click, Ending, Event, Mouse, MouseAction, Program, Screen, Transition};
use crate::sheet::Sheet;
use crate::state::AppState;
use crate::theme::TerminalColors;

/// Two clicks at one place within this time are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// The interface without its terminal.
pub struct App {
    /// What the screens share.
    pub state: AppState,
    screens: Vec<Layer>,
    /// The question that was on the screen when it was drawn last.
    asked: Option<String>,
    /// The dialog that was on the screen when it was drawn last.
    dialog: Option<String>,
    /// Whether that dialog has gone by itself since.
    is_dialog_gone: bool,
    /// The last click and when it was.
    clicked: Option<(u16, u16, Instant)>,
    terminal_colors: TerminalColors,
    /// Whether the terminal has reported colors since it was drawn last.
    has_new_colors: bool,
    /// When the screen was drawn first after a dialog had gone by itself.
    dialog_gone_since: Option<Instant>,
}

/// A screen of the stack.
struct Layer {
    screen: Box<dyn Screen>,
    /// What it wanted to happen while another screen covered it. That happens when it is seen
    /// again.
    pending: Option<Transition>,
}

impl From<Box<dyn Screen>> for Layer {
    fn from(screen: Box<dyn Screen>) -> Self {
        Self { screen, pending: None }
    }
}

/// What the loop has to do after an event.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Draw, and wait for the next event.
    Draw,
    /// Lend the terminal to a program; [`Event::Returned`] says what came of it.
    Run(Program),
    /// End.
    End(Ending),
}

impl App {
    /// Begins with a screen.
    pub fn new(state: AppState, mut first: Box<dyn Screen>) -> Self {
        let problem = state.theme_choice.as_ref().and_then(|choice| choice.problem.as_ref());
        if let Some(problem) = problem {
            first.warn(problem);
        }
        Self {
            state,
            screens: vec![first.into()],
            asked: None,
            dialog: None,
            is_dialog_gone: false,
            clicked: None,
            terminal_colors: TerminalColors::default(),
            has_new_colors: false,
            dialog_gone_since: None,
        }
    }

    /// Gives an event to the screens.
    pub fn handle(&mut self, event: &Event) -> Step {
        self.state.check_in();
        if matches!(event, Event::ThreadMessages) {
            return self.handle_thread_messages();
        }
        if let Event::Answer(answer) = event {
            self.terminal_colors.take(*answer);
            self.has_new_colors = true;
            return Step::Draw;
        }
        if let Event::Mouse(mouse) = event {
            return self.handle_mouse(*mouse);
        }
        if matches!(event, Event::Key(key) if self.is_stray(Key::of(key))) {
            return Step::Draw;
        }
        let Some(top) = self.screens.last_mut() else { return Step::End(Ending::Quit) };
        if matches!(event, Event::Key(_) | Event::Paste(_)) {
            let asks = top.screen.question();
            if asks.is_some() && asks != self.asked {
                return Step::Draw;
            }
        }
        if let Event::Key(key) = event
            && self.state.keymap.global.is(Key::of(key), GlobalAction::Help)
            && !top.screen.takes_text()
        {
            let lines = top.screen.help(&self.state.keymap);
            let help: Box<dyn Screen> = Box::new(Sheet::help(&lines));
            self.screens.push(help.into());
            return Step::Draw;
        }
        let transition = top.screen.update(event, &mut self.state);
        let at = self.screens.len() - 1;
        if matches!(transition, Transition::PassOn) {
            return self.pass_on(at, event);
        }
        self.follow(at, transition)
    }

    /// The wheel goes to the screen as such; a press is a click, or the second of two.
    fn handle_mouse(&mut self, Mouse { action, column, row }: Mouse) -> Step {
        self.state.pointer = Some((column, row));
        if let MouseAction::Wheel(lines) = action {
            return self.handle(&Event::Wheel(lines));
        }
        let is_double = self.clicked.take().is_some_and(|(last_column, last_row, at)| {
            (last_column, last_row) == (column, row) && at.elapsed() < DOUBLE_CLICK
        });
        if !is_double {
            self.clicked = Some((column, row, Instant::now()));
        }
        let at = self.screens.len().saturating_sub(1);
        let Some(top) = self.screens.last_mut() else { return Step::End(Ending::Quit) };
        if top.screen.question().is_some() {
            return Step::Draw;
        }
        let click = Click { column, row, is_double };
        let transition = top.screen.click(click, &mut self.state);
        self.follow(at, transition)
    }

    /// Whether a key was meant for a dialog that has gone by itself: any key before the user could
    /// see that, and for a moment longer those that would have answered it. What they do elsewhere,
    /// such as sending what is in the editor, cannot be taken back.
    fn is_stray(&self, key: Key) -> bool {
        let just_gone =
            || self.dialog_gone_since.is_some_and(|at| at.elapsed() < self.state.stray_keys);
        self.is_dialog_gone || (self.is_answer(key) && just_gone())
    }

    /// Whether a key ends a dialog, and is not text elsewhere.
    fn is_answer(&self, key: Key) -> bool {
        let keymap = &self.state.keymap;
        let ends = [DialogAction::Accept, DialogAction::Cancel];
        let ends_dialog = ends.into_iter().any(|action| keymap.dialog.is(key, action));
        key.typed().is_none() && (ends_dialog || keymap.input.is(key, InputAction::Submit))
    }

    /// Closes a screen and gives the event to the one below, unless that one had something else
    /// waiting to happen: what was typed is not meant for whatever comes then.
    fn pass_on(&mut self, at: usize, event: &Event) -> Step {
        let below = at.checked_sub(1).map(|at| &self.screens[at]);
        let is_for_below =
            below.is_some_and(|it| it.pending.is_none() && it.screen.is_typed_into());
        let step = self.follow(at, Transition::Close);
        if !is_for_below || step != Step::Draw { step } else { self.handle(event) }
    }

    /// Draws the screen on top, and below an overlay what it lies on.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.state.size = (frame.area().width, frame.area().height);
        if std::mem::take(&mut self.has_new_colors)
            && let Some(choice) = &self.state.theme_choice
        {
            self.state.theme = choice.on(&self.terminal_colors);
        }
        let solid = self.screens.iter().rposition(|layer| !layer.screen.is_overlay()).unwrap_or(0);
        for layer in &mut self.screens[solid..] {
            layer.screen.view(frame, frame.area(), &self.state);
        }
        let top = self.screens.last().map(|layer| &layer.screen);
        self.asked = top.and_then(|screen| screen.question());
        self.dialog = top.and_then(|screen| screen.dialog());
        if std::mem::take(&mut self.is_dialog_gone) {
            self.dialog_gone_since = Some(Instant::now());
        }
    }

    /// Every screen takes its own messages. A screen that is covered may only change itself; what
    /// else it wants waits until it is seen again.
    fn handle_thread_messages(&mut self) -> Step {
        let top = self.screens.len().saturating_sub(1);
        for layer in self.screens.iter_mut().take(top) {
            let transition = layer.screen.update(&Event::ThreadMessages, &mut self.state);
            if !matches!(transition, Transition::Stay) {
                layer.pending = Some(transition);
            }
        }
        let Some(layer) = self.screens.last_mut() else { return Step::End(Ending::Quit) };
        let before = layer.screen.dialog().filter(|dialog| Some(dialog) == self.dialog.as_ref());
        let transition = layer.screen.update(&Event::ThreadMessages, &mut self.state);
        self.is_dialog_gone |= before.is_some() && layer.screen.dialog() != before;
        self.follow(top, transition)
    }

    fn follow(&mut self, at: usize, transition: Transition) -> Step {
        match transition {
            Transition::Stay => Step::Draw,
            Transition::Push(screen) => {
                self.screens.push(screen.into());
                Step::Draw
            }
            Transition::Replace(screen) => {
                self.screens[at] = screen.into();
                Step::Draw
            }
            Transition::Restart(screen) => {
                self.screens = vec![screen.into()];
                Step::Draw
            }
            Transition::RestartWith(screen, typed) => {
                self.screens = vec![screen.into()];
                let mut steps = typed.iter().map(|event| self.handle(event));
                steps.find(|step| *step != Step::Draw).unwrap_or(Step::Draw)
            }
            Transition::Close | Transition::PassOn => {
                self.screens.remove(at);
                match self.screens.last_mut() {
                    Some(below) => {
                        let seen = below.screen.update(&Event::Uncovered, &mut self.state);
                        let transition = below.pending.take().unwrap_or(seen);
                        self.follow(self.screens.len() - 1, transition)
                    }
                    None => Step::End(Ending::Quit),
                }
            }
            Transition::Run(program) => Step::Run(program),
            Transition::End(ending) => Step::End(ending),
        }
    }
}
