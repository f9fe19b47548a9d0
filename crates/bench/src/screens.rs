//! How soon the interface shows something: the picker on 10,000 sessions, the tree of 100,000
//! entries, the view of a large session. The whole program is timed on a terminal of its own, from
//! its start to its first rows; keys are timed on a buffer, since what a terminal takes to draw is
//! not the program's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pitree_format::message::Message;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, OpenOptions, Role, Session};
use pitree_store::search::{Query, SessionSearch};
use pitree_store::{Scope, Store};
use pitree_tui::app::App;
use pitree_tui::picker::{OnChoice, Picker};
use pitree_tui::screen::{Ending, Event, Screen, Transition};
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::{SessionView, go_on_with};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::many::{TEN_THOUSAND, USUAL};
use crate::timing::{Samples, timed};
use crate::{corpus, process, pty, tree};

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is seen once all sessions are there, and not while they are counted.
const ALL: &str = "· 1/10000";

/// What stands before the selected row, and before the editor.
const CURSOR: &str = "›";

/// Parts of words: one that is in every session, and one that is in none.
const SEARCHES: [(&str, &str); 2] = [("found everywhere", "e"), ("found nowhere", "xqzjkvw")];

type Key = (&'static str, KeyCode, KeyModifiers);

const NONE: KeyModifiers = KeyModifiers::NONE;
const PICKER_KEYS: [Key; 3] = [
    ("a row down", KeyCode::Char('j'), NONE),
    ("a page down", KeyCode::PageDown, NONE),
    ("a letter of a search", KeyCode::Char('w'), NONE),
];
const TREE_KEYS: [Key; 4] = [
    ("a row up", KeyCode::Up, NONE),
    ("a page up", KeyCode::PageUp, NONE),
    ("the next filter", KeyCode::Char('o'), KeyModifiers::CONTROL),
    ("a letter of a search", KeyCode::Char('q'), NONE),
];
const VIEW_KEYS: [Key; 5] = [
    ("a row back", KeyCode::Char('k'), NONE),
    ("a row up", KeyCode::Up, KeyModifiers::SHIFT),
    ("a page up", KeyCode::PageUp, NONE),
    ("to the beginning", KeyCode::Home, KeyModifiers::CONTROL),
    ("unfold all tools", KeyCode::Char('o'), KeyModifiers::ALT),
];

/// Prints the times of so many rounds: the best, and the one in the middle.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let program = process::pitree()?;
    println!("milliseconds, best and middle of {rounds}, 80x24");
    picker(&program, rounds)?;
    search(rounds)?;
    let entries = tree::file_with_branches()?;
    session(&program, "tree", &entries, &TREE_KEYS, rounds)?;
    view(rounds)
}

/// Prints those of the view of a large session.
pub(crate) fn view(rounds: usize) -> Result<()> {
    let (program, large) = (process::pitree()?, corpus::LARGE.file()?);
    session(&program, "view", &large, &VIEW_KEYS, rounds)?;
    at_an_entry(&program, &large, rounds)
}

/// A row of the table for each thing that is timed, in the order in which they are first seen.
#[derive(Default)]
struct Table(Vec<(&'static str, Samples)>);

impl Table {
    fn add(&mut self, name: &'static str, ms: f64) {
        match self.0.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1.add(ms),
            None => {
                let mut samples = Samples::default();
                samples.add(ms);
                self.0.push((name, samples));
            }
        }
    }

    fn print(&self, title: &str) {
        println!("\n{title}");
        for (name, samples) in &self.0 {
            println!("  {name:<38} {:>8.2} {:>8.2}", samples.best(), samples.median());
        }
    }
}

fn picker(program: &Path, rounds: usize) -> Result<()> {
    let made = TEN_THOUSAND.store()?;
    let cache = tempfile::tempdir()?;
    let mut table = Table::default();
    for round in 0..rounds {
        let fresh = cache.path().join(round.to_string());
        let mut start = command(program, &fresh);
        start.args(["resume", "--scope", "all"]).env("PI_CODING_AGENT_DIR", &made.agent);
        table.add("program to first rows, no cache", pty::until_seen(&mut start, CURSOR)?);
        // The caches are there once the whole list is.
        let all = pty::until_seen(&mut start, ALL)?;
        table.add("program to all sessions, no cache", all);
        table.add("program to first rows", pty::until_seen(&mut start, CURSOR)?);
        table.add("program to all sessions", pty::until_seen(&mut start, ALL)?);
        let mut shown = Shown::picker(&made.sessions(), &fresh.join("pitree"))?;
        table.add("first rows on a buffer", shown.until(CURSOR)?);
        table.add("all sessions on a buffer", shown.until(ALL)?);
        shown.press_all(&PICKER_KEYS, &mut table)?;
    }
    table.print("picker, 10,000 sessions");
    Ok(())
}

/// What the picker looks for in all messages behind the user's back, in 2,000 sessions of 1 GB.
fn search(rounds: usize) -> Result<()> {
    let made = USUAL.store()?;
    let environment = environment();
    let (path, layout) = (made.sessions(), Layout::PerDirectory);
    let location = Location { path, layout, origin: Origin::SessionsRootFlag };
    let store = Store::new(vec![location], &environment);
    let mut table = Table::default();
    for _ in 0..rounds {
        for (name, part) in SEARCHES {
            let query = Query::parse(&format!("\"{part}\""), 0)?;
            let search = SessionSearch { scope: Scope::All, is_wanted: &|| true };
            let (_, ms) = timed(|| store.search_sessions(&query, &search));
            table.add(name, ms);
        }
    }
    table.print("a part of a word in all messages, 1 GB");
    Ok(())
}

/// The tree or the view of a session.
fn session(
    program: &Path,
    verb: &'static str,
    path: &PathBuf,
    keys: &[Key],
    rounds: usize,
) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut table = Table::default();
    let mut entries = 0;
    for _ in 0..rounds {
        let mut start = command(program, home.path());
        start.arg(verb).arg(path);
        table.add("program to first rows", pty::until_seen(&mut start, CURSOR)?);
        // In a directory that is there, or the view would ask where to go on.
        let options = OpenOptions::new().cwd(Path::new("/"));
        let (session, ms) = timed(|| options.open(path, &environment()));
        table.add("opening the file", ms);
        let session = session?;
        entries = session.len();
        let (shown, ms) = timed(|| Shown::session(session, verb));
        table.add("first rows on a buffer", ms);
        let mut shown = shown?;
        shown.until_read()?;
        shown.press_all(keys, &mut table)?;
    }
    let bytes = fs_err::metadata(path)?.len() / 1_000_000;
    table.print(&format!("{verb}, {entries} entries, {bytes} MB"));
    Ok(())
}

/// A large session where somebody wants to read it: at an entry that he names, or at what he has
/// found.
fn at_an_entry(program: &Path, path: &Path, rounds: usize) -> Result<()> {
    let home = tempfile::tempdir()?;
    let session = OpenOptions::new().open(path, &environment())?;
    let entry = |percent: usize| -> Result<String> {
        let entry = session.at((session.len() - 1) * percent / 100);
        Ok(entry.context("the session is empty")?.id().to_owned())
    };
    let wanted = [("--at, at 10 %", entry(10)?), ("--at, at 90 %", entry(90)?)];
    let words = words_in_the_middle(&session)?;
    let bytes = fs_err::metadata(path)?.len() / 1_000_000;
    drop(session);
    let made = tempfile::tempdir()?;
    let project = made.path().join("--srv-project--");
    fs_err::create_dir(&project)?;
    let linked =
        project.join("2026-11-15T00-00-00-000Z_01a1ddfb-4699-7700-9c99-078c5356990e.jsonl");
    fs_err::hard_link(path, &linked).or_else(|_| fs_err::copy(path, &linked).map(|_| ()))?;
    let mut table = Table::default();
    for _ in 0..rounds {
        for (name, entry) in &wanted {
            let mut start = command(program, home.path());
            start.arg("view").arg(path).args(["--at", entry]);
            table.add(name, pty::until_seen(&mut start, CURSOR)?);
        }
        let mut start = command(program, home.path());
        start.arg("view").arg(path).args(["--find", &words]);
        table.add("--find", pty::until_seen(&mut start, CURSOR)?);
        let mut shown = Shown::picker_of(made.path(), home.path(), go_on_with)?;
        shown.until("· 1/1")?;
        shown.app.handle(&Event::Key(KeyEvent::new(KeyCode::Char('/'), NONE)));
        shown.app.handle(&Event::Paste(format!("\"{words}\"")));
        shown.until(" in user message")?;
        // Its directory is not there, so the user is asked first.
        shown.app.handle(&Event::Key(KeyEvent::new(KeyCode::Enter, NONE)));
        shown.draw()?;
        shown.begun = Instant::now();
        shown.app.handle(&Event::Key(KeyEvent::new(KeyCode::Char('y'), NONE)));
        let is_read = |screen: &str| screen.contains("── opening") || screen.contains("── /");
        let first = words.split(' ').next().unwrap_or_default();
        let rows = shown.wait("a hit", |screen| is_read(screen) && screen.contains(first))?;
        table.add("Enter on a hit, on a buffer", rows);
        shown.wait("the session", |screen| screen.contains("── /"))?;
    }
    table.print(&format!("view at an entry, {bytes} MB, first rows"));
    Ok(())
}

/// Words of a message in the middle of a session.
fn words_in_the_middle(session: &Session) -> Result<String> {
    let entries = session.entries().skip(session.len() / 2);
    let texts = entries.filter(|entry| entry.is_message(Role::User)).filter_map(|entry| {
        let message = entry.message().ok()??;
        match Message::decode(&message) {
            Message::User(user) => Some(user.content.to_text("\n")),
            _ => None,
        }
    });
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut words = texts
        .map(|text| text.split_whitespace().filter(is_word).take(4).collect::<Vec<_>>().join(" "));
    words.find(|words| words.split(' ').count() == 4).context("nobody says four words")
}

/// A program that knows nothing but a home of its own.
fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("XDG_CACHE_HOME", home);
    command.env("TERM", "xterm-256color").current_dir("/");
    command
}

fn environment() -> Environment {
    let clock = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
    };
    Environment::new("/home/ana", "/srv", clock, |bytes| bytes.fill(7))
}

/// A screen on a buffer.
struct Shown {
    app: App,
    terminal: Terminal<TestBackend>,
    begun: Instant,
}

impl Shown {
    fn new(app: App, begun: Instant) -> Result<Self> {
        let terminal = Terminal::new(TestBackend::new(80, 24))?;
        let mut shown = Self { app, terminal, begun };
        shown.draw()?;
        Ok(shown)
    }

    fn picker(sessions: &Path, cache: &Path) -> Result<Self> {
        Self::picker_of(sessions, cache, |_, _| Transition::End(Ending::Quit))
    }

    fn picker_of(sessions: &Path, cache: &Path, on_choice: OnChoice) -> Result<Self> {
        let begun = Instant::now();
        let environment = environment();
        let (path, layout) = (sessions.to_owned(), Layout::PerDirectory);
        let location = Location { path, layout, origin: Origin::SessionsRootFlag };
        let store = Store::new(vec![location], &environment).with_cache(cache.to_owned());
        let state = AppState::new(&environment, store, Allowed::default());
        let picker = Picker::new(&state, Scope::All, "", on_choice);
        Self::new(App::new(state, Box::new(picker)), begun)
    }

    fn session(session: Session, verb: &str) -> Result<Self> {
        let begun = Instant::now();
        let environment = environment();
        let store = Store::new(Vec::new(), &environment);
        let mut state = AppState::new(&environment, store, Allowed::default());
        state.begin(session)?;
        let screen: Box<dyn Screen> = match verb {
            "tree" => {
                let screen = TreeScreen::open(&state, Purpose::Alone)?;
                Box::new(screen.context("the session is empty")?)
            }
            _ => Box::new(SessionView::new(&state)),
        };
        Self::new(App::new(state, screen), begun)
    }

    /// Lets threads report until a text is seen; milliseconds since the beginning.
    fn until(&mut self, text: &str) -> Result<f64> {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Lets threads report until all of a tree is read.
    fn until_read(&mut self) -> Result<f64> {
        self.wait("the end of reading", |screen| !screen.contains("reading…"))
    }

    fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> Result<f64> {
        loop {
            self.app.handle(&Event::ThreadMessages);
            self.draw()?;
            let took = self.begun.elapsed();
            if is_there(&self.terminal.backend().to_string()) {
                return Ok(took.as_secs_f64() * 1000.0);
            }
            ensure!(took < PATIENCE, "{what} never came:\n{}", self.terminal.backend());
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Times keys, each until its frame is drawn.
    fn press_all(&mut self, keys: &[Key], table: &mut Table) -> Result<()> {
        for (name, code, modifiers) in keys {
            let (drawn, ms) = timed(|| {
                self.app.handle(&Event::Key(KeyEvent::new(*code, *modifiers)));
                self.draw()
            });
            drawn?;
            table.add(name, ms);
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let app = &mut self.app;
        self.terminal.draw(|frame| app.draw(frame))?;
        Ok(())
    }
}
