//! `pitree migrate` and `pitree undo`: rewriting an old version, and the way back.

use std::path::Path;

use clap::Args;
use pitree_format::Object;
use pitree_format::migrate::SourceVersion;
use pitree_session::{Rewrite, SessionError, UndoOptions, Undone, undo_last};

use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::{LockWait, Target, Targets, Workspace};
use crate::text::clean_line;

/// The name of a migration among the rewrites of a file.
const MIGRATION: &str = "migrate";

#[derive(Args, Debug)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    targets: Targets,

    #[command(flatten)]
    wait: LockWait,
}

#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    target: Target,

    /// Undo even if the file has changed since; its current state is kept as a backup
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    wait: LockWait,
}

pub(crate) fn run(args: &MigrateArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let done = args.targets.each(workspace, |path| {
        let rewrite = migrate(path, args.wait, workspace)?;
        Ok((path.to_owned(), rewrite))
    });
    for (path, rewrite) in &done.good {
        match rewrite {
            Some(rewrite) => print_rewrite(rewrite, workspace, output)?,
            None if output.json => {
                let path = path.to_string_lossy().into_owned();
                output.value(&Object::new().with("changed", false).with("path", path).into())?;
            }
            None if args.targets.are_many() => {
                let path = clean_line(&workspace.display(path));
                output.line(&format!("Already version 3: {path}"))?;
            }
            None => output.line("The file is already version 3.")?,
        }
    }
    done.finish(output)?;
    Ok(Exit::Ok)
}

fn migrate(path: &Path, wait: LockWait, workspace: &Workspace) -> Result<Option<Rewrite>> {
    let mut session = workspace.open_path(path, wait)?;
    let is_old = session.source_version() != SourceVersion::Current;
    let _change = session.path().filter(|_| is_old).map(|path| workspace.changing(path));
    Ok(session.migrate()?)
}

pub(crate) fn run_undo(
    args: &UndoArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let path = workspace.find(&args.target)?;
    let change = workspace.changing(&path);
    let options = UndoOptions { force: args.force, lock_wait: args.wait.limit() };
    let undone = undo_last(&path, &options, &workspace.environment);
    if let Err(SessionError::AppendedSince { lines, .. }) = &undone {
        lines.iter().try_for_each(|line| output.remark(line))?;
    }
    let Undone { rewrite, kept } = undone?;
    drop(change);
    if output.json {
        let kept = kept.map(|kept| kept.to_string_lossy().into_owned());
        output.value(&rewrite_value(&rewrite).with_some("kept", kept).into())?;
        return Ok(Exit::Ok);
    }
    let operation = match rewrite.operation.as_str() {
        MIGRATION => "the migration to version 3",
        other => other,
    };
    output.line(&format!(
        "Undone: {operation} of {}, at {}",
        clean_line(&workspace.display(&rewrite.path)),
        rewrite.timestamp,
    ))?;
    output.line(&format!(
        "Restored from the backup {}",
        clean_line(&workspace.display(&rewrite.backup))
    ))?;
    if let Some(kept) = kept {
        output.line(&format!(
            "The file as it was before is kept in {}",
            clean_line(&workspace.display(&kept))
        ))?;
    }
    Ok(Exit::Ok)
}

fn rewrite_value(rewrite: &Rewrite) -> Object {
    Object::new()
        .with("changed", true)
        .with("operation", rewrite.operation.as_str())
        .with("timestamp", rewrite.timestamp.as_str())
        .with("path", rewrite.path.to_string_lossy().into_owned())
        .with("backup", rewrite.backup.to_string_lossy().into_owned())
}

fn print_rewrite(rewrite: &Rewrite, workspace: &Workspace, output: &mut Output) -> Result<()> {
    if output.json {
        return output.value(&rewrite_value(rewrite).into());
    }
    output.line(&format!(
        "Migrated to version 3: {}",
        clean_line(&workspace.display(&rewrite.path))
    ))?;
    output.line(&format!(
        "The old file is kept in {}",
        clean_line(&workspace.display(&rewrite.backup))
    ))
}
