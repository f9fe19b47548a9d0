//! Several writers on one file: locked ones of our own and one that takes no lock, as Pi does.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use pitree_format::draft::Draft;
use pitree_format::{Object, Value};
use pitree_session::NewCompaction;
use pitree_session::{AppendOutcome, Durability, Environment, NewSession, Session, SessionError};

fn environment(seed: u64) -> Environment {
    static CLOCK: AtomicI64 = AtomicI64::new(1_770_000_000_000);
    let state = std::sync::Mutex::new(pitree_testkit::Rng::new(seed));
    Environment::new(
        "/home/u",
        "/home/u/p",
        || CLOCK.fetch_add(1, Ordering::Relaxed),
        move |bytes| {
            let mut rng = state.lock().unwrap();
            bytes.fill_with(|| rng.below(256) as u8);
        },
    )
}

fn message(text: &str) -> Value {
    let block: Value = Object::new().with("type", "text").with("text", text).into();
    Object::new().with("role", "user").with("content", vec![block]).with("timestamp", 1.0).into()
}

fn new_session(folder: &Path) -> Session {
    let new = NewSession::default();
    Session::create_in(Path::new("/home/u/p"), folder.to_owned(), &new, &environment(1)).unwrap()
}

#[test]
fn lines_of_many_writers_stay_whole_and_single() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = new_session(folder.path());
    first.append_message(message("begin")).unwrap();
    let path = first.path().unwrap().to_owned();
    let foreign = AtomicBool::new(true);
    let (ours, theirs) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let path = &path;
                scope.spawn(move || {
                    let mut session = Session::open(path, &environment(100 + writer)).unwrap();
                    (0..150)
                        .map(|at| {
                            let text = format!("{writer} {at} {}", "x".repeat(at * 13 % 3000));
                            session.append_message(message(&text)).unwrap().id
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let unlocked = scope.spawn(|| {
            let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
            let mut ids = Vec::new();
            while foreign.load(Ordering::Relaxed) {
                let id = format!("f{:07x}", ids.len());
                let filler = "y".repeat(ids.len() * 7 % 2000);
                let line = format!(
                    "{{\"type\":\"custom\",\"customType\":\"{filler}\",\"id\":\"{id}\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00.000Z\"}}\n"
                );
                file.write_all(line.as_bytes()).unwrap();
                ids.push(id);
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            ids
        });
        let ours: Vec<String> =
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        foreign.store(false, Ordering::Relaxed);
        (ours, unlocked.join().unwrap())
    });
    let session = Session::open(&path, &environment(2)).unwrap();
    let damage: Vec<_> =
        session.findings().unwrap().into_iter().filter(|f| f.code != "several-roots").collect();
    assert_eq!(damage, []);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in session.entries() {
        *counts.entry(entry.id()).or_default() += 1;
    }
    for id in ours.iter().chain(&theirs) {
        assert_eq!(counts.get(id.as_str()), Some(&1), "entry {id}");
    }
    assert_eq!(session.len(), 1 + ours.len() + theirs.len());
}

#[test]
fn each_writer_stays_on_its_own_branch() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = new_session(folder.path());
    let root = one.append_message(message("begin")).unwrap().id;
    let mut two = Session::open(one.path().unwrap(), &environment(7)).unwrap();
    let a = one.append_message(message("a")).unwrap().id;
    let b = two.append_message(message("b")).unwrap().id;
    let a2 = one.append_message(message("a2")).unwrap().id;
    let path = |session: &Session| {
        session.active_path().iter().map(|entry| entry.id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(path(&one), [root.clone(), a, a2]);
    assert_eq!(path(&two), [root, b.clone()]);
    assert!(one.entry(&b).is_some(), "what the other wrote is known");
}

/// One program has made a summary while another one continues the conversation. Whichever comes
/// first: a compaction is never written behind what it does not know.
#[test]
fn a_compaction_is_never_written_after_somebody_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = new_session(folder.path());
    first.append_message(message("begin")).unwrap();
    let path = first.path().unwrap().to_owned();
    let (mut written, mut refused) = (0, 0);
    for round in 0..300 {
        let mut ours = Session::open(&path, &environment(1000 + round)).unwrap();
        let mut theirs = Session::open(&path, &environment(9000 + round)).unwrap();
        let new = NewCompaction {
            summary: "short".into(),
            tokens_before: 1.0,
            ..NewCompaction::default()
        };
        let begin = std::sync::Barrier::new(2);
        let (compacted, said) = std::thread::scope(|scope| {
            let compacting = scope.spawn(|| {
                begin.wait();
                ours.append_compaction_result(new, false)
            });
            begin.wait();
            let said = theirs.append_message(message("more")).unwrap().id;
            (compacting.join().unwrap(), said)
        });
        match compacted {
            Ok(done) => {
                written += 1;
                let session = Session::open(&path, &environment(3)).unwrap();
                let line = |id: &str| session.entry(id).unwrap().line();
                let first = line(&done.appended.id) < line(&said);
                assert!(first, "round {round}: the compaction came after what it does not know");
            }
            Err(SessionError::Changed { .. }) => refused += 1,
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    println!("{written} compactions written, {refused} refused");
}

#[test]
fn a_file_comes_with_the_first_message_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    let path = session.path().unwrap().to_owned();
    assert_eq!(session.append_model_change("p", "m").unwrap().outcome, AppendOutcome::Deferred);
    assert_eq!(
        session.append_thinking_level_change("high").unwrap().outcome,
        AppendOutcome::Deferred
    );
    assert!(!path.exists());
    assert_eq!(session.append_message(message("hello")).unwrap().outcome, AppendOutcome::Written);
    let again = Session::open(&path, &environment(3)).unwrap();
    assert_eq!(again.len(), 3);
    assert_eq!(again.active_path().len(), 3);
    use std::os::unix::fs::MetadataExt;
    assert_eq!(fs_err::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_batch_is_one_chain_in_one_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    session.set_durability(Durability::Durable);
    session.append_message(message("begin")).unwrap();
    let drafts: Vec<Draft> = (0..1000).map(|at| Draft::Message(message(&at.to_string()))).collect();
    let appended = session.append_all(&drafts).unwrap();
    assert_eq!(appended.len(), 1000);
    let again = Session::open(session.path().unwrap(), &environment(4)).unwrap();
    let ids: Vec<_> =
        again.active_path().iter().skip(1).map(|entry| entry.id().to_owned()).collect();
    assert_eq!(ids, appended.iter().map(|one| one.id.clone()).collect::<Vec<_>>());
    for (entry, same) in session.entries().zip(again.entries()) {
        assert_eq!(entry.raw().unwrap(), same.raw().unwrap());
        assert_eq!(entry.line(), same.line());
    }
}

#[test]
fn an_existing_file_is_never_overwritten_by_a_new_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = new_session(folder.path());
    let path = session.path().unwrap().to_owned();
    fs_err::write(&path, "precious").unwrap();
    assert!(session.append_message(message("hello")).is_err());
    assert_eq!((session.len(), session.leaf_id()), (0, None), "memory is as it was");
    assert_eq!(fs_err::read(&path).unwrap(), b"precious");
    fs_err::remove_file(&path).unwrap();
    assert_eq!(session.append_message(message("hello")).unwrap().outcome, AppendOutcome::Written);
}
