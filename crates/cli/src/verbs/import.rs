//! `pitree import`: a session file from elsewhere, copied to where sessions lie.

use std::path::{Path, PathBuf};

use clap::Args;
use pitree_export::ExportError;
use pitree_export::import::{ImportOptions, ImportSource, import};
use pitree_format::Object;
use pitree_session::{Session, paths};

use crate::error::{CommandError, Exit, Result, missing_directory};
use crate::output::Output;
use crate::target::{Workspace, work_on_each};

#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// Session files; `-` reads one from standard input
    #[arg(value_name = "FILE|-", required = true)]
    files: Vec<PathBuf>,

    /// Assign the copy to this working directory instead of the one in its header
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

pub(crate) fn run(args: &ImportArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let here = workspace.quiet_store().session_ids();
    let here = here.into_iter().map(|found| (found.id, found.path)).collect();
    let cwd = args.cwd.as_deref().map(|cwd| workspace.directory(Some(cwd))).transpose()?;
    let mut options = ImportOptions { cwd, directory: None, here };
    let files = args.files.iter();
    let files = files.map(|file| (file.to_string_lossy().into_owned(), Ok(file.clone())));
    let done = work_on_each(files, |file| import_one(file, &mut options, workspace, output));
    done.finish(output)?;
    Ok(Exit::Ok)
}

fn import_one(
    file: &Path,
    options: &mut ImportOptions,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let mut input = std::io::stdin().lock();
    let path = paths::resolve(file, &workspace.environment);
    let source = match file == Path::new("-") {
        true => ImportSource::Stream(&mut input),
        false => ImportSource::File(&path),
    };
    let mut change = workspace.adding_to(&workspace.location.path);
    let imported = import(source, &workspace.location, options, &workspace.environment);
    let imported = imported.map_err(say_what_to_do)?;
    let session = &imported.session;
    session.path().into_iter().for_each(|path| change.add(path));
    drop(change);
    let path = session.path().map(Path::to_owned);
    options.here.extend(path.map(|path| (session.id(), path)));
    let extra = Object::new()
        .with("cwd", session.cwd().to_string_lossy().into_owned())
        .with("copied", !imported.was_there);
    super::print_new_session(session, extra, output)?;
    if imported.was_there && !output.json {
        output.remark("it is already imported; nothing was copied")?;
    }
    Ok(())
}

fn say_what_to_do(error: ExportError) -> CommandError {
    let (message, hint) = match &error {
        ExportError::NoSuchDirectory { cwd } => (
            missing_directory(cwd),
            "nothing was imported; pass `--cwd DIR` to give it another directory",
        ),
        ExportError::IdExists { .. } => (
            error.to_string(),
            "nothing was imported; `pitree fork FILE --whole` copies a session under a new id",
        ),
        _ => return error.into(),
    };
    CommandError::Refused { message, hint: Some(hint.to_owned()) }
}

/// The directory that Pi has named the folder of a session after.
pub(super) fn directory_by_folder(session: &Session) -> Option<PathBuf> {
    let folder = session.path()?.parent()?.file_name()?.to_str()?;
    paths::decode_cwd(folder)
}
