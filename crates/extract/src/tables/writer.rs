//! The rows of all sessions become the files of the tables.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::columns::Table;
use super::entries::money;
use super::parquet_file::ParquetFile;
use super::row::{Cell, TableRow};
use super::spend::{Counted, CountedFile};
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::output::{Assembler, OutputFile, OutputShard, Placement, Target, WrittenFile};
use crate::quality::Split;

/// The number of the piece that begins a session: it tells the session's file.
pub(crate) const BEGIN_SESSION: u8 = Table::ALL.len() as u8;

/// What is written in place of a text in which something is found even after redaction.
const HIDDEN: &str = "[redacted]";

/// Writes one Parquet file for each table.
pub struct TableWriter {
    counted: Arc<Counted>,
    /// Whether the usages that stand in no session's file are written here.
    has_records: bool,
    files: Vec<ParquetFile<OutputFile>>,
    /// What counts in the file of the session at hand.
    current: Option<CountedFile>,
    /// The entries of the session at hand whose usages count, by line.
    entries: HashMap<u32, Option<String>>,
    /// Hides what the ledger says: it is read from the files as they are.
    guard: Arc<dyn Guard>,
    /// What is written in place of a text of the ledger.
    hidden: HashMap<String, String>,
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
            counted: Arc::clone(counted),
            // What stands in no session's file is in the last one.
            has_records: shard.place.is_none_or(|(number, of)| number + 1 == of),
            files,
            current: None,
            entries: HashMap::new(),
            guard: Arc::clone(guard),
            hidden: HashMap::new(),
        })
    }

    fn begin_session(&mut self, key: &[u8]) {
        let key = String::from_utf8_lossy(key);
        self.current = self.counted.of_file(&key).cloned();
        let lines = self.current.iter().flat_map(CountedFile::lines);
        self.entries = lines.map(|line| (line, None)).collect();
    }

    fn add(&mut self, row: TableRow) -> Result<(), ExtractError> {
        let at = Table::ALL.iter().position(|table| *table == row.table);
        match at.and_then(|at| self.files.get_mut(at)) {
            Some(file) => file.add(row),
            None => Err(ExtractError::Unexpected("a row of a table that is not there")),
        }
    }

    /// Hides in a row what the ledger has read: the names of models are whatever a file says.
    fn hide(&mut self, row: &mut TableRow, columns: &[&'static str]) {
        for &column in columns {
            let Some(Cell::Text(text)) = row.get(column) else { continue };
            if !self.hidden.contains_key(text) {
                let shown = self.guard.redact_text(text).unwrap_or_else(|| text.clone());
                let leak = self.guard.leak_beside(&shown);
                let shown = leak.map_or(shown, |_| HIDDEN.to_owned());
                self.hidden.insert(text.clone(), shown);
            }
            let shown = self.hidden.get(text).cloned();
            row.set(column, shown);
        }
    }

    /// Marks an entry whose usage counts here. Where nothing is known of the file nothing is said.
    fn mark_counted(&mut self, row: &mut TableRow) {
        if self.current.is_none() {
            row.set("counted", Cell::Empty);
            return;
        }
        let Some(Cell::Int(line)) = row.get("line") else { return };
        let Some(slot) = u32::try_from(*line).ok().and_then(|line| self.entries.get_mut(&line))
        else {
            return;
        };
        if let Some(Cell::Text(id)) = row.get("entry_id") {
            *slot = Some(id.clone());
        }
        row.set("counted", true);
    }

    /// Adds what is counted for a session. Its own row is the last one of it.
    fn end_session(&mut self, row: &mut TableRow) -> Result<(), ExtractError> {
        let Some(counted) = self.current.take() else { return Ok(()) };
        row.set("counted_cost_usd", money(counted.cost_units()));
        let entries = std::mem::take(&mut self.entries);
        for usage in counted.usages() {
            let mut spent = usage.row();
            self.hide(&mut spent, &["provider", "model"]);
            for name in ["session_id", "file_id"] {
                spent.set(name, row.get(name).cloned().unwrap_or_default());
            }
            let entry = usage.line().and_then(|line| entries.get(&line));
            spent.set("entry_id", entry.cloned().flatten());
            self.add(spent)?;
        }
        Ok(())
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
            self.begin_session(bytes);
            return Ok(());
        }
        let Some(mut row) = TableRow::parse(bytes) else {
            return Err(ExtractError::Unexpected("a row of a table that cannot be read"));
        };
        match row.table {
            Table::Entries => self.mark_counted(&mut row),
            Table::Sessions => self.end_session(&mut row)?,
            Table::Samples => {
                let split = Some(placement.split).filter(|split| *split != Split::All);
                row.set("split", split.map(Split::file_name));
                row.set("dedupe_cluster", placement.cluster);
            }
            Table::ToolCalls | Table::Redactions | Table::Spend => {}
        }
        self.add(row)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<WrittenFile>, ExtractError> {
        let counted = Arc::clone(&self.counted);
        let records = counted.record_rows().take(if self.has_records { usize::MAX } else { 0 });
        for mut row in records {
            self.hide(&mut row, &["provider", "model", "session_id"]);
            self.add(row)?;
        }
        self.files.into_iter().map(|file| file.finish()?.finish()).collect()
    }
}
