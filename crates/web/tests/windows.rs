//! What the windows show is what the session, the store and the ledger say.

use std::collections::BTreeSet;

use pitree_session::{EntryRef, Session, TreeFilter};
use pitree_store::ledger::{By, Selection};
use pitree_testkit::{session, working_session};
use pitree_web::WebOptions;
use serde_json::{Value, json};

use crate::common::{BRANCHED, Served, stamps};

const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

fn ats(rows: &Value) -> Vec<usize> {
    let rows = rows["rows"].as_array().unwrap();
    rows.iter().map(|row| usize::try_from(row["at"].as_u64().unwrap()).unwrap()).collect()
}

#[test]
fn a_session_with_branches() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let before = stamps(served.folder.path());
    let key = served.key(ID);
    let head = served.ask(&format!("/api/sessions/{key}"));
    assert_eq!(head["entries"], 11);
    assert_eq!(head["leaf"], 10);
    assert!(head["facts"].to_string().contains("replies on all branches"), "{head}");
    let lanes = head["lanes"].as_array().unwrap();
    assert_eq!(lanes[0]["isActive"], true);
    let abandoned = lanes.iter().find(|lane| lane["leaf"] == 7).unwrap();
    assert_eq!(abandoned["from"], 6);
    assert_eq!(abandoned["title"], "user: Build one in SQLite.");
    assert_eq!(abandoned["summary"], "SQLite was too much for a cache.");

    let rows = served.ask(&format!("/api/sessions/{key}/rows"));
    assert_eq!(ats(&rows), [0, 1, 2, 3, 4, 8, 9, 10]);
    let reply = &rows["rows"][1];
    assert_eq!(reply["calls"][0]["resultAt"], 2);
    assert_eq!(reply["calls"][1]["resultAt"], 3);
    assert_eq!(rows["rows"][2]["isError"], 1);
    assert_eq!(rows["rows"][4]["label"], "no cache");
    let other = served.ask(&format!("/api/sessions/{key}/rows?leaf=7"));
    assert_eq!(ats(&other), [0, 1, 2, 3, 4, 6, 7]);

    let marks = served.ask(&format!("/api/sessions/{key}/marks"));
    let kinds: BTreeSet<(u64, &str)> = marks["marks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| (mark["at"].as_u64().unwrap(), mark["kind"].as_str().unwrap()))
        .collect();
    for expected in [(2, "error"), (4, "branch"), (4, "label"), (9, "user")] {
        assert!(kinds.contains(&expected), "{expected:?}: {marks}");
    }
    assert!(!kinds.contains(&(3, "error")));

    // A hit on a branch that was left leads to that branch.
    let hit = &served.ask("/api/sessions?q=140%20lines")["rows"][0]["hit"];
    let line = hit["line"].as_u64().unwrap();
    let place = served.ask(&format!("/api/sessions/{key}/locate?line={line}"));
    assert_eq!(place, json!({"at": 7, "leaf": 7}));
    let found = served.ask(&format!("/api/sessions/{key}/find?q=cache"));
    assert_eq!(found["hits"][0]["at"], 1);
    assert_eq!(found["hits"][0]["snippet"]["marks"][0], json!([12, 17]));
    assert!(stamps(served.folder.path()) == before, "reading has written");
}

/// A mark is where a row is shown as failed, however its line is written.
#[test]
fn every_failed_row_has_its_mark() {
    let text = BRANCHED
        .replace(r#""isError":true"#, r#""details":{"isError":false},"isError" : true"#)
        + r#"{"type":"message","id":"aaaa000c","parentId":"aaaa000b","timestamp":"2026-02-03T22:00:12.000Z","message":{"role":"bashExecution","command":"false","output":"","exitCode":1,"cancelled":false,"truncated":false,"timestamp":1770159139000}}
{"type":"message","id":"aaaa000d","parentId":"aaaa000c","timestamp":"2026-02-03T22:00:13.000Z","message":{"role":"bashExecution","command":"true","output":"","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1770159139000}}
"#;
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    let mut failed: Vec<u64> = Vec::new();
    for leaf in [7, 12] {
        let rows = served.ask(&format!("/api/sessions/{key}/rows?leaf={leaf}"));
        let rows = rows["rows"].as_array().unwrap().iter();
        failed
            .extend(rows.filter(|row| row["isError"] == 1).map(|row| row["at"].as_u64().unwrap()));
    }
    failed.sort_unstable();
    failed.dedup();
    assert_eq!(failed, [2, 11]);
    let marks = served.ask(&format!("/api/sessions/{key}/marks"));
    let marks = marks["marks"].as_array().unwrap().iter().filter(|mark| mark["kind"] == "error");
    let marked: Vec<u64> = marks.map(|mark| mark["at"].as_u64().unwrap()).collect();
    assert_eq!(marked, failed);
}

/// Whoever asks for the latest gets them, however well others match.
#[test]
fn a_search_is_sorted_by_time_if_that_is_asked_for() {
    let newer = BRANCHED
        .replace("0198aaaa-0000-7000-8000-000000000001", "0198aaaa-0000-7000-8000-000000000002")
        .replace("2026-02-03T", "2026-03-03T")
        .replace("Why is the *forecast* slow?", "A long story, and then weatherforecasts")
        .replace(r#""timestamp":17"#, r#""timestamp":18"#);
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes()), ("b.jsonl", newer.as_bytes())]);
    let ids = |query: &str| -> Vec<String> {
        let page = served.ask(&format!("/api/sessions?{query}"));
        let rows = page["rows"].as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().chars().last().unwrap().to_string()).collect()
    };
    assert_eq!(ids("q=forecast"), ["1", "2"]);
    assert_eq!(ids("q=forecast&sort=relevance"), ["1", "2"]);
    assert_eq!(ids("q=forecast&sort=recent"), ["2", "1"]);
    assert_eq!(ids(""), ["2", "1"]);
    let page = served.ask("/api/sessions?q=%22the+forecast%22+role:user+re:a+b");
    assert_eq!(page["words"], json!(["the forecast"]));
}

#[test]
fn requests_tell_where_the_cache_broke() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key(ID);
    let request = served.ask(&format!("/api/sessions/{key}/request?at=4"));
    assert_eq!(request["previous"], 1);
    assert_eq!(request["shared"], 1);
    assert_eq!(request["cacheBreak"], Value::Null);
    assert_eq!(request["total"], 4);
    let body = request["body"].to_string();
    for part in ["0 user: Why is the *forecast* slow?", "2 tool: ", "grep -rn cache src"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let added = request["difference"].to_string();
    assert!(added.contains("3 new messages") && !added.contains("0 user"), "{added}");
    // The branch before it was summarized, so the next reply of the other branch begins as this.
    let other = served.ask(&format!("/api/sessions/{key}/request?at=10"));
    assert_eq!((&other["previous"], &other["cacheBreak"]), (&json!(4), &Value::Null));
    assert_eq!(served.get(&format!("/api/sessions/{key}/request?at=0")).status, 400);
}

#[test]
fn a_long_request_is_shown_in_windows() {
    use std::fmt::Write as _;
    let mut lines: String = BRANCHED.lines().take(2).map(|line| format!("{line}\n")).collect();
    let reply = r#"{"role":"assistant","content":[{"type":"text","text":"yes"}],"api":"openai-completions","provider":"local","model":"small","stopReason":"stop"}"#;
    let mut parent = "aaaa0001".to_owned();
    for number in 2..1002 {
        let id = format!("cc{number:06}");
        let user = format!(r#"{{"role":"user","content":"number {number} of them"}}"#);
        let message = if number % 2 == 0 { reply } else { &*user };
        writeln!(lines, r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:00:09.000Z","message":{message}}}"#).unwrap();
        parent = id;
    }
    let served = Served::new(&[("a.jsonl", lines.as_bytes())]);
    let key = served.key(ID);
    let ask = |from: &str| served.ask(&format!("/api/sessions/{key}/request?at=999{from}"));
    let newest = ask("");
    let shown = |request: &Value| {
        let number = |name: &str| request[name].as_u64().unwrap();
        assert_eq!((number("total"), number("shared")), (999, 997));
        (number("from"), number("shown"))
    };
    // What is new, and the last of what was sent before.
    assert_eq!(shown(&newest), (957, 42));
    assert!(newest["difference"].to_string().contains("2 new messages"));
    assert_eq!(shown(&ask("&from=0")), (0, 400));
    assert_eq!(shown(&ask("&from=400")), (400, 400));
    let last = ask("&from=990");
    assert_eq!(shown(&last), (990, 9));
    assert!(last["body"].to_string().contains("990 user: number 991 of them"), "{last}");
    assert_eq!(shown(&ask("&from=5000")), (0, 0));
}

#[test]
fn the_window_of_a_model_is_told_if_it_is_known() {
    let windows = [("local".to_owned(), "small".to_owned(), 32_768)].into_iter().collect();
    let files: [(&str, &[u8]); 1] = [("a.jsonl", BRANCHED.as_bytes())];
    let known = Served::with(&files, &WebOptions::new().windows(windows));
    let unknown = Served::new(&files);
    let window = |served: &Served| {
        served.ask(&format!("/api/sessions/{}/context", served.key(ID)))["window"].clone()
    };
    assert_eq!(window(&known), 32_768);
    assert_eq!(window(&unknown), Value::Null);
}

#[test]
fn all_lanes_can_be_reached() {
    use std::fmt::Write as _;
    let mut lines: String = BRANCHED.lines().take(2).map(|line| format!("{line}\n")).collect();
    for number in 0..450 {
        let message = r#"{"role":"user","content":"x"}"#;
        writeln!(lines, r#"{{"type":"message","id":"bb{number:06}","parentId":"aaaa0001","timestamp":"2026-02-03T22:00:09.000Z","message":{message}}}"#).unwrap();
    }
    let served = Served::new(&[("a.jsonl", lines.as_bytes())]);
    let key = served.key(ID);
    let head = served.ask(&format!("/api/sessions/{key}"));
    assert_eq!(head["laneCount"], 450);
    let mut leaves: Vec<u64> = Vec::new();
    while leaves.len() < 450 {
        let from = leaves.len();
        let window = served.ask(&format!("/api/sessions/{key}/lanes?from={from}&count=150"));
        assert_eq!(window["total"], 450);
        let lanes = window["lanes"].as_array().unwrap();
        assert!(!lanes.is_empty());
        leaves.extend(lanes.iter().map(|lane| lane["leaf"].as_u64().unwrap()));
    }
    assert_eq!(leaves.iter().collect::<BTreeSet<_>>().len(), 450);
    // Every entry has a branch on which it can be shown.
    let place = served.ask(&format!("/api/sessions/{key}/locate?at=7"));
    assert_eq!(place, json!({"at": 7, "leaf": 7}));
}

/// A label is an entry below the one somebody stood at. It ends a branch, and makes none.
#[test]
fn a_label_is_no_branch() {
    use std::fmt::Write as _;
    let label = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"label","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:00:20.000Z","targetId":"aaaa0001","label":"x"}}"#
        )
    };
    let lanes = |lines: &[String]| -> Vec<(u64, Option<u64>, bool)> {
        let mut text = BRANCHED.to_owned();
        lines.iter().for_each(|line| writeln!(text, "{line}").unwrap());
        let served = Served::new(&[("a.jsonl", text.as_bytes())]);
        let head = served.ask(&format!("/api/sessions/{}", served.key(ID)));
        let lanes = head["lanes"].as_array().unwrap().iter();
        let lanes: Vec<_> = lanes
            .map(|lane| {
                let is_active = lane["isActive"].as_bool().unwrap();
                (lane["leaf"].as_u64().unwrap(), lane["from"].as_u64(), is_active)
            })
            .collect();
        assert_eq!(head["laneCount"], lanes.len());
        lanes
    };
    // The fixture has one at the place where its two branches part.
    assert_eq!(lanes(&[]), [(10, Some(8), true), (7, Some(6), false)]);
    // Two at the end of the branch that was left: the newest ends it. The session stands there.
    let ends = [label("dd01", "aaaa0008"), label("dd02", "aaaa0008")];
    assert_eq!(lanes(&ends), [(12, Some(6), true), (10, Some(8), false)]);
    // Below the first message, where the session stands: that is where it goes on.
    let one = [label("dd01", "aaaa0001")];
    assert_eq!(lanes(&one), [(11, Some(11), true), (10, Some(8), false), (7, Some(6), false)]);
    // Labels of labels.
    let chain = [label("dd01", "aaaa0002"), label("dd02", "dd01"), label("dd03", "aaaa000b")];
    assert_eq!(lanes(&chain), [(13, Some(8), true), (7, Some(6), false)]);
}

/// The map beside the conversation has a mark where branches part, and not where a label hangs.
#[test]
fn a_label_marks_no_branch() {
    let line = r#"{"type":"label","id":"dd01","parentId":"aaaa0001","timestamp":"2026-02-03T22:00:20.000Z","targetId":"aaaa0001","label":"x"}"#;
    let text = format!("{BRANCHED}{line}\n");
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let marks = served.ask(&format!("/api/sessions/{}/marks", served.key(ID)));
    let branches: Vec<&Value> =
        marks["marks"].as_array().unwrap().iter().filter(|mark| mark["kind"] == "branch").collect();
    assert_eq!(branches, [&json!({"at": 4, "kind": "branch"})]);
}

#[test]
fn spend_takes_times_as_people_type_them() {
    let late = BRANCHED.replace(ID, "0198aaaa-0000-7000-8000-000000000009");
    let late = late.replace("aaaa00", "cccc00").replace("2026-02-03T22", "2026-03-05T22");
    let late = late.replace("17701591", "17727511");
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes()), ("late.jsonl", late.as_bytes())]);
    let count =
        |query: &str| served.ask(&format!("/api/spend?by=day{query}"))["total"]["count"].clone();
    assert_eq!(count(""), 10);
    for (query, expected) in [
        ("&since=2026-03-01", 5),
        ("&until=2026-02-03", 5),
        ("&since=2026-02&until=2026-02", 5),
        ("&since=2026-W10", 5),
        ("&since=30d", 10),
        ("&until=last%20month", 0),
    ] {
        assert_eq!(count(query), expected, "{query}");
    }
    for wrong in ["since=soon", "until=2026-13", "since=2026-03&until=2026-02"] {
        let reply = served.get(&format!("/api/spend?{wrong}"));
        assert_eq!(reply.status, 400, "{wrong}");
    }
    // Each row leads to its sessions.
    for by in ["day", "week", "model", "project", "role", "family"] {
        let spend = served.ask(&format!("/api/spend?by={by}&since=2026-03-01"));
        let rows = spend["rows"].as_array().unwrap();
        assert!(!rows.is_empty(), "{by}");
        for row in rows {
            let group = row["group"].as_str().unwrap().replace('/', "%2F");
            let list = served.ask(&format!("/api/sessions?in={by}:{group}&since=2026-03-01"));
            assert_eq!(
                (&list["total"], &row["sessionCount"]),
                (&json!(1), &json!(1)),
                "{by}: {list}"
            );
        }
    }
    assert_eq!(served.ask("/api/sessions?in=day:2026-02-03&since=2026-03-01")["total"], 0);
    assert_eq!(served.get("/api/sessions?in=nonsense").status, 400);
}

#[test]
fn random_sessions_are_shown_as_they_are() {
    for seed in pitree_testkit::seed()..pitree_testkit::seed() + 12 {
        let made = if seed % 2 == 0 { session(seed) } else { working_session(seed) };
        let served = Served::new(&[("a.jsonl", &made.bytes)]);
        let session = Session::open(served.file("a.jsonl"), &served.environment).unwrap();
        let list = served.ask("/api/sessions");
        let Some(key) = list["rows"][0]["key"].as_str() else { continue };
        let path = session.active_path();
        let rows = served.ask(&format!("/api/sessions/{key}/rows?count=5&from=1"));
        let expected: Vec<usize> = path.iter().skip(1).take(5).map(EntryRef::index).collect();
        assert_eq!(ats(&rows), expected, "seed {seed}");
        assert_eq!(rows["total"], path.len(), "seed {seed}");

        let tree = served.ask(&format!("/api/sessions/{key}/tree?filter=default"));
        let labels = session.labels().unwrap();
        let leaf = session.leaf().map(|leaf| leaf.index());
        let shown: Vec<usize> = session
            .tree()
            .walk()
            .map(|step| step.entry)
            .filter(|&at| {
                let entry = session.at(at).unwrap();
                let has_label = labels.get(entry.id()).is_some();
                TreeFilter::Default.shows(entry, has_label, leaf == Some(at)).unwrap()
            })
            .collect();
        assert_eq!(tree["total"], shown.len(), "seed {seed}");
        assert_eq!(ats(&tree), shown[..shown.len().min(200)], "seed {seed}");

        let context = served.ask(&format!("/api/sessions/{key}/context"));
        let estimate = session.context_estimate().unwrap();
        assert_eq!(context["total"].as_f64(), Some(estimate.tokens), "seed {seed}");

        let spend = served.ask("/api/spend?by=model");
        let report =
            served.store.ledger().report(By::Model, &Selection::default(), &served.environment);
        assert_eq!(spend["rows"].as_array().unwrap().len(), report.groups.len(), "seed {seed}");
        assert_eq!(spend["checked"], true);
    }
}

/// Names of directories and tools come from a session as its messages do.
#[test]
fn no_answer_holds_what_controls_text() {
    let evil = r"\u001b[2J\u202e\u0007";
    let text = BRANCHED.replace("/srv/shop", &format!("/srv/{evil}shop"));
    let text = text.replace("\"bash\"", &format!("\"{evil}bash\""));
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    let parts = ["", "/rows", "/tree?filter=all", "/context", "/marks"];
    let targets = parts.map(|part| format!("/api/sessions/{key}{part}"));
    let lists = ["/api/sessions", "/api/projects", "/api/stats", "/api/spend?by=project"];
    for target in targets.iter().map(String::as_str).chain(lists) {
        let text = served.get(target).text();
        for evil in ["\u{202e}", r"\u202e", "\u{1b}", r"\u001b", r"\u0007"] {
            assert!(!text.contains(evil), "{target}: {text}");
        }
    }
    let row = &served.ask("/api/sessions")["rows"][0];
    let cwd: String = row["cwd"].as_str().unwrap().bytes().map(|it| format!("%{it:02x}")).collect();
    assert_eq!(served.ask(&format!("/api/sessions?project={cwd}"))["total"], 1);
}

/// The tree says the same as the lanes and an exported page, and no codes of a terminal.
#[test]
fn a_line_of_the_tree_says_what_was_done() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key(ID);
    let tree = served.ask(&format!("/api/sessions/{key}/tree?filter=default"));
    let line = |at: usize| {
        let rows = tree["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["at"] == at).unwrap();
        (row["text"].as_str().unwrap().to_owned(), row["isError"].as_bool().unwrap())
    };
    assert_eq!(line(0), ("Why is the *forecast* slow?".to_owned(), false));
    assert_eq!(line(2), ("bash grep -rn cache src".to_owned(), true));
    assert_eq!(line(3), ("read src/cache.py".to_owned(), false));
    let context = served.ask(&format!("/api/sessions/{key}/context"));
    let largest = context["largest"].as_array().unwrap();
    let names: Vec<&str> = largest.iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert!(names.contains(&"bash: grep: src: No such file"), "{names:?}");
}

#[test]
fn the_tree_of_everything_has_every_entry() {
    // A reply that only calls tools, which the filters of Pi leave out.
    let text = BRANCHED.replace(r"Let me look:\n\n- one\n- two", "");
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    let total =
        |filter| served.ask(&format!("/api/sessions/{key}/tree?filter={filter}"))["total"].clone();
    assert_eq!(total("all"), 11);
    assert_eq!(total("default"), 9);
    let rows = served.ask(&format!("/api/sessions/{key}/tree?filter=all"))["rows"].clone();
    let row =
        |at: u64| rows.as_array().unwrap().iter().find(|row| row["at"] == at).unwrap().clone();
    assert_eq!((&row(2)["isError"], &row(3)["isError"]), (&json!(true), &json!(false)));
    assert_eq!((&row(2)["role"], &row(5)["role"]), (&json!("toolResult"), &Value::Null));
}

/// Some programs escape what has a meaning in HTML, or all that is not ASCII.
#[test]
fn find_reads_through_escapes() {
    let text = BRANCHED
        .replace("Build one in SQLite.", r"\u003cb\u003eCaf\u00e9\u003c\/b\u003e in SQLite");
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    for word in ["%3Cb%3E", "%3C/b%3E", "caf%C3%A9", "caf", "sqlite"] {
        let found = served.ask(&format!("/api/sessions/{key}/find?q={word}"));
        assert_eq!(found["hits"][0]["at"], 6, "{word}: {found}");
    }
    assert_eq!(served.ask(&format!("/api/sessions/{key}/find?q=%3Ci%3E"))["total"], 0);
}

/// What only a decoder sees in a line is found, and what a search does not look at is not shown.
#[test]
fn find_looks_at_the_text_that_a_search_looks_at() {
    let text = BRANCHED
        .replace("Build one in SQLite.", r"Build one in \u0053QLite.")
        .replace(
            r#""thinking":"Look at"#,
            r#""thinkingSignature":"first_AAAA","thinking":"Look at"#,
        )
        .replace(r#""stopReason":"stop""#, r#""responseId":"Done_BBBB","stopReason":"stop""#);
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    let found = served.ask(&format!("/api/sessions/{key}/find?q=SQLite+one"));
    assert_eq!(found["hits"][0]["at"], 6, "{found}");
    let snippet = &found["hits"][0]["snippet"];
    assert_eq!(snippet["text"], "Build one in SQLite.");
    assert_eq!(snippet["marks"], serde_json::json!([[6, 9], [13, 19]]));
    for (word, shown) in
        [("first", "Look at the cache first."), ("Done", "Done, 140 lines of SQLite.")]
    {
        let found = served.ask(&format!("/api/sessions/{key}/find?q={word}"));
        assert_eq!(found["hits"][0]["snippet"]["text"], shown, "{word}: {found}");
    }
    for word in ["AAAA", "BBBB"] {
        assert_eq!(served.ask(&format!("/api/sessions/{key}/find?q={word}"))["total"], 0);
    }
}

#[test]
fn find_takes_the_language_of_the_search() {
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let key = served.key(ID);
    let hits = |query: &str| -> Vec<u64> {
        let found = served.ask(&format!("/api/sessions/{key}/find?q={query}"));
        let hits = found["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["at"].as_u64().unwrap()).collect()
    };
    assert_eq!(hits("SQLITE"), [0_u64; 0]);
    assert!(hits("sqlite").contains(&6));
    assert_eq!(hits("SQLite%20on:abandoned%20role:user"), [6]);
    assert_eq!(hits("SQLite%20on:active%20role:user"), [0_u64; 0]);
    assert_eq!(hits("re:build%5Cs%2Bone"), [6]);
    assert_eq!(hits("role:user"), [0, 6, 9]);
    let refused = served.get(&format!("/api/sessions/{key}/find?q=re:("));
    assert_eq!(refused.status, 400);
}
