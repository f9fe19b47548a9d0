//! A message that says what went wrong ends with what to do about it, for the files that were named.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use pitree_testkit::skip;

use crate::common::{BRANCHED, Run, Sandbox};

/// What is always found to be a secret.
const TOKEN: &str = concat!("ghp_", "q9Zk2vX81LmPw7RtB3nC5dF6gH8jK0aS4eU1");

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

/// The same for the commands that remarks and other hints name.
#[test]
fn what_is_proposed_looks_where_the_user_has_looked() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("some/s.jsonl", BRANCHED);
    for name in ["a.jsonl", "b.jsonl"] {
        let _ = sandbox.write(&format!("some/{name}"), "no session\n");
    }
    let _ = sandbox.write("some/t.jsonl", &BRANCHED.replacen("question", TOKEN, 1));
    for (verb, code, said) in [
        (
            &["list", "--scope", "all"][..],
            0,
            "`pitree check --scope all --session-dir ../some` says why",
        ),
        (&["secrets", "scan", "--all"], 3, "`pitree secrets scan ID --session-dir ../some` shows"),
        (
            &["fork", "../some/s.jsonl", "--at", "bbbb0001"],
            4,
            "`pitree fork ../some/s.jsonl --session-dir ../some` lists the user messages; \
             `pitree clone ../some/s.jsonl --at bbbb0001 --session-dir ../some` keeps",
        ),
        (&["resume", "../some/s.jsonl"], 4, "--whole --cwd DIR --session-dir ../some` to copy"),
    ] {
        let run = sandbox.run([verb, &["--session-dir", "../some"]].concat()).exits(code);
        assert!(run.stderr.contains(said), "{verb:?}: {run:?}");
    }
    fs_err::remove_file(sandbox.path("some/b.jsonl")).unwrap();
    let run = sandbox.run(["list", "--scope", "all", "--session-dir", "../some"]).ok();
    let check = format!("`pitree check {}` says why", sandbox.path("some/a.jsonl").display());
    assert!(run.stderr.contains(&check), "{run:?}");
}

/// A command that is proposed for a session names it.
#[test]
fn the_check_that_is_proposed_names_the_file() {
    let sandbox = Sandbox::new();
    let (header, _) = BRANCHED.split_once('\n').unwrap();
    let empty = sandbox.write("my empty.jsonl", &format!("{header}\n"));
    let damaged = sandbox.write("damaged.jsonl", &format!("{BRANCHED}no JSON\n"));
    let run = sandbox.run(["entries", "../my empty.jsonl"]).ok();
    assert!(run.stderr.contains(&format!("`pitree check '{}'`", empty.display())), "{run:?}");
    let run = sandbox.run(["show", "../damaged.jsonl"]).ok();
    let said = format!("1 line (`pitree check {}` says more)", damaged.display());
    assert!(run.stdout.contains(&said), "{run:?}");
    let usage = r#"{"type":"usage","id":"ffff0001","parentId":"dddd0002","timestamp":"2026-02-03T22:53:00.000Z","provider":"p","model":"m","usage":{"input":1}}"#;
    let _ = sandbox.write("u.jsonl", &format!("{BRANCHED}{usage}\n"));
    let run = sandbox.run(["clone", "../u.jsonl", "--dialect", "port"]).ok();
    let check = format!("hint: `pitree check {} --details` lists them all", run.line());
    assert!(run.stderr.contains(&check), "{run:?}");
}

/// Whatever is asked of a store that is empty, the answer is the same.
#[test]
fn without_sessions_every_verb_says_so() {
    let sandbox = Sandbox::new();
    let said = "no sessions in ~/.pi/agent/sessions; `--session-dir` or `--sessions-root` names \
                another folder, and `pitree demo` shows a sample\n";
    for verb in [&["list"][..], &["search", "foo"], &["cost"], &["stats"]] {
        assert_eq!(sandbox.run(verb).exits(1).stderr, said, "{verb:?}");
    }
    let demo = sandbox.run(["demo", "--keep", "kept"]).ok().stdout;
    assert!(demo.contains("You have none yet; Pi saves them in ~/.pi/agent/sessions."), "{demo}");
    // The sample that is kept can be resumed: its directory is there.
    let run = sandbox.run(["resume", "019cb2b8", "--print", "--session-dir", "kept"]).ok();
    assert!(run.stdout.contains("/kept/weather && pi "), "{run:?}");
    let shown = sandbox.run(["list", "--session-dir", "kept", "--scope", "all"]).ok().stdout;
    assert!(shown.contains("fork of 019cadd3"), "{shown}");
}

/// What a check would only repeat is said at once.
#[test]
fn a_file_that_is_not_a_session_has_a_next_step() {
    let sandbox = Sandbox::new();
    let text = sandbox.write("text.jsonl", "no session\n");
    let run = sandbox.run(["show", "../text.jsonl"]).exits(3);
    let said = format!(
        "error: {} is not a Pi session: it contains no JSON\nhint: check the path; the file was not changed\n",
        text.display()
    );
    assert_eq!(run.stderr, said);
    let other = sandbox.write("other.jsonl", "{\"type\":\"title\"}\n");
    let run = sandbox.run(["show", "../other.jsonl"]).exits(3);
    let lenient = format!("hint: `pitree show --lenient {}` shows what", other.display());
    assert!(run.stderr.contains(&lenient), "{run:?}");
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.call(["append", "../s.jsonl"]).input(r#"{"a":1}"#).run().exits(3);
    let said = "error: Standard input looks like JSON, but it is neither a message (no `role`) nor \
                an entry (no `type`); nothing was appended\n";
    assert!(run.stderr.starts_with(said), "{run:?}");
}

#[test]
fn a_cache_that_cannot_be_written_is_not_rebuilt() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("home/.cache", "a file");
    let run = sandbox.run(["index", "--rebuild"]).exits(3);
    assert!(
        run.stderr.starts_with("error: Cannot write the cache in ~/.cache/pitree: "),
        "{run:?}"
    );
    fs_err::remove_file(sandbox.path("home/.cache")).unwrap();
    let _ = sandbox.write("home/.cache/pitree/facts-1.sqlite", "no database");
    let run = sandbox.run(["index"]).ok();
    assert!(run.stdout.contains("facts generation 1: damaged; it will be rebuilt, "), "{run:?}");
}

/// Wherever `--cwd` names a directory, it must be one.
#[test]
fn a_working_directory_that_is_none_is_refused_by_every_verb() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (cwd, problem) in [("s.jsonl", "is not a directory"), ("gone", "does not exist")] {
        for verb in [
            &["new"][..],
            &["import", "../s.jsonl"],
            &["fork", "../s.jsonl", "--whole"],
            &["resume", "../s.jsonl", "--print"],
        ] {
            let named = format!("../{cwd}");
            let run = sandbox.run([verb, &["--cwd", &named]].concat()).exits(2);
            let path = sandbox.path(cwd);
            let said = format!(
                "error: {} {problem}\nhint: create it, or pass another --cwd; nothing was written\n",
                path.display()
            );
            assert_eq!(run.stderr, said, "{verb:?}");
        }
    }
    assert!(!sandbox.path("home/.pi").exists());
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
fn an_entry_without_a_proper_type_is_called_so() {
    let sandbox = Sandbox::new();
    for (now, expected) in [
        (r#""type":"""#, "an entry whose `type` is empty"),
        (r#""type":5"#, "an entry whose `type` is not a string"),
        (r#""was":"message""#, "an entry without a `type`"),
    ] {
        let text = BRANCHED.replacen(r#""type":"message""#, now, 1);
        let _ = sandbox.write("s.jsonl", &text);
        let said = sandbox.run(["check", "../s.jsonl"]).ok().stdout;
        assert!(said.contains(&format!("unknown-type: {expected} (")), "{said}");
    }
}

/// A line that pitree passes over is a secret that goes out.
#[test]
fn an_environment_file_that_is_not_understood_is_refused() {
    let sandbox = Sandbox::new();
    let secret = "q9Zk2vX81LmPw7Rt";
    let _ = sandbox.write("s.jsonl", &BRANCHED.replacen("question", secret, 1));
    let _ = sandbox.write("bad.env", &format!("# mine\nMY_TOKEN: {secret}\n"));
    for (file, line) in [("bad.env", 2), ("s.jsonl", 1)] {
        for verb in [
            &["export", "../s.jsonl", "-o", "e.md", "--redact"][..],
            &["secrets", "scan", "../s.jsonl"],
        ] {
            let run = sandbox.run([verb, &["--env-file", &format!("../{file}")]].concat()).exits(3);
            let said = format!(
                "error: {}, line {line}: not a `NAME=value` line\nhint: each line ",
                sandbox.path(file).display()
            );
            assert!(run.stderr.starts_with(&said) && !run.stderr.contains(secret), "{run:?}");
        }
    }
    assert!(!sandbox.project().join("e.md").exists());
}

/// Pi cannot read a header behind a byte order mark; nothing of the header is lost.
#[test]
fn a_byte_order_mark_is_named_and_a_copy_without_it_is_the_session() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("marked.jsonl", &format!("\u{feff}{BRANCHED}"));
    let copy = format!("pitree export --lenient {} --branches all -o fixed.jsonl", file.display());
    let advice = format!("`{copy}` writes a complete copy without the mark");
    let show = sandbox.run(["show", "../marked.jsonl"]).exits(3);
    let said = "it begins with a byte order mark, so Pi cannot read the header on line 1";
    assert!(show.stderr.contains(said) && show.stderr.contains(&advice), "{show:?}");
    let check = sandbox.run(["check", "../marked.jsonl"]).exits(3).stdout;
    assert!(check.contains(said) && check.contains(&advice), "{check}");
    assert!(!check.contains("malformed-line"), "{check}");
    let run = sandbox.run(copy.split(' ').skip(1)).ok();
    assert!(
        run.stderr.contains("a byte order mark; the copy has all of them, and no mark"),
        "{run:?}"
    );
    let fixed = sandbox.project().join("fixed.jsonl");
    assert_eq!(fs_err::read_to_string(fixed).unwrap(), BRANCHED);
    let redacted = "export --lenient ../marked.jsonl --branches all -o r.jsonl --redact";
    let _ = sandbox.run(redacted.split(' ')).ok();
    let shown = sandbox.run(["show", "r.jsonl", "--json"]).ok().json();
    assert_eq!(shown["id"], "01a00000-0000-7000-8000-00000000000a");
    let branch = sandbox.run(["export", "--lenient", "../marked.jsonl", "-o", "-"]).ok();
    assert!(branch.stdout.contains("01a00000-0000-7000-8000-00000000000a"), "{branch:?}");
}

#[test]
fn what_is_never_deleted_is_not_to_be_forced() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("out.html", "<p>");
    let _ = sandbox.write("notes.jsonl", "no session");
    for args in [&["delete", "../out.html"][..], &["delete", "../out.html", "--force"]] {
        let run = sandbox.run(args).exits(3);
        assert!(
            run.stderr.ends_with("hint: pitree deletes only session files (.jsonl)\n"),
            "{run:?}"
        );
    }
    let run = sandbox.run(["delete", "../notes.jsonl"]).exits(3);
    assert!(run.stderr.contains("pass --force with its path"), "{run:?}");
}

#[test]
fn a_model_that_is_not_known_is_corrected_where_it_was_named() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["rpc", "--no-session", "--model", "nope/x"]).exits(2);
    assert_eq!(
        run.stderr,
        "error: Unknown model: nope/x\n\
         hint: pass a model that Pi has as `--model PROVIDER/MODEL`, or add yours to Pi's models.json\n"
    );
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
            "try again, or pass another `--summarizer-url`, `--summarizer-command` or `--summarizer-model`\n",
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
