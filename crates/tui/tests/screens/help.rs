//! The help overlay and the stack of screens.

use std::sync::mpsc::Receiver;

use pitree_tui::app::Step;
use pitree_tui::keymap::{Key, KeyHelp, Keymap};
use pitree_tui::screen::{Ending, Event, Screen, Transition};
use pitree_tui::state::AppState;
use pitree_tui::text;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::screens::harness::{Driven, LARGE, SMALL, environment, state};

/// Shows what it heard last.
struct Echo(String, Option<Receiver<String>>);

impl Echo {
    fn new(text: &str) -> Box<Self> {
        Box::new(Self(text.to_owned(), None))
    }
}

impl Screen for Echo {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) if Key::of(key).typed() == Some('q') => return Transition::Close,
            Event::Key(key) if Key::of(key).typed() == Some('n') => {
                return Transition::Push(Echo::new("above"));
            }
            Event::Key(key) if Key::of(key).typed() == Some('t') => {
                let (sender, receiver) = state.waker.channel();
                self.1 = Some(receiver);
                std::thread::spawn(move || sender.send("from a thread".to_owned()));
            }
            Event::ThreadMessages => {
                let received = self.1.as_ref().and_then(|receiver| receiver.try_recv().ok());
                self.0 = received.unwrap_or(std::mem::take(&mut self.0));
            }
            Event::Paste(pasted) => self.0 = text::line(pasted).into_owned(),
            other => self.0 = format!("{other:?}"),
        }
        Transition::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, _desk: &AppState) {
        frame.render_widget(self.0.as_str(), area);
    }

    fn help(&self, _: &Keymap) -> Vec<KeyHelp> {
        let line = |keys: &str, does: &str| KeyHelp { keys: keys.into(), does: does.into() };
        vec![line("q", "close"), line("n", "another")]
    }
}

fn echo(size: (u16, u16)) -> Driven {
    let environment = environment("/home/ana".as_ref(), "/srv".as_ref());
    let state = state(&environment, "/nowhere".as_ref());
    Driven::new(state, Echo::new("first"), size)
}

#[test]
fn the_help_shows_the_keys_of_the_screen_below() {
    let mut driven = echo(SMALL);
    driven.press("?");
    driven.snapshot("help");
    driven.press("x");
    assert!(!driven.text().contains("another"), "{}", driven.text());
}

#[test]
fn the_key_that_opens_the_help_closes_it() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/pitree/config.json");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    fs_err::write(&config, r#"{"keys": {"global.help": "h"}}"#).unwrap();
    let environment = environment(home.path(), "/srv".as_ref());
    let mut state = state(&environment, "/nowhere".as_ref());
    state.keymap = Keymap::load(&environment).unwrap();
    let mut driven = Driven::new(state, Echo::new("first"), SMALL);
    driven.press("h");
    assert!(driven.text().contains("another"), "{}", driven.text());
    driven.press("h");
    assert!(!driven.text().contains("another"), "{}", driven.text());
}

#[test]
fn screens_are_a_stack() {
    let mut driven = echo(SMALL);
    driven.press("n");
    assert!(driven.text().contains("above"));
    driven.press("q");
    assert!(driven.text().contains("Uncovered"), "{}", driven.text());
    driven.press("q");
    assert_eq!(driven.step, Step::End(Ending::Quit));
}

#[test]
fn threads_are_heard() {
    let mut driven = echo(SMALL);
    driven.press("t");
    driven.wait_for("from a thread");
}

#[test]
fn what_is_pasted_does_nothing_to_the_terminal() {
    let mut driven = echo(LARGE);
    let hostile =
        "\u{1b}]0;title\u{7} \u{1b}[2J \u{9b}31m \u{202e}abc \u{1b}P1\u{1b}\\ \u{8}\u{8} seen";
    driven.event(&Event::Paste(hostile.to_owned()));
    assert!(driven.text().contains("seen"), "{}", driven.text());
    driven.assert_harmless();
    driven.press("n");
    driven.type_text("x");
    driven.event(&Event::Wheel(3));
    assert!(driven.text().contains("Wheel(3)"));
}
