//! `pitree index`, with Python as the other program that uses the shared index.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::common::{BRANCHED, Sandbox, VERSION_1, files_below};

/// A sandbox with three sessions in the default place, changed long ago.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, content) in [("1", BRANCHED), ("2", BRANCHED), ("old", VERSION_1)] {
        let path = sandbox.write(&format!("{FOLDER}/{name}.jsonl"), content);
        set_age(&path, 1000);
    }
    sandbox
}

const ROOT: &str = "home/.pi/agent/sessions";
const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-projects-weather--";

fn set_age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    fs_err::File::open(path).unwrap().file().set_modified(time).unwrap();
}

/// Python with SQLite, or `None` when this machine has none.
fn python(test: &str) -> Option<&'static str> {
    let found = Command::new("python3").args(["-c", "import sqlite3"]).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        pitree_testkit::tell(&format!("skipped {test}: there is no python3 with sqlite3"));
    }
    found.then_some("python3")
}

const PRELUDE: &str = "import os, sqlite3, sys, time
root = sys.argv[1]
db = sqlite3.connect(root + '/session-index.sqlite', timeout=5, isolation_level=None)
";

/// Runs a script with the sessions root as its argument.
fn run_python(python: &str, script: &str, root: &Path) -> String {
    let script = format!("{PRELUDE}{script}");
    let output = Command::new(python).args(["-c", &script]).arg(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a script that says `ready` and then waits until its input ends.
fn hold(python: &str, script: &str, root: &Path) -> Child {
    let script = format!("{PRELUDE}{script}\nprint('ready', flush=True)\nsys.stdin.read()\n");
    let mut child = Command::new(python)
        .args(["-c", &script])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

fn let_go(mut child: Child) {
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn python_reads_what_we_wrote() {
    let Some(python) = python("python_reads_what_we_wrote") else { return };
    let sandbox = sandbox();
    let run = sandbox.run(["index", "--shared"]).ok();
    assert!(run.stdout.contains("2 sessions; 3 files read"), "{run:?}");
    assert!(run.stderr.contains("old.jsonl: the header is not of version 3"), "{run:?}");
    let script = "
print(db.execute('PRAGMA integrity_check').fetchone()[0], db.execute('PRAGMA user_version').fetchone()[0])
print([(c[1], c[2], c[3], c[5]) for c in db.execute('PRAGMA table_info(sessions)')])
for row in db.execute('SELECT * FROM sessions ORDER BY path'):
    stat = os.stat(row[0])
    print(row[1:5], row[5] == stat.st_mtime_ns // 1000000, row[6] == stat.st_size, row[7])
print(sorted(k for k, in db.execute('SELECT key FROM meta')))
";
    let said = run_python(python, script, &sandbox.path(ROOT));
    let id = "01a00000-0000-7000-8000-00000000000a";
    let row = format!(
        "('{id}', '/home/ana/projects/weather', '2026-02-03T22:52:06.410Z', 5) True True None"
    );
    let columns = "[('path', 'TEXT', 0, 1), ('id', 'TEXT', 1, 0), ('cwd', 'TEXT', 1, 0), ('timestamp', 'TEXT', 1, 0), ('message_count', 'INTEGER', 1, 0), ('last_modified_ms', 'INTEGER', 1, 0), ('size_bytes', 'INTEGER', 1, 0), ('name', 'TEXT', 0, 0)]";
    let meta = "['last_scan_generation', 'last_sync_epoch_ms', 'metadata_version']";
    assert_eq!(said, format!("ok 0\n{columns}\n{row}\n{row}\n{meta}\n"));
}

#[test]
fn python_writes_rows_and_we_go_on() {
    let Some(python) = python("python_writes_rows_and_we_go_on") else { return };
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let _ = sandbox.run(["index", "--shared"]).ok();
    let script = "
db.execute(\"INSERT INTO sessions VALUES (?, 'x', '/', 't', 1, 1, 1, 'a row')\", (root + '/--x--/gone.jsonl',))
db.execute(\"INSERT INTO sessions VALUES ('odd', 'x', '/', 't', -5, 'text', 1, 'a row')\")
db.execute(\"UPDATE sessions SET name = 'changed' WHERE path LIKE '%/1.jsonl'\")
";
    run_python(python, script, &root);
    let report = sandbox.run(["index", "--shared", "--json"]).ok().json();
    assert_eq!(report["shared"][0]["rows"], 2, "{report}");
    let count = "print(db.execute('SELECT count(*) FROM sessions').fetchone()[0])";
    // The odd row is nobody's file; a list of the port would stumble over it.
    assert_eq!(run_python(python, count, &root), "2\n");
}

#[test]
fn another_program_in_a_transaction() {
    let Some(python) = python("another_program_in_a_transaction") else { return };
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let _ = sandbox.run(["index", "--shared"]).ok();
    let holder =
        hold(python, "db.execute('BEGIN EXCLUSIVE')\ndb.execute('DELETE FROM sessions')", &root);
    let run = sandbox.run(["index", "--shared", "--wait", "1"]).exits(4);
    assert!(run.stderr.contains("is being written by another program"), "{run:?}");
    assert!(run.stderr.contains("try again later"), "{run:?}");
    // The list does not need it.
    let _ = sandbox.run(["list", "--scope", "all"]).ok();
    let_go(holder);
    let report = sandbox.run(["index", "--shared", "--json"]).ok().json();
    assert_eq!(report["shared"][0]["rows"], 2, "{report}");
    let _ = sandbox.run(["index", "--shared"]).ok();
    // One that only reads does not stand in the way.
    let reader =
        hold(python, "db.execute('BEGIN')\nlist(db.execute('SELECT * FROM sessions'))", &root);
    let _ = sandbox.run(["index", "--shared", "--wait", "1"]).ok();
    let_go(reader);
}

#[test]
fn another_program_with_the_lock() {
    let Some(python) = python("another_program_with_the_lock") else { return };
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let _ = sandbox.run(["index", "--shared"]).ok();
    let before = fs_err::read(root.join("session-index.sqlite")).unwrap();
    let holder = hold(python, "os.mkdir(root + '/session-index.lock')", &root);
    let run = sandbox.run(["index", "--shared", "--wait", "1"]).exits(4);
    assert!(run.stderr.contains("session-index.lock is held by another program"), "{run:?}");
    assert_eq!(fs_err::read(root.join("session-index.sqlite")).unwrap(), before);
    let shown = sandbox.run(["index", "--json"]).ok().json();
    assert_eq!(shown["shared"][0]["rows"], 2, "a reader goes without the lock");
    assert!(root.join("session-index.lock").is_dir());
    // The holder dies; after ten seconds the lock is nobody's.
    let_go(holder);
    set_age(&root.join("session-index.lock"), 11);
    let _ = sandbox.run(["index", "--shared", "--wait", "1"]).ok();
    assert!(!root.join("session-index.lock").exists());
    // One that lets go in time is waited for.
    let holder = hold(
        python,
        "os.mkdir(root + '/session-index.lock')\nimport threading\nthreading.Timer(1.0, lambda: os.rmdir(root + '/session-index.lock')).start()",
        &root,
    );
    let _ = sandbox.run(["index", "--shared"]).ok();
    let_go(holder);
}

/// What Python sees of the session with a file name that ends so, and whether the rows count as
/// complete.
fn row_of(python: &str, name: &str, root: &Path) -> String {
    let script = format!(
        "
meta = dict(db.execute('SELECT * FROM meta'))
scan = meta.get('last_scan_generation')
generation = os.path.getsize(root + '/session-index.generation')
state = 'current' if 'last_sync_epoch_ms' in meta and scan == str(generation) else 'old'
for path, count, modified, size, name in db.execute(
    'SELECT path, message_count, last_modified_ms, size_bytes, name FROM sessions WHERE path LIKE ?',
    ('%{name}',)):
    stat = os.stat(path)
    seen = (modified, size) == (stat.st_mtime_ns // 1000000, stat.st_size)
    print(count, name, 'as it is' if seen else 'as it was', end=', ')
print(state)
"
    );
    run_python(python, &script, root).trim_end().to_owned()
}

#[test]
fn python_sees_what_each_verb_changes() {
    let Some(python) = python("python_sees_what_each_verb_changes") else { return };
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let _ = sandbox.run(["index", "--shared"]).ok();
    let one = sandbox.path(&format!("{FOLDER}/1.jsonl")).to_string_lossy().into_owned();
    let row = |name: &str| row_of(python, name, &root);
    let _ = sandbox.run(["name", &one, "a name"]).ok();
    assert_eq!(row("/1.jsonl"), "5 a name as it is, current");
    let _ = sandbox.call(["append", &one]).input("more").run().ok();
    assert_eq!(row("/1.jsonl"), "6 a name as it is, current");
    let _ = sandbox.run(["label", &one, "aaaa0001", "here"]).ok();
    assert_eq!(row("/1.jsonl"), "6 a name as it is, current");
    let _ = sandbox.run(["goto", &one, "bbbb0001"]).ok();
    assert_eq!(row("/1.jsonl"), "6 a name as it is, current");
    let length = || fs_err::metadata(root.join("session-index.generation")).unwrap().len();
    let before = length();
    let _ = sandbox.run(["name", &one]).ok();
    let _ = sandbox.run(["fork", &one]).ok();
    let _ = sandbox.run(["goto", &one, "bbbb0001"]).ok();
    assert_eq!(length(), before, "these only read");
    for (args, count) in [
        (&["new", "--name", "empty"][..], "0 empty"),
        (&["clone", &one], "2 None"),
        (&["fork", &one, "--at", "dddd0001"], "2 None"),
        (&["fork", &one, "--whole"], "6 a name"),
    ] {
        let made = sandbox.run(args).ok().printed_path();
        assert_eq!(
            row(made.file_name().unwrap().to_str().unwrap()),
            format!("{count} as it is, current")
        );
    }
    // The port refuses version 1; once it is version 3, it is in, and with the old bytes out.
    let old = sandbox.path(&format!("{FOLDER}/old.jsonl"));
    let _ = sandbox.run([Path::new("migrate"), &old]).ok();
    assert_eq!(row("/old.jsonl"), "2 None as it is, current");
    let _ = sandbox.run([Path::new("undo"), &old]).ok();
    assert_eq!(row("/old.jsonl"), "current");
    let two = sandbox.path(&format!("{FOLDER}/2.jsonl"));
    assert_eq!(row("/2.jsonl"), "5 None as it is, current");
    let _ = sandbox.run(["delete", "--permanent", "--force", two.to_str().unwrap(), &one]).ok();
    assert_eq!((row("/1.jsonl"), row("/2.jsonl")), ("current".to_owned(), "current".to_owned()));
    let report = sandbox.run(["index", "--shared", "--json"]).ok().json();
    assert_eq!(report["shared"][0]["removed"], 0, "the rows were right: {report}");
}

#[test]
fn python_sees_what_a_client_of_the_protocol_changes() {
    let Some(python) = python("python_sees_what_a_client_of_the_protocol_changes") else { return };
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let _ = sandbox.run(["index", "--shared"]).ok();
    let one = sandbox.path(&format!("{FOLDER}/1.jsonl")).to_string_lossy().into_owned();
    let two = sandbox.path(&format!("{FOLDER}/2.jsonl")).to_string_lossy().into_owned();
    let other = sandbox.write("other.jsonl", BRANCHED).to_string_lossy().into_owned();
    let project = sandbox.project().to_string_lossy().into_owned();
    // What each client says, and the file that it has at the end.
    let ask = |commands: &[serde_json::Value]| {
        let state = serde_json::json!({"type": "get_state"});
        let lines = commands.iter().chain([&state]).map(|line| format!("{line}\n"));
        let run = sandbox.call(["rpc", "--session", &one]);
        let run = run.input(&lines.collect::<String>()).run().ok();
        let answers = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        let answers: Vec<serde_json::Value> =
            answers.filter(|line: &serde_json::Value| line["type"] == "response").collect();
        assert!(answers.iter().all(|answer| answer["success"] == true), "{answers:?}");
        // A long read such as `get_tree` may be answered after what was asked later.
        let state = answers.iter().find(|answer| answer["command"] == "get_state").unwrap();
        let file = state["data"]["sessionFile"].as_str().unwrap().to_owned();
        file.rsplit_once('/').unwrap().1.to_owned()
    };
    let row = |name: &str| row_of(python, name, &root);
    use serde_json::json;
    for commands in [
        json!([{"type": "set_session_name", "name": "a name"}]),
        json!([{"type": "set_label", "entryId": "aaaa0001", "label": "here"}]),
        json!([{"type": "clone"}]),
        json!([{"type": "fork", "entryId": "dddd0001"}]),
        json!([{"type": "import_session", "inputPath": other, "cwd": project}]),
    ] {
        let file = ask(commands.as_array().unwrap());
        let seen = row(&format!("/{file}"));
        assert!(seen.ends_with("as it is, current"), "{commands}: {seen}");
    }
    let length = || fs_err::metadata(root.join("session-index.generation")).unwrap().len();
    let before = length();
    let _ =
        ask(&[json!({"type": "set_auto_retry", "enabled": false}), json!({"type": "get_tree"})]);
    assert_eq!(length(), before, "these write nothing");
    let delete =
        json!({"type": "delete_session", "sessionPath": two, "permanent": true, "force": true});
    let _ = ask(&[delete]);
    assert_eq!(row("/2.jsonl"), "current");
    let text = BRANCHED.replace("00000000000a", "0000000000ff");
    let other = sandbox.write("another.jsonl", &text).to_string_lossy().into_owned();
    let made = sandbox.run(["import", &other, "--cwd", &project]).ok().printed_path();
    let seen = row(made.file_name().unwrap().to_str().unwrap());
    assert!(seen.ends_with("as it is, current"), "{seen}");
}

#[test]
fn a_verb_goes_on_without_the_shared_index() {
    let sandbox = sandbox();
    let root = sandbox.path(ROOT);
    let one = sandbox.path(&format!("{FOLDER}/1.jsonl")).to_string_lossy().into_owned();
    let _ = sandbox.run(["name", &one, "first"]).ok();
    assert!(
        !files_below(&root).iter().any(|name| name.contains("session-index")),
        "made by nobody"
    );
    let Some(python) = python("a_verb_goes_on_without_the_shared_index") else { return };
    let _ = sandbox.run(["index", "--shared"]).ok();
    for work in [
        "os.mkdir(root + '/session-index.lock')",
        "db.execute('BEGIN EXCLUSIVE')",
        "import fcntl\nheld = open(root + '/session-index.generation', 'a')\nfcntl.flock(held, fcntl.LOCK_EX)",
    ] {
        let holder = hold(python, work, &root);
        let _ = sandbox.run(["name", &one, work]).ok();
        let_go(holder);
        let _ = fs_err::remove_dir(root.join("session-index.lock"));
        assert_eq!(sandbox.run(["name", &one]).ok().line(), work.replace('\n', " "));
        assert!(
            row_of(python, "/1.jsonl", &root).ends_with(", old"),
            "{work}: a scan has to follow"
        );
        let _ = sandbox.run(["index", "--shared"]).ok();
        assert!(row_of(python, "/1.jsonl", &root).ends_with("as it is, current"), "{work}");
    }
    fs_err::write(root.join("session-index.sqlite"), "no database".repeat(500)).unwrap();
    let _ = sandbox.run(["name", &one, "last"]).ok();
    assert_eq!(sandbox.run(["name", &one]).ok().line(), "last");
}

#[test]
fn several_refresh_at_once() {
    let sandbox = sandbox();
    for number in 0..200 {
        sandbox.write(&format!("{FOLDER}/more-{number}.jsonl"), BRANCHED);
    }
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pitree"));
        command.args(["index", "--shared", "--json"]).env_clear().env("HOME", sandbox.home());
        command.current_dir(sandbox.project()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<Child> = (0..4).map(|_| command()).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["shared"][0]["rows"], 202, "{report}");
    }
    let left: Vec<String> = files_below(&sandbox.path(ROOT));
    assert!(!left.iter().any(|name| name.contains("lock") || name.contains("-wal")), "{left:?}");
}

#[test]
fn a_flat_folder_has_no_shared_index() {
    let sandbox = sandbox();
    sandbox.write("flat/s.jsonl", BRANCHED);
    let run = sandbox.run(["index", "--shared", "--session-dir", "../flat"]).exits(2);
    assert!(run.stderr.contains("No sessions folder was found"), "{run:?}");
    assert_eq!(files_below(&sandbox.path("flat")), ["s.jsonl"]);
}

/// The database of the cache.
fn database(sandbox: &Sandbox) -> PathBuf {
    let shown = sandbox.run(["index", "--json"]).ok().json();
    PathBuf::from(shown["caches"][0]["path"].as_str().unwrap())
}

#[test]
fn the_caches_are_shown_verified_and_rebuilt() {
    let sandbox = sandbox();
    assert!(sandbox.run(["index"]).ok().stdout.contains("none yet"));
    let _ = sandbox.run(["list", "--scope", "all"]).ok();
    let shown = sandbox.run(["index", "--json"]).ok().json();
    assert_eq!(shown["caches"][0]["name"], "sessions");
    assert_eq!(shown["caches"][0]["files"], 3);
    let bytes = shown["caches"][0]["bytes"].as_u64().unwrap();
    assert!(bytes > 10_000, "{bytes}");
    let size = format!("3 files, {:.1} KiB", bytes as f64 / 1024.0);
    let text = sandbox.run(["index"]).ok().stdout;
    assert!(text.contains(&size), "the unit of every other verb: {text}");
    let verified = sandbox.run(["index", "--verify", "--json"]).ok().json();
    assert_eq!(verified, serde_json::json!({"files": 3, "known": 3, "differences": []}));
    // The row of one file is given to another.
    let Some(python) = python("the_caches_are_shown_verified_and_rebuilt") else { return };
    let script = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute(\"UPDATE facts SET payload = (SELECT payload FROM facts WHERE CAST(path AS TEXT) LIKE '%old.jsonl')\")
db.commit()";
    let done = Command::new(python).args(["-c", script]).arg(database(&sandbox)).status().unwrap();
    assert!(done.success());
    let run = sandbox.run(["index", "--verify"]).exits(3);
    assert!(run.stdout.contains("1.jsonl: the cache differs in id"), "{run:?}");
    assert!(
        run.stdout.contains("the cache covers 3 of 3 files, and is wrong about 2; "),
        "{run:?}"
    );
    let rebuilt = sandbox.run(["index", "--rebuild", "--json"]).ok().json();
    let caches: Vec<(&str, u64)> = rebuilt["caches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cache| (cache["name"].as_str().unwrap(), cache["files"].as_u64().unwrap()))
        .collect();
    assert_eq!(caches, [("sessions", 3), ("text", 3)]);
    let _ = sandbox.run(["index", "--verify"]).ok();
    std::io::stdout().flush().unwrap();
}
