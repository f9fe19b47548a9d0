//! `pitree goto`: stand at another entry, and stay there.
//!
//! Pi keeps a moved leaf in memory only. Here the place is stored without harm: a summary, a label
//! or a `custom` entry below the wanted one becomes the last line, so every Pi stands there after
//! opening.

use clap::Args;
use pitree_format::{Object, Value};
use pitree_host::live::{BegunMove, LiveOptions, LiveSession, Moved};
use pitree_session::compaction::{NO_CONTENT, NavigateOptions, place_to_stand};
use pitree_session::summary::{Cancel, SummaryError};
use pitree_session::{EntryRef, NewBranchSummary, Session};

use super::summarizing::{SummarizerArgs, SummaryContext};
use crate::error::{CommandError, Exit, Result};
use crate::live;
use crate::output::Output;
use crate::target::{AppendTarget, Workspace};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct GotoArgs {
    #[command(flatten)]
    target: AppendTarget,

    /// Where to go. A user message moves to its parent, so that you can edit and resend it
    entry: String,

    /// Add this summary of the abandoned branch for the model
    #[arg(long, value_name = "TEXT", conflicts_with = "summarize")]
    summary: Option<String>,

    /// Summarize the abandoned branch for the model
    #[arg(long)]
    summarize: bool,

    /// What the summary should focus on
    #[arg(long, value_name = "TEXT", requires = "summarize")]
    instructions: Option<String>,

    /// Replace the default prompt with the instructions instead of adding them to it
    #[arg(long, requires = "instructions")]
    replace_instructions: bool,

    /// Label the summary, or ENTRY if there is no summary
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    #[command(flatten)]
    summarizer: SummarizerArgs,
}

pub(crate) fn run(args: &GotoArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if args.summary.as_ref().is_some_and(|summary| summary.trim().is_empty()) {
        return Err(CommandError::usage("the summary is empty; leave --summary out instead"));
    }
    let session = workspace.open_to_append(&args.target)?;
    let target = session.entry_by_prefix(&args.entry)?;
    let id = target.id().to_owned();
    let only_moves = args.summary.is_none() && args.label.is_none();
    let is_leaf = Some(target.index()) == session.leaf().map(|leaf| leaf.index());
    if is_leaf && let Some(label) = &args.label {
        return label_leaf(session, &id, label, workspace, output);
    }
    if is_leaf || (only_moves && stands_at(&session, target)?) {
        return already_there(&session, output);
    }
    let _change = session.path().map(|path| workspace.changing(path));
    live::with(workspace, session, LiveOptions::default(), output, |live, output| {
        move_to(&id, args, workspace, live, output)
    })
}

/// The session already exists; the label is all that is left to do.
fn label_leaf(
    mut session: Session,
    id: &str,
    label: &str,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let _change = session.path().map(|path| workspace.changing(path));
    session.append_label(id, Some(label))?;
    if !output.json {
        output.line(&clean_line(&format!("{id} is now labeled {label}.")))?;
    }
    already_there(&session, output)
}

/// Asks the extensions, has the summary written if it is wished, and moves.
fn move_to(
    id: &str,
    args: &GotoArgs,
    workspace: &Workspace,
    live: &mut LiveSession,
    output: &mut Output,
) -> Result<Exit> {
    let writer = match args.summarize {
        true => Some(Writer::find(args, live.session(), workspace, output)?),
        false => None,
    };
    let cancel = match writer {
        Some(_) => workspace.caller.cancel()?,
        None => Cancel::new(),
    };
    let options = args.options(writer.as_ref());
    let pending = match live.begin_navigation(id, options, &cancel)? {
        BegunMove::Ready(pending) => pending,
        BegunMove::Done(Moved { aborted: true, .. }) => {
            return Err(CommandError::Summary(SummaryError::Cancelled));
        }
        BegunMove::Done(_) => return Err(live::cancelled()),
    };
    let text = match (&args.summary, writer) {
        (Some(summary), _) => {
            let summary = summary.as_str().into();
            Some(NewBranchSummary { summary, ..Default::default() })
        }
        (None, Some(writer)) if pending.needs_summary() => {
            let summarizer = args.summarizer.choose(&writer.around, workspace, output)?;
            pending.summarize(&*summarizer, &cancel).map_err(CommandError::Summary)?
        }
        _ => pending.given(),
    };
    let moved = live.finish_navigation(&pending, Ok(text))?;
    if !moved.is_stored {
        live.session_mut().save_position()?;
    }
    let migrated = workspace.report_migration(live.session_mut(), output)?;
    report(live.session(), &moved, args.summarize, migrated, output)?;
    Ok(Exit::Ok)
}

/// What is known about whoever writes the summary.
struct Writer {
    around: SummaryContext,
    context_window: Option<u64>,
    reserve_tokens: u64,
}

impl Writer {
    fn find(
        args: &GotoArgs,
        session: &Session,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<Self> {
        let remark = |problem: &str| output.remark(problem);
        let around = args.summarizer.summary_context(session, workspace, remark)?;
        let context_window = args.summarizer.window_of_writer(&around, workspace)?;
        let reserve_tokens = around.settings.branch_summary()?.reserve_tokens;
        Ok(Self { around, context_window, reserve_tokens })
    }
}

impl GotoArgs {
    fn options(&self, writer: Option<&Writer>) -> NavigateOptions {
        let mut options = NavigateOptions {
            summarize: self.summarize,
            custom_instructions: self.instructions.clone(),
            replace_instructions: self.replace_instructions.then_some(true),
            label: self.label.clone(),
            ..NavigateOptions::default()
        };
        if let Some(writer) = writer {
            options.context_window = writer.context_window;
            options.reserve_tokens = writer.reserve_tokens;
        }
        options
    }
}

fn already_there(session: &Session, output: &mut Output) -> Result<Exit> {
    if output.json {
        let value = Object::new().with("leafId", session.leaf_id()).with("moved", false);
        output.value(&value.into())?;
    } else {
        output.remark("already there")?;
    }
    Ok(Exit::Ok)
}

fn report(
    session: &Session,
    done: &Moved,
    wants_summary: bool,
    migrated: Option<Value>,
    output: &mut Output,
) -> Result<()> {
    let entry = done.summary_entry.as_ref();
    let member = |name| entry.and_then(|entry| entry.get_string(name)).map(ToString::to_string);
    let summary = member("id");
    let stand = done.resume_point.clone();
    if output.json {
        let value = Object::new()
            .with("leafId", session.leaf_id())
            .with("resumePoint", stand)
            .with("moved", true)
            .with_some("summaryEntryId", summary)
            .with_some("editorText", done.editor_text.clone())
            .with_some("migrated", migrated);
        return output.value(&value.into());
    }
    let at = clean_line(&stand.unwrap_or_else(|| "the beginning".to_owned()));
    output.line(&format!("The current position is {at}."))?;
    match summary {
        // Pi writes an entry for an empty summary too.
        Some(id) if member("summary").as_deref() == Some(NO_CONTENT) => {
            output
                .line(&format!("The abandoned branch has nothing to summarize; {id} says so."))?;
        }
        Some(id) => output.line(&format!("The summary of the abandoned branch is {id}."))?,
        None if wants_summary => output.line("The abandoned branch has nothing to summarize.")?,
        None => {}
    }
    if let Some(text) = &done.editor_text {
        output.remark_draft(&text.to_text())?;
    }
    super::remark_resume(session, output)
}

/// Whether an earlier `goto` brought the session to where this one would.
fn stands_at(session: &Session, target: EntryRef<'_>) -> Result<bool> {
    let Some(leaf) = session.leaf() else { return Ok(false) };
    Ok(leaf.saves_position()? && leaf.parent_id() == place_to_stand(target)?.0.as_deref())
}
