//! What the model is given: the entries that count, the messages they become, the settings.
//!
//! The rules are Pi 1.5.0's. The latest compaction on the path comes first and stands for all
//! that is before it, apart from the kept range (without its system messages); what follows it
//! stays. Context edits in that list replace or omit the content of an entry. The thinking level
//! and the model are read over the whole path, before the compaction cuts it.

mod llm;
mod system;
mod tokens;

use std::collections::HashMap;

use pitree_format::entry::Compaction;
use pitree_format::js::date::time_of;
use pitree_format::message::text_block;
use pitree_format::{EntryKind, Object, Role, Value};

use crate::blobs::InlineBudget;
use crate::error::{Result, SessionError};
use crate::session::{EntryKey, EntryRef, Session};

pub(crate) use llm::interpolated;
pub use llm::{bash_execution_text, to_llm};
pub use system::current_system_message;
pub(crate) use tokens::usable_usage;
pub use tokens::{
    ContextEstimate, ContextEstimator, estimate_context, estimate_projected_context,
    estimate_tokens,
};

/// The messages of the active branch and the settings that go with them. Pi's `SessionContext`.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The messages, compacted and edited.
    pub messages: Vec<Value>,
    /// The thinking level; `"off"` if nothing set it.
    pub thinking_level: Option<Value>,
    /// The model, if anything names one.
    pub model: Option<ModelChoice>,
}

/// A model as the session names it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelChoice {
    /// The provider.
    pub provider: Option<Value>,
    /// The model.
    pub model_id: Option<Value>,
}

impl ModelChoice {
    fn of(value: &Value, model_key: &str) -> Self {
        Self { provider: value.get("provider").cloned(), model_id: value.get(model_key).cloned() }
    }

    /// `{provider, modelId}`, as Pi's `SessionContext` has it.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with_some("provider", self.provider.clone())
            .with_some("modelId", self.model_id.clone())
            .into()
    }
}

impl Context {
    /// The shape of Pi's `SessionContext`: `{messages, thinkingLevel, model}`.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("messages", self.messages.clone())
            .with_some("thinkingLevel", self.thinking_level.clone())
            .with("model", self.model.as_ref().map(ModelChoice::to_value))
            .into()
    }
}

/// An entry of the context and the messages it became.
#[derive(Clone, Debug)]
pub struct Projected<'s> {
    /// The entry.
    pub entry: EntryRef<'s>,
    /// Its messages; none for entries that the model does not see.
    pub messages: Vec<Value>,
    /// Whether it has no messages because a context edit took them away.
    pub omitted: bool,
}

/// The context with the entry that each message came from. Pi's `SessionProjection`.
#[derive(Clone, Debug)]
pub struct Projection<'s> {
    /// The entries that count, in order.
    pub entries: Vec<Projected<'s>>,
    /// The thinking level.
    pub thinking_level: Option<Value>,
    /// The model.
    pub model: Option<ModelChoice>,
}

impl Projection<'_> {
    /// All messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().flat_map(|projected| &projected.messages)
    }
}

/// The settings that go with a context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextSettings {
    /// The thinking level; `"off"` if nothing set it.
    pub thinking_level: Option<Value>,
    /// The model, if anything names one.
    pub model: Option<ModelChoice>,
}

/// What a resumed session should use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// The path's last model, else the header's.
    pub model: Option<ModelChoice>,
    /// The path's last thinking level, else the header's.
    pub thinking_level: Option<Value>,
}

impl Session {
    /// The entries that count towards the context at the leaf. Pi's `buildContextEntries`.
    pub fn context_entries(&self) -> Result<Vec<EntryRef<'_>>> {
        self.context_entries_at(self.leaf().map(|leaf| leaf.index()))
    }

    /// The entries that count towards the context at an entry; none before the first one. A place
    /// without an entry is an error.
    pub fn context_entries_at(&self, leaf: Option<impl EntryKey>) -> Result<Vec<EntryRef<'_>>> {
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let leaf = self.place_of(&leaf)?;
        // Walk up only as far as the context reaches: usually to the latest compaction's kept
        // range, which is a small part of a long session.
        let mut after = Vec::new();
        let mut compaction = None;
        for at in self.ancestors(leaf) {
            let entry = EntryRef::new(self, at);
            if entry.kind() == EntryKind::Compaction {
                compaction = Some(entry);
                break;
            }
            after.push(entry);
        }
        after.reverse();
        let Some(compaction) = compaction else { return Ok(after) };
        let mut entries = vec![compaction];
        entries.extend(self.kept_before(compaction)?);
        entries.extend(after);
        Ok(entries)
    }

    /// The kept range before a compaction, without its system messages.
    fn kept_before<'s>(&'s self, compaction: EntryRef<'s>) -> Result<Vec<EntryRef<'s>>> {
        let Some(first_kept) = Compaction::decode(&compaction.value()?).first_kept_entry_id else {
            return Ok(Vec::new());
        };
        let first_kept = first_kept.to_text();
        let mut kept = Vec::new();
        let mut found = false;
        for at in self.ancestors(compaction.index()).skip(1) {
            let entry = EntryRef::new(self, at);
            if !entry.is_message(Role::System) {
                kept.push(entry);
            }
            if entry.id() == first_kept {
                found = true;
                break;
            }
        }
        kept.reverse();
        Ok(if found { kept } else { Vec::new() })
    }

    /// The context at the leaf, with the source of each message. Pi's `buildSessionProjection`.
    pub fn projection(&self) -> Result<Projection<'_>> {
        self.projection_at(self.leaf().map(|leaf| leaf.index()))
    }

    /// The context at an entry, with the source of each message.
    pub fn projection_at(&self, leaf: Option<impl EntryKey>) -> Result<Projection<'_>> {
        let mut entries = Vec::new();
        let settings = self.each_projected_at(leaf, |projected| {
            entries.push(projected);
            Ok::<_, SessionError>(())
        })?;
        let ContextSettings { thinking_level, model } = settings;
        Ok(Projection { entries, thinking_level, model })
    }

    /// The same, entry by entry, for who does not need all of them at a time; at the end the
    /// settings.
    pub fn each_projected_at<'s, E: From<SessionError>>(
        &'s self,
        leaf: Option<impl EntryKey>,
        mut tell: impl FnMut(Projected<'s>) -> Result<(), E>,
    ) -> Result<ContextSettings, E> {
        let leaf = leaf.map(|leaf| self.place_of(&leaf)).transpose()?;
        let entries = self.context_entries_at(leaf)?;
        let mut edits: HashMap<String, Value> = HashMap::new();
        for entry in entries.iter().filter(|entry| entry.kind() == EntryKind::ContextEdit) {
            let mut value = entry.value()?;
            let Some(edit) = value.as_object_mut() else { continue };
            if let Some(replacement) = edit.remove("replacement")
                && let Some(target) = edit.get("targetId").and_then(Value::as_string)
            {
                edits.insert(target.to_text().into_owned(), replacement);
            }
        }
        let mut budget = InlineBudget::new();
        for (at, entry) in entries.into_iter().enumerate() {
            // An older compaction may lie in the kept range; only the first one speaks.
            let silent = entry.kind() == EntryKind::Compaction && at > 0;
            let messages = match silent {
                true => Vec::new(),
                false => context_messages(entry.kind(), entry_value(entry)?),
            };
            let had_messages = !messages.is_empty();
            let mut messages = match edits.get(entry.id()) {
                Some(replacement) => edited(messages, replacement),
                None => messages,
            };
            messages.iter_mut().for_each(|message| self.inline_blobs(message, &mut budget));
            let omitted = had_messages && messages.is_empty();
            tell(Projected { entry, messages, omitted })?;
        }
        let settings = self.settings_at(leaf)?;
        let thinking_level = settings.thinking_level.unwrap_or_else(|| Some("off".into()));
        Ok(ContextSettings { thinking_level, model: settings.model })
    }

    /// Whether the context at the leaf has any message. Looks no further than the first one.
    pub fn has_context(&self) -> Result<bool> {
        let looked = self.each_projected_at(self.leaf().map(|leaf| leaf.index()), |projected| {
            if projected.messages.is_empty() { Ok(()) } else { Err(Looked::Found) }
        });
        match looked {
            Ok(_) => Ok(false),
            Err(Looked::Found) => Ok(true),
            Err(Looked::Failed(error)) => Err(error),
        }
    }

    /// The messages that one entry gives to a context that has no compaction after it and no edit
    /// of it.
    pub fn messages_of(&self, entry: EntryRef<'_>) -> Result<Vec<Value>> {
        let mut messages = context_messages(entry.kind(), entry_value(entry)?);
        let mut budget = InlineBudget::new();
        messages.iter_mut().for_each(|message| self.inline_blobs(message, &mut budget));
        Ok(messages)
    }

    /// The context at the leaf. Pi's `buildSessionContext`.
    pub fn context(&self) -> Result<Context> {
        self.context_at(self.leaf().map(|leaf| leaf.index()))
    }

    /// The context at an entry; empty before the first one.
    pub fn context_at(&self, leaf: Option<impl EntryKey>) -> Result<Context> {
        let projection = self.projection_at(leaf)?;
        Ok(Context {
            thinking_level: projection.thinking_level,
            model: projection.model,
            messages: projection.entries.into_iter().flat_map(|entry| entry.messages).collect(),
        })
    }

    /// What a resumed session should use: the path's last change, else the header's fields.
    pub fn restored(&self) -> Result<Restored> {
        self.restored_at(self.leaf().map(|leaf| leaf.index()))
    }

    /// The same for a session that is resumed at an entry.
    pub fn restored_at(&self, leaf: Option<impl EntryKey>) -> Result<Restored> {
        let leaf = leaf.map(|leaf| self.place_of(&leaf)).transpose()?;
        let settings = self.settings_at(leaf)?;
        let header = &self.header.decoded;
        let from_header = || {
            let text = |text: &Option<_>| text.clone().map(Value::String);
            header.model_id.as_ref().map(|_| ModelChoice {
                provider: text(&header.provider),
                model_id: text(&header.model_id),
            })
        };
        Ok(Restored {
            model: settings.meant_model().or_else(from_header),
            thinking_level: settings
                .thinking_level
                .unwrap_or_else(|| header.thinking_level.clone().map(Value::String)),
        })
    }

    /// The last settings on the way to an entry, found from the entry upwards.
    fn settings_at(&self, leaf: Option<usize>) -> Result<Settings> {
        let mut settings = Settings::default();
        leaf.map(|leaf| self.require(leaf)).transpose()?;
        for at in leaf.into_iter().flat_map(|leaf| self.ancestors(leaf)) {
            let entry = EntryRef::new(self, at);
            match entry.kind() {
                EntryKind::ThinkingLevelChange if settings.thinking_level.is_none() => {
                    settings.thinking_level = Some(entry.value()?.get("thinkingLevel").cloned());
                }
                EntryKind::ModelChange if settings.model.is_none() => {
                    let value = entry.value()?;
                    settings.combined_model = value.get_string("model").map(ToString::to_string);
                    settings.model = Some(ModelChoice::of(&value, "modelId"));
                }
                EntryKind::Message
                    if settings.model.is_none() && entry.role() == Role::Assistant =>
                {
                    let message = entry.message()?.unwrap_or(Value::Null);
                    settings.model = Some(ModelChoice::of(&message, "model"));
                }
                _ => {}
            }
            if settings.thinking_level.is_some() && settings.model.is_some() {
                break;
            }
        }
        Ok(settings)
    }
}

/// Why a look at the context ended early.
enum Looked {
    Found,
    Failed(SessionError),
}

impl From<SessionError> for Looked {
    fn from(error: SessionError) -> Self {
        Self::Failed(error)
    }
}

#[derive(Default)]
struct Settings {
    /// Set by a change; the change itself may lack the level.
    thinking_level: Option<Option<Value>>,
    model: Option<ModelChoice>,
    /// oh-my-pi writes `provider/model` into one member.
    combined_model: Option<String>,
}

impl Settings {
    /// The model that was meant, also where a relative of Pi spelled it in its own way.
    fn meant_model(&self) -> Option<ModelChoice> {
        match (&self.model, self.combined_model.as_ref().and_then(|both| both.split_once('/'))) {
            (Some(ModelChoice { model_id: None, .. }), Some((provider, model))) => {
                Some(ModelChoice { provider: Some(provider.into()), model_id: Some(model.into()) })
            }
            (model, _) => model.clone(),
        }
    }
}

/// The body of an entry, unless its kind has no part in the context.
pub(crate) fn entry_value(entry: EntryRef<'_>) -> Result<Value> {
    match entry.kind() {
        EntryKind::Message
        | EntryKind::CustomMessage
        | EntryKind::BranchSummary
        | EntryKind::Compaction
        | EntryKind::ContextEdit => entry.value(),
        _ => Ok(Value::Null),
    }
}

/// The messages that one entry becomes. Pi's `sessionEntryToContextMessages`.
pub(crate) fn context_messages(kind: EntryKind, mut value: Value) -> Vec<Value> {
    let time = entry_time(&value);
    match kind {
        EntryKind::Message => {
            let message = value.as_object_mut().and_then(|entry| entry.remove("message"));
            message
                .filter(|message| message.as_object().is_some())
                .map(with_content)
                .into_iter()
                .collect()
        }
        EntryKind::CustomMessage => {
            let content = value.get("content").filter(|content| !content.is_null()).cloned();
            let message = Object::new()
                .with("role", "custom")
                .with_some("customType", value.get("customType").cloned())
                .with("content", content.unwrap_or_else(|| Value::from(Vec::new())))
                .with_some("display", value.get("display").cloned())
                .with_some("details", value.get("details").cloned())
                .with("timestamp", time);
            vec![message.into()]
        }
        EntryKind::BranchSummary => {
            let has_summary = value.get("summary").is_some_and(Value::is_truthy);
            has_summary.then(|| branch_summary_message(&value)).into_iter().collect()
        }
        EntryKind::Compaction => {
            let system = value.get("systemMessage").filter(|system| system.is_truthy()).cloned();
            let summary = Object::new()
                .with("role", "compactionSummary")
                .with_some("summary", value.get("summary").cloned())
                .with_some("tokensBefore", value.get("tokensBefore").cloned())
                .with("timestamp", time);
            system.into_iter().chain([summary.into()]).collect()
        }
        _ => Vec::new(),
    }
}

/// The message of a branch summary.
pub(crate) fn branch_summary_message(entry: &Value) -> Value {
    Object::new()
        .with("role", "branchSummary")
        .with_some("summary", entry.get("summary").cloned())
        .with_some("fromId", entry.get("fromId").cloned())
        .with("timestamp", entry_time(entry))
        .into()
}

/// The time of an entry in milliseconds, as its message has it.
fn entry_time(entry: &Value) -> Value {
    Value::Number(time_of(entry.get("timestamp")).map_or(f64::NAN, |ms| ms as f64))
}

/// Old and hand-edited files have messages without content; the model needs some.
fn with_content(mut message: Value) -> Value {
    if message.get("content").is_some_and(|content| !content.is_null()) {
        return message;
    }
    let empty = match Role::of(&message) {
        Role::System => Value::text(""),
        Role::User | Role::Assistant | Role::ToolResult => Value::from(Vec::new()),
        _ => return message,
    };
    if let Some(object) = message.as_object_mut() {
        object.set("content", empty);
    }
    message
}

/// Applies a context edit: `null` omits, anything else replaces the content.
pub(crate) fn edited(messages: Vec<Value>, replacement: &Value) -> Vec<Value> {
    if replacement.is_null() {
        return Vec::new();
    }
    let content = replacement.get("content");
    messages
        .into_iter()
        .map(|mut message| {
            let role = Role::of(&message);
            if !matches!(role, Role::User | Role::Assistant | Role::ToolResult | Role::Custom) {
                return message;
            }
            let content = match content {
                Some(Value::String(text)) if matches!(role, Role::Assistant | Role::ToolResult) => {
                    Some(Value::from(vec![text_block(text.clone())]))
                }
                other => other.cloned(),
            };
            if let Some(object) = message.as_object_mut() {
                match content {
                    Some(content) => object.set("content", content),
                    None => {
                        object.remove("content");
                    }
                }
            }
            message
        })
        .collect()
}
