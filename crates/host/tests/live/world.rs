//! Sessions, an observer that writes everything down, and a summarizer that says what it is told.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_host::events::{
    BeforeReply, EventKind, Moment, Notice, ObserverError, SessionEvent, SessionObserver,
};
use pitree_host::live::{CompactionPolicy, LiveOptions, LiveSession};
use pitree_session::compaction::CompactionSettings;
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_session::{Environment, NewSession, Session};
use tempfile::TempDir;

pub(crate) struct World {
    root: TempDir,
    log: Arc<Mutex<Vec<Value>>>,
}

/// Writes down events and notices in the order in which they come.
struct Log(Arc<Mutex<Vec<Value>>>);

impl SessionObserver for Log {
    fn name(&self) -> &str {
        "log"
    }

    fn on_event(
        &mut self,
        event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        self.0.lock().unwrap().push(event.to_value());
        Ok(None)
    }

    fn on_notice(&mut self, notice: &Notice) {
        self.0.lock().unwrap().push(notice.to_value());
    }
}

/// Gives the same answer to every event of one kind.
pub(crate) struct Answers(pub(crate) EventKind, pub(crate) BeforeReply);

impl SessionObserver for Answers {
    fn name(&self) -> &str {
        "answers"
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind == self.0
    }

    fn on_event(
        &mut self,
        _event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        Ok(Some(self.1.clone()))
    }
}

/// Says what it is told, and remembers what it was asked.
pub(crate) struct Says {
    pub(crate) reply: Result<&'static str, SummaryError>,
    pub(crate) asked: Mutex<Vec<SummaryRequest>>,
}

impl Says {
    pub(crate) fn new(reply: Result<&'static str, SummaryError>) -> Arc<Self> {
        Arc::new(Self { reply, asked: Mutex::default() })
    }
}

impl Summarizer for Says {
    fn summarize(
        &self,
        request: &SummaryRequest,
        _cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        self.asked.lock().unwrap().push(request.clone());
        let text = self.reply.clone()?.to_owned();
        Ok(SummaryReply { text, usage: None })
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("pitree-live-").tempdir().unwrap();
        fs_err::create_dir(root.path().join("project")).unwrap();
        Self { root, log: Arc::default() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn environment(&self) -> Environment {
        let counter = AtomicU64::new(1);
        let random = move |bytes: &mut [u8]| {
            for chunk in bytes.chunks_mut(4) {
                let next = counter.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9);
                chunk.copy_from_slice(&next.to_le_bytes()[..chunk.len()]);
            }
        };
        Environment::new(self.root.path(), self.path("project"), || 1_770_159_126_410, random)
    }

    /// A new session in a file, watched.
    pub(crate) fn live(&self, options: LiveOptions) -> LiveSession {
        let environment = self.environment();
        let new = NewSession::default();
        let session =
            Session::create_in(environment.cwd(), self.path("sessions"), &new, &environment);
        self.watched(session.unwrap(), options)
    }

    /// A session in memory, watched.
    pub(crate) fn in_memory(&self, options: LiveOptions) -> LiveSession {
        let environment = self.environment();
        let new = NewSession::default();
        self.watched(Session::in_memory(environment.cwd(), &new, &environment).unwrap(), options)
    }

    fn watched(&self, session: Session, options: LiveOptions) -> LiveSession {
        let mut live = LiveSession::new(session, options);
        live.observe(Box::new(Log(self.log.clone())));
        live
    }

    /// What was heard since this was called last.
    pub(crate) fn heard(&self) -> Vec<Value> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// The names of what was heard, with the reason where there is one.
    pub(crate) fn names(&self) -> Vec<String> {
        let text = |value: &Value, key: &str| value.get_string(key).map(ToString::to_string);
        let name = |value: &Value| match (text(value, "type"), text(value, "reason")) {
            (Some(kind), Some(reason)) => format!("{kind} {reason}"),
            (kind, _) => kind.unwrap_or_else(|| stringify(value)),
        };
        self.heard().iter().map(name).collect()
    }
}

/// A policy that compacts a context of more than 100 tokens and keeps about 10.
pub(crate) fn eager(summarizer: Option<Arc<dyn Summarizer>>) -> LiveOptions {
    let settings =
        CompactionSettings { enabled: true, reserve_tokens: 900, keep_recent_tokens: 10 };
    LiveOptions {
        summarizer,
        compaction: CompactionPolicy { settings, context_window: Some(1000) },
        ..LiveOptions::default()
    }
}

fn text_block(text: &str) -> Value {
    Object::new().with("type", "text").with("text", text).into()
}

pub(crate) fn user(text: &str) -> Value {
    Object::new().with("role", "user").with("content", vec![text_block(text)]).into()
}

/// An answer after which the context has this many tokens.
pub(crate) fn assistant(blocks: Vec<Value>, stop_reason: &str, tokens: f64) -> Value {
    let usage = Object::new().with("input", tokens).with("output", 0.0).with("totalTokens", tokens);
    Object::new()
        .with("role", "assistant")
        .with("content", blocks)
        .with("usage", usage)
        .with("stopReason", stop_reason)
        .into()
}

pub(crate) fn answer(text: &str, tokens: f64) -> Value {
    assistant(vec![text_block(text)], "stop", tokens)
}

pub(crate) fn tool_call(id: &str) -> Value {
    let arguments = Object::new().with("path", "/srv/a.rs");
    Object::new()
        .with("type", "toolCall")
        .with("id", id)
        .with("name", "read")
        .with("arguments", arguments)
        .into()
}

pub(crate) fn tool_result(id: &str) -> Value {
    Object::new()
        .with("role", "toolResult")
        .with("toolCallId", id)
        .with("toolName", "read")
        .with("content", vec![text_block("fn main() {}")])
        .into()
}
