//! What an answer cost: the same mock model answers Pi and our summarizers.

use pitree_format::js::stringify;
use pitree_host::summarizer::{ModelName, SummarizerOptions, choose};
use pitree_session::summary::{Cancel, SummaryPurpose, SummaryRequest};
use pitree_testkit::{MockModel, MockReply, has_pi};
use serde_json::json;

use crate::pi::Home;

#[test]
fn usage_and_cost_equal_those_of_pi() {
    if !has_pi("usage") {
        return;
    }
    let replies: Vec<MockReply> = [(1_234, 567), (0, 1), (100_001, 9), (300_000, 20_000)]
        .map(|(input, output)| MockReply::Metered { text: "Fine.".to_owned(), input, output })
        .into_iter()
        .chain([MockReply::text("Unmetered.")])
        .collect();
    for api in ["openai-completions", "anthropic-messages"] {
        let model = MockModel::start([]).unwrap();
        let url = match api {
            "anthropic-messages" => model.anthropic_url(),
            _ => model.openai_url(),
        };
        let cost = json!({"input": 3.3, "output": 15.7, "cacheRead": 0.3, "cacheWrite": 3.75,
            "tiers": [
                {"inputTokensAbove": 100_000, "input": 6, "output": 22.5, "cacheRead": 0.6, "cacheWrite": 7.5},
                {"inputTokensAbove": 200_000, "input": 7.1, "output": 30, "cacheRead": 1, "cacheWrite": 9}]});
        let models = json!({"providers": {"mock": {"baseUrl": url, "api": api, "apiKey": "k",
            "models": [{"id": "m1", "contextWindow": 1_000_000, "cost": cost}]}}});
        let home = Home::new(&[("models.json", &models.to_string())], &[]);
        let mut pi = home.pi(&["--model", "mock/m1"]);
        let session = ModelName::new("mock", "m1");
        let options = SummarizerOptions::default();
        let summarizer = choose(&options, &home.environment(), Some(&session)).unwrap().unwrap();
        for reply in &replies {
            model.then(reply.clone());
            pi.ask(json!({"type": "prompt", "message": "How are you?"})).unwrap();
            pi.wait_for("agent_settled").unwrap();
            pi.take_events();
            let messages = pi.ask(json!({"type": "get_messages"})).unwrap();
            let last = messages["data"]["messages"].as_array().unwrap().last().unwrap().clone();
            model.then(reply.clone());
            let request = SummaryRequest {
                purpose: SummaryPurpose::Branch,
                system: String::new(),
                prompt: "How are you?".to_owned(),
            };
            let ours = summarizer.summarize(&request, &Cancel::new()).unwrap();
            assert_eq!(last["content"][0]["text"], ours.text, "{last}");
            let usage = ours.usage.map(|usage| stringify(&usage));
            assert_eq!(usage, Some(last["usage"].to_string()), "{api} {reply:?}");
        }
    }
}
