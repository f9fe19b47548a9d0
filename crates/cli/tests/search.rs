//! `pitree search` as a user runs it.

use crate::common::{BRANCHED, Sandbox, files_below};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let name = "2026-02-03T22-52-06-410Z_01a00000-0000-7000-8000-00000000000a.jsonl";
    sandbox.write(&format!("home/.pi/agent/sessions/--w--/{name}"), BRANCHED);
    sandbox
}

#[test]
fn hits_with_their_places_and_commands() {
    let sandbox = sandbox();
    let run = sandbox.run(["search", "question", "--json"]).ok();
    let answer = run.json();
    assert_eq!(answer["query"], "question");
    assert_eq!(answer["total"], 2);
    let hit = &answer["hits"][0];
    let why = serde_json::json!([{"term": "question", "in": "first message", "whole": true}]);
    assert_eq!((&hit["entryId"], &hit["why"]), (&"aaaa0001".into(), &why));
    let hit = &answer["hits"][1];
    assert_eq!(hit["entryId"], "dddd0001");
    assert_eq!(hit["role"], "user");
    assert_eq!(hit["time"], "2026-02-03T22:52:10.000Z");
    assert_eq!(hit["active"], true);
    assert_eq!(hit["leafId"], "dddd0002");
    assert_eq!(hit["snippet"]["text"], "second question");
    assert_eq!(hit["snippet"]["marks"], serde_json::json!([[7, 15]]));
    assert_eq!(hit["session"]["cwd"], "/home/ana/projects/weather");
    assert_eq!(hit["places"][0]["id"], hit["session"]["id"]);
    // Each command runs and shows the hit.
    for query in ["question", "\"left behind\"", "answer role:assistant"] {
        let answer = sandbox.run(["search", query, "--json"]).ok().json();
        for hit in answer["hits"].as_array().unwrap() {
            let command = hit["command"].as_str().unwrap();
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let shown = sandbox.run(words).ok().stdout;
            assert!(shown.contains(hit["snippet"]["text"].as_str().unwrap()), "{command}: {shown}");
        }
    }
}

#[test]
fn people_see_times_of_their_own_zone() {
    let sandbox = sandbox();
    let search = |zone: &str| sandbox.call(["search", "second"]).env("TZ", zone).run().ok().stdout;
    assert!(search("UTC").contains("  2026-02-03 22:52  "));
    assert!(search("IST-5:30").contains("  2026-02-04 04:22  "));
    let shown = sandbox.call(["show", "01a00000"]).env("TZ", "IST-5:30").run().ok().stdout;
    assert!(shown.contains("2026-02-04 04:22"), "{shown}");
}

#[test]
fn days_of_a_query_are_those_of_the_users_clock() {
    let sandbox = sandbox();
    // The second question was asked at 22:52 UTC: the next day further east.
    let ids = |query: &str, zone: &str| -> Vec<String> {
        let run = sandbox.call(["search", "second", query, "--json"]).env("TZ", zone).run();
        let hits = run.json()["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["entryId"].as_str().unwrap().to_owned()).collect()
    };
    for (query, zone, is_found) in [
        ("after:2026-02-04", "UTC", false),
        ("after:2026-02-04", "IST-5:30", true),
        ("before:2026-02-04", "UTC", true),
        ("before:2026-02-04", "IST-5:30", false),
        ("after:2026-W06", "UTC", true),
        ("before:yesterday", "UTC", true),
        ("after:\"last week\"", "UTC", false),
    ] {
        assert_eq!(!ids(query, zone).is_empty(), is_found, "{query} in {zone}");
    }
}

#[test]
fn a_limit_of_zero_shows_the_number_alone() {
    let sandbox = sandbox();
    let counted = sandbox.run(["search", "answer", "--limit", "0"]).ok();
    assert_eq!((&*counted.stdout, &*counted.stderr), ("2 matches\n", ""));
    let answer = sandbox.run(["search", "answer", "--limit", "0", "--json"]).ok().json();
    assert_eq!((&answer["total"], &answer["hits"]), (&2.into(), &serde_json::json!([])));
    // Words in different messages count as they do in a search that shows hits.
    let total = |limit: &str| {
        let run = sandbox.run(["search", "second first", "--limit", limit, "--json"]).ok();
        run.json()["total"].clone()
    };
    assert_eq!(total("0"), total("20"));
    // What is only like it does not count.
    assert_eq!(sandbox.run(["search", "secnod", "--limit", "0"]).exits(1).stdout, "0 matches\n");
}

#[test]
fn guesses_are_announced() {
    let sandbox = sandbox();
    let named = r#"{"type":"session_info","id":"ffff0001","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","name":"telegram weather"}"#;
    let named = format!("{BRANCHED}{named}\n");
    let _ = sandbox.write("home/.pi/agent/sessions/--w--/named.jsonl", &named);
    let run = sandbox.run(["search", "telegarm"]).ok();
    let told = "Nothing matches telegarm exactly; showing similar words.";
    assert_eq!(run.stdout.lines().next(), Some(told), "{run:?}");
    let run = sandbox.run(["search", "telegram weather elephant"]).ok();
    let told =
        "Nothing matches all of telegram weather elephant; showing what lacks one of the words.";
    assert_eq!(run.stdout.lines().next(), Some(told), "{run:?}");
    let exact = sandbox.run(["search", "telegram"]).ok().stdout;
    assert!(!exact.contains("Nothing matches"), "{exact}");
}

/// Damage of the index costs one sentence, and no hit.
#[test]
fn a_damaged_index_is_reported_and_rebuilt() {
    let sandbox = sandbox();
    let search = || sandbox.run(["search", "question", "--in", "conversation"]).ok();
    let sound = search();
    assert_eq!(sound.stderr, "");
    let caches = sandbox.run(["index", "--json"]).ok().json();
    let words = caches["caches"].as_array().unwrap().iter().find(|cache| cache["name"] == "text");
    let path = words.unwrap()["path"].as_str().unwrap();
    let mut bytes = fs_err::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs_err::write(path, bytes).unwrap();
    let damaged = search();
    assert_eq!(damaged.stdout, sound.stdout);
    let told =
        format!("the cache {path} was damaged and is being rebuilt from the session files\n");
    assert_eq!(damaged.stderr, told);
    assert_eq!(search().stderr, "", "once");
}

#[test]
fn text_for_people() {
    let sandbox = sandbox();
    let run = sandbox.run(["search", "left"]).ok();
    assert!(
        run.stdout
            .contains("cccc0001  2026-02-03 22:52  user message on an abandoned branch: left"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\n  left behind\n"), "{}", run.stdout);
    let run = sandbox.run(["search", "answer", "--limit", "1"]).ok();
    assert_eq!(run.stderr, "1 of 2 matches; --limit shows more\n");
}

/// Even if the name of its file comes first.
#[test]
fn a_hit_belongs_to_the_session_that_was_forked() {
    let sandbox = sandbox();
    let folder = "home/.pi/agent/sessions/--w--";
    let first = "2026-02-03T22-52-06-410Z_01a00000-0000-7000-8000-00000000000a.jsonl";
    let fork = |id: &str, parent: &str| {
        let parent = sandbox.path(&format!("{folder}/{parent}"));
        let text = BRANCHED.replace("01a00000", id);
        let header = format!("\"parentSession\":\"{}\",\"cwd\"", parent.display());
        sandbox.write(&format!("{folder}/{id}.jsonl"), &text.replacen("\"cwd\"", &header, 1));
    };
    fork("01b00000", first);
    for within in ["all", "conversation"] {
        let text = sandbox.run(["search", "left", "--in", within]).ok().stdout;
        assert!(text.starts_with("01a00000  cccc0001  "), "{within}: {text}");
        assert!(
            text.contains("  user message on an abandoned branch: left, also in fork 01b00000  "),
            "{within}: {text}"
        );
    }
    // A fork of the fork comes after both.
    fork("00c00000", "01b00000.jsonl");
    for within in ["all", "conversation"] {
        let text = sandbox.run(["search", "left", "--in", within]).ok().stdout;
        assert!(text.starts_with("01a00000  ") && text.contains(", also in 2 forks"), "{text}");
        let hits = sandbox.run(["search", "left", "--in", within, "--json"]).ok().json();
        let places = hits["hits"][0]["places"].as_array().unwrap();
        let ids: Vec<&str> = places.iter().map(|it| &it["id"].as_str().unwrap()[..8]).collect();
        assert_eq!(ids, ["01a00000", "01b00000", "00c00000"]);
    }
}

#[test]
fn messages_around_a_hit() {
    let sandbox = sandbox();
    let run = sandbox.run(["search", "second question", "-C", "1"]).ok().stdout;
    let lines: Vec<&str> = run.lines().collect();
    assert_eq!(lines.len(), 5, "{run}");
    assert!(lines[1].starts_with("    assistant: "), "{run}");
    assert_eq!(lines[2], "  second question");
    assert!(lines[3].starts_with("    assistant: "), "{run}");
    assert!(lines[4].ends_with(" --at dddd0001"), "{run}");
    let hit =
        &sandbox.run(["search", "second question", "-C", "9", "--json"]).ok().json()["hits"][0];
    let ids = |side: &str| {
        let entries = hit["context"][side].as_array().unwrap().iter();
        entries.map(|entry| entry["entryId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("after"), ["dddd0002"]);
    assert_eq!(ids("before")[0], "aaaa0001");
}

#[test]
fn an_entry_is_printed_with_what_is_around_it() {
    let sandbox = sandbox();
    let long = BRANCHED.replace("second question", &format!("second {}", "question ".repeat(200)));
    sandbox
        .write("home/.pi/agent/sessions/--w--/long.jsonl", &long.replace("01a00000", "01b00000"));
    let shown = |id: &str| sandbox.run(["view", "01b00000", "--at", id]).ok().stdout;
    let headings = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(['─', '▶']));
        lines.map(|line| line.split("  ").take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    let around = shown("bbbb0001");
    let marked: Vec<String> =
        headings(&around).into_iter().filter(|line| line.starts_with("▶▶")).collect();
    assert_eq!(marked, ["▶▶ assistant bbbb0001"], "{around}");
    assert!(headings(&around).contains(&"── user aaaa0001".to_owned()), "{around}");
    // More than one turn is shown, and only the entry itself in full.
    assert!(headings(&around).contains(&"── user dddd0001".to_owned()), "{around}");
    assert!(around.matches("question").count() < 100, "{around}");
    assert!(shown("dddd0001").matches("question").count() > 199);
    // An entry of an abandoned branch is shown with its own branch.
    assert!(headings(&shown("cccc0001")).contains(&"▶▶ user cccc0001".to_owned()));
}

#[test]
fn ends_and_mistakes() {
    let sandbox = sandbox();
    let nowhere = sandbox.run(["search", "nowhere"]).exits(1).stderr;
    let all = "nothing matched (searched all sessions in ~/.pi/agent/sessions); try ";
    let longer = all.replace("try ", "`nowhere*` also finds longer words\n");
    assert_eq!(nowhere, longer);
    let two = sandbox.run(["search", "nowhere", "else"]).exits(1).stderr;
    assert_eq!(two, format!("{all}fewer words, or the beginning of one, such as `begin*`\n"));
    let filtered = sandbox.run(["search", "question", "model:none"]).exits(1).stderr;
    assert!(filtered.ends_with("; leave out a filter\n"), "{filtered}");
    let said = sandbox.run(["search", "nowhere", "--in", "conversation"]).exits(1).stderr;
    assert_eq!(said, format!("{all}`--in all`, which also searches tool output\n"));
    assert_eq!(sandbox.run(["search", "nowhere", "--json"]).exits(1).json()["total"], 0);
    let narrow = sandbox.run(["search", "--scope", "dir", "answer"]).exits(1);
    let project = sandbox.project();
    let here = format!("nothing matched (searched the sessions of {}); ", project.display());
    assert_eq!(narrow.stderr, format!("{here}try `--scope all`\n"));
    let missing = sandbox.run(["search", "answer", "--session-dir", "/nonexist"]).exits(2);
    assert!(missing.stderr.contains("The folder /nonexist does not exist"), "{missing:?}");
    // The mistake and the help name the roles that there are.
    let roles = sandbox.run(["search", "role:nobody"]).exits(2).stderr;
    let help = sandbox.run(["search", "--help"]).ok().stdout;
    let listed = help.split_once("role:ROLE (").unwrap().1.split_once(')').unwrap().0;
    let listed: Vec<&str> = listed.split([',', ' ', '\n']).collect();
    for role in
        ["user", "assistant", "tool", "bash", "system", "custom", "summary", "label", "name"]
    {
        assert!(roles.contains(role) && listed.contains(&role), "{role}");
    }
    for bad in [&["search"][..], &["search", "re:("], &["search", "role:king"], &["search", " "]] {
        let run = sandbox.run(bad);
        assert_eq!(run.code, Some(2), "{bad:?}");
        assert!(run.stderr.contains("error:"), "{bad:?}");
    }
    assert_eq!(sandbox.run(["search", "--", "--flag"]).code, Some(1));
}

#[test]
fn escape_sequences_stay_harmless() {
    let sandbox = sandbox();
    let evil = BRANCHED.replace("left behind", r"left \u001b[31m\u202ebehind\u0007");
    sandbox.write("home/.pi/agent/sessions/--w--/evil.jsonl", &evil);
    let run = sandbox.run(["search", "left"]).ok();
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{:?}", run.stdout);
}

#[test]
fn a_search_writes_nothing_without_an_index() {
    let sandbox = sandbox();
    let before = files_below(&sandbox.home());
    let _ = sandbox.run(["search", "--no-index", "answer"]).ok();
    let _ = sandbox.run(["search", "--no-index", "--in", "conversation", "answer"]).ok();
    assert_eq!(files_below(&sandbox.home()), before);
}

#[test]
fn the_name_of_a_tool_leads_to_its_calls() {
    let sandbox = sandbox();
    let call = r#"{"type":"message","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"set_phase","arguments":{"to":"plan"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1770159132000}}"#;
    let _ =
        sandbox.write("home/.pi/agent/sessions/--w--/call.jsonl", &format!("{BRANCHED}{call}\n"));
    let run = sandbox.run(["search", "set_phase"]).exits(1);
    assert!(run.stderr.contains("hint: `pitree search tool:set_phase` finds 1 entry"), "{run:?}");
    let _ = sandbox.run(["search", "tool:set_phase"]).ok();
}
