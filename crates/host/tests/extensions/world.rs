//! A home folder with extensions, and a session to work with.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pitree_format::{Object, Value};
use pitree_host::extension::Limits;
use pitree_host::live::{LiveOptions, LiveSession};
use pitree_session::{Environment, NewSession, Session};
use tempfile::TempDir;

/// How long a test waits for something that should happen at once.
const PATIENCE: Duration = Duration::from_secs(20);

/// The hello of an extension written for the shell.
pub(crate) fn hello(events: &[&str]) -> String {
    let events: Vec<String> = events.iter().map(|name| format!("\"{name}\"")).collect();
    let hello = format!(r#"{{"type":"hello","protocol":1,"events":[{}]}}"#, events.join(","));
    format!("read -r greeting\nprintf '%s\\n' '{hello}'\n")
}

/// Limits that a test can wait for, with enough time to start on a busy machine.
pub(crate) fn limits() -> Limits {
    Limits {
        hello: PATIENCE,
        tell: Duration::from_millis(300),
        ask: Duration::from_millis(600),
        ask_for_summary: Duration::from_millis(600),
        end: Duration::from_millis(300),
        line_bytes: 100_000,
    }
}

/// Limits for an extension that behaves: only a fault takes that long.
pub(crate) fn patient() -> Limits {
    Limits { tell: PATIENCE, ask: PATIENCE, ask_for_summary: PATIENCE, end: PATIENCE, ..limits() }
}

pub(crate) struct World {
    pub(crate) root: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("pitree-extensions-").tempdir().unwrap();
        fs_err::create_dir(root.path().join("project")).unwrap();
        Self { root }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.path(".config/pitree/extensions")
    }

    /// Puts a shell script where extensions lie.
    pub(crate) fn extension(&self, name: &str, script: &str) -> PathBuf {
        let path = self.folder().join(name);
        write_script(&path, &format!("#!/bin/sh\ncd '{}'\n{script}", self.root.path().display()));
        path
    }

    pub(crate) fn environment(&self) -> Environment {
        let counter = AtomicU64::new(1);
        let random = move |bytes: &mut [u8]| {
            for chunk in bytes.chunks_mut(4) {
                let next = counter.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9);
                chunk.copy_from_slice(&next.to_le_bytes()[..chunk.len()]);
            }
        };
        Environment::new(self.root.path(), self.path("project"), || 1_770_159_126_410, random)
    }

    /// A session with two messages, and the extensions that were put there.
    pub(crate) fn live(&self, limits: Limits) -> LiveSession {
        let environment = self.environment();
        let sessions = self.path("sessions");
        let mut session =
            Session::create_in(environment.cwd(), sessions, &NewSession::default(), &environment)
                .unwrap();
        session.append_message(message("user", "How do I read a file?")).unwrap();
        session.append_message(message("assistant", "With fs_err::read.")).unwrap();
        let mut live = LiveSession::new(session, LiveOptions::default());
        live.load_extensions(limits);
        live
    }

    /// What an extension wrote into a file of the home folder.
    pub(crate) fn written(&self, name: &str) -> String {
        fs_err::read_to_string(self.path(name)).unwrap_or_default()
    }
}

/// Writes an executable by another process: a file that this one has open for writing cannot be
/// started while any thread starts a program.
pub(crate) fn write_script(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer = Command::new("sh")
        .args(["-c", "umask 022; cat > \"$1\" && chmod 700 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
}

pub(crate) fn message(role: &str, text: &str) -> Value {
    let block = Object::new().with("type", "text").with("text", text);
    Object::new().with("role", role).with("content", vec![Value::Object(block)]).into()
}

/// What went wrong, as text.
pub(crate) fn troubles(live: &mut LiveSession) -> Vec<String> {
    live.take_troubles().into_iter().map(|trouble| trouble.problem).collect()
}

/// The first user message of the session.
pub(crate) fn first_user(live: &LiveSession) -> String {
    live.session().at(0).unwrap().id().to_owned()
}

/// Waits until something holds, and fails if it never does.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process with this number, as text, is there.
pub(crate) fn is_running(pid: &str) -> bool {
    let status = fs_err::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // A process that is dead but not fetched yet runs no more.
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}
