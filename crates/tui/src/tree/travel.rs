//! The way to another entry: the question about a summary, whoever writes it, the move itself.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use pitree_host::live::{BegunMove, LiveError, LiveSession, Moved, PendingMove};
use pitree_host::models::Models;
use pitree_host::settings::Settings;
use pitree_session::compaction::{BranchText, NavigateOptions};
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use crate::desk::Desk;
use crate::wake::Waker;

/// What becomes of the branch that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    NoSummary,
    Summarize,
    /// Summarise by the user's instructions.
    WithInstructions,
    /// The user writes the summary.
    WriteIt,
}

impl Choice {
    /// What can be chosen, depending on whether there is somebody who writes summaries.
    pub(super) fn all(has_summarizer: bool) -> &'static [Self] {
        if has_summarizer {
            &[Self::NoSummary, Self::Summarize, Self::WithInstructions]
        } else {
            &[Self::NoSummary, Self::WriteIt]
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NoSummary => "No summary",
            Self::Summarize => "Summarize",
            Self::WithInstructions => "Summarize with your own instructions",
            Self::WriteIt => "Write the summary yourself",
        }
    }

    /// What is asked for, if the choice needs a text.
    pub(super) fn prompt(self) -> Option<&'static str> {
        match self {
            Self::NoSummary | Self::Summarize => None,
            Self::WithInstructions => Some("What shall the summary look at?"),
            Self::WriteIt => Some("What shall be known of the branch you leave?"),
        }
    }
}

/// A move that was decided on.
#[derive(Clone, Debug)]
pub(super) struct Travel {
    pub(super) target_id: String,
    pub(super) choice: Choice,
    /// Instructions, or the summary itself.
    pub(super) text: String,
}

/// A summary that is being written.
pub(super) struct Writing {
    cancel: Cancel,
    answer: Receiver<Answer>,
}

type Answer = (Box<PendingMove>, Result<Option<BranchText>, SummaryError>);

/// How a move went on.
pub(super) enum Begun {
    Done(Moved),
    Writing(Writing),
}

impl Travel {
    /// Asks the observers and moves, or has the summary written first.
    pub(super) fn begin(
        &self,
        live: &mut LiveSession,
        options: NavigateOptions,
        waker: &Waker,
    ) -> Result<Begun, LiveError> {
        let cancel = Cancel::new();
        let pending = match live.begin_navigation(&self.target_id, options, &cancel)? {
            BegunMove::Done(moved) => return Ok(Begun::Done(moved)),
            BegunMove::Ready(pending) => pending,
        };
        let given = match self.choice {
            Choice::WriteIt if !self.text.trim().is_empty() => {
                let summary = self.text.as_str().into();
                Some(BranchText { summary, details: None, usage: None })
            }
            _ => pending.given(),
        };
        match live.options().summarizer.clone() {
            Some(summarizer) if pending.needs_summary() => {
                let answer = write(pending, summarizer, cancel.clone(), waker);
                Ok(Begun::Writing(Writing { cancel, answer }))
            }
            None if pending.needs_summary() => {
                // Gives the session free again; nothing is moved.
                live.finish_navigation(&pending, Err(SummaryError::Cancelled))?;
                Err(LiveError::NoSummarizer)
            }
            _ => Ok(Begun::Done(live.finish_navigation(&pending, Ok(given))?)),
        }
    }

    /// Whether a summary is written into the file; a move alone stays in memory.
    pub(super) fn writes(&self) -> bool {
        self.choice != Choice::NoSummary
    }

    pub(super) fn options(&self, desk: &Desk) -> NavigateOptions {
        let with_instructions = self.choice == Choice::WithInstructions;
        let instructions =
            Some(self.text.trim()).filter(|text| with_instructions && !text.is_empty());
        let mut options = NavigateOptions {
            summarize: matches!(self.choice, Choice::Summarize | Choice::WithInstructions),
            custom_instructions: instructions.map(str::to_owned),
            ..NavigateOptions::default()
        };
        if options.summarize {
            options.context_window = context_window(desk);
        }
        let settings = settings(desk);
        if let Some(branch) = settings.and_then(|settings| settings.branch_summary().ok()) {
            options.reserve_tokens = branch.reserve_tokens;
        }
        options
    }
}

/// How much the session's model can read, as far as that is known.
fn context_window(desk: &Desk) -> Option<u64> {
    let live = desk.live.as_ref()?;
    let models = Models::load(&desk.environment).ok();
    let known = models.and_then(|models| models.window_of(live.session()));
    known.or(live.options().compaction.context_window)
}

fn write(
    pending: Box<PendingMove>,
    summarizer: Arc<dyn Summarizer>,
    cancel: Cancel,
    waker: &Waker,
) -> Receiver<Answer> {
    let (news, answer) = waker.channel();
    std::thread::spawn(move || {
        let text = pending.summarize(&*summarizer, &cancel);
        news.send((pending, text));
    });
    answer
}

impl Writing {
    /// Asks the writer to stop.
    pub(super) fn stop(&self) {
        self.cancel.cancel();
    }

    /// Finishes the move if the summary is there, or it is clear that there will be none.
    pub(super) fn hear(&self, desk: &mut Desk) -> Option<Result<Moved, LiveError>> {
        let (pending, text) = self.answer.try_recv().ok()?;
        let change = desk.announce();
        let moved = desk.live.as_mut()?.finish_navigation(&pending, text);
        desk.announced(change);
        Some(moved)
    }
}

/// The settings, if they can be read. The working directory that a session names is not trusted;
/// where the user stands is.
pub(super) fn settings(desk: &Desk) -> Option<Settings> {
    Settings::load(&desk.environment, desk.environment.cwd()).ok()
}
