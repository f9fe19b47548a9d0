//! The rows of one table for a program, chosen and redacted as `extract` does it.

use pitree_extract::tables::Table;
use pitree_extract::{ExtractError, TakeRow, run_rows as extract_rows};

use super::selected::Selected;
use super::{ExtractArgs, left_out};
use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::Workspace;

/// Gives all rows of a table, until nobody wants more.
pub(crate) fn run_rows(
    args: &ExtractArgs,
    table: Table,
    take: TakeRow<'_>,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let selected = Selected::find(args, &workspace.caller.cancel()?, workspace, output)?;
    let options = selected.options(args, workspace, output)?;
    match extract_rows(&selected.sources, table, &options, take, &workspace.environment) {
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
