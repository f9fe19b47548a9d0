//! Sub-agents through `pitree extract --split`: they are known as such and stay with the session
//! that sent them out, however the sessions are chosen.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::common::{Sandbox, lines};

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-p--";
const FAMILIES: usize = 10;
const CHILDREN: usize = 3;

fn entry(id: &str, parent: Option<&str>, message: &Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent,
        "timestamp": "2026-02-03T10:00:01.000Z", "message": message})
}

fn session(id: &str, model: &str, results: &[Value]) -> String {
    let ids: Vec<String> = (0..4).map(|at| format!("{id}-{at}")).collect();
    let reply = |text: &str, calls: Value| {
        json!({"role": "assistant", "provider": "p", "model": model, "stopReason": "stop",
            "content": [json!({"type": "text", "text": format!("{text} {id}")}), calls]})
    };
    let call = json!({"type": "toolCall", "id": "c1", "name": "subagent", "arguments": {}});
    let result = json!({"role": "toolResult", "toolCallId": "c1", "toolName": "subagent",
        "isError": false, "content": [{"type": "text", "text": "looked"}],
        "details": {"mode": "parallel", "results": results}});
    let lines = [
        json!({"type": "session", "version": 3, "id": id, "cwd": "/home/ana/p",
            "timestamp": "2026-02-03T10:00:00.000Z"}),
        entry(&ids[0], None, &json!({"role": "user", "content": format!("Look at {id}")})),
        entry(&ids[1], Some(&ids[0]), &reply("I look at", call)),
        entry(&ids[2], Some(&ids[1]), &result),
        entry(&ids[3], Some(&ids[2]), &reply("I have seen", json!({"type": "text", "text": "."}))),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Sessions that sent out agents, one of which sent out another one.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    let write = |id: &str, model: &str, sent: &[String]| {
        let run = |child: &String| {
            let path = sandbox.path(&format!("{FOLDER}/{child}.jsonl"));
            json!({"agent": "worker", "task": "Look", "exitCode": 0, "sessionFile": path})
        };
        let results: Vec<Value> = sent.iter().map(run).collect();
        let _ = sandbox.write(&format!("{FOLDER}/{id}.jsonl"), &session(id, model, &results));
    };
    for family in 0..FAMILIES {
        let children: Vec<String> =
            (0..CHILDREN).map(|at| format!("f{family}-child{at}")).collect();
        let inner = format!("f{family}-inner");
        write(&format!("f{family}"), "big", &children);
        write(&children[0], "small", std::slice::from_ref(&inner));
        children[1..].iter().for_each(|child| write(child, "small", &[]));
        write(&inner, "small", &[]);
    }
    sandbox
}

/// What is told of each session, by the id, and the part that it is in.
fn extracted(sandbox: &Sandbox, more: &[&str]) -> BTreeMap<String, (Value, String)> {
    let args = ["extract", "--split", "0.5", "--output", "data"];
    let _ = sandbox.run(args.iter().chain(more).copied()).ok();
    let mut told = BTreeMap::new();
    for part in ["train", "validation"] {
        for line in lines(&sandbox.project().join(format!("data/{part}.jsonl"))) {
            let about = line["metadata"].clone();
            let id = about["sessionId"].as_str().unwrap().to_owned();
            assert!(told.insert(id, (about, part.to_owned())).is_none());
        }
    }
    told
}

fn check(told: &BTreeMap<String, (Value, String)>) {
    let mut parts: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, (about, part)) in told {
        let family = id.split('-').next().unwrap();
        let parent = match id.split('-').nth(1) {
            None => Value::Null,
            Some("inner") => json!(format!("{family}-child0")),
            Some(_) => json!(family),
        };
        assert_eq!(about["familyId"], family, "{id}");
        assert_eq!(about["parentSessionId"], parent, "{id}");
        assert_eq!(about["isSubagent"], !parent.is_null(), "{id}");
        let first = *parts.entry(family).or_insert(part);
        assert_eq!(first, part, "the family of {id} straddles");
    }
    assert_eq!(parts.len(), FAMILIES);
    assert!(parts.values().any(|part| *part == "train"), "{parts:?}");
    assert!(parts.values().any(|part| *part == "validation"), "{parts:?}");
}

#[test]
fn sub_agents_stay_with_the_session_that_sent_them_out() {
    let sandbox = store();
    let all = extracted(&sandbox, &[]);
    assert_eq!(all.len(), FAMILIES * (CHILDREN + 2));
    check(&all);
    // Only the agents.
    let agents = extracted(&sandbox, &["--model", "small"]);
    assert_eq!(agents.len(), FAMILIES * (CHILDREN + 1));
    check(&agents);
    // All sessions named, by files in another spelling.
    let paths: Vec<String> =
        all.keys().map(|id| format!("../home/../{FOLDER}/{id}.jsonl")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    assert_eq!(extracted(&sandbox, &paths), all);
    // Only the innermost and one more of each family named.
    let two = |id: &&str| id.ends_with("-inner.jsonl") || id.ends_with("-child2.jsonl");
    let paths: Vec<&str> = paths.iter().copied().filter(two).collect();
    let told = extracted(&sandbox, &paths);
    assert_eq!(told.len(), FAMILIES * 2);
    check(&told);
}
