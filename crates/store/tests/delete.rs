//! Deleting: what goes, what stays, and where it goes.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;
use pitree_store::delete::{DeleteError, DeletePlan, Deletion, Disposal, SessionPart, Trash};
use tempfile::TempDir;

/// Long after the files of the tests were written.
fn environment() -> Environment {
    Environment::new("/home/u", "/x", || 32_500_000_000_000, |bytes| bytes.fill(7))
}

fn header(id: &str, parent: Option<&Path>) -> String {
    let parent = parent.map(|path| format!(",\"parentSession\":\"{}\"", path.display()));
    let parent = parent.unwrap_or_default();
    format!("{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"cwd\":\"/x\"{parent}}}\n")
}

struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }

    /// A `trash` command with this script, where `$1` is the file and `$BIN` the trash.
    fn command(&self, script: &str) -> Trash {
        let bin = self.path("bin");
        fs_err::create_dir_all(&bin).unwrap();
        let text = format!("#!/bin/sh\nBIN='{}'\n{script}\n", bin.display());
        let path = self.write("programs/trash", &text);
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        let time_limit = Duration::from_secs(20);
        Trash { command: Some(path), time_limit, desktop: false, permanent: false }
    }

    fn session(&self) -> PathBuf {
        let path = self.write("sessions/s.jsonl", &header("s", None));
        let _ = self.write("sessions/s.jsonl.lock", "");
        let _ = self.write("sessions/s.jsonl.blobs/a", "x");
        let _ = self.write("sessions/s.v2/index", "x");
        let _ = self.write("sessions/other.jsonl", &header("o", None));
        path
    }

    fn left(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.path("sessions")).unwrap();
        let name = |entry: std::io::Result<fs_err::DirEntry>| {
            entry.unwrap().file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

const ALL: [&str; 5] = ["other.jsonl", "s.jsonl", "s.jsonl.blobs", "s.jsonl.lock", "s.v2"];

fn delete(path: &Path, trash: &Trash) -> Deletion {
    DeletePlan::new(path, &environment(), false).unwrap().delete(trash, false)
}

/// The reason why the only file that was kept was kept.
#[track_caller]
fn only_reason(deletion: Deletion) -> DeleteError {
    assert!(deletion.gone.is_empty(), "{deletion:?}");
    assert_eq!(deletion.kept.len(), 1, "{deletion:?}");
    deletion.kept.into_iter().next().unwrap().1
}

#[test]
fn the_command_takes_the_session_and_its_side_files() {
    let folder = Folder::new();
    let path = folder.session();
    let deletion = delete(&path, &folder.command("mv \"$1\" \"$BIN\""));
    assert!(deletion.kept.is_empty());
    let parts: Vec<_> = deletion.gone.iter().map(|file| (file.part, file.to)).collect();
    assert_eq!(parts[0], (SessionPart::Session, Disposal::TrashCommand));
    assert_eq!(parts[1..], [(SessionPart::SideFile, Disposal::TrashCommand); 3]);
    assert_eq!(folder.left(), ["other.jsonl"]);
    for name in &ALL[1..] {
        assert!(folder.path("bin").join(name).exists(), "{name}");
    }
}

#[test]
fn a_command_that_lies_is_an_error_and_all_stays() {
    let folder = Folder::new();
    let path = folder.session();
    for permanent in [false, true] {
        let trash = Trash { permanent, ..folder.command("exit 0") };
        let reason = only_reason(delete(&path, &trash));
        assert!(matches!(reason, DeleteError::StillThere { .. }), "{reason}");
        assert_eq!(folder.left(), ALL);
    }
}

#[test]
fn a_command_that_fails_is_refused_or_followed_by_a_removal() {
    let folder = Folder::new();
    let path = folder.session();
    let trash = folder.command("exit 7");
    let reason = only_reason(delete(&path, &trash));
    assert!(matches!(&reason, DeleteError::NoTrash { reasons, .. } if reasons.contains('7')));
    assert_eq!(folder.left(), ALL);
    let deletion = delete(&path, &Trash { permanent: true, ..trash });
    assert!(deletion.gone.iter().all(|file| file.to == Disposal::Removed));
    assert_eq!(folder.left(), ["other.jsonl"]);
}

#[test]
fn a_command_that_takes_the_file_and_then_fails_did_its_work() {
    let folder = Folder::new();
    let path = folder.session();
    let deletion = delete(&path, &folder.command("mv \"$1\" \"$BIN\"; exit 1"));
    assert!(deletion.kept.is_empty());
    assert_eq!(folder.left(), ["other.jsonl"]);
}

#[test]
fn a_command_that_hangs_is_ended() {
    let folder = Folder::new();
    let path = folder.session();
    let time_limit = Duration::from_millis(200);
    let trash = Trash { time_limit, ..folder.command("exec sleep 60") };
    let start = Instant::now();
    let reason = only_reason(delete(&path, &trash));
    assert!(reason.to_string().contains("did not end within 0.2 s"), "{reason}");
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(folder.left(), ALL);
}

#[test]
fn a_command_that_is_not_there_is_no_trash() {
    let folder = Folder::new();
    let path = folder.session();
    let mut trash = folder.command("");
    trash.command = Some(folder.path("nothing"));
    assert!(matches!(only_reason(delete(&path, &trash)), DeleteError::NoTrash { .. }));
    trash.command = None;
    let reason = only_reason(delete(&path, &trash)).to_string();
    assert!(reason.contains("the command `trash` was not found"), "{reason}");
    assert_eq!(folder.left(), ALL);
}

#[test]
fn a_session_in_use_stays() {
    let folder = Folder::new();
    let path = folder.session();
    // The clock stands at the time of the file.
    let now = pitree_store::FileStamp::of(&path).unwrap().modified_ms();
    let at = |ms: i64| Environment::new("/home/u", "/x", move || now + ms, |_| {});
    for ms in [-1000, 0, 59_000] {
        let refused = DeletePlan::new(&path, &at(ms), false);
        assert!(matches!(refused, Err(DeleteError::InUse { .. })), "{ms}: {refused:?}");
        let _ = DeletePlan::new(&path, &at(ms), true).unwrap();
    }
    let _ = DeletePlan::new(&path, &at(60_001), false).unwrap();
}

#[test]
fn a_lock_and_a_late_change_keep_the_session() {
    let folder = Folder::new();
    let path = folder.session();
    let trash = folder.command("mv \"$1\" \"$BIN\"");
    for name in ["sessions/s.jsonl", "sessions/s.jsonl.lock"] {
        let plan = DeletePlan::new(&path, &environment(), false).unwrap();
        let file = fs_err::File::open(folder.path(name)).unwrap();
        file.file().lock().unwrap();
        let reason = only_reason(plan.delete(&trash, false));
        assert!(reason.to_string().contains("lock"), "{reason}");
        file.file().unlock().unwrap();
    }
    let plan = DeletePlan::new(&path, &environment(), false).unwrap();
    fs_err::write(&path, header("s", None) + "\n").unwrap();
    let reason = only_reason(plan.delete(&trash, false));
    assert!(matches!(reason, DeleteError::InUse { .. }), "{reason}");
    assert!(plan.delete(&trash, true).kept.is_empty());
}

#[test]
fn what_is_no_session_is_not_deleted() {
    let folder = Folder::new();
    let notes = folder.write("notes.jsonl", "{\"a\":1}\n");
    let text = folder.write("notes.txt", "{\"a\":1}\n");
    for path in [&notes, &text, &folder.path("gone.jsonl"), &folder.path("")] {
        assert!(matches!(
            DeletePlan::new(path, &environment(), false),
            Err(DeleteError::Session(_))
        ));
    }
    let _ = DeletePlan::new(&notes, &environment(), true).unwrap();
    assert!(DeletePlan::new(&text, &environment(), true).is_err());
}

/// A tool result of a sub-agent that names these files.
fn subagent(session_file: &Path, jsonl: &Path, input: &Path) -> String {
    format!(
        concat!(
            r#"{{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"toolResult","toolName":"subagent","content":[],"details":{{"mode":"single","results":[{{"agent":"worker","task":"t","sessionFile":"{}","artifactPaths":{{"jsonlPath":"{}"}}}}],"artifacts":{{"files":[{{"inputPath":"{}"}}]}}}},"timestamp":1}}}}"#,
            "\n"
        ),
        session_file.display(),
        jsonl.display(),
        input.display()
    )
}

struct Forks {
    folder: Folder,
    root: PathBuf,
    fork: PathBuf,
}

impl Forks {
    /// A source `a`, its fork `b`, the fork's fork `c`, and `d` which stands alone.
    fn new(records: &str) -> Self {
        let folder = Folder::new();
        let root = folder.write("sessions/a.jsonl", &(header("a", None) + records));
        let fork = folder.write("sessions/b.jsonl", &(header("b", Some(&root)) + records));
        let _ = folder.write("sessions/c.jsonl", &header("c", Some(&fork)));
        let _ = folder.write("sessions/d.jsonl", &header("d", None));
        Self { folder, root, fork }
    }

    fn store(&self) -> Store {
        let path = self.folder.path("sessions");
        let origin = Origin::SessionDirFlag;
        Store::new(vec![Location { path, layout: Layout::Flat, origin }], &environment())
    }
}

fn names(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn a_family_is_the_session_and_what_was_forked_from_it() {
    let forks = Forks::new("");
    let store = forks.store();
    assert_eq!(
        names(&store.family(std::slice::from_ref(&forks.root), None).sessions),
        ["a.jsonl", "b.jsonl", "c.jsonl"]
    );
    assert_eq!(
        names(&store.family(std::slice::from_ref(&forks.fork), None).sessions),
        ["b.jsonl", "c.jsonl"]
    );
    let outside = forks.folder.write("elsewhere/e.jsonl", &header("e", Some(&forks.root)));
    assert_eq!(names(&store.family(std::slice::from_ref(&outside), None).sessions), ["e.jsonl"]);
}

#[test]
fn records_go_with_the_last_session_that_names_them() {
    let paths = Folder::new();
    let temporary = paths.path("");
    let session_file = paths.write("pi-subagent-session-x1/run-0/s.jsonl", "x");
    // The names stand before the folder does, so it is made here.
    let forks = Forks::new("");
    let jsonl = forks.folder.write("sessions/subagent-artifacts/h_worker.jsonl", "x");
    let input = forks.folder.write("sessions/subagent-artifacts/h_worker_input.md", "x");
    let records = subagent(&session_file, &jsonl, &input);
    fs_err::write(&forks.root, header("a", None) + &records).unwrap();
    fs_err::write(&forks.fork, header("b", Some(&forks.root)) + &records).unwrap();
    let store = forks.store();
    let family = store.family(std::slice::from_ref(&forks.root), Some(&temporary));
    assert_eq!(names(&family.records).len(), 3, "{family:?}");
    assert!(family.passed_over.is_empty());
    // The source still needs what the fork has copied.
    let family = store.family(std::slice::from_ref(&forks.fork), Some(&temporary));
    assert_eq!(family.records, Vec::<PathBuf>::new());
    // Both together, named in any order, are one family.
    let family = store.family(&[forks.fork.clone(), forks.root.clone()], Some(&temporary));
    assert_eq!(names(&family.sessions), ["b.jsonl", "a.jsonl", "c.jsonl"]);
    assert_eq!(family.records.len(), 3);
}

#[test]
fn records_stay_if_anything_could_not_be_read() {
    let temporary = Folder::new();
    let forks = Forks::new("");
    let jsonl = forks.folder.write("sessions/subagent-artifacts/h_worker.jsonl", "x");
    let records = subagent(&jsonl, &jsonl, &jsonl);
    fs_err::write(&forks.root, header("a", None) + &records).unwrap();
    let family =
        || forks.store().family(std::slice::from_ref(&forks.root), Some(&temporary.path("")));
    assert_eq!(family().records.len(), 1);
    // A session that lost its header names the record too.
    let headerless = forks.folder.write("sessions/lost.jsonl", &records);
    assert_eq!(family().records, Vec::<PathBuf>::new());
    assert!(family().unreadable.is_empty());
    fs_err::remove_file(headerless).unwrap();
    // A damaged line of another session may have named it.
    let torn = records.replace("\"type\":\"message\"", "\"type\":mess");
    let damaged = forks.folder.write("sessions/torn.jsonl", &(header("t", None) + &torn));
    let found = family();
    assert_eq!(found.records, Vec::<PathBuf>::new());
    assert_eq!(found.unreadable, [(damaged.clone(), "1 line is damaged".to_owned())]);
    fs_err::remove_file(damaged).unwrap();
    // A link to itself is there and cannot be looked at, by root neither.
    let looped = forks.folder.path("sessions/loop.jsonl");
    fs_err::os::unix::fs::symlink("loop.jsonl", &looped).unwrap();
    let found = family();
    assert_eq!(found.records, Vec::<PathBuf>::new());
    assert_eq!(found.unreadable[0].0, looped);
    assert_eq!(names(&found.sessions), ["a.jsonl", "b.jsonl", "c.jsonl"]);
    fs_err::remove_file(looped).unwrap();
    assert_eq!(family().records.len(), 1);
}

#[test]
fn a_path_from_a_session_cannot_reach_other_files() {
    let secrets = Folder::new();
    let secret = secrets.write("secret.md", "x");
    let forks = Forks::new("");
    let artifacts = forks.folder.path("sessions/subagent-artifacts");
    fs_err::create_dir_all(&artifacts).unwrap();
    fs_err::os::unix::fs::symlink(&secret, artifacts.join("link.md")).unwrap();
    let outside = secrets.path("subagent-artifacts");
    fs_err::create_dir_all(&outside).unwrap();
    let _ = secrets.write("subagent-artifacts/far.md", "x");
    fs_err::os::unix::fs::symlink(secrets.path(""), forks.folder.path("sessions/away")).unwrap();
    let hostile = [
        secret.clone(),
        artifacts.join("link.md"),
        artifacts.join("../d.jsonl"),
        forks.folder.path("sessions/d.jsonl"),
        outside.join("far.md"),
        forks.folder.path("sessions/away/subagent-artifacts/far.md"),
        PathBuf::from("subagent-artifacts/far.md"),
        secrets.path("pi-subagent-session-none"),
    ];
    for path in &hostile {
        let text = header("a", None) + &subagent(path, path, path);
        fs_err::write(&forks.root, text).unwrap();
        let family =
            forks.store().family(std::slice::from_ref(&forks.root), Some(&secrets.path("")));
        assert_eq!(family.records, Vec::<PathBuf>::new(), "{}", path.display());
        assert_eq!(family.passed_over.len(), 1, "{}", path.display());
    }
}
