//! One method for each kind of entry, with Pi's rules.

use pitree_format::draft::{Draft, NewBranchSummary, NewCompaction};
use pitree_format::message::text_block;
use pitree_format::{EntryKind, JsString, NewMessage, Object, Role, Usage, Value};

use super::Appended;
use crate::context::current_system_message;
use crate::error::{Result, SessionError};
use crate::session::{EntryKey, Session};

/// Spend that belongs to no message. Pi's arguments of `appendUsage`.
///
/// ```
/// use pitree_session::{NewUsage, Usage};
///
/// let new = NewUsage::new("cache_warm", "anthropic", "claude-sonnet-4-5")
///     .usage(Usage::tokens(1200, 0))
///     .note("every four minutes");
/// # drop(new);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewUsage {
    /// What it was for, such as `cache_warm`.
    pub kind: JsString,
    /// The provider.
    pub provider: JsString,
    /// The model.
    pub model: JsString,
    /// Tokens and cost.
    pub usage: Value,
    /// A remark.
    pub note: Option<JsString>,
}

impl NewUsage {
    /// Spend of this kind with a model; no tokens yet.
    pub fn new(
        kind: impl Into<JsString>,
        provider: impl Into<JsString>,
        model: impl Into<JsString>,
    ) -> Self {
        let (kind, provider, model) = (kind.into(), provider.into(), model.into());
        let usage = Usage::default().completed().into();
        Self { kind, provider, model, usage, note: None }
    }

    /// Tokens and cost: a [`Usage`], which is written with all that Pi counts on, or raw JSON.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<UsageValue>) -> Self {
        self.usage = usage.into().0;
        self
    }

    /// A remark; an empty one is left out.
    #[must_use]
    pub fn note(mut self, note: impl Into<JsString>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// A usage as it is written.
#[derive(Clone, Debug)]
pub struct UsageValue(Value);

impl From<Usage> for UsageValue {
    fn from(usage: Usage) -> Self {
        Self(usage.completed().into())
    }
}

impl From<Value> for UsageValue {
    fn from(raw: Value) -> Self {
        Self(raw)
    }
}

impl Session {
    /// Appends a message. Pi's `appendMessage`, except that a message by which Pi could no longer
    /// build the context is refused with [`SessionError::BadMessage`];
    /// [`Session::append_all_unchecked`] takes that too.
    ///
    /// A message is built by [`Message`](pitree_format::Message), which gets the time of the
    /// append, or is raw JSON, which is written as it is.
    pub fn append_message(&mut self, message: impl Into<NewMessage>) -> Result<Appended> {
        let message = message.into().into_value(self.environment.now_ms());
        self.append(&Draft::Message(message))
    }

    /// Appends a change of the thinking level. Pi's `appendThinkingLevelChange`.
    pub fn append_thinking_level_change(&mut self, level: impl Into<JsString>) -> Result<Appended> {
        self.append(&Draft::ThinkingLevelChange(level.into()))
    }

    /// Appends a change of the model. Pi's `appendModelChange`.
    pub fn append_model_change(
        &mut self,
        provider: impl Into<JsString>,
        model_id: impl Into<JsString>,
    ) -> Result<Appended> {
        let (provider, model_id) = (provider.into(), model_id.into());
        self.append(&Draft::ModelChange { provider, model_id })
    }

    /// Appends spend that belongs to no message. Pi's `appendUsage`.
    pub fn append_usage(&mut self, new: NewUsage) -> Result<Appended> {
        let NewUsage { kind, provider, model, usage, note } = new;
        self.append(&Draft::Usage { kind, provider, model, usage, note })
    }

    /// Appends a compaction, with the prompt and the tools as they stand. Pi's
    /// `appendCompaction`.
    pub fn append_compaction(&mut self, new: NewCompaction) -> Result<Appended> {
        let draft = self.compaction_draft(new)?;
        self.append(&draft)
    }

    /// A compaction at the leaf.
    pub(crate) fn compaction_draft(&self, new: NewCompaction) -> Result<Draft> {
        let projection = self.projection()?;
        let system_message = current_system_message(projection.messages());
        Ok(Draft::Compaction { new: Box::new(new), system_message })
    }

    /// Appends state of an extension. Pi's `appendCustomEntry`.
    pub fn append_custom(
        &mut self,
        custom_type: impl Into<JsString>,
        data: Option<Value>,
    ) -> Result<Appended> {
        self.append(&Draft::Custom { custom_type: custom_type.into(), data })
    }

    /// Appends a message of an extension. Pi's `appendCustomMessageEntry`.
    pub fn append_custom_message(
        &mut self,
        custom_type: impl Into<JsString>,
        content: impl Into<Value>,
        display: bool,
        details: Option<Value>,
    ) -> Result<Appended> {
        self.append(&Draft::CustomMessage {
            custom_type: custom_type.into(),
            content: content.into(),
            display,
            details,
        })
    }

    /// Appends the session's name: line ends become spaces, an empty name clears it. Pi's
    /// `appendSessionInfo`.
    pub fn append_session_info(&mut self, name: impl Into<JsString>) -> Result<Appended> {
        self.append(&Draft::SessionInfo(one_line(&name.into()).trim()))
    }

    /// Sets the label of an entry; `None` clears it, as [`Session::clear_label`] does. Pi's
    /// `appendLabelChange`.
    pub fn append_label(
        &mut self,
        target: impl EntryKey,
        label: Option<impl Into<JsString>>,
    ) -> Result<Appended> {
        let target_id = self.require(target)?.id().into();
        self.append(&Draft::Label { target_id, label: label.map(Into::into) })
    }

    /// Takes the label of an entry away.
    pub fn clear_label(&mut self, target: impl EntryKey) -> Result<Appended> {
        self.append_label(target, None::<JsString>)
    }

    /// Replaces or omits the content of an earlier entry on this branch. `replacement` is
    /// `null`, or an object with `content`. Pi's `appendContextEdit`.
    pub fn append_context_edit(
        &mut self,
        target: impl EntryKey,
        replacement: impl Into<Value>,
    ) -> Result<Appended> {
        let replacement = replacement.into();
        let content = replacement.get("content");
        if !replacement.is_null() && !matches!(content, Some(Value::String(_) | Value::Array(_))) {
            return Err(SessionError::Refused(
                "Context edit replacement must be null or contain string/array content".to_owned(),
            ));
        }
        let target = self.require(target)?;
        let target_id = target.id().to_owned();
        let on_branch =
            self.leaf.is_some_and(|leaf| self.ancestors(leaf).any(|at| at == target.index()));
        if !on_branch {
            return Err(SessionError::Refused(format!(
                "Entry {target_id} is not on the active branch"
            )));
        }
        let role = match target.kind() {
            EntryKind::CustomMessage => Role::Custom,
            EntryKind::Message if target.role() != Role::Custom => target.role(),
            _ => Role::Other,
        };
        if !matches!(role, Role::User | Role::Assistant | Role::ToolResult | Role::Custom) {
            return Err(SessionError::Refused(format!(
                "Entry {target_id} does not contribute editable model content"
            )));
        }
        let replacement = match content {
            Some(Value::String(text)) if matches!(role, Role::Assistant | Role::ToolResult) => {
                Object::new().with("content", vec![text_block(text.clone())]).into()
            }
            _ => replacement,
        };
        self.append(&Draft::ContextEdit { target_id: target_id.into(), replacement })
    }

    /// Moves the leaf (to before the first entry for `None`) and appends a summary of the branch
    /// that is left. Pi's `branchWithSummary`.
    pub fn branch_with_summary(
        &mut self,
        target: Option<&str>,
        new: NewBranchSummary,
    ) -> Result<Appended> {
        self.branch_by(target, new, |session, draft, _| session.append(draft))
    }

    /// The same, unless another program has continued the branch that is left.
    pub(crate) fn branch_unless_continued(
        &mut self,
        target_id: Option<&str>,
        new: NewBranchSummary,
    ) -> Result<Appended> {
        self.branch_by(target_id, new, Self::append_unless_continued)
    }

    fn branch_by(
        &mut self,
        target_id: Option<&str>,
        new: NewBranchSummary,
        append: impl FnOnce(&mut Self, &Draft, Option<usize>) -> Result<Appended>,
    ) -> Result<Appended> {
        let target = target_id.map(|id| self.require(id).map(|entry| entry.index())).transpose()?;
        let left = self.leaf;
        let from_id = self.leaf_id().unwrap_or("root").into();
        self.leaf = target;
        let draft = Draft::BranchSummary { from_id, new };
        append(self, &draft, left).inspect_err(|_| self.leaf = left)
    }
}

/// Runs of line ends become one space.
fn one_line(name: &JsString) -> JsString {
    let mut bytes = Vec::with_capacity(name.as_bytes().len());
    for &byte in name.as_bytes() {
        match byte {
            b'\r' | b'\n' if bytes.last() == Some(&b'\n') => {}
            b'\r' | b'\n' => bytes.push(b'\n'),
            other => bytes.push(other),
        }
    }
    for byte in &mut bytes {
        if *byte == b'\n' {
            *byte = b' ';
        }
    }
    JsString::from_wtf8(bytes)
}
