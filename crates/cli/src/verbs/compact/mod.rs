//! `pitree compact`: summarize the older part of the conversation.
//!
//! Nothing is written before the summary is there, whole. `--dry-run` reads only.

mod report;

use clap::Args;
use pitree_host::events::CompactionReason;
use pitree_host::live::{CompactionPolicy, LiveError, LiveOptions, LiveSession, PendingCompaction};
use pitree_session::compaction::{
    CompactionError, CompactionResult, CompactionSettings, NothingToCompact,
};
use pitree_session::summary::{Cancel, SummaryError};
use pitree_session::{NewCompaction, Session};

use super::summarizing::{SummarizerArgs, SummaryContext};
use crate::error::{CommandError, Exit, Result};
use crate::live;
use crate::option_values::any_number;
use crate::output::Output;
use crate::target::{AppendTarget, Workspace};

#[derive(Args, Debug)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    target: AppendTarget,

    /// Show what would be summarized and what would be kept; change nothing
    #[arg(long)]
    dry_run: bool,

    /// Compact only if the context is nearly full, by Pi's rule
    #[arg(long)]
    if_needed: bool,

    /// What the summary should focus on
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,

    /// Keep about this many tokens at the end of the conversation (default: from Pi's settings)
    #[arg(long, value_name = "TOKENS", value_parser = any_number::<u64>)]
    keep_recent: Option<u64>,

    /// Keep this many tokens of the context window free (default: from Pi's settings)
    #[arg(long, value_name = "TOKENS", value_parser = any_number::<u64>)]
    reserve: Option<u64>,

    #[command(flatten)]
    summarizer: SummarizerArgs,
}

pub(crate) fn run(args: &CompactArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let session = if args.dry_run {
        Session::open(workspace.find(&args.target.target)?, &workspace.environment)?
    } else {
        workspace.open_to_append(&args.target)?
    };
    let around =
        args.summarizer.summary_context(&session, workspace, |problem| output.remark(problem))?;
    let settings = args.settings(&around)?;
    if args.if_needed
        && let Some(reason) = why_not_needed(&session, &settings, &around)?
    {
        return report::not_compacted(&reason, Exit::Ok, output);
    }
    let nothing = |reason, output: &mut Output| {
        let exit = if args.if_needed { Exit::Ok } else { Exit::Nothing };
        report::not_compacted(&advice(reason, &settings), exit, output)
    };
    if args.dry_run {
        return match session.prepare_compaction(&settings) {
            Ok(preparation) => {
                report::dry_run(&session, &preparation, &around, output)?;
                Ok(Exit::Ok)
            }
            Err(CompactionError::Nothing(reason)) => nothing(reason, output),
            Err(error) => Err(error.into()),
        };
    }
    let compaction = CompactionPolicy { settings, context_window: around.context_window };
    let options = LiveOptions { compaction, ..LiveOptions::default() };
    let _change = session.path().map(|path| workspace.changing(path));
    live::with(workspace, session, options, output, |live, output| {
        let result = args.compact(live, &around, workspace, output);
        match result {
            Err(Stopped::Nothing(reason)) => nothing(reason, output),
            Err(Stopped::Error(error)) => Err(error),
            Ok(done) => {
                let migrated = workspace.report_migration(live.session_mut(), output)?;
                report::done(live.session(), &done, migrated, output)?;
                Ok(Exit::Ok)
            }
        }
    })
}

/// Why nothing was compacted.
enum Stopped {
    Nothing(NothingToCompact),
    Error(CommandError),
}

impl<E: Into<CommandError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl CompactArgs {
    /// Asks the extensions, has the summary written and stores it.
    fn compact(
        &self,
        live: &mut LiveSession,
        around: &SummaryContext,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<CompactionResult, Stopped> {
        let cancel = workspace.caller.cancel()?;
        let reason =
            if self.if_needed { CompactionReason::Threshold } else { CompactionReason::Manual };
        let pending = match live.begin_compaction(reason, self.instructions.as_deref(), &cancel) {
            Err(LiveError::Compaction(CompactionError::Nothing(reason))) => {
                return Err(Stopped::Nothing(reason));
            }
            Err(LiveError::CompactionCancelled) if cancel.is_cancelled() => {
                return Err(CommandError::Summary(SummaryError::Cancelled).into());
            }
            Err(LiveError::CompactionCancelled) => return Err(live::cancelled().into()),
            other => other?,
        };
        let text = match pending.given() {
            Some(given) => Ok(given),
            None => self.summary(&pending, around, workspace, &cancel, output),
        };
        match text {
            Ok(text) => Ok(live.finish_compaction(pending, Ok(text))?),
            Err(error) => {
                // The extensions hear of it; the user gets the error itself.
                let told = match &error {
                    CommandError::Summary(error) => error.clone(),
                    other => SummaryError::Failed(other.to_string()),
                };
                let _ = live.finish_compaction(pending, Err(told));
                Err(error.into())
            }
        }
    }

    fn summary(
        &self,
        pending: &PendingCompaction,
        around: &SummaryContext,
        workspace: &Workspace,
        cancel: &Cancel,
        output: &mut Output,
    ) -> Result<NewCompaction> {
        let summarizer = self.summarizer.choose(around, workspace, output)?;
        pending.summarize(&*summarizer, cancel).map_err(CommandError::Summary)
    }

    fn settings(&self, around: &SummaryContext) -> Result<CompactionSettings> {
        let settings = around.settings.compaction(around.model.as_ref())?;
        Ok(CompactionSettings {
            reserve_tokens: self.reserve.unwrap_or(settings.reserve_tokens),
            keep_recent_tokens: self.keep_recent.unwrap_or(settings.keep_recent_tokens),
            ..settings
        })
    }
}

/// Why the context needs no compaction; `None` if it does.
fn why_not_needed(
    session: &Session,
    settings: &CompactionSettings,
    around: &SummaryContext,
) -> Result<Option<String>> {
    if !settings.enabled {
        return Ok(Some("automatic compaction is switched off in Pi's settings".to_owned()));
    }
    let Some(window) = around.context_window else {
        let model = around.model.as_ref().map_or("its model".to_owned(), ToString::to_string);
        return Err(CommandError::Usage {
            message: format!("the context window of {model} is not known"),
            hint: Some("give it by `--context-window TOKENS`".to_owned()),
        });
    };
    let tokens = session.context_estimate()?.tokens;
    Ok((!settings.should_compact(tokens, window)).then(|| {
        let limit = window.saturating_sub(settings.reserve_tokens);
        format!("not needed: {tokens} of {window} tokens, the limit is {limit}")
    }))
}

/// The reason in Pi's words, and what to do about it.
fn advice(reason: NothingToCompact, settings: &CompactionSettings) -> String {
    match reason {
        NothingToCompact::AlreadyCompacted => reason.to_string(),
        NothingToCompact::TooSmall => format!(
            "{reason}: the last {} tokens are kept (change with `--keep-recent`)",
            settings.keep_recent_tokens
        ),
    }
}
