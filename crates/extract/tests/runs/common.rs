//! A store of sessions, and runs over it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::{
    About, Dedupe, ExtractOptions, FormatName, Guard, Quality, Redacting, Report, Source, run,
};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::{Environment, FoundHeader, read_header};
use pitree_testkit::{session, session_v1, session_v2, working_session};
use tempfile::TempDir;

pub(crate) fn environment() -> Environment {
    Environment::new("/home/ana", "/srv/project", || 1_790_000_000_000, |bytes| bytes.fill(7))
}

pub(crate) fn guard() -> Arc<dyn Guard> {
    let (literals, pseudonyms) = (Literals::default(), Pseudonyms::default());
    Arc::new(Redacting::new(Redactor::new(Key::new([7; Key::LEN]), literals, pseudonyms)))
}

/// A folder with sessions and a place for what is made of them.
pub(crate) struct Store {
    root: TempDir,
}

impl Store {
    pub(crate) fn empty() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs_err::create_dir(root.path().join("sessions")).unwrap();
        Self { root }
    }

    /// Random sessions of all versions.
    pub(crate) fn random(count: u64) -> Self {
        let store = Self::empty();
        for seed in 0..count {
            let made = match seed % 6 {
                0 => session_v1(seed),
                1 => session_v2(seed),
                2 | 3 => session(seed),
                _ => working_session(seed),
            };
            store.write(&format!("{seed:03}.jsonl"), &made.bytes);
        }
        store
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.root().join("out")
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.root().join("sessions").join(name);
        fs_err::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn run(&self, options: &ExtractOptions) -> Report {
        let form = FormatName::Chat.prepare(&options.form);
        let sources = sources(self.root());
        run(&sources, &*form, options, &self.out(), &environment()).unwrap()
    }

    /// All files that were written, with their bytes.
    pub(crate) fn written(&self) -> BTreeMap<String, Vec<u8>> {
        written(&self.out())
    }

    /// The lines of a file that was written.
    pub(crate) fn lines(&self, name: &str) -> Vec<serde_json::Value> {
        let text = String::from_utf8(fs_err::read(self.out().join(name)).unwrap()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The sessions of a store, with as much about them as their headers say.
pub(crate) fn sources(root: &Path) -> Vec<Source> {
    let mut paths: Vec<PathBuf> = fs_err::read_dir(root.join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // The order of the sources must not matter.
    paths.sort_by_key(|path| std::cmp::Reverse(path.clone()));
    paths.into_iter().map(source).collect()
}

pub(crate) fn source(path: PathBuf) -> Source {
    let file = std::fs::File::from(fs_err::File::open(&path).unwrap());
    let header = match read_header(&file, 1 << 20) {
        Ok(FoundHeader::Header(header)) => header,
        _ => pitree_format::Value::Null,
    };
    let text = |name| header.get_string(name).map(|text| text.to_text().into_owned());
    let session_id = text("id").unwrap_or_default();
    let about = About { session_id, created_at: text("timestamp"), ..About::default() };
    Source { path, about: Arc::new(about) }
}

pub(crate) fn options(root: &Path) -> ExtractOptions {
    ExtractOptions {
        quality: Quality { dedupe: Dedupe::Exact, ..Quality::default() },
        jobs: 2,
        command: "pitree extract".to_owned(),
        ..ExtractOptions::new(guard(), root.to_owned())
    }
}

pub(crate) fn written(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        files.insert(name, fs_err::read(&path).unwrap());
    }
    files
}

/// Everything in the folder of a store that is neither its sessions nor what was made of them.
pub(crate) fn rubbish(root: &Path) -> Vec<String> {
    let names = fs_err::read_dir(root).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| !["sessions", "out", "cache"].contains(&name.as_str())).collect()
}

/// Lines of a session: the header, then messages, each the child of the one before.
pub(crate) fn session_text(id: &str, messages: &[(&str, &str, &str)]) -> String {
    let mut text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\
         \"timestamp\":\"2026-11-15T06:53:14.778Z\",\"cwd\":\"/srv/project\"}}\n"
    );
    let mut parent = "null".to_owned();
    for (entry, role, said) in messages {
        text.push_str(&entry_text(entry, &parent, role, said));
        parent = format!("\"{entry}\"");
    }
    text
}

pub(crate) fn entry_text(id: &str, parent: &str, role: &str, said: &str) -> String {
    let more = match role {
        "assistant" => {
            r#","api":"anthropic-messages","provider":"anthropic","model":"claude","stopReason":"stop","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0.01,"output":0.02,"cacheRead":0,"cacheWrite":0,"total":0.03}}"#
        }
        _ => "",
    };
    let said = serde_json::to_string(said).unwrap();
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\
         \"timestamp\":\"2026-11-15T06:53:15.000Z\",\"message\":{{\"role\":\"{role}\",\
         \"content\":[{{\"type\":\"text\",\"text\":{said}}}]{more},\"timestamp\":1794725595000}}}}\n"
    )
}
