//! Reading does not write: every verb that only reads leaves bytes, mtime and folder alone.

use std::time::{Duration, SystemTime};

use crate::common::{BRANCHED, Print, Sandbox, VERSION_1, files_below};

/// Every verb that only reads, with what follows the file.
const READING: [&[&str]; 23] = [
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
    "resume",
    "rpc",
    "search",
    "secrets",
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
