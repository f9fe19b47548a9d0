//! The tree navigator on trees of 100,000 entries: from opening to the first picture, and from a
//! key to the next one.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pitree_session::{Environment, Session};
use pitree_store::Store;
use pitree_tui::app::App;
use pitree_tui::screen::Event;
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::tree::{Purpose, TreeScreen};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::corpus;
use crate::timing::{Samples, timed};

const ENTRIES: usize = 100_000;
const SIZE: (u16, u16) = (200, 60);

/// A tree by its name and the parent of each entry.
type Shape = (&'static str, fn(usize) -> Option<usize>);

const SHAPES: [Shape; 3] = [
    ("one long conversation", |at| at.checked_sub(1)),
    ("one question, all else answers to it", |at| at.checked_sub(1).map(|_| 0)),
    ("a branch at every step", |at| at.checked_sub(1 + usize::from(at % 2 == 0))),
];

/// Keys with what they do; they follow each other.
const KEYS: [(&str, KeyCode, KeyModifiers); 9] = [
    ("a row up", KeyCode::Up, KeyModifiers::NONE),
    ("to the last row", KeyCode::End, KeyModifiers::NONE),
    ("to the first row", KeyCode::Home, KeyModifiers::NONE),
    ("fold everything", KeyCode::Left, KeyModifiers::CONTROL),
    ("unfold it", KeyCode::Right, KeyModifiers::CONTROL),
    ("all entries", KeyCode::Char('a'), KeyModifiers::CONTROL),
    ("search: q", KeyCode::Char('q'), KeyModifiers::NONE),
    ("search: qu", KeyCode::Char('u'), KeyModifiers::NONE),
    ("end the search", KeyCode::Esc, KeyModifiers::NONE),
];

pub(crate) fn run(rounds: usize) -> Result<()> {
    println!("tree navigator, {ENTRIES} entries, {} x {} cells, milliseconds", SIZE.0, SIZE.1);
    for (name, parent_of) in SHAPES {
        let path = file(name, parent_of)?;
        let mut table: Vec<(&str, Samples)> = Vec::new();
        for _ in 0..rounds {
            round(&path, &mut |what, ms| match table.iter_mut().find(|row| row.0 == what) {
                Some(row) => row.1.add(ms),
                None => {
                    let mut samples = Samples::default();
                    samples.add(ms);
                    table.push((what, samples));
                }
            })?;
        }
        println!("\n{name}");
        println!("  {:<28} {:>8} {:>8}", "", "best", "median");
        for (what, samples) in &table {
            println!("  {what:<28} {:>8.2} {:>8.2}", samples.best(), samples.median());
        }
    }
    Ok(())
}

fn round(path: &PathBuf, note: &mut impl FnMut(&'static str, f64)) -> Result<()> {
    let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
    let (session, ms) = timed(|| Session::open(path, &environment));
    note("open the file", ms);
    let mut state =
        AppState::new(&environment, Store::new(Vec::new(), &environment), Allowed::default());
    state.begin(session?)?;
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1))?;
    let (app, ms) = timed(|| -> Result<App> {
        let screen = TreeScreen::open(&state, Purpose::Alone)?.context("the session is empty")?;
        let mut app = App::new(state, Box::new(screen));
        terminal.draw(|frame| app.draw(frame))?;
        Ok(app)
    });
    note("first picture", ms);
    let mut app = app?;
    let (read, ms) = timed(|| wait_until_read(&mut app, &mut terminal));
    read?;
    note("all bodies read", ms);
    for (what, code, modifiers) in KEYS {
        let event = Event::Key(KeyEvent::new(code, modifiers));
        let (drawn, ms) = timed(|| {
            app.handle(&event);
            terminal.draw(|frame| app.draw(frame)).map(drop)
        });
        drawn?;
        note(what, ms);
    }
    Ok(())
}

fn wait_until_read(app: &mut App, terminal: &mut Terminal<TestBackend>) -> Result<()> {
    loop {
        app.handle(&Event::ThreadMessages);
        terminal.draw(|frame| app.draw(frame))?;
        let is_reading = terminal.backend().to_string().contains("reading…");
        if !is_reading {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// The tree that has the most rows side by side.
pub(crate) fn file_with_branches() -> Result<PathBuf> {
    let (name, parent_of) = SHAPES[2];
    file(name, parent_of)
}

/// The session file of a shape, made if it is not there.
fn file(name: &str, parent_of: fn(usize) -> Option<usize>) -> Result<PathBuf> {
    let path = corpus::folder()?.join(format!("tree {name}.jsonl"));
    if path.exists() {
        return Ok(path);
    }
    let mut text = String::from(concat!(
        r#"{"type":"session","version":3,"id":"tree","#,
        r#""timestamp":"2026-03-17T10:00:00.000Z","cwd":"/srv/project"}"#,
        "\n"
    ));
    for at in 0..ENTRIES {
        let parent = match parent_of(at) {
            Some(parent) => format!(r#""{parent:08x}""#),
            None => "null".to_owned(),
        };
        let (role, word) = if at % 2 == 0 { ("user", "question") } else { ("assistant", "answer") };
        let said = format!("{word} {at} {}", "about many things ".repeat(25));
        writeln!(
            text,
            r#"{{"type":"message","id":"{at:08x}","parentId":{parent},"timestamp":"2026-03-17T11:00:00.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{said}"}}],"timestamp":1773745200000}}}}"#
        )?;
    }
    fs_err::write(&path, text)?;
    Ok(path)
}
