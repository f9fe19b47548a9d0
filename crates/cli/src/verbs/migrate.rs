//! `pitree migrate` and `pitree undo`: rewriting an old version, and the way back.

use clap::Args;
use pitree_format::Object;
use pitree_session::{Rewrite, Session, undo_last};

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::{Place, Target};

#[derive(Args, Debug)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    target: Target,

    /// Undo even if the file has changed since
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(
    args: &MigrateArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut session = Session::open(place.find(&args.target)?, &place.environment)?;
    let change = session.path().map(|path| place.changing(path));
    let rewrite = session.migrate()?;
    drop(change);
    match rewrite {
        Some(rewrite) => print_rewrite("Migrated to version 3", &rewrite, true, place, output)?,
        None if output.json => output.value(&Object::new().with("changed", false).into())?,
        None => output.line("The file is version 3 already.")?,
    }
    Ok(Exit::Ok)
}

pub(crate) fn run_undo(
    args: &UndoArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let path = place.find(&args.target)?;
    let change = place.changing(&path);
    let rewrite = undo_last(&path, args.force, &place.environment)?;
    drop(change);
    print_rewrite(&format!("Undone: {}", rewrite.operation), &rewrite, true, place, output)?;
    Ok(Exit::Ok)
}

fn print_rewrite(
    what: &str,
    rewrite: &Rewrite,
    changed: bool,
    place: &Place,
    output: &mut Output,
) -> Result<(), CommandError> {
    if output.json {
        let value = Object::new()
            .with("changed", changed)
            .with("operation", rewrite.operation.as_str())
            .with("path", rewrite.path.to_string_lossy().into_owned())
            .with("backup", rewrite.backup.to_string_lossy().into_owned());
        return output.value(&value.into());
    }
    output.line(&format!("{what}: {}", place.display(&rewrite.path)))?;
    output.line(&format!("The old file is kept in {}", place.display(&rewrite.backup)))
}
