//! Who writes summaries: commands, endpoints, how one is chosen, and what goes wrong.

mod choice;
mod command;
mod endpoint;
mod raw;
mod secrets;
mod wishes;

use std::time::{Duration, Instant};

use pitree_host::auth::Auth;
use pitree_host::settings::RetrySettings;
use pitree_host::summarizer::{Api, EndpointSummarizer, Limits, Target};
use pitree_session::summary::{
    Cancel, Summarizer, SummaryError, SummaryPurpose, SummaryReply, SummaryRequest,
};

const KEY: &str = "sk-test-5f1e9c";

fn request() -> SummaryRequest {
    SummaryRequest {
        purpose: SummaryPurpose::History,
        system: "Be short.".to_owned(),
        prompt: "What happened?\nTell.".to_owned(),
    }
}

fn target(api: Api, url: impl Into<String>) -> Target {
    Target {
        url: url.into(),
        api,
        model: "m1".to_owned(),
        auth: Auth::of_key(KEY),
        facts: None,
        thinking_level: None,
        proxy: None,
        authorities: None,
    }
}

/// Repeats at once, so that tests need not wait.
fn impatient(target: Target) -> EndpointSummarizer {
    let retry = RetrySettings { base_delay_ms: 1, max_delay_ms: 20, ..Default::default() };
    EndpointSummarizer::new(target).with_retry(retry).with_limits(Limits {
        connect: Duration::from_secs(5),
        idle: Duration::from_secs(10),
        total: Duration::from_secs(30),
    })
}

fn ask(summarizer: &dyn Summarizer) -> Result<SummaryReply, SummaryError> {
    summarizer.summarize(&request(), &Cancel::new())
}

fn failure(summarizer: &dyn Summarizer) -> String {
    match ask(summarizer) {
        Err(error @ (SummaryError::Failed(_) | SummaryError::TimedOut { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Cancels after a moment and returns the answer with the time from the cancel to the answer.
fn cancelled(summarizer: &dyn Summarizer) -> (Result<SummaryReply, SummaryError>, Duration) {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let helper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        flag.cancel();
        Instant::now()
    });
    let result = summarizer.summarize(&request(), &cancel);
    let answered = Instant::now();
    let asked = helper.join().unwrap();
    (result, answered.saturating_duration_since(asked))
}

/// Generous, because a busy machine must not fail a test; on an idle one it is 20 ms.
const SOON: Duration = Duration::from_secs(2);
