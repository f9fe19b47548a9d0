//! Forks and sub-agents: where they began, and the records of sub-agents as sessions.

use pitree_web::WebOptions;
use serde_json::{Value, json};

use crate::common::{BRANCHED, Served};

const PARENT: &str = "0198aaaa-0000-7000-8000-0000000000b1";
const AGENT: &str = "0198aaaa-0000-7000-8000-0000000000b2";

fn header(id: &str) -> String {
    format!(
        r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-03T22:00:00.000Z","cwd":"/srv/shop"}}"#
    )
}

fn line(id: &str, parent: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T22:00:01.000Z","message":{message}}}"#
    )
}

fn said(text: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"provider":"local","model":"m","stopReason":"stop"}}"#
    )
}

/// A session whose reply sent out four agents: with a session, an artifact, inline messages, and a
/// path that leads out of the folder.
fn sender(folder: &str) -> String {
    let details = json!({"mode": "parallel", "results": [
        {"agent": "worker", "task": "Look <b>around</b>", "sessionFile": format!("{folder}/agent.jsonl")},
        {"agent": "scout", "artifactPaths": {"jsonlPath": format!("{folder}/subagent-artifacts/1_scout.jsonl")}},
        {"agent": "writer", "messages": [{"role": "user", "content": "write"}, {"role": "assistant", "content": [{"type": "text", "text": "said inline"}]}]},
        {"agent": "spy", "sessionFile": "/etc/passwd"},
    ]});
    let call = r#"{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":{}}],"provider":"local","model":"m","stopReason":"toolUse"}"#;
    let result = format!(
        r#"{{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[{{"type":"text","text":"done"}}],"isError":false,"details":{details}}}"#
    );
    let user = r#"{"role":"user","content":"Send them out."}"#;
    [header(PARENT), line("p1", "", user), line("p2", "p1", call), line("p3", "p2", &result)]
        .join("\n")
        + "\n"
}

/// Adds a session and the records of the agents that it sent out.
pub(crate) fn add_sender(served: &Served) {
    let user = r#"{"role":"user","content":"Look around"}"#;
    let agent = [header(AGENT), line("s1", "", user), line("s2", "s1", &said("in its session"))];
    let artifact = said("in the artifact");
    let artifact = format!("{{\"type\":\"message_end\",\"message\":{artifact}}}\n");
    fs_err::write(served.file("agent.jsonl"), agent.join("\n") + "\n").unwrap();
    fs_err::create_dir(served.file("subagent-artifacts")).unwrap();
    fs_err::write(served.file("subagent-artifacts/1_scout.jsonl"), artifact).unwrap();
    let folder = served.folder.path().to_str().unwrap();
    fs_err::write(served.file("parent.jsonl"), sender(folder)).unwrap();
}

fn served() -> Served {
    let served = Served::with(&[], &WebOptions::new().allow_edit(true));
    add_sender(&served);
    served.settle(2);
    served
}

fn member<'v>(family: &'v Value, title: &str) -> &'v Value {
    let mut members = family.as_array().unwrap().iter();
    members.find(|it| it["title"].as_str().unwrap().starts_with(title)).unwrap_or_else(|| {
        panic!("no {title} in {family}");
    })
}

#[test]
fn sub_agents_are_opened_from_each_of_their_places() {
    let served = served();
    let parent = served.key(PARENT);
    let head = served.ask(&format!("/api/sessions/{parent}"));
    let family = &head["family"];
    let worker = member(family, "Look around");
    assert_eq!(worker["key"], served.key(AGENT));
    for title in ["Look around", "scout", "writer", "spy"] {
        let member = member(family, title);
        assert_eq!((&member["subagentOf"], &member["at"]), (&json!(parent), &json!(2)), "{title}");
    }
    for (title, text) in [("scout", "in the artifact"), ("writer", "said inline")] {
        let key = member(family, title)["key"].as_str().unwrap().to_owned();
        let rows = served.ask(&format!("/api/sessions/{key}/rows"));
        assert!(rows["rows"].to_string().contains(text), "{rows}");
        let head = served.ask(&format!("/api/sessions/{key}"));
        assert_eq!((&head["title"], &head["parentKey"]), (&json!(title), &json!(parent)));
        assert_eq!(head["canEdit"], Value::Null);
        let self_ = head["family"].as_array().unwrap().iter().find(|it| it["isSelf"] == true);
        assert_eq!(self_.unwrap()["subagentOf"], json!(parent));
        for part in ["path", "tree", "marks", "context", "find?q=in", "family", "lanes"] {
            served.ask(&format!("/api/sessions/{key}/{part}"));
        }
        assert_eq!(served.post(&format!("/api/sessions/{key}/name"), "{}").status, 400);
    }
    let spy = member(family, "spy")["key"].as_str().unwrap().to_owned();
    assert_eq!(served.get(&format!("/api/sessions/{spy}/rows")).status, 404);
    for end in ["-2-9", "-0-0", "-99-0", "-2-1-0-0"] {
        assert_eq!(served.get(&format!("/api/sessions/{parent}{end}/rows")).status, 404, "{end}");
    }
    // In the list it stands below the session that sent it out.
    let list = served.ask("/api/sessions");
    let mut rows = list["rows"].as_array().unwrap().iter();
    let row = rows.find(|row| row["id"] == AGENT).unwrap();
    assert_eq!((&row["parentKey"], &row["isSubagent"]), (&json!(parent), &json!(true)));
    // From the agent's side the family is the same.
    let family = served.ask(&format!("/api/sessions/{}/family", served.key(AGENT)));
    assert_eq!(
        (&family["total"], &member(&family["members"], "Look")["at"]),
        (&json!(5), &json!(2))
    );
}

/// The list has the newest first; a reply called the oldest first.
#[test]
fn sub_agents_stand_in_the_order_of_their_calls() {
    let served = Served::with(&[], &WebOptions::new());
    add_sender(&served);
    let second = AGENT.replace("b2", "b3");
    let path = served.file("second.jsonl");
    let agent = [header(&second), line("t1", "", &said("later"))].join("\n") + "\n";
    fs_err::write(&path, agent.replace("22:00", "23:00")).unwrap();
    let parent = fs_err::read_to_string(served.file("parent.jsonl")).unwrap();
    let scout = format!(r#""agent":"scout","sessionFile":"{}""#, path.display());
    fs_err::write(served.file("parent.jsonl"), parent.replace(r#""agent":"scout""#, &scout))
        .unwrap();
    served.settle(3);
    for part in ["", "/family"] {
        let family = served.ask(&format!("/api/sessions/{}{part}", served.key(PARENT)));
        let members = family["members"].as_array().or(family["family"].as_array()).unwrap();
        let called: Vec<&str> =
            members[1..].iter().map(|it| it["title"].as_str().unwrap()).collect();
        assert_eq!(called, ["Look around", "(no messages)", "writer", "spy"], "{members:?}");
    }
}

#[test]
fn a_fork_tells_where_it_began() {
    let fork: String = BRANCHED.lines().skip(1).take(5).map(|line| format!("{line}\n")).collect();
    let own = line("ffff0001", "aaaa0005", r#"{"role":"user","content":"Elsewhere"}"#);
    let served = Served::new(&[("a.jsonl", BRANCHED.as_bytes())]);
    let source = served.file("a.jsonl");
    let header = header(AGENT)
        .replace("\"cwd\"", &format!("\"parentSession\":\"{}\",\"cwd\"", source.display()));
    fs_err::write(served.file("fork.jsonl"), format!("{header}\n{fork}{own}\n")).unwrap();
    served.settle(2);
    let family = served.ask(&format!("/api/sessions/{}/family", served.key(AGENT)));
    let members = family["members"].as_array().unwrap();
    let fork = members.iter().find(|it| it["isSelf"] == true).unwrap();
    assert_eq!((&fork["at"], &fork["subagentOf"]), (&json!(4), &Value::Null));
    assert_eq!(members.len(), 2);
}

#[test]
fn a_session_that_tells_of_its_own_parent_makes_no_circle() {
    let served = Served::new(&[]);
    let folder = served.folder.path().to_str().unwrap().to_owned();
    let one = sender(&folder);
    let two = one.replace(PARENT, AGENT).replace("agent.jsonl", "parent.jsonl");
    fs_err::write(served.file("parent.jsonl"), one).unwrap();
    fs_err::write(served.file("agent.jsonl"), two).unwrap();
    served.settle(2);
    for id in [PARENT, AGENT] {
        let family = served.ask(&format!("/api/sessions/{}/family", served.key(id)));
        let members = family["members"].as_array().unwrap();
        let parent = |key: &Value| members.iter().find(|it| it["key"] == *key)?.get("parentKey");
        for member in members {
            let mut above = &member["key"];
            for _ in 0..=members.len() {
                above = parent(above).unwrap_or(&Value::Null);
            }
            assert_eq!(above, &Value::Null, "{family}");
        }
    }
}
