//! `pitree extract` as a user runs it: what it writes, prints, refuses and remembers.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{BRANCHED, Print, Sandbox, files_below, lines, mode};

/// All files of a folder with their bytes.
fn written(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| (name.clone(), fs_err::read(folder.join(name)).unwrap());
    files_below(folder).into_iter().map(read).collect()
}

#[test]
fn a_data_set_is_a_folder_with_a_card() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let before = Print::of(&path);
    let args =
        ["extract", "../s.jsonl", "--output", "data set", "--format", "chat", "--keep-home-paths"];
    let run = sandbox.run(args).ok();
    assert!(run.stdout.contains("1 sample from 1 session in"), "{run:?}");
    let folder = sandbox.project().join("data set");
    let first = written(&folder);
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    let plots = ["messages-by-role.svg", "samples-by-tokens.svg", "spend-by-model.svg"];
    assert_eq!(names, [&["README.md", "card.json", "data.jsonl"], &plots[..]].concat());
    assert_eq!(lines(&folder.join("data.jsonl")).len(), 1);
    let card: serde_json::Value = serde_json::from_slice(&first["card.json"]).unwrap();
    assert_eq!(card["command"], "pitree extract ../s.jsonl --format chat --keep-home-paths");
    // The second run replaces the first with the same bytes.
    let again = sandbox.run(args.into_iter().chain(["--json", "--jobs", "3"])).ok().json();
    assert_eq!((&again["samples"], &again["fromCache"]), (&1.into(), &1.into()));
    assert_eq!(written(&folder), first);
    let elsewhere = ["extract", "../s.jsonl", "--format", "chat", "-o", "elsewhere", "--no-index"];
    let _ = sandbox.run(elsewhere.into_iter().chain(["--keep-home-paths"])).ok();
    assert_eq!(written(&sandbox.project().join("elsewhere")), first);
    assert_eq!(Print::of(&path), before);
}

#[test]
fn a_data_set_is_cut_into_as_many_files_as_are_wanted() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let other = BRANCHED.replace("0001", "0009").replace("0002", "0008");
    let _ = sandbox.write("t.jsonl", &other);
    let made = |out: &str, more: &[&str]| {
        let args = ["extract", "../s.jsonl", "../t.jsonl", "--json", "--output", out];
        let run = sandbox.run(args.iter().chain(more).copied()).ok();
        let json = run.json();
        let names = json["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        (names.map(str::to_owned).collect::<Vec<_>>(), run.stderr)
    };
    let (names, _) = made("shards", &["--shards", "2"]);
    assert_eq!(names, ["data-00000-of-00002.jsonl", "data-00001-of-00002.jsonl"]);
    let (names, _) = made("small", &["--shard-bytes", "100", "--compress", "zst"]);
    assert!(names.len() > 1 && names.iter().all(|name| name.ends_with(".jsonl.zst")), "{names:?}");
    let (names, said) = made("traces", &["--shards", "2", "--format", "hf-traces"]);
    assert!(names.iter().all(|name| !name.contains("-of-")), "{names:?}");
    assert!(said.contains("--shards and --shard-bytes do nothing"), "{said}");
    for refused in [
        &["--shards", "0"][..],
        &["--shard-bytes", "0"],
        &["--shards", "2", "--shard-bytes", "1kB"],
    ] {
        let args = ["extract", "../s.jsonl", "--output", "none"];
        let _ = sandbox.run(args.iter().chain(refused).copied()).exits(2);
    }
    let printed = ["extract", "../s.jsonl", "--output", "-", "--shards", "2"];
    let run = sandbox.run(printed).exits(2);
    assert!(run.stderr.contains("pass a folder with --output"), "{run:?}");
}

#[test]
fn tables_trajectories_and_traces_are_files() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for (format, count) in [("parquet", 6), ("atif", 1), ("hf-traces", 1)] {
        let args = ["extract", "../s.jsonl", "--format", format, "--json", "--output"];
        let run = sandbox.run(args.into_iter().chain([format])).ok().json();
        let files = run["files"].as_array().unwrap();
        assert_eq!(files.len(), count, "{run}");
        let folder = sandbox.project().join(format);
        assert!(files.iter().all(|file| folder.join(file.as_str().unwrap()).is_file()), "{run}");
        let refused = sandbox.run(args.into_iter().chain(["-"])).exits(2);
        assert!(refused.stderr.contains("pass a folder"), "{refused:?}");
    }
}

#[test]
fn lines_can_be_printed() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "-"]).ok();
    let line: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(line["messages"][0]["role"], "user");
    assert_eq!(files_below(&sandbox.project()), [""; 0]);
}

/// A question with an image, and its answer.
const PICTURE: &str = concat!(
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/shop"}"#,
    "\n",
    r#"{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":1770159127000}}"#,
    "\n",
    r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"A dot."}],"api":"openai-completions","provider":"local","model":"small","stopReason":"stop","timestamp":1770159128000}}"#,
    "\n",
);

#[test]
fn requests_follow_the_settings_of_pi_and_are_kept_while_these_stay() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", PICTURE);
    let args = ["extract", "../s.jsonl", "--unit", "request", "--format", "openai"];
    let extract = || {
        let run = sandbox.run(args.into_iter().chain(["--json", "--output", "data"])).ok().json();
        let line = lines(&sandbox.project().join("data/data.jsonl")).remove(0);
        (line["messages"][0]["content"][1].clone(), run["fromCache"].clone())
    };
    let (image, from_cache) = extract();
    assert_eq!((image["type"].as_str(), from_cache), (Some("image_url"), 0.into()));
    assert_eq!(extract().1, 1);
    let agent = sandbox.home().join(".pi/agent");
    fs_err::create_dir_all(&agent).unwrap();
    fs_err::write(agent.join("settings.json"), r#"{"images":{"blockImages":true}}"#).unwrap();
    let (words, from_cache) = extract();
    assert_eq!(words["text"].as_str(), Some("Image reading is disabled."));
    assert_eq!(from_cache, 0);
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    fs_err::create_dir(sandbox.project().join("mine")).unwrap();
    fs_err::write(sandbox.project().join("mine/thesis.txt"), "ten years").unwrap();
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "mine"]).exits(4);
    assert!(run.stderr.contains("nothing was written"), "{run:?}");
    assert_eq!(files_below(&sandbox.project()), ["mine/thesis.txt"]);
    let _ = sandbox.run(["extract", "../s.jsonl", "--output", "ours"]).ok();
    fs_err::os::unix::fs::symlink("ours", sandbox.project().join("link")).unwrap();
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "link"]).exits(4);
    assert!(run.stderr.contains("link: it is a symbolic link"), "{run:?}");
    fs_err::write(sandbox.project().join("ours/notes.txt"), "read this").unwrap();
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "ours"]).exits(4);
    assert!(run.stderr.contains("did not write notes.txt"), "{run:?}");
}

#[test]
fn the_key_is_the_users_alone() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let args = ["extract", "../s.jsonl", "--output", "data", "--key", "k"];
    let _ = sandbox.run(args).ok();
    let key = sandbox.project().join("k");
    assert_eq!(mode(&key), 0o600);
    let bytes = fs_err::read(&key).unwrap();
    for (name, file) in written(&sandbox.project().join("data")) {
        assert!(!file.windows(8).any(|part| part == &bytes[..8]), "{name} holds the key");
    }
    fs_err::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    let run = sandbox.run(args).exits(4);
    assert!(run.stderr.contains("chmod 600"), "{run:?}");
    fs_err::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    let _ = sandbox.run(args).ok();
    assert_eq!(fs_err::read(&key).unwrap(), bytes);
}

#[test]
fn secrets_are_written_only_if_they_are_asked_for() {
    let sandbox = Sandbox::new();
    let token = ["gh", "p_", "R8xK2mQ5vT9wZ3nB6cJ1hL4dF7gS0pYaUeIo"].concat();
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("first question", &token));
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "-"]).ok();
    assert!(run.stdout.contains("[REDACTED:github") && !run.stdout.contains(&token), "{run:?}");
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "-", "--no-redact"]).ok();
    assert!(run.stdout.contains(&token), "{run:?}");
    assert!(run.stderr.contains("nothing is redacted"), "{run:?}");
    let _ = sandbox.run(["extract", "../s.jsonl", "--output", "bare", "--no-redact"]).ok();
    let bare = sandbox.project().join("bare");
    assert_eq!((mode(&bare), mode(&bare.join("data.jsonl"))), (0o700, 0o600));
}

#[test]
fn what_is_no_session_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let _ = sandbox.write("bad.jsonl", "no session\n");
    let run = sandbox.run(["extract", "../bad.jsonl", "../s.jsonl", "--output", "data"]).ok();
    let named =
        format!("left out: {}: it is not a Pi session", sandbox.path("bad.jsonl").display());
    assert!(run.stderr.contains(&named), "{run:?}");
    let run = sandbox.run(["extract", "../bad.jsonl", "--output", "data"]).exits(1);
    assert!(run.stderr.contains(&named), "{run:?}");
    let why = "nothing was extracted; `pitree check FILE` says what is wrong with a file\n";
    assert!(run.stderr.ends_with(why), "{run:?}");
}

#[test]
fn the_shared_index_says_which_sessions_there_are() {
    let sandbox = Sandbox::new();
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    let _ = sandbox.write(&format!("{folder}/1.jsonl"), BRANCHED);
    let args = ["extract", "--output", "-", "--shared-index"];
    let run = sandbox.run(args).exits(3);
    assert!(run.stderr.contains("pitree index --shared"), "{run:?}");
    let _ = sandbox.run(["index", "--shared"]).ok();
    // A session that the index does not know yet.
    let late = BRANCHED.replace("first question", "late question").replace("answer", "reply");
    let _ = sandbox.write(&format!("{folder}/2.jsonl"), &late);
    let run = sandbox.run(args).ok();
    assert!(run.stdout.contains("first question"), "{run:?}");
    assert!(!run.stdout.contains("late question"), "{run:?}");
    let run = sandbox.run(["extract", "--output", "-"]).ok();
    assert!(run.stdout.contains("late question"), "{run:?}");
}

#[test]
fn limits_that_leave_nothing_are_refused() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let _ = sandbox.run(["extract", "../s.jsonl", "--output", "data"]).ok();
    let before = written(&sandbox.project().join("data"));
    for limit in ["--max-similar", "--max-tokens"] {
        let run = sandbox.run(["extract", "../s.jsonl", "--output", "data", limit, "0"]).exits(2);
        assert!(run.stderr.contains(limit), "{run:?}");
    }
    assert_eq!(written(&sandbox.project().join("data")), before);
}
