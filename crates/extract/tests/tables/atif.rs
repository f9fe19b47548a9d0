//! Trajectories, read by their own models and compared with Harbor's.

use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{
    About, ChatMessage, ChatRole, Context, FormatName, Part, Paths, Selection, SubagentRun,
    ToolCall, ToolResult, Unit, Usage,
};
use pitree_format::Object;
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::data_set::{DataSet, Wish};
use crate::spend::TestStore;

const SELECTIONS: [(Paths, Context, Unit); 3] = [
    (Paths::Active, Context::AsSent, Unit::Path),
    (Paths::All, Context::Raw, Unit::Path),
    (Paths::Leaves, Context::AsSent, Unit::Turn),
];

fn wish((paths, context, unit): (Paths, Context, Unit)) -> Wish {
    let selection = Selection { paths, context, unit };
    Wish { selection, ..Wish::of(FormatName::Atif) }
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
        let data = DataSet::of(&store, wish(selection));
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
    let data = DataSet::of(&store, wish(SELECTIONS[0]));
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

fn said(role: ChatRole, id: &str, text: &str) -> ChatMessage {
    ChatMessage {
        role,
        content: vec![Part::Text(text.to_owned())],
        reasoning: None,
        tool_calls: Vec::new(),
        result: None,
        entry_id: Some(id.to_owned()),
        timestamp: None,
        speaker: None,
    }
}

/// A run that sends out a run of its own.
fn nested_run() -> SubagentRun {
    let call = ToolCall {
        id: "inner".to_owned(),
        made_up_id: false,
        name: "subagent".to_owned(),
        arguments: Object::new().into(),
    };
    let result =
        ToolResult { call_id: "inner".to_owned(), name: "subagent".to_owned(), is_error: false };
    let inner = SubagentRun {
        agent: "scout".to_owned(),
        task: Some("look".to_owned()),
        ..SubagentRun::default()
    };
    let mut about = About { session_id: "child".to_owned(), ..About::default() };
    about.subagents.insert("r".to_owned(), vec![inner]);
    let messages = [
        said(ChatRole::User, "u", "do it"),
        ChatMessage { tool_calls: vec![call], ..said(ChatRole::Assistant, "a", "asking") },
        ChatMessage { result: Some(result), ..said(ChatRole::Tool, "r", "seen") },
    ];
    SubagentRun {
        agent: "worker".to_owned(),
        usage: Some(Usage { input: 7.0, cost: 0.5, ..Usage::default() }),
        messages: messages.map(Arc::new).to_vec(),
        about: Arc::new(about),
        ..SubagentRun::default()
    }
}

#[test]
fn sub_agents_are_trajectories_inside() {
    let Some(consumers) = Consumers::find("sub_agents_are_trajectories_inside") else { return };
    let store = TestStore::empty();
    let call = r#"{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":{}}]}"#;
    let result = r#"{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[{"type":"image","mimeType":"image/png","data":"aGk="},{"type":"image","mimeType":"image/tiff","data":"aGk="}]}"#;
    let lines = [
        line("u1", "", r#"{"role":"user","content":"go"}"#),
        line("a1", "u1", call),
        line("t1", "a1", result),
        line("a2", "t1", &reply("done", 1.0)),
    ];
    store.write_lines("parent", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let tell = |about: &mut About| {
        about.subagents.insert("t1".to_owned(), vec![nested_run(), nested_run()]);
    };
    let data = DataSet::with(&store, wish(SELECTIONS[0]), tell);
    let seen = data.read_with(&consumers, "atif_models.py", "");
    let parent = &seen[0];
    assert_eq!(parent["cost"], json!(2.0));
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|child| child["id"].clone()).collect()
    };
    assert_eq!(parent["references"], Value::Array(ids(&parent["children"])));
    assert_eq!(parent["children"].as_array().unwrap().len(), 2);
    for child in parent["children"].as_array().unwrap() {
        assert_eq!(child["cost"], json!(0.5));
        assert_eq!(child["copied"], json!([true, true]), "it is learned from its own session");
        assert_eq!(child["references"], Value::Array(ids(&child["children"])));
        assert_eq!(child["children"][0]["sources"], json!(["user"]));
    }
    assert_eq!(parent["images"], json!(true));
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
    let data = DataSet::of(&store, wish((Paths::Active, Context::Raw, Unit::Path)));
    let listing = store.store().list_all();
    let paths = listing.sessions.iter().map(|facts| facts.path.to_string_lossy().into_owned());
    let input = paths.collect::<Vec<_>>().join("\n");
    let seen = data.read_with(&harbor, "harbor_pi.py", &input);
    assert_eq!(seen["problems"], json!([]));
    assert!(seen["compared"].as_u64().unwrap() > 100, "{}", seen["compared"]);
}
