//! Which models are available, in Pi's order and shape.

use std::collections::HashMap;

use pitree_format::js::stringify;
use pitree_host::models::Models;
use pitree_testkit::has_pi;
use serde_json::{Map, Value, json};

use crate::pi::Home;

const KEYS: &[(&str, &str)] =
    &[("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "b"), ("GEMINI_API_KEY", "c")];
const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/models/known.jsonl");

fn of_pi(home: &Home) -> Vec<String> {
    let answer = home.pi(&[]).ask(json!({"type": "get_available_models"})).unwrap();
    let models = answer["data"]["models"].as_array().unwrap_or_else(|| panic!("{answer}"));
    models.iter().map(ToString::to_string).collect()
}

fn of_pitree(home: &Home) -> Vec<String> {
    let environment = home.environment();
    let models = Models::load(&environment).unwrap();
    let available = models.available(&environment).unwrap();
    available.iter().map(|model| stringify(&model.to_value())).collect()
}

/// Fails at the first difference: whole lists are too long to read.
#[track_caller]
fn assert_same(ours: &[String], pis: &[String], case: &str) {
    let different = (0..ours.len().max(pis.len())).find(|at| ours.get(*at) != pis.get(*at));
    if let Some(at) = different {
        panic!("{case}, model {at}:\n  {:?}\n  {:?}", ours.get(at), pis.get(at));
    }
}

/// Providers that need more than one key, or that are asked in ways of their own.
const LEFT_OUT: [&str; 4] =
    ["amazon-bedrock", "cloudflare-ai-gateway", "cloudflare-workers-ai", "google-vertex"];
const OWN_MEMBERS: [&str; 4] = ["id", "name", "contextWindow", "maxTokens"];

/// A key for every provider that pitree knows a variable of.
fn all_keys() -> Vec<(&'static str, &'static str)> {
    let providers = pitree_host::auth::providers().filter(|name| !LEFT_OUT.contains(name));
    let mut variables: Vec<_> =
        providers.filter_map(|name| pitree_host::auth::variables(name).last().copied()).collect();
    variables.sort_unstable();
    variables.dedup();
    variables.into_iter().map(|name| (name, "key")).collect()
}

/// Values, each once. Their texts are compared, since the order of members counts.
#[derive(Default)]
struct Places(Vec<String>, HashMap<String, usize>);

impl Places {
    fn of(&mut self, value: &Value) -> usize {
        let text = value.to_string();
        let next = self.0.len();
        *self.1.entry(text).or_insert_with_key(|text| {
            self.0.push(text.clone());
            next
        })
    }
}

/// The table as `models/builtin.rs` describes it.
fn table(models: &[String]) -> String {
    let (mut values, mut shapes) = (Places::default(), Places::default());
    let mut lines = String::new();
    for model in models {
        let model: Map<String, Value> = serde_json::from_str(model).unwrap();
        let names: Vec<&String> = model.keys().collect();
        let mut line = vec![json!(shapes.of(&json!(names)))];
        for (name, value) in &model {
            line.push(match OWN_MEMBERS.contains(&name.as_str()) {
                true => value.clone(),
                false => json!(values.of(value)),
            });
        }
        lines.push_str(&format!("{}\n", json!(line)));
    }
    format!("[{}]\n[{}]\n{lines}", values.0.join(","), shapes.0.join(","))
}

/// Also makes the table: with `PITREE_BLESS=1` it is written from Pi's answer.
#[test]
fn known_models_are_those_of_pi() {
    if !has_pi("known models") {
        return;
    }
    let home = Home::new(&[], &all_keys());
    let pi = of_pi(&home);
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(KNOWN, table(&pi)).unwrap();
        return;
    }
    assert_same(&of_pitree(&home), &pi, "known models");
}

/// Each provider by itself: the right variable, and no other provider along with it.
#[test]
fn each_variable_makes_the_same_models_available_as_in_pi() {
    if !has_pi("variables") {
        return;
    }
    let is_full = pitree_testkit::is_full();
    let some = ["GROQ_API_KEY", "MOONSHOT_API_KEY", "OPENCODE_API_KEY", "COPILOT_GITHUB_TOKEN"];
    for key in all_keys() {
        if is_full || some.contains(&key.0) {
            let home = Home::new(&[], &[key]);
            assert_same(&of_pitree(&home), &of_pi(&home), key.0);
        }
    }
}

/// Files, and variables beside them.
type Case = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, &'static str)],
);

const CASES: &[Case] = &[
    (
        "own provider, comments, defaults",
        &[(
            "models.json",
            r#"{ // comment
              "providers": {
                "mock": {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions",
                  "apiKey": "k", "models": [{"id": "m1"}, {"id": "m1", "name": "again"},
                  {"id": "m2", "reasoning": true, "input": ["text", "image"], "maxTokens": 7,
                   "cost": {"input": 1, "output": 2.5, "cacheRead": 0.1, "cacheWrite": 0},
                   "headers": {"X-A": "$A"}, "compat": {"supportsStore": false}},], // more
                  "compat": {"chatTemplateKwargs": {"a": 1}}},
              }}"#,
        )],
        &[],
    ),
    (
        "changes of known models",
        &[(
            "models.json",
            r#"{"providers": {
              "anthropic": {"modelOverrides": {
                "claude-haiku-4-5": {"contextWindow": 777, "thinkingLevelMap": {"max": "max"},
                  "cost": {"input": 3}, "inputLimits": {"images": {"resize": {"maxWidth": 9}}}},
                "claude-opus-4-5": {"name": "O", "samplingParams": {"top_p": 1},
                  "samplingParamsByThinkingLevel": {"low": {"a": 1}}, "promptCache": {"long": 1},
                  "compat": {"openRouterRouting": {"x": 1}}, "input": ["text"]},
                "unknown": {"name": "no"}}},
              "openai": {"baseUrl": "http://127.0.0.1:1/v1", "compat": {"supportsStore": true},
                "models": [{"id": "gpt-5", "name": "mine"}, {"id": "new"}]}}}"#,
        )],
        KEYS,
    ),
    (
        "keys from variables and commands",
        &[(
            "models.json",
            r#"{"providers": {
              "a": {"baseUrl": "http://x", "api": "x", "apiKey": "$SET", "models": [{"id": "1"}]},
              "b": {"baseUrl": "http://x", "api": "x", "apiKey": "${UNSET}", "models": [{"id": "1"}]},
              "c": {"baseUrl": "http://x", "api": "x", "apiKey": "!false", "models": [{"id": "1"}]},
              "d": {"baseUrl": "http://x", "api": "x", "models": [{"id": "1"}]},
              "e": {"baseUrl": "http://x", "api": "x", "apiKey": "$$UNSET", "models": [{"id": "1"}]}}}"#,
        )],
        &[("SET", "yes")],
    ),
    (
        "newer lists that Pi fetched",
        &[
            (
                "models-store.json",
                r#"{"anthropic": {"lastModified": 4e12, "checkedAt": 1, "models": [
                      {"id": "claude-next", "name": "Next", "api": "anthropic-messages",
                       "provider": "anthropic", "baseUrl": "http://x", "reasoning": true,
                       "input": ["text"], "cost": {"input": 1, "output": 1, "cacheRead": 0,
                       "cacheWrite": 0}, "contextWindow": 5, "maxTokens": 5},
                      {"id": "claude-haiku-4-5", "name": "Newer", "api": "anthropic-messages",
                       "provider": "anthropic", "baseUrl": "http://y", "reasoning": false,
                       "input": ["text"], "cost": {"input": 1, "output": 1, "cacheRead": 0,
                       "cacheWrite": 0}, "contextWindow": 6, "maxTokens": 6, "type": "chat"},
                      {"id": "picture", "type": "image", "provider": "anthropic"},
                      {"id": "other", "provider": "openai"}]},
                    "google": {"lastModified": 1000, "models": [{"id": "old", "provider": "google"}]},
                    "openrouter": {"models": [{"id": "mine", "name": "M", "provider": "openrouter",
                       "api": "openai-completions", "baseUrl": "http://z", "reasoning": false,
                       "input": ["text"], "cost": {"input": 1, "output": 1, "cacheRead": 0,
                       "cacheWrite": 0}, "contextWindow": 7, "maxTokens": 7}]}}"#,
            ),
            (
                "models.json",
                r#"{"providers": {"anthropic": {"modelOverrides": {"claude-next": {"maxTokens": 9}}}}}"#,
            ),
        ],
        &[("ANTHROPIC_API_KEY", "a"), ("GEMINI_API_KEY", "b"), ("OPENROUTER_API_KEY", "c")],
    ),
    ("a list that is no JSON", &[("models-store.json", "{")], KEYS),
    (
        "stored logins",
        &[
            (
                "auth.json",
                r#"{"anthropic": {"type": "api_key", "key": "$UNSET"},
                    "openai": {"type": "api_key", "key": "!echo key"},
                    "google": {"type": "api_key", "key": "$OWN", "env": {"OWN": "1"}},
                    "a": {"type": "api_key", "key": "literal"},
                    "b": {"type": "api_key", "key": "!false"},
                    "c": {"type": "api_key"}}"#,
            ),
            (
                "models.json",
                r#"{"providers": {
                  "c": {"baseUrl": "http://x", "api": "x", "apiKey": "k", "models": [{"id": "1"}]},
                  "b": {"baseUrl": "http://x", "api": "x", "apiKey": "k", "models": [{"id": "1"}]},
                  "a": {"baseUrl": "http://x", "api": "x", "models": [{"id": "1"}]}}}"#,
            ),
        ],
        &[],
    ),
    (
        "logins that only Pi can renew",
        &[
            (
                "auth.json",
                r#"{"anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 9},
                    "google": {"type": "oauth", "access": "a", "refresh": "r", "expires": 9},
                    "own": {"type": "oauth", "access": "a", "refresh": "r", "expires": 9},
                    "openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": 9}}"#,
            ),
            (
                "models.json",
                r#"{"providers": {"fine": {"baseUrl": "http://x", "api": "x", "apiKey": "k",
                    "models": [{"id": "1"}]}, "own": {"baseUrl": "http://x", "api": "x",
                    "apiKey": "k", "models": [{"id": "1"}]}}}"#,
            ),
        ],
        &[],
    ),
    (
        "a provider with a mistake",
        &[(
            "models.json",
            r#"{"providers": {
              "bad": {"apiKey": "k", "models": [{"id": "1"}]},
              "anthropic": {"name": "says nothing"},
              "good": {"baseUrl": "http://x", "api": "x", "apiKey": "k", "models": [{"id": "1"}]}}}"#,
        )],
        &[("ANTHROPIC_AUTH_TOKEN", "t")],
    ),
    ("a file that is no JSON", &[("models.json", "{\"providers\": ")], KEYS),
    (
        "a value of the wrong type",
        &[(
            "models.json",
            r#"{"providers": {"a": {"baseUrl": "http://x", "api": "x", "apiKey": "k",
                "models": [{"id": "1", "contextWindow": 0}]}}}"#,
        )],
        KEYS,
    ),
];

#[test]
fn available_models_equal_those_of_pi() {
    if !has_pi("available models") {
        return;
    }
    for (name, files, variables) in CASES {
        let home = Home::new(files, variables);
        assert_same(&of_pitree(&home), &of_pi(&home), name);
    }
}
