//! `pitree name` and `pitree label`.

use clap::Args;
use pitree_format::{Object, Value};
use pitree_host::live::LiveOptions;
use pitree_session::Session;

use crate::error::{Exit, Result};
use crate::live;
use crate::output::Output;
use crate::target::{AppendTarget, Workspace};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct NameArgs {
    #[command(flatten)]
    target: AppendTarget,

    /// The new name; an empty one removes it (default: print the name)
    name: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct LabelArgs {
    #[command(flatten)]
    target: AppendTarget,

    /// The entry
    entry: String,

    /// The new label; an empty one removes it (default: print the label)
    label: Option<String>,

    /// Remove the label
    #[arg(long, conflicts_with = "label")]
    clear: bool,
}

pub(crate) fn run_name(
    args: &NameArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let Some(name) = &args.name else {
        let session = workspace.open_to_write(&args.target.target)?;
        return show_name(&session, None, Exit::Nothing, output);
    };
    let session = workspace.open_to_append(&args.target)?;
    let _change = session.path().map(|path| workspace.changing(path));
    live::with(workspace, session, LiveOptions::default(), output, |live, output| {
        let had_name = live.session().name()?.is_some();
        let removes = name.trim().is_empty();
        if removes {
            live.clear_name()?;
        } else {
            live.set_name(name.as_str())?;
        }
        let migrated = workspace.report_migration(live.session_mut(), output)?;
        if removes && had_name && !output.json {
            output.line("The name was removed.")?;
            return Ok(Exit::Ok);
        }
        show_name(live.session(), migrated, Exit::Ok, output)
    })
}

/// Shows the name; `without` is what it means if there is none.
fn show_name(
    session: &Session,
    migrated: Option<Value>,
    without: Exit,
    output: &mut Output,
) -> Result<Exit> {
    let name = session.name()?;
    let exit = if name.is_none() { without } else { Exit::Ok };
    if output.json {
        output.value(&Object::new().with("name", name).with_some("migrated", migrated).into())?;
    } else if let Some(name) = name {
        output.line(&clean_line(&name.to_text()))?;
    } else {
        output.remark("the session has no name")?;
    }
    Ok(exit)
}

pub(crate) fn run_label(
    args: &LabelArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    if args.label.is_none() && !args.clear {
        return show_label(args, workspace, output);
    }
    let mut session = workspace.open_shared_to_append(&args.target)?;
    let target = session.entry_by_prefix(&args.entry)?.id().to_owned();
    let label = args.label.as_deref().filter(|label| !label.is_empty());
    if label.is_none() && session.labels()?.get(&target).is_none() {
        return no_label(target, output);
    }
    let _change = session.path().map(|path| workspace.changing(path));
    let appended = session.append_label(&target, label)?;
    let migrated = workspace.report_migration(&mut session, output)?;
    if output.json {
        let value =
            Object::new().with("id", appended.id).with("targetId", target).with("label", label);
        output.value(&value.with_some("migrated", migrated).into())?;
    } else {
        match label {
            Some(label) => {
                output.line(&clean_line(&format!("{target} is now labeled {label}.")))?;
            }
            None => output.line(&clean_line(&format!("{target} no longer has a label.")))?,
        }
    }
    Ok(Exit::Ok)
}

/// Prints the label of an entry; the exit code is 1 if it has none.
fn show_label(args: &LabelArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let session = workspace.open_to_write(&args.target.target)?;
    let target = session.entry_by_prefix(&args.entry)?.id().to_owned();
    let label = session.labels()?.get(&target).map(|label| label.text.clone());
    let exit = if label.is_none() { Exit::Nothing } else { Exit::Ok };
    if output.json {
        output.value(&Object::new().with("targetId", target).with("label", label).into())?;
    } else if let Some(label) = label {
        output.line(&clean_line(&label.to_text()))?;
    } else {
        output.remark(&format!("{target} has no label"))?;
    }
    Ok(exit)
}

/// Nothing has to be cleared, so nothing is appended.
fn no_label(target: String, output: &mut Output) -> Result<Exit> {
    if output.json {
        let value = Object::new().with("id", Value::Null).with("targetId", target);
        output.value(&value.with("label", Value::Null).into())?;
    } else {
        output.remark(&format!("{target} has no label"))?;
    }
    Ok(Exit::Ok)
}
