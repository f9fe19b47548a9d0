//! Trajectories, read by their own models and compared with Harbor's.

use std::path::PathBuf;

use pitree_extract::{Context, FormatName, Paths, Selection, Unit};
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::tables::data_set::{DataSet, DataSetOptions};
use crate::tables::spend::TestStore;

const SELECTIONS: [(Paths, Context, Unit); 3] = [
    (Paths::Active, Context::AsSent, Unit::Path),
    (Paths::All, Context::Raw, Unit::Path),
    (Paths::Leaves, Context::AsSent, Unit::Turn),
];

fn options((paths, context, unit): (Paths, Context, Unit)) -> DataSetOptions {
    let selection = Selection { paths, context, unit };
    DataSetOptions { selection, ..DataSetOptions::of(FormatName::Atif) }
}

fn random_store(seeds: u64) -> TestStore {
    let store = TestStore::empty();
    for seed in 0..seeds {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("work-{seed}"), &working_session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
        store.write_bytes(&format!("v1-{seed}"), &session_v1(seed).bytes);
    }
    store
}

/// A message line of a session.
fn line(id: &str, parent: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T10:00:01.000Z","message":{message}}}"#
    )
}

fn reply(text: &str, cost: f64) -> String {
    format!(
        r#"{{"role":"assistant","provider":"p","model":"m","api":"openai-completions","stopReason":"stop","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input":10,"output":5,"cacheRead":3,"cacheWrite":2,"cost":{{"total":{cost}}}}}}}"#
    )
}

#[test]
fn every_trajectory_is_valid() {
    let Some(consumers) = Consumers::find("every_trajectory_is_valid") else { return };
    let store = random_store(5);
    for selection in SELECTIONS {
        let data = DataSet::of(&store, options(selection));
        let seen = data.read_with(&consumers, "atif_models.py", "");
        let files = data.files();
        let is_trajectory = |path: &&PathBuf| path.extension().unwrap() == "json";
        let count = files.iter().filter(is_trajectory).count();
        assert_eq!(seen.as_array().unwrap().len(), count, "{selection:?}");
        assert!(count > 15, "{selection:?}: {count}");
    }
}

#[test]
fn what_was_learned_before_is_copied_context_and_all_branches_cost() {
    let name = "what_was_learned_before_is_copied_context_and_all_branches_cost";
    let Some(consumers) = Consumers::find(name) else { return };
    let store = TestStore::empty();
    let user = r#"{"role":"user","content":"go"}"#;
    let lines = [
        line("u1", "", user),
        line("a1", "u1", &reply("first", 1.0)),
        line("u2", "a1", user),
        line("a2", "u2", &reply("left behind", 2.0)),
        r#"{"type":"compaction","id":"k1","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","summary":"so far","firstKeptEntryId":"a1","tokensBefore":9,"usage":{"input":1,"cost":{"total":4}}}"#.to_owned(),
        line("u3", "k1", user),
        line("a3", "u3", &reply("after", 8.0)),
    ];
    store.write_lines("tree", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let data = DataSet::of(&store, options(SELECTIONS[0]));
    let seen = data.read_with(&consumers, "atif_models.py", "");
    let told = |at: usize| (&seen[at]["sources"], &seen[at]["copied"]);
    assert_eq!(told(0), (&json!(["user", "agent"]), &json!([false, false])));
    // The summary and the reply that was kept stand before what is new.
    let sources = json!(["user", "agent", "user", "agent"]);
    assert_eq!(told(1), (&sources, &json!([true, true, false, false])));
    for trajectory in seen.as_array().unwrap() {
        assert_eq!(trajectory["cost"], json!(15.0));
        assert_eq!(trajectory["prompt_tokens"], json!(3 * 15 + 1));
    }
}

#[test]
fn sub_agents_are_trajectories_inside() {
    let Some(consumers) = Consumers::find("sub_agents_are_trajectories_inside") else { return };
    let store = TestStore::empty();
    let write = |name: &str, lines: &[String]| {
        store.write_lines(name, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    };
    let call = r#"{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":{}}]}"#;
    let result = |details: &str| {
        format!(
            r#"{{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[{{"type":"image","mimeType":"image/png","data":"aGk="}},{{"type":"image","mimeType":"image/tiff","data":"aGk="}}],"details":{{"mode":"parallel","results":[{details}]}}}}"#
        )
    };
    let conversation = |name: &str, details: &str| {
        let user = line("u1", "", &format!(r#"{{"role":"user","content":"go, {name}"}}"#));
        let result = line("t1", "a1", &result(details));
        [user, line("a1", "u1", call), result, line("a2", "t1", &reply(name, 1.0))]
    };
    // A run whose session is there and sent out one of which nothing is left, and one that is told
    // inside the result.
    write("child", &conversation("child", r#"{"agent":"scout","task":"look"}"#));
    let child = store.path("child").display().to_string();
    let usage = r#""usage":{"input":7,"cost":0.5}"#;
    let inline = r#"[{"role":"user","content":"do it"},{"role":"assistant","content":[{"type":"text","text":"did"}]}]"#;
    write(
        "parent",
        &conversation(
            "parent",
            &format!(
                r#"{{"agent":"worker","sessionFile":"{child}",{usage}}},{{"agent":"other","messages":{inline},{usage}}}"#
            ),
        ),
    );
    let data = DataSet::of(&store, options(SELECTIONS[0]));
    let seen = data.read_with(&consumers, "atif_models.py", "");
    let mut trajectories = seen.as_array().unwrap().iter();
    let parent = trajectories.find(|seen| seen["id"] == "parent:a2:0").unwrap();
    assert_eq!(parent["cost"], json!(2.0), "what the sub-agents have cost is in it");
    assert_eq!(parent["images"], json!(true));
    let ids = |list: &Value| -> Value {
        list.as_array().unwrap().iter().map(|child| child["id"].clone()).collect()
    };
    let children = &parent["children"];
    assert_eq!(parent["references"], ids(children));
    assert_eq!(children[0]["sources"], json!(["user", "agent", "agent"]));
    assert_eq!(children[1]["sources"], json!(["user", "agent"]));
    for child in children.as_array().unwrap() {
        assert_eq!(child["cost"], json!(0.5));
        let copied = child["copied"].as_array().unwrap();
        assert!(copied.iter().all(|is| *is == json!(true)), "it is learned from its own session");
        assert_eq!(child["references"], ids(&child["children"]));
    }
    assert_eq!(children[0]["children"][0]["sources"], json!(["user"]), "only the task is left");
}

#[test]
fn harbor_says_the_same_of_active_paths() {
    let name = "harbor_says_the_same_of_active_paths";
    let Some(harbor) = Consumers::find_harbor(name) else { return };
    // Harbor knows entries by their ids, which version 1 has not.
    let store = TestStore::empty();
    for seed in 0..8 {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("work-{seed}"), &working_session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
    }
    let data = DataSet::of(&store, options((Paths::Active, Context::Raw, Unit::Path)));
    let listing = store.store().list_all();
    let paths = listing.sessions.iter().map(|facts| facts.path.to_string_lossy().into_owned());
    let input = paths.collect::<Vec<_>>().join("\n");
    let seen = data.read_with(&harbor, "harbor_pi.py", &input);
    assert_eq!(seen["problems"], json!([]));
    assert!(seen["compared"].as_u64().unwrap() > 100, "{}", seen["compared"]);
}
