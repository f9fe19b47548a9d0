//! `pitree import`: a session file from elsewhere, copied to where sessions lie.
//!
//! A session of a colleague belongs to a directory that is not here; its copy belongs to the current
//! one, and a note says so.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use clap::Args;
use pitree_export::ExportError;
use pitree_export::import::{ImportOptions, ImportSource, import};
use pitree_format::Object;
use pitree_session::{Session, paths};

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::{Workspace, work_on_each};

#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// Session files; `-` reads one from standard input
    #[arg(value_name = "FILE|-", required = true)]
    files: Vec<PathBuf>,

    /// Assign the copy to this working directory instead of the one in its header [default: the
    /// current directory, if the one in the header does not exist]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

pub(crate) fn run(args: &ImportArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let here = workspace.quiet_store().session_ids();
    let here = here.into_iter().map(|found| (found.id, found.path)).collect();
    let cwd = args.cwd.as_deref().map(|cwd| workspace.directory(Some(cwd))).transpose()?;
    let fallback_cwd = Some(workspace.directory(None)?);
    let mut options = ImportOptions { cwd, fallback_cwd, directory: None, here };
    let is_only = args.files.len() == 1;
    let files = args.files.iter();
    let files = files.map(|file| (file.to_string_lossy().into_owned(), Ok(file.clone())));
    let done = work_on_each(&workspace.caller, files, |file| {
        import_one(file, is_only, &mut options, workspace, output)
    });
    done.finish(output)?;
    Ok(Exit::Ok)
}

fn import_one(
    file: &Path,
    is_only: bool,
    options: &mut ImportOptions,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let mut input = std::io::stdin().lock();
    let path = paths::resolve(file, &workspace.environment);
    let mut pipe = open_pipe(&path)?;
    let is_input = file == Path::new("-");
    let source = match &mut pipe {
        _ if is_input => ImportSource::Stream(&mut input),
        Some(pipe) => ImportSource::Stream(pipe),
        None => ImportSource::File(&path),
    };
    let mut change = workspace.adding_to(&workspace.location.path);
    let imported = import(source, &workspace.location, options, &workspace.environment);
    let imported = imported.map_err(|error| say_what_to_do(error, file, is_only))?;
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
    if let Some(missing) = &imported.missing_cwd {
        let name = if is_input { "the input".to_owned() } else { named(file) };
        output.remark(&format!(
            "note: the directory of {name}, {}, does not exist here; the copy belongs to {} \
             (`--cwd DIR` chooses another one)",
            missing.display(),
            session.cwd().display()
        ))?;
    }
    Ok(())
}

/// A pipe that the shell has opened for this command, such as that of `<(zcat s.jsonl.gz)`. Others
/// are refused: nobody may ever write to them.
fn open_pipe(path: &Path) -> Result<Option<fs_err::File>> {
    let is_open = path.starts_with("/dev/fd") || path == Path::new("/dev/stdin");
    let is_pipe = |metadata: std::fs::Metadata| metadata.file_type().is_fifo();
    match is_open && fs_err::metadata(path).is_ok_and(is_pipe) {
        true => fs_err::File::open(path).map(Some).map_err(CommandError::Input),
        false => Ok(None),
    }
}

fn named(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

fn say_what_to_do(error: ExportError, file: &Path, is_only: bool) -> CommandError {
    let ExportError::IdExists { .. } = &error else { return error.into() };
    let fork = "`pitree fork FILE --whole` copies a session under a new id";
    match is_only {
        true => CommandError::Refused {
            message: error.to_string(),
            hint: Some(format!("nothing was imported; {fork}")),
        },
        // Of several files, nothing else says which one it was.
        false => CommandError::Refused {
            message: format!("{} was not imported: {error}", named(file)),
            hint: Some(fork.to_owned()),
        },
    }
}

/// The directory that Pi has named the folder of a session after.
pub(super) fn directory_by_folder(session: &Session) -> Option<PathBuf> {
    let folder = session.path()?.parent()?.file_name()?.to_str()?;
    paths::decode_cwd(folder)
}
