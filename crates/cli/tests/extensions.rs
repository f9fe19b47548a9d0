//! Verbs that change a session let the user's extensions listen and step in.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{BRANCHED, Run, Sandbox, last_line};

const SESSION: &str = "01a00000-0000-7000-8000-00000000000a";

fn folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".config/pitree/extensions")
}

/// Copies a program by another process: one that this process has open for writing cannot be
/// started while any thread starts a program.
fn install(sandbox: &Sandbox, source: &Path) {
    let folder = folder(sandbox);
    fs_err::create_dir_all(&folder).unwrap();
    let status = Command::new("install").args(["-m", "700"]).arg(source).arg(folder).status();
    assert!(status.unwrap().success());
}

fn install_example(sandbox: &Sandbox, name: &str) {
    let extras = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extras/extensions");
    install(sandbox, &extras.join(name));
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.call(args).env("PATH", "/usr/local/bin:/usr/bin:/bin").run()
}

fn succeed(sandbox: &Sandbox, args: &[&str]) {
    let _ = run(sandbox, args).ok();
}

/// The events in the journal, and which of the two sessions they happened to.
fn journal(sandbox: &Sandbox) -> Vec<String> {
    let path = folder(sandbox).join("journal.tsv");
    let text = fs_err::read_to_string(&path).unwrap_or_default();
    let _ = fs_err::remove_file(path);
    let event = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let is_first = columns[2] == SESSION;
        format!("{}{}", columns[1], if is_first { "" } else { " of the new one" })
    };
    text.lines().map(event).collect()
}

#[test]
fn verbs_tell_what_they_do() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("folder/s.jsonl", BRANCHED);
    let file = file.to_str().unwrap();
    install_example(&sandbox, "journal.sh");
    succeed(&sandbox, &["name", file, "Weather"]);
    assert_eq!(journal(&sandbox), ["session_start", "session_info_changed", "session_shutdown"]);
    succeed(&sandbox, &["goto", file, "bbbb0001"]);
    assert_eq!(
        journal(&sandbox),
        ["session_start", "session_before_tree", "session_tree", "session_shutdown"]
    );
    let forked = [
        "session_start",
        "session_before_fork",
        "session_shutdown",
        "session_start of the new one",
        "session_fork of the new one",
        "session_shutdown of the new one",
    ];
    succeed(&sandbox, &["fork", file, "--at", "dddd0001"]);
    assert_eq!(journal(&sandbox), forked);
    succeed(&sandbox, &["clone", file]);
    assert_eq!(journal(&sandbox), forked);
    succeed(&sandbox, &["new"]);
    assert_eq!(
        journal(&sandbox),
        ["session_start of the new one", "session_shutdown of the new one"]
    );
    succeed(
        &sandbox,
        &["compact", file, "--keep-recent", "1", "--summarizer-command", "echo short"],
    );
    assert_eq!(
        journal(&sandbox),
        ["session_start", "session_before_compact", "session_compact", "session_shutdown"]
    );
    // Reading is nobody's business.
    for args in [&["tree", file][..], &["name", file], &["fork", file], &["list"]] {
        let _ = run(&sandbox, args);
    }
    assert_eq!(journal(&sandbox), Vec::<String>::new());
}

#[test]
fn an_extension_keeps_verbs_from_changing_anything() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("folder/s.jsonl", BRANCHED);
    let file = path.to_str().unwrap();
    install_example(&sandbox, "journal.sh");
    fs_err::write(folder(&sandbox).join("hold"), "").unwrap();
    for args in [
        &["goto", file, "bbbb0001"][..],
        &["goto", file, "bbbb0001", "--summary", "left"],
        &["fork", file, "--at", "dddd0001"],
        &["clone", file],
        &["compact", file, "--keep-recent", "1", "--summarizer-command", "echo short"],
    ] {
        let run = run(&sandbox, args);
        assert_eq!(run.code, Some(4), "{args:?}: {run:?}");
        assert!(run.stderr.contains("An extension canceled it"), "{args:?}: {run:?}");
    }
    assert_eq!(fs_err::read_to_string(&path).unwrap(), BRANCHED);
    assert_eq!(fs_err::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    journal(&sandbox);
    succeed(&sandbox, &["goto", file, "bbbb0001", "--no-extensions"]);
    assert_eq!(journal(&sandbox), Vec::<String>::new());
}

#[test]
fn an_extension_writes_the_summary_so_that_nobody_else_is_needed() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let sandbox = Sandbox::new();
    let path = sandbox.write("folder/s.jsonl", BRANCHED);
    let file = path.to_str().unwrap();
    install_example(&sandbox, "requests.py");
    succeed(&sandbox, &["goto", file, "cccc0001", "--summarize"]);
    let summary = last_line(&path);
    assert_eq!(summary["summary"], "The user asked for:\n- second question");
    assert_eq!(summary["fromHook"], true);
    succeed(&sandbox, &["compact", file, "--keep-recent", "1"]);
    let compaction = last_line(&path);
    assert_eq!(compaction["type"], "compaction");
    assert!(compaction["summary"].as_str().unwrap().starts_with("The user asked for:\n"));
}

#[test]
fn a_faulty_extension_is_named_and_the_verb_goes_on() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("folder/s.jsonl", BRANCHED);
    let script = sandbox.write("faulty", "#!/bin/sh\nprintf 'no\\033[2Jway\\n' >&2\nexit 3\n");
    install(&sandbox, &script);
    let run = run(&sandbox, &["name", file.to_str().unwrap(), "Weather"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.stdout, "Weather\n");
    assert!(run.stderr.contains("extensions/faulty ended with exit status: 3"), "{run:?}");
    assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
}

#[test]
fn an_extension_of_the_project_is_not_run() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("folder/s.jsonl", BRANCHED);
    let script = format!("#!/bin/sh\ntouch '{}'\n", sandbox.path("ran").display());
    for place in [".pi/extensions/x", ".config/pitree/extensions/x", "pitree/extensions/x"] {
        sandbox.write(&format!("project/{place}"), &script);
        let status =
            Command::new("chmod").arg("700").arg(sandbox.project().join(place)).status().unwrap();
        assert!(status.success());
    }
    let run = run(&sandbox, &["name", file.to_str().unwrap(), "Weather"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(!sandbox.path("ran").exists());
}
