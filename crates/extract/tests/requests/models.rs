//! The models that take part, all of them behind one endpoint.

use serde_json::{Value, json};

/// Provider and id of each model.
pub(crate) const MODELS: [(&str, &str); 11] = [
    ("near", "plain"),
    ("near", "seeing"),
    ("far", "deep"),
    ("far", "fussy"),
    ("far", "strict"),
    ("far", "midway"),
    ("far", "updated"),
    ("far", "marked"),
    ("openai", "cut"),
    ("openrouter", "anthropic/routed"),
    ("deepseek", "chat"),
];

/// A `models.json` with all of them at one address.
pub(crate) fn models_json(address: &str) -> Value {
    let provider = |models: Vec<Value>| {
        json!({
            "baseUrl": address, "api": "openai-completions", "apiKey": "none", "models": models,
        })
    };
    let blind = |id: &str, reasoning: bool, compat: Value| json!({ "id": id, "reasoning": reasoning, "input": ["text"], "compat": compat });
    let seeing = |id: &str, reasoning: bool, compat: Value| json!({ "id": id, "reasoning": reasoning, "input": ["text", "image"], "compat": compat });
    let fussy = json!({
        "requiresToolResultName": true, "requiresAssistantAfterToolResult": true,
        "requiresThinkingAsText": true, "supportsStrictMode": true,
    });
    let deep = json!({
        "requiresReasoningContentOnAssistantMessages": true, "supportsDeveloperRole": false,
    });
    let strict = json!({ "supportsStrictMode": true, "supportsOpenAIGrammarTools": true });
    let midway = json!({
        "supportsMidConvoSystemMessages": true, "supportsMidConvoToolAdditions": true,
    });
    json!({ "providers": {
        "near": provider(vec![blind("plain", false, json!({})), seeing("seeing", true, json!({}))]),
        "far": provider(vec![
            blind("deep", true, deep),
            seeing("fussy", true, fussy),
            blind("strict", false, strict),
            seeing("midway", true, midway),
            blind("updated", false, json!({ "supportsMidConvoSystemMessages": true })),
            seeing("marked", false, json!({ "cacheControlFormat": "anthropic" })),
        ]),
        "openai": provider(vec![blind("cut", true, json!({}))]),
        "openrouter": provider(vec![seeing("anthropic/routed", true, json!({}))]),
        "deepseek": provider(vec![blind("chat", true, json!({}))]),
    } })
}
