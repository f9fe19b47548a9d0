//! The real Pi writes to several sessions while lists, searches and sums are asked for, with
//! caches: every answer is a state between what Pi had finished before and what it had begun
//! after, and the last one is the answer without caches.
//!
//! `PITREE_FULL=1` writes ten times as much.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::ledger::{By, Selection};
use pitree_store::search::{Query, SearchOptions};
use pitree_store::{Scope, SessionFacts, Store};
use pitree_testkit::{Oracle, PiVersion};
use serde_json::{Value, json};

const SESSIONS: usize = 5;
const MESSAGES_A_ROUND: usize = 8;
const FIRST_TIME: usize = 1_770_000_000_000;
const CWD: &str = "/home/ana/p";

fn rounds() -> usize {
    if pitree_testkit::is_full() { 200 } else { 20 }
}

/// A number for every message of every session, so that each time and each text is one's own.
fn number(session: usize, message: usize) -> usize {
    message * SESSIONS + session
}

/// Users and assistants take turns; each answer costs half a dollar.
fn message(session: usize, at: usize) -> Value {
    let number = number(session, at);
    let content = json!([{"type": "text", "text": format!("needle word{number} — “said”")}]);
    let timestamp = FIRST_TIME + number;
    if at.is_multiple_of(2) {
        return json!({"role": "user", "content": content, "timestamp": timestamp});
    }
    let cost = json!({"input": 0, "output": 0.5, "cacheRead": 0, "cacheWrite": 0, "total": 0.5});
    let usage = json!({"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0,
        "totalTokens": 7, "cost": cost});
    json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m",
        "usage": usage, "stopReason": "stop", "timestamp": timestamp})
}

/// How many messages of a session Pi was asked to write, and how many it has said it wrote.
#[derive(Default)]
struct Progress {
    begun: AtomicUsize,
    done: AtomicUsize,
}

struct Scene {
    folder: tempfile::TempDir,
    files: Vec<PathBuf>,
    progress: Vec<Progress>,
    finished: AtomicBool,
}

impl Scene {
    fn new(oracle: &mut Oracle) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("sessions")).unwrap();
        let progress: Vec<Progress> = (0..SESSIONS).map(|_| Progress::default()).collect();
        let mut scene =
            Self { folder, files: Vec::new(), progress, finished: AtomicBool::new(false) };
        for session in 0..SESSIONS {
            let answer = scene.write(oracle, session, None, &[]);
            scene.files.push(PathBuf::from(answer["files"][0].as_str().unwrap()));
        }
        scene
    }

    fn sessions(&self) -> PathBuf {
        self.folder.path().join("sessions")
    }

    /// Has Pi open a session, append a few messages, and do something more.
    fn write(
        &self,
        oracle: &mut Oracle,
        session: usize,
        start: Option<&Path>,
        more: &[Value],
    ) -> Value {
        let progress = &self.progress[session];
        let first = progress.begun.fetch_add(MESSAGES_A_ROUND, Ordering::SeqCst);
        let messages = first..first + MESSAGES_A_ROUND;
        let mut ops: Vec<Value> =
            messages.map(|at| json!({"do": "message", "message": message(session, at)})).collect();
        ops.extend_from_slice(more);
        let mut request = json!({"op": "run", "cwd": CWD, "dir": self.sessions(), "ops": ops});
        if let Some(start) = start {
            request["start"] = json!(start);
        }
        let answer: Value =
            serde_json::from_str(&oracle.ask(&request.to_string()).unwrap()).unwrap();
        let results = answer["results"].as_array().unwrap();
        assert!(results.iter().all(|result| result["ok"] == true), "{answer}");
        progress.done.store(first + MESSAGES_A_ROUND, Ordering::SeqCst);
        answer
    }

    /// All that Pi does; now and then it forks a session too.
    fn write_all(&self, oracle: &mut Oracle) {
        for round in 0..rounds() {
            for (session, file) in self.files.iter().enumerate() {
                let fork = json!({"do": "createBranched", "target": round % MESSAGES_A_ROUND});
                let more = if round % 7 == session { vec![fork] } else { Vec::new() };
                self.write(oracle, session, Some(file), &more);
            }
        }
    }

    fn plain(&self) -> Store {
        let location = Location {
            path: self.sessions(),
            layout: Layout::Flat,
            origin: Origin::SessionDirFlag,
        };
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            i64::try_from(since.as_millis()).unwrap()
        };
        Store::new(vec![location], &Environment::new("/home/ana", CWD, now, |_| {}))
    }

    fn cached(&self) -> Store {
        self.plain().with_cache(self.folder.path().join("cache"))
    }

    fn count(&self, of: impl Fn(&Progress) -> &AtomicUsize) -> Vec<usize> {
        self.progress.iter().map(|progress| of(progress).load(Ordering::SeqCst)).collect()
    }

    /// Asks until Pi has finished, and once more. Each answer gives the number of messages of each
    /// session that it knows of.
    fn watch(&self, what: &str, ask: impl Fn() -> Vec<usize>) -> usize {
        let mut last = vec![0; SESSIONS];
        let mut asked = 0;
        loop {
            let is_last = self.finished.load(Ordering::SeqCst);
            let done = self.count(|progress| &progress.done);
            let seen = ask();
            let begun = self.count(|progress| &progress.begun);
            for session in 0..SESSIONS {
                let least = done[session].max(last[session]);
                let between = least..=begun[session];
                assert!(between.contains(&seen[session]), "{what}: {seen:?}, {between:?}");
            }
            last = seen;
            asked += 1;
            if is_last {
                return asked;
            }
        }
    }

    fn list(&self) -> Vec<usize> {
        let mut listing = self.cached().list_all();
        if !listing.left_out.is_empty() {
            // Between making a file and writing its header Pi has a file that is no session yet.
            std::thread::sleep(Duration::from_millis(200));
            listing = self.cached().list_all();
        }
        assert!(listing.left_out.is_empty(), "{:?}", listing.left_out);
        let mut counts = vec![0; SESSIONS];
        for facts in &listing.sessions {
            let first = facts.first_message.as_ref().unwrap().to_text().into_owned();
            let session = (0..SESSIONS)
                .find(|session| first == format!("needle word{session} — “said”"))
                .unwrap_or_else(|| panic!("{first}"));
            check_facts(facts, session);
            if facts.parent_session.is_none() {
                counts[session] = facts.message_count;
            }
        }
        counts
    }

    fn sums(&self) -> Vec<usize> {
        let store = self.cached();
        let ledger = store.ledger();
        let environment = Environment::new("/home/ana", CWD, || 0, |_| {});
        let report = ledger.report(By::Session, &Selection::default(), &environment);
        assert!(report.adds_up());
        let whole = report.total.count as f64 / 2.0;
        assert!((report.total.cost.dollars() - whole).abs() < 1e-9, "{report:?}");
        let mut counts = vec![0; SESSIONS];
        for row in &ledger.rows {
            let path = &ledger.sessions[row.session as usize].path;
            let session = self.files.iter().position(|file| file == path);
            // A question comes before each answer; one after the last is not seen.
            counts[session.expect("what forks copied is their source's")] += 2;
        }
        counts
    }

    fn search(&self, store: &Store, conversation: bool) -> Vec<usize> {
        let query = Query::parse("needle", 0).unwrap();
        let options = SearchOptions { scope: Scope::All, conversation, limit: usize::MAX };
        let found = store.search(&query, &options);
        assert_eq!(found.total, found.hits.len());
        let mut seen: Vec<Vec<usize>> = vec![Vec::new(); SESSIONS];
        for hit in &found.hits {
            let word = hit.snippet.text.split_whitespace().nth(1).unwrap();
            let number: usize = word.strip_prefix("word").unwrap().parse().unwrap();
            assert_eq!(hit.session.path, self.files[number % SESSIONS], "{word}");
            seen[number % SESSIONS].push(number / SESSIONS);
        }
        for messages in &mut seen {
            messages.sort_unstable();
            let all: Vec<usize> = (0..messages.len()).collect();
            assert_eq!(*messages, all, "no hit is missing among earlier ones, and none is twice");
        }
        seen.iter().map(Vec::len).collect()
    }
}

/// Says so when it is dropped.
struct Finished<'a>(&'a AtomicBool);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The facts have to be those of the first so many messages, all of them.
fn check_facts(facts: &SessionFacts, session: usize) {
    let count = facts.message_count;
    let answers = count / 2;
    let told = format!("{facts:?}");
    assert_eq!((facts.entries, facts.branches, facts.compactions), (count, 1, 0), "{told}");
    assert_eq!((facts.spend.count, facts.spend.unknown_costs), (answers, 0), "{told}");
    assert!((facts.spend.cost - answers as f64 / 2.0).abs() < 1e-9, "{told}");
    assert!((facts.spend.tokens - answers as f64 * 7.0).abs() < 1e-9, "{told}");
    assert_eq!(facts.models.first().map_or(0, |model| model.answers), answers, "{told}");
    let last = FIRST_TIME + number(session, count - 1);
    assert_eq!(facts.modified_ms, i64::try_from(last).unwrap(), "{told}");
}

#[test]
fn every_answer_is_a_state_in_between() {
    if !pitree_testkit::has_pi("every_answer_is_a_state_in_between") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let scene = Scene::new(&mut oracle);
    std::thread::scope(|threads| {
        let scene = &scene;
        let writer = threads.spawn(move || {
            // Also when it fails: the others wait for it.
            let _finished = Finished(&scene.finished);
            scene.write_all(&mut oracle);
        });
        let asked = [
            threads.spawn(|| scene.watch("list", || scene.list())),
            threads.spawn(|| scene.watch("cost", || scene.sums())),
            threads.spawn(|| scene.watch("index", || scene.search(&scene.cached(), true))),
            threads.spawn(|| scene.watch("search", || scene.search(&scene.cached(), false))),
        ];
        let asked = asked.map(|thread| thread.join().unwrap());
        writer.join().unwrap();
        println!("while Pi wrote: {asked:?} lists, sums, index searches and searches");
    });
    let (cached, plain) = (scene.cached(), scene.plain());
    let facts = |store: &Store| {
        let mut sessions = store.list_all().sessions;
        sessions.sort_by(|a, b| a.path.cmp(&b.path));
        format!("{sessions:?}")
    };
    assert_eq!(facts(&cached), facts(&plain));
    assert_eq!(cached.ledger(), plain.ledger());
    let messages = vec![(rounds() + 1) * MESSAGES_A_ROUND; SESSIONS];
    for conversation in [true, false] {
        assert_eq!(scene.search(&cached, conversation), messages);
        assert_eq!(scene.search(&plain, conversation), messages);
    }
}
