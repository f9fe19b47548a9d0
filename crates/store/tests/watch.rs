//! Following sessions: every change once, by the system's word and by looking again and again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::watch::{WatchChange, WatchEvent, WatchOptions, Watcher};
use pitree_store::{Scope, Store};
use tempfile::TempDir;

struct Test {
    folder: TempDir,
    poll: bool,
}

/// Runs a test both ways.
fn both_ways(test: impl Fn(&Test)) {
    for poll in [false, true] {
        test(&Test { folder: tempfile::tempdir().unwrap(), poll });
    }
}

fn header(id: &str, cwd: &str) -> String {
    format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2026-02-03T22:52:06.410Z\",\"cwd\":\"{cwd}\"}}\n"
    )
}

fn message(id: &str, text: &str) -> String {
    message_at(id, text, "2026-02-03T22:52:07.000Z")
}

fn message_at(id: &str, text: &str, time: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":null,\"timestamp\":\"{time}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

fn append(path: &Path, text: &str) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

impl Test {
    fn root(&self) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap().join("sessions")
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }

    fn watch(&self, scope: Scope, only: Option<PathBuf>) -> Watcher {
        let environment = Environment::new("/home/u", "/x", || 0, |_| {});
        let location = Location {
            path: self.root(),
            layout: Layout::PerDirectory,
            origin: Origin::SessionsRootFlag,
        };
        let store = Store::new(vec![location], &environment);
        let watcher = store.watch(WatchOptions { scope, only, poll: self.poll });
        assert_eq!(watcher.fallback(), None);
        watcher
    }
}

/// An event as a short text.
fn short(event: &WatchEvent) -> String {
    let id = &event.id;
    let entry = || {
        let entry = event.change.entry().unwrap();
        entry.get_string("id").unwrap().to_string()
    };
    match &event.change {
        WatchChange::Created { parent: None, entries } => format!("{id} created {entries}"),
        WatchChange::Created { entries, .. } => format!("{id} forked {entries}"),
        WatchChange::Appended { .. } => format!("{id} appended {}", entry()),
        WatchChange::Named { name, .. } => {
            format!("{id} named {}", name.as_ref().map(ToString::to_string).unwrap_or_default())
        }
        WatchChange::Labelled { target, label, .. } => {
            format!("{id} labelled {} {}", target.as_ref().unwrap(), label.as_ref().unwrap())
        }
        WatchChange::Damaged { .. } => format!("{id} damaged"),
        WatchChange::Rewritten => format!("{id} rewritten"),
        _ => format!("{id} removed"),
    }
}

/// Waits until there are so many events, and a little longer for one too many.
#[track_caller]
fn expect(watcher: &mut Watcher, expected: &[&str]) {
    let mut seen = Vec::new();
    let start = Instant::now();
    while seen.len() < expected.len() && start.elapsed() < Duration::from_secs(20) {
        watcher.wait(Duration::from_millis(500), &mut |event| seen.push(short(&event)));
    }
    watcher.wait(Duration::from_millis(30), &mut |event| seen.push(short(&event)));
    assert_eq!(seen, expected);
}

#[test]
fn a_session_from_its_beginning_to_its_end() {
    both_ways(|test| {
        let _ = test.write("--x--/old.jsonl", &(header("old", "/x") + &message("a", "hi")));
        let mut watcher = test.watch(Scope::All, None);
        assert_eq!(watcher.count(), 1);
        expect(&mut watcher, &[]);
        // In a folder that was not there before.
        let path = test.write("--y--/new.jsonl", &(header("new", "/y") + &message("a", "hi")));
        expect(&mut watcher, &["new created 1", "new appended a"]);
        append(&path, &message("b", "again"));
        expect(&mut watcher, &["new appended b"]);
        append(
            &path,
            "{\"type\":\"session_info\",\"id\":\"c\",\"name\":\"N\"}\n{\"type\":\"label\",\"id\":\"d\",\"targetId\":\"a\",\"label\":\"L\"}\n",
        );
        expect(&mut watcher, &["new named N", "new labelled a L"]);
        append(&test.root().join("--x--/old.jsonl"), &message("b", "late"));
        expect(&mut watcher, &["old appended b"]);
        fs_err::remove_file(&path).unwrap();
        expect(&mut watcher, &["new removed"]);
    });
}

#[test]
fn an_unfinished_line_waits() {
    both_ways(|test| {
        let line = message("b", "in two parts");
        let (first, second) = line.split_at(40);
        let path = test.write("--x--/s.jsonl", &(header("s", "/x") + first));
        let mut watcher = test.watch(Scope::All, None);
        expect(&mut watcher, &[]);
        append(&path, second);
        expect(&mut watcher, &["s appended b"]);
        append(&path, "{\"type\":");
        expect(&mut watcher, &[]);
        append(&path, "broken\n\n");
        expect(&mut watcher, &["s damaged"]);
        // A header in two parts.
        let head = header("t", "/x");
        let path = test.write("--x--/t.jsonl", &head[..30]);
        expect(&mut watcher, &[]);
        append(&path, &head[30..]);
        expect(&mut watcher, &["t created 0"]);
    });
}

#[test]
fn a_file_that_is_cut_off_or_replaced() {
    both_ways(|test| {
        let whole = header("s", "/x") + &message("a", "one") + &message("b", "two");
        let path = test.write("--x--/s.jsonl", &whole);
        let mut watcher = test.watch(Scope::All, None);
        fs_err::write(&path, header("s", "/x")).unwrap();
        expect(&mut watcher, &["s rewritten"]);
        append(&path, &message("c", "three"));
        expect(&mut watcher, &["s appended c"]);
        // Replaced by one that begins the same: only what is more is told.
        let grown = header("s", "/x") + &message("c", "three") + &message("d", "four");
        let other = test.write("--x--/s.tmp", &grown);
        fs_err::rename(other, &path).unwrap();
        expect(&mut watcher, &["s appended d"]);
        // Replaced by another one.
        let other = test.write("--x--/s.tmp", &(header("z", "/x") + &whole + &whole));
        fs_err::rename(other, &path).unwrap();
        expect(&mut watcher, &["z rewritten"]);
        append(&path, &message("e", "five"));
        expect(&mut watcher, &["z appended e"]);
    });
}

#[test]
fn copied_and_many_entries_are_only_counted() {
    both_ways(|test| {
        let _ = test.write("--x--/a.jsonl", &header("a", "/x"));
        let mut watcher = test.watch(Scope::All, None);
        let head = header("b", "/x").replace("}\n", ",\"parentSession\":\"/a.jsonl\"}\n");
        let copied = message_at("a", "old", "2026-01-01T00:00:00.000Z");
        let _ = test.write("--x--/b.jsonl", &(head + &copied + &message("b", "new")));
        expect(&mut watcher, &["b forked 2", "b appended b"]);
        let many: String = (0..60).map(|n| message(&format!("m{n}"), "text")).collect();
        let _ = test.write("--x--/c.jsonl", &(header("c", "/x") + &many));
        expect(&mut watcher, &["c created 60"]);
    });
}

#[test]
fn only_what_was_asked_for() {
    both_ways(|test| {
        let one = test.write("--x--/one.jsonl", &header("one", "/x"));
        let two = test.write("--y--/two.jsonl", &header("two", "/y"));
        let mut here = test.watch(Scope::Directory, None);
        let mut only = test.watch(Scope::All, Some(two.clone()));
        append(&one, &message("a", "1"));
        append(&two, &message("b", "2"));
        // No session, and no file of a session.
        let _ = test.write("--x--/notes.jsonl", "{}\n");
        let _ = test.write("--x--/one.jsonl.lock", "");
        expect(&mut here, &["one appended a"]);
        expect(&mut only, &["two appended b"]);
        fs_err::remove_file(&two).unwrap();
        expect(&mut only, &["two removed"]);
        fs_err::write(&two, header("two", "/y")).unwrap();
        expect(&mut only, &["two created 0"]);
    });
}

#[test]
fn a_root_that_is_not_there_yet() {
    both_ways(|test| {
        let mut watcher = test.watch(Scope::All, None);
        assert_eq!(watcher.count(), 0);
        let _ = test.write("--x--/s.jsonl", &header("s", "/x"));
        expect(&mut watcher, &["s created 0"]);
    });
}
