//! The text of a summary comes from outside: from a command, or from a model behind an endpoint.
//!
//! This module holds the agreement between the engine, which knows what to ask, and whoever
//! answers. The engine calls a [`Summarizer`] with a finished prompt and stores nothing unless it
//! gets a whole answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pitree_format::Value;
use thiserror::Error;

/// What the text is for. A summarizer may choose its limits by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryPurpose {
    /// The history before the kept part of a compaction.
    History,
    /// The beginning of a turn that the compaction cuts in two.
    TurnPrefix,
    /// A branch that is left.
    Branch,
}

/// A question to a summarizer.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRequest {
    /// What the text is for.
    pub purpose: SummaryPurpose,
    /// The system prompt.
    pub system: String,
    /// The only user message.
    pub prompt: String,
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryReply {
    /// The text; never empty.
    pub text: String,
    /// What it cost, in the shape of Pi's `usage`, if the summarizer knows.
    pub usage: Option<Value>,
}

/// Why there is no summary. Nothing is stored then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummaryError {
    /// The user or the caller gave up waiting.
    #[error("cancelled")]
    Cancelled,
    /// The answer has no text.
    #[error("the summarizer returned nothing")]
    Empty,
    /// The answer ended at the length limit, so it is not whole.
    #[error("the answer was cut off at the model's length limit")]
    CutOff,
    /// The model wanted to call a tool instead of answering.
    #[error("the model called a tool instead of writing a summary")]
    ToolCall,
    /// The summarizer took too long and was stopped.
    #[error("{what} took longer than {} and was stopped", in_seconds(*limit))]
    TimedOut {
        /// Who was to write.
        what: String,
        /// How long it may take.
        limit: Duration,
    },
    /// The summarizer failed; the message says why and never holds a key.
    #[error("{0}")]
    Failed(String),
}

/// "1 second", "0.5 seconds", "600 seconds".
fn in_seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} {}", if time == Duration::from_secs(1) { "second" } else { "seconds" })
}

/// Whoever writes summaries.
pub trait Summarizer: Send + Sync {
    /// Answers, or says why not. It looks at `cancel` often enough that Ctrl+C feels immediate.
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError>;
}

/// A flag that tells long work to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether the work shall stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
