//! The rows of one table for a program, chosen and redacted as `extract` does it.

use pitree_extract::sources::Chosen;
use pitree_extract::tables::Table;
use pitree_extract::{ExtractError, ExtractOptions, LeftOut, TakeRow, run_rows as extract_rows};

use super::{ExtractArgs, left_out, options, sources};
use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::clean_line;

/// Gives all rows of a table, until nobody wants more.
pub(crate) fn run_rows(
    args: &ExtractArgs,
    table: Table,
    take: TakeRow<'_>,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let outcomes = sources::outcomes(args, workspace)?;
    let chosen = sources::chosen(args, workspace, &outcomes)?;
    for remark in chosen.outcomes.remarks() {
        output.remark(&clean_line(&remark))?;
    }
    let Chosen { sources, no_sessions, skipped, .. } = chosen;
    let no_sessions = no_sessions.into_iter().map(|(path, why)| (path, LeftOut::from(&why)));
    let no_sessions = no_sessions.collect();
    let options =
        ExtractOptions { no_sessions, skipped, ..options(args, &sources, workspace, output)? };
    match extract_rows(&sources, table, &options, take, &workspace.environment) {
        Err(ExtractError::Cancelled) => return Ok(Exit::Ok),
        Err(ExtractError::Io { source, .. }) if is_enough(&source) => return Ok(Exit::Ok),
        report => left_out::remark_all(&report?, workspace, output)?,
    }
    Ok(Exit::Ok)
}

/// Whether whoever takes the rows wanted no more.
fn is_enough(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::BrokenPipe
}
