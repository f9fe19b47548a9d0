//! A message that says what went wrong ends with what to do about it, for the files that were named.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use pitree_testkit::skip;

use crate::common::{BRANCHED, Run, Sandbox};

/// The commands that a hint names look where the user has looked.
#[test]
fn hints_keep_the_folders_that_the_user_has_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("my sessions/s.jsonl", BRANCHED);
    let dir = ["--session-dir", "../my sessions"];
    let list = "`pitree list --scope all --session-dir '../my sessions'`";
    for (verb, code, said) in [
        (&["show", "zz"][..], 1, "shows the ids; if your sessions are elsewhere, pass another "),
        (&["resume", "no", "such"], 1, "shows the ids"),
        (&["check"], 2, "shows the ids"),
        (&["list"], 1, "to see the others"),
        (&["view"], 2, "shows the ids"),
    ] {
        let run = sandbox.run([verb, &dir].concat()).exits(code);
        assert!(run.stderr.contains(&format!("{list} {said}")), "{verb:?}: {run:?}");
    }
}

/// The command of somebody to whom permissions apply, whoever runs the tests.
fn as_a_user(sandbox: &Sandbox, args: &[&str]) -> Option<Run> {
    let call = sandbox.call(args);
    if fs_err::metadata("/proc/self").unwrap().uid() != 0 {
        return Some(call.run());
    }
    let drop = "--bounding-set=-dac_override,-dac_read_search";
    if !Command::new("setpriv").args([drop, "true"]).status().is_ok_and(|status| status.success()) {
        skip("next_steps", "root cannot drop its permissions here");
        return None;
    }
    Some(call.within(&["setpriv", drop]).run())
}

#[test]
fn a_session_that_is_there_and_cannot_be_read_is_named() {
    let sandbox = Sandbox::new();
    let name = "2026-03-02T09-14-05-000Z_01a00000-0000-7000-8000-00000000000a.jsonl";
    let path = sandbox.write(&format!("some/{name}"), BRANCHED);
    fs_err::set_permissions(&path, Permissions::from_mode(0o0)).unwrap();
    for verb in [&["show", "01a00000"][..], &["name", "01a00000", "x"], &["resume", "01a0"]] {
        let args = [verb, &["--session-dir", "../some"]].concat();
        let Some(run) = as_a_user(&sandbox, &args) else { return };
        let run = run.exits(3);
        let said = format!("error: Cannot read {}: Permission denied", path.display());
        assert!(run.stderr.starts_with(&said), "{run:?}");
        assert!(run.stderr.contains("hint: its permissions are 000; make it readable"), "{run:?}");
    }
}

#[test]
fn a_file_that_may_not_be_written_is_not_one_that_cannot_be_opened() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    fs_err::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    for verb in [
        &["name", "../s.jsonl", "x"][..],
        &["goto", "../s.jsonl", "aaaa0001"],
        &["label", "../s.jsonl", "aaaa0001", "x"],
    ] {
        let Some(run) = as_a_user(&sandbox, verb) else { return };
        let said = format!("error: Cannot write to {}: Permission denied", path.display());
        assert!(run.exits(3).stderr.starts_with(&said), "{verb:?}");
    }
}

#[test]
fn an_entry_without_a_member_names_it() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (entry, said) in [
        (r#"{"type":"message"}"#, "An entry of type `message` needs `message`; nothing was"),
        (r#"{"type":"model_change","provider":"p"}"#, "`model_change` needs `modelId`; "),
        (
            r#"{"type":"thinking_level_change","thinkingLevel":5}"#,
            "needs `thinkingLevel`, a string;",
        ),
        (r#"{"type":"flourish"}"#, "`flourish` is not a known entry type; nothing was appended"),
    ] {
        let run = sandbox.call(["append", "../s.jsonl"]).input(entry).run().exits(3);
        assert!(run.stderr.contains(said), "{entry}: {run:?}");
    }
    assert_eq!(fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap(), BRANCHED);
}

#[test]
fn an_empty_type_is_called_so() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &BRANCHED.replacen("\"message\"", "\"\"", 1));
    let said = sandbox.run(["check", "../s.jsonl"]).ok().stdout;
    assert!(said.contains("unknown-type: an entry whose `type` is empty"), "{said}");
}

/// Whatever a summarizer lacks, the hint ends with what to do about it.
#[test]
fn each_trouble_with_a_summarizer_has_a_next_step() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (options, code, said) in [
        (
            &["--summarizer-model", "foo"][..],
            2,
            "Unknown model: foo\nhint: pass a model that Pi has as `--summarizer-model PROVIDER/MODEL`, or add yours to Pi's models.json, or pass `--summarizer-command COMMAND`\n",
        ),
        (
            &["--summarizer-model", "openai/gpt-5-mini"],
            2,
            "hint: set OPENAI_API_KEY, or log in with Pi; or pass another `--summarizer-model`, or `--summarizer-command COMMAND`\n",
        ),
        (
            &["--summarizer-command", "exit 3"],
            4,
            "try again, or pass another `--summarizer-command` or `--summarizer-model`\n",
        ),
        (
            &["--summarizer-command", "sleep 9", "--summarizer-timeout", "1"],
            4,
            "took longer than 1 second and was stopped\nhint: the session was not changed; pass `--summarizer-timeout SECONDS` to wait longer\n",
        ),
    ] {
        let run = sandbox.run([&["compact", "../s.jsonl", "--keep-recent", "1"], options].concat());
        let run = run.exits(code);
        assert!(run.stderr.ends_with(said), "{options:?}: {run:?}");
    }
}

#[test]
fn a_number_is_not_picked_from_an_empty_list() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("some/s.jsonl", BRANCHED);
    let run = sandbox.run(["resume", "no", "such", "--pick", "3", "--session-dir", "../some"]);
    let run = run.exits(1);
    assert!(run.stderr.starts_with("error: No session found matching 'no such'\n"), "{run:?}");
    let run = sandbox.run(["resume", "--pick", "3", "--session-dir", "../some"]).exits(1);
    assert!(run.stderr.starts_with("no sessions in "), "{run:?}");
    // A directory that is gone has two ways out.
    let run = sandbox.run(["resume", "../some/s.jsonl"]).exits(4);
    assert!(
        run.stderr.contains("to resume it in another directory, or run `pitree fork "),
        "{run:?}"
    );
    assert!(run.stderr.ends_with(" --whole --cwd DIR` to copy the session there\n"), "{run:?}");
}

#[test]
fn words_to_find_without_a_terminal_are_not_passed_over() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["view", "../s.jsonl", "--find", "answer"]).ok();
    assert!(run.stderr.starts_with("`--find` needs a terminal; `pitree search "), "{run:?}");
}

#[test]
fn a_folder_is_not_a_key_file() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["extract", "../s.jsonl", "-o", "d", "--key", "/tmp"]).exits(4);
    assert_eq!(
        run.stderr,
        "error: /tmp is a folder, not a key file\n\
         hint: name a file in it, such as `--key /tmp/redaction.key`; pitree creates it\n"
    );
}

#[test]
fn a_theme_that_is_not_used_is_said_with_the_settings() {
    let sandbox = Sandbox::new();
    for (theme, said) in [
        ("a/b/c", "Theme “a/b/c”: at most two names, LIGHT/DARK. Using the system theme.\n"),
        ("nope", "Theme “nope”: there is no such theme. Using the system theme.\n"),
    ] {
        let _ = sandbox.write("home/.pi/agent/settings.json", &format!(r#"{{"theme":"{theme}"}}"#));
        assert_eq!(sandbox.run(["config"]).ok().stderr, said);
    }
}
