//! Compaction: when the user asks for it, and by itself when the context is nearly full.

use crate::events::{CompactionReason, EventKind, GivenCompaction, Notice, SessionEvent};
use pitree_format::message::is_type;
use pitree_format::{EntryKind, JsString, Role, Value};
use pitree_session::NewCompaction;
use pitree_session::compaction::{CompactionResult, CompactionSettings, Preparation};
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use super::{Busy, LiveError, LiveSession, entry_values};

/// When a live session compacts and how much it keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactionPolicy {
    /// Pi's settings; `enabled` is about compaction by itself.
    pub settings: CompactionSettings,
    /// The context window of the model. Unknown: nothing is compacted by itself.
    pub context_window: Option<u64>,
}

/// A compaction that the observers let pass. It needs no session to wait for the summary.
#[derive(Debug)]
pub struct PendingCompaction {
    preparation: Preparation,
    instructions: Option<String>,
    given: Option<NewCompaction>,
    reason: CompactionReason,
    /// Where the session stood.
    leaf_id: Option<String>,
}

impl PendingCompaction {
    /// Whether somebody must write the summary.
    pub fn needs_summary(&self) -> bool {
        self.given.is_none()
    }

    /// The compaction that an observer gave.
    pub fn given(&self) -> Option<NewCompaction> {
        self.given.clone()
    }

    /// The text of the compaction.
    pub fn summarize(
        &self,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<NewCompaction, SummaryError> {
        match &self.given {
            Some(given) => Ok(given.clone()),
            None => self.preparation.summarize(self.instructions.as_deref(), summarizer, cancel),
        }
    }
}

impl LiveSession {
    /// Summarises the older part of the conversation. Nothing is written if that fails or is
    /// cancelled.
    pub fn compact(
        &mut self,
        instructions: Option<&str>,
        cancel: &Cancel,
    ) -> Result<CompactionResult, LiveError> {
        self.compact_because(CompactionReason::Manual, instructions, cancel)
    }

    /// Compacts if that is switched on, somebody can write the summary and the context is nearly
    /// full. `None` if it is not time yet.
    pub fn compact_if_needed(
        &mut self,
        cancel: &Cancel,
    ) -> Result<Option<CompactionResult>, LiveError> {
        if !self.needs_compaction()? {
            return Ok(None);
        }
        self.compact_because(CompactionReason::Threshold, None, cancel).map(Some)
    }

    /// Whether the context is so full that it should be compacted now.
    pub fn needs_compaction(&self) -> Result<bool, LiveError> {
        let CompactionPolicy { settings, context_window } = self.options.compaction;
        let Some(window) = context_window.filter(|_| settings.enabled) else { return Ok(false) };
        let path = self.session.active_path();
        let is_due = self.busy.is_none()
            && self.options.summarizer.is_some()
            && path.last().is_some_and(|leaf| leaf.kind() != EntryKind::Compaction)
            && is_turn_over(&path)?;
        if !is_due {
            return Ok(false);
        }
        let tokens = self.session.context_estimate()?.tokens;
        Ok(settings.should_compact(tokens, window))
    }

    fn compact_because(
        &mut self,
        reason: CompactionReason,
        instructions: Option<&str>,
        cancel: &Cancel,
    ) -> Result<CompactionResult, LiveError> {
        let pending = self.begin_compaction(reason, instructions, cancel)?;
        let text = match (&pending.given, self.options.summarizer.clone()) {
            (Some(given), _) => Ok(given.clone()),
            (None, Some(summarizer)) => pending.summarize(&*summarizer, cancel),
            (None, None) => return Err(self.give_up(reason, LiveError::NoSummarizer, false)),
        };
        self.finish_compaction(pending, text)
    }

    /// The first step: decides what to summarise and asks the observers. Until
    /// [`Self::finish_compaction`], whether with a text or an error, the session is busy.
    pub fn begin_compaction(
        &mut self,
        reason: CompactionReason,
        instructions: Option<&str>,
        cancel: &Cancel,
    ) -> Result<PendingCompaction, LiveError> {
        if self.busy.is_some() {
            return Err(LiveError::Busy("compacting the session"));
        }
        self.go_by_session();
        self.show(&Notice::CompactionStart { reason });
        match self.prepared(reason, instructions, cancel) {
            Ok(pending) => {
                self.busy = Some(Busy::Compacting);
                Ok(pending)
            }
            Err(error) => Err(self.give_up(reason, error, false)),
        }
    }

    fn prepared(
        &mut self,
        reason: CompactionReason,
        instructions: Option<&str>,
        cancel: &Cancel,
    ) -> Result<PendingCompaction, LiveError> {
        let preparation = self.session.prepare_compaction(&self.options.compaction.settings)?;
        let mut given = None;
        if self.want(EventKind::SessionBeforeCompact) {
            let event = SessionEvent::BeforeCompact {
                preparation: preparation.to_value(),
                branch_entries: entry_values(&self.session.active_path())?,
                custom_instructions: instructions.map(JsString::from),
                reason,
                will_retry: false,
            };
            let reply = self.ask(&event, cancel).unwrap_or_default();
            if reply.cancel || cancel.is_cancelled() {
                return Err(LiveError::CompactionCancelled);
            }
            given = reply.compaction.map(|given| completed(given, &preparation));
        }
        Ok(PendingCompaction {
            preparation,
            instructions: instructions.map(str::to_owned),
            given,
            reason,
            leaf_id: self.session.leaf_id().map(str::to_owned),
        })
    }

    /// The last step: writes the compaction and tells everybody.
    pub fn finish_compaction(
        &mut self,
        pending: PendingCompaction,
        text: Result<NewCompaction, SummaryError>,
    ) -> Result<CompactionResult, LiveError> {
        self.busy = None;
        let PendingCompaction { given, reason, leaf_id, .. } = pending;
        let from_extension = given.is_some();
        let written = match text {
            Ok(_) if self.session.leaf_id() != leaf_id.as_deref() => Err(LiveError::Moved),
            Ok(text) => {
                self.session.append_compaction_result(text, from_extension).map_err(LiveError::from)
            }
            Err(SummaryError::Cancelled) => Err(LiveError::CompactionCancelled),
            Err(error) => Err(error.into()),
        };
        let written = written.and_then(|result| {
            let entry = self.session.require(&result.appended.id)?.value()?;
            Ok((result, entry))
        });
        let (result, compaction_entry) =
            written.map_err(|error| self.give_up(reason, error, from_extension))?;
        self.tell(&SessionEvent::Compact {
            compaction_entry,
            from_extension,
            reason,
            will_retry: false,
        });
        self.show(&Notice::CompactionEnd {
            reason,
            result: Some(result.to_value()),
            aborted: false,
            will_retry: false,
            error_message: None,
        });
        Ok(result)
    }

    /// Tells everybody that there is no compaction.
    fn give_up(
        &mut self,
        reason: CompactionReason,
        error: LiveError,
        from_extension: bool,
    ) -> LiveError {
        self.busy = None;
        let aborted = matches!(error, LiveError::CompactionCancelled);
        let words = match reason {
            CompactionReason::Manual => "Compaction failed",
            _ => "Auto-compaction failed",
        };
        let error_message = (!aborted).then(|| format!("{words}: {error}"));
        self.show(&Notice::CompactionEnd {
            reason,
            result: None,
            aborted,
            will_retry: false,
            error_message: error_message.clone(),
        });
        self.tell(&SessionEvent::CompactFailed {
            reason,
            error_message,
            aborted,
            will_retry: false,
            from_extension,
        });
        error
    }
}

/// A compaction that an observer gave, with what it left out taken from the preparation.
fn completed(given: GivenCompaction, preparation: &Preparation) -> NewCompaction {
    let prepared = || Some(JsString::from(preparation.first_kept_entry_id.as_str()));
    NewCompaction {
        summary: given.summary,
        first_kept_entry_id: given.first_kept_entry_id.unwrap_or_else(prepared),
        tokens_before: given.tokens_before.unwrap_or(preparation.tokens_before),
        usage: given.usage,
        details: given.details,
        from_hook: None,
    }
}

/// Whether the conversation stands between turns or at least between a tool's result and the next
/// answer. A compaction between a call and its result would part them.
fn is_turn_over(path: &[pitree_session::EntryRef<'_>]) -> Result<bool, LiveError> {
    let last_answer = path.iter().rposition(|entry| entry.is_message(Role::Assistant));
    let Some(at) = last_answer else { return Ok(false) };
    let answer = path[at].message()?.unwrap_or(Value::Null);
    if answer.get_string("stopReason").is_some_and(|reason| *reason == "aborted") {
        return Ok(false);
    }
    let blocks = answer.get("content").and_then(Value::as_array).unwrap_or_default();
    let mut open: Vec<&JsString> = blocks
        .iter()
        .filter(|block| is_type(block, "toolCall"))
        .filter_map(|block| block.get_string("id"))
        .collect();
    for entry in path[at + 1..].iter().filter(|entry| entry.is_message(Role::ToolResult)) {
        let result = entry.message()?.unwrap_or(Value::Null);
        open.retain(|id| result.get_string("toolCallId") != Some(*id));
    }
    Ok(open.is_empty())
}
