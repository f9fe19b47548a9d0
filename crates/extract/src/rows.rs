//! The rows of one table, given to whoever wants them instead of written to a file.
//!
//! A run writes them as lines, since rows wait as lines in any case; here the lines become rows
//! again and are completed as those of a file are. Samples have no rows here: a run gives them as
//! lines of any format.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pitree_session::Environment;

use crate::error::ExtractError;
use crate::format::{FormatName, SessionFormat};
use crate::options::ExtractOptions;
use crate::output::{Output, Target};
use crate::report::Report;
use crate::run::run_to;
use crate::sources::Source;
use crate::tables::{RowCompleter, SessionTables, SourceFile, Table, TableRow, source_key};
use crate::task::SessionTask;

/// Where rows go; `false` ends the work.
pub type TakeRow<'t> = &'t mut dyn FnMut(TableRow) -> bool;

/// Gives all rows of a table, session by session. Nothing is kept in a cache.
pub fn run_rows(
    sources: &[Source],
    table: Table,
    options: &ExtractOptions,
    take: TakeRow<'_>,
    environment: &Environment,
) -> Result<Report, ExtractError> {
    let options = ExtractOptions { cache: None, ..options.clone() };
    let counted = Arc::clone(&options.form.counted);
    let completer = RowCompleter::new(counted, Arc::clone(&options.guard));
    let mut lines = RowLines { table, completer, line: Vec::new(), take };
    let report = run_to(sources, &RowFormat { table }, &options, &mut lines, environment)?;
    lines.finish()?;
    Ok(report)
}

/// The rows that are needed to complete those of a table.
fn needed(table: Table) -> &'static [Table] {
    match table {
        Table::Sessions => &[Table::Sessions],
        Table::Entries => &[Table::Entries],
        Table::ToolCalls => &[Table::ToolCalls],
        Table::Redactions => &[Table::Redactions],
        Table::Spend => &[Table::Entries, Table::Sessions],
        Table::Samples => &[],
    }
}

/// Prints the rows of one table as lines.
struct RowFormat {
    table: Table,
}

impl SessionFormat for RowFormat {
    fn name(&self) -> FormatName {
        FormatName::Parquet
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let SessionTask { session, about, .. } = *task;
        out.session();
        let key = source_key(&task.options.mirrors.key(session.path().unwrap_or(Path::new(""))));
        out.piece(Target::Data, key.as_bytes())?;
        let file = SourceFile {
            id: task.file_id(),
            bytes: task.bytes,
            blake3: Some(task.shown_hash().to_hex().to_string()),
        };
        let needed = needed(self.table);
        let mut line = String::new();
        SessionTables { session, about, file: &file, hits: task.hits }.rows(&mut |row| {
            if !needed.contains(&row.table) {
                return Ok(());
            }
            line.clear();
            row.print(&mut line);
            out.piece(Target::Data, line.as_bytes())
        })
    }
}

/// Takes lines, and gives the rows that they are.
struct RowLines<'t> {
    table: Table,
    completer: RowCompleter,
    line: Vec<u8>,
    take: TakeRow<'t>,
}

impl RowLines<'_> {
    fn end_line(&mut self) -> Result<(), ExtractError> {
        let line = std::mem::take(&mut self.line);
        // A row begins with a bracket, and the key of a file has none.
        if line.first() != Some(&b'[') {
            self.completer.begin_session(&line);
            return Ok(());
        }
        let row = TableRow::parse(&line);
        let row = row.ok_or(ExtractError::Unexpected("a row of a table that cannot be read"))?;
        let (table, take) = (self.table, &mut self.take);
        self.completer.complete(row, &mut |row| give(row, table, take))
    }

    fn finish(&mut self) -> Result<(), ExtractError> {
        let (table, take) = (self.table, &mut self.take);
        self.completer.finish(&mut |row| give(row, table, take))
    }
}

fn give(row: TableRow, table: Table, take: TakeRow<'_>) -> Result<(), ExtractError> {
    match row.table != table || take(row) {
        true => Ok(()),
        false => Err(ExtractError::Cancelled),
    }
}

impl Write for RowLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // No line has a line feed in it, so one stands at the end of what is written.
        match bytes.split_last() {
            Some((b'\n', rest)) => {
                self.line.extend_from_slice(rest);
                self.end_line().map_err(|error| match error {
                    ExtractError::Cancelled => io::ErrorKind::BrokenPipe.into(),
                    other => io::Error::other(other),
                })?;
            }
            _ => self.line.extend_from_slice(bytes),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
