//! Reading does not write: every verb that only reads leaves bytes, mtime and folder alone.

use std::time::{Duration, Instant, SystemTime};

use crate::common::{BRANCHED, Print, Sandbox, VERSION_1, files_below};

/// Every verb that only reads, with what follows the file.
const READING: [&[&str]; 26] = [
    &["show"],
    &["show", "--mode", "conversation"],
    &["show", "--mode", "full"],
    &["show", "--mode", "tools"],
    &["show", "--mode", "costs"],
    &["show", "--mode", "subagents"],
    &["entries"],
    &["entries", "--last", "2"],
    &["tree"],
    &["tree", "--filter", "all"],
    &["tree", "--print"],
    &["tree", "--branch-points"],
    &["tree", "--nested", "--json"],
    &["path"],
    &["context"],
    &["context", "--llm"],
    &["context", "--at", "header"],
    &["cat"],
    &["open"],
    &["copy"],
    &["copy", "--at", "aaaa0001"],
    &["check"],
    &["compact", "--dry-run", "--keep-recent", "0"],
    &["subagents"],
    &["fork"],
    &["name"],
];

/// The verbs that write, and those that read no session file of the user's.
const OTHERS: &[&str] = &[
    "append",
    "clone",
    "compact",
    "completions",
    "config",
    "continue",
    "cost",
    "delete",
    "demo",
    "export",
    "extract",
    "fork",
    "goto",
    "help",
    "import",
    "label",
    "index",
    "list",
    "man",
    "migrate",
    "new",
    "restore",
    "resume",
    "rpc",
    "search",
    "secrets",
    "serve",
    "stats",
    "undo",
    "view",
    "watch",
];

/// A new verb has to be put into one of the two lists.
#[test]
fn every_verb_is_known_here() {
    for verb in Sandbox::new().verbs() {
        let known = OTHERS.contains(&&*verb) || READING.iter().any(|args| args[0] == verb);
        assert!(known, "is `{verb}` reading or writing?");
    }
}

#[test]
fn reading_verbs_change_no_file() {
    let long_ago = SystemTime::now() - Duration::from_secs(100_000);
    let unfinished = BRANCHED.trim_end();
    let damaged = format!("{BRANCHED}{{\"torn\":\n[1]\n");
    for content in [BRANCHED, VERSION_1, unfinished, &damaged, "", "no session\n"] {
        let sandbox = Sandbox::new();
        let path = sandbox.write("folder/s.jsonl", content);
        let file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        file.file().set_modified(long_ago).unwrap();
        let before = Print::of(&path);
        for args in READING {
            for json in [&[][..], &["--json"]] {
                if json.len() == 1 && args.contains(&"--json") {
                    continue;
                }
                let mut all = vec![args[0], "../folder/s.jsonl"];
                all.extend_from_slice(&args[1..]);
                all.extend_from_slice(json);
                let run = sandbox.run(&all);
                assert!(matches!(run.code, Some(0..=4)), "{all:?}: {run:#?}");
                assert_eq!(Print::of(&path), before, "{all:?}");
            }
        }
        assert_eq!(files_below(&sandbox.path("folder")), ["s.jsonl"]);
        assert_eq!(files_below(&sandbox.home()), Vec::<String>::new());
        assert_eq!(files_below(&sandbox.path("tmp")), Vec::<String>::new());
    }
}

#[test]
fn a_file_without_the_right_to_write_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let path = sandbox.write("folder/s.jsonl", BRANCHED);
    fs_err::set_permissions(&path, PermissionsExt::from_mode(0o400)).unwrap();
    fs_err::set_permissions(sandbox.path("folder"), PermissionsExt::from_mode(0o500)).unwrap();
    let runs: Vec<_> = ["show", "tree", "context", "check", "fork", "entries", "path"]
        .map(|verb| sandbox.run([verb, "../folder/s.jsonl"]))
        .into();
    fs_err::set_permissions(sandbox.path("folder"), PermissionsExt::from_mode(0o700)).unwrap();
    for run in runs {
        let _ = run.ok();
    }
}

#[test]
fn json_is_json_for_every_verb() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for args in READING.iter().filter(|args| args[0] != "cat") {
        let mut all = vec![args[0], "../s.jsonl"];
        all.extend_from_slice(&args[1..]);
        if !all.contains(&"--json") {
            all.push("--json");
        }
        let run = sandbox.run(&all);
        assert_eq!(run.stdout.lines().count(), 1, "{all:?}: {run:?}");
        assert!(run.json().is_object() || run.json().is_array(), "{all:?}");
    }
}

#[test]
fn the_context_of_another_leaf_has_its_settings() {
    let sandbox = Sandbox::new();
    let change = |id: &str, parent: &str, model: &str| {
        format!(
            r#"{{"type":"model_change","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:52:12.000Z","provider":"p","modelId":"{model}"}}"#
        )
    };
    let text = [change("eeee0001", "cccc0001", "left"), change("eeee0002", "dddd0002", "now")];
    let _ = sandbox.write("s.jsonl", &format!("{BRANCHED}{}\n{}\n", text[0], text[1]));
    for (leaf, model) in [("eeee0001", "left"), ("eeee0002", "now"), ("bbbb0001", "m")] {
        let args = ["context", "../s.jsonl", "--at", leaf, "--json"];
        let context = sandbox.run(args).ok().json();
        assert_eq!(context["model"]["modelId"], model);
        assert_eq!(context["restored"]["model"]["modelId"], model, "{leaf}");
    }
    let args = ["context", "../s.jsonl", "--json"];
    let context = sandbox.run(args).ok().json();
    let names: Vec<&String> = context.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let run = sandbox.run(["context", "../s.jsonl"]).ok();
    assert!(run.stdout.starts_with("4 messages, about 3 tokens; model p/now"), "{run:?}");
    let llm = sandbox.run(["context", "../s.jsonl", "--llm", "--json"]).ok().json();
    assert_eq!(llm.as_array().unwrap().len(), 4);
}

#[test]
fn an_entry_without_an_id_has_the_same_one_everywhere() {
    let sandbox = Sandbox::new();
    let bare = r#"{"type":"message","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"user","content":"who am I"}}"#;
    let _ = sandbox.write("s.jsonl", &format!("{BRANCHED}{bare}\n"));
    let tree = sandbox.run(["tree", "../s.jsonl", "--json"]).ok().json();
    let id = tree["leafId"].as_str().unwrap().to_owned();
    let text = sandbox.run(["entries", "../s.jsonl"]).ok().stdout;
    assert!(text.lines().last().unwrap().contains(&id), "{text}");
    let entries = sandbox.run(["entries", "../s.jsonl", "--json"]).ok().json();
    let last = sandbox.run(["entries", "../s.jsonl", "--last", "1", "--json"]).ok().json();
    let nested = sandbox.run(["tree", "../s.jsonl", "--json", "--nested"]).ok().stdout;
    let full = sandbox.run(["show", "../s.jsonl", "--mode", "full", "--json"]).ok().stdout;
    assert_eq!(entries["entries"][5]["id"], *id);
    assert_eq!(
        (&last["entries"][0]["id"], &last["leafId"]),
        (&id.clone().into(), &id.clone().into())
    );
    for printed in [nested, full] {
        assert!(printed.contains(&format!("\"type\":\"message\",\"id\":\"{id}\"")), "{printed}");
    }
}

#[test]
fn what_is_empty_says_what_was_looked_at() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let header = BRANCHED.lines().next().unwrap();
    let _ = sandbox.write("empty.jsonl", &format!("{header}\n"));
    let said = |args: &[&str], code: i32| {
        let run = sandbox.run(args).exits(code);
        assert_eq!(run.stdout, "", "{args:?}");
        run.stderr
    };
    let filter = said(&["tree", "../s.jsonl", "--filter", "labeled-only"], 0);
    assert_eq!(
        filter,
        "none of the 5 entries passes the filter `labeled-only`; `--filter all` shows them all\n"
    );
    assert_eq!(said(&["tree", "../empty.jsonl"], 0), "the session has no entries\n");
    let after = said(&["entries", "../s.jsonl", "--after", "dddd0002"], 0);
    assert!(after.starts_with("no entries after dddd0002, the last of 5; leave out"), "{after}");
    for more in [&[][..], &["--last", "3"]] {
        let none = said(&[&["entries", "../empty.jsonl"], more].concat(), 0);
        let check = format!("`pitree check {}`", sandbox.path("empty.jsonl").display());
        assert!(none.starts_with(&format!("the session has no entries; {check}")), "{none}");
    }
    let json = sandbox.run(["entries", "../empty.jsonl", "--json"]).ok();
    assert_eq!(json.stderr, "");
    let runs = said(&["subagents", "../s.jsonl"], 1);
    assert!(runs.starts_with("no sub-agent runs in the 5 entries of this session; "), "{runs}");
    assert!(runs.contains("`pitree list --scope all --has subagent`"), "{runs}");
}

#[test]
fn a_whole_scope_is_checked() {
    let sandbox = Sandbox::new();
    let none = sandbox.run(["check", "--scope", "dir"]).exits(1);
    assert!(none.stderr.contains("no sessions in"), "{none:?}");
    let cwd = sandbox.project();
    let here = BRANCHED.replace("/home/ana/projects/weather", cwd.to_str().unwrap());
    let folder = sandbox.default_folder();
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("a.jsonl"), &here).unwrap();
    fs_err::write(folder.join("b.jsonl"), here.replace("00000000000a", "00000000000b")).unwrap();
    let other = "home/.pi/agent/sessions/--other--/o.jsonl";
    let _ = sandbox.write(other, &format!("{BRANCHED}{{\"type\":\n"));
    let mine = sandbox.run(["check", "--scope", "dir", "--json"]).ok();
    assert_eq!(mine.stdout.lines().count(), 2, "{mine:?}");
    for all in [&["--scope", "all"][..], &["--all"]] {
        let all = sandbox.run([&["check", "--json"], all].concat()).exits(3);
        assert_eq!(all.stdout.lines().count(), 3, "{all:?}");
        assert!(all.stdout.contains("\"damaged\":true"), "{all:?}");
    }
    let text = sandbox.run(["check", "--scope", "dir"]).ok().stdout;
    assert_eq!(text, "checked 2 sessions: all healthy\n");
    // What is not a session is explained where the list only counts it.
    fs_err::write(folder.join("notes.jsonl"), "not JSON at all\n").unwrap();
    let listed = sandbox.run(["list"]).ok();
    assert!(listed.stderr.contains("skipped 1 file that is not a session ("), "{listed:?}");
    let checked = sandbox.run(["check", "--scope", "dir"]).exits(3);
    assert!(checked.stdout.contains("/notes.jsonl: not a Pi session ("), "{checked:?}");
    let _ = sandbox.run(["check", "--scope", "dir", "../a.jsonl"]).exits(2);
    let _ = sandbox.run(["check"]).exits(2);
}

/// A session whose last reply has two code blocks.
fn with_code() -> String {
    BRANCHED.replace(
        "second answer",
        "Run this:\\n\\n```sh\\ncargo test\\n```\\n\\nthen\\n\\n~~~\\na\\nb\\n~~~\\nDone.",
    )
}

#[test]
fn without_a_clipboard_the_text_is_printed() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &with_code());
    let header = BRANCHED.lines().next().unwrap();
    let _ = sandbox.write("empty.jsonl", &format!("{header}\n"));
    let copied = |more: &[&str]| sandbox.run([&["copy", "../s.jsonl"], more].concat());
    let reply = copied(&[]).ok();
    assert!(reply.stdout.starts_with("Run this:\n\n```sh\ncargo test\n"), "{reply:?}");
    assert!(reply.stdout.ends_with("Done.\n"), "{reply:?}");
    assert!(reply.stderr.starts_with("no clipboard: this is not a terminal"), "{reply:?}");
    assert_eq!(copied(&["--code", "1"]).ok().stdout, "cargo test\n");
    assert_eq!(copied(&["--code", "2"]).ok().stdout, "a\nb\n");
    assert_eq!(copied(&["--at", "cccc"]).ok().stdout, "left behind\n");
    let json = copied(&["--json", "--code", "2"]).ok().json();
    assert_eq!(json, serde_json::json!({"entryId": "dddd0002", "program": null, "text": "a\nb\n"}));
    let more = copied(&["--code", "3"]).exits(1);
    assert!(
        more.stderr.contains("dddd0002 has only 2 code blocks; leave out `--code`"),
        "{more:?}"
    );
    let none = copied(&["--at", "aaaa", "--code", "1"]).exits(1);
    assert!(none.stderr.contains("aaaa0001 has no code blocks"), "{none:?}");
    let _ = copied(&["--code", "0"]).exits(2);
    let _ = copied(&["--at", "nobody"]).exits(1);
    let empty = sandbox.run(["copy", "../empty.jsonl"]).exits(1);
    assert!(empty.stderr.contains("the session has no reply to copy"), "{empty:?}");
}

#[test]
fn a_program_of_the_desktop_takes_the_text() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &with_code());
    let program = |name: &str, script: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = sandbox.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let taken = sandbox.path("taken");
    program("xclip", &format!("echo \"$@\" >'{0}'; /bin/cat >>'{0}'", taken.display()));
    let copy = |variables: &[(&str, &str)]| {
        let call = sandbox.call(["copy", "../s.jsonl", "--code", "1"]);
        let call = call.env("PATH", sandbox.path("bin"));
        variables.iter().fold(call, |call, (name, value)| call.env(name, *value)).run().ok()
    };
    // It belongs to a desktop that is not there.
    assert_eq!(copy(&[]).stdout, "cargo test\n");
    assert!(!taken.exists());
    let run = copy(&[("DISPLAY", ":0")]);
    let said = (run.stdout.as_str(), run.stderr.as_str());
    assert_eq!(said, ("", "copied code block 1 of dddd0002 with xclip\n"));
    let text = fs_err::read_to_string(&taken).unwrap();
    assert_eq!(text, "-selection clipboard\ncargo test\n");
    // One that fails is not one that is missing.
    program("xclip", "echo \"Can't open display\" >&2; exit 1");
    let run = copy(&[("DISPLAY", ":0")]);
    let failed = "not copied: `xclip` failed with exit code 1: Can't open display\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("cargo test\n", failed));
    let call = sandbox.call(["copy", "../s.jsonl", "--json"]).env("PATH", sandbox.path("bin"));
    let json = call.env("DISPLAY", ":0").run().ok();
    assert_eq!(json.json()["program"], serde_json::Value::Null);
    assert_eq!(format!("not copied: {}", json.stderr), failed);
    // One that hangs is ended.
    program("xclip", "exec /bin/sleep 60");
    let start = Instant::now();
    let run = copy(&[("DISPLAY", ":0")]);
    assert!(start.elapsed() < Duration::from_secs(20));
    let hangs = "not copied: `xclip` did not take the text within 3 seconds\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("cargo test\n", hangs));
    // Programs are found on PATH alone, not in the working directory.
    program("xclip", "exec /bin/cat");
    let call = sandbox.call(["copy", "../s.jsonl", "--code", "1"]).env("PATH", "../bin:.");
    assert_eq!(call.env("DISPLAY", ":0").run().ok().stdout, "cargo test\n");
}

#[test]
fn without_a_terminal_open_prints_the_path() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.call(["open", "../s.jsonl"]).env("EDITOR", "false").run().ok();
    assert_eq!(fs_err::canonicalize(run.printed_path()).unwrap(), path);
    assert_eq!(run.stderr, "an editor needs a terminal; this is the path of the file\n");
    let json = sandbox.run(["open", "../s.jsonl", "--json"]).ok();
    assert!(json.json()["path"].as_str().unwrap().ends_with("s.jsonl"), "{json:?}");
    assert_eq!(json.stderr, "");
    let _ = sandbox.run(["open", "nobody"]).exits(1);
}
