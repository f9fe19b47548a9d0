//! Writing a compaction, and the three steps in one.

use pitree_format::draft::NewCompaction;
use pitree_format::{Object, Value};

use super::{CompactionError, CompactionSettings};
use crate::context::estimate_tokens;
use crate::error::Result;
use crate::session::Session;
use crate::summary::{Cancel, Summarizer};
use crate::write::Appended;

/// What a compaction by [`Session::compact`] goes by.
#[derive(Clone, Debug, Default)]
pub struct CompactOptions {
    /// How much to keep.
    pub settings: CompactionSettings,
    /// What the summary shall look at in particular.
    pub instructions: Option<String>,
}

/// A compaction that was written. Pi's `CompactionResult`.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionResult {
    /// The new entry and what became of it.
    pub appended: Appended,
    /// What was stored.
    pub compaction: NewCompaction,
    /// How many tokens the context has now.
    pub estimated_tokens_after: usize,
}

impl CompactionResult {
    /// The shape of Pi's answer to `compact`.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("summary", self.compaction.summary.clone())
            .with("firstKeptEntryId", self.compaction.first_kept_entry_id.clone())
            .with("tokensBefore", self.compaction.tokens_before)
            .with("estimatedTokensAfter", self.estimated_tokens_after)
            .with_some("usage", self.compaction.usage.clone())
            .with_some("details", self.compaction.details.clone())
            .into()
    }
}

impl Session {
    /// Summarizes the older part of the conversation and appends a compaction. Nothing is written
    /// if there is no summary.
    pub fn compact(
        &mut self,
        options: &CompactOptions,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<CompactionResult, CompactionError> {
        let preparation = self.prepare_compaction(&options.settings)?;
        let new = preparation.summarize(options.instructions.as_deref(), summarizer, cancel)?;
        Ok(self.append_compaction_result(new, false)?)
    }

    /// Writes a compaction whose text is there. Refused if another program has gone on from the
    /// leaf in the meantime: what it wrote would be on a branch that nobody stands on.
    pub fn append_compaction_result(
        &mut self,
        mut compaction: NewCompaction,
        from_extension: bool,
    ) -> Result<CompactionResult> {
        compaction.from_hook = Some(from_extension);
        let draft = self.compaction_draft(compaction.clone())?;
        let appended = self.append_unless_continued(&draft, self.leaf)?;
        let estimated_tokens_after = self.projection()?.messages().map(estimate_tokens).sum();
        Ok(CompactionResult { appended, compaction, estimated_tokens_after })
    }
}
