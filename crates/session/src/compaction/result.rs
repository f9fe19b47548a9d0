//! Writing a compaction, and the three steps in one.

use pitree_format::{JsString, Object, Value};

use super::{CompactionError, CompactionSettings};
use crate::context::estimate_tokens;
use crate::error::SessionError;
use crate::session::Session;
use crate::summary::{Cancel, Summarizer};
use crate::write::{Appended, NewCompaction};

/// What a compaction by [`Session::compact`] goes by.
#[derive(Clone, Debug, Default)]
pub struct CompactOptions {
    /// How much to keep.
    pub settings: CompactionSettings,
    /// What the summary shall look at in particular.
    pub instructions: Option<String>,
}

/// The text of a compaction and what goes with it: made from a [`Preparation`], or brought by an
/// extension.
///
/// [`Preparation`]: super::Preparation
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionText {
    /// The summary, files included.
    pub summary: JsString,
    /// The first entry that is kept; `None` keeps none.
    pub first_kept_entry_id: Option<JsString>,
    /// How many tokens the context had before.
    pub tokens_before: f64,
    /// What the summary cost.
    pub usage: Option<Value>,
    /// The files read and changed, or what an extension wants.
    pub details: Option<Value>,
}

impl CompactionText {
    /// Reads what an extension answers to `session_before_compact`:
    /// `{summary, firstKeptEntryId, tokensBefore, usage?, details?}`. `None` without a summary
    /// and a number of tokens.
    pub fn from_value(value: &Value) -> Option<Self> {
        let some = |key| value.get(key).filter(|member| !member.is_null()).cloned();
        Some(Self {
            summary: value.get_string("summary")?.clone(),
            first_kept_entry_id: value.get_string("firstKeptEntryId").cloned(),
            tokens_before: value.get_number("tokensBefore")?,
            usage: some("usage"),
            details: some("details"),
        })
    }
}

/// A compaction that was written. Pi's `CompactionResult`.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionResult {
    /// The new entry and what became of it.
    pub appended: Appended,
    /// The text that was stored and what went with it.
    pub text: CompactionText,
    /// How many tokens the context has now.
    pub estimated_tokens_after: usize,
}

impl CompactionResult {
    /// The shape of Pi's answer to `compact`.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("summary", self.text.summary.clone())
            .with("firstKeptEntryId", self.text.first_kept_entry_id.clone())
            .with("tokensBefore", self.text.tokens_before)
            .with("estimatedTokensAfter", self.estimated_tokens_after)
            .with_some("usage", self.text.usage.clone())
            .with_some("details", self.text.details.clone())
            .into()
    }
}

impl Session {
    /// Summarises the older part of the conversation and writes a compaction. Nothing is written
    /// if there is no summary.
    pub fn compact(
        &mut self,
        options: &CompactOptions,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<CompactionResult, CompactionError> {
        let preparation = self.prepare_compaction(&options.settings)?;
        let text = preparation.summarize(options.instructions.as_deref(), summarizer, cancel)?;
        Ok(self.append_compaction_result(text, false)?)
    }

    /// Writes a compaction whose text is there. Refused if another program has gone on from the
    /// leaf in the meantime: what it wrote would be on a branch that nobody stands on.
    pub fn append_compaction_result(
        &mut self,
        text: CompactionText,
        from_extension: bool,
    ) -> Result<CompactionResult, SessionError> {
        let draft = self.compaction_draft(NewCompaction {
            summary: text.summary.clone(),
            first_kept_entry_id: text.first_kept_entry_id.clone(),
            tokens_before: text.tokens_before,
            details: text.details.clone(),
            from_hook: Some(from_extension),
            usage: text.usage.clone(),
        })?;
        let appended = self.append_unless_continued(&draft, self.leaf)?;
        let estimated_tokens_after = self.projection()?.messages().map(estimate_tokens).sum();
        Ok(CompactionResult { appended, text, estimated_tokens_after })
    }
}
