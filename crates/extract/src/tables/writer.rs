//! The rows of all sessions become the files of the tables.

use std::path::Path;
use std::sync::Arc;

use super::columns::Table;
use super::completer::RowCompleter;
use super::parquet_file::ParquetFile;
use super::row::TableRow;
use super::spend::Counted;
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::output::{Assembler, OutputFile, OutputShard, Placement, Target, WrittenFile};
use crate::quality::Split;

/// The number of the piece that begins a session: it tells the session's file.
pub(crate) const BEGIN_SESSION: u8 = Table::ALL.len() as u8;

/// Writes one Parquet file for each table.
pub struct TableWriter {
    files: TableFiles,
    completer: RowCompleter,
    /// Whether the usages that stand in no session's file are written here.
    has_records: bool,
}

/// The files, in the order of the tables.
struct TableFiles(Vec<ParquetFile<OutputFile>>);

impl TableFiles {
    fn add(&mut self, row: TableRow) -> Result<(), ExtractError> {
        let at = Table::ALL.iter().position(|table| *table == row.table);
        match at.and_then(|at| self.0.get_mut(at)) {
            Some(file) => file.add(row),
            None => Err(ExtractError::Unexpected("a row of a table that is not there")),
        }
    }
}

impl TableWriter {
    /// Writes a shard into this folder.
    pub fn new(
        folder: &Path,
        shard: &OutputShard,
        counted: &Arc<Counted>,
        guard: &Arc<dyn Guard>,
    ) -> Result<Self, ExtractError> {
        let mut files = Vec::new();
        for table in Table::ALL {
            let name = shard.file_name(table.name(), ".parquet");
            let file = OutputFile::create(folder, Path::new(&name))?;
            let path = file.path().to_owned();
            files.push(ParquetFile::new(table, file, &path)?);
        }
        Ok(Self {
            files: TableFiles(files),
            completer: RowCompleter::new(Arc::clone(counted), Arc::clone(guard)),
            // What stands in no session's file is in the last one.
            has_records: shard.place.is_none_or(|(number, of)| number + 1 == of),
        })
    }
}

impl Assembler for TableWriter {
    fn piece(
        &mut self,
        to: Target<'_>,
        placement: &Placement<'_>,
        bytes: &[u8],
    ) -> Result<(), ExtractError> {
        if to == Target::Table(BEGIN_SESSION) {
            self.completer.begin_session(bytes);
            return Ok(());
        }
        let Some(mut row) = TableRow::parse(bytes) else {
            return Err(ExtractError::Unexpected("a row of a table that cannot be read"));
        };
        if row.table == Table::Samples {
            let split = Some(placement.split).filter(|split| *split != Split::All);
            row.set("split", split.map(Split::file_name));
            row.set("dedupe_cluster", placement.cluster);
        }
        let files = &mut self.files;
        self.completer.complete(row, &mut |row| files.add(row))
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<WrittenFile>, ExtractError> {
        let files = &mut self.files;
        if self.has_records {
            self.completer.finish(&mut |row| files.add(row))?;
        }
        self.files.0.into_iter().map(|file| file.finish()?.finish()).collect()
    }
}
