//! What is summarised when the user leaves a branch.

use std::collections::{HashMap, HashSet};

use pitree_format::draft::NewBranchSummary;
use pitree_format::entry::BranchSummary;
use pitree_format::{EntryKind, JsString, Object, Role, Value};

use super::files::FileOperations;
use super::prepare::ask;
use super::prompts;
use super::serialize::serialize_conversation;
use crate::context::{branch_summary_message, context_messages, edited, estimate_tokens};
use crate::error::Result;
use crate::session::{EntryRef, Session};
use crate::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};

/// What is stored when a branch holds no message.
pub const NO_CONTENT: &str = "No content to summarize";

/// Pi puts this before every summary of a branch.
const PREAMBLE: &str = "The user explored a different conversation branch before returning here.\n\
                        Summary of that exploration:\n\n";

/// The part of the budget below which an earlier summary is taken although it does not fit.
const ROOM_FOR_SUMMARIES: f64 = 0.9;

/// The entries that are left when the leaf moves.
#[derive(Clone, Debug)]
pub struct BranchEntries<'s> {
    /// The entries, oldest first.
    pub entries: Vec<EntryRef<'s>>,
    /// The last entry that the old and the new path share.
    pub common_ancestor: Option<EntryRef<'s>>,
}

/// Collects what is left behind when the leaf moves from one entry to another: everything below
/// the last entry that both paths share, compactions too. Pi's `collectEntriesForBranchSummary`.
pub fn collect_entries_for_branch_summary(
    session: &Session,
    old_leaf: Option<usize>,
    target: usize,
) -> BranchEntries<'_> {
    let Some(old_leaf) = old_leaf else {
        return BranchEntries { entries: Vec::new(), common_ancestor: None };
    };
    let old_path: HashSet<usize> = session.ancestors(old_leaf).collect();
    let common = session.ancestors(target).find(|at| old_path.contains(at));
    let mut entries: Vec<_> = session
        .ancestors(old_leaf)
        .take_while(|at| Some(*at) != common)
        .map(|at| EntryRef::new(session, at))
        .collect();
    entries.reverse();
    BranchEntries { entries, common_ancestor: common.map(|at| EntryRef::new(session, at)) }
}

/// The messages of a branch that fit into the budget. Pi's `BranchPreparation`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BranchMessages {
    /// The messages, oldest first.
    pub messages: Vec<Value>,
    /// The files that were read and changed.
    pub file_operations: FileOperations,
    /// How many tokens the messages have.
    pub total_tokens: usize,
}

/// Takes the messages of a branch from its end until the budget is used up; a budget of zero or
/// less takes all. Pi's `prepareBranchEntries`.
pub fn prepare_branch_entries(
    entries: &[EntryRef<'_>],
    token_budget: i64,
) -> Result<BranchMessages> {
    let mut prepared = BranchMessages::default();
    let mut edits: HashMap<String, Value> = HashMap::new();
    for entry in entries {
        match entry.kind() {
            EntryKind::BranchSummary => {
                let summary = BranchSummary::decode(&entry.value()?);
                prepared.file_operations.add_summary(summary.details.as_ref(), summary.from_hook);
            }
            EntryKind::ContextEdit => {
                let value = entry.value()?;
                if let Some(target) = value.get_string("targetId")
                    && let Some(replacement) = value.get("replacement")
                {
                    edits.insert(target.to_text().into_owned(), replacement.clone());
                }
            }
            _ => {}
        }
    }
    for entry in entries.iter().rev() {
        let Some(message) = branch_message(*entry, edits.get(entry.id()))? else { continue };
        prepared.file_operations.add_message(&message);
        let tokens = estimate_tokens(&message);
        let total = prepared.total_tokens + tokens;
        let fits = token_budget <= 0 || total as i64 <= token_budget;
        let is_summary = matches!(entry.kind(), EntryKind::Compaction | EntryKind::BranchSummary);
        let has_room = (prepared.total_tokens as f64) < token_budget as f64 * ROOM_FOR_SUMMARIES;
        if fits || (is_summary && has_room) {
            prepared.messages.push(message);
            prepared.total_tokens = total;
        }
        if !fits {
            break;
        }
    }
    prepared.messages.reverse();
    Ok(prepared)
}

/// The message that an entry gives to a summary. Tool results give none: their call says enough.
fn branch_message(entry: EntryRef<'_>, edit: Option<&Value>) -> Result<Option<Value>> {
    let kind = entry.kind();
    match kind {
        EntryKind::Message if entry.role() == Role::ToolResult => Ok(None),
        EntryKind::Message | EntryKind::CustomMessage => {
            let messages = context_messages(kind, entry.value()?);
            let messages = match edit {
                Some(replacement) => edited(messages, replacement),
                None => messages,
            };
            Ok(messages.into_iter().next())
        }
        // An empty summary counts here, unlike in the context.
        EntryKind::BranchSummary => Ok(Some(branch_summary_message(&entry.value()?))),
        // The prompt that a compaction carries comes before its summary.
        EntryKind::Compaction => Ok(context_messages(kind, entry.value()?).pop()),
        _ => Ok(None),
    }
}

impl BranchMessages {
    /// The question about the branch; `None` if it holds no message.
    pub fn request(&self, instructions: Option<&str>, replaces: bool) -> Option<SummaryRequest> {
        (!self.messages.is_empty()).then(|| {
            let conversation = serialize_conversation(&self.messages);
            prompts::branch(&conversation, instructions, replaces)
        })
    }

    /// Asks for the summary. A branch without messages is not asked about.
    pub fn summarize(
        &self,
        instructions: Option<&str>,
        replaces: bool,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<NewBranchSummary, SummaryError> {
        let request = self.request(instructions, replaces);
        let reply = request.map(|request| ask(summarizer, &request, cancel)).transpose()?;
        Ok(self.text(reply))
    }

    /// Puts the answer together with the files.
    pub fn text(&self, reply: Option<SummaryReply>) -> NewBranchSummary {
        let Some(reply) = reply else {
            let nothing: Vec<Value> = Vec::new();
            let details =
                Object::new().with("readFiles", nothing.clone()).with("modifiedFiles", nothing);
            let (summary, details) = (NO_CONTENT.into(), Some(details.into()));
            return NewBranchSummary { summary, details, ..NewBranchSummary::default() };
        };
        let mut summary = JsString::from(PREAMBLE);
        summary.push_str(&reply.text);
        summary.push(&self.file_operations.as_text());
        NewBranchSummary {
            summary,
            details: Some(self.file_operations.details()),
            usage: reply.usage,
            from_hook: None,
        }
    }
}
