//! What happens to a session, told to whoever wants to know.
//!
//! This module owns the events, their payloads in Pi's shapes, the answers to those that ask
//! before something is done, and the list of observers. The [live session](crate::live) fires
//! them.
//!
//! The names and payloads are those of Pi 1.5.0. Two events that newer Pis no longer send are
//! sent too, with the payloads of Pi's Rust port: [`SessionEvent::Switch`] and
//! [`SessionEvent::Fork`].

mod notice;
mod observer;
mod reply;

use pitree_format::{JsString, Object, Value, named_enum};

pub use notice::{Notice, Trouble};
pub use observer::{Moment, ObserverError, Observers, SessionObserver};
pub use reply::{BeforeReply, GivenCompaction};

named_enum! {
    /// The kinds of events.
    #[non_exhaustive]
    pub enum EventKind {
        /// A session was opened or made.
        SessionStart = "session_start",
        /// Another session is about to take the place of this one.
        SessionBeforeSwitch = "session_before_switch",
        /// Another session has taken its place.
        SessionSwitch = "session_switch",
        /// A fork or a clone is about to be made.
        SessionBeforeFork = "session_before_fork",
        /// A fork or a clone was made and has taken the place of its source.
        SessionFork = "session_fork",
        /// The leaf is about to move.
        SessionBeforeTree = "session_before_tree",
        /// The leaf has moved.
        SessionTree = "session_tree",
        /// The context is about to be compacted.
        SessionBeforeCompact = "session_before_compact",
        /// The context was compacted.
        SessionCompact = "session_compact",
        /// A compaction failed or was cancelled.
        SessionCompactFailed = "session_compact_failed",
        /// The session's name changed.
        SessionInfoChanged = "session_info_changed",
        /// The session is left.
        SessionShutdown = "session_shutdown",
    }
}

impl EventKind {
    /// Whether the event asks before something is done, so that an answer counts.
    pub fn asks(self) -> bool {
        matches!(
            self,
            Self::SessionBeforeSwitch
                | Self::SessionBeforeFork
                | Self::SessionBeforeTree
                | Self::SessionBeforeCompact
        )
    }
}

named_enum! {
    /// Why a session starts.
    #[non_exhaustive]
    pub enum StartReason {
        /// The program starts, with whatever session.
        Startup = "startup",
        /// The user asked for a new session.
        New = "new",
        /// The user switched to this session.
        Resume = "resume",
        /// The session is a fork or a clone.
        Fork = "fork",
    }
}

named_enum! {
    /// Why one session takes the place of another.
    #[non_exhaustive]
    pub enum SwitchReason {
        /// The user asked for a new session.
        New = "new",
        /// The user chose a session that exists.
        Resume = "resume",
    }
}

named_enum! {
    /// Why a session is left.
    #[non_exhaustive]
    pub enum ShutdownReason {
        /// The program ends.
        Quit = "quit",
        /// For a new session.
        New = "new",
        /// For another session.
        Resume = "resume",
        /// For a fork or a clone.
        Fork = "fork",
    }
}

named_enum! {
    /// Which part of the way a fork takes along.
    pub enum ForkPosition {
        /// Up to the parent of a user message, so that it can be said anew.
        Before = "before",
        /// Up to the entry itself: a clone.
        At = "at",
    }
}

named_enum! {
    /// Why the context is compacted.
    #[non_exhaustive]
    pub enum CompactionReason {
        /// The user asked for it.
        Manual = "manual",
        /// The context came near the model's window.
        Threshold = "threshold",
    }
}

/// Something that happens to a session. Paths are text, because that is what the payload holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// `session_start`, once for each session.
    Start {
        /// Why.
        reason: StartReason,
        /// The file of the session before.
        previous_session_file: Option<String>,
    },
    /// `session_before_switch`; may be cancelled.
    BeforeSwitch {
        /// Why.
        reason: SwitchReason,
        /// The path as it was given; none for a new session.
        target_session_file: Option<String>,
    },
    /// `session_switch`, after the `session_start` of the session that took the place.
    Switch {
        /// Why.
        reason: SwitchReason,
        /// The file of the session before.
        previous_session_file: Option<String>,
        /// The file of the session now.
        target_session_file: Option<String>,
        /// The id of the session now.
        session_id: String,
    },
    /// `session_before_fork`; may be cancelled. Comes before the entry is looked up.
    BeforeFork {
        /// The entry that was chosen.
        entry_id: String,
        /// Which part is taken along.
        position: ForkPosition,
    },
    /// `session_fork`, after the `session_start` of the fork.
    Fork {
        /// The entry that was chosen.
        entry_id: String,
        /// The text of the message to edit and resend; empty for a clone.
        summary: JsString,
        /// The id of the source.
        session_id: String,
        /// The id of the fork.
        new_session_id: String,
        /// The file of the source.
        previous_session_file: Option<String>,
    },
    /// `session_before_tree`; may be cancelled, and may give the summary, other instructions or
    /// a label. Comes with every move, with or without a summary.
    BeforeTree {
        /// Where the move goes, what it leaves, and what the user wants.
        preparation: Value,
        /// Whether the user asked for a summary of what is left.
        wants_summary: bool,
    },
    /// `session_tree`
    Tree {
        /// Where the session stands now.
        new_leaf_id: Option<String>,
        /// Where it stood.
        old_leaf_id: Option<String>,
        /// The `branch_summary` entry, if one was written.
        summary_entry: Option<Value>,
        /// Whether an observer gave that summary.
        from_extension: Option<bool>,
    },
    /// `session_before_compact`; may be cancelled, and may give the compaction.
    BeforeCompact {
        /// What would be summarised and what would be kept.
        preparation: Value,
        /// The entries from the root to the leaf.
        branch_entries: Vec<Value>,
        /// What the summary shall look at.
        custom_instructions: Option<JsString>,
        /// Why.
        reason: CompactionReason,
        /// Whether the agent tries its request again afterwards.
        will_retry: bool,
    },
    /// `session_compact`
    Compact {
        /// The `compaction` entry that was written.
        compaction_entry: Value,
        /// Whether an observer gave it.
        from_extension: bool,
        /// Why.
        reason: CompactionReason,
        /// Whether the agent tries its request again.
        will_retry: bool,
    },
    /// `session_compact_failed`
    CompactFailed {
        /// Why it was tried.
        reason: CompactionReason,
        /// What went wrong; none when it was cancelled.
        error_message: Option<String>,
        /// Whether it was cancelled.
        aborted: bool,
        /// Whether the agent tries its request again.
        will_retry: bool,
        /// Whether an observer had given the compaction.
        from_extension: bool,
    },
    /// `session_info_changed`
    InfoChanged {
        /// The name now.
        name: Option<JsString>,
    },
    /// `session_shutdown`, before the session is left.
    Shutdown {
        /// Why.
        reason: ShutdownReason,
        /// The file of the session that follows; it may not exist yet.
        target_session_file: Option<String>,
    },
}

impl SessionEvent {
    /// What kind of event it is.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Start { .. } => EventKind::SessionStart,
            Self::BeforeSwitch { .. } => EventKind::SessionBeforeSwitch,
            Self::Switch { .. } => EventKind::SessionSwitch,
            Self::BeforeFork { .. } => EventKind::SessionBeforeFork,
            Self::Fork { .. } => EventKind::SessionFork,
            Self::BeforeTree { .. } => EventKind::SessionBeforeTree,
            Self::Tree { .. } => EventKind::SessionTree,
            Self::BeforeCompact { .. } => EventKind::SessionBeforeCompact,
            Self::Compact { .. } => EventKind::SessionCompact,
            Self::CompactFailed { .. } => EventKind::SessionCompactFailed,
            Self::InfoChanged { .. } => EventKind::SessionInfoChanged,
            Self::Shutdown { .. } => EventKind::SessionShutdown,
        }
    }

    /// The payload, `type` first and then the members in Pi's order.
    pub fn to_value(&self) -> Value {
        let event = Object::new().with("type", self.kind().name());
        let event = match self {
            Self::Start { reason, previous_session_file } => event
                .with("reason", reason.name())
                .with_some("previousSessionFile", previous_session_file.as_deref()),
            Self::BeforeSwitch { reason, target_session_file } => event
                .with("reason", reason.name())
                .with_some("targetSessionFile", target_session_file.as_deref()),
            Self::Switch { reason, previous_session_file, target_session_file, session_id } => {
                event
                    .with("reason", reason.name())
                    .with_some("previousSessionFile", previous_session_file.as_deref())
                    .with_some("targetSessionFile", target_session_file.as_deref())
                    .with("sessionId", session_id.as_str())
            }
            Self::BeforeFork { entry_id, position } => {
                event.with("entryId", entry_id.as_str()).with("position", position.name())
            }
            Self::Fork { entry_id, summary, session_id, new_session_id, previous_session_file } => {
                event
                    .with("entryId", entry_id.as_str())
                    .with("summary", summary.clone())
                    .with("sessionId", session_id.as_str())
                    .with("newSessionId", new_session_id.as_str())
                    .with_some("previousSessionFile", previous_session_file.as_deref())
            }
            Self::BeforeTree { preparation, .. } => event.with("preparation", preparation.clone()),
            Self::Tree { new_leaf_id, old_leaf_id, summary_entry, from_extension } => event
                .with("newLeafId", new_leaf_id.as_deref())
                .with("oldLeafId", old_leaf_id.as_deref())
                .with_some("summaryEntry", summary_entry.clone())
                .with_some("fromExtension", *from_extension),
            Self::BeforeCompact { .. } | Self::Compact { .. } | Self::CompactFailed { .. } => {
                self.compaction_members(event)
            }
            Self::InfoChanged { name } => event.with_some("name", name.clone()),
            Self::Shutdown { reason, target_session_file } => event
                .with("reason", reason.name())
                .with_some("targetSessionFile", target_session_file.as_deref()),
        };
        event.into()
    }

    fn compaction_members(&self, event: Object) -> Object {
        match self {
            Self::BeforeCompact {
                preparation,
                branch_entries,
                custom_instructions,
                reason,
                will_retry,
            } => event
                .with("preparation", preparation.clone())
                .with("branchEntries", branch_entries.clone())
                .with_some("customInstructions", custom_instructions.clone())
                .with("reason", reason.name())
                .with("willRetry", *will_retry),
            Self::Compact { compaction_entry, from_extension, reason, will_retry } => event
                .with("compactionEntry", compaction_entry.clone())
                .with("fromExtension", *from_extension)
                .with("reason", reason.name())
                .with("willRetry", *will_retry),
            Self::CompactFailed { reason, error_message, aborted, will_retry, from_extension } => {
                event
                    .with("reason", reason.name())
                    .with_some("errorMessage", error_message.as_deref())
                    .with("aborted", *aborted)
                    .with("willRetry", *will_retry)
                    .with("fromExtension", *from_extension)
            }
            _ => event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), Some(kind));
            assert_eq!(kind.asks(), kind.name().contains("_before_"));
        }
        assert_eq!(EventKind::from_name("session_stop"), None);
    }
}
