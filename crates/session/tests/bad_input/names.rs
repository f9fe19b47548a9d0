//! Paths that are no session files, and folders that are not there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fs_err::os::unix::fs::symlink;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{ForkOptions, NewSession, OpenOptions, Session, SessionError, open_file};

use crate::bad_input::common::{
    SESSION_ID, TestFolder, header, header_with, lines, names_below, said, sound, user,
};

/// A sessions folder in which the file is one of many.
fn flat(place: &TestFolder) -> Location {
    let path = place.root().join("sessions");
    Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag }
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Files that nobody can open as a session, by name.
fn odd_paths(folder: &Path) -> Vec<PathBuf> {
    let at = |name: &str| folder.join(name).with_extension("jsonl");
    fs_err::create_dir(at("folder")).unwrap();
    make_fifo(&at("fifo"));
    symlink(folder.join("gone"), at("dangling")).unwrap();
    symlink(at("loop-b"), at("loop-a")).unwrap();
    symlink(at("loop-a"), at("loop-b")).unwrap();
    symlink("/dev/zero", at("device")).unwrap();
    symlink(at("fifo"), at("link-to-fifo")).unwrap();
    ["folder", "fifo", "dangling", "loop-a", "device", "link-to-fifo"].map(at).into()
}

#[test]
fn what_is_no_regular_file_is_refused_by_name_and_never_blocks() {
    let place = TestFolder::new();
    let folder = place.root().to_owned();
    for path in odd_paths(&folder) {
        let start = Instant::now();
        let error = place.open(&path).unwrap_err();
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
        assert!(open_file(&path).is_err());
        let options = ForkOptions::default();
        let fork = Session::fork_from(&path, &folder, folder.clone(), &options, &place.environment);
        assert!(fork.is_err());
        assert!(start.elapsed() < Duration::from_secs(1), "{}", path.display());
    }
    let error = |name: &str| place.open(&folder.join(name)).unwrap_err();
    assert!(matches!(error("folder.jsonl"), SessionError::NotAFile { what: "a directory", .. }));
    assert!(matches!(error("fifo.jsonl"), SessionError::NotAFile { .. }));
    assert!(matches!(error("dangling.jsonl"), SessionError::Io { .. }));
}

#[test]
fn discovery_passes_over_them_and_finds_the_sessions() {
    let place = TestFolder::new();
    let path = place.file(sound());
    odd_paths(path.parent().unwrap());
    for (name, text) in [("empty", ""), ("notes", "# Notes\n"), ("nul", "\0\0\0"), ("array", "[]")]
    {
        fs_err::write(path.with_file_name(name).with_extension("jsonl"), text).unwrap();
    }
    let location = flat(&place);
    let found: Vec<_> = location.all_sessions().into_iter().map(|found| found.path).collect();
    assert_eq!(found, std::slice::from_ref(&path));
    assert_eq!(location.find(SESSION_ID, &place.environment).unwrap(), path);
    let cwd = Path::new("/srv/project");
    let session = Session::continue_recent(cwd, &location, &place.environment).unwrap();
    assert_eq!(session.path(), Some(&*path));
}

#[test]
fn a_new_session_at_a_dangling_link_does_not_write_through_it() {
    let place = TestFolder::new();
    let link = place.root().join("link.jsonl");
    symlink(place.root().join("target.jsonl"), &link).unwrap();
    let options = OpenOptions::new().create(true);
    let mut session = options.open(&link, &place.environment).unwrap();
    session.append_message(said("no")).unwrap_err();
    assert_eq!((session.len(), session.leaf_id()), (0, None));
    assert_eq!(names_below(place.root()), [link]);
}

#[test]
fn a_working_directory_that_is_gone_does_not_matter() {
    let place = TestFolder::new();
    let text = sound().replace("/srv/project", "/no/longer/there");
    let mut session = place.session(text);
    assert_eq!(session.cwd(), Path::new("/no/longer/there"));
    session.append_message(said("still works")).unwrap();
    let fork = session.create_branched_session("a3", &ForkOptions::default()).unwrap();
    assert!(fork.path().unwrap().is_file());
    let location = flat(&place);
    let cwd = Path::new("/no/longer/there");
    let again = Session::continue_recent(cwd, &location, &place.environment).unwrap();
    assert!(again.path().is_some_and(Path::is_file));
}

#[test]
fn a_name_over_255_bytes_is_a_clear_error_and_leaves_nothing() {
    let place = TestFolder::new();
    let long = "x".repeat(300);
    let path = place.root().join(&long);
    assert!(matches!(place.open(&path), Err(SessionError::Io { .. })));
    assert!(flat(&place).find(&format!("{long}.jsonl"), &place.environment).is_ok());
    let new = NewSession::new().id(long.clone());
    let folder = place.root().join("sessions");
    fs_err::create_dir(&folder).unwrap();
    let mut session =
        Session::create_in(place.root(), folder.clone(), &new, &place.environment).unwrap();
    let error = session.append_message(said("no")).unwrap_err().to_string();
    assert!(error.contains(&long), "{error}");
    assert!(session.is_empty());
    // A working directory whose folder name would be too long.
    let root = Location { layout: Layout::PerDirectory, ..flat(&place) };
    let cwd = PathBuf::from("/").join("y/".repeat(200));
    let mut session =
        Session::create(&cwd, &root, &NewSession::default(), &place.environment).unwrap();
    session.append_message(said("no")).unwrap_err();
    assert_eq!(names_below(&folder), Vec::<PathBuf>::new());
}

#[test]
fn an_old_file_with_a_name_of_255_bytes_can_be_migrated() {
    let place = TestFolder::new();
    let path = place.file("").with_file_name(format!("{}.jsonl", "x".repeat(249)));
    fs_err::write(&path, lines(&[header_with(r#""version":2"#), user("a1", "", "one")])).unwrap();
    let mut session = place.open(&path).unwrap();
    let rewrite = session.migrate().unwrap().unwrap();
    assert!(rewrite.backup.is_file());
    session.append_message(said("two")).unwrap();
    assert_eq!(place.open(&path).unwrap().len(), 2);
}

#[test]
fn a_mistyped_path_is_an_error_and_makes_no_folder() {
    let place = TestFolder::new();
    let path = place.root().join("no/such/folder/s.jsonl");
    assert!(matches!(place.open(&path), Err(SessionError::Io { .. })));
    // Nor when it may become a new session; the folder comes with the first message.
    let mut session = OpenOptions::new().create(true).open(&path, &place.environment).unwrap();
    assert_eq!(names_below(place.root()), Vec::<PathBuf>::new());
    session.append_message(said("now")).unwrap();
    assert_eq!(place.open(&path).unwrap().len(), 1);
}

#[test]
fn a_new_session_is_created_where_its_path_says_whatever_folder_its_forks_have() {
    let place = TestFolder::new();
    let path = place.root().join("here/s.jsonl");
    let options = OpenOptions::new().create(true).directory(place.root().join("forks"));
    let mut session = options.open(&path, &place.environment).unwrap();
    session.append_message(said("first")).unwrap();
    assert!(path.is_file());
}

#[test]
fn a_header_over_1_mib_is_found_by_id_and_by_continue() {
    let place = TestFolder::new();
    let long = header().replace(
        r#""cwd":"/srv/project""#,
        &format!(r#""extra":"{}","cwd":"/srv/project""#, "x".repeat(3 << 20)),
    );
    let path = place.file(lines(&[long, user("a1", "", "one")]));
    let location = flat(&place);
    assert_eq!(location.find(SESSION_ID, &place.environment).unwrap(), path);
    assert_eq!(location.find("01a1ddfb", &place.environment).unwrap(), path);
    let cwd = Path::new("/srv/project");
    let session = Session::continue_recent(cwd, &location, &place.environment).unwrap();
    assert_eq!((session.path(), session.len()), (Some(&*path), 1));
}

#[test]
fn a_lock_file_that_is_a_fifo_does_not_block_an_append() {
    let place = TestFolder::new();
    let path = place.file(sound());
    make_fifo(&PathBuf::from(format!("{}.lock", path.display())));
    let (send, receive) = std::sync::mpsc::channel();
    let mut session = place.open(&path).unwrap();
    std::thread::spawn(move || {
        let _ = send.send(session.append_message(said("more")).map_err(|error| error.to_string()));
    });
    let answer = receive.recv_timeout(Duration::from_secs(5));
    assert!(answer.is_ok(), "the append waits for ever for a reader of the FIFO");
}
