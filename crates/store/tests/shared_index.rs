//! The documented index: its rows, its lock, its generation.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pitree_session::Environment;
use pitree_store::FileStamp;
use pitree_store::shared_index::{
    Change, LeftOut, RefreshOptions, Refreshed, SharedIndexError, generation, path_below, read,
    refresh,
};
use tempfile::TempDir;

fn environment() -> Environment {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    };
    Environment::new("/home/ana", "/home/ana/p", now, |bytes| bytes.fill(7))
}

fn options(wait_ms: u64) -> RefreshOptions {
    RefreshOptions { wait: Duration::from_millis(wait_ms), ..RefreshOptions::default() }
}

fn build(root: &Path) -> Refreshed {
    refresh(root, options(2000), &environment()).unwrap()
}

const HEADER: &str = r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/ana/p"}"#;
const MESSAGE: &str =
    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}"#;

/// A sessions root with one folder.
struct Root {
    folder: TempDir,
}

impl Root {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a session that changed long ago.
    fn write(&self, name: &str, lines: &[&str]) -> PathBuf {
        let path = self.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, format!("{}\n", lines.join("\n"))).unwrap();
        set_age(&path, 1000);
        path
    }

    fn meta(&self, key: &str) -> Option<String> {
        let connection = rusqlite::Connection::open(path_below(self.path())).unwrap();
        let query = "SELECT value FROM meta WHERE key = ?1";
        connection.query_row(query, [key], |row| row.get(0)).ok()
    }
}

fn set_age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    fs_err::File::open(path).unwrap().file().set_modified(time).unwrap();
}

#[test]
fn a_row_has_what_the_port_writes() {
    let root = Root::new();
    let moved = r#"{"type":"custom","customType":"pi.session.workdir.v1","data":{"originalCwd":"/home/ana/p","cwd":"/home/ana/q"},"id":"w"}"#;
    let named = r#"{"type":"session_info","id":"n","name":"a name"}"#;
    let path = root.write("--p--/a.jsonl", &[HEADER, MESSAGE, moved, MESSAGE, named]);
    let report = build(root.path());
    assert_eq!((report.rows, report.read, report.removed), (1, 1, 0));
    let list = read(root.path(), &environment()).unwrap();
    assert!(list.current);
    let row = &list.rows[0];
    let stamp = FileStamp::of(&path).unwrap();
    assert_eq!((&row.path, row.id.as_str(), row.cwd.as_str()), (&path, "s-1", "/home/ana/q"));
    assert_eq!(row.timestamp, "2026-02-03T22:52:06.410Z");
    assert_eq!((row.message_count, row.name.as_deref()), (2, Some("a name")));
    assert_eq!(row.last_modified_ms, stamp.modified_ms());
    assert_eq!(row.size_bytes, stamp.size.cast_signed());
    assert_eq!(root.meta("metadata_version").as_deref(), Some("2"));
    assert_eq!(root.meta("last_scan_generation").as_deref(), Some("0"));
    let files: Vec<_> =
        fs_err::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "no lock and no side files stay: {files:?}");
}

#[test]
fn what_the_port_refuses_is_left_out_and_named() {
    let root = Root::new();
    root.write("--p--/good.jsonl", &[HEADER, MESSAGE]);
    root.write("--p--/torn.jsonl", &[HEADER, MESSAGE, "{\"type\":\"mess"]);
    root.write("--p--/two.jsonl", &[HEADER, MESSAGE, HEADER]);
    root.write("--p--/old.jsonl", &[r#"{"type":"session","id":"v1","timestamp":"t","cwd":"/"}"#]);
    root.write("--p--/untyped.jsonl", &[HEADER, "{\"id\":\"x\"}"]);
    root.write("--p--/notes.jsonl", &["{\"a\":1}"]);
    // Files of other programs that begin like a session.
    root.write("--p--/harness.jsonl", &[HEADER, r#"{"type":"x","seq":1}"#, "{\"torn"]);
    root.write("--p--/title.jsonl", &[r#"{"type":"title","v":1}"#, HEADER, MESSAGE]);
    root.write("--p--/subagent-artifacts/x.jsonl", &[HEADER]);
    root.write("--p--/kept.v2/x.jsonl", &[HEADER]);
    let report = build(root.path());
    assert_eq!(report.rows, 1);
    let reason = |name: &str| {
        let found = report.left_out.iter().find(|(path, _)| path.ends_with(name));
        found.unwrap_or_else(|| panic!("{name}: {report:?}")).1.clone()
    };
    let refused = |why: &str| LeftOut::Refused(why.to_owned());
    assert_eq!(reason("torn.jsonl"), refused("line 3 is not valid JSON"));
    assert_eq!(reason("two.jsonl"), refused("line 3 is a second header"));
    assert_eq!(reason("old.jsonl"), refused("the header is not of version 3"));
    assert_eq!(reason("untyped.jsonl"), refused("line 2 has no type"));
    for name in ["notes.jsonl", "harness.jsonl", "title.jsonl"] {
        assert_eq!(reason(name), LeftOut::NotASession, "{name}");
    }
    assert_eq!(report.left_out.len(), 7);
    let all = RefreshOptions { with_refused: true, ..options(2000) };
    assert_eq!(refresh(root.path(), all, &environment()).unwrap().rows, 5);
    let report = build(root.path());
    assert_eq!((report.rows, report.removed), (1, 4), "asked for once is not asked for always");
}

#[test]
fn a_refresh_reads_what_changed_and_forgets_what_is_gone() {
    let root = Root::new();
    let one = root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let two = root.write("--p--/2.jsonl", &[HEADER, MESSAGE]);
    root.write("--p--/3.jsonl", &[HEADER]);
    assert_eq!(build(root.path()).read, 3);
    assert_eq!(build(root.path()).read, 0);
    fs_err::write(&one, format!("{HEADER}\n{MESSAGE}\n{MESSAGE}\n")).unwrap();
    fs_err::remove_file(&two).unwrap();
    let report = build(root.path());
    assert_eq!((report.rows, report.read, report.removed), (2, 1, 1));
    let list = read(root.path(), &environment()).unwrap();
    assert_eq!(list.rows[0].message_count, 2);
}

fn begin(root: &Path) -> Option<Change> {
    Change::begin(root, &root.join("--p--/new.jsonl"), &environment())
}

#[test]
fn announced_changes_make_it_old() {
    let root = Root::new();
    assert!(begin(root.path()).is_none(), "nobody asked for an index");
    assert_eq!(fs_err::read_dir(root.path()).unwrap().count(), 0);
    build(root.path());
    assert!(Change::begin(root.path(), Path::new("/srv/x.jsonl"), &environment()).is_none());
    drop(begin(root.path()).unwrap());
    drop(begin(root.path()).unwrap());
    assert!(!read(root.path(), &environment()).unwrap().current);
    build(root.path());
    assert!(read(root.path(), &environment()).unwrap().current);
    assert_eq!(root.meta("last_scan_generation").as_deref(), Some("2"));
}

#[test]
fn a_change_writes_its_rows_and_leaves_the_scan_current() {
    let root = Root::new();
    let one = root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let two = root.write("--p--/2.jsonl", &[HEADER, MESSAGE]);
    build(root.path());
    let mut change = begin(root.path()).unwrap();
    // Another spelling of the path, a new file, one that goes, and one that lies elsewhere.
    change.add(&root.path().join("--p--/../--p--/1.jsonl"));
    change.add(&root.path().join("--p--/3.jsonl"));
    change.add(&two);
    change.add(Path::new("/etc/passwd"));
    fs_err::write(&one, format!("{HEADER}\n{MESSAGE}\n{MESSAGE}\n")).unwrap();
    root.write("--p--/3.jsonl", &[HEADER]);
    fs_err::remove_file(&two).unwrap();
    drop(change);
    let list = read(root.path(), &environment()).unwrap();
    assert!(list.current);
    let names = |row: &pitree_store::shared_index::SharedRow| {
        (row.path.file_name().unwrap().to_string_lossy().into_owned(), row.message_count)
    };
    let rows: Vec<_> = list.rows.iter().map(names).collect();
    assert_eq!(rows, [("1.jsonl".to_owned(), 2), ("3.jsonl".to_owned(), 0)]);
    let report = build(root.path());
    assert_eq!((report.rows, report.removed), (2, 0), "a scan finds nothing to put right");
}

#[test]
fn two_changes_at_once_leave_the_rest_to_a_scan() {
    let root = Root::new();
    let one = root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    build(root.path());
    let mut first = begin(root.path()).unwrap();
    let mut second = begin(root.path()).unwrap();
    first.add(&one);
    second.add(&one);
    drop(second);
    assert!(!read(root.path(), &environment()).unwrap().current, "the first is still at work");
    drop(first);
    assert!(!read(root.path(), &environment()).unwrap().current);
    assert_eq!(root.meta("last_sync_epoch_ms"), None);
}

#[test]
fn a_change_touches_nothing_that_it_should_not() {
    let root = Root::new();
    let one = root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let path = path_below(root.path());
    let victim = root.write("victim", &["not a generation"]);
    let before = fs_err::read(&victim).unwrap();
    build(root.path());
    fs_err::os::unix::fs::symlink(&victim, root.path().join("session-index.generation")).unwrap();
    assert!(begin(root.path()).is_none(), "a link is nobody's counter");
    assert_eq!(fs_err::read(&victim).unwrap(), before);
    fs_err::remove_file(root.path().join("session-index.generation")).unwrap();
    let nowhere = root.path().join("nowhere");
    fs_err::remove_file(&path).unwrap();
    fs_err::os::unix::fs::symlink(&nowhere, &path).unwrap();
    let error = refresh(root.path(), options(2000), &environment()).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    assert!(!nowhere.exists(), "nothing is made where a link leads");
    fs_err::remove_file(&path).unwrap();
    build(root.path());
    // Damage is for a refresh to repair.
    for damaged in ["", "no database at all, but long enough to look like one ".repeat(99).as_str()]
    {
        fs_err::write(&path, damaged).unwrap();
        let mut change = begin(root.path()).unwrap();
        change.add(&one);
        drop(change);
        assert_eq!(fs_err::read_to_string(&path).unwrap(), damaged);
    }
    assert_eq!(generation(root.path()), 2);
    assert!(!root.path().join("session-index.lock").exists());
}

#[test]
fn sessions_in_databases_are_left_to_the_port() {
    let root = Root::new();
    root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let database = root.write("--p--/2.sqlite", &["the port's"]);
    build(root.path());
    assert_eq!(root.meta("last_sync_epoch_ms"), None, "the port has to look itself");
    let connection = rusqlite::Connection::open(path_below(root.path())).unwrap();
    let row = "INSERT INTO sessions VALUES (?1, 'x', '/', 't', 1, 1, 1, NULL)";
    connection.execute(row, [database.to_str().unwrap()]).unwrap();
    drop(connection);
    let report = build(root.path());
    assert_eq!((report.rows, report.removed), (2, 0), "its row stays");
}

#[test]
fn a_lock_that_is_held_is_respected_and_a_stale_one_taken_over() {
    let root = Root::new();
    root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let lock = root.path().join("session-index.lock");
    fs_err::create_dir(&lock).unwrap();
    let error = refresh(root.path(), options(300), &environment()).unwrap_err();
    assert!(matches!(error, SharedIndexError::Locked { .. }), "{error}");
    assert!(lock.is_dir() && !path_below(root.path()).exists());
    set_age(&lock, 11);
    assert_eq!(build(root.path()).rows, 1);
    assert!(!lock.exists());
    // An old version of the port left a plain file.
    fs_err::write(&lock, "").unwrap();
    assert!(refresh(root.path(), options(100), &environment()).is_err());
    set_age(&lock, 11);
    assert_eq!(build(root.path()).rows, 1);
    // A reader goes on without the lock.
    fs_err::create_dir(&lock).unwrap();
    assert_eq!(read(root.path(), &environment()).unwrap().rows.len(), 1);
    assert!(lock.is_dir(), "it is another's");
}

#[test]
fn damage_is_repaired_and_other_tables_are_not_touched() {
    let root = Root::new();
    root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    let path = path_below(root.path());
    assert!(read(root.path(), &environment()).is_none(), "there is none");
    fs_err::write(&path, "no database ".repeat(1000)).unwrap();
    assert!(read(root.path(), &environment()).is_none(), "a hint that cannot be read is none");
    let report = build(root.path());
    assert!(report.rebuilt);
    assert_eq!(report.rows, 1);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE sessions; CREATE TABLE sessions (path, note)").unwrap();
    connection.execute_batch("INSERT INTO sessions VALUES ('a', 'mine')").unwrap();
    drop(connection);
    let error = refresh(root.path(), options(100), &environment()).unwrap_err();
    assert!(matches!(error, SharedIndexError::Foreign { .. }), "{error}");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let note: String =
        connection.query_row("SELECT note FROM sessions", [], |row| row.get(0)).unwrap();
    assert_eq!(note, "mine");
}

#[test]
fn rows_of_another_meaning_are_thrown_away() {
    let root = Root::new();
    root.write("--p--/1.jsonl", &[HEADER, MESSAGE]);
    build(root.path());
    let connection = rusqlite::Connection::open(path_below(root.path())).unwrap();
    connection.execute_batch("UPDATE meta SET value = '1' WHERE key = 'metadata_version'").unwrap();
    connection
        .execute_batch("INSERT INTO sessions VALUES ('/x', 'x', '/', 't', 1, 1, 1, NULL)")
        .unwrap();
    drop(connection);
    assert_eq!(build(root.path()).read, 1);
    assert_eq!(read(root.path(), &environment()).unwrap().rows.len(), 1);
}

#[test]
fn an_index_that_would_do_work_of_its_own_is_refused() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    let columns = "path TEXT PRIMARY KEY, id TEXT NOT NULL, cwd TEXT NOT NULL, \
        timestamp TEXT NOT NULL, message_count INTEGER NOT NULL, \
        last_modified_ms INTEGER NOT NULL, size_bytes INTEGER NOT NULL, name TEXT";
    let sessions = format!("CREATE TABLE sessions ({columns});");
    let meta = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);";
    let view = format!("{endless} SELECT x AS key, x AS value FROM n");
    for (hostile, part) in [
        (format!("{sessions} CREATE VIEW meta AS {view};"), "view `meta`"),
        (
            format!(
                "{meta} CREATE VIEW sessions AS {endless} SELECT x AS path, x AS id, x AS cwd, \
                 x AS timestamp, x AS message_count, x AS last_modified_ms, x AS size_bytes, \
                 x AS name FROM n;"
            ),
            "view `sessions`",
        ),
        (
            format!(
                "{sessions} {meta} CREATE TRIGGER t AFTER INSERT ON meta BEGIN \
                 INSERT INTO meta {view}; END;"
            ),
            "trigger `t`",
        ),
        (format!("{sessions} {meta} CREATE VIRTUAL TABLE v USING fts5(x);"), "table `v`"),
        (format!("{sessions} {meta} CREATE INDEX i ON meta (length(value));"), "index `i`"),
        (format!("{meta} CREATE TABLE sessions ({columns}, CHECK (id <> cwd));"), "`sessions`"),
    ] {
        let root = Root::new();
        let session = root.write("--p--/s.jsonl", &[HEADER, MESSAGE]);
        let path = path_below(root.path());
        rusqlite::Connection::open(&path).unwrap().execute_batch(&hostile).unwrap();
        let before = fs_err::read(&path).unwrap();
        let error = refresh(root.path(), options(2000), &environment()).unwrap_err();
        assert!(matches!(error, SharedIndexError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(read(root.path(), &environment()).is_none(), "{hostile}");
        let mut change = Change::begin(root.path(), &session, &environment()).unwrap();
        change.add(&session);
        drop(change);
        assert_eq!(fs_err::read(&path).unwrap(), before, "{hostile}");
    }
}

#[test]
fn hostile_times_in_an_index_overflow_nothing() {
    let root = Root::new();
    root.write("--p--/s.jsonl", &[HEADER, MESSAGE]);
    for time in ["9223372036854775808", "18446744073709551615", "9223372036854775807"] {
        build(root.path());
        let connection = rusqlite::Connection::open(path_below(root.path())).unwrap();
        let set = "UPDATE meta SET value = ?1 WHERE key = 'last_sync_epoch_ms'";
        assert_eq!(connection.execute(set, [time]).unwrap(), 1);
        drop(connection);
        assert_eq!(build(root.path()).rows, 1, "{time}");
    }
}
