//! `pitree path`: the path from the root to an entry; Pi's `getBranch`.

use clap::Args;
use pitree_format::{Object, Value};

use crate::error::{Exit, Result};
use crate::output::{Output, Style};
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_line, shorten};

#[derive(Args, Debug)]
pub(crate) struct PathArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// The entry where the path ends (default: the leaf)
    entry: Option<String>,
}

pub(crate) fn run(args: &PathArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let session = workspace.open_shared(&args.target)?;
    let path = match &args.entry {
        Some(id) => session.path_to(session.entry_by_prefix(id)?.index()),
        None => session.active_path(),
    };
    if output.json {
        let entries: Result<Vec<Value>, _> =
            path.iter().map(pitree_session::EntryRef::value).collect();
        let object = Object::new()
            .with("entries", entries?)
            .with("leafId", path.last().map(pitree_session::EntryRef::id));
        output.value(&object.into())?;
        return Ok(Exit::Ok);
    }
    for entry in &path {
        let id = output.paint(Style::Dim, &clean_line(entry.id()));
        output.line(&format!("{id}  {}", shorten(&clean_line(&entry.outline()?), 140)))?;
    }
    Ok(Exit::Ok)
}
