//! `migrate` and `undo`, and the migration that the first append brings.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::common::{BRANCHED, Print, Sandbox, VERSION_1, files_below, last_line, lines, mode};

fn old() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let folder = sandbox.default_folder();
    fs_err::create_dir_all(&folder).unwrap();
    let path = folder.join("old.jsonl");
    fs_err::write(&path, VERSION_1).unwrap();
    (sandbox, path)
}

/// The one backup of a sandbox.
#[track_caller]
fn backup(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.home().join(".local/state/pitree/backups");
    let mut names = files_below(&folder);
    names.retain(|name| name.ends_with(".backup"));
    assert_eq!(names.len(), 1, "{names:?}");
    folder.join(&names[0])
}

#[track_caller]
fn assert_migrated(path: &Path) {
    let all = lines(path);
    assert_eq!(all[0]["version"], 3);
    assert_eq!(all[0]["modelId"], "m", "the header keeps what else it had");
    assert_eq!(all[1]["parentId"], json!(null));
    assert_eq!(all[2]["parentId"], all[1]["id"]);
    assert_eq!(all[2]["message"]["content"][0]["text"], "old answer");
}

#[test]
fn migrate_writes_version_3_and_undo_brings_the_bytes_back() {
    let (sandbox, path) = old();
    let file = path.to_str().unwrap();
    let done = sandbox.run(["migrate", file, "--json"]).ok().json();
    assert_eq!(done["changed"], true);
    assert_eq!(done["operation"], "migrate");
    assert_migrated(&path);
    assert_eq!(done["backup"], backup(&sandbox).to_str().unwrap());
    let kept = backup(&sandbox);
    let undone = sandbox.run(["undo", file]).ok().stdout;
    let at = done["timestamp"].as_str().unwrap();
    assert!(undone.contains("Undone: the migration to version 3 of "), "{undone}");
    assert!(undone.contains(&format!("/old.jsonl, at {at}\n")), "{undone}");
    let name = kept.file_name().unwrap().to_str().unwrap();
    assert!(undone.contains("Restored from the backup ~/") && undone.contains(name), "{undone}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), VERSION_1);
    let help = sandbox.run(["undo", "--help"]).ok().stdout;
    assert!(help.contains("backup") && help.contains("`migrate`"), "{help}");
    let run = sandbox.run(["undo", file]).exits(4);
    assert!(run.stderr.contains("nothing to undo"), "{run:?}");
    assert!(run.stderr.contains("does not remove appended lines"), "{run:?}");
}

#[test]
fn the_backup_is_private_and_away_from_the_sessions() {
    let (sandbox, path) = old();
    let _ = sandbox.run(["migrate", path.to_str().unwrap()]).ok();
    let backup = backup(&sandbox);
    assert_eq!(fs_err::read_to_string(&backup).unwrap(), VERSION_1);
    assert_eq!(mode(&backup), 0o600);
    assert_eq!(mode(backup.parent().unwrap()), 0o700);
    assert_eq!(mode(&backup.with_added_extension("json")), 0o600);
    let root = sandbox.home().join(".pi");
    assert!(!backup.starts_with(&root));
    assert_eq!(files_below(&root).len(), 1, "only the session itself");
}

#[test]
fn the_backup_follows_the_state_directory() {
    let (sandbox, path) = old();
    let state = sandbox.path("state");
    let call = sandbox.call(["migrate", path.to_str().unwrap(), "--json"]);
    let done = call.env("XDG_STATE_HOME", &state).run().ok().json();
    let backup = PathBuf::from(done["backup"].as_str().unwrap());
    assert!(backup.starts_with(&state) && backup.is_file(), "{done}");
}

#[test]
fn migrate_keeps_the_mode_of_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, path) = old();
    fs_err::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let _ = sandbox.run(["migrate", path.to_str().unwrap()]).ok();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn undo_is_refused_after_a_change_unless_forced() {
    let (sandbox, path) = old();
    let file = path.to_str().unwrap();
    let _ = sandbox.run(["migrate", file]).ok();
    let _ = sandbox.run(["name", file, "Changed"]).ok();
    let before = Print::of(&path);
    let id = last_line(&path)["id"].as_str().unwrap().to_owned();
    let run = sandbox.run(["undo", file]).exits(4);
    assert!(run.stderr.contains(&format!("line 4: session_info {id}")), "{run:?}");
    assert!(run.stderr.contains("has 1 new line since `migrate` rewrote it at"), "{run:?}");
    assert!(run.stderr.contains("hint: pass `--force`"), "{run:?}");
    assert_eq!(Print::of(&path), before);
    let done = sandbox.run(["undo", file, "--force", "--json"]).ok().json();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), VERSION_1);
    let kept = PathBuf::from(done["kept"].as_str().unwrap());
    assert_eq!(last_line(&kept)["id"], *id, "the line is kept");
    assert_eq!(mode(&kept), 0o600);

    // A change that is no append.
    let _ = sandbox.run(["migrate", file]).ok();
    let text = fs_err::read_to_string(&path).unwrap();
    fs_err::write(&path, text.replace("old answer", "new answer")).unwrap();
    let run = sandbox.run(["undo", file]).exits(4);
    assert!(run.stderr.contains("has changed since"), "{run:?}");
}

#[test]
fn every_verb_that_appends_needs_leave_to_migrate() {
    let question = "old question";
    for verb in [
        &["append"][..],
        &["name", "New name"],
        &["label", "ENTRY", "mark"],
        &["goto", "ENTRY", "--summary", "left"],
        &["compact"],
    ] {
        let (sandbox, path) = old();
        let file = path.to_str().unwrap();
        let entries = sandbox.run(["entries", file, "--json"]).ok().json();
        let first = entries["entries"][0]["id"].as_str().unwrap().to_owned();
        let mut args = vec![verb[0], file];
        args.extend(verb[1..].iter().map(|arg| if *arg == "ENTRY" { &*first } else { arg }));
        let before = Print::of(&path);
        let run = sandbox.call(&args).input(question).run().exits(4);
        assert!(run.stderr.contains("is a version 1 session"), "{run:?}");
        assert!(run.stderr.contains("`--migrate`"), "{run:?}");
        assert_eq!(Print::of(&path), before, "{verb:?}");
        assert!(!sandbox.home().join(".local/state").exists(), "no backup");
        if verb[0] == "compact" {
            continue;
        }
        args.extend(["--migrate", "--json"]);
        let run = sandbox.call(&args).input(question).run().ok();
        assert!(run.stderr.contains("migrated "), "{run:?}");
        assert_eq!(run.json()["migrated"]["backup"], backup(&sandbox).to_str().unwrap());
        assert_migrated(&path);
        let before = Print::of(&path);
        let run = sandbox.run(["undo", file]).exits(4);
        assert!(run.stderr.contains("line 4: "), "{run:?}");
        assert_eq!(Print::of(&path), before);
    }
    let (sandbox, path) = old();
    let _ = sandbox.run(["name", path.to_str().unwrap()]).exits(1);
}

/// Pi rewrites such a file as soon as it opens it, without a backup.
#[test]
fn an_agent_gets_an_old_file_only_if_its_migration_is_allowed() {
    let (sandbox, path) = old();
    let args = ["rpc", "--agent=/bin/true", "--session", path.to_str().unwrap()];
    let before = fs_err::read(&path).unwrap();
    let run = sandbox.run(args).exits(4);
    assert!(run.stderr.contains("`--migrate`"), "{run:?}");
    assert_eq!(fs_err::read(&path).unwrap(), before);
    let run = sandbox.run([&args[..], &["--migrate"]].concat());
    assert!(run.stderr.contains("migrated "), "{run:?}");
    assert_migrated(&path);
    assert_eq!(fs_err::read(backup(&sandbox)).unwrap(), before);
}

#[test]
fn a_lock_is_waited_for_no_longer_than_the_user_wants() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let other = fs_err::File::open(&path).unwrap().into_parts().0;
    other.lock().unwrap();
    for args in [&["name", "../s.jsonl", "New"][..], &["label", "../s.jsonl", "aaaa", "mark"]] {
        let run = sandbox.run([args, &["--wait", "50ms"]].concat()).exits(4);
        let holder = format!("(process {})", std::process::id());
        assert!(run.stderr.contains("is locked by ") && run.stderr.contains(&holder), "{run:?}");
        assert!(run.stderr.contains("`--wait"), "{run:?}");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
    }
    other.unlock().unwrap();
    let _ = sandbox.run(["name", "../s.jsonl", "New", "--wait", "50ms"]).ok();
}

#[test]
fn a_file_of_version_3_is_left_alone() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let before = Print::of(&path);
    let done = sandbox.run(["migrate", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(done, json!({"changed": false, "path": path}));
    assert_eq!(Print::of(&path), before);
    assert_eq!(files_below(&sandbox.home()), Vec::<String>::new(), "no backup");
}

#[test]
fn lines_that_are_no_entries_survive_the_migration() {
    let (sandbox, path) = old();
    fs_err::write(&path, format!("{VERSION_1}{{\"torn\":\n")).unwrap();
    let _ = sandbox.run(["migrate", path.to_str().unwrap()]).ok();
    assert!(fs_err::read_to_string(&path).unwrap().ends_with("}\n{\"torn\":\n"));
}

#[test]
fn reading_an_old_file_does_not_migrate_it() {
    let (sandbox, path) = old();
    let before = Print::of(&path);
    let context = sandbox.run(["context", path.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(context["messages"].as_array().unwrap().len(), 2);
    assert_eq!(Print::of(&path), before);
}

#[test]
fn an_append_that_may_migrate_an_old_file_keeps_a_backup() {
    let (sandbox, path) = old();
    let file = path.to_str().unwrap();
    let answer = sandbox.run(["entries", file, "--json"]).ok().json()["leafId"].clone();
    let _ = sandbox.call(["append", file, "--migrate"]).input("new question").run().ok();
    assert_migrated(&path);
    let all = lines(&path);
    assert_eq!(all[2]["id"], answer, "an id that was shown stays the id");
    assert_eq!(last_line(&path)["parentId"], answer);
    assert_eq!(fs_err::read_to_string(backup(&sandbox)).unwrap(), VERSION_1);
    // A second append has nothing to migrate.
    let _ = sandbox.call(["append", file]).input("more").run().ok();
    let _ = backup(&sandbox);
    let _ = sandbox.run(["undo", file, "--force"]).ok();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), VERSION_1);
}

#[test]
fn a_fork_of_an_old_file_is_whole_and_leaves_it_old() {
    let (sandbox, path) = old();
    let before = Print::of(&path);
    let args = ["fork", path.to_str().unwrap(), "--whole"];
    let fork = sandbox.run(args).ok().printed_path();
    let all = lines(&fork);
    assert_eq!((all.len(), &all[0]["version"]), (3, &json!(3)));
    assert_eq!(all[2]["parentId"], all[1]["id"]);
    let clone = sandbox.run(["clone", path.to_str().unwrap()]).ok().printed_path();
    assert_eq!(lines(&clone).len(), 3);
    assert_eq!(Print::of(&path), before);
}

#[test]
fn several_files_are_checked_and_migrated_whatever_becomes_of_one() {
    let sandbox = Sandbox::new();
    let old: Vec<_> =
        ["1", "2"].map(|name| sandbox.write(&format!("{name}.jsonl"), VERSION_1)).into();
    sandbox.write("new.jsonl", BRANCHED);
    sandbox.write("none.jsonl", "no session\n");
    let files = ["../1.jsonl", "../new.jsonl", "../none.jsonl", "../gone.jsonl", "../2.jsonl"];
    let run = sandbox.run([&["migrate"], &files[..]].concat()).exits(3);
    old.iter().for_each(|path| assert_migrated(path));
    assert_eq!(run.stdout.matches("Migrated to version 3").count(), 2, "{run:?}");
    assert!(run.stdout.contains("Already version 3: "), "{run:?}");
    assert!(run.stderr.contains("none.jsonl") && run.stderr.contains("gone.jsonl"), "{run:?}");
    let run = sandbox.run([&["check", "--json"], &files[..2]].concat()).ok();
    let paths: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(paths.len(), 2);
    assert!(paths[0]["path"].as_str().unwrap().ends_with("1.jsonl"), "{paths:?}");
    let run = sandbox.run([&["check"], &files[..3]].concat()).exits(3);
    assert_eq!(run.stdout.matches(".jsonl: healthy").count(), 2, "{run:?}");
    assert_eq!(run.stdout.matches("none.jsonl: not a Pi session").count(), 1, "{run:?}");
    assert!(run.stdout.ends_with("checked 3 sessions: 1 not a session\n"), "{run:?}");
}
