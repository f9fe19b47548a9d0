//! `pitree goto`: stand at another entry, and stay there.
//!
//! Pi keeps a moved leaf in memory only. Here the place is stored without harm: a `custom` entry
//! below the wanted one becomes the last line, so every Pi stands there after opening.

use clap::Args;
use pitree_format::message::Content;
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_session::{EntryRef, NewBranchSummary, Session};

use crate::error::{CommandError, Exit};
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
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
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
    let is_leaf = Some(target.index()) == session.leaf().map(|leaf| leaf.index());
    if is_leaf || (args.summary.is_none() && stands_at(&session, target)?) {
        if output.json {
            let value = Object::new().with("leafId", session.leaf_id()).with("moved", false);
            output.value(&value.into())?;
        } else {
            output.remark("already there")?;
        }
        return Ok(Exit::Ok);
    }
    let (stand, editor_text) = place_to_stand(target)?;
    let _change = session.path().map(|path| place.changing(path));
    let appended = match &args.summary {
        Some(summary) => {
            let summary =
                NewBranchSummary { summary: summary.as_str().into(), ..Default::default() };
            session.branch_with_summary(stand.as_deref(), summary)?
        }
        None => {
            stand_at(&mut session, stand.as_deref())?;
            session.append_custom(LEAF_TYPE, None)?
        }
    };
    if output.json {
        let value = Object::new()
            .with("leafId", appended.id)
            .with("standsAt", stand)
            .with("moved", true)
            .with_some("editorText", editor_text);
        output.value(&value.into())?;
    } else {
        let at = stand.unwrap_or_else(|| "the beginning".to_owned());
        output.line(&format!("The session stands at {at}."))?;
        if let Some(text) = editor_text {
            output.remark("the message, to be said anew:")?;
            output.remark(&clean_block(&text))?;
        }
    }
    Ok(Exit::Ok)
}

/// Whether an earlier `goto` brought the session to where this one would.
fn stands_at(session: &Session, target: EntryRef<'_>) -> Result<bool, CommandError> {
    let Some(leaf) = session.leaf().filter(|leaf| leaf.kind() == EntryKind::Custom) else {
        return Ok(false);
    };
    let is_place = leaf.value()?.get_string("customType").is_some_and(|name| *name == LEAF_TYPE);
    let (stand, _) = place_to_stand(target)?;
    Ok(is_place && leaf.parent_id() == stand.as_deref())
}

fn stand_at(session: &mut Session, id: Option<&str>) -> Result<(), CommandError> {
    match id {
        Some(id) => session.branch(id)?,
        None => session.reset_leaf(),
    }
    Ok(())
}

/// Pi's rule: a user or extension message is said anew, so the place is its parent; any other
/// entry is the place itself.
fn place_to_stand(target: EntryRef<'_>) -> Result<(Option<String>, Option<String>), CommandError> {
    let content = if target.is_message(Role::User) {
        target.message()?.unwrap_or(Value::Null).get("content").cloned()
    } else if target.kind() == EntryKind::CustomMessage {
        target.value()?.get("content").cloned()
    } else {
        return Ok((Some(target.id().to_owned()), None));
    };
    let text = Content::decode(content.as_ref()).to_text("");
    Ok((target.parent().map(|parent| parent.id().to_owned()), Some(text)))
}
