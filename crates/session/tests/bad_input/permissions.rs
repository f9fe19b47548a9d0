//! Files and folders that may not be read or written. Root may do everything, so for root the
//! checks run in a child process under another user; what cannot run is printed by name.

use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{
    ForkOptions, NewSession, OldVersion, Session, SessionError, backup_directory,
};

use crate::bad_input::child;
use crate::bad_input::common::{
    Snapshot, TestFolder, ask_everything, environment, header_with, lines, names_below, said,
    sound, user,
};

const NOBODY: &str = "65534";

/// Runs a check as somebody who is not root. `false` if that cannot be done here.
fn run_as_user(place: &TestFolder, task: &str, path: &Path) -> bool {
    if fs_err::metadata("/proc/self").unwrap().uid() != 0 {
        child::run(&[], &child::this_binary(), task, path);
        return true;
    }
    let before =
        ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--inh-caps=-all"];
    let can = Command::new(before[0]).args(&before[1..]).arg("true").status();
    if !can.is_ok_and(|status| status.success()) {
        pitree_testkit::tell(&format!(
            "skipped {task}: this is root, and setpriv cannot become another user"
        ));
        return false;
    }
    // The build folder may be closed to others, so they run a copy.
    let binary = place.root().join("test-binary");
    fs_err::copy(child::this_binary(), &binary).unwrap();
    open_to_all(place.root());
    child::run(&before, &binary, task, path);
    true
}

fn set_mode(path: &Path, mode: u32) {
    fs_err::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn open_to_all(path: &Path) {
    set_mode(path, 0o755);
}

/// A folder that everybody may write to, for the child's home.
fn open_home(place: &TestFolder) -> PathBuf {
    let home = place.root().join("home");
    fs_err::create_dir_all(&home).unwrap();
    set_mode(&home, 0o777);
    home
}

fn home_of(path: &Path) -> PathBuf {
    path.parent().unwrap().parent().unwrap().join("home")
}

fn assert_denied<T: std::fmt::Debug>(result: Result<T, SessionError>, path: &Path) {
    match result.unwrap_err() {
        SessionError::Io { source, path: named, action } => {
            assert_eq!(source.kind(), ErrorKind::PermissionDenied, "{action}");
            assert!(named.starts_with(path), "{} is not below {}", named.display(), path.display());
        }
        other => panic!("{other}"),
    }
}

pub(crate) fn unreadable_file(path: &Path) {
    assert_denied(Session::open(path, &environment(&home_of(path))), path);
    // Discovery passes over it.
    let folder = path.parent().unwrap().to_owned();
    let location = Location { path: folder, layout: Layout::Flat, origin: Origin::SessionDirFlag };
    assert!(location.all_sessions().is_empty());
}

pub(crate) fn read_only_file(path: &Path) {
    let before = Snapshot::of(path);
    let mut session = Session::open(path, &environment(&home_of(path))).unwrap();
    ask_everything(&session).unwrap();
    for _ in 0..2 {
        assert_denied(session.append_message(said("no")), path);
    }
    assert_eq!((session.len(), session.leaf_id()), (3, Some("a3")));
    assert_eq!(Snapshot::of(path), before);
}

/// A sound file and an old one, both writable, in a folder that is not.
pub(crate) fn read_only_folder(path: &Path) {
    let folder = path.parent().unwrap();
    let environment = environment(&home_of(path));
    let before = names_below(folder);

    let new = NewSession::default();
    for below in [folder.to_owned(), folder.join("new").join("deeper")] {
        let mut session = Session::create_in(folder, below, &new, &environment).unwrap();
        assert_denied(session.append_message(said("no")), folder);
        assert_eq!((session.len(), session.leaf_id()), (0, None));
    }

    let mut session = Session::open(path, &environment).unwrap();
    assert_denied(session.create_branched_session("a2", &ForkOptions::default()), folder);
    let options = ForkOptions::default();
    let fork = Session::fork_from(path, folder, folder.to_owned(), &options, &environment);
    assert_denied(fork, folder);

    let old = folder.join("old.jsonl");
    let old_before = Snapshot::of(&old);
    let mut old_session = Session::open(&old, &environment).unwrap();
    old_session.set_old_version(OldVersion::Migrate);
    assert_denied(old_session.migrate(), folder);
    assert_denied(old_session.append_message(said("no")), folder);
    assert_eq!(old_session.len(), 1);
    assert_eq!(Snapshot::of(&old), old_before);
    assert_eq!(names_below(folder), before);
    let backups = backup_directory(&environment);
    let left = if backups.exists() { names_below(&backups) } else { Vec::new() };
    println!("\nleft in the backup folder: {}", left.len());

    // The file itself may be written to.
    session.append_message(said("yes")).unwrap();
    assert_eq!(Session::open(path, &environment).unwrap().len(), 4);
}

#[test]
fn an_unreadable_file_is_a_clear_error_and_hides_nothing_else() {
    let place = TestFolder::new();
    let path = place.file(sound());
    open_home(&place);
    set_mode(&path, 0o000);
    run_as_user(&place, "unreadable file", &path);
}

#[test]
fn a_read_only_file_can_be_read_and_an_append_fails_without_a_trace() {
    let place = TestFolder::new();
    let path = place.file(sound());
    open_home(&place);
    set_mode(&path, 0o444);
    run_as_user(&place, "read-only file", &path);
}

/// A folder with two files in which nothing can be created.
fn closed_folder(place: &TestFolder) -> PathBuf {
    let path = place.file(sound());
    let old = path.with_file_name("old.jsonl");
    fs_err::write(&old, lines(&[header_with(""), user("a1", "", "one")])).unwrap();
    open_home(place);
    set_mode(&path, 0o666);
    set_mode(&old, 0o666);
    set_mode(path.parent().unwrap(), 0o555);
    path
}

#[test]
fn in_a_read_only_folder_new_fork_and_migrate_fail_and_leave_nothing_there() {
    let place = TestFolder::new();
    let path = closed_folder(&place);
    run_as_user(&place, "read-only folder", &path);
}

#[test]
fn a_migration_that_fails_leaves_no_backup_and_nothing_to_undo() {
    let place = TestFolder::new();
    let path = closed_folder(&place);
    if run_as_user(&place, "read-only folder", &path) {
        let environment = environment(&place.root().join("home"));
        let backups = backup_directory(&environment);
        let left = if backups.exists() { names_below(&backups) } else { Vec::new() };
        assert_eq!(left, Vec::<PathBuf>::new());
    }
}

/// The port locks a file beside the session; whoever put a link there did not.
#[test]
fn nothing_is_made_where_a_link_for_the_lock_leads() {
    let place = TestFolder::new();
    let header = header_with(r#""version":3,"provider":"p","modelId":"m","leafId":null"#);
    let mut session = place.session(lines(&[header]) + &lines(&[user("a1", "", "hi")]));
    let lock = session.path().unwrap().with_extension("jsonl.lock");
    let nowhere = place.root().join("nowhere");
    fs_err::os::unix::fs::symlink(&nowhere, &lock).unwrap();
    session.append_message(said("one")).unwrap();
    assert!(!nowhere.exists());
    fs_err::remove_file(&lock).unwrap();
    session.append_message(said("two")).unwrap();
    assert!(lock.is_file(), "a session of the port is locked as the port does it");
}
