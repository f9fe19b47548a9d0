//! Every model that Pi knows, with the peculiarities of its endpoint.

use pitree_extract::request::{self, RequestSettings};
use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_host::models::{Model, Models};
use pitree_session::{Environment, Session};
use pitree_testkit::{Oracle, PiVersion};
use serde_json::json;

use crate::requests::compare::assert_same;

/// A conversation in which there is something for every peculiarity: `OWN` is the model itself.
const BEFORE: [&str; 8] = [
    r#"{"role":"system","content":"","sections":{"preamble":"Be brief."},"toolsAdded":[{"name":"look","description":"Looks","parameters":{"type":"object","properties":{"at":{"type":"string"},"often":{"type":"number"}},"required":["at"]},"constrainedSampling":{"type":"json_schema","strict":"prefer"}},{"name":"recite","description":"Recites","parameters":{"type":"object","properties":{"number":{"type":"string"}},"required":["number"]},"constrainedSampling":{"type":"grammar","variants":{"openai_lark":"start: /a+/"}}}],"timestamp":1}"#,
    r#"{"role":"user","content":[{"type":"text","text":"hello"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":2}"#,
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning"},{"type":"toolCall","id":"call_0123456789012345678901234567890123456789","name":"look","arguments":{"at":"it"}},{"type":"toolCall","id":"c2","name":"recite","arguments":{"number":"aa"}}],OWN,"stopReason":"toolUse","timestamp":3}"#,
    r#"{"role":"toolResult","toolCallId":"call_0123456789012345678901234567890123456789","toolName":"look","content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"isError":false,"timestamp":4}"#,
    r#"{"role":"system","content":"","sections":{"preamble":"Be long."},"toolsAdded":[{"name":"late","description":"Late","parameters":{"type":"object","properties":{}}}],"timestamp":5}"#,
    r#"{"role":"toolResult","toolCallId":"c2","toolName":"recite","content":[],"isError":false,"timestamp":6}"#,
    r#"{"role":"user","content":"and now?","timestamp":7}"#,
    r#"{"role":"assistant","content":[],OWN,"stopReason":"stop","timestamp":8}"#,
];

#[test]
fn known_models_are_asked_as_by_pi() {
    if !pitree_testkit::has_pi("known_models_are_asked_as_by_pi") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::new(folder.path(), folder.path(), || 0, |_| {});
    let models = Models::load(&environment).unwrap();
    let is_asked = |model: &&Model| model.api() == "openai-completions";
    let models: Vec<&Model> = models.all().iter().filter(is_asked).collect();
    let path = folder.path().join("session.jsonl");
    fs_err::write(&path, conversations(&models)).unwrap();
    let session = Session::open(&path, &environment).unwrap();
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let settings = RequestSettings::new(models.iter().map(|model| model.to_value()));
    let reply = |at: usize| format!("m{at}-{}", BEFORE.len() - 1);
    let ask = |(at, model): (usize, &&Model)| {
        format!(r#"{{"id":"{}","model":{}}}"#, reply(at), stringify(&model.to_value()))
    };
    let replies: Vec<String> = models.iter().enumerate().map(ask).collect();
    let (path_text, replies) = (json!(path), replies.join(","));
    let ask = format!(r#"{{"op":"requests","path":{path_text},"replies":[{replies}]}}"#);
    let answer = parse(oracle.ask(&ask).unwrap().as_bytes()).unwrap();
    let bodies = answer.get("bodies").and_then(Value::as_array);
    let bodies = bodies.unwrap_or_else(|| panic!("{}", stringify(&answer)));
    for (at, body) in bodies.iter().enumerate() {
        let request = request::for_reply(&session, reply(at), &settings).unwrap();
        assert_same(&request, body, &path);
    }
    assert_eq!(bodies.len(), models.len());
    println!("{} known models are asked as by Pi", models.len());
    assert!(models.len() > 100, "only {} models", models.len());
}

/// The conversation once for every model, each from a root of its own.
fn conversations(models: &[&Model]) -> String {
    let header = json!({ "type": "session", "version": 3, "id": "s1", "cwd": "/srv/shop" });
    let mut text = format!("{header}\n");
    for (at, model) in models.iter().enumerate() {
        let own = format!(
            r#""provider":{},"model":{},"api":{}"#,
            json!(model.provider()),
            json!(model.id()),
            json!(model.api())
        );
        let mut parent = json!(null);
        for (number, message) in BEFORE.iter().enumerate() {
            let id = json!(format!("m{at}-{number}"));
            let message = message.replace("OWN", &own);
            text += &format!(
                "{{\"type\":\"message\",\"id\":{id},\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{message}}}\n"
            );
            parent = id;
        }
    }
    text
}
