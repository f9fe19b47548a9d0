//! `parquet`: sessions as tables, and their samples as `chat` writes them.

use std::path::Path;
use std::sync::Arc;

use pitree_sample::{Sample, SampleKind};

use super::{ChatCells, FormatName, FormatOptions, SessionFormat};
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::output::{Assembler, Output, OutputShard, Target};
use crate::reason::DropReason;
use crate::tables::{
    BEGIN_SESSION, Cell, Counted, SessionTables, SourceFile, Table, TableRow, TableWriter,
    source_key,
};
use crate::task::SessionTask;

/// The format, ready for a run.
pub(super) fn prepare(options: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Tables::new(Arc::clone(&options.counted)))
}

/// Writes sessions as tables.
pub struct Tables {
    counted: Arc<Counted>,
}

impl Tables {
    /// With what counts of the sessions that are extracted.
    pub fn new(counted: Arc<Counted>) -> Self {
        Self { counted }
    }
}

impl SessionFormat for Tables {
    fn name(&self) -> FormatName {
        FormatName::Parquet
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let SessionTask { session, about, .. } = *task;
        let key = source_key(&task.options.mirrors.key(session.path().unwrap_or(Path::new(""))));
        out.session();
        out.piece(Target::Table(BEGIN_SESSION), key.as_bytes())?;
        let file = SourceFile {
            id: task.file_id(),
            bytes: task.bytes,
            blake3: Some(task.shown_hash().to_hex().to_string()),
        };
        let mut line = String::new();
        let mut put = |row: TableRow, out: &mut dyn Output| {
            line.clear();
            row.print(&mut line);
            out.piece(Target::Table(number(row.table)), line.as_bytes())
        };
        let tables = SessionTables { session, about, file: &file, hits: task.hits };
        tables.rows(&mut |row| put(row, out))?;
        task.samples(out, &mut |sample, out| match sample_row(&sample, &file.id) {
            Ok(mut row) => {
                let facts = task.facts(&sample);
                row.set("tokens", facts.tokens_or_guess());
                out.sample(facts);
                put(row, out)
            }
            Err(reason) => {
                out.left_out(reason, sample.target_count());
                Ok(())
            }
        })
    }

    fn assembler(
        &self,
        folder: &Path,
        shard: &OutputShard,
        guard: &Arc<dyn Guard>,
    ) -> Result<Box<dyn Assembler>, ExtractError> {
        Ok(Box::new(TableWriter::new(folder, shard, &self.counted, guard)?))
    }
}

fn number(table: Table) -> u8 {
    Table::ALL.iter().position(|other| *other == table).unwrap_or_default() as u8
}

/// The row of a sample. The part of the split and the group of near duplicates are known later.
/// `Err` says why a sample cannot be written.
pub fn sample_row(sample: &Sample, file_id: &str) -> Result<TableRow, DropReason> {
    let chat = ChatCells::of(sample)?;
    let mut row = TableRow::new(Table::Samples);
    row.set("sample_id", &sample.id);
    row.set("session_id", &sample.about.session_id);
    row.set("file_id", file_id);
    row.set("leaf_id", &sample.leaf_id);
    row.set(
        "kind",
        match sample.kind {
            SampleKind::Path => "path",
            SampleKind::Turn => "turn",
            SampleKind::Request => "request",
        },
    );
    row.set("segment", i64::from(sample.segment));
    row.set("n_messages", chat.messages.len());
    row.set("n_target_turns", chat.trained.iter().filter(|trained| **trained).count());
    row.set("messages", Cell::Jsons(chat.messages));
    row.set("trained", Cell::Bools(chat.trained));
    row.set("tools", chat.tools.map_or(Cell::Empty, Cell::Json));
    row.set("metadata", Cell::Json(chat.metadata));
    Ok(row)
}
