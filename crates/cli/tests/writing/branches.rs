//! `fork`, `clone` and `goto`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{BRANCHED, Print, Sandbox, files_below, last_line, lines};

fn branched() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    (sandbox, path)
}

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

#[test]
fn fork_lists_the_user_messages_of_all_branches() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let run = sandbox.run(["fork", "../s.jsonl"]).ok();
    let expected = "aaaa0001  first question\ncccc0001  left behind\ndddd0001  second question\n";
    assert_eq!(run.stdout, expected);
    assert!(run.stderr.contains("--at"), "{run:?}");
    let json = sandbox.run(["fork", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(json["messages"][1], json!({"entryId": "cccc0001", "text": "left behind"}));
    assert_eq!(Print::of(&path), before);
}

#[test]
fn fork_at_a_message_ends_before_it() {
    let (sandbox, path) = branched();
    let _ = sandbox.run(["label", "../s.jsonl", "bbbb0001", "good"]).ok();
    let before = Print::of(&path);
    let made = sandbox.run(["fork", "../s.jsonl", "--at", "dddd0001", "--json"]).ok().json();
    assert_eq!(made["text"], "second question");
    assert_eq!(made["cancelled"], false);
    let fork = PathBuf::from(made["path"].as_str().unwrap());
    assert_eq!(fork.parent(), path.parent(), "beside its source");
    let all = lines(&fork);
    assert_eq!(all[0]["id"], made["id"]);
    assert_eq!(all[0]["parentSession"], path.to_str().unwrap());
    assert_eq!(all[0]["cwd"], "/home/ana/projects/weather");
    assert_eq!(ids(&all[1..3]), ["aaaa0001", "bbbb0001"]);
    assert_eq!(all[3]["type"], "label");
    assert_eq!((&all[3]["targetId"], &all[3]["label"]), (&json!("bbbb0001"), &json!("good")));
    assert_eq!(all.len(), 4);
    // The copied lines are the same bytes.
    let source: Vec<&str> = BRANCHED.lines().collect();
    let text = fs_err::read_to_string(&fork).unwrap();
    assert_eq!(text.lines().skip(1).take(2).collect::<Vec<_>>(), source[1..3]);
    assert_eq!(Print::of(&path), before, "the source is left as it is");
}

#[test]
fn fork_says_the_message_to_people_on_standard_error() {
    let (sandbox, _) = branched();
    let run = sandbox.run(["fork", "../s.jsonl", "--at", "cccc"]).ok();
    assert!(run.printed_path().is_file(), "only the path on standard output: {run:?}");
    assert!(run.stderr.contains("left behind"), "{run:?}");
}

#[test]
fn fork_at_the_first_message_is_an_empty_session() {
    let (sandbox, path) = branched();
    let fork = sandbox.run(["fork", "../s.jsonl", "--at", "aaaa"]).ok().printed_path();
    let all = lines(&fork);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["parentSession"], path.to_str().unwrap());
}

#[test]
fn fork_at_something_else_is_refused() {
    let (sandbox, path) = branched();
    let run = sandbox.run(["fork", "../s.jsonl", "--at", "bbbb"]).exits(4);
    let why = "Entry bbbb0001 is not a user message; a fork begins before one";
    assert!(run.stderr.contains(why), "{run:?}");
    assert!(run.stderr.contains("`pitree fork ../s.jsonl` lists the user messages"), "{run:?}");
    let _ = sandbox.run(["fork", "../s.jsonl", "--at", "eeee"]).exits(1);
    let siblings = fs_err::read_dir(path.parent().unwrap()).unwrap();
    let sessions = siblings.filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "jsonl")
    });
    assert_eq!(sessions.count(), 1, "no new file");
}

#[test]
fn fork_whole_takes_everything_to_another_directory() {
    let sandbox = Sandbox::new();
    let damage = "{\"torn\":\n";
    let path = sandbox.write("s.jsonl", &format!("{BRANCHED}{damage}"));
    let before = Print::of(&path);
    let other = sandbox.path("other");
    fs_err::create_dir(&other).unwrap();
    let args = ["fork", "../s.jsonl", "--whole", "--cwd", "../other", "--json"];
    let made = sandbox.run(args).ok().json();
    let fork = PathBuf::from(made["path"].as_str().unwrap());
    let root = sandbox.home().join(".pi/agent/sessions");
    let folder = other.to_string_lossy().replace('/', "-");
    assert_eq!(fork.parent().unwrap(), root.join(format!("-{folder}--")));
    let text = fs_err::read_to_string(&fork).unwrap();
    let (header, rest) = text.split_once('\n').unwrap();
    let (_, source) = BRANCHED.split_once('\n').unwrap();
    assert_eq!(rest, format!("{source}{damage}"), "every branch and the damage too");
    let header: Value = serde_json::from_str(header).unwrap();
    assert_eq!(header["cwd"], other.to_str().unwrap());
    assert_eq!(header["parentSession"], path.to_str().unwrap());
    assert_ne!(header["id"], "01a00000-0000-7000-8000-00000000000a");
    assert_eq!(Print::of(&path), before);
    let _ = sandbox.run(["fork", "../s.jsonl", "--cwd", "/x"]).exits(2);
}

#[test]
fn fork_in_the_dialect_of_the_port() {
    let (sandbox, path) = branched();
    let args = ["fork", "../s.jsonl", "--at", "dddd0001", "--dialect", "port"];
    let fork = sandbox.run(args).ok().printed_path();
    let header = lines(&fork).swap_remove(0);
    assert_eq!(header["branchedFrom"], path.to_str().unwrap());
    assert_eq!(header.get("parentSession"), None);
    let (time, id) = (header["timestamp"].as_str().unwrap(), header["id"].as_str().unwrap());
    let name = format!("{}_{}.jsonl", time.replace(':', "-"), &id[..8]);
    assert_eq!(fork.file_name().unwrap().to_str().unwrap(), name);
    let args = ["clone", "../s.jsonl", "--dialect", "port"];
    let clone = sandbox.run(args).ok().printed_path();
    assert_eq!(lines(&clone)[0]["branchedFrom"], path.to_str().unwrap());
}

/// The port refuses a file with a line that it does not know.
#[test]
fn a_clone_that_the_port_refuses_is_reported() {
    let (sandbox, path) = branched();
    let known = sandbox.run(["clone", "../s.jsonl", "--dialect", "port"]).ok();
    assert!(known.stderr.starts_with("next: pitree resume "), "{known:?}");
    for line in [
        r#"{"type":"usage","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:53:00.000Z","usage":{}}"#,
        r#"{"type":"context_edit","id":"eeee0002","parentId":"eeee0001","timestamp":"2026-02-03T22:53:00.000Z","edits":[]}"#,
    ] {
        let text = fs_err::read_to_string(&path).unwrap() + line + "\n";
        fs_err::write(&path, text).unwrap();
        let run = sandbox.run(["clone", "../s.jsonl", "--dialect", "port"]).ok();
        let words = "pi_agent_rust refuses the new file or opens it read-only: line 6: ";
        assert!(run.stderr.contains(words), "{run:?}");
    }
    let run = sandbox.run(["clone", "../s.jsonl"]).ok();
    assert!(!run.stderr.contains("refuses"), "Pi takes them: {run:?}");
}

#[test]
fn a_fork_of_a_session_of_the_port_has_its_form_and_says_what_to_resume_with() {
    let sandbox = Sandbox::new();
    let plain = r#""version":3,"#;
    let port = concat!(
        r#""version":3,"provider":"old","modelId":"older","thinkingLevel":"low","#,
        r#""branchedFrom":"/p.jsonl","#
    );
    let change = concat!(
        r#"{"type":"model_change","id":"eeee0001","parentId":"dddd0002","#,
        r#""timestamp":"2026-02-03T22:52:12.000Z","provider":"new","modelId":"newer"}"#,
        "\n"
    );
    let text = BRANCHED.replacen(plain, port, 1) + change;
    let path = sandbox.write("s.jsonl", &text);
    let settings = |header: &Value| {
        let text = |name: &str| header[name].as_str().unwrap_or("none").to_owned();
        [text("provider"), text("modelId"), text("thinkingLevel")]
    };
    // Before the change of the model the assistant's own is known, and after it the change.
    let before = ["clone", "../s.jsonl", "--at", "aaaa0001"];
    for (args, wanted) in [
        (&before[..], ["old", "older", "low"]),
        (&["clone", "../s.jsonl"], ["new", "newer", "low"]),
        (&["fork", "../s.jsonl", "--at", "aaaa0001"], ["old", "older", "low"]),
        (&["fork", "../s.jsonl", "--whole"], ["new", "newer", "low"]),
    ] {
        let header = lines(&sandbox.run(args).ok().printed_path()).swap_remove(0);
        assert_eq!(header["branchedFrom"], path.to_str().unwrap(), "{args:?}");
        assert_eq!(header.get("parentSession"), None, "{args:?}");
        assert_eq!(settings(&header), wanted, "{args:?}");
    }
    let args = ["clone", "../s.jsonl", "--dialect", "pi"];
    let header = lines(&sandbox.run(args).ok().printed_path()).swap_remove(0);
    assert_eq!(header["parentSession"], path.to_str().unwrap());
    assert_eq!((header.get("branchedFrom"), header.get("modelId")), (None, None));
}

#[test]
fn clone_copies_the_active_branch() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let clone = sandbox.run(["clone", "../s.jsonl"]).ok().printed_path();
    let all = lines(&clone);
    assert_eq!(all[0]["parentSession"], path.to_str().unwrap());
    assert_eq!(ids(&all[1..]), ["aaaa0001", "bbbb0001", "dddd0001", "dddd0002"]);
    let clone = sandbox.run(["clone", "../s.jsonl", "--at", "cccc"]).ok().printed_path();
    assert_eq!(ids(&lines(&clone)[1..]), ["aaaa0001", "bbbb0001", "cccc0001"]);
    assert_eq!(Print::of(&path), before);
}

#[test]
fn an_empty_session_has_nothing_to_clone() {
    let sandbox = Sandbox::new();
    let path = sandbox.run(["new"]).ok().printed_path();
    let run = sandbox.run(["clone", path.to_str().unwrap()]).exits(4);
    assert!(run.stderr.contains("no entry to clone"), "{run:?}");
}

#[test]
fn goto_a_user_message_stands_at_its_parent() {
    let (sandbox, path) = branched();
    let moved = sandbox.run(["goto", "../s.jsonl", "cccc", "--json"]).ok().json();
    assert_eq!(moved["resumePoint"], "bbbb0001");
    assert_eq!(moved["editorText"], "left behind");
    assert_eq!(moved["moved"], true);
    let last = last_line(&path);
    assert_eq!(last["id"], moved["leafId"]);
    assert_eq!(last["customType"], "pitree.leaf");
    assert_eq!(last["parentId"], "bbbb0001");
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(BRANCHED));
    // The place holds for what comes next.
    let context = sandbox.run(["context", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(context["messages"].as_array().unwrap().len(), 2);
    let run = sandbox.call(["append", "../s.jsonl"]).input("anew").run().ok();
    let branch = sandbox.run(["path", "../s.jsonl", "--json"]).ok().json();
    let way = [json!("aaaa0001"), json!("bbbb0001"), moved["leafId"].clone(), json!(run.line())];
    let found: Vec<Value> =
        branch["entries"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(found, way);
}

#[test]
fn goto_another_entry_stands_at_it() {
    let (sandbox, path) = branched();
    let run = sandbox.run(["goto", "../s.jsonl", "bbbb"]).ok();
    assert_eq!(run.stdout, "The current position is bbbb0001.\n");
    assert!(run.stderr.starts_with("next: pitree resume "), "{run:?}");
    assert_eq!(last_line(&path)["parentId"], "bbbb0001");
}

#[test]
fn goto_with_a_summary_leaves_one_for_the_model() {
    let (sandbox, path) = branched();
    let args = ["goto", "../s.jsonl", "bbbb", "--summary", "It led nowhere.", "--json"];
    let moved = sandbox.run(args).ok().json();
    let last = last_line(&path);
    assert_eq!(last["type"], "branch_summary");
    assert_eq!(last["id"], moved["leafId"]);
    assert_eq!(last["fromId"], "dddd0002", "the leaf that was left");
    assert_eq!(last["parentId"], "bbbb0001");
    assert_eq!(last["summary"], "It led nowhere.");
    let context = sandbox.run(["context", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(context["messages"][2]["role"], "branchSummary");
}

#[test]
fn a_misspelled_setting_is_reported_when_nobody_writes_the_summary() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let config = sandbox.path("config");
    sandbox.write("config/pitree/config.json", r#"{"summarizr":{"command":"cat"}}"#);
    let args = ["compact", "../s.jsonl", "--keep-recent", "1"];
    let run = sandbox.call(args).env("XDG_CONFIG_HOME", config).run();
    assert_ne!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("did you mean `summarizer`?"), "{run:?}");
    assert_eq!(Print::of(&path), before);
}

#[test]
fn goto_where_one_stands_changes_nothing() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let run = sandbox.run(["goto", "../s.jsonl", "dddd0002"]).ok();
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("already there"), "{run:?}");
    let moved = sandbox.run(["goto", "../s.jsonl", "dddd0002", "--json"]).ok().json();
    assert_eq!(moved, json!({"leafId": "dddd0002", "moved": false}));
    assert_eq!(Print::of(&path), before);
}

#[test]
fn goto_the_first_message_begins_a_new_root() {
    let (sandbox, path) = branched();
    let moved = sandbox.run(["goto", "../s.jsonl", "aaaa", "--json"]).ok().json();
    assert_eq!(moved["resumePoint"], json!(null));
    assert_eq!(moved["editorText"], "first question");
    assert_eq!(last_line(&path)["parentId"], json!(null));
    let context = sandbox.run(["context", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(context["messages"], json!([]));
}

#[test]
fn goto_nowhere_finds_nothing() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let _ = sandbox.run(["goto", "../s.jsonl", "eeee"]).exits(1);
    let run = sandbox.run(["goto", "../s.jsonl", "dddd"]).exits(2);
    assert!(run.stderr.contains("dddd0001, dddd0002"), "{run:?}");
    assert_eq!(Print::of(&path), before);
}

#[test]
fn a_named_location_takes_forks_and_clones() {
    let (sandbox, path) = branched();
    let source = path.to_str().unwrap();
    let folder = sandbox.path("elsewhere");
    let elsewhere = folder.to_str().unwrap();
    let run = sandbox.run(["clone", source, "--session-dir", elsewhere]).ok();
    assert!(run.stdout.starts_with(elsewhere), "{run:?}");
    let run = sandbox.run(["fork", source, "--at", "cccc0001", "--session-dir", elsewhere]).ok();
    assert!(run.stdout.starts_with(elsewhere), "{run:?}");
    assert_eq!(files_below(&folder).len(), 2);
}

#[test]
fn goto_the_leaf_sets_its_label() {
    let (sandbox, path) = branched();
    let run = sandbox.run(["goto", "../s.jsonl", "dddd0002", "--label", "good"]).ok();
    assert!(run.stdout.contains("dddd0002 is now labeled good"), "{run:?}");
    let last = last_line(&path);
    assert_eq!((&last["targetId"], &last["label"]), (&json!("dddd0002"), &json!("good")));
    assert_eq!(last["parentId"], "dddd0002");
}

#[test]
fn a_prefix_of_several_entries_names_them_all() {
    let sandbox = Sandbox::new();
    let mut text = BRANCHED.to_owned();
    for number in 2..4 {
        let line = BRANCHED.lines().nth(3).unwrap();
        text.push_str(&line.replace("cccc0001", &format!("cccc000{number}")));
        text.push('\n');
    }
    let _ = sandbox.write("s.jsonl", &text);
    let run = sandbox.run(["fork", "../s.jsonl", "--at", "cccc"]).exits(2);
    assert!(run.stderr.contains("cccc0001, cccc0002, cccc0003\n"), "{run:?}");
    for number in 4..10 {
        let line = BRANCHED.lines().nth(3).unwrap();
        text.push_str(&line.replace("cccc0001", &format!("cccc000{number}")));
        text.push('\n');
    }
    let _ = sandbox.write("s.jsonl", &text);
    let run = sandbox.run(["fork", "../s.jsonl", "--at", "cccc"]).exits(2);
    assert!(run.stderr.contains("cccc0008, and 1 more\n"), "{run:?}");
}

#[test]
fn a_filter_that_hides_the_position_says_so() {
    let (sandbox, _) = branched();
    let tree = |args: &[&str]| {
        let run = sandbox.run([&["tree", "../s.jsonl"], args].concat()).ok();
        let marked = run.stdout.lines().find(|line| line.contains('←')).map(str::to_owned);
        marked.unwrap_or_default()
    };
    assert!(tree(&[]).ends_with("second answer  ← current"), "{}", tree(&[]));
    let users = tree(&["--filter", "user-only"]);
    assert!(users.ends_with("second question  ← current (below)"), "{users}");
    let _ = sandbox.run(["label", "../s.jsonl", "aaaa", "x"]).ok();
    let labeled = tree(&["--filter", "labeled-only"]);
    assert!(labeled.ends_with("first question  ← current (below)"), "{labeled}");
}

#[test]
fn a_label_brings_back_nothing_that_the_navigator_hides() {
    let sandbox = Sandbox::new();
    let silent = r#"{"type":"message","id":"bbbb0009","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}],"stopReason":"toolUse"}}"#;
    let mut text: String = BRANCHED.lines().take(2).map(|line| format!("{line}\n")).collect();
    text.push_str(silent);
    text.push('\n');
    let _ = sandbox.write("s.jsonl", &text);
    let _ = sandbox.run(["label", "../s.jsonl", "bbbb0009", "call"]).ok();
    let _ = sandbox.run(["label", "../s.jsonl", "aaaa0001", "question"]).ok();
    let tree = |filter: &str| sandbox.run(["tree", "../s.jsonl", "--filter", filter]).ok().stdout;
    assert!(tree("labeled-only").contains("[question]"), "{}", tree("labeled-only"));
    assert!(!tree("labeled-only").contains("[call]"), "{}", tree("labeled-only"));
    // A printed tree with all entries is complete.
    assert!(tree("all").contains("[call]"), "{}", tree("all"));
}

#[test]
fn a_session_with_one_branch_says_so() {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .write("s.jsonl", &BRANCHED.lines().take(3).map(|l| format!("{l}\n")).collect::<String>());
    for json in [&[][..], &["--json"]] {
        let run = sandbox.run([&["tree", "../s.jsonl", "--branch-points"], json].concat()).exits(1);
        assert!(run.stderr.contains("no branch points"), "{run:?}");
    }
}
