//! What the command answers where the plain answer would lead nowhere: a reason, a number or the
//! command that helps.

use crate::common::{BRANCHED, Sandbox};

#[test]
fn calls_of_sub_agents_in_an_unknown_format_are_named() {
    let result = |id: &str, tool: &str, failed: bool| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","message":{{"role":"toolResult","toolCallId":"{id}","toolName":"{tool}","content":[],"details":{{"results":[],"progress":[{{"agent":"executor"}}]}},"isError":{failed},"timestamp":1}}}}"#
        )
    };
    let sandbox = Sandbox::new();
    let others = [result("eeee0001", "bash", false), result("eeee0002", "task", true)].join("\n");
    let _ = sandbox.write("none.jsonl", &format!("{BRANCHED}{others}\n"));
    let none = sandbox.run(["subagents", "../none.jsonl"]).exits(1);
    assert!(none.stderr.starts_with("no sub-agent runs in the 7 entries"), "{none:?}");
    let calls = [result("eeee0003", "task", false), result("eeee0004", "subagent", false)];
    let _ = sandbox.write("some.jsonl", &format!("{BRANCHED}{others}\n{}\n", calls.join("\n")));
    let some = sandbox.run(["subagents", "../some.jsonl"]).exits(1);
    let said = "2 calls of `subagent` or `task` kept records in a format that is not supported: \
                eeee0003, eeee0004\n";
    assert_eq!(some.stderr, said);
}

#[test]
fn the_ids_of_entries_are_shown_by_a_command_that_prints_them() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    for verb in ["goto", "label", "path", "context", "export"] {
        let entry = if verb == "context" || verb == "export" { "--at=zz" } else { "zz" };
        let run = sandbox.run([verb, "../s.jsonl", entry]);
        if !run.stderr.contains("shows the ids") {
            assert!(!run.stderr.contains("pitree tree"), "{verb}: {run:?}");
            continue;
        }
        let (_, command) = run.stderr.split_once("hint: `pitree ").unwrap();
        let (command, _) = command.split_once('`').unwrap();
        assert!(command.ends_with(" --print"), "{verb}: {command}");
        let tree = sandbox.run(command.split(' ')).ok();
        assert!(tree.stdout.contains("dddd0002"), "{verb}: {tree:?}");
    }
}

#[test]
fn a_directory_is_called_one() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("project/adir/s.jsonl", BRANCHED);
    let run = sandbox.run(["show", "adir"]).exits(1);
    let said =
        format!("error: {}/adir is a directory, not a session\n", sandbox.project().display());
    assert!(run.stderr.starts_with(&said), "{run:?}");
    assert!(run.stderr.contains("`pitree list --scope all --session-dir "), "{run:?}");
    assert!(
        sandbox
            .run(["list", "--scope", "all", "--session-dir", "adir"])
            .ok()
            .stdout
            .contains("01a00000")
    );
}

#[test]
fn little_money_is_not_none() {
    let sandbox = Sandbox::new();
    let compaction = |id: &str, usage: &str| {
        format!(
            r#"{{"type":"compaction","id":"{id}","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","summary":"s","firstKeptEntryId":"dddd0001","tokensBefore":9{usage}}}"#
        )
    };
    let priced =
        r#","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.0047}}"#;
    let unpriced = r#","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}"#;
    let text = BRANCHED.replace(r#""total":0.5"#, r#""total":50"#);
    let more = [compaction("eeee0001", priced), compaction("eeee0002", unpriced)].join("\n");
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    let _ = sandbox.write(&format!("{folder}/a.jsonl"), &format!("{text}{more}\n"));
    let said = sandbox.run(["cost"]).ok().stdout;
    assert!(said.contains("includes $0.0047 for compactions and 1 without a price\n"), "{said}");
}

#[test]
fn a_time_without_requests_is_told_when_the_last_one_was() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("home/.pi/agent/sessions/--p--/a.jsonl", BRANCHED);
    let run = sandbox.run(["cost", "--since", "2026-03-01"]).exits(1);
    let said = "no requests found in that time; the last was on 2026-02-03 (searched ";
    assert!(run.stderr.starts_with(said), "{run:?}");
}

#[test]
fn a_data_set_that_is_replaced_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let args = ["extract", "../s.jsonl", "-o", "data"];
    assert!(!sandbox.run(args).ok().stderr.contains("replaced"));
    let again = sandbox.run(args).ok();
    let line = again.stderr.lines().find(|line| line.starts_with("replaced the data set of "));
    let line = line.unwrap_or_else(|| panic!("{again:?}"));
    assert!(line.ends_with(": 1 sample"), "{line}");
}

#[test]
fn a_session_shows_what_it_cost_and_a_fork_is_not_older_than_itself() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let said = sandbox.run(["show", "../s.jsonl"]).ok().stdout;
    assert!(said.contains("\ncost            $0.7500\n"), "{said}");
    let header = r#""timestamp":"2026-02-03T22:52:06.410Z""#;
    let fork = BRANCHED.replacen(header, r#""timestamp":"2026-09-09T09:09:09.000Z""#, 1);
    let _ = sandbox.write("fork.jsonl", &fork);
    let said = sandbox.run(["show", "../fork.jsonl"]).ok().stdout;
    assert!(said.contains("\nlast activity   2026-09-09 09:09"), "{said}");
}

#[test]
fn several_files_are_imported_and_one_that_fails_stops_no_other() {
    let sandbox = Sandbox::new();
    let other = BRANCHED.replace("00000000000a", "00000000000b");
    let _ = sandbox.write("a.jsonl", BRANCHED);
    let _ = sandbox.write("b.jsonl", &other);
    let _ = sandbox.write("bad.jsonl", "nothing\n");
    let args = ["import", "--cwd", ".", "../a.jsonl", "../bad.jsonl", "../b.jsonl"];
    let run = sandbox.run(args).exits(3);
    assert!(run.stderr.contains("bad.jsonl"), "{run:?}");
    assert_eq!(fs_err::read_dir(sandbox.default_folder()).unwrap().count(), 2);
    // The second one is told from the first.
    let cwd = sandbox.project();
    let here = BRANCHED.replace("00000000000a", "00000000000c");
    let _ = sandbox
        .write("c.jsonl", &here.replace("/home/ana/projects/weather", cwd.to_str().unwrap()));
    let twice = sandbox.run(["import", "../c.jsonl", "../c.jsonl"]).exits(4);
    assert_eq!(twice.stdout.lines().count(), 1, "{twice:?}");
    assert!(twice.stderr.contains("00000000000c already exists"), "{twice:?}");
    assert!(twice.stderr.starts_with("error: c.jsonl was not imported: "), "{twice:?}");
    assert!(!twice.stderr.contains("nothing was imported"), "{twice:?}");
}

#[test]
fn a_prefix_of_several_sessions_lists_the_ages_of_the_list() {
    let sandbox = Sandbox::new();
    let folder = "home/.pi/agent/sessions/--p--";
    let _ = sandbox.write(&format!("{folder}/a.jsonl"), BRANCHED);
    let _ = sandbox
        .write(&format!("{folder}/b.jsonl"), &BRANCHED.replace("00000000000a", "00000000000b"));
    let ages = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.contains("01a00000-"));
        let words = rows.flat_map(|row| row.split_whitespace().take(2)).map(str::to_owned);
        words.filter(|word| !word.contains("01a00000")).collect()
    };
    let listed = ages(&sandbox.run(["list", "--scope", "all"]).ok().stdout);
    let matched = ages(&sandbox.run(["show", "01a00000"]).exits(2).stderr);
    assert_eq!((listed.len(), &matched), (2, &listed));
    // The files were written just now, and their sessions were not used since.
    assert_ne!(matched[0], "now");
}

#[test]
fn a_turn_or_a_file_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["show", "../s.jsonl", "--offset", "100"]).exits(1);
    assert!(run.stderr.contains("there is no turn 101; the current branch has 2\n"), "{run:?}");
    let run = sandbox.run(["show", "../none.jsonl"]).exits(1);
    let said = format!("error: There is no file {}\n", sandbox.path("none.jsonl").display());
    assert!(run.stderr.starts_with(&said), "{run:?}");
}

#[test]
fn a_word_that_nothing_has_is_proposed_as_a_beginning() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("home/.pi/agent/sessions/--p--/a.jsonl", BRANCHED);
    let run = sandbox.run(["search", "zzzqqq", "--in", "all"]).exits(1);
    assert!(run.stderr.contains("; `zzzqqq*` also finds longer words\n"), "{run:?}");
}

#[test]
fn a_wrong_budget_gets_one_piece_of_advice() {
    let run = Sandbox::new().run(["cost", "--budget", "-5/day"]).exits(2);
    assert!(run.stderr.contains("give dollars and a period, such as 20/day"), "{run:?}");
    assert!(run.stderr.matches("--help").count() <= 1, "{run:?}");
}

#[test]
fn a_host_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let args = ["compact", "../s.jsonl", "--keep-recent", "1", "--summarizer-model", "m"];
    let url = ["--summarizer-url", "http://key@nosuch.invalid/v1"];
    let run = sandbox.run([&args[..], &url].concat()).exits(4);
    assert!(run.stderr.contains("cannot find the host nosuch.invalid\n"), "{run:?}");
    assert!(run.stderr.contains("`--summarizer-url`"), "{run:?}");
}

#[test]
fn only_a_value_with_a_slip_is_proposed() {
    let sandbox = Sandbox::new();
    let said = |args: &[&str]| sandbox.run(args).exits(2).stderr;
    for args in [&["completions", "tcsh"][..], &["extract", "-o", "d", "--format", "nope"]] {
        let said = said(args);
        assert!(!said.contains("similar"), "{said}");
        assert!(said.contains("possible values"), "{said}");
    }
    let near = said(&["completions", "bsah"]);
    assert!(near.contains("a similar value exists: 'bash'"), "{near}");
}

#[test]
fn the_title_of_a_long_message_is_its_beginning() {
    let sandbox = Sandbox::new();
    let long = BRANCHED.replace("first question", &"word ".repeat(300));
    let _ = sandbox.write("home/.pi/agent/sessions/--p--/a.jsonl", &long);
    for args in [&["list", "--scope", "all"][..], &["cost", "--by", "session"]] {
        let said = sandbox.run(args).ok().stdout;
        let widest = said.lines().map(|line| line.chars().count()).max().unwrap();
        assert!((100..400).contains(&widest), "{said}");
    }
}
