//! Thinking levels: which a model has, what another one becomes, and the order of the cycle.

use pitree_host::models::{Models, ThinkingLevel};
use pitree_host::settings::Settings;
use pitree_host::summarizer::ModelName;
use pitree_testkit::has_pi;
use serde_json::{Value, json};

use crate::pi::Home;

const MODELS: &str = r#"{"providers": {"mock": {"baseUrl": "http://127.0.0.1:1", "apiKey": "k",
  "api": "openai-completions", "models": [
    {"id": "plain"},
    {"id": "thinks", "reasoning": true},
    {"id": "more", "reasoning": true, "thinkingLevelMap": {"max": "most", "minimal": null}},
    {"id": "holes", "reasoning": true,
     "thinkingLevelMap": {"off": null, "low": null, "high": null, "xhigh": "x", "medium": "m"}},
    {"id": "none", "reasoning": true, "thinkingLevelMap": {"off": null, "minimal": null,
     "low": null, "medium": null, "high": null}}]}}}"#;

#[test]
fn thinking_levels_equal_those_of_pi() {
    if !has_pi("thinking levels") {
        return;
    }
    let home = Home::new(&[("models.json", MODELS)], &[("ANTHROPIC_API_KEY", "k")]);
    let environment = home.environment();
    let models = Models::load(&environment).unwrap();
    let mut pi = home.pi(&["--model", "mock/plain"]);
    for model in models.available(&environment).unwrap() {
        let (provider, id) = (model.provider(), model.id());
        let request = json!({"type": "set_model", "provider": provider, "modelId": id});
        let answer = pi.ask(request).unwrap();
        assert_eq!(answer["success"], true, "{answer}");
        let answer = pi.ask(json!({"type": "get_available_thinking_levels"})).unwrap();
        let levels: Vec<Value> =
            model.thinking_levels().iter().map(|level| level.name().into()).collect();
        assert_eq!(answer["data"]["levels"], json!(levels), "{id}");
        for level in ThinkingLevel::ALL {
            pi.ask(json!({"type": "set_thinking_level", "level": level.name()})).unwrap();
            let state = pi.ask(json!({"type": "get_state"})).unwrap();
            let clamped = model.clamp_thinking_level(level);
            assert_eq!(state["data"]["thinkingLevel"], clamped.name(), "{id} {level}");
            let cycled = pi.ask(json!({"type": "cycle_thinking_level"})).unwrap();
            let next = model.next_thinking_level(clamped);
            assert_eq!(cycled["data"]["level"].as_str(), next.map(ThinkingLevel::name), "{id}");
        }
    }
}

#[test]
fn models_are_gone_through_as_in_pi() {
    if !has_pi("cycling models") {
        return;
    }
    let levels = r#"{"defaultThinkingLevel": "high", "modelThinkingLevels": {"mock/more": "max"}}"#;
    let files = [("models.json", MODELS), ("settings.json", levels)];
    let home = Home::new(&files, &[("GROQ_API_KEY", "k")]);
    let environment = home.environment();
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let models = Models::load(&environment).unwrap();
    let mut pi = home.pi(&["--model", "mock/thinks"]);
    let available = models.available(&environment).unwrap();
    let at = available.iter().position(|model| model.is("mock", "thinks")).unwrap();
    for next in available.iter().cycle().skip(at + 1).take(available.len() + 1) {
        let answer = pi.ask(json!({"type": "cycle_model"})).unwrap();
        let current = ModelName::new(next.provider(), next.id());
        let wanted = settings.thinking_level(Some(&current)).unwrap().unwrap();
        let level = next.clamp_thinking_level(wanted).name();
        let data = &answer["data"];
        assert_eq!(data["model"]["id"], current.id, "{answer}");
        assert_eq!((&data["thinkingLevel"], &data["isScoped"]), (&json!(level), &json!(false)));
    }
}
