//! `pitree delete`, with a `trash` command, with the desktop's trash, and with neither.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use crate::common::{BRANCHED, Call, Sandbox, files_below};

const ID: &str = "01a00000-0000-7000-8000-00000000000a";

struct Store {
    sandbox: Sandbox,
}

impl Store {
    fn new() -> Self {
        Self { sandbox: Sandbox::new() }
    }

    /// A session that was last written long ago.
    fn session(&self, name: &str, text: &str) -> PathBuf {
        let path = self.sandbox.write(&format!("sessions/{name}"), text);
        let file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(100_000);
        file.file().set_modified(long_ago).unwrap();
        path
    }

    /// A `trash` command that does this; `$BIN` is where it puts things.
    fn command(&self, script: &str) {
        let bin = self.sandbox.path("bin");
        fs_err::create_dir_all(&bin).unwrap();
        let text = format!("#!/bin/sh\nBIN='{}'\nPATH=/usr/bin:/bin\n{script}\n", bin.display());
        let path = self.sandbox.write("programs/trash", &text);
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn delete(&self, args: &[&str]) -> Call {
        self.call("delete", args)
    }

    fn restore(&self, args: &[&str]) -> Call {
        self.call("restore", args)
    }

    fn call(&self, verb: &str, args: &[&str]) -> Call {
        let mut all = vec![verb, "--session-dir", "../sessions"];
        all.extend_from_slice(args);
        self.sandbox
            .call(all)
            .env("PATH", self.sandbox.path("programs"))
            .env("XDG_DATA_HOME", self.sandbox.path("data"))
    }

    fn left(&self) -> Vec<String> {
        files_below(&self.sandbox.path("sessions"))
    }
}

fn fork_of(id: &str, source: &str) -> String {
    format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"cwd\":\"/x\",\"parentSession\":\"{source}\"}}\n"
    )
}

#[test]
fn the_trash_command_comes_first() {
    let store = Store::new();
    let path = store.session("s.jsonl", BRANCHED);
    let _ = store.session("s.jsonl.lock", "");
    store.command("mv \"$1\" \"$BIN\"");
    let run = store.delete(&[ID, "--json"]).run().ok();
    let deleted = &run.json()["deleted"];
    assert_eq!(deleted[0]["path"], path.to_str().unwrap());
    assert_eq!(deleted[0]["what"], "session");
    assert_eq!(deleted[0]["to"], "trashCommand");
    assert_eq!(deleted[1]["what"], "sideFile");
    assert_eq!(store.left(), Vec::<String>::new());
    assert_eq!(files_below(&store.sandbox.path("bin")), ["s.jsonl", "s.jsonl.lock"]);
    let _ = store.delete(&[ID]).run().exits(1);
}

#[test]
fn the_desktop_trash_comes_next() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    let _ = store.session("s.v2/index", "x");
    let run = store.delete(&["01a0", "--json"]).run().ok();
    assert_eq!(run.json()["deleted"][0]["to"], "trash");
    assert_eq!(store.left(), Vec::<String>::new());
    let trash = files_below(&store.sandbox.path("data/Trash"));
    assert_eq!(
        trash,
        ["files/s.jsonl", "files/s.v2/index", "info/s.jsonl.trashinfo", "info/s.v2.trashinfo"]
    );
    let there = fs_err::read_to_string(store.sandbox.path("data/Trash/files/s.jsonl")).unwrap();
    assert_eq!(there, BRANCHED);
}

/// A folder that nobody may change while this lives, the root user neither.
struct Fixed(PathBuf);

impl Fixed {
    fn new(folder: &Path) -> Option<Self> {
        let fixed = Self(folder.to_owned());
        fs_err::set_permissions(folder, PermissionsExt::from_mode(0o500)).unwrap();
        let may_write = |name: &str| fs_err::write(folder.join(name), "").is_ok();
        (!may_write("a") || (fixed.change("+i") && !may_write("b"))).then_some(fixed)
    }

    fn change(&self, attribute: &str) -> bool {
        let call = Command::new("chattr").arg(attribute).arg(&self.0).output();
        call.is_ok_and(|output| output.status.success())
    }
}

impl Drop for Fixed {
    fn drop(&mut self) {
        self.change("-i");
        let _ = fs_err::set_permissions(&self.0, PermissionsExt::from_mode(0o700));
    }
}

#[test]
fn what_cannot_leave_its_folder_leaves_nothing_in_the_trash() {
    let store = Store::new();
    let path = store.session("s.jsonl", BRANCHED);
    let Some(_fixed) = Fixed::new(path.parent().unwrap()) else {
        return pitree_testkit::skip("delete::Fixed", "root may change any folder here");
    };
    let run = store.delete(&[ID]).run();
    assert_ne!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("the desktop's trash failed: "), "{run:?}");
    assert!(path.exists());
    assert_eq!(files_below(&store.sandbox.path("data/Trash")), Vec::<String>::new());
}

#[test]
fn without_a_trash_it_takes_permanent() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    // Neither a folder for the trash nor a command that works.
    store.command("exit 1");
    let data = store.sandbox.write("file", "");
    let run = store.delete(&[ID]).env("XDG_DATA_HOME", &data).run().exits(4);
    assert!(run.stderr.contains("--permanent"), "{run:?}");
    assert_eq!(store.left(), ["s.jsonl"]);
    let run = store.delete(&[ID, "--permanent"]).env("XDG_DATA_HOME", &data).run().ok();
    assert!(run.stdout.starts_with("deleted"), "{run:?}");
    assert_eq!(run.stderr, "");
    assert_eq!(store.left(), Vec::<String>::new());
}

#[test]
fn permanent_says_so_if_the_trash_took_it() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    let run = store.delete(&[ID, "--permanent"]).run().ok();
    assert!(run.stdout.starts_with("trashed"), "{run:?}");
    assert!(run.stderr.contains("still on the disk; empty the trash"), "{run:?}");
}

#[test]
fn a_command_that_lies_is_found_out() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    let _ = store.session("s.jsonl.lock", "");
    store.command("exit 0");
    let run = store.delete(&[ID, "--json"]).run().exits(3);
    assert!(run.stderr.contains("still there"), "{run:?}");
    assert_eq!(run.json()["deleted"].as_array().unwrap().len(), 0);
    assert_eq!(run.json()["kept"].as_array().unwrap().len(), 1);
    assert_eq!(store.left(), ["s.jsonl", "s.jsonl.lock"]);
}

#[test]
fn a_command_that_hangs_gives_way_to_the_desktop_trash() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    // What it started is ended with it.
    store.command("sh -c 'echo $$ > \"$1\"; exec sleep 300' x \"$BIN/started\"; exit 0");
    let run = store.delete(&[ID, "--json"]).run().ok();
    assert_eq!(run.json()["deleted"][0]["to"], "trash");
    assert_eq!(store.left(), Vec::<String>::new());
    let started = fs_err::read_to_string(store.sandbox.path("bin/started")).unwrap();
    let process = Path::new("/proc").join(started.trim());
    let begun = Instant::now();
    while process.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} lives on", started.trim());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_session_in_use_needs_force() {
    let store = Store::new();
    let _ = store.sandbox.write("sessions/s.jsonl", BRANCHED);
    let run = store.delete(&[ID]).run().exits(4);
    assert!(run.stderr.contains("in use") && run.stderr.contains("--force"), "{run:?}");
    assert_eq!(store.left(), ["s.jsonl"]);
    let _ = store.delete(&[ID, "--force"]).run().ok();
    assert_eq!(store.left(), Vec::<String>::new());
}

#[test]
fn a_family_goes_whole_or_not_at_all() {
    let store = Store::new();
    let source = store.session("a.jsonl", BRANCHED);
    let source = source.to_str().unwrap();
    let _ = store.session("b.jsonl", &fork_of("b", source));
    let _ = store.session("d.jsonl", &fork_of("d", "/nowhere.jsonl"));
    // A fork that is in use holds all of them.
    let used = store.sandbox.write("sessions/c.jsonl", &fork_of("c", source));
    let _ = store.delete(&[ID, "--family"]).run().exits(4);
    assert_eq!(store.left(), ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]);
    fs_err::remove_file(used).unwrap();
    let run = store.delete(&[ID, "--family"]).run().ok();
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert_eq!(store.left(), ["d.jsonl"]);
}

#[test]
fn nothing_goes_if_one_of_the_names_is_wrong() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    let notes = store.session("notes.jsonl", "no session\n");
    let _ = store.delete(&[ID, "nonsense"]).run().exits(1);
    let _ = store.delete(&[ID, notes.to_str().unwrap()]).run().exits(3);
    let _ = store.delete(&[]).run().exits(2);
    assert_eq!(store.left(), ["notes.jsonl", "s.jsonl"]);
}

#[test]
fn what_is_not_a_session_is_deleted_by_force_and_its_path_alone() {
    let store = Store::new();
    store.command("mv \"$1\" \"$BIN\"");
    // Another harness writes such a header, and numbers its events.
    let log = "{\"type\":\"session\",\"id\":\"1\",\"cwd\":\"/x\"}\n{\"type\":\"e\",\"seq\":1}\n";
    let path = store.session("log.jsonl", log);
    let _ = store.session("s.jsonl", BRANCHED);
    let path = path.to_str().unwrap();
    let both = ["log.jsonl", "s.jsonl"];
    let _ = store.delete(&["1", "1"]).run().exits(1);
    let _ = store.delete(&["1", "--force"]).run().exits(1);
    let run = store.delete(&[path]).run().exits(3);
    assert!(run.stderr.contains("not a Pi session"), "{run:?}");
    assert!(run.stderr.contains("--force"), "{run:?}");
    assert_eq!(store.left(), both);
    let _ = store.delete(&[path, "--force"]).run().ok();
    assert_eq!(store.left(), ["s.jsonl"]);
}

#[test]
fn a_deleted_session_comes_back_with_its_side_files() {
    let store = Store::new();
    let path = store.session("s.jsonl", BRANCHED);
    let _ = store.session("s.jsonl.lock", "x");
    let _ = store.session("s.v2/index", "port");
    let bytes = fs_err::read(&path).unwrap();
    let run = store.delete(&[ID]).run().ok();
    assert!(run.stderr.contains("`pitree restore`"), "{run:?}");
    assert_eq!(store.left(), Vec::<String>::new());
    let listed = store.restore(&["--json"]).run().ok().json();
    assert_eq!(listed["trashed"][0]["id"], ID);
    assert_eq!(listed["trashed"][0]["path"], path.to_str().unwrap());
    let text = store.restore(&[]).run().ok().stdout;
    assert!(text.starts_with("01a00000") && text.contains(" now "), "{text}");
    let back = store.restore(&["01a0", "--json"]).run().ok().json();
    assert_eq!(back["restored"].as_array().unwrap().len(), 3, "{back}");
    assert_eq!(store.left(), ["s.jsonl", "s.jsonl.lock", "s.v2/index"]);
    assert_eq!(fs_err::read(&path).unwrap(), bytes);
    assert_eq!(files_below(&store.sandbox.path("data/Trash")), Vec::<String>::new());
    let none = store.restore(&[]).run().exits(1);
    assert!(none.stderr.contains("the trash is empty"), "{none:?}");
}

#[test]
fn nothing_is_overwritten_by_what_comes_back() {
    let store = Store::new();
    let path = store.session("s.jsonl", BRANCHED);
    let _ = store.delete(&[ID]).run().ok();
    let _ = store.session("s.jsonl", "something else");
    let run = store.restore(&[path.to_str().unwrap()]).run().exits(4);
    assert!(run.stderr.contains("exists: another file has this name"), "{run:?}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "something else");
    fs_err::remove_file(&path).unwrap();
    let _ = store.restore(&[path.to_str().unwrap()]).run().ok();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
}

#[test]
fn of_what_is_in_the_trash_only_sessions_are_offered() {
    let store = Store::new();
    let other = "01a00000-0000-7000-8000-00000000000b";
    let _ = store.session("s.jsonl", BRANCHED);
    let _ = store.session("t.jsonl", &fork_of(other, "/x/s.jsonl"));
    let junk = store.session("junk.jsonl", "no session\n");
    let _ = store.delete(&[ID, other]).run().ok();
    let _ = store.delete(&["--force", junk.to_str().unwrap()]).run().ok();
    let listed = store.restore(&["--json"]).run().ok().json();
    assert_eq!(listed["trashed"].as_array().unwrap().len(), 2, "{listed}");
    let several = store.restore(&["01a0"]).run().exits(2);
    assert!(several.stderr.contains("`01a0` matches 2 sessions"), "{several:?}");
    let none = store.restore(&["ffff"]).run().exits(1);
    assert!(none.stderr.contains("No session in the trash matches `ffff`"), "{none:?}");
    // If one of them is not there, none comes back.
    let _ = store.restore(&[ID, "ffff"]).run().exits(1);
    assert_eq!(store.left(), Vec::<String>::new());
    let _ = store.restore(&[ID, other]).run().ok();
    assert_eq!(store.left(), ["s.jsonl", "t.jsonl"]);
}

#[test]
fn of_a_session_that_was_deleted_twice_the_last_one_comes_back() {
    let store = Store::new();
    let first = store.session("s.jsonl", BRANCHED);
    let _ = store.delete(&[ID]).run().ok();
    let longer = format!("{BRANCHED}\n");
    let _ = store.session("s.jsonl", &longer);
    std::thread::sleep(Duration::from_millis(1_100));
    let _ = store.delete(&[ID]).run().ok();
    let run = store.restore(&[ID]).run().ok();
    assert!(run.stderr.contains("was deleted 2 times; this is the last one"), "{run:?}");
    assert_eq!(fs_err::read_to_string(&first).unwrap(), longer);
}

/// Any program may have written into the trash, and anybody onto a disk that is plugged in.
#[test]
fn what_is_wrong_in_the_trash_hides_nothing_and_leads_nowhere() {
    let store = Store::new();
    let path = store.session("s.jsonl", BRANCHED);
    let _ = store.delete(&[ID]).run().ok();
    let evil = store.sandbox.path("evil/a.jsonl");
    let infos = [
        "[Trash Info]\nPath\n",
        "[Trash Info]\nPath=\n",
        "[Trash Info]\nPath=/\n",
        "Path=a.jsonl\nDeletionDate=2026-01-01T00:00:00\n",
        &format!("Path={}/../evil/a.jsonl\n", store.sandbox.path("sessions").display()),
        "",
    ];
    for (number, info) in infos.into_iter().enumerate() {
        store.sandbox.write(&format!("data/Trash/info/{number}.trashinfo"), info);
        store.sandbox.write(&format!("data/Trash/files/{number}"), BRANCHED);
    }
    // One without a date is listed all the same.
    let undated = format!("[Trash Info]\nPath={}%20b.jsonl\nDeletionDate=x\n", path.display());
    store.sandbox.write("data/Trash/info/9.trashinfo", &undated);
    let other = "01a00000-0000-7000-8000-00000000000b";
    store.sandbox.write("data/Trash/files/9", &fork_of(other, "/x"));
    let listed = store.restore(&["--json"]).run().ok().json();
    let ids: Vec<&str> =
        listed["trashed"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [ID, other], "{listed}");
    assert!(listed["trashed"][1]["deleted"].is_null(), "{listed}");
    let _ = store.restore(&[ID, other]).run().ok();
    assert_eq!(store.left(), ["s.jsonl", "s.jsonl b.jsonl"]);
    assert!(!evil.exists());
}

#[test]
fn side_files_belong_to_the_deletion_they_went_with() {
    let store = Store::new();
    let _ = store.session("s.jsonl", BRANCHED);
    let _ = store.session("s.jsonl.blobs/a", "old");
    let _ = store.delete(&[ID]).run().ok();
    std::thread::sleep(Duration::from_millis(1_100));
    let _ = store.session("s.jsonl", BRANCHED);
    let _ = store.delete(&[ID]).run().ok();
    let _ = store.restore(&[ID]).run().ok();
    assert_eq!(store.left(), ["s.jsonl"], "the second one had none");
    fs_err::remove_file(store.sandbox.path("sessions/s.jsonl")).unwrap();
    let _ = store.session("s.jsonl.blobs/a", "new");
    let run = store.restore(&[ID]).run().ok();
    assert!(run.stderr.contains("still in the trash: "), "{run:?}");
    assert!(run.stderr.contains("exists: another file has this name"), "{run:?}");
    assert_eq!(
        fs_err::read_to_string(store.sandbox.path("sessions/s.jsonl.blobs/a")).unwrap(),
        "new"
    );
}

#[test]
fn a_trash_that_cannot_be_read_is_not_an_empty_one() {
    let store = Store::new();
    // A file in place of the folder cannot be read as one, whoever tries.
    store.sandbox.write("data/Trash/info", "x");
    let run = store.restore(&[]).run().exits(3);
    assert!(run.stderr.contains("Trash/info"), "{run:?}");
    assert!(!run.stderr.contains("the trash is empty"), "{run:?}");
    let json = store.restore(&["--json"]).run().exits(3).json();
    assert_eq!(json["unreadable"].as_array().unwrap().len(), 1, "{json}");
}

#[test]
fn an_id_that_begins_another_one_is_enough() {
    let store = Store::new();
    for id in ["x1", "x10"] {
        let _ = store.session(&format!("{id}.jsonl"), &fork_of(id, "/x"));
    }
    let _ = store.delete(&["x1", "x10"]).run().ok();
    let _ = store.restore(&["x1"]).run().ok();
    assert_eq!(store.left(), ["x1.jsonl"]);
    // All are tried, though one place is taken.
    let _ = store.delete(&["x1"]).run().ok();
    let _ = store.session("x1.jsonl", "other");
    let run = store.restore(&["x1", "x10"]).run().exits(4);
    assert!(run.stdout.contains("x10.jsonl"), "{run:?}");
    assert_eq!(store.left(), ["x1.jsonl", "x10.jsonl"]);
}
