//! What the command says where a count, a name or a reason decides on the words.

use std::net::TcpListener;

use crate::common::{BRANCHED, Sandbox};

const CHANGE: &str = r#"{"type":"model_change","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","provider":"p","modelId":"m"}"#;

#[test]
fn one_of_a_thing_is_not_several() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("some/s.jsonl", BRANCHED);
    let some = ["--session-dir", "../some"];
    let run = sandbox.run([&["index", "--rebuild"], &some[..]].concat()).ok();
    assert_eq!(run.stderr, "re-read 1 session\n");
    assert!(run.stdout.contains(": 1 file, "), "{run:?}");
    let two: String = BRANCHED.split_inclusive('\n').take(2).collect();
    let _ = sandbox.write("one.jsonl", &two);
    let said = sandbox.run(["show", "../one.jsonl", "--mode", "costs"]).ok().stdout;
    assert!(said.contains("\n1 entry on all branches; "), "{said}");
}

#[test]
fn a_branch_with_nothing_to_summarize_is_called_so() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", &format!("{BRANCHED}{CHANGE}\n"));
    let goto = |entry: &str| {
        let args = ["goto", "../s.jsonl", entry, "--summarize", "--summarizer-command", "echo so"];
        sandbox.run(args).ok().stdout
    };
    let said = goto("dddd0002");
    let entry = crate::common::last_line(&path);
    let id = entry["id"].as_str().unwrap();
    assert_eq!(entry["summary"], "No content to summarize");
    let wanted = format!("The abandoned branch has nothing to summarize; {id} says so.\n");
    assert!(said.contains(&wanted), "{said}");
    let said = goto("cccc0001");
    assert!(said.contains("\nThe summary of the abandoned branch is "), "{said}");
}

#[test]
fn an_entry_that_is_missing_leads_to_the_tree_of_its_session() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("my session.jsonl", BRANCHED);
    let run = sandbox.run(["goto", "../my session.jsonl", "zz"]).exits(1);
    let tree = format!("hint: `pitree tree '{}' --print` shows the ids; ", path.display());
    assert!(run.stderr.contains(&tree), "{run:?}");
}

#[test]
fn a_port_that_cannot_be_used_is_explained() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["serve", "--port", "99999"]).exits(2);
    assert!(run.stderr.contains("give a port from 0 to 65535\n"), "{run:?}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = sandbox.run(["serve", "--port", &port, "--for", "1"]).exits(4);
    let hint = "hint: another program uses this port; pass another `--port`, or leave it out for a \
                free one\n";
    assert!(run.stderr.ends_with(hint), "{run:?}");
}

#[test]
fn nobody_waits_for_a_file_that_is_not_a_session() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("notes.jsonl", "buy milk\n");
    let run = sandbox.run(["watch", "../notes.jsonl", "--for", "1"]).exits(3);
    assert!(run.stderr.contains("notes.jsonl is not a Pi session: "), "{run:?}");
    // Pi begins a session in an empty file.
    let _ = sandbox.write("empty.jsonl", "");
    let _ = sandbox.run(["watch", "../empty.jsonl", "--for", "0.1"]).ok();
}

#[test]
fn sessions_with_the_same_id_are_told_apart_by_their_paths() {
    let sandbox = Sandbox::new();
    let paths = ["a", "b"].map(|name| sandbox.write(&format!("some/{name}.jsonl"), BRANCHED));
    let run = sandbox.run(["resume", "01a00000", "--session-dir", "../some"]).exits(2);
    let hint = "they have the same id; choose one with --pick NUMBER, or pass its path\n";
    assert_eq!(run.stderr, hint);
    for path in &paths {
        assert!(run.stdout.contains(&format!("     {}\n", path.display())), "{run:?}");
    }
    let own = BRANCHED.replace("/home/ana/projects/weather", &sandbox.project().to_string_lossy());
    let _ = sandbox.write("one/s.jsonl", &own);
    let run = sandbox.run(["resume", "--session-dir", "../one"]).exits(1);
    assert_eq!(run.stderr, "resume it with --pick 1, or by its id\n");
}

#[test]
fn a_place_without_sessions_says_what_it_is_and_who_named_it() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("notes.jsonl", "");
    let run = sandbox.run(["list", "--session-dir", "../notes.jsonl"]).exits(2);
    let said = format!("error: {} is a file, not a folder\n", file.display());
    assert!(run.stderr.starts_with(&said), "{run:?}");
    let call = sandbox.call(["list"]).env("PI_CODING_AGENT_SESSION_DIR", "/none");
    let run = call.run();
    assert!(
        run.stderr.ends_with("\n/none does not exist (PI_CODING_AGENT_SESSION_DIR)\n"),
        "{run:?}"
    );
    // A folder that nobody has named may be missing.
    assert!(!sandbox.run(["list"]).stderr.contains("does not exist"));
}

#[test]
fn two_summarizers_are_named_where_they_are_set() {
    let sandbox = Sandbox::new();
    let compact = ["compact", "../s.jsonl", "--keep-recent", "1"];
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let options = ["--summarizer-command", "a", "--summarizer-model", "b/c"];
    let run = sandbox.run([&compact[..], &options].concat()).exits(2);
    let both = "'--summarizer-command <COMMAND>' cannot be used with '--summarizer-model <MODEL>'";
    assert!(run.stderr.contains(both), "{run:?}");
    let call = sandbox.call(compact).env("PITREE_SUMMARIZER_COMMAND", "a");
    let run = call.env("PITREE_SUMMARIZER_URL", "http://localhost:1").run().exits(2);
    let both = "PITREE_SUMMARIZER_COMMAND and PITREE_SUMMARIZER_URL are both set; ";
    assert!(run.stderr.contains(both), "{run:?}");
    let config = r#"{"summarizer": {"command": "a", "url": "http://localhost:1"}}"#;
    let _ = sandbox.write("home/.config/pitree/config.json", config);
    let run = sandbox.run(compact).exits(3);
    let both = "/config.json, summarizer: has both command and url; keep one of them\n";
    assert!(run.stderr.contains(both), "{run:?}");
}

#[test]
fn what_became_of_replies_adds_up() {
    let sandbox = Sandbox::new();
    let failed = BRANCHED.replacen(r#""stopReason":"stop""#, r#""stopReason":"error""#, 1);
    let _ = sandbox.write("failed.jsonl", &failed);
    let run = sandbox.run(["extract", "../failed.jsonl", "-o", "a"]).ok();
    assert!(run.stderr.contains("2 replies: 1 trained, 1 failed or was aborted\n"), "{run:?}");
    let header: String = BRANCHED.split_inclusive('\n').take(1).collect();
    let _ = sandbox.write("none.jsonl", &header);
    let run = sandbox.run(["extract", "../none.jsonl", "-o", "b"]).ok();
    assert!(run.stderr.contains("no reply to train on was found\n"), "{run:?}");
}

#[test]
fn a_full_disk_names_the_file_that_was_asked_for() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let limited = ["/bin/sh", "-c", "ulimit -f 1; exec \"$@\"", "sh"];
    let run = sandbox.call(["export", "../s.jsonl", "-o", "s.html"]).within(&limited).run();
    let run = run.exits(3);
    assert!(run.stderr.contains("s.html: File too large (os error 27)\n"), "{run:?}");
    assert!(!run.stderr.contains(".pitree-"), "{run:?}");
}

#[test]
fn a_file_is_named_once() {
    let sandbox = Sandbox::new();
    let notes = sandbox.write("notes.jsonl", "buy milk\n");
    let run = sandbox.run(["migrate", "../nope.jsonl", "../notes.jsonl"]).exits(1);
    let said = format!("error: {} is not a Pi session: ", notes.display());
    assert!(run.stderr.starts_with(&said), "{run:?}");
}

#[test]
fn a_name_that_is_removed_was_there() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let _ = sandbox.run(["name", "../s.jsonl", "weather"]).ok();
    assert_eq!(sandbox.run(["name", "../s.jsonl", ""]).ok().stdout, "The name was removed.\n");
    assert_eq!(sandbox.run(["name", "../s.jsonl", ""]).ok().stderr, "the session has no name\n");
}

#[test]
fn a_budget_names_the_option_that_it_needs() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["cost", "--budget", "5/month", "--by", "day"]).exits(2);
    assert!(run.stderr.contains("`--budget 5/month` needs `--by month`\n"), "{run:?}");
}

#[test]
fn a_wait_is_typed_alike_everywhere() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("root/--a--/s.jsonl", BRANCHED);
    let args = ["index", "--shared", "--wait", "10s", "--sessions-root", "../root"];
    assert!(sandbox.run(args).ok().stdout.contains("1 session"));
}

#[test]
fn a_filter_counts_for_json_too() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let tree = ["tree", "../s.jsonl", "--json"];
    let ids = |more: &[&str]| {
        let rows = sandbox.run([&tree[..], more].concat()).ok().json()["rows"].clone();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--filter", "user-only"]), ["aaaa0001", "cccc0001", "dddd0001"]);
    assert_eq!(ids(&[]).len(), 5);
    let nested = ["--nested", "--filter", "user-only"];
    let run = sandbox.run([&tree[..], &nested].concat()).exits(2);
    assert!(run.stderr.contains("cannot be used with"), "{run:?}");
}

#[test]
fn options_of_the_screen_are_not_passed_over_without_a_terminal() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["view", "../s.jsonl", "--write", "--allow-bash", "--agent"]).ok();
    let said = ["--write", "--allow-bash", "--agent"];
    let said = said.map(|option| format!("`{option}` needs a terminal\n")).concat();
    assert_eq!(run.stderr, said);
}

#[test]
fn help_is_about_the_command_at_hand() {
    let sandbox = Sandbox::new();
    let help = |verb: &str| {
        let text = sandbox.run([verb, "--help"]).ok().stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(help("new").contains("header and file name (default: pi)"));
    assert!(help("fork").contains("header and file name (default: same as the source)"));
    let roles = "role:ROLE (user, assistant, tool, bash, system, custom, summary, label or name)";
    assert!(help("search").contains(roles));
    assert!(help("goto").contains("A user message moves to its parent, so that you can edit"));
}

#[test]
fn a_known_id_already_exists() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("some/s.jsonl", BRANCHED);
    let id = "01a00000-0000-7000-8000-00000000000a";
    let run = sandbox.run(["new", "--id", id, "--session-dir", "../some"]).exits(4);
    assert!(run.stderr.starts_with(&format!("error: A session with the id {id} already exists: ")));
}
