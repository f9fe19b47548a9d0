//! What the windows show is what the session, the store and the ledger say.

use std::collections::BTreeSet;

use pitree_session::{EntryRef, Session, TreeFilter};
use pitree_store::ledger::{By, Selection};
use pitree_testkit::{session, working_session};
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
    let found = served.ask(&format!("/api/sessions/{key}/find?q=CACHE"));
    assert_eq!(found["hits"][0]["at"], 1);
    assert_eq!(found["hits"][0]["snippet"]["marks"][0], json!([12, 17]));
    assert!(stamps(served.folder.path()) == before, "reading has written");
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
}

/// Some programs escape what has a meaning in HTML, or all that is not ASCII.
#[test]
fn find_reads_through_escapes() {
    let text = BRANCHED
        .replace("Build one in SQLite.", r"\u003cb\u003eCaf\u00e9\u003c\/b\u003e in SQLite");
    let served = Served::new(&[("a.jsonl", text.as_bytes())]);
    let key = served.key(ID);
    for word in ["%3Cb%3E", "%3C/b%3E", "CAF%C3%89", "caf", "sqlite"] {
        let found = served.ask(&format!("/api/sessions/{key}/find?q={word}"));
        assert_eq!(found["hits"][0]["at"], 6, "{word}: {found}");
    }
    assert_eq!(served.ask(&format!("/api/sessions/{key}/find?q=%3Ci%3E"))["total"], 0);
}
