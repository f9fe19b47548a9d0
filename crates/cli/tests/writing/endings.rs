//! How a command ends: 0 done, 1 nothing found, 2 usage, 3 bad data, 4 refused. Data goes to
//! standard output, all else to standard error.

use std::process::{Command, Stdio};

use crate::common::{BRANCHED, Sandbox};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let _ = sandbox.write("empty.jsonl", "");
    let _ = sandbox.write("notes.jsonl", "{\"role\":\"user\"}\n");
    let _ = sandbox.write("torn.jsonl", &format!("{BRANCHED}{{\"torn\":\n"));
    sandbox
}

#[test]
fn exit_codes_tell_what_happened() {
    let sandbox = sandbox();
    for (code, args) in [
        (0, &["--help"][..]),
        (0, &["--version"]),
        (0, &["show", "../s.jsonl"]),
        (0, &["check", "../s.jsonl"]),
        (1, &["show", "../gone.jsonl"]),
        (1, &["show", "no-such-id"]),
        (1, &["path", "../s.jsonl", "eeee"]),
        (1, &["name", "../s.jsonl"]),
        (2, &[]),
        (2, &["nonsense"]),
        (2, &["show"]),
        (2, &["show", "../s.jsonl", "--nonsense"]),
        (2, &["path", "../s.jsonl", "dddd"]),
        (2, &["fork", "../s.jsonl", "--at", "dddd0001", "--whole"]),
        (2, &["tree", "../s.jsonl", "--nested"]),
        (3, &["show", "../empty.jsonl"]),
        (3, &["show", "../notes.jsonl"]),
        (3, &["show", "../project"]),
        (3, &["check", "../torn.jsonl"]),
        (4, &["fork", "../s.jsonl", "--at", "bbbb"]),
        (4, &["undo", "../s.jsonl"]),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, Some(code), "{args:?}: {run:#?}");
        let silent = run.stderr.is_empty();
        assert_eq!(silent, code == 0 || args.first() == Some(&"check"), "{args:?}: {run:#?}");
    }
}

#[test]
fn writing_to_what_is_no_session_is_refused() {
    let sandbox = sandbox();
    for name in ["empty.jsonl", "notes.jsonl"] {
        let before = fs_err::read(sandbox.path(name)).unwrap();
        for verb in [&["append"][..], &["name"], &["label", "x"], &["goto", "x"], &["migrate"]] {
            let mut args = vec![verb[0].to_owned(), format!("../{name}")];
            args.extend(verb[1..].iter().map(|arg| (*arg).to_owned()));
            let run = sandbox.call(args).input("hi").run().exits(3);
            assert_eq!(run.stdout, "", "{verb:?}");
        }
        assert_eq!(fs_err::read(sandbox.path(name)).unwrap(), before);
    }
}

#[test]
fn errors_cannot_harm_the_terminal() {
    let run = sandbox().run(["show", "\u{1b}[2J\nfake: line"]).exits(1);
    assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 2, "the error and the hint: {run:?}");
}

#[test]
fn json_of_the_writing_verbs_parses() {
    let sandbox = sandbox();
    let new = sandbox.run(["new", "--json"]).ok().json();
    assert!(new["path"].is_string() && new["id"].is_string(), "{new}");
    for args in [
        &["append", "../s.jsonl"][..],
        &["fork", "../s.jsonl", "--at", "dddd0001"],
        &["fork", "../s.jsonl", "--whole"],
        &["clone", "../s.jsonl"],
        &["goto", "../s.jsonl", "bbbb"],
        &["goto", "../s.jsonl", "aaaa", "--summary", "left"],
        &["name", "../s.jsonl", "n"],
        &["label", "../s.jsonl", "bbbb", "l"],
        &["label", "../s.jsonl", "bbbb"],
        &["migrate", "../s.jsonl"],
    ] {
        let run = sandbox.call([args, &["--json"]].concat()).input("hi").run().ok();
        assert!(run.json().is_object(), "{args:?}");
        assert_eq!(run.stderr, "", "{args:?}: with --json there are no remarks");
    }
}

/// The line is in the file when its id is printed; whoever repeats the command has it twice.
#[test]
fn a_change_whose_answer_cannot_be_printed_is_said_to_be_made() {
    let sandbox = sandbox();
    let full = |args: &str| {
        let script = format!("\"$0\" {args} > /dev/full");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_pitree")]);
        command.env("HOME", sandbox.home()).current_dir(sandbox.project());
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = full("name ../s.jsonl new");
    assert!(said.contains("the change may have been made"), "{said}");
    let text = fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap();
    assert_eq!(text.matches(r#""name":"new""#).count(), 1);
    let said = full("tree ../s.jsonl");
    assert!(!said.contains("change"), "{said}");
}
