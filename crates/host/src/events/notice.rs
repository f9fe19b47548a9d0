//! What a live session tells its screens beside the events: progress and trouble.

use pitree_format::{JsString, Object, Value};

use super::{CompactionReason, EventKind};

/// An observer that failed. It is passed over, and the session goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its name; for an extension the path of its program.
    pub observer: String,
    /// During which event, if it was one.
    pub event: Option<EventKind>,
    /// What went wrong.
    pub problem: String,
}

/// Something a screen wants to show. Pi sends these over its protocol only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// `compaction_start`
    CompactionStart {
        /// Why.
        reason: CompactionReason,
    },
    /// `compaction_end`
    CompactionEnd {
        /// Why it was tried.
        reason: CompactionReason,
        /// The result in Pi's shape, if there is one.
        result: Option<Value>,
        /// Whether it was cancelled.
        aborted: bool,
        /// Whether the agent tries its request again.
        will_retry: bool,
        /// What went wrong.
        error_message: Option<String>,
    },
    /// `thinking_level_changed`
    ThinkingLevelChanged {
        /// The level now.
        level: JsString,
    },
    /// `extension_error`
    Trouble(Trouble),
}

impl Notice {
    /// The notice as Pi's protocol sends it.
    pub fn to_value(&self) -> Value {
        match self {
            Self::CompactionStart { reason } => {
                Object::new().with("type", "compaction_start").with("reason", reason.name())
            }
            Self::CompactionEnd { reason, result, aborted, will_retry, error_message } => {
                Object::new()
                    .with("type", "compaction_end")
                    .with("reason", reason.name())
                    .with_some("result", result.clone())
                    .with("aborted", *aborted)
                    .with("willRetry", *will_retry)
                    .with_some("errorMessage", error_message.as_deref())
            }
            Self::ThinkingLevelChanged { level } => {
                Object::new().with("type", "thinking_level_changed").with("level", level.clone())
            }
            Self::Trouble(trouble) => Object::new()
                .with("type", "extension_error")
                .with("extensionPath", trouble.observer.as_str())
                .with("event", trouble.event.map(EventKind::name))
                .with("error", trouble.problem.as_str()),
        }
        .into()
    }
}
