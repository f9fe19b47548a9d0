//! What the page says of a context agrees with itself.

use serde_json::Value;

use crate::common::Served;

const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

/// A question, and a reply whose provider counted more than the file has.
fn session() -> String {
    let header = format!(
        r#"{{"type":"session","version":3,"id":"{ID}","timestamp":"2026-02-03T22:00:00.000Z","cwd":"/srv/shop"}}"#
    );
    let user = r#"{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-02-03T22:00:01.000Z","message":{"role":"user","content":"Why is it slow?","timestamp":1770159601000}}"#;
    let reply = r#"{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-02-03T22:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"It waits."}],"api":"openai-completions","provider":"openai","model":"m","usage":{"input":3400,"output":100,"cacheRead":0,"cacheWrite":0,"totalTokens":3500,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1770159602000}}"#;
    [header.as_str(), user, reply, ""].join("\n")
}

fn tokens(parts: &Value) -> u64 {
    parts.as_array().unwrap().iter().map(|part| part["tokens"].as_u64().unwrap()).sum()
}

/// The chart is as high as the number above it: what the file does not have is a part of its own.
#[test]
fn the_parts_of_a_context_add_up_to_what_was_reported() {
    let served = Served::new(&[("a.jsonl", session().as_bytes())]);
    let key = served.key(ID);
    let context = served.ask(&format!("/api/sessions/{key}/context"));
    assert_eq!(context["total"], 3500);
    assert!(tokens(&context["parts"]).abs_diff(3500) <= 3, "{context}");
    let turn = &context["turns"][0];
    assert_eq!((&turn["total"], &turn["reply"]), (&3500.into(), &1.into()), "{turn}");
    assert!(turn["parts"]["Not in the file"].as_u64().unwrap() > 3400, "{turn}");
    assert_eq!((&context["replies"], &context["compactions"]), (&1.into(), &0.into()));
}
