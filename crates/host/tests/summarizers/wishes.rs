//! What the user's files say about a model reaches the endpoint.

use pitree_host::models::ThinkingLevel;
use pitree_host::summarizer::{ModelName, SummarizerOptions, choose};
use pitree_session::Environment;
use pitree_testkit::{MockModel, MockReply};
use serde_json::{Value, json};

use crate::summarizers::ask;

/// The request that a model with these members gets.
fn sent(api: &str, members: Value, level: Option<ThinkingLevel>) -> Value {
    let model = MockModel::start([MockReply::text("x")]).unwrap();
    let url = match api {
        "anthropic-messages" => model.anthropic_url(),
        _ => model.openai_url(),
    };
    let mut definition = members;
    definition["id"] = json!("m");
    let models = json!({"providers": {"own": {"baseUrl": url, "api": api, "apiKey": "k",
        "models": [definition]}}});
    let home = tempfile::tempdir().unwrap();
    fs_err::create_dir_all(home.path().join(".pi/agent")).unwrap();
    fs_err::write(home.path().join(".pi/agent/models.json"), models.to_string()).unwrap();
    let environment = Environment::new(home.path(), home.path(), || 0, |_| {});
    let options = SummarizerOptions { thinking_level: level, ..Default::default() };
    let summarizer = choose(&options, &environment, Some(&ModelName::new("own", "m")));
    ask(&*summarizer.unwrap().unwrap()).unwrap();
    model.requests()[0].json()
}

#[test]
fn chat_completions_take_parameters_and_the_thinking_level() {
    let api = "openai-completions";
    let members = json!({"reasoning": true, "thinkingLevelMap": {"high": "hard", "xhigh": null},
        "samplingParams": {"temperature": 0.2, "top_p": 1},
        "samplingParamsByThinkingLevel": {"high": {"top_p": 0.5}},
        "compat": {"supportsUsageInStreaming": false}});
    let body = sent(api, members.clone(), Some(ThinkingLevel::High));
    assert_eq!(body["reasoning_effort"], "hard");
    assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.2), &json!(0.5)));
    assert_eq!(body.get("stream_options"), None);
    assert_eq!(sent(api, members.clone(), Some(ThinkingLevel::Low))["reasoning_effort"], "low");
    assert_eq!(sent(api, members.clone(), Some(ThinkingLevel::Off)).get("reasoning_effort"), None);
    assert_eq!(sent(api, members, None).get("reasoning_effort"), None);
    for compat in [json!({"thinkingFormat": "qwen"}), json!({"supportsReasoningEffort": false})] {
        let other = json!({"reasoning": true, "compat": compat});
        assert_eq!(sent(api, other, Some(ThinkingLevel::High)).get("reasoning_effort"), None);
    }
    let plain = sent(api, json!({}), Some(ThinkingLevel::High));
    assert_eq!(plain.get("reasoning_effort"), None);
    assert_eq!(plain["stream_options"]["include_usage"], true);
}

#[test]
fn messages_take_a_thinking_budget_or_an_effort() {
    let api = "anthropic-messages";
    let thinks = json!({"reasoning": true, "contextWindow": 200_000, "maxTokens": 64_000});
    let body = sent(api, thinks.clone(), Some(ThinkingLevel::Medium));
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 8192}));
    assert!(body["max_tokens"].as_u64().unwrap() > 8192 + 1024);
    assert_eq!(sent(api, thinks.clone(), Some(ThinkingLevel::Off)).get("thinking"), None);
    assert_eq!(sent(api, thinks, None)["max_tokens"], 32_000);
    let adaptive = json!({"reasoning": true, "compat": {"forceAdaptiveThinking": true},
        "thinkingLevelMap": {"max": "max"}});
    let body = sent(api, adaptive, Some(ThinkingLevel::Max));
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(body["output_config"], json!({"effort": "max"}));
    // A budget that leaves no room for the answer is left out.
    let small = json!({"reasoning": true, "maxTokens": 2000});
    let body = sent(api, small, Some(ThinkingLevel::High));
    assert_eq!((body.get("thinking"), &body["max_tokens"]), (None, &json!(2000)));
    // An answer must fit into the window beside the request.
    let narrow = json!({"contextWindow": 3000, "maxTokens": 16_000});
    assert!(sent(api, narrow, None)["max_tokens"].as_u64().unwrap() < 3000);
}
