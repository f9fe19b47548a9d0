//! Moving the leaf, with or without a summary of the branch that is left.

use crate::events::{BeforeReply, EventKind, SessionEvent};
use pitree_format::{JsString, Object, Value};
use pitree_session::NewBranchSummary;
use pitree_session::compaction::{BranchMessages, NavigateOptions, Navigated, Navigation};
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use super::{Busy, LiveError, LiveSession};

/// What became of a move. The members are those of Pi's `navigateTree`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// Whether an observer or the user cancelled it; then all is as it was.
    pub cancelled: bool,
    /// Whether it was the user, while the summary was written.
    pub aborted: bool,
    /// Where the session stands now.
    pub leaf_id: Option<String>,
    /// The text of the target, to edit and resend.
    pub editor_text: Option<JsString>,
    /// The `branch_summary` entry, if one was written.
    pub summary_entry: Option<Value>,
    /// The entry that the next message follows; none for the beginning.
    pub resume_point: Option<String>,
    /// Whether a summary or a label was written, so that the place is found again.
    pub is_stored: bool,
}

impl Moved {
    /// The shape of Pi's answer, with the new leaf beside it.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with_some("editorText", self.editor_text.clone())
            .with("cancelled", self.cancelled)
            .with_some("aborted", self.aborted.then_some(true))
            .with_some("summaryEntry", self.summary_entry.clone())
            .with("leafId", self.leaf_id.as_deref())
            .into()
    }
}

/// What comes of asking the observers about a move.
#[derive(Debug)]
pub enum BegunMove {
    /// The session stands there, or an observer cancelled.
    Done(Moved),
    /// To be finished by [`LiveSession::finish_navigation`].
    Ready(Box<PendingMove>),
}

/// A move that the observers let pass. It needs no session to wait for the summary.
#[derive(Debug)]
pub struct PendingMove {
    navigation: Navigation,
    /// What to summarise; none if no summary is wanted or an observer gave one.
    messages: Option<BranchMessages>,
    given: Option<NewBranchSummary>,
}

impl PendingMove {
    /// Whether somebody must write a summary.
    pub fn needs_summary(&self) -> bool {
        self.messages.is_some()
    }

    /// The summary that an observer gave.
    pub fn given(&self) -> Option<NewBranchSummary> {
        self.given.clone()
    }

    /// The text of the summary, if there shall be one.
    pub fn summarize(
        &self,
        summarizer: &dyn Summarizer,
        cancel: &Cancel,
    ) -> Result<Option<NewBranchSummary>, SummaryError> {
        let Some(messages) = &self.messages else { return Ok(self.given.clone()) };
        let options = &self.navigation.options;
        let replaces = options.replace_instructions.unwrap_or(false);
        let instructions = options.custom_instructions.as_deref();
        messages.summarize(instructions, replaces, summarizer, cancel).map(Some)
    }
}

impl LiveSession {
    /// Moves the leaf to an entry: to its parent if it is a message of the user or an extension,
    /// whose text comes back to edit and resend. As in Pi the place is remembered in memory only,
    /// unless a summary or a label is written.
    pub fn navigate_tree(
        &mut self,
        target_id: &str,
        options: NavigateOptions,
        cancel: &Cancel,
    ) -> Result<Moved, LiveError> {
        let pending = match self.begin_navigation(target_id, options, cancel)? {
            BegunMove::Done(moved) => return Ok(moved),
            BegunMove::Ready(pending) => pending,
        };
        let text = match (pending.needs_summary(), self.options.summarizer.clone()) {
            (false, _) => Ok(pending.given()),
            (true, Some(summarizer)) => pending.summarize(&*summarizer, cancel),
            (true, None) => {
                self.busy = None;
                return Err(LiveError::NoSummarizer);
            }
        };
        self.finish_navigation(&pending, text)
    }

    /// The first step: looks the target up and asks the observers. Until
    /// [`Self::finish_navigation`], whether with a text or an error, the session is busy.
    pub fn begin_navigation(
        &mut self,
        target_id: &str,
        options: NavigateOptions,
        cancel: &Cancel,
    ) -> Result<BegunMove, LiveError> {
        if self.busy.is_some() {
            return Err(LiveError::Busy("navigating the session tree"));
        }
        self.go_by_session();
        let wants_summary = options.summarize;
        let Some(mut navigation) = self.session.prepare_navigation(target_id, options)? else {
            return Ok(BegunMove::Done(self.stays(false)));
        };
        let mut given = None;
        if self.want(EventKind::SessionBeforeTree) {
            let preparation = navigation.to_value(&self.session)?;
            let event = SessionEvent::BeforeTree { preparation, wants_summary };
            let reply = self.ask(&event, cancel).unwrap_or_default();
            if reply.cancel {
                return Ok(BegunMove::Done(self.stays(true)));
            }
            if cancel.is_cancelled() {
                return Ok(BegunMove::Done(Moved { aborted: true, ..self.stays(true) }));
            }
            given = take_in(&mut navigation, reply);
        }
        let needs_summary = given.is_none() && navigation.needs_summary();
        let messages = needs_summary.then(|| navigation.messages(&self.session)).transpose()?;
        self.busy = Some(Busy::Navigating);
        Ok(BegunMove::Ready(Box::new(PendingMove { navigation, messages, given })))
    }

    /// The last step: moves, writes the summary and the label, and tells everybody. Without a
    /// summary that was wanted nothing is done.
    pub fn finish_navigation(
        &mut self,
        pending: &PendingMove,
        text: Result<Option<NewBranchSummary>, SummaryError>,
    ) -> Result<Moved, LiveError> {
        self.busy = None;
        let text = match text {
            Err(SummaryError::Cancelled) => {
                return Ok(Moved { aborted: true, ..self.stays(true) });
            }
            other => other?,
        };
        let from_extension = pending.given.is_some();
        let Navigated {
            summary, label, editor_text, new_leaf_id, old_leaf_id, resume_point, ..
        } = self.session.finish_navigation(&pending.navigation, text, from_extension)?;
        let summary_entry = match &summary {
            Some(appended) => Some(self.session.require(&appended.id)?.value()?),
            None => None,
        };
        self.tell(&SessionEvent::Tree {
            new_leaf_id: new_leaf_id.clone(),
            old_leaf_id,
            from_extension: summary_entry.as_ref().map(|_| from_extension),
            summary_entry: summary_entry.clone(),
        });
        Ok(Moved {
            cancelled: false,
            aborted: false,
            leaf_id: new_leaf_id,
            editor_text,
            resume_point,
            is_stored: summary_entry.is_some() || label.is_some(),
            summary_entry,
        })
    }

    fn stays(&self, cancelled: bool) -> Moved {
        let leaf_id = self.session.leaf_id().map(str::to_owned);
        Moved { cancelled, leaf_id, ..Moved::default() }
    }
}

/// Takes an answer's instructions and label over, and gives back its summary if one is wanted.
fn take_in(navigation: &mut Navigation, reply: BeforeReply) -> Option<NewBranchSummary> {
    let options = &mut navigation.options;
    let text = |text: JsString| text.to_text().into_owned();
    if let Some(instructions) = reply.custom_instructions {
        options.custom_instructions = Some(text(instructions)).filter(|text| !text.is_empty());
    }
    if let Some(replace) = reply.replace_instructions {
        options.replace_instructions = Some(replace);
    }
    if let Some(label) = reply.label {
        options.label = Some(text(label)).filter(|label| !label.is_empty());
    }
    reply.summary.filter(|_| options.summarize)
}
