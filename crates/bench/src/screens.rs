//! How soon the interface shows something: the first rows of a large store, and a key.
//!
//! The screens run without a terminal, on a buffer; what a terminal takes to draw is not theirs.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use crossterm::event::{KeyCode, KeyEvent};
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::{Scope, Store};
use pitree_tui::app::App;
use pitree_tui::desk::{Allowed, Desk};
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, Event, Outcome};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::many::TEN_THOUSAND;
use crate::timing::{Samples, timed};

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is seen once all sessions are there, and not while they are counted.
const ALL: &str = "· 1/10000";

/// Prints the times of so many rounds: the best, and the one in the middle.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let made = TEN_THOUSAND.store()?;
    let cache = tempfile::tempdir()?;
    let [mut cold, mut all_cold, mut warm, mut all] = <[Samples; 4]>::default();
    let mut keys = [("a row down", "j"), ("a page down", "P"), ("a letter of a search", "w")]
        .map(|(name, key)| (name, key, Samples::default()));
    for round in 0..rounds {
        let fresh = cache.path().join(round.to_string());
        let mut first = Shown::begin(&made.sessions(), &fresh)?;
        cold.add(first.until("›")?);
        // The caches are there once the whole list is.
        all_cold.add(first.until(ALL)?);
        let mut shown = Shown::begin(&made.sessions(), &fresh)?;
        warm.add(shown.until("›")?);
        all.add(shown.until(ALL)?);
        for (_, key, samples) in &mut keys {
            samples.add(shown.press(key)?);
        }
    }
    println!("picker, 10,000 sessions, 80x24: milliseconds, best and middle of {rounds}");
    let print = |name: &str, samples: &Samples| {
        println!("  {name:<34} {:>8.2} {:>8.2}", samples.best(), samples.median());
    };
    print("first rows, nothing in the cache", &cold);
    print("all sessions, nothing in the cache", &all_cold);
    print("first rows", &warm);
    print("all sessions", &all);
    keys.iter().for_each(|(name, _, samples)| print(name, samples));
    Ok(())
}

/// A picker on a buffer.
struct Shown {
    app: App,
    terminal: Terminal<TestBackend>,
    begun: Instant,
}

impl Shown {
    fn begin(sessions: &Path, cache: &Path) -> Result<Self> {
        let begun = Instant::now();
        let clock = || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
        };
        let environment = Environment::new("/home/ana", "/srv", clock, |bytes| bytes.fill(7));
        let (path, layout) = (sessions.to_owned(), Layout::PerDirectory);
        let location = Location { path, layout, origin: Origin::SessionsRootFlag };
        let store = Store::new(vec![location], &environment).with_cache(cache.to_owned());
        let desk = Desk::new(&environment, store, Allowed::default());
        let picker = Picker::new(&desk, Scope::All, "", |_, _| Outcome::End(Ending::Quit));
        let app = App::new(desk, Box::new(picker));
        let terminal = Terminal::new(TestBackend::new(80, 24))?;
        Ok(Self { app, terminal, begun })
    }

    /// Lets threads report until a text is seen; milliseconds since the beginning.
    fn until(&mut self, text: &str) -> Result<f64> {
        loop {
            self.app.handle(&Event::News);
            self.draw()?;
            let took = self.begun.elapsed();
            if self.terminal.backend().to_string().contains(text) {
                return Ok(took.as_secs_f64() * 1000.0);
            }
            ensure!(took < PATIENCE, "{text} never came:\n{}", self.terminal.backend());
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Milliseconds from a key to its frame.
    fn press(&mut self, key: &str) -> Result<f64> {
        let code = match key {
            "P" => KeyCode::PageDown,
            letter => KeyCode::Char(letter.chars().next().unwrap_or(' ')),
        };
        let (drawn, ms) = timed(|| {
            self.app.handle(&Event::Key(KeyEvent::from(code)));
            self.draw()
        });
        drawn.map(|()| ms)
    }

    fn draw(&mut self) -> Result<()> {
        let app = &mut self.app;
        self.terminal.draw(|frame| app.draw(frame))?;
        Ok(())
    }
}
