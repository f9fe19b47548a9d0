//! Navigation to another entry: the question about a summary, whoever writes it, the move itself.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use pitree_host::live::{BegunMove, LiveError, Moved, PendingMove};
use pitree_host::models::Models;
use pitree_host::settings::Settings;
use pitree_session::NewBranchSummary;
use pitree_session::compaction::NavigateOptions;
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use crate::background::BackgroundJob;
use crate::state::AppState;
use crate::wake::Waker;

/// What becomes of the branch that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SummaryChoice {
    NoSummary,
    Summarize,
    /// Summarise by the user's instructions.
    WithInstructions,
    /// The user writes the summary.
    WriteIt,
}

impl SummaryChoice {
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
            Self::WithInstructions => Some("What should the summary focus on?"),
            Self::WriteIt => Some("What should the model know about the abandoned branch?"),
        }
    }
}

/// A move that was decided on.
#[derive(Clone, Debug)]
pub(super) struct PlannedNavigation {
    pub(super) target_id: String,
    pub(super) choice: SummaryChoice,
    /// Instructions, or the summary itself.
    pub(super) text: String,
    /// Whether the new position is saved.
    pub(super) saves: bool,
    /// Whether the file is brought up to the current version first, as the user agreed to.
    pub(super) migrates: bool,
}

/// A move that runs: the extensions are asked, or a summary is written.
pub(super) struct RunningNavigation {
    navigation: PlannedNavigation,
    cancel: Cancel,
    step: NavigationStep,
}

enum NavigationStep {
    Asking(BackgroundJob<Result<BegunMove, LiveError>>),
    Writing(Receiver<WrittenSummary>),
    Storing(BackgroundJob<Result<Moved, LiveError>>),
}

type WrittenSummary = (Box<PendingMove>, Result<Option<NewBranchSummary>, SummaryError>);

impl PlannedNavigation {
    /// A move that is not saved.
    pub(super) fn in_memory(target_id: String, choice: SummaryChoice, text: String) -> Self {
        Self { target_id, choice, text, saves: false, migrates: false }
    }

    /// Asks the extensions, on a thread; [`RunningNavigation::poll`] says what came of it. `None`
    /// if there is no session.
    pub(super) fn begin(self, state: &mut AppState) -> Option<RunningNavigation> {
        let (options, cancel) = (self.options(state), Cancel::new());
        let (target_id, stop) = (self.target_id.clone(), cancel.clone());
        let (migrates, saves, announcer) = (self.migrates, self.saves, state.announcer());
        let asking = state.run_on_session(move |live| {
            if migrates {
                announcer.around(live, |live| live.session_mut().migrate())?;
            }
            let begun = live.begin_navigation(&target_id, options, &stop)?;
            // Who already exists only saves the position.
            if saves && matches!(&begun, BegunMove::Done(moved) if !moved.cancelled) {
                announcer.save_position(live)?;
            }
            Ok(begun)
        })?;
        Some(RunningNavigation { navigation: self, cancel, step: NavigationStep::Asking(asking) })
    }

    /// Whether something is appended to the file; a move alone stays in memory.
    pub(super) fn appends(&self) -> bool {
        self.writes() || self.saves
    }

    /// Whether a summary is written into the file.
    fn writes(&self) -> bool {
        self.choice != SummaryChoice::NoSummary
    }

    fn options(&self, state: &AppState) -> NavigateOptions {
        let with_instructions = self.choice == SummaryChoice::WithInstructions;
        let instructions =
            Some(self.text.trim()).filter(|text| with_instructions && !text.is_empty());
        let mut options = NavigateOptions {
            summarize: matches!(
                self.choice,
                SummaryChoice::Summarize | SummaryChoice::WithInstructions
            ),
            custom_instructions: instructions.map(str::to_owned),
            ..NavigateOptions::default()
        };
        if options.summarize {
            options.context_window = context_window(state);
        }
        let settings = settings(state);
        if let Some(branch) = settings.and_then(|settings| settings.branch_summary().ok()) {
            options.reserve_tokens = branch.reserve_tokens;
        }
        options
    }
}

/// How much the session's model can read, as far as that is known.
fn context_window(state: &AppState) -> Option<u64> {
    let live = state.live.as_ref()?;
    let models = Models::load(&state.environment).ok();
    let known = models.and_then(|models| models.window_of(live.session()));
    known.or(live.options().compaction.context_window)
}

fn write(
    pending: Box<PendingMove>,
    summarizer: Arc<dyn Summarizer>,
    cancel: Cancel,
    waker: &Waker,
) -> Receiver<WrittenSummary> {
    let (sender, answer) = waker.channel();
    std::thread::spawn(move || {
        let text = pending.summarize(&*summarizer, &cancel);
        sender.send((pending, text));
    });
    answer
}

impl RunningNavigation {
    /// Asks whoever is at work to stop.
    pub(super) fn stop(&self) {
        self.cancel.cancel();
    }

    /// What the user is told meanwhile.
    pub(super) fn words(&self) -> &'static str {
        match self.step {
            NavigationStep::Asking(_) => "Asking the extensions",
            NavigationStep::Writing(_) => "Summarizing the branch you leave",
            NavigationStep::Storing(_) => "Saving",
        }
    }

    /// Goes on with the move as far as it can; what became of it, if it has ended.
    pub(super) fn poll(&mut self, state: &mut AppState) -> Option<Result<Moved, LiveError>> {
        match &self.step {
            NavigationStep::Asking(asking) => match asking.poll(state)? {
                Ok(BegunMove::Done(moved)) => Some(Ok(moved)),
                Ok(BegunMove::Ready(pending)) => self.write(pending, state),
                Err(error) => Some(Err(error)),
            },
            NavigationStep::Writing(answer) => {
                let (pending, text) = answer.try_recv().ok()?;
                self.finish(pending, text, state)
            }
            NavigationStep::Storing(storing) => storing.poll(state),
        }
    }

    /// Whether the position was to be saved.
    pub(super) fn saves(&self) -> bool {
        self.navigation.saves
    }

    /// Moves, or has the summary written first.
    fn write(
        &mut self,
        pending: Box<PendingMove>,
        state: &mut AppState,
    ) -> Option<Result<Moved, LiveError>> {
        let PlannedNavigation { choice, text, .. } = &self.navigation;
        let given = match choice {
            SummaryChoice::WriteIt if !text.trim().is_empty() => {
                Some(NewBranchSummary { summary: text.as_str().into(), ..Default::default() })
            }
            _ => pending.given(),
        };
        let live = state.live.as_mut()?;
        match live.options().summarizer.clone() {
            Some(summarizer) if pending.needs_summary() => {
                let answer = write(pending, summarizer, self.cancel.clone(), &state.waker);
                self.step = NavigationStep::Writing(answer);
                None
            }
            None if pending.needs_summary() => {
                // Gives the session free again; nothing is moved.
                let ended = live.finish_navigation(&pending, Err(SummaryError::Cancelled));
                Some(ended.and(Err(LiveError::NoSummarizer)))
            }
            _ => self.finish(pending, Ok(given), state),
        }
    }

    /// Moves and appends, on a thread: extensions hear of it, and another program may hold the
    /// file.
    fn finish(
        &mut self,
        pending: Box<PendingMove>,
        text: Result<Option<NewBranchSummary>, SummaryError>,
        state: &mut AppState,
    ) -> Option<Result<Moved, LiveError>> {
        let (writes, saves, announcer) =
            (self.navigation.writes(), self.navigation.saves, state.announcer());
        let storing = state.run_on_session(move |live| {
            let moved = match writes {
                true => announcer.around(live, |live| live.finish_navigation(&pending, text)),
                false => live.finish_navigation(&pending, text),
            }?;
            if saves && !moved.cancelled {
                announcer.save_position(live)?;
            }
            Ok(moved)
        })?;
        let moved = storing.poll(state);
        self.step = NavigationStep::Storing(storing);
        moved
    }
}

/// The settings, if they can be read. The working directory that a session names is not trusted;
/// where the user stands is.
pub(super) fn settings(state: &AppState) -> Option<Settings> {
    Settings::load(&state.environment, state.environment.cwd()).ok()
}
