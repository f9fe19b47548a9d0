//! `pitree delete`: sessions go to the trash, with what belongs to them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use pitree_format::{Object, Value};
use pitree_session::SessionError;
use pitree_store::delete::{DeleteError, Deleted, Deletion, Disposal, Family, SessionPart, Trash};

use crate::environment::find_program;
use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::target::{Target, Workspace};
use crate::text::clean_line;
use crate::unreadable::unreadable_value;

#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// Session files, session ids, or unique id prefixes
    #[arg(value_name = "FILE|ID", required = true)]
    sessions: Vec<OsString>,

    /// Also delete their forks and the records of their sub-agents
    #[arg(long)]
    family: bool,

    /// If a file cannot be moved to the trash, delete it permanently
    #[arg(long)]
    permanent: bool,

    /// Delete even sessions that are in use, and `.jsonl` files that are not sessions (give their
    /// paths)
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &DeleteArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let family = members(args, workspace)?;
    let plans = family.plans(&workspace.environment, args.force).map_err(to_command_error)?;
    let mut trash = Trash::new(find_program("trash"));
    trash.permanent = args.permanent;
    let paths: Vec<&Path> = family.sessions.iter().map(PathBuf::as_path).collect();
    let change = workspace.changing_all(&paths);
    let deletion = family.delete(&plans, &trash, args.force);
    drop(change);
    print(&deletion, &family, workspace, output)?;
    if args.permanent && deletion.gone.iter().any(|file| file.to != Disposal::Removed) {
        output.remark(
            "what is trashed is still on the disk; empty the trash to delete it for good",
        )?;
    }
    // The first of the reasons decides how the command ends; all are in the output.
    match deletion.kept.into_iter().next() {
        Some((_, error)) => {
            output.flush()?;
            Err(to_command_error(error))
        }
        None => Ok(Exit::Ok),
    }
}

/// The sessions that the user means, each once, and what goes with them.
fn members(args: &DeleteArgs, workspace: &Workspace) -> Result<Family> {
    let mut sessions: Vec<PathBuf> = Vec::new();
    for typed in &args.sessions {
        let path = workspace.find(&Target { session: typed.clone() })?;
        if !sessions.contains(&path) {
            sessions.push(path);
        }
    }
    if args.family {
        return Ok(workspace.store().family(&sessions, Some(&std::env::temp_dir())));
    }
    Ok(Family { sessions, ..Family::default() })
}

fn print(
    deletion: &Deletion,
    family: &Family,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    if output.json {
        return output.value(&to_value(deletion, family));
    }
    for file in &deletion.gone {
        let to = output.paint(Style::Dim, &format!("{:<8}", word(file.to)));
        output.line(&format!("{to} {}", clean_line(&workspace.display(&file.path))))?;
    }
    let is_trashed =
        |file: &&Deleted| file.part == SessionPart::Session && file.to == Disposal::DesktopTrash;
    if deletion.gone.iter().any(|file| is_trashed(&file)) {
        output.remark("`pitree restore` lists deleted sessions and brings them back")?;
    }
    // The first one is the error that the command ends with.
    for (path, error) in deletion.kept.iter().skip(1) {
        output.remark(&format!("kept {}: {error}", workspace.display(path)))?;
    }
    for (path, reason) in &family.unreadable {
        let path = workspace.display(path);
        output.remark(&format!("records of sub-agents were kept: cannot read {path}: {reason}"))?;
    }
    for named in &family.passed_over {
        output.remark(&format!("left alone, gone or no record of a sub-agent: {named}"))?;
    }
    Ok(())
}

fn to_value(deletion: &Deletion, family: &Family) -> Value {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let gone = deletion.gone.iter().map(|file| -> Value {
        let what = part_name(file.part);
        let to = match file.to {
            Disposal::TrashCommand => "trashCommand",
            Disposal::DesktopTrash => "trash",
            Disposal::Removed => "removed",
        };
        Object::new().with("path", text(&file.path)).with("what", what).with("to", to).into()
    });
    let kept = deletion.kept.iter().map(|(path, error)| -> Value {
        Object::new().with("path", text(path)).with("reason", error.to_string()).into()
    });
    let passed_over = family.passed_over.iter().map(|named| Value::from(named.as_str()));
    Object::new()
        .with("deleted", gone.collect::<Vec<_>>())
        .with("kept", kept.collect::<Vec<_>>())
        .with("passedOver", passed_over.collect::<Vec<_>>())
        .with("unreadable", unreadable_value(&family.unreadable))
        .into()
}

/// What a file is to its session, for programs.
pub(super) fn part_name(part: SessionPart) -> &'static str {
    match part {
        SessionPart::Session => "session",
        SessionPart::SideFile => "sideFile",
        SessionPart::Record => "subagentRecord",
    }
}

fn word(disposal: Disposal) -> &'static str {
    match disposal {
        Disposal::TrashCommand | Disposal::DesktopTrash => "trashed",
        Disposal::Removed => "deleted",
    }
}

fn to_command_error(error: DeleteError) -> CommandError {
    let message = error.to_string();
    match error {
        DeleteError::Session(SessionError::NotASession { path, .. }) => {
            let hint = match path.extension().is_some_and(|extension| extension == "jsonl") {
                true => "pass --force with its path to delete it anyway",
                false => "pitree deletes only session files (.jsonl)",
            };
            CommandError::BadData { message, hint: Some(hint.to_owned()) }
        }
        DeleteError::Session(error) => error.into(),
        DeleteError::InUse { .. } => {
            let hint = "close it first, or wait a minute, or pass --force to delete it anyway";
            CommandError::Refused { message, hint: Some(hint.to_owned()) }
        }
        DeleteError::NoTrash { .. } => {
            let hint = "nothing was deleted; pass --permanent to delete it for good";
            CommandError::Refused { message, hint: Some(hint.to_owned()) }
        }
        DeleteError::StillThere { .. } => {
            let hint = "its companion files were kept; run that command yourself to see why";
            CommandError::BadData { message, hint: Some(hint.to_owned()) }
        }
        _ => CommandError::BadData { message, hint: None },
    }
}
