//! An app whose screen is a terminal emulator, and snapshots of it.
//!
//! `PITREE_BLESS=1` writes the snapshots instead of comparing them.

use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pitree_session::Environment;
use pitree_session::location::{Location, LocationChoice};
use pitree_store::Store;
use pitree_tui::app::{App, Step};
use pitree_tui::screen::{Event, Mouse, MouseAction, Screen};
use pitree_tui::state::{Allowed, AppState};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::screens::colors;

/// The moment at which all tests take place: 2026-02-03T22:52:06Z.
pub(crate) const NOW_MS: i64 = 1_770_159_126_000;

/// The usual small terminal, and a large one: columns and rows.
pub(crate) const SMALL: (u16, u16) = (80, 24);
pub(crate) const LARGE: (u16, u16) = (200, 60);

/// Threads have so long to send something.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// An environment below a folder, at a fixed time.
pub(crate) fn environment(home: &Path, cwd: &Path) -> Environment {
    let counter = std::sync::atomic::AtomicU64::new(1);
    let random = move |bytes: &mut [u8]| {
        // Different each time, and the same in each run.
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for byte in bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = (state >> 56) as u8;
        }
    };
    Environment::new(home, cwd, || NOW_MS, random)
}

/// The state of an interface whose sessions lie in a folder with one folder for each directory.
pub(crate) fn state(environment: &Environment, sessions_root: &Path) -> AppState {
    let choice =
        LocationChoice { session_dir: None, sessions_root: Some(sessions_root.to_owned()) };
    let location = Location::choose(&choice, environment);
    let store = Store::new(vec![location], environment);
    patient(AppState::new(environment, store, Allowed::default()))
}

/// The state of an interface that waits for quick work however busy the machine is.
pub(crate) fn patient(mut state: AppState) -> AppState {
    state.grace = PATIENCE;
    state
}

/// The emulator, which the terminal writes to.
#[derive(Clone)]
struct Emulator {
    parser: Rc<RefCell<vt100::Parser>>,
    /// All that was ever written to it.
    written: Rc<RefCell<Vec<u8>>>,
}

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.borrow_mut().extend_from_slice(bytes);
        self.parser.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An app in an emulated terminal.
pub(crate) struct Driven {
    pub(crate) app: App,
    emulator: Emulator,
    terminal: Terminal<CrosstermBackend<Emulator>>,
    /// What the last event led to.
    pub(crate) step: Step,
}

impl Driven {
    pub(crate) fn new(
        state: AppState,
        first: Box<dyn Screen>,
        (columns, rows): (u16, u16),
    ) -> Self {
        let [high, wide] = [rows, columns].map(|size| NonZero::new(size).unwrap());
        let parser = Rc::new(RefCell::new(vt100::Parser::new(high, wide, 0)));
        let emulator = Emulator { parser, written: Rc::default() };
        let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
        let backend = CrosstermBackend::new(emulator.clone());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let app = App::new(state, first);
        let mut driven = Self { app, emulator, terminal, step: Step::Draw };
        driven.draw();
        driven
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.step = self.app.handle(event);
        self.draw();
    }

    /// Presses keys that were there before anything was drawn, as a user types who is ahead.
    pub(crate) fn press_ahead(&mut self, keys: &str) {
        for key in keys.split(' ') {
            self.step = self.app.handle(&Event::Key(key_named(key)));
        }
        self.draw();
    }

    /// Presses keys: words of `a`, `Enter`, `Ctrl+d`, `Shift+Tab`, `Alt+Left`, separated by
    /// spaces.
    pub(crate) fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            self.event(&Event::Key(key_named(key)));
        }
    }

    /// Clicks on the first place that shows a text.
    #[track_caller]
    pub(crate) fn click(&mut self, text: &str) {
        let screen = self.text();
        let rows = screen.lines().enumerate();
        let place = rows.filter_map(|(row, line)| Some((row, line.find(text)?, line))).next();
        let Some((row, at, line)) = place else { panic!("no {text} on\n{screen}") };
        let column = line[..at].chars().count() as u16;
        self.mouse(MouseAction::Press, column, row as u16);
    }

    pub(crate) fn mouse(&mut self, action: MouseAction, column: u16, row: u16) {
        self.event(&Event::Mouse(Mouse { action, column, row }));
    }

    /// Types a text letter by letter.
    pub(crate) fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.event(&Event::Key(KeyEvent::from(KeyCode::Char(c))));
        }
    }

    /// Lets threads report until the screen shows a text.
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Lets threads report until the screen looks as it should.
    pub(crate) fn wait_until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.text()) {
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", self.text());
            std::thread::sleep(Duration::from_millis(2));
            self.event(&Event::ThreadMessages);
        }
    }

    /// Lets threads report until the interface ends.
    pub(crate) fn wait_for_end(&mut self) {
        self.wait_until_step(|step| matches!(step, Step::End(_)));
    }

    /// Lets threads report until the loop has something to do.
    pub(crate) fn wait_until_step(&mut self, is_so: impl Fn(&Step) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.step) {
            assert!(begun.elapsed() < PATIENCE, "it never comes to that:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(2));
            self.event(&Event::ThreadMessages);
        }
    }

    /// What is on the screen, without colours and spaces at line ends.
    pub(crate) fn text(&self) -> String {
        let parser = self.emulator.parser.borrow();
        let columns = parser.screen().size().1.get();
        let rows = parser.screen().rows(0, columns);
        rows.map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// What is on the screen, with colours.
    pub(crate) fn screen(&self) -> vt100::Screen {
        self.emulator.parser.borrow().screen().clone()
    }

    /// Fails if anything was written but text and what moves the cursor, sets colours and clears.
    #[track_caller]
    pub(crate) fn assert_harmless(&self) {
        let written = self.written();
        let mut rest = written.as_str();
        while let Some(at) = rest.find(|c: char| c.is_control()) {
            let sequence: String = rest[at..].chars().take(24).collect();
            let body = rest[at..].strip_prefix("\u{1b}[");
            let end = body.and_then(|body| body.find(|c: char| c.is_ascii_alphabetic()));
            let ends_well = |body: &str, end: usize| "HmhlJKC".contains(&body[end..=end]);
            let is_fine = body.zip(end).is_some_and(|(body, end)| ends_well(body, end));
            assert!(is_fine, "{sequence:?} was written");
            rest = &rest[at + 2..];
        }
        let reorders = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        assert!(!written.contains(reorders), "text is reordered");
        let hides =
            |c| matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}');
        assert!(!written.contains(hides), "text is hidden");
    }

    /// All that was ever written to the terminal. The emulator keeps only some of the characters
    /// that share a cell.
    pub(crate) fn written(&self) -> String {
        String::from_utf8(self.emulator.written.borrow().clone()).unwrap()
    }

    /// Whether anything was ever written in a colour.
    pub(crate) fn has_colours(&self) -> bool {
        String::from_utf8_lossy(&self.emulator.written.borrow()).contains("\u{1b}[38;5;")
    }

    /// Compares the screen with a snapshot: its text, and below it its colors in words.
    #[track_caller]
    pub(crate) fn snapshot(&self, name: &str) {
        let colors = colors::in_words(&self.screen());
        compare(name, &format!("{}--- colors\n{colors}", self.text()));
    }

    fn draw(&mut self) {
        let app = &mut self.app;
        self.terminal.draw(|frame| app.draw(frame)).unwrap();
    }
}

/// Compares a text with a snapshot, or writes it.
#[track_caller]
pub(crate) fn compare(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens/snapshots");
    let path: PathBuf = folder.join(format!("{name}.txt"));
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(&path, text).unwrap();
        return;
    }
    let expected = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{name} looks different (PITREE_BLESS=1 accepts it)\n--- now\n{text}--- before\n{expected}"
    );
}

fn key_named(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = name;
    while let Some((modifier, key)) = rest.split_once('+').filter(|(_, key)| !key.is_empty()) {
        modifiers |= match modifier {
            "Ctrl" => KeyModifiers::CONTROL,
            "Alt" => KeyModifiers::ALT,
            "Shift" => KeyModifiers::SHIFT,
            _ => panic!("no modifier: {name}"),
        };
        rest = key;
    }
    let code = match rest {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        "Tab" => KeyCode::Tab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        "Space" => KeyCode::Char(' '),
        _ => {
            let mut letters = rest.chars();
            let letter = letters.next().expect("a key");
            assert!(letters.next().is_none(), "no key: {name}");
            KeyCode::Char(letter)
        }
    };
    KeyEvent::new(code, modifiers)
}
