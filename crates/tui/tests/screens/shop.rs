//! A home directory with a few sessions, made up for the screens.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use pitree_format::js::date::format_iso;
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;
use pitree_tui::state::{Allowed, AppState};
use tempfile::TempDir;

use crate::screens::harness::{NOW_MS, environment, patient};

const HOUR: i64 = 3_600_000;

/// A home directory; gone when it is dropped.
pub(crate) struct Home {
    folder: TempDir,
}

/// One session to be written.
pub(crate) struct Written<'w> {
    pub(crate) id: &'w str,
    /// Below the home directory.
    pub(crate) cwd: &'w str,
    pub(crate) name: Option<&'w str>,
    /// Who said what, alternately the user and the assistant.
    pub(crate) said: &'w [&'w str],
    pub(crate) parent: Option<PathBuf>,
    pub(crate) hours_ago: i64,
}

impl Home {
    pub(crate) fn new() -> Self {
        // Only digits: a search goes letter by letter through the directory's name too.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number}", now.as_nanos(), std::process::id());
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir().unwrap();
        for name in ["shop", "garden", "sessions"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn environment(&self) -> Environment {
        environment(self.path(), &self.path().join("shop"))
    }

    /// All sessions lie in one folder, so that no path on a screen has a random name in it.
    pub(crate) fn state(&self) -> AppState {
        let (path, layout) = (self.sessions(), Layout::Flat);
        let location = Location { path, layout, origin: Origin::SessionDirFlag };
        let environment = self.environment();
        let store = Store::new(vec![location], &environment);
        patient(AppState::new(&environment, store, Allowed::default()))
    }

    fn sessions(&self) -> PathBuf {
        self.path().join("sessions")
    }

    /// The file of a session.
    pub(crate) fn session(&self, id: &str) -> PathBuf {
        self.sessions().join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl"))
    }

    pub(crate) fn write(&self, session: &Written<'_>) -> PathBuf {
        let path = self.session(session.id);
        let begun = NOW_MS - session.hours_ago * HOUR;
        let cwd = quoted(&self.path().join(session.cwd).to_string_lossy());
        let parent = session
            .parent
            .as_ref()
            .map(|parent| format!(",\"parentSession\":{}", quoted(&parent.to_string_lossy())));
        let mut text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{}\",\"timestamp\":\"{}\",\"cwd\":{cwd}{}}}\n",
            session.id,
            format_iso(begun),
            parent.unwrap_or_default()
        );
        let mut last = "null".to_owned();
        let mut line = |body: &str, at: usize| {
            let id = format!("\"{}-{at}\"", session.id);
            let time = format_iso(begun + at as i64 * 1000);
            text.push_str(&format!(
                "{{{body},\"id\":{id},\"parentId\":{last},\"timestamp\":\"{time}\"}}\n"
            ));
            last = id;
        };
        for (at, said) in session.said.iter().enumerate() {
            let message = if at % 2 == 0 {
                format!("{{\"role\":\"user\",\"content\":{}}}", quoted(said))
            } else {
                format!(
                    "{{\"role\":\"assistant\",\"provider\":\"mock\",\"model\":\"m1\",\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"stopReason\":\"stop\",\"usage\":{{\"input\":10,\"output\":5,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":15,\"cost\":{{\"input\":0.01,\"output\":0.02,\"cacheRead\":0,\"cacheWrite\":0,\"total\":0.03}}}}}}",
                    quoted(said)
                )
            };
            line(&format!("\"type\":\"message\",\"message\":{message}"), at);
        }
        if let Some(name) = session.name {
            line(
                &format!("\"type\":\"session_info\",\"name\":{}", quoted(name)),
                session.said.len(),
            );
        }
        fs_err::write(&path, text).unwrap();
        // Not in use, so that it may be deleted.
        age(&path);
        path
    }
}

/// Makes a file look as if it had not been written just now. Tests have a clock of their own, but
/// files have the real one, which is far from it in any case; this pins it.
pub(crate) fn age(path: &Path) {
    set_time(path, 0);
}

/// The same, so many seconds later.
pub(crate) fn set_time(path: &Path, seconds: u64) {
    let ms = NOW_MS as u64 - 600_000 + seconds * 1000;
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(ms);
    let file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.file().set_modified(time).unwrap();
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    pitree_format::js::stringify(&text.into())
}

/// The shop's sessions: a family of three, one with a name, and one of another directory.
pub(crate) fn shop() -> Home {
    let home = Home::new();
    let first = home.write(&Written {
        id: "aaaa1111",
        cwd: "shop",
        name: None,
        said: &["Write a price list", "Here is the list.", "Add apples", "Apples are on it now."],
        parent: None,
        hours_ago: 30,
    });
    let fork = home.write(&Written {
        id: "bbbb2222",
        cwd: "shop",
        name: Some("Prices with pears"),
        said: &["Write a price list", "Here is the list.", "Add pears", "Pears cost two."],
        parent: Some(first.clone()),
        hours_ago: 5,
    });
    home.write(&Written {
        id: "cccc3333",
        cwd: "shop",
        name: None,
        said: &["Now plums", "Plums are sold out."],
        parent: Some(fork),
        hours_ago: 4,
    });
    home.write(&Written {
        id: "dddd4444",
        cwd: "shop",
        name: None,
        said: &["Who swept the floor? 床を掃いたのは誰", "Nobody yet; the broom is lost."],
        parent: None,
        hours_ago: 2,
    });
    home.write(&Written {
        id: "eeee5555",
        cwd: "garden",
        name: Some("Water the roses"),
        said: &["When do roses want water?", "In the morning."],
        parent: None,
        hours_ago: 400,
    });
    home
}

/// The same, and on top a session with a message that is longer than the preview.
pub(crate) fn shop_with_long_message() -> Home {
    let home = shop();
    let numbers: Vec<String> = (1..=40).map(|at| format!("number {at}")).collect();
    home.write(&Written {
        id: "abcd9999",
        cwd: "shop",
        name: None,
        said: &["Count to forty", &numbers.join("\n")],
        parent: None,
        hours_ago: 0,
    });
    home
}
