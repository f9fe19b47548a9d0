//! What Pi 1.5.0 gets wrong and pitree does not: one test for each, named after the mistake.
//!
//! The mistakes were measured on the real Pi; the reference notes of the project list them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_format::migrate::SourceVersion;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{
    Environment, ForkOptions, OldVersion, OpenOptions, Session, UndoOptions, undo_last,
};

struct TestFolder {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl TestFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let counter = std::sync::atomic::AtomicU64::new(1);
        let random = move |bytes: &mut [u8]| {
            let next = counter.fetch_add(0x9E37_79B9, std::sync::atomic::Ordering::Relaxed);
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = (next >> (8 * (at % 8))) as u8;
            }
        };
        let home = folder.path().join("home");
        let environment = Environment::new(&home, "/srv/project", || 1_794_800_000_000, random);
        Self { folder, environment }
    }

    fn file(&self, text: &str) -> PathBuf {
        let path = self.folder.path().join("s.jsonl");
        fs_err::write(&path, text).unwrap();
        path
    }

    fn session(&self, text: &str) -> Session {
        Session::open(self.file(text), &self.environment).unwrap()
    }

    fn location(&self) -> Location {
        let path = self.folder.path().to_owned();
        Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag }
    }
}

const ID: &str = "01a1ddfb-4699-7700-9c99-078c5356990e";

fn header(version: &str) -> String {
    format!(
        "{{\"type\":\"session\",{version}\"id\":\"{ID}\",\"timestamp\":\"2026-11-15T06:53:14.778Z\",\"cwd\":\"/srv/project\"}}\n"
    )
}

fn user(id: &str, parent: &str, text: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-11-15T06:53:15.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\",\"timestamp\":1794725595000}}}}\n"
    )
}

fn current(entries: &[(&str, &str)]) -> String {
    let entries: String = entries.iter().map(|(id, parent)| user(id, parent, id)).collect();
    header("\"version\":3,") + &entries
}

fn version_1() -> String {
    let entry = |text: &str| {
        format!(
            "{{\"type\":\"message\",\"timestamp\":\"2025-11-20T10:00:01.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\",\"timestamp\":1}}}}\n"
        )
    };
    header("") + &entry("one") + &entry("two") + &entry("three")
}

fn said(text: &str) -> Value {
    let json = format!(r#"{{"role":"user","content":"{text}","timestamp":1794800000000}}"#);
    parse(json.as_bytes()).unwrap()
}

fn spoken(session: &Session) -> Vec<String> {
    let messages = session.context().unwrap().messages;
    messages.iter().map(|m| m.get_string("content").unwrap().to_string()).collect()
}

fn modified(path: &Path) -> SystemTime {
    fs_err::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_cycle_of_parents_takes_all_memory() {
    let place = TestFolder::new();
    let session = place.session(&current(&[("a", "c"), ("b", "a"), ("c", "b")]));
    assert_eq!(spoken(&session), ["a", "b", "c"]);
    assert_eq!(session.tree().walk().count(), 3, "Pi's tree of a circle is empty");
}

#[test]
fn an_entry_that_is_its_own_parent_takes_all_memory() {
    let place = TestFolder::new();
    let session = place.session(&current(&[("a", ""), ("b", "b"), ("c", "b")]));
    assert_eq!(spoken(&session), ["b", "c"]);
}

#[test]
fn equal_ids_make_the_tree_endless() {
    let place = TestFolder::new();
    let links = [("a1", ""), ("a2", "a1"), ("a3", "a2"), ("a2", "a3")];
    let session = place.session(&current(&links));
    assert_eq!(session.tree().walk().count(), 4);
    assert_eq!(spoken(&session), ["a3", "a2"]);
}

#[test]
fn a_chain_of_3000_entries_overflows_the_stack() {
    let place = TestFolder::new();
    let count = 100_000;
    let mut text = header("\"version\":3,");
    for at in 0..count {
        let parent = if at == 0 { String::new() } else { format!("e{}", at - 1) };
        text.push_str(&user(&format!("e{at}"), &parent, "x"));
    }
    let session = place.session(&text);
    let last = session.tree().walk().last().unwrap();
    assert_eq!((last.entry, last.depth), (count - 1, count - 1));
    assert_eq!(session.active_path().len(), count);
    assert_eq!(session.context_entries().unwrap().len(), count);
    let options = ForkOptions::default();
    let fork = session.create_branched_session("e99999", &options).unwrap();
    assert_eq!(fork.tree().walk().map(|step| step.depth).max(), Some(count - 1));
}

#[test]
fn a_null_line_makes_an_old_file_unreadable() {
    let place = TestFolder::new();
    for odd in ["null", "42", "[1]", "\"text\""] {
        let mut session = place.session(&(version_1() + odd + "\n"));
        assert_eq!(spoken(&session), ["one", "two", "three"], "{odd}");
        session.set_old_version(OldVersion::Migrate);
        session.append_message(said("four")).unwrap();
        let text = fs_err::read_to_string(session.path().unwrap()).unwrap();
        assert!(text.contains(&format!("\n{odd}\n")), "the line stays");
    }
}

#[test]
fn a_fork_of_version_1_loses_its_history() {
    let place = TestFolder::new();
    let path = place.file(&version_1());
    let folder = place.folder.path().join("forks");
    let options = ForkOptions::default();
    let environment = &place.environment;
    let whole = Session::fork_from(&path, Path::new("/x"), folder, &options, environment).unwrap();
    assert_eq!(spoken(&whole), ["one", "two", "three"]);
    let source = Session::open(&path, environment).unwrap();
    let leaf = source.leaf_id().unwrap();
    let branch = source.create_branched_session(leaf, &options).unwrap();
    for fork in [whole, branch] {
        let fresh = Session::open(fork.path().unwrap(), environment).unwrap();
        assert_eq!(spoken(&fresh), ["one", "two", "three"]);
        assert_eq!(fresh.source_version(), SourceVersion::Current);
    }
    assert_eq!(fs_err::read_to_string(&path).unwrap(), version_1());
}

#[test]
fn null_content_hides_the_session_from_the_list() {
    let place = TestFolder::new();
    let odd = user("a2", "a1", "x").replace("\"content\":\"x\"", "\"content\":null");
    let path = place.file(&(current(&[("a1", "")]) + &odd));
    let found = place.location().sessions_of(Path::new("/srv/project"), &place.environment);
    assert_eq!(found.len(), 1);
    let session = Session::open(&path, &place.environment).unwrap();
    let messages = session.context().unwrap().messages;
    assert_eq!(messages[1].get("content"), Some(&Value::from(Vec::new())));
}

#[test]
fn a_dangling_link_makes_continue_begin_a_new_session() {
    let place = TestFolder::new();
    let path = place.file(&current(&[("a1", "")]));
    for name in ["0.jsonl", "z.jsonl"] {
        fs_err::os::unix::fs::symlink("/nowhere", path.with_file_name(name)).unwrap();
    }
    let cwd = Path::new("/srv/project");
    let session = Session::continue_recent(cwd, &place.location(), &place.environment).unwrap();
    assert_eq!((session.path(), session.len()), (Some(&*path), 1));
}

#[test]
fn a_header_over_1_mib_is_not_found() {
    let place = TestFolder::new();
    let long = format!("\"version\":3,\"extra\":\"{}\",", "x".repeat(2 << 20));
    let path = place.file(&(header(&long) + &user("a1", "", "one")));
    let (location, environment) = (place.location(), &place.environment);
    assert_eq!(location.find(ID, environment).unwrap(), path);
    let cwd = Path::new("/srv/project");
    let session = Session::continue_recent(cwd, &location, environment).unwrap();
    assert_eq!(session.path(), Some(&*path));
}

#[test]
fn two_writers_do_not_see_each_other() {
    let place = TestFolder::new();
    let path = place.file(&current(&[("a1", "")]));
    let open = || Session::open(&path, &place.environment).unwrap();
    let appended: Vec<String> = std::thread::scope(|scope| {
        let writers = [open(), open(), open()].map(|mut session| {
            scope.spawn(move || {
                let append = |n| session.append_message(said(&format!("{n}"))).unwrap().id;
                (0..100).map(append).collect::<Vec<_>>()
            })
        });
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let session = open();
    assert_eq!(session.len(), 301);
    assert!(session.findings().unwrap().is_empty(), "a line was torn, or an id used twice");
    assert!(appended.iter().all(|id| session.entry(id).is_some()));
    assert_eq!(session.tree().roots().count(), 1);
    // Each writer went on from its own last entry.
    for chain in appended.chunks(100) {
        let last = session.entry(&chain[99]).unwrap();
        assert_eq!(session.path_to(last.index()).len(), 101);
    }
}

#[test]
fn a_migration_that_breaks_off_leaves_half_a_file() {
    let place = TestFolder::new();
    let path = place.file(&version_1());
    let mut session = Session::open(&path, &place.environment).unwrap();
    // Whoever looks meanwhile sees the old file or the new one: the name changes its file.
    let old = fs_err::File::open(&path).unwrap();
    let rewrite = session.migrate().unwrap().unwrap();
    let mut still_open = String::new();
    std::io::Read::read_to_string(&mut { old }, &mut still_open).unwrap();
    assert_eq!(still_open, version_1());
    let fresh = Session::open(&path, &place.environment).unwrap();
    assert_eq!(fresh.source_version(), SourceVersion::Current);
    assert_eq!(spoken(&fresh), ["one", "two", "three"]);
    // And there is a way back.
    assert_eq!(fs_err::read_to_string(&rewrite.backup).unwrap(), version_1());
    undo_last(&path, &UndoOptions::default(), &place.environment).unwrap();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), version_1());
}

#[test]
fn a_mistyped_path_makes_folders() {
    let place = TestFolder::new();
    let path = place.folder.path().join("no/such/folder/s.jsonl");
    assert!(Session::open(&path, &place.environment).is_err());
    OpenOptions::new().create(true).open(&path, &place.environment).unwrap();
    let location = Location { path: place.folder.path().join("none"), ..place.location() };
    assert!(location.all_sessions().is_empty());
    assert!(location.find("abc", &place.environment).is_err());
    assert_eq!(fs_err::read_dir(place.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_deleted_file_comes_back_without_a_header() {
    let place = TestFolder::new();
    let text = current(&[("a1", ""), ("a2", "a1")]);
    let mut session = place.session(&text);
    let path = session.path().unwrap().to_owned();
    fs_err::remove_file(&path).unwrap();
    session.append_message(said("three")).unwrap();
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(&text));
    let fresh = Session::open(&path, &place.environment).unwrap();
    assert_eq!(spoken(&fresh), ["a1", "a2", "three"]);
}

#[test]
fn opening_changes_the_file() {
    let place = TestFolder::new();
    let unfinished = current(&[("a1", "")]).trim_end().to_owned();
    let version_2 = version_1().replace("\"session\",", "\"session\",\"version\":2,");
    for text in [String::new(), unfinished, version_1(), version_2] {
        let path = place.file(&text);
        let before = modified(&path);
        let options = OpenOptions::new().create(true);
        let session = options.open(&path, &place.environment).unwrap();
        session.context().unwrap();
        session.findings().unwrap();
        drop(session);
        let cwd = Path::new("/srv/project");
        let _ = Session::continue_recent(cwd, &place.location(), &place.environment).unwrap();
        let folder = place.folder.path().join("forks");
        let options = ForkOptions::default();
        let _ = Session::fork_from(&path, cwd, folder, &options, &place.environment);
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
        assert_eq!(modified(&path), before);
    }
}

#[test]
fn a_file_with_a_foreign_first_line_is_overwritten() {
    // Pi 0.74 did; later ones refuse the file.
    let place = TestFolder::new();
    let text = "{\"note\":\"mine\"}\n";
    let path = place.file(text);
    for options in [OpenOptions::new(), OpenOptions::new().create(true)] {
        assert!(options.open(&path, &place.environment).is_err());
    }
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_path_is_built_in_quadratic_time() {
    // Pi 0.79.8 and older.
    let place = TestFolder::new();
    let links: Vec<(String, String)> = (0..50_000)
        .map(|at: usize| (format!("e{at}"), at.checked_sub(1).map(|p| format!("e{p}"))))
        .map(|(id, parent)| (id, parent.unwrap_or_default()))
        .collect();
    let links: Vec<_> = links.iter().map(|(id, parent)| (&**id, &**parent)).collect();
    let session = place.session(&current(&links));
    let start = Instant::now();
    for _ in 0..20 {
        assert_eq!(session.active_path().len(), 50_000);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
