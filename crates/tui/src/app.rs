//! The stack of screens, and what happens to an event. Knows no terminal, so tests drive it.

use ratatui::Frame;

use crate::desk::Desk;
use crate::keys::Key;
use crate::screen::{Ending, Event, Outcome, Program, Screen};
use crate::sheet::Sheet;

/// The interface without its terminal.
pub struct App {
    /// What the screens share.
    pub desk: Desk,
    screens: Vec<Box<dyn Screen>>,
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
    pub fn new(desk: Desk, first: Box<dyn Screen>) -> Self {
        Self { desk, screens: vec![first] }
    }

    /// Gives an event to the screens.
    pub fn handle(&mut self, event: &Event) -> Step {
        self.desk.take_back();
        if matches!(event, Event::News) {
            return self.handle_news();
        }
        if let Event::Key(key) = event
            && Key::of(key) == Key::Char('?')
            && let Some(top) = self.screens.last()
            && !top.takes_text()
        {
            let help = Sheet::help(top.keys());
            self.screens.push(Box::new(help));
            return Step::Draw;
        }
        let Some(top) = self.screens.last_mut() else { return Step::End(Ending::Quit) };
        let outcome = top.update(event, &mut self.desk);
        self.follow(self.screens.len() - 1, outcome)
    }

    /// Draws the screen on top, and below an overlay what it lies on.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let solid = self.screens.iter().rposition(|screen| !screen.is_overlay()).unwrap_or(0);
        for screen in &mut self.screens[solid..] {
            screen.view(frame, frame.area(), &self.desk);
        }
    }

    /// Every screen takes its own news, from the top down. A screen that is covered may only
    /// change itself; what else it wants has to wait until it is seen again.
    fn handle_news(&mut self) -> Step {
        let top = self.screens.len().saturating_sub(1);
        for screen in self.screens.iter_mut().take(top) {
            screen.update(&Event::News, &mut self.desk);
        }
        let Some(screen) = self.screens.last_mut() else { return Step::End(Ending::Quit) };
        let outcome = screen.update(&Event::News, &mut self.desk);
        self.follow(top, outcome)
    }

    fn follow(&mut self, at: usize, outcome: Outcome) -> Step {
        match outcome {
            Outcome::Stay => Step::Draw,
            Outcome::Push(screen) => {
                self.screens.push(screen);
                Step::Draw
            }
            Outcome::Replace(screen) => {
                self.screens[at] = screen;
                Step::Draw
            }
            Outcome::Restart(screen) => {
                self.screens = vec![screen];
                Step::Draw
            }
            Outcome::Close => {
                self.screens.remove(at);
                match self.screens.last_mut() {
                    Some(below) => {
                        let outcome = below.update(&Event::Uncovered, &mut self.desk);
                        self.follow(self.screens.len() - 1, outcome)
                    }
                    None => Step::End(Ending::Quit),
                }
            }
            Outcome::Run(program) => Step::Run(program),
            Outcome::End(ending) => Step::End(ending),
        }
    }
}
