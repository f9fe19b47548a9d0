//! `pitree goto`: stand at another entry, and stay there.
//!
//! Pi keeps a moved leaf in memory only. Here the place is stored without harm: a summary, a label
//! or a `custom` entry below the wanted one becomes the last line, so every Pi stands there after
//! opening.

use clap::Args;
use pitree_format::{EntryKind, Object};
use pitree_session::compaction::{
    BranchText, NavigateOptions, Navigated, Navigation, place_to_stand,
};
use pitree_session::{EntryRef, Session};

use super::summarizing::SummarizerArgs;
use crate::error::{CommandError, Exit};
use crate::interrupt::cancel_on_interrupt;
use crate::output::Output;
use crate::target::{Place, Target};
use crate::text::clean_block;

/// The `customType` of the entry that stores a place.
const LEAF_TYPE: &str = "pitree.leaf";

#[derive(Args, Debug)]
pub(crate) struct GotoArgs {
    #[command(flatten)]
    target: Target,

    /// Where to go. A user message means its parent, so that the message can be said anew
    entry: String,

    /// A summary of the branch that is left, for the model to read
    #[arg(long, value_name = "TEXT", conflicts_with = "summarize")]
    summary: Option<String>,

    /// Have the branch that is left summarised
    #[arg(long)]
    summarize: bool,

    /// What the summary shall look at in particular
    #[arg(long, value_name = "TEXT", requires = "summarize")]
    instructions: Option<String>,

    /// Give the instructions in place of the usual ones
    #[arg(long, requires = "instructions")]
    replace_instructions: bool,

    /// A label for the summary, or for ENTRY if there is none
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,

    #[command(flatten)]
    summarizer: SummarizerArgs,
}

pub(crate) fn run(
    args: &GotoArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    if args.summary.as_ref().is_some_and(|summary| summary.trim().is_empty()) {
        return Err(CommandError::usage("the summary is empty; leave --summary out instead"));
    }
    let mut session = place.open_to_write(&args.target)?;
    let target = session.entry_by_prefix(&args.entry)?;
    let id = target.id().to_owned();
    let only_moves = args.summary.is_none() && args.label.is_none();
    let is_there = only_moves && stands_at(&session, target)?;
    let options = NavigateOptions {
        summarize: args.summarize,
        custom_instructions: args.instructions.clone(),
        replace_instructions: args.replace_instructions.then_some(true),
        label: args.label.clone(),
        ..NavigateOptions::default()
    };
    let navigation = session.prepare_navigation(&id, options)?.filter(|_| !is_there);
    let Some(navigation) = navigation else {
        return already_there(&session, output);
    };
    let text = match &args.summary {
        Some(summary) => {
            Some(BranchText { summary: summary.as_str().into(), details: None, usage: None })
        }
        None => summarize(args, &session, navigation.clone(), place, output)?,
    };
    let done = session.finish_navigation(&navigation, text, false)?;
    if done.summary.is_none() && done.label.is_none() {
        session.append_custom(LEAF_TYPE, None)?;
    }
    report(&session, &done, output)?;
    Ok(Exit::Ok)
}

/// The summary of the branch that is left, if it is wished and there is something on it.
fn summarize(
    args: &GotoArgs,
    session: &Session,
    mut navigation: Navigation,
    place: &Place,
    output: &mut Output,
) -> Result<Option<BranchText>, CommandError> {
    if !navigation.needs_summary() {
        return Ok(None);
    }
    let around = args.summarizer.surroundings(session, place, |problem| output.remark(problem))?;
    navigation.options.context_window = args.summarizer.window_of_writer(&around, place)?;
    navigation.options.reserve_tokens = around.settings.branch_summary()?.reserve_tokens;
    let summarizer = args.summarizer.choose(&around, place, output)?;
    let cancel = cancel_on_interrupt()?;
    Ok(Some(navigation.summarize(session, &*summarizer, &cancel)?))
}

fn already_there(session: &Session, output: &mut Output) -> Result<Exit, CommandError> {
    if output.json {
        let value = Object::new().with("leafId", session.leaf_id()).with("moved", false);
        output.value(&value.into())?;
    } else {
        output.remark("already there")?;
    }
    Ok(Exit::Ok)
}

fn report(session: &Session, done: &Navigated, output: &mut Output) -> Result<(), CommandError> {
    let summary = done.summary.as_ref().map(|summary| summary.id.clone());
    let stand = done.stands_at.clone();
    if output.json {
        let value = Object::new()
            .with("leafId", session.leaf_id())
            .with("standsAt", stand)
            .with("moved", true)
            .with_some("summaryEntryId", summary)
            .with_some("editorText", done.editor_text.clone());
        return output.value(&value.into());
    }
    let at = stand.unwrap_or_else(|| "the beginning".to_owned());
    output.line(&format!("The session stands at {at}."))?;
    if let Some(summary) = summary {
        output.line(&format!("The branch that was left is summarised in {summary}."))?;
    }
    if let Some(text) = &done.editor_text {
        output.remark("the message, to be said anew:")?;
        output.remark(&clean_block(&text.to_text()))?;
    }
    Ok(())
}

/// Whether an earlier `goto` brought the session to where this one would.
fn stands_at(session: &Session, target: EntryRef<'_>) -> Result<bool, CommandError> {
    let Some(leaf) = session.leaf().filter(|leaf| leaf.kind() == EntryKind::Custom) else {
        return Ok(false);
    };
    let is_place = leaf.value()?.get_string("customType").is_some_and(|name| *name == LEAF_TYPE);
    Ok(is_place && leaf.parent_id() == place_to_stand(target)?.0.as_deref())
}
