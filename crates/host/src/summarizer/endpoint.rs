//! A summary by a model behind an endpoint.
//!
//! The request runs in a thread of its own, so that the caller can give up at any moment: it
//! closes the connection and leaves. Nothing of an answer is used unless it is whole.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use pitree_format::Value;
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};

use crate::auth::Auth;
use crate::models::{Model, ThinkingLevel, Tokens};
use crate::settings::RetrySettings;

use super::answer::{Answer, Fault};
use super::choice::Api;
use super::{anthropic, http, openai};

/// How often the caller's wish to stop is looked at.
const LOOK_AROUND: Duration = Duration::from_millis(20);

/// How long to wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the connection.
    pub connect: Duration,
    /// For the next bytes of the answer.
    pub idle: Duration,
    /// For one summary, repetitions included.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(20),
            idle: Duration::from_secs(300),
            total: Duration::from_secs(600),
        }
    }
}

/// Where to ask, and whom.
#[derive(Clone)]
pub struct Target {
    /// The address up to the version, such as `https://api.anthropic.com`.
    pub url: String,
    /// What it speaks.
    pub api: Api,
    /// The model's id there.
    pub model: String,
    /// What proves who asks.
    pub auth: Auth,
    /// What is known about the model: limits, prices, thinking levels.
    pub facts: Option<Model>,
    /// How much it shall think; not at all without.
    pub thinking_level: Option<ThinkingLevel>,
    /// A proxy to go through.
    pub proxy: Option<String>,
    /// A file with the certificate authorities to trust, instead of those that everyone trusts.
    pub authorities: Option<PathBuf>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self})")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, http::shown(&self.url))
    }
}

impl Target {
    pub(super) fn address(&self) -> String {
        match self.api {
            Api::OpenAi => openai::address(&self.url),
            Api::Anthropic => anthropic::address(&self.url),
        }
    }

    /// All headers; those of the user replace ours.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let mut headers = match self.api {
            Api::OpenAi => openai::headers(&self.auth),
            Api::Anthropic => anthropic::headers(&self.auth),
        };
        for (name, value) in &self.auth.headers {
            headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.reveal().to_owned()));
        }
        headers
    }

    fn body(&self, request: &SummaryRequest) -> Value {
        match self.api {
            Api::OpenAi => openai::body(self, request),
            Api::Anthropic => anthropic::body(self, request),
        }
    }

    pub(super) fn take(&self, answer: &mut Answer, event: &Value) -> Result<(), Fault> {
        match self.api {
            Api::OpenAi => openai::take(answer, event),
            Api::Anthropic => anthropic::take(answer, event),
        }
    }

    fn usage(&self, tokens: &Tokens) -> Value {
        let usage: Value = match &self.facts {
            Some(facts) => facts.usage(tokens),
            None => tokens.without_prices(),
        }
        .into();
        match self.api {
            Api::OpenAi => usage,
            Api::Anthropic => anthropic::in_order(usage),
        }
    }

    /// A summary without the secrets that prove who asks: it is stored, and a server may repeat
    /// what it was sent. Values that are short or no secret by their header's name stay, since a
    /// summary may well have such a word.
    fn without_secrets(&self, text: String) -> String {
        let is_secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            ["auth", "key", "token", "secret", "cookie"].iter().any(|part| name.contains(part))
        };
        let headers = self.auth.headers.iter().filter(|(name, _)| is_secret(name));
        let secrets = headers.map(|(_, value)| value).chain(&self.auth.key);
        secrets.fold(text, |text, secret| {
            let bare = secret.reveal().trim_start_matches("Bearer ");
            match bare.len() >= SHORTEST_STORED_SECRET && text.contains(bare) {
                true => text.replace(bare, "[hidden]"),
                false => text,
            }
        })
    }

    /// A message of the server, fit to be shown: one line, not long, without a key.
    pub(super) fn presentable(&self, message: &str) -> String {
        let mut text: String = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(MOST_MESSAGE)
            .collect();
        let headers = self.auth.headers.iter().map(|(_, value)| value);
        for secret in headers.chain(&self.auth.key) {
            let bare = secret.reveal().trim_start_matches("Bearer ");
            if bare.len() >= SHORTEST_SECRET {
                text = text.replace(bare, "[hidden]");
            }
        }
        text.trim().to_owned()
    }
}

const MOST_MESSAGE: usize = 500;
/// Hiding shorter ones would only tell where they are.
const SHORTEST_SECRET: usize = 4;
/// Shorter ones are words such as `ollama`, which local servers take for a key.
const SHORTEST_STORED_SECRET: usize = 10;

/// Hears what is to be told while a summary is waited for.
type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Asks a model for each summary.
#[derive(Clone)]
pub struct EndpointSummarizer {
    target: Arc<Target>,
    limits: Limits,
    retry: RetrySettings,
    /// Hears of every wait before another try.
    notice: Option<Notice>,
}

impl fmt::Debug for EndpointSummarizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointSummarizer").field("target", &self.target).finish_non_exhaustive()
    }
}

impl EndpointSummarizer {
    /// A summarizer with the usual limits.
    pub fn new(target: Target) -> Self {
        Self {
            target: Arc::new(target),
            limits: Limits::default(),
            retry: RetrySettings::default(),
            notice: None,
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_retry(mut self, retry: RetrySettings) -> Self {
        self.retry = retry;
        self
    }

    /// The same, where somebody is told of every wait before another try. The words hold no key.
    #[must_use]
    pub fn with_notice(mut self, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notice = Some(Arc::new(notice));
        self
    }

    /// Where it asks, and whom.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Asks until there is an answer or no hope.
    fn ask(
        &self,
        agent: &ureq::Agent,
        body: &str,
        stop: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        let mut repeated = 0;
        loop {
            let (message, wait_ms) = match http::ask_once(agent, &self.target, body) {
                Ok((text, tokens)) => {
                    let usage = tokens.map(|tokens| self.target.usage(&tokens));
                    return Ok(SummaryReply { text: self.target.without_secrets(text), usage });
                }
                Err(Fault::Final(SummaryError::Failed(message))) => {
                    return Err(SummaryError::Failed(self.explained(&message)));
                }
                Err(Fault::Final(error)) => return Err(error),
                Err(Fault::Passing { message, wait_ms }) => (message, wait_ms),
            };
            if !self.retry.enabled || repeated >= self.retry.max_retries {
                return Err(SummaryError::Failed(self.explained(&message)));
            }
            let longest = self.retry.max_delay_ms;
            // A server that asks for an hour would not answer any earlier.
            if let Some(asked) = wait_ms.filter(|asked| *asked > longest) {
                let message = format!(
                    "{message}; the server asks to wait {} seconds, and pitree waits {} at most: \
                     try again later",
                    asked.div_ceil(1000),
                    longest.div_ceil(1000)
                );
                return Err(SummaryError::Failed(self.explained(&message)));
            }
            let doubled = self.retry.base_delay_ms.saturating_mul(1 << repeated.min(16));
            let wait = wait_ms.unwrap_or(doubled).min(longest);
            if let Some(notice) = &self.notice {
                let seconds = wait as f64 / 1000.0;
                notice(&format!("{}; trying again in {seconds} s", self.explained(&message)));
            }
            sleep(Duration::from_millis(wait), stop)?;
            repeated += 1;
        }
    }

    fn explained(&self, message: &str) -> String {
        format!("{}: {}", self.target, self.target.presentable(message))
    }
}

fn sleep(time: Duration, stop: &Cancel) -> Result<(), SummaryError> {
    let start = Instant::now();
    while !stop.is_cancelled() {
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK_AROUND));
    }
    Err(SummaryError::Cancelled)
}

impl Summarizer for EndpointSummarizer {
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        let agent = http::agent(&self.target, &self.limits)
            .map_err(|problem| SummaryError::Failed(self.explained(&problem)))?;
        let body = pitree_format::js::stringify(&self.target.body(request));
        // The worker has a flag of its own, since it shall also stop when the time is over.
        let stop = Cancel::new();
        let (sender, receiver) = sync_channel(1);
        let worker = (self.clone(), agent.clone(), stop.clone());
        std::thread::spawn(move || {
            let (this, agent, stop) = worker;
            // A caller that left needs no answer.
            let _ = sender.send(this.ask(&agent, &body, &stop));
        });
        // A limit beyond all clocks is none.
        let deadline = Instant::now().checked_add(self.limits.total);
        let error = loop {
            match receiver.recv_timeout(LOOK_AROUND) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => {
                    break SummaryError::Failed(self.explained("the request ended unexpectedly"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if cancel.is_cancelled() {
                break SummaryError::Cancelled;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let seconds = self.limits.total.as_secs_f64();
                let message = format!("no answer within {seconds} seconds");
                break SummaryError::Failed(self.explained(&message));
            }
        };
        stop.cancel();
        agent.shutdown();
        Err(error)
    }
}
