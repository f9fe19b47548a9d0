//! What the tests share: an environment, a folder, lines, and a look at everything.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use pitree_format::js::parse;
use pitree_format::{JsString, Value};
use pitree_session::compaction::{
    CompactionError, CompactionSettings, NavigateOptions, find_cut_point, place_to_stand,
};
use pitree_session::context::{estimate_context, to_llm};
use pitree_session::{Environment, Finding, OldVersion, OpenOptions, Session, SessionError};

pub(crate) const SESSION_ID: &str = "01a1ddfb-4699-7700-9c99-078c5356990e";

/// An environment whose home is `home`. Ids differ, and are the same in every run.
pub(crate) fn environment(home: &Path) -> Environment {
    let state = Mutex::new(0x9E37_79B9_7F4A_7C15_u64);
    let random = move |bytes: &mut [u8]| {
        let mut state = state.lock().unwrap();
        for byte in bytes {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *byte = (*state >> 32) as u8;
        }
    };
    Environment::new(home, home.join("project"), || 1_794_800_000_000, random)
}

/// A folder of its own for one test.
pub(crate) struct TestFolder {
    folder: tempfile::TempDir,
    pub(crate) environment: Environment,
}

impl TestFolder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let environment = environment(&folder.path().join("home"));
        Self { folder, environment }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the folder `sessions`.
    pub(crate) fn file(&self, bytes: impl AsRef<[u8]>) -> PathBuf {
        let folder = self.root().join("sessions");
        fs_err::create_dir_all(&folder).unwrap();
        let path = folder.join("s.jsonl");
        fs_err::write(&path, bytes.as_ref()).unwrap();
        path
    }

    pub(crate) fn open(&self, path: &Path) -> Result<Session, SessionError> {
        Session::open(path, &self.environment)
    }

    /// Opens a file whose version may be brought up to date by an append.
    pub(crate) fn open_migrating(&self, path: &Path) -> Result<Session, SessionError> {
        OpenOptions::new().old_version(OldVersion::Migrate).open(path, &self.environment)
    }

    /// Writes a file and opens it.
    pub(crate) fn session(&self, bytes: impl AsRef<[u8]>) -> Session {
        let path = self.file(bytes);
        self.open(&path).unwrap()
    }

    /// Writes a file and gives the message of the error that opening it must cause.
    pub(crate) fn refusal(&self, bytes: impl AsRef<[u8]>) -> String {
        let path = self.file(bytes);
        self.open(&path).unwrap_err().to_string()
    }

    pub(crate) fn open_lenient(&self, path: &Path) -> Session {
        OpenOptions::new().lenient(true).open(path, &self.environment).unwrap()
    }
}

pub(crate) fn header() -> String {
    header_with(r#""version":3"#)
}

/// A header with another version (or none, for an empty text).
pub(crate) fn header_with(version: &str) -> String {
    let comma = if version.is_empty() { "" } else { "," };
    format!(
        r#"{{"type":"session",{version}{comma}"id":"{SESSION_ID}","timestamp":"2026-11-15T06:53:14.778Z","cwd":"/srv/project"}}"#
    )
}

/// A user message; `parent` is an id, or empty for a root.
pub(crate) fn user(id: &str, parent: &str, text: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-11-15T06:53:15.000Z","message":{{"role":"user","content":"{text}","timestamp":1794725595000}}}}"#
    )
}

/// Lines, each with its line feed.
pub(crate) fn lines<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

/// Header and three messages `a1`, `a2`, `a3` in a row.
pub(crate) fn sound() -> String {
    lines(&[header(), user("a1", "", "one"), user("a2", "a1", "two"), user("a3", "a2", "three")])
}

/// A message to append.
pub(crate) fn said(text: &str) -> Value {
    let json = r#"{"role":"user","content":"TEXT","timestamp":1794800000000}"#;
    parse(json.replace("TEXT", text).as_bytes()).unwrap()
}

/// What must not change when a file is only read.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    bytes: Vec<u8>,
    modified: SystemTime,
}

impl Snapshot {
    pub(crate) fn of(path: &Path) -> Self {
        let modified = fs_err::metadata(path).unwrap().modified().unwrap();
        Self { bytes: fs_err::read(path).unwrap(), modified }
    }
}

/// All names below a folder, to see that nothing was left behind.
pub(crate) fn names_below(folder: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path.clone());
            }
            names.push(path);
        }
    }
    names.sort();
    names
}

/// The codes and lines of findings.
pub(crate) fn codes(findings: &[Finding]) -> Vec<(&'static str, u64)> {
    findings.iter().map(|finding| (finding.code, finding.line)).collect()
}

/// The line of the first finding with this code.
pub(crate) fn line_of(session: &Session, code: &str) -> Option<u64> {
    let findings = session.findings().unwrap();
    findings.iter().find(|finding| finding.code == code).map(|finding| finding.line)
}

pub(crate) fn ids(session: &Session) -> Vec<&str> {
    session.entries().map(|entry| entry.id()).collect()
}

pub(crate) fn path_ids(session: &Session, id: &str) -> Vec<String> {
    let at = session.require(id).unwrap().index();
    session.path_to(at).iter().map(|entry| entry.id().to_owned()).collect()
}

/// The content of the messages of the context at the leaf, where it is plain text.
pub(crate) fn spoken(session: &Session) -> Vec<JsString> {
    let messages = session.context().unwrap().messages;
    messages.iter().filter_map(|message| message.get_string("content").cloned()).collect()
}

/// Whether the parents of every entry come to an end; does not hang where they do not.
pub(crate) fn walks_end(session: &Session) -> bool {
    session.entries().all(|entry| {
        let mut at = Some(entry);
        (0..=session.len()).any(|_| {
            at = at.and_then(|entry| entry.parent());
            at.is_none()
        })
    })
}

/// Asks a session everything. No answer may be an error, and the walks must agree.
pub(crate) fn ask_everything(session: &Session) -> Result<(), SessionError> {
    assert!(walks_end(session), "the parents of an entry go round in a circle");
    session.findings()?;
    session.labels()?;
    session.name()?;
    session.restored()?;
    let steps: Vec<_> = session.tree().walk().collect();
    assert_eq!(steps.len(), session.len(), "the tree shows every entry once");
    for step in &steps {
        let path = session.path_to(step.entry);
        assert_eq!(path.len(), step.depth + 1);
    }
    for entry in session.entries() {
        entry.raw()?;
        entry.body()?;
        entry.outline()?;
        session.label(entry.id())?;
    }
    // The context at every entry of a long session would be a square of work.
    let step = session.len().div_ceil(100).max(1);
    let places = (0..session.len()).step_by(step).map(Some).chain([None]);
    for at in places {
        let context = session.context_at(at)?;
        to_llm(&context.messages);
        estimate_context(&context.messages);
        let projection = session.projection_at(at)?;
        assert_eq!(projection.messages().count(), context.messages.len());
    }
    ask_for_summaries(session)
}

/// Asks what a compaction and a move to some entries would summarise.
fn ask_for_summaries(session: &Session) -> Result<(), SessionError> {
    for keep_recent_tokens in [0, 1, 100, u64::MAX] {
        let settings = CompactionSettings { keep_recent_tokens, ..Default::default() };
        match session.prepare_compaction(&settings) {
            Ok(preparation) => {
                preparation.to_value();
                preparation.history_request(Some("all"));
                preparation.turn_prefix_request(None);
                preparation.text(None, None);
            }
            Err(CompactionError::Session(error)) => return Err(error),
            Err(_) => {}
        }
        let path = session.active_path();
        find_cut_point(&path, path.len() / 2..usize::MAX, keep_recent_tokens)?;
    }
    let step = session.len().div_ceil(20).max(1);
    for target in session.entries().step_by(step) {
        let options = NavigateOptions::default();
        if let Some(navigation) = session.prepare_navigation(target.id(), options)? {
            navigation.to_value(session)?;
            navigation.messages(session)?.request(None, false);
        }
        place_to_stand(target)?;
    }
    Ok(())
}
