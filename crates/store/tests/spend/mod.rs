//! A store whose spend is known: each usage is one dollar and a thousand tokens.

use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;
use pitree_store::ledger::Ledger;
use tempfile::TempDir;

pub(crate) const PARENT: &str = "01a00000-0000-7000-8000-000000000001";
pub(crate) const FORK: &str = "01a00000-0000-7000-8000-000000000002";
pub(crate) const COLLISION: &str = "01a00000-0000-7000-8000-000000000003";
pub(crate) const SUBAGENT: &str = "01a00000-0000-7000-8000-000000000004";
pub(crate) const TORN: &str = "01a00000-0000-7000-8000-000000000005";
pub(crate) const OLD: &str = "01a00000-0000-7000-8000-000000000006";
/// The name of the artifact.
pub(crate) const ARTIFACT: &str = "subagent-artifacts/5f316403_worker";

pub(crate) const UNIT: &str = r#"{"input":400,"output":300,"cacheRead":200,"cacheWrite":100,"totalTokens":1000,"cost":{"input":0.4,"output":0.3,"cacheRead":0.2,"cacheWrite":0.1,"total":1}}"#;

/// The year 2096.
const LATE_MS: i64 = 4_000_000_000_000;

pub(crate) struct TestStore {
    pub(crate) environment: Environment,
    root: PathBuf,
    _folder: TempDir,
}

impl TestStore {
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("sessions/--home-ana-a-b--")).unwrap();
        fs_err::create_dir(root.join("tmp")).unwrap();
        let environment =
            Environment::new(root.join("home"), "/home/ana/a/b", || 0, |bytes| bytes.fill(7))
                .with_var("TMPDIR", root.join("tmp").to_str().unwrap());
        Self { environment, root, _folder: folder }
    }

    /// Twelve units in seven files.
    pub(crate) fn full() -> Self {
        let store = Self::empty();
        store.write_parent(true);
        store.write_artifact();
        store.write_subagent();
        let mut fork = vec![header(FORK, "2026-02-04T10:00:00.000Z", "/home/ana/a/b")];
        let source = store.path(PARENT).display().to_string();
        fork[0] = fork[0].replace(r#""cwd""#, &format!(r#""parentSession":"{source}","cwd""#));
        fork.extend(parent_lines(None).into_iter().skip(1).take(3));
        fork.push(answer("f1", "a1", "2026-02-04T10:00:01.000Z"));
        store.write(FORK, &fork.join("\n"));
        let other = header(COLLISION, "2026-02-04T11:00:00.000Z", "/home/ana/a-b");
        let line = answer("a1", "", "2026-02-04T11:00:01.000Z");
        store.write(COLLISION, &format!("{other}\n{line}\n"));
        let torn = header(TORN, "2026-02-04T13:00:00.000Z", "/home/ana/a/b");
        let line = answer("a1", "", "2026-02-04T13:00:01.000Z");
        let next = answer("a2", "a1", "2026-02-04T13:00:02.000Z");
        store.write(TORN, &format!("{torn}\n{line}\n{}", &next[..next.len() - 9]));
        let old = format!(
            r#"{{"type":"session","id":"{OLD}","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/home/ana/a/b"}}"#
        );
        let line = answer("", "", "2025-11-20T10:00:01.000Z").replace(r#""id":"","#, "");
        store.write(OLD, &format!("{old}\n{}\n", line.replace(r#""parentId":null,"#, "")));
        store
    }

    fn folder(&self) -> PathBuf {
        self.root.join("sessions/--home-ana-a-b--")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(format!("{name}.jsonl"))
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join(format!("tmp/pi-subagent-session-x1/run-0/2026_{SUBAGENT}.jsonl"))
    }

    fn write(&self, name: &str, content: &str) {
        write(&self.path(name), content.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        write(&self.path(name), bytes);
        self.path(name)
    }

    pub(crate) fn write_lines(&self, name: &str, lines: &[&str]) {
        let mut text = header(name, "2026-02-03T09:00:00.000Z", "/home/ana/a/b");
        for line in lines {
            text.push('\n');
            text.push_str(&line.replace('\n', ""));
        }
        self.write(name, &text);
    }

    /// Seven units, and the result of a sub-agent with or without its usage.
    pub(crate) fn write_parent(&self, with_usage: bool) {
        let usage = r#","usage":{"input":400,"output":300,"cacheRead":200,"cacheWrite":100,"cost":1,"turns":1}"#;
        let result = format!(
            r#"{{"agent":"worker","task":"look","exitCode":0,"model":"m:high","sessionFile":"{}","artifactPaths":{{"jsonlPath":"{}"}}{}}}"#,
            self.temporary().display(),
            self.path(ARTIFACT).display(),
            if with_usage { usage } else { "" },
        );
        self.write(PARENT, &parent_lines(Some(&result)).join("\n"));
    }

    pub(crate) fn write_artifact(&self) {
        self.write(ARTIFACT, &subagent_lines());
    }

    /// The session of the sub-agent among the others.
    pub(crate) fn write_subagent(&self) {
        self.write(SUBAGENT, &subagent_lines());
    }

    pub(crate) fn write_temporary(&self) {
        write(&self.temporary(), subagent_lines().as_bytes());
    }

    pub(crate) fn append_answer(&self, name: &str) {
        let mut file = fs_err::OpenOptions::new().append(true).open(self.path(name)).unwrap();
        let line = answer("late", "f1", "2026-02-04T10:05:00.000Z");
        file.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs_err::remove_file(self.path(name)).unwrap();
    }

    pub(crate) fn damage_cache(&self) {
        for entry in fs_err::read_dir(self.root.join("cache")).unwrap() {
            fs_err::write(entry.unwrap().path(), b"no database").unwrap();
        }
    }

    pub(crate) fn location(&self) -> Location {
        Location {
            path: self.root.join("sessions"),
            layout: Layout::PerDirectory,
            origin: Origin::SessionsRootFlag,
        }
    }

    /// The folder of the records of sub-agents, as if they were sessions.
    pub(crate) fn records(&self) -> Location {
        let path = self.folder().join("subagent-artifacts");
        Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag }
    }

    pub(crate) fn store(&self) -> Store {
        self.store_of(&[self.location()])
    }

    pub(crate) fn store_of(&self, locations: &[Location]) -> Store {
        Store::new(locations.to_vec(), &self.environment)
    }

    /// A store with a cache. Its clock is so late that no change is too fresh to be relied on.
    pub(crate) fn cached_store(&self) -> Store {
        self.cached_store_of(&[self.location()])
    }

    pub(crate) fn cached_store_of(&self, locations: &[Location]) -> Store {
        let cwd = self.environment.cwd().to_owned();
        let late = Environment::new(self.root.join("home"), cwd, || LATE_MS, |bytes| bytes.fill(7))
            .with_var("TMPDIR", self.root.join("tmp").to_str().unwrap());
        Store::new(locations.to_vec(), &late).with_cache(self.root.join("cache"))
    }

    /// What the files say.
    pub(crate) fn ledger(&self) -> Ledger {
        self.store().ledger()
    }

    /// What the cache says.
    pub(crate) fn cached_ledger(&self) -> Ledger {
        self.cached_store().ledger()
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, bytes).unwrap();
}

pub(crate) fn header(id: &str, time: &str, cwd: &str) -> String {
    format!(r#"{{"type":"session","version":3,"id":"{id}","timestamp":"{time}","cwd":"{cwd}"}}"#)
}

fn linked(kind: &str, id: &str, parent: &str, time: &str, rest: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"{time}",{rest}}}"#)
}

pub(crate) fn answer(id: &str, parent: &str, time: &str) -> String {
    let message = format!(
        r#""message":{{"role":"assistant","content":[],"provider":"p","model":"m","usage":{UNIT}}}"#
    );
    linked("message", id, parent, time, &message)
}

/// Three answers, a branch summary, a tool result, a compaction and a usage entry.
fn parent_lines(result: Option<&str>) -> Vec<String> {
    let usage = format!(r#""usage":{UNIT}"#);
    let user = r#""message":{"role":"user","content":"go"}"#;
    let tool =
        format!(r#""message":{{"role":"toolResult","toolCallId":"c1","content":[],{usage}}}"#);
    let summary = format!(r#""fromId":"a2","summary":"s",{usage}"#);
    let compaction = format!(r#""firstKeptEntryId":"a1","summary":"s","tokensBefore":1,{usage}"#);
    let warm = format!(r#""kind":"cache_warm","provider":"p","model":"m",{usage}"#);
    let mut lines = vec![
        header(PARENT, "2026-02-03T10:00:00.000Z", "/home/ana/a/b"),
        linked("message", "u1", "", "2026-02-03T10:00:01.000Z", user),
        answer("a1", "u1", "2026-02-03T10:00:02.000Z"),
        linked("message", "t1", "a1", "2026-02-03T10:00:03.000Z", &tool),
        answer("a2", "t1", "2026-02-03T10:00:04.000Z"),
        linked("branch_summary", "b1", "a1", "2026-02-03T10:00:05.000Z", &summary),
        answer("a3", "b1", "2026-02-03T10:00:06.000Z"),
        linked("compaction", "k1", "a3", "2026-02-03T10:00:07.000Z", &compaction),
        linked("usage", "w1", "k1", "2026-02-03T10:00:08.000Z", &warm),
    ];
    if let Some(result) = result {
        let tool = format!(
            r#""message":{{"role":"toolResult","toolCallId":"c2","toolName":"subagent","content":[],"details":{{"mode":"single","results":[{result}]}}}}"#
        );
        lines.push(linked("message", "t2", "w1", "2026-02-03T10:00:09.000Z", &tool));
    }
    lines
}

fn subagent_lines() -> String {
    let head = header(SUBAGENT, "2026-02-04T09:00:00.000Z", "/home/ana/a/b");
    format!("{head}\n{}\n", answer("s1", "", "2026-02-04T09:00:01.000Z"))
}
