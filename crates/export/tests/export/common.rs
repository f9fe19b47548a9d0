//! Sessions to export, and a place for files.

use std::path::{Path, PathBuf};

use pitree_export::{Branch, ExportOptions, Format, export};
use pitree_session::{Environment, OpenOptions, Session};
use tempfile::TempDir;

/// An environment that is the same in every run.
pub(crate) fn environment(cwd: &Path) -> Environment {
    Environment::new("/home/ana", cwd, || 1_770_000_000_000, |bytes| bytes.fill(7))
}

/// A folder with session files.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, bytes).unwrap();
        path
    }

    /// Writes a session and opens it, also one that Pi would refuse.
    pub(crate) fn session(&self, bytes: impl AsRef<[u8]>) -> Option<Session> {
        let path = self.write("session.jsonl", bytes);
        let options = OpenOptions::new().lenient(true);
        options.open(&path, &environment(self.folder.path())).ok()
    }

    pub(crate) fn environment(&self) -> Environment {
        environment(self.folder.path())
    }
}

/// The export as text.
pub(crate) fn exported(session: &Session, format: Format, branch: Branch) -> String {
    let options = ExportOptions::new().branch(branch);
    String::from_utf8(exported_bytes(session, format, &options)).unwrap()
}

/// The export as bytes.
pub(crate) fn exported_bytes(
    session: &Session,
    format: Format,
    options: &ExportOptions<'_>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(session, format, options, &mut bytes).unwrap();
    bytes
}

/// A header and these lines.
pub(crate) fn with_header(lines: &[&str]) -> String {
    let header = r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/project"}"#;
    let mut text = format!("{header}\n");
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A user message.
pub(crate) fn said(id: &str, parent: Option<&str>, text: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    let text = pitree_format::js::stringify(&text.into());
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"user","content":{text},"timestamp":1770159127000}}}}"#
    )
}

/// The seed of the random tests.
pub(crate) fn seed() -> u64 {
    pitree_testkit::seed().wrapping_mul(1_000_003)
}

/// How many random sessions: ten times as many with `PITREE_FULL=1`.
pub(crate) fn cases(ordinary: u64) -> u64 {
    let is_full = pitree_testkit::is_full();
    if is_full { ordinary * 10 } else { ordinary }
}
