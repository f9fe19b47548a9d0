//! What a compaction summarises and what it keeps.

use pitree_format::draft::NewCompaction;
use pitree_format::entry::Compaction;
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, JsString, Object, Role, Value};

use super::cut::find_projected_cut_point;
use super::files::FileOperations;
use super::serialize::serialize_conversation;
use super::{CompactionError, CompactionSettings, NothingToCompact, combine_usage, prompts};
use crate::context::{Projected, estimate_projected_context, estimate_tokens};
use crate::session::Session;
use crate::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};

/// Stands for the history when a split turn is the first one.
const NO_HISTORY: &str = "No prior history.";
/// Between the summary of the history and that of the split turn's beginning.
const TURN_SEPARATOR: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";

/// A compaction that is ready to be summarised. Pi's `CompactionPreparation`.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// The first entry that is kept.
    pub first_kept_entry_id: String,
    /// The messages before the kept part, and before the turn that is split.
    pub messages_to_summarize: Vec<Value>,
    /// The messages of the split turn that are not kept.
    pub turn_prefix_messages: Vec<Value>,
    /// Whether the cut goes through a turn.
    pub is_split_turn: bool,
    /// How many tokens the context has now.
    pub tokens_before: f64,
    /// The summary of the compaction before, which is to be brought up to date.
    pub previous_summary: Option<JsString>,
    /// The files that were read and changed in what is summarised.
    pub file_operations: FileOperations,
    /// The settings it was made with.
    pub settings: CompactionSettings,
    /// The entries that `messages_to_summarize` come from.
    pub summarized_entries: Vec<WeighedEntry>,
    /// The entries that `turn_prefix_messages` come from.
    pub turn_prefix_entries: Vec<WeighedEntry>,
    /// The entries of the context that stay, those without messages too.
    pub kept_entries: Vec<WeighedEntry>,
}

/// An entry and how much of the context it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighedEntry {
    /// Its place in the file.
    pub index: usize,
    /// The estimate of its messages.
    pub tokens: usize,
}

impl WeighedEntry {
    fn of(seen: &Projected<'_>) -> Self {
        let tokens = seen.messages.iter().map(estimate_tokens).sum();
        Self { index: seen.entry.index(), tokens }
    }
}

impl Session {
    /// Decides what a compaction at the leaf summarises and what it keeps, or says why there is
    /// nothing to compact. Pi's `prepareCompaction`.
    pub fn prepare_compaction(
        &self,
        settings: &CompactionSettings,
    ) -> Result<Preparation, CompactionError> {
        if self.leaf().is_some_and(|leaf| leaf.kind() == EntryKind::Compaction) {
            return Err(NothingToCompact::AlreadyCompacted.into());
        }
        let projection = self.projection()?;
        let tokens_before = estimate_projected_context(&projection, &self.active_path()).tokens;
        let mut entries = projection.entries;
        let previous = entries.iter().position(|seen| {
            seen.entry.kind() == EntryKind::Compaction && !seen.messages.is_empty()
        });
        let start = previous.map_or(0, |at| at + 1);
        let cut = find_projected_cut_point(&entries, start, settings.keep_recent_tokens)?;
        let Some(first_kept) = entries.get(cut.first_kept).map(|seen| seen.entry) else {
            return Err(NothingToCompact::TooSmall.into());
        };
        // An id that only we made up would say nothing to another reader of the file. Old
        // versions get their ids written when the file is brought up to date.
        if first_kept.has_made_up_id() && self.source_version() == SourceVersion::Current {
            return Err(NothingToCompact::TooSmall.into());
        }
        let previous_entry = previous.map(|at| entries[at].entry.value()).transpose()?;
        let history_end = cut.turn_start.unwrap_or(cut.first_kept);
        let (summarized_entries, messages_to_summarize) =
            take_messages(&mut entries[start..history_end]);
        let (turn_prefix_entries, turn_prefix_messages) =
            take_messages(&mut entries[history_end..cut.first_kept]);
        if messages_to_summarize.is_empty() && turn_prefix_messages.is_empty() {
            return Err(NothingToCompact::TooSmall.into());
        }
        let mut file_operations = FileOperations::default();
        if let Some(previous) = previous_entry.as_ref().map(Compaction::decode) {
            file_operations.add_summary(previous.details.as_ref(), previous.from_hook);
        }
        messages_to_summarize
            .iter()
            .chain(&turn_prefix_messages)
            .for_each(|message| file_operations.add_message(message));
        Ok(Preparation {
            first_kept_entry_id: first_kept.id().to_owned(),
            messages_to_summarize,
            turn_prefix_messages,
            is_split_turn: cut.turn_start.is_some(),
            tokens_before,
            previous_summary: previous_entry.and_then(|e| e.get_string("summary").cloned()),
            file_operations,
            settings: *settings,
            summarized_entries,
            turn_prefix_entries,
            kept_entries: entries[cut.first_kept..].iter().map(WeighedEntry::of).collect(),
        })
    }
}

/// The messages of some entries and where they come from. System messages are left out: the
/// compaction carries the prompt as it stands.
fn take_messages(entries: &mut [Projected<'_>]) -> (Vec<WeighedEntry>, Vec<Value>) {
    let mut weighed = Vec::with_capacity(entries.len());
    let mut messages = Vec::with_capacity(entries.len());
    for seen in entries {
        if seen.entry.kind() == EntryKind::Compaction {
            continue;
        }
        seen.messages.retain(|message| Role::of(message) != Role::System);
        if !seen.messages.is_empty() {
            weighed.push(WeighedEntry::of(seen));
            messages.append(&mut seen.messages);
        }
    }
    (weighed, messages)
}

impl Preparation {
    /// The question about the history; `None` if only the beginning of a turn is summarised.
    pub fn history_request(&self, instructions: Option<&str>) -> Option<SummaryRequest> {
        let needs_history = !self.messages_to_summarize.is_empty() || !self.splits();
        needs_history.then(|| {
            let conversation = serialize_conversation(&self.messages_to_summarize);
            let previous = self.previous_summary.as_ref().map(JsString::to_text);
            prompts::history(&conversation, previous.as_deref(), instructions)
        })
    }

    /// The question about the beginning of the split turn, if there is one.
    pub fn turn_prefix_request(&self, instructions: Option<&str>) -> Option<SummaryRequest> {
        self.splits().then(|| {
            let conversation = serialize_conversation(&self.turn_prefix_messages);
            prompts::turn_prefix(&conversation, instructions)
        })
    }

    fn splits(&self) -> bool {
        self.is_split_turn && !self.turn_prefix_messages.is_empty()
    }

    /// Asks for the summary: once, or twice if a turn is split.
    pub fn summarize(
        &self,
        instructions: Option<&str>,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<NewCompaction, SummaryError> {
        let history = self.history_request(instructions);
        let history = history.map(|request| ask(summarizer, &request, cancel)).transpose()?;
        let prefix = self.turn_prefix_request(instructions);
        let prefix = prefix.map(|request| ask(summarizer, &request, cancel)).transpose()?;
        Ok(self.text(history, prefix))
    }

    /// Puts the answers together: history, beginning of the turn, files.
    pub fn text(
        &self,
        history: Option<SummaryReply>,
        turn_prefix: Option<SummaryReply>,
    ) -> NewCompaction {
        let history_usage = history.as_ref().and_then(|reply| reply.usage.clone());
        let mut summary = match (history, &self.previous_summary) {
            (Some(reply), _) => JsString::from(reply.text),
            (None, Some(previous)) => previous.clone(),
            (None, None) => NO_HISTORY.into(),
        };
        let mut usage = history_usage;
        if let Some(reply) = turn_prefix {
            summary.push_str(TURN_SEPARATOR);
            summary.push_str(&reply.text);
            usage = match (usage, reply.usage) {
                (Some(history), Some(prefix)) => Some(combine_usage(&history, &prefix)),
                (one, other) => other.or(one),
            };
        }
        summary.push(&self.file_operations.as_text());
        NewCompaction {
            summary,
            first_kept_entry_id: Some(self.first_kept_entry_id.as_str().into()),
            tokens_before: self.tokens_before,
            usage,
            details: Some(self.file_operations.details()),
            from_hook: None,
        }
    }

    /// The shape of `preparation` in the event `session_before_compact`; sets are lists.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("firstKeptEntryId", self.first_kept_entry_id.as_str())
            .with("messagesToSummarize", self.messages_to_summarize.clone())
            .with("turnPrefixMessages", self.turn_prefix_messages.clone())
            .with("isSplitTurn", self.is_split_turn)
            .with("tokensBefore", self.tokens_before)
            .with_some("previousSummary", self.previous_summary.clone())
            .with("fileOps", self.file_operations.to_value())
            .with("settings", self.settings.to_value())
            .into()
    }
}

/// Asks, and holds the summarizer to its promises.
pub(super) fn ask(
    summarizer: &dyn Summarizer,
    request: &SummaryRequest,
    cancel: &Cancel,
) -> Result<SummaryReply, SummaryError> {
    if cancel.is_cancelled() {
        return Err(SummaryError::Cancelled);
    }
    let reply = summarizer.summarize(request, cancel)?;
    // An answer that came in spite of the cancelling is not wanted any more.
    if cancel.is_cancelled() {
        return Err(SummaryError::Cancelled);
    }
    if reply.text.trim().is_empty() {
        return Err(SummaryError::Empty);
    }
    Ok(reply)
}
