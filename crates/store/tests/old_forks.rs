//! Forks of a session of version 1, whose entries have no ids: each usage still counts once.

use std::path::{Path, PathBuf};

use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, ForkOptions, Session};
use pitree_store::Store;
use pitree_store::ledger::{By, Selection, Sum};
use pitree_store::stats::{RoleCounts, StatsSelection};
use pitree_testkit::{Oracle, PiVersion};
use tempfile::TempDir;

const CWD: &str = "/home/ana/weather";

/// Two answers in the same millisecond, numbers and escapes that Pi would write otherwise, an
/// answer without a usage, and a compaction.
const VERSION_1: &str = r#"{"type":"session","id":"old","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/home/ana/weather","provider":"p","modelId":"m"}
{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"caf\u00e9?","timestamp":1763632801000}}
{"type":"message","timestamp":"2025-11-20T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"caf\u00e9!"}],"provider":"p","model":"m","usage":{"input":10,"output":20,"cacheRead":0,"cacheWrite":0,"cost":{"total":1.50}},"stopReason":"stop","timestamp":1763632802000}}
{"type":"message","timestamp":"2025-11-20T10:00:02.000Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":10,"output":20,"cacheRead":0,"cacheWrite":0,"cost":{"total":1.50}},"stopReason":"toolUse","timestamp":1763632802000}}
{"type":"message","timestamp":"2025-11-20T10:00:03.000Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","stopReason":"aborted","timestamp":1763632803000}}
{"type":"compaction","timestamp":"2025-11-20T10:00:04.000Z","summary":"s","firstKeptEntryIndex":1,"tokensBefore":9,"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.25}}}
{"type":"message","timestamp":"2025-11-20T10:00:05.000Z","message":{"role":"user","content":"again","timestamp":1763632805000}}
"#;

struct Fixture {
    environment: Environment,
    source: PathBuf,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Long after the files were written, so that what the cache says of them counts.
        let now = || 4_102_444_800_000;
        let environment =
            Environment::new(folder.path().join("home"), CWD, now, |bytes| bytes.fill(9));
        let source = folder.path().join("sessions/old.jsonl");
        fs_err::create_dir(source.parent().unwrap()).unwrap();
        fs_err::write(&source, VERSION_1).unwrap();
        Self { environment, source, folder }
    }

    fn sessions(&self) -> &Path {
        self.source.parent().unwrap()
    }

    fn open(&self) -> Session {
        Session::open(&self.source, &self.environment).unwrap()
    }

    /// What was spent, by the files and by the cache.
    fn total(&self) -> Sum {
        let path = self.sessions().to_owned();
        let location = Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag };
        let plain = Store::new(vec![location], &self.environment);
        let ledger = plain.ledger();
        let cached = plain.with_cache(self.folder.path().join("cache"));
        assert_eq!(cached.ledger(), ledger);
        assert_eq!(cached.ledger(), ledger);
        let selection = Selection::default();
        let total = ledger.report(By::Day, &selection, &self.environment).total;
        let added_up = cached.ledger_for(&selection);
        assert_eq!(added_up.report(By::Day, &selection, &self.environment).total, total);
        total
    }

    /// The messages by role, and the compactions.
    fn counted(&self) -> (RoleCounts, usize) {
        let path = self.sessions().to_owned();
        let location = Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag };
        let stats = Store::new(vec![location], &self.environment).stats(&StatsSelection::default());
        (stats.totals.messages, stats.habits.compactions)
    }

    /// Asks for the total again after something that spends nothing, and for what is counted.
    #[track_caller]
    fn unchanged(&self, before: &Sum, what: &str) {
        assert_eq!(self.total(), *before, "{what}");
        let messages = RoleCounts { user: 2, assistant: 3, ..RoleCounts::default() };
        assert_eq!(self.counted(), (messages, 1), "{what}");
    }

    fn files(&self) -> usize {
        fs_err::read_dir(self.sessions()).unwrap().count()
    }
}

#[test]
fn copies_of_a_list_without_ids_count_once() {
    let fixture = Fixture::new();
    let before = fixture.total();
    assert_eq!((before.count, before.unknown_costs), (4, 1));
    assert!((before.cost.dollars() - 3.25).abs() < 1e-9);
    let session = fixture.open();
    let options = |id: &str| ForkOptions::new().id(id);
    let leaf = session.leaf_id().unwrap().to_owned();
    session.create_branched_session(&leaf, &options("clone")).unwrap();
    fixture.unchanged(&before, "a clone");
    session.fork_before(&leaf, &options("fork")).unwrap();
    fixture.unchanged(&before, "a fork");
    let directory = fixture.sessions().to_owned();
    let (source, environment) = (&fixture.source, &fixture.environment);
    let mut whole =
        Session::fork_from(source, Path::new(CWD), directory, &options("whole"), environment)
            .unwrap();
    fixture.unchanged(&before, "a fork of everything");
    assert_eq!(fixture.files(), 4);
    assert_eq!(fs_err::read_to_string(source).unwrap(), VERSION_1);
    fixture.open().migrate().unwrap().unwrap();
    fixture.unchanged(&before, "the source has ids now");
    // What the fork spends itself counts, even if it looks like what it copied.
    let last_answer = VERSION_1.lines().nth(2).unwrap();
    let entry = pitree_format::js::parse(last_answer.as_bytes()).unwrap();
    whole.append_message(entry.get("message").unwrap().clone()).unwrap();
    assert_eq!(fixture.total().count, before.count + 1);
    assert_eq!(fixture.counted().0.assistant, 4);
}

#[test]
fn copies_made_by_the_real_pi_count_once() {
    if !pitree_testkit::has_pi("copies_made_by_the_real_pi_count_once") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let fixture = Fixture::new();
    let before = fixture.total();
    let (dir, source) = (fixture.sessions().display(), fixture.source.display());
    let mut run = |more: &str| {
        let request = format!(r#"{{"op":"run","cwd":"{CWD}","dir":"{dir}",{more}}}"#);
        let answer = oracle.ask(&request).unwrap();
        assert!(answer.contains(r#""results":[{"ok":true"#), "{answer}");
    };
    run(&format!(r#""ops":[{{"do":"forkFrom","path":"{source}"}}]"#));
    assert_eq!(fs_err::read_to_string(&fixture.source).unwrap(), VERSION_1);
    assert_eq!(fixture.files(), 2);
    fixture.unchanged(&before, "Pi copied the lines without ids");
    // A fork of ours, whose ids Pi does not know when it migrates the source.
    let session = fixture.open();
    session.create_branched_session(session.leaf_id().unwrap(), &ForkOptions::default()).unwrap();
    fixture.unchanged(&before, "our fork");
    run(&format!(r#""start":"{source}","ops":[{{"do":"createBranched","target":4}}]"#));
    assert_ne!(fs_err::read_to_string(&fixture.source).unwrap(), VERSION_1, "Pi migrates it");
    assert_eq!(fixture.files(), 4);
    fixture.unchanged(&before, "Pi's fork, after Pi gave the source ids of its own");
}
