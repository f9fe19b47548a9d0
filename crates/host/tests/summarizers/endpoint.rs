//! A summary by a model on loopback, which also fails in all ways that a server can.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pitree_format::js::stringify;
use pitree_host::settings::RetrySettings;
use pitree_host::summarizer::{Api, Limits};
use pitree_session::summary::SummaryError;
use pitree_testkit::{MockModel, MockReply};

use crate::summarizers::{KEY, SOON, ask, cancelled, failure, impatient, target};

fn models(script: &[MockReply]) -> [(MockModel, pitree_host::summarizer::EndpointSummarizer); 2] {
    let openai = MockModel::start(script.to_vec()).unwrap();
    let anthropic = MockModel::start(script.to_vec()).unwrap();
    let openai_target = target(Api::OpenAi, openai.openai_url());
    let anthropic_target = target(Api::Anthropic, anthropic.anthropic_url());
    [(openai, impatient(openai_target)), (anthropic, impatient(anthropic_target))]
}

#[test]
fn a_streamed_answer_is_put_together() {
    for (model, summarizer) in models(&[MockReply::Metered {
        text: "First, ünïcödé 🎉.\n\nThen done.".to_owned(),
        input: 120,
        output: 34,
    }]) {
        let reply = ask(&summarizer).unwrap();
        assert_eq!(reply.text, "First, ünïcödé 🎉.\n\nThen done.");
        let usage = reply.usage.unwrap();
        assert_eq!(usage.get_number("input"), Some(120.0));
        assert_eq!(usage.get_number("output"), Some(34.0));
        assert_eq!(usage.get_number("totalTokens"), Some(154.0));
        assert_eq!(model.requests().len(), 1);
    }
}

#[test]
fn requests_have_the_form_of_their_protocol() {
    let [(openai, first), (anthropic, second)] = models(&[MockReply::text("x")]);
    ask(&first).unwrap();
    ask(&second).unwrap();
    let request = &openai.requests()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
    let body = request.json();
    assert_eq!(body["model"], "m1");
    assert_eq!(body["stream"], true);
    assert_eq!(body["messages"][0]["content"], "Be short.");
    assert_eq!(body["messages"][1]["content"], "What happened?\nTell.");
    assert!(body.get("tools").is_none());
    let request = &anthropic.requests()[0];
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    let body = request.json();
    assert_eq!(body["system"], "Be short.");
    assert_eq!(body["messages"][0]["role"], "user");
    assert!(body["max_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn an_answer_that_is_not_whole_is_none() {
    let cases = [
        (MockReply::CutOff("so far".to_owned()), SummaryError::CutOff),
        (
            MockReply::ToolCall { name: "read".to_owned(), arguments: "{}".to_owned() },
            SummaryError::ToolCall,
        ),
        (MockReply::text(" \n "), SummaryError::Empty),
    ];
    for (reply, error) in cases {
        for (model, summarizer) in models(std::slice::from_ref(&reply)) {
            assert_eq!(ask(&summarizer), Err(error.clone()), "{reply:?}");
            assert_eq!(model.requests().len(), 1, "nothing of this gets better: {reply:?}");
        }
    }
}

#[test]
fn what_may_pass_is_tried_again() {
    let slow_down =
        MockReply::Status { code: 429, body: "slow down".to_owned(), retry_after: Some(0) };
    let again = [
        slow_down,
        MockReply::status(503),
        MockReply::status(529),
        MockReply::HangUp,
        MockReply::HalfEvent("broken".to_owned()),
    ];
    for reply in again {
        for (model, summarizer) in models(&[reply.clone(), MockReply::text("at last")]) {
            let said = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&said);
            let summarizer =
                summarizer.with_notice(move |words| heard.lock().unwrap().push(words.to_owned()));
            assert_eq!(ask(&summarizer).unwrap().text, "at last", "{reply:?}");
            assert_eq!(model.requests().len(), 2, "{reply:?}");
            let said = said.lock().unwrap();
            assert!(said.len() == 1 && said[0].contains("; trying again in 0"), "{said:?}");
        }
    }
}

#[test]
fn a_wait_that_is_too_long_is_told_and_not_waited_for() {
    let reply = MockReply::Status { code: 429, body: "slow".to_owned(), retry_after: Some(86_400) };
    for (model, summarizer) in models(&[reply.clone(), MockReply::text("never")]) {
        let patient = RetrySettings { max_delay_ms: 60_000, ..Default::default() };
        let message = failure(&summarizer.with_retry(patient));
        let words = "the server asks to wait 86400 seconds, and pitree waits 60 at most";
        assert!(message.contains(words) && message.contains("429"), "{message}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[test]
fn patience_has_an_end() {
    for (model, summarizer) in models(&vec![MockReply::status(503); 9]) {
        let message = failure(&summarizer);
        assert!(message.contains("503") && message.contains("refused with 503"), "{message}");
        assert_eq!(model.requests().len(), 4);
        let off = RetrySettings { enabled: false, ..Default::default() };
        failure(&summarizer.with_retry(off));
        assert_eq!(model.requests().len(), 5);
    }
}

#[test]
fn the_wait_that_the_server_asks_for_is_kept() {
    let reply = MockReply::Status { code: 429, body: String::new(), retry_after: Some(1) };
    let model = MockModel::start([reply, MockReply::text("x")]).unwrap();
    let patient = RetrySettings { base_delay_ms: 1, max_delay_ms: 60_000, ..Default::default() };
    let summarizer = impatient(target(Api::OpenAi, model.openai_url())).with_retry(patient);
    let start = Instant::now();
    ask(&summarizer).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn what_will_not_pass_is_told_at_once() {
    for code in [400, 401, 403, 404, 422] {
        for (model, summarizer) in models(&[MockReply::status(code)]) {
            let message = failure(&summarizer);
            assert!(message.contains(&code.to_string()), "{message}");
            assert!(message.contains("m1 at http://127.0.0.1:"), "{message}");
            assert_eq!(model.requests().len(), 1);
        }
    }
    for (model, summarizer) in models(&[MockReply::InvalidJson]) {
        assert!(failure(&summarizer).contains("did not send valid JSON"));
        assert_eq!(model.requests().len(), 1);
    }
}

#[test]
fn an_endpoint_that_is_not_there_is_told_at_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let summarizer = pitree_host::summarizer::EndpointSummarizer::new(target(Api::OpenAi, url));
    let start = Instant::now();
    let message = failure(&summarizer);
    assert!(message.contains("refused; is the server running?"), "{message}");
    assert!(start.elapsed() < SOON);
}

#[test]
fn cancel_is_noticed_while_the_server_stalls() {
    let stalls = [MockReply::Stall("half a".to_owned()), MockReply::Stall(String::new())];
    for reply in stalls {
        for (model, summarizer) in models(std::slice::from_ref(&reply)) {
            let (result, time) = cancelled(&summarizer);
            assert_eq!(result, Err(SummaryError::Cancelled), "{reply:?}");
            assert!(time < SOON, "{time:?}");
            assert_eq!(model.requests().len(), 1);
        }
    }
}

#[test]
fn cancel_is_noticed_between_two_tries() {
    let model = MockModel::start([MockReply::status(503), MockReply::text("x")]).unwrap();
    let slow = RetrySettings { base_delay_ms: 60_000, ..Default::default() };
    let summarizer = impatient(target(Api::OpenAi, model.openai_url())).with_retry(slow);
    let (result, time) = cancelled(&summarizer);
    assert_eq!(result, Err(SummaryError::Cancelled));
    assert!(time < SOON, "{time:?}");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn a_stalled_answer_is_given_up_after_a_while() {
    let stall = MockReply::Stall("half a".to_owned());
    for (model, summarizer) in models(&[stall.clone(), MockReply::text("whole")]) {
        let limits = Limits { idle: Duration::from_millis(200), ..Default::default() };
        assert_eq!(ask(&summarizer.with_limits(limits)).unwrap().text, "whole");
        assert_eq!(model.requests().len(), 2);
    }
    for (_, summarizer) in models(std::slice::from_ref(&stall)) {
        let limits = Limits { total: Duration::from_millis(300), ..Default::default() };
        let message = failure(&summarizer.with_limits(limits));
        assert!(message.contains("within 0.3 seconds"), "{message}");
    }
}

#[test]
fn usage_has_the_shape_and_order_of_pi() {
    let metered = MockReply::Metered { text: "x".to_owned(), input: 1_000, output: 10 };
    let [(_openai, first), (_anthropic, second)] = models(&[metered]);
    let cost = r#""cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,"totalFromProvider":false}"#;
    let usage = stringify(&ask(&first).unwrap().usage.unwrap());
    let head = r#"{"input":1000,"output":10,"cacheRead":0,"cacheWrite":0,"#;
    assert_eq!(usage, format!(r#"{head}"reasoning":0,"totalTokens":1010,{cost}}}"#));
    let usage = stringify(&ask(&second).unwrap().usage.unwrap());
    assert_eq!(usage, format!(r#"{head}"totalTokens":1010,{cost},"cacheWrite1h":0}}"#));
}
