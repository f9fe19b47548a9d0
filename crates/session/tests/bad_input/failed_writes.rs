//! Writes that the system refuses half-way: a limit on the size of files stands for a full disk.

use std::path::Path;

use pitree_session::{AppendOutcome, NewSession, OldVersion, OpenOptions, Session};

use crate::bad_input::child;
use crate::bad_input::common::{
    TestFolder, environment, header_with, ids, lines, names_below, said, sound, user,
};

/// Runs a task with a limit on the size of files; the signal that comes with it is ignored, so
/// that the write itself fails.
fn run_limited(limit: u64, task: &str, path: &Path) {
    let limit = format!("--fsize={limit}");
    let ignore = "trap '' XFSZ; exec \"$@\"";
    let before = ["sh", "-c", ignore, "sh", "prlimit", &limit];
    child::run(&before, &child::this_binary(), task, path);
}

/// In the child: the file may grow by 2000 bytes.
pub(crate) fn append_too_much(path: &Path) {
    let mut session = Session::open(path, &environment(path.parent().unwrap())).unwrap();
    session.labels().unwrap();
    let before = fs_err::read(path).unwrap();
    let names: Vec<String> = ids(&session).into_iter().map(str::to_owned).collect();

    let error = session.append_message(said(&"x".repeat(5000))).unwrap_err();
    assert!(error.to_string().contains("s.jsonl"), "{error}");
    assert_eq!(fs_err::read(path).unwrap(), before, "half a line stayed in the file");
    assert_eq!(ids(&session), names);
    assert_eq!(session.leaf_id(), Some("a3"));

    let drafts: Vec<_> =
        (0..50).map(|_| pitree_format::draft::Draft::Message(said(&"y".repeat(100)))).collect();
    session.append_all(&drafts).unwrap_err();
    assert_eq!(fs_err::read(path).unwrap(), before, "half a batch stayed in the file");
    assert_eq!(session.len(), 3);

    let appended = session.append_message(said("small")).unwrap();
    assert_eq!(appended.outcome, AppendOutcome::Written);
    let after = fs_err::read(path).unwrap();
    assert!(after.starts_with(&before));
    let entry = session.entry(&appended.id).unwrap();
    assert_eq!((entry.parent_id(), entry.line()), (Some("a3"), 5));
    let added = after[before.len()..].trim_ascii();
    assert_eq!(added, &*entry.raw().unwrap());
}

/// In the child: a new file may have 2000 bytes.
pub(crate) fn create_too_much(path: &Path) {
    let folder = path.join("new");
    let environment = environment(path);
    let new = NewSession::default();
    let mut session = Session::create_in(path, folder.clone(), &new, &environment).unwrap();
    session.append_thinking_level_change("high").unwrap();
    session.append_message(said(&"x".repeat(5000))).unwrap_err();
    assert_eq!(session.len(), 1);
    assert!(session.entries().all(|entry| entry.line() == 0));
    let left: Vec<_> = fs_err::read_dir(&folder).map(Iterator::collect).unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");

    assert_eq!(session.append_message(said("small")).unwrap().outcome, AppendOutcome::Written);
    let fresh = Session::open(session.path().unwrap(), &environment).unwrap();
    assert_eq!(ids(&fresh), ids(&session));
    assert_eq!(fresh.len(), 2);
}

/// In the child: the file may grow by 2000 bytes, which is enough to migrate it.
pub(crate) fn migrate_too_much(path: &Path) {
    let home = path.parent().unwrap();
    let options = OpenOptions::new().old_version(OldVersion::Migrate);
    let mut session = options.open(path, &environment(home)).unwrap();
    let before = fs_err::read(path).unwrap();
    session.append_message(said(&"x".repeat(5000))).unwrap_err();
    assert_eq!(fs_err::read(path).unwrap(), before, "the file was migrated all the same");
    assert!(session.needs_migration() && session.take_migration().is_none());
    let left = names_below(home).into_iter().filter(|name| name.is_file()).count();
    assert_eq!(left, 1, "a backup of nothing stayed");
    session.append_message(said("small")).unwrap();
    assert!(session.take_migration().is_some());
}

#[test]
fn an_append_that_fails_leaves_an_old_file_as_it_was() {
    let place = TestFolder::new();
    let text = lines(&[header_with(""), user("", "", "one"), user("", "", "two")]);
    let path = place.file(&text);
    run_limited(text.len() as u64 + 2000, "failed migration", &path);
    assert_eq!(place.open(&path).unwrap().len(), 3);
}

#[test]
fn a_failed_append_leaves_file_and_memory_and_the_next_one_works() {
    let place = TestFolder::new();
    let path = place.file(sound());
    run_limited(sound().len() as u64 + 2000, "failed append", &path);
    let session = place.open(&path).unwrap();
    assert_eq!(session.len(), 4);
    assert!(session.findings().unwrap().is_empty());
}

#[test]
fn a_failed_append_after_an_unfinished_line_leaves_that_line_as_it_was() {
    let place = TestFolder::new();
    let text = sound();
    let path = place.file(text.trim_end());
    run_limited(sound().len() as u64 + 2000, "failed append", &path);
    assert_eq!(place.open(&path).unwrap().len(), 4);
}

#[test]
fn a_failed_creation_leaves_no_file_and_the_next_append_creates_it() {
    let place = TestFolder::new();
    run_limited(2000, "failed creation", place.root());
}

#[test]
fn a_device_is_refused_even_behind_a_link() {
    let place = TestFolder::new();
    let link = place.root().join("full.jsonl");
    fs_err::os::unix::fs::symlink("/dev/full", &link).unwrap();
    let error = place.open(&link).unwrap_err().to_string();
    assert!(error.contains("a device, pipe or socket"), "{error}");
}

#[test]
fn a_failed_write_of_a_label_does_not_change_the_labels() {
    let place = TestFolder::new();
    let mut session =
        place.session(lines(&[crate::bad_input::common::header(), user("a1", "", "one")]));
    session.append_label("a1", Some("kept")).unwrap();
    session.labels().unwrap();
    let path = session.path().unwrap().to_owned();
    fs_err::write(&path, "short\n").unwrap();
    session.append_label("a1", Some("lost")).unwrap_err();
    assert_eq!(session.label("a1").unwrap(), Some("kept".into()));
}
