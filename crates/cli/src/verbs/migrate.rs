//! `pitree migrate` and `pitree undo`: rewriting an old version, and the way back.

use std::path::Path;

use clap::Args;
use pitree_format::Object;
use pitree_format::migrate::SourceVersion;
use pitree_session::{Rewrite, Session, undo_last};

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::{Place, Target, Targets};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    targets: Targets,
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
    let done = args.targets.each(place, |path| {
        let rewrite = migrate(path, place)?;
        Ok((path.to_owned(), rewrite))
    });
    for (path, rewrite) in &done.good {
        match rewrite {
            Some(rewrite) => print_rewrite("Migrated to version 3", rewrite, true, place, output)?,
            None if output.json => {
                let path = path.to_string_lossy().into_owned();
                output.value(&Object::new().with("changed", false).with("path", path).into())?;
            }
            None if args.targets.are_many() => {
                let path = clean_line(&place.display(path));
                output.line(&format!("Version 3 already: {path}"))?;
            }
            None => output.line("The file is version 3 already.")?,
        }
    }
    done.finish(output)?;
    Ok(Exit::Ok)
}

fn migrate(path: &Path, place: &Place) -> Result<Option<Rewrite>, CommandError> {
    let mut session = Session::open(path, &place.environment)?;
    let is_old = session.source_version() != SourceVersion::Current;
    let _change = session.path().filter(|_| is_old).map(|path| place.changing(path));
    Ok(session.migrate()?)
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
