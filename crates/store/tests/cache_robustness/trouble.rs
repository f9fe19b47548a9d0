//! A damaged, locked, foreign or impossible cache.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pitree_store::ledger::Selection;
use pitree_store::search::{Query, SearchOptions};
use pitree_store::stats::StatsSelection;
use pitree_store::{Progress, Scope, Store, Unreadable};
use pitree_testkit::Rng;
use rusqlite::Connection;

use crate::cache_robustness::common::{Pair, now_ms, plain_store, set_age};

/// Changes one session, so that the cache has to be written.
fn change(pair: &Pair, age: u64) {
    let path = pair.session("s001");
    let mut bytes = fs_err::read(&path).unwrap();
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(b"{\"type\":\"session_info\",\"id\":\"n\",\"name\":\"another\"}\n");
    fs_err::write(&path, bytes).unwrap();
    set_age(&path, Duration::from_secs(age));
}

/// Insists on the right list before and after a change, and that the cache recovers.
fn check(pair: &Pair, what: &str) {
    pair.same(what);
    change(pair, 500);
    pair.same(what);
    pair.same(what);
}

#[test]
fn damage_anywhere_in_the_database() {
    for seed in 0..12 {
        let pair = Pair::with_sessions(30);
        pair.same("at first");
        let path = pair.database();
        let mut bytes = fs_err::read(&path).unwrap();
        let mut rng = Rng::new(seed);
        let from = rng.below(bytes.len());
        let end = bytes.len().min(from + 1 + rng.below(20_000));
        bytes[from..end].fill_with(|| rng.below(256) as u8);
        fs_err::write(&path, bytes).unwrap();
        check(&pair, &format!("seed {seed}: bytes {from} to {end} overwritten"));
        let verified = pair.cached().verify_cache();
        assert!(verified.differences.is_empty(), "seed {seed}: {verified:?}");
    }
}

/// SQLite does not notice a changed byte inside a value.
#[test]
fn one_byte_of_the_database() {
    let pair = Pair::with_sessions(12);
    pair.same("at first");
    let path = pair.database();
    let sound = fs_err::read(&path).unwrap();
    let mut rng = Rng::new(5);
    for _ in 0..60 {
        let at = rng.below(sound.len());
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << rng.below(8);
        fs_err::write(&path, &bytes).unwrap();
        pair.same(&format!("byte {at}"));
        for suffix in ["-wal", "-shm"] {
            let _ = fs_err::remove_file(format!("{}{suffix}", path.display()));
        }
    }
}

#[test]
fn a_database_that_was_cut_or_is_another_kind_of_file() {
    for keep in [0, 1, 100, 4096, 16_384, 20_000] {
        let pair = Pair::with_sessions(20);
        pair.same("at first");
        let path = pair.database();
        let bytes = fs_err::read(&path).unwrap();
        fs_err::write(&path, &bytes[..keep.min(bytes.len())]).unwrap();
        check(&pair, &format!("cut to {keep} bytes"));
    }
    let pair = Pair::with_sessions(5);
    pair.same("at first");
    let path = pair.database();
    fs_err::write(&path, "a letter to somebody\n".repeat(1000)).unwrap();
    check(&pair, "a text");
    fs_err::remove_file(&path).unwrap();
    fs_err::create_dir(&path).unwrap();
    check(&pair, "a folder");
}

#[test]
fn a_table_of_another_shape() {
    let pair = Pair::with_sessions(5);
    pair.same("at first");
    let connection = Connection::open(pair.database()).unwrap();
    connection.execute_batch("DROP TABLE facts; CREATE TABLE facts (x)").unwrap();
    drop(connection);
    check(&pair, "another table");
    assert_eq!(pair.cached().verify_cache().known, 5, "it was made anew");
}

#[test]
fn rows_that_make_no_sense() {
    let pair = Pair::with_sessions(12);
    pair.same("at first");
    let connection = Connection::open(pair.database()).unwrap();
    for table in ["facts", "spend"] {
        let noise = format!("UPDATE {table} SET payload = x'FF00FF' WHERE length(payload) % 2");
        connection.execute_batch(&noise).unwrap();
    }
    connection.execute_batch("UPDATE rest SET bytes = x'07'").unwrap();
    connection.execute_batch("UPDATE usages SET bytes = x'07'").unwrap();
    drop(connection);
    check(&pair, "payloads of noise");
}

#[test]
fn another_process_holds_the_database() {
    for hold in ["BEGIN EXCLUSIVE", "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"] {
        let pair = Pair::with_sessions(10);
        pair.same("at first");
        let holder = Connection::open(pair.database()).unwrap();
        holder.execute_batch(hold).unwrap();
        holder.execute_batch("DELETE FROM facts").unwrap();
        change(&pair, 600);
        let begin = Instant::now();
        pair.same(hold);
        assert!(begin.elapsed() < Duration::from_secs(5), "{hold}: {:?}", begin.elapsed());
        holder.execute_batch("ROLLBACK").unwrap();
        drop(holder);
        check(&pair, "after it was let go");
    }
}

/// The root user may write in any folder; then this shows less.
#[test]
fn a_folder_and_a_database_that_cannot_be_written() {
    let pair = Pair::with_sessions(5);
    pair.same("at first");
    let mode = |mode| fs_err::set_permissions(pair.cache(), PermissionsExt::from_mode(mode));
    fs_err::set_permissions(pair.database(), PermissionsExt::from_mode(0o400)).unwrap();
    mode(0o500).unwrap();
    check(&pair, "read-only");
    mode(0o700).unwrap();
    let store = pair.cached().with_cache("/proc/nowhere".into());
    assert_eq!(store.list_all().sessions.len(), 5);
}

/// Something that reads a store, and its name.
type Action<'a, T> = (&'a str, &'a dyn Fn(&Store) -> T);

/// Counts the files that are read and the caches that were damaged.
#[derive(Default)]
struct Told {
    reads: AtomicUsize,
    damaged: AtomicUsize,
}

impl Progress for Told {
    fn step(&self, _: usize, _: usize) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    fn damaged_cache(&self, _: &Path) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whoever meets the damage, also one who only reads.
#[test]
fn damage_is_reported_once_and_does_not_stay() {
    let actions: [Action<'_, ()>; 3] = [
        ("list", &|store| drop(store.list_all())),
        ("cost", &|store| drop(store.ledger())),
        ("find", &|store| drop(store.session_ids())),
    ];
    for (what, action) in actions {
        for whole in [false, true] {
            let pair = Pair::with_sessions(12);
            pair.same("at first");
            let path = pair.database();
            let connection = Connection::open(&path).unwrap();
            let copy_log = "PRAGMA wal_checkpoint(TRUNCATE)";
            connection.query_row(copy_log, [], |_| Ok(())).unwrap();
            drop(connection);
            let mut bytes = fs_err::read(&path).unwrap();
            // The first page has the tables.
            let from = if whole { 0 } else { 16_384 };
            bytes[from..].fill(0xA5);
            fs_err::write(&path, bytes).unwrap();
            let told = Arc::new(Told::default());
            let store = pair.cached().with_progress(told.clone());
            for _ in 0..3 {
                action(&store);
            }
            assert_eq!(told.damaged.load(Ordering::Relaxed), 1, "{what}, whole: {whole}");
            check(&pair, what);
        }
    }
}

/// A file whose permissions have changed is read again, and so reported if it cannot be read. The
/// root user may read any file; then this shows only that it is read.
#[test]
fn a_file_that_can_no_longer_be_read_is_reported_with_any_cache() {
    let pair = Pair::with_sessions(4);
    // A word that some of them have, so that nothing similar is looked for.
    let query = Query::parse("file", now_ms()).unwrap();
    let options = SearchOptions { scope: Scope::All, conversation: true, limit: 5 };
    let actions: [Action<'_, Vec<Unreadable>>; 3] = [
        ("list", &|store| store.list_all().unreadable()),
        ("cost", &|store| store.ledger().unreadable),
        ("search", &|store| store.search(&query, &options).unreadable),
    ];
    for (_, action) in actions {
        action(&pair.cached());
    }
    for (at, (what, action)) in actions.into_iter().enumerate() {
        let path = pair.session("s001");
        // Each time others, all without the right to read it.
        let mode = [0o000, 0o200, 0o300][at];
        fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let told = Arc::new(Told::default());
        let with_cache = action(&pair.cached().with_progress(told.clone()));
        assert_eq!(told.reads.load(Ordering::Relaxed), 1, "{what} reads what has changed");
        let is_readable = fs_err::File::open(&path).is_ok();
        assert_eq!(with_cache.len(), usize::from(!is_readable), "{what}: {with_cache:?}");
        assert_eq!(with_cache, action(&plain_store(pair.root())), "{what}");
    }
    fs_err::set_permissions(pair.session("s001"), PermissionsExt::from_mode(0o600)).unwrap();
    check(&pair, "readable again");
}

#[test]
fn caches_of_other_versions_are_left_alone() {
    let pair = Pair::with_sessions(5);
    let newer = pair.cache().join("sessions-4000000000.sqlite");
    let older = pair.cache().join("sessions-0.sqlite");
    for path in [&newer, &older] {
        fs_err::write(path, "another version's").unwrap();
    }
    check(&pair, "with others beside it");
    for path in [&newer, &older] {
        assert_eq!(fs_err::read_to_string(path).unwrap(), "another version's");
    }
}

/// Deletes all sessions as soon as one of them is read.
struct Deletes(PathBuf);

impl Progress for Deletes {
    fn step(&self, _done: usize, _total: usize) {
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// Sub-agents and other programs delete sessions at any time.
#[test]
fn a_file_that_is_deleted_before_it_is_read_is_not_reported() {
    let query = Query::parse("file", now_ms()).unwrap();
    let options = |conversation| SearchOptions { scope: Scope::All, conversation, limit: 5 };
    let selection = Selection { scope: Scope::All, ..Selection::default() };
    let counted = StatsSelection { selection, cwd: None };
    let actions: [Action<'_, Vec<Unreadable>>; 5] = [
        ("list", &|store| store.list_all().unreadable()),
        ("cost", &|store| store.ledger().unreadable),
        ("search", &|store| store.search(&query, &options(true)).unreadable),
        ("raw search", &|store| store.search(&query, &options(false)).unreadable),
        ("stats", &|store| store.stats(&counted).unreadable),
    ];
    for (what, action) in actions {
        for is_cached in [false, true] {
            let pair = Pair::with_sessions(12);
            let store = if is_cached { pair.cached() } else { plain_store(pair.root()) };
            let folder = pair.root().join("sessions");
            let deletes = Arc::new(Deletes(folder.clone()));
            let unreadable = action(&store.with_progress(deletes).with_threads(1));
            assert_eq!(unreadable, [], "{what}, cached: {is_cached}");
            assert!(!folder.exists(), "{what}");
        }
    }
}

/// Wants no answer any more once so many files were read.
struct GivesUp {
    after: usize,
    read: AtomicUsize,
}

impl Progress for GivesUp {
    fn step(&self, _done: usize, _total: usize) {
        self.read.fetch_add(1, Ordering::SeqCst);
    }

    fn is_wanted(&self) -> bool {
        self.read.load(Ordering::SeqCst) < self.after
    }
}

/// Who gives up does not wait for the other files, and no answer after it is wrong.
#[test]
fn work_that_nobody_waits_for_ends_and_leaves_a_sound_cache() {
    let query = Query::parse("file", now_ms()).unwrap();
    let options = |conversation| SearchOptions { scope: Scope::All, conversation, limit: 5 };
    let selection = Selection { scope: Scope::All, ..Selection::default() };
    let counted = StatsSelection { selection, cwd: None };
    let actions: [Action<'_, ()>; 5] = [
        ("list", &|store| drop(store.list_all())),
        ("cost", &|store| drop(store.ledger())),
        ("search", &|store| drop(store.search(&query, &options(true)))),
        ("raw search", &|store| drop(store.search(&query, &options(false)))),
        ("stats", &|store| drop(store.stats(&counted))),
    ];
    for (what, action) in actions {
        let pair = Pair::with_sessions(30);
        let gives_up = Arc::new(GivesUp { after: 3, read: AtomicUsize::new(0) });
        action(&pair.cached().with_progress(gives_up.clone()).with_threads(1));
        // A file that is not wanted may still be counted, but is not read.
        let read = gives_up.read.load(Ordering::SeqCst);
        assert!((3..30).contains(&read) || what.contains("search"), "{what}: {read} files");
        pair.same(what);
        let verified = pair.cached().verify_cache();
        assert!(verified.differences.is_empty(), "{what}: {verified:?}");
    }
}
