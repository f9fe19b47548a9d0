//! Headers and entries, decoded on demand.

use crate::message::{Content, CustomMessage, Message};
use crate::usage::Usage;
use crate::{EntryKind, JsString, Value};

/// The header of a session: its first line.
///
/// TypeScript Pi writes `type, version, id, timestamp, cwd, parentSession?`. Version 1 and the
/// Rust port add the model and the thinking level; the port also writes `branchedFrom` for the
/// parent and `leafId` for the selected leaf.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// The format version; absent means 1.
    pub version: Option<Value>,
    /// The session's id.
    pub id: Option<JsString>,
    /// When it was created.
    pub timestamp: Option<JsString>,
    /// The working directory.
    pub cwd: Option<JsString>,
    /// The session this one was forked from: `parentSession`, or `branchedFrom`.
    pub parent_session: Option<JsString>,
    /// The provider that was selected.
    pub provider: Option<JsString>,
    /// The model that was selected.
    pub model_id: Option<JsString>,
    /// The thinking level that was selected.
    pub thinking_level: Option<JsString>,
    /// The port's selected leaf; empty means before the first entry.
    pub leaf_id: Option<JsString>,
}

impl Header {
    /// Reads a header object.
    pub fn decode(value: &Value) -> Self {
        let text = |key| value.get_string(key).cloned();
        Self {
            version: value.get("version").cloned(),
            id: text("id"),
            timestamp: text("timestamp"),
            cwd: text("cwd"),
            parent_session: text("parentSession").or_else(|| text("branchedFrom")),
            provider: text("provider"),
            model_id: text("modelId"),
            thinking_level: text("thinkingLevel"),
            leaf_id: text("leafId"),
        }
    }
}

/// The model that a `model_change` names: `modelId`, or `model` of oh-my-pi, which has provider and
/// model in one (`zai/glm-5.2`).
pub fn changed_model(entry: &Value) -> Option<&JsString> {
    entry.get_string("modelId").or_else(|| entry.get_string("model"))
}

/// What an entry says, by its kind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Body {
    /// `message`
    Message(Message),
    /// `thinking_level_change`: the new level.
    ThinkingLevelChange(Option<JsString>),
    /// `model_change`: what was selected.
    ModelChange {
        /// The provider.
        provider: Option<JsString>,
        /// The model.
        model_id: Option<JsString>,
    },
    /// `usage`: spend that belongs to no message.
    Usage {
        /// What it was for, such as `cache_warm`.
        kind: Option<JsString>,
        /// The provider.
        provider: Option<JsString>,
        /// The model.
        model: Option<JsString>,
        /// Tokens and cost.
        usage: Option<Usage>,
        /// A remark.
        note: Option<JsString>,
    },
    /// `compaction`
    Compaction(Compaction),
    /// `branch_summary`
    BranchSummary(BranchSummary),
    /// `custom`: state of an extension.
    Custom {
        /// The extension's name for it.
        custom_type: Option<JsString>,
        /// The state.
        data: Option<Value>,
    },
    /// `custom_message`
    CustomMessage(CustomMessage),
    /// `context_edit`
    ContextEdit {
        /// The entry whose content is replaced.
        target_id: Option<JsString>,
        /// What becomes of its content.
        replacement: Replacement,
    },
    /// `label`
    Label {
        /// The labelled entry.
        target_id: Option<JsString>,
        /// The label; absent or empty clears it.
        label: Option<JsString>,
    },
    /// `session_info`: the name; empty clears it.
    SessionInfo(Option<JsString>),
    /// A kind this version does not know. The raw value has all of it.
    Unknown {
        /// The `type`, if it is a string.
        kind: Option<JsString>,
    },
}

/// What a context edit does.
#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// `null`: the entry is left out.
    Omit,
    /// The new content.
    Content(Content),
    /// The member is missing, so nothing changes.
    Missing,
}

impl Replacement {
    fn decode(value: Option<&Value>) -> Self {
        match value {
            None => Self::Missing,
            Some(Value::Null) => Self::Omit,
            Some(value) => Self::Content(Content::decode(value.get("content"))),
        }
    }
}

/// `compaction`: a summary that stands for what came before.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Compaction {
    /// The summary.
    pub summary: JsString,
    /// The first entry that is kept as it was; its own id keeps none.
    pub first_kept_entry_id: Option<JsString>,
    /// How many tokens the context had before.
    pub tokens_before: Option<f64>,
    /// By default the files read and modified.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Usage>,
    /// Whether an extension made it: whatever JavaScript takes for true.
    pub from_hook: bool,
    /// The prompt and tools as they stood.
    pub system_message: Option<Value>,
}

/// `branch_summary`: what happened on a branch that was left.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BranchSummary {
    /// The leaf that was left, or `root`.
    pub from_id: Option<JsString>,
    /// The summary.
    pub summary: JsString,
    /// By default the files read and modified.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Usage>,
    /// Whether an extension made it: whatever JavaScript takes for true.
    pub from_hook: bool,
}

impl Body {
    /// Reads an entry object.
    pub fn decode(value: &Value) -> Self {
        let text = |key| value.get_string(key).cloned();
        let kind = value.get_string("type");
        match EntryKind::of(value) {
            EntryKind::Message => {
                Self::Message(Message::decode(value.get("message").unwrap_or(&Value::Null)))
            }
            EntryKind::ThinkingLevelChange => Self::ThinkingLevelChange(text("thinkingLevel")),
            EntryKind::ModelChange => {
                Self::ModelChange { provider: text("provider"), model_id: text("modelId") }
            }
            EntryKind::Usage => Self::Usage {
                kind: text("kind"),
                provider: text("provider"),
                model: text("model"),
                usage: value.get("usage").and_then(Usage::decode),
                note: text("note"),
            },
            EntryKind::Compaction => Self::Compaction(Compaction::decode(value)),
            EntryKind::BranchSummary => Self::BranchSummary(BranchSummary::decode(value)),
            EntryKind::Custom => {
                Self::Custom { custom_type: text("customType"), data: value.get("data").cloned() }
            }
            EntryKind::CustomMessage => Self::CustomMessage(CustomMessage::decode(value)),
            EntryKind::ContextEdit => Self::ContextEdit {
                target_id: text("targetId"),
                replacement: Replacement::decode(value.get("replacement")),
            },
            EntryKind::Label => Self::Label { target_id: text("targetId"), label: text("label") },
            EntryKind::SessionInfo => Self::SessionInfo(text("name")),
            EntryKind::Session | EntryKind::Other => Self::Unknown { kind: kind.cloned() },
        }
    }
}

impl Compaction {
    /// Reads an entry object.
    pub fn decode(value: &Value) -> Self {
        Self {
            summary: value.get_string("summary").cloned().unwrap_or_default(),
            first_kept_entry_id: value.get_string("firstKeptEntryId").cloned(),
            tokens_before: value.get_number("tokensBefore"),
            details: value.get("details").cloned(),
            usage: value.get("usage").and_then(Usage::decode),
            from_hook: value.get("fromHook").is_some_and(Value::is_truthy),
            system_message: value.get("systemMessage").cloned(),
        }
    }
}

impl BranchSummary {
    /// Reads an entry object.
    pub fn decode(value: &Value) -> Self {
        Self {
            from_id: value.get_string("fromId").cloned(),
            summary: value.get_string("summary").cloned().unwrap_or_default(),
            details: value.get("details").cloned(),
            usage: value.get("usage").and_then(Usage::decode),
            from_hook: value.get("fromHook").is_some_and(Value::is_truthy),
        }
    }
}
