//! System calls that fail: the flush, the lock, one open file too many. `strace` makes them fail in
//! a child process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pitree_session::{AppendOutcome, Durability, NewSession, Session};

use crate::bad_input::child;
use crate::bad_input::common::{TestFolder, environment, ids, said, sound};

/// The file of a session with the id `made` at the time of the tests.
const MADE: &str = "new/2026-11-16T03-33-20-000Z_made.jsonl";

/// Runs a task in which a system call fails. Skipped where nothing can be traced.
fn run_with_fault(fault: &str, task: &str, path: &Path, only: &[PathBuf]) {
    let mut probe = Command::new("strace");
    probe.args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        return pitree_testkit::tell(&format!("skipped: {task}: strace cannot trace here"));
    }
    let (call, _) = fault.split_once(':').unwrap();
    let (trace, inject) = (format!("trace={call}"), format!("inject={fault}"));
    let mut before = vec!["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    // Nothing else that the program opens counts.
    for one in only {
        before.extend(["-P", one.to_str().unwrap()]);
    }
    child::run(&before, &child::this_binary(), task, path);
}

/// In the child: the first flush of the file fails.
pub(crate) fn flush_fails(path: &Path) {
    let mut session = Session::open(path, &environment(path.parent().unwrap())).unwrap();
    session.set_durability(Durability::Durable);
    let before = fs_err::read(path).unwrap();
    session.append_message(said("lost")).unwrap_err();
    assert_eq!(fs_err::read(path).unwrap(), before, "a retry would double the line");
    assert_eq!((session.len(), session.leaf_id()), (3, Some("a3")));
    session.append_message(said("kept")).unwrap();
    let fresh = Session::open(path, &environment(path.parent().unwrap())).unwrap();
    assert_eq!((fresh.len(), ids(&fresh)), (4, ids(&session)));
}

/// In the child: the file is made and flushed, then its folder cannot be, or the file cannot be
/// opened again.
pub(crate) fn creation_fails(path: &Path) {
    let environment = environment(path);
    let new = NewSession::new().id("made");
    let mut session = Session::create_in(path, path.join("new"), &new, &environment).unwrap();
    session.set_durability(Durability::Durable);
    let first = session.append_message(said("one"));
    let file = session.path().unwrap().to_owned();
    assert_eq!(file, path.join(MADE));
    assert_eq!(first.is_ok(), file.exists(), "{first:?}");
    let others = ["two", "three"].map(|text| session.append_message(said(text)));
    let failed = others.iter().chain([&first]).filter(|one| one.is_err()).count();
    assert_eq!(failed, 1, "one call failed once: {first:?} {others:?}");
    let fresh = Session::open(&file, &environment).unwrap();
    assert_eq!((fresh.len(), ids(&fresh)), (2, ids(&session)));
}

/// In the child: the file system has no locks.
pub(crate) fn no_locks(path: &Path) {
    let mut session = Session::open(path, &environment(path.parent().unwrap())).unwrap();
    assert_eq!(session.append_message(said("four")).unwrap().outcome, AppendOutcome::Written);
    assert_eq!(session.append_message(said("five")).unwrap().outcome, AppendOutcome::Written);
}

#[test]
fn a_line_that_cannot_be_flushed_is_taken_back() {
    let place = TestFolder::new();
    let path = place.file(sound());
    run_with_fault("fdatasync:error=EIO:when=1", "flush fails", &path, &[]);
}

#[test]
fn a_new_file_whose_folder_cannot_be_flushed_is_taken_back() {
    let place = TestFolder::new();
    run_with_fault("fsync:error=EIO:when=2", "creation fails", place.root(), &[]);
}

#[test]
fn a_file_system_without_locks_can_be_written_to() {
    for error in ["ENOLCK", "EOPNOTSUPP"] {
        let place = TestFolder::new();
        let path = place.file(sound());
        run_with_fault(&format!("flock:error={error}"), "no locks", &path, &[]);
    }
}

#[test]
fn one_open_file_too_many_is_forgotten_by_the_next_append() {
    // The folder, to be flushed, and the file, to be read.
    for name in ["new", MADE] {
        let place = TestFolder::new();
        let only = [place.root().join(name)];
        run_with_fault("openat:error=EMFILE:when=1", "creation fails", place.root(), &only);
    }
}
