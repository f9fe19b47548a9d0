//! Moving to another entry, with a summary of the branch that is left if that is wished.

use pitree_format::draft::NewBranchSummary;
use pitree_format::message::content_text;
use pitree_format::{EntryKind, JsString, Object, Role, Value};

use super::branch::{BranchMessages, collect_entries_for_branch_summary, prepare_branch_entries};
use super::{ASSUMED_CONTEXT_WINDOW, CompactionError, DEFAULT_RESERVE_TOKENS};
use crate::error::{Result, SessionError};
use crate::session::{EntryRef, Session};
use crate::summary::{Cancel, Summarizer};
use crate::write::Appended;

/// How to move. Pi's options of `navigateTree`, and what it knows of the model and the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavigateOptions {
    /// Whether to summarize the abandoned branch.
    pub summarize: bool,
    /// What the summary shall look at in particular.
    pub custom_instructions: Option<String>,
    /// Whether `custom_instructions` stand in place of the usual ones.
    pub replace_instructions: Option<bool>,
    /// A label for the summary, or for the target if there is no summary.
    pub label: Option<String>,
    /// The context window of the model that writes the summary, if it is known.
    pub context_window: Option<u64>,
    /// How much of it must stay free. Pi's setting `branchSummary.reserveTokens`.
    pub reserve_tokens: u64,
}

impl Default for NavigateOptions {
    fn default() -> Self {
        Self {
            summarize: false,
            custom_instructions: None,
            replace_instructions: None,
            label: None,
            context_window: None,
            reserve_tokens: DEFAULT_RESERVE_TOKENS,
        }
    }
}

impl NavigateOptions {
    /// How many tokens of a branch are summarised; zero or less is all of it.
    fn token_budget(&self) -> i64 {
        let window = self.context_window.filter(|window| *window > 0);
        let window = window.unwrap_or(ASSUMED_CONTEXT_WINDOW);
        let whole = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        whole(window).saturating_sub(whole(self.reserve_tokens))
    }
}

/// A move that has not happened yet. Pi's `TreePreparation`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Navigation {
    /// Where to go.
    pub target_id: String,
    /// Where the session stands; `None` before its first entry.
    pub old_leaf_id: Option<String>,
    /// The last entry that both paths share.
    pub common_ancestor_id: Option<String>,
    /// The entries that are left, by their place in the file, oldest first.
    pub entries_to_summarize: Vec<usize>,
    /// How to move. Whoever steps in may change instructions and label.
    pub options: NavigateOptions,
}

/// A move that has happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Navigated {
    /// Whether the session stands elsewhere now.
    pub moved: bool,
    /// Where the session stood.
    pub old_leaf_id: Option<String>,
    /// The entry from which the conversation goes on; `None` is before the first one.
    pub resume_point: Option<String>,
    /// The leaf now: the summary or the label, if one was written, else `resume_point`.
    pub new_leaf_id: Option<String>,
    /// The text of the target, to edit and resend, if it is a message of the user or an extension.
    pub editor_text: Option<JsString>,
    /// The summary that was written.
    pub summary: Option<Appended>,
    /// The label that was written.
    pub label: Option<Appended>,
    /// Whether the summary came from an extension.
    pub from_extension: bool,
}

impl Session {
    /// Moves to another entry. Without a summary and a label nothing is written, and the place is
    /// remembered in memory only, as in Pi. Pi's `AgentSession.navigateTree`.
    pub fn navigate(
        &mut self,
        target_id: &str,
        options: NavigateOptions,
        summarizer: Option<&dyn Summarizer>,
        cancel: &Cancel,
    ) -> Result<Navigated, CompactionError> {
        let Some(navigation) = self.prepare_navigation(target_id, options)? else {
            let leaf = self.leaf_id().map(str::to_owned);
            return Ok(Navigated {
                old_leaf_id: leaf.clone(),
                resume_point: leaf.clone(),
                new_leaf_id: leaf,
                ..Navigated::default()
            });
        };
        let text = match (navigation.needs_summary(), summarizer) {
            (false, _) => None,
            (true, Some(summarizer)) => Some(navigation.summarize(self, summarizer, cancel)?),
            (true, None) => {
                let problem = "No model available for summarization".to_owned();
                return Err(SessionError::Refused(problem).into());
            }
        };
        Ok(self.finish_navigation(&navigation, text, false)?)
    }

    /// Collects what moving to an entry leaves behind; `None` if the session stands there.
    pub fn prepare_navigation(
        &self,
        target_id: &str,
        options: NavigateOptions,
    ) -> Result<Option<Navigation>> {
        if Some(target_id) == self.leaf_id() {
            return Ok(None);
        }
        let target = self.require(target_id)?;
        let old_leaf = self.leaf().map(|leaf| leaf.index());
        let left = collect_entries_for_branch_summary(self, old_leaf, target.index());
        Ok(Some(Navigation {
            target_id: target_id.to_owned(),
            old_leaf_id: self.leaf_id().map(str::to_owned),
            common_ancestor_id: left.common_ancestor.map(|entry| entry.id().to_owned()),
            entries_to_summarize: left.entries.iter().map(EntryRef::index).collect(),
            options,
        }))
    }

    /// Moves, and writes the summary and the label.
    pub fn finish_navigation(
        &mut self,
        navigation: &Navigation,
        summary: Option<NewBranchSummary>,
        from_extension: bool,
    ) -> Result<Navigated> {
        let summary = summary.filter(|new| !new.summary.is_empty());
        let (stand, editor_text) = place_to_stand(self.require(&navigation.target_id)?)?;
        let summary = match summary {
            Some(mut new) => {
                new.from_hook = Some(from_extension);
                Some(self.branch_unless_continued(stand.as_deref(), new)?)
            }
            None => {
                match &stand {
                    Some(id) => self.branch(id)?,
                    None => self.reset_leaf(),
                }
                None
            }
        };
        let label = navigation.options.label.as_deref().filter(|label| !label.is_empty());
        let labelled = summary.as_ref().map_or(&navigation.target_id, |summary| &summary.id);
        let label = label.map(|label| self.append_label(labelled, Some(label)));
        Ok(Navigated {
            moved: true,
            old_leaf_id: navigation.old_leaf_id.clone(),
            resume_point: stand,
            label: label.transpose()?,
            new_leaf_id: self.leaf_id().map(str::to_owned),
            editor_text,
            from_extension: from_extension && summary.is_some(),
            summary,
        })
    }
}

impl Navigation {
    /// Whether a summary is wished and there is something to summarise.
    pub fn needs_summary(&self) -> bool {
        self.options.summarize && !self.entries_to_summarize.is_empty()
    }

    /// The messages to summarise, within the budget.
    pub fn messages(&self, session: &Session) -> Result<BranchMessages> {
        prepare_branch_entries(&self.entries(session), self.options.token_budget())
    }

    /// Asks for the summary of the branch that is left.
    pub fn summarize(
        &self,
        session: &Session,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<NewBranchSummary, CompactionError> {
        let instructions = self.options.custom_instructions.as_deref();
        let replaces = self.options.replace_instructions.unwrap_or(false);
        let messages = self.messages(session)?;
        Ok(messages.summarize(instructions, replaces, summarizer, cancel)?)
    }

    /// The shape of `preparation` in the event `session_before_tree`.
    pub fn to_value(&self, session: &Session) -> Result<Value> {
        let entries: Result<Vec<Value>, _> =
            self.entries(session).iter().map(EntryRef::value).collect();
        let options = &self.options;
        Ok(Object::new()
            .with("targetId", self.target_id.as_str())
            .with("oldLeafId", self.old_leaf_id.clone())
            .with("commonAncestorId", self.common_ancestor_id.clone())
            .with("entriesToSummarize", entries?)
            .with("userWantsSummary", options.summarize)
            .with_some("customInstructions", options.custom_instructions.clone())
            .with_some("replaceInstructions", options.replace_instructions)
            .with_some("label", options.label.clone())
            .into())
    }

    fn entries<'s>(&self, session: &'s Session) -> Vec<EntryRef<'s>> {
        self.entries_to_summarize.iter().filter_map(|&at| session.at(at)).collect()
    }
}

/// Where the session stands after moving to an entry, and the text to edit and resend. Pi's rule: a
/// message of the user or an extension is said anew, so the place is its parent; any other entry
/// is the place itself.
pub fn place_to_stand(target: EntryRef<'_>) -> Result<(Option<String>, Option<JsString>)> {
    let content = if target.is_message(Role::User) {
        target.message()?.unwrap_or(Value::Null).get("content").cloned()
    } else if target.kind() == EntryKind::CustomMessage {
        target.value()?.get("content").cloned()
    } else {
        return Ok((Some(target.id().to_owned()), None));
    };
    let parent = target.parent().map(|parent| parent.id().to_owned());
    Ok((parent, Some(content_text(content.as_ref(), ""))))
}
