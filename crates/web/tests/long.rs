//! A session with very many entries, made from a seed: turns with tools, some of which fail,
//! labels, and attempts that were abandoned.

use pitree_testkit::Rng;
use serde_json::{Value, json};

pub(crate) const LONG: &str = "0198aaaa-0000-7000-8000-0000000000f1";

const TIME: &str = "2026-02-03T22:00:00.000Z";
const TOPICS: [&str; 5] = ["weather", "forecast", "parser", "garden", "ferry"];

/// The file of a session with so many entries.
pub(crate) fn long_session(seed: u64, entries: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let header =
        json!({"type": "session", "version": 3, "id": LONG, "timestamp": TIME, "cwd": "/srv/long"});
    let mut text = format!("{header}\n");
    let mut leaf: Option<usize> = None;
    for at in 0..entries {
        // Back to where the last question was asked.
        if at % 8 == 0 && at > 8 && at + 8 < entries && rng.chance(1) {
            leaf = Some(at - 9);
        }
        let mut entry = entry(&mut rng, at, leaf);
        entry["id"] = id(at).into();
        entry["parentId"] = leaf.map_or(Value::Null, |leaf| id(leaf).into());
        entry["timestamp"] = TIME.into();
        text.push_str(&format!("{entry}\n"));
        leaf = Some(at);
    }
    text.into_bytes()
}

fn id(at: usize) -> String {
    format!("{at:08x}")
}

fn entry(rng: &mut Rng, at: usize, leaf: Option<usize>) -> Value {
    let topic = rng.pick(&TOPICS);
    let said = |message: Value| json!({"type": "message", "message": message});
    let reply = |content: Value, stop: &str| {
        said(json!({"role": "assistant", "content": content, "api": "a", "provider": "local",
            "model": "small", "stopReason": stop, "usage": {"input": 9, "output": 3, "cacheRead": 0,
            "cacheWrite": 0, "totalTokens": 12, "cost": {"input": 0, "output": 0.001,
            "cacheRead": 0, "cacheWrite": 0, "total": 0.001}}}))
    };
    match at % 4 {
        0 => said(
            json!({"role": "user", "content": format!("What about the {topic}, number {at}?")}),
        ),
        1 => reply(
            json!([{"type": "thinking", "thinking": format!("Look at the {topic}.")},
                {"type": "toolCall", "id": format!("call_{at}"), "name": "bash",
                    "arguments": {"command": format!("cat {topic}.txt")}}]),
            "toolUse",
        ),
        2 => said(json!({"role": "toolResult", "toolCallId": format!("call_{}", at - 1),
            "toolName": "bash", "isError": rng.chance(2), "content": [{"type": "text",
                "text": format!("{topic} {at}\n").repeat(1 + rng.below(6))}]})),
        _ if rng.chance(2) => {
            let target = leaf.map(id);
            json!({"type": "label", "targetId": target, "label": format!("{topic} {at}")})
        }
        _ => reply(json!([{"type": "text", "text": format!("The {topic} is **fine**.")}]), "stop"),
    }
}
