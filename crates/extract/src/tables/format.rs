//! The tables as a form of a data set.

use std::path::Path;
use std::sync::Arc;

use super::columns::{TABLES, Table};
use super::row::TableRow;
use super::samples::sample_row;
use super::session_rows::{SessionTables, SourceFile};
use super::spend::{Counted, source_key};
use super::writer::{BEGIN_SESSION, TableWriter};
use crate::error::ExtractError;
use crate::format::FormatName;
use crate::output::{Assembler, Output, Split, Target};
use crate::run::{Extracted, SessionFormat};

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

    fn session(&self, extracted: &Extracted<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let Extracted { session, about, .. } = *extracted;
        let key = source_key(session.path().unwrap_or(Path::new("")));
        out.session();
        out.piece(Target::Table(BEGIN_SESSION), key.as_bytes())?;
        let file = SourceFile {
            id: extracted.file_id(),
            bytes: extracted.bytes,
            blake3: Some(extracted.shown_hash().to_hex().to_string()),
        };
        let mut line = String::new();
        let mut put = |row: TableRow, out: &mut dyn Output| {
            line.clear();
            row.print(&mut line);
            out.piece(Target::Table(number(row.table)), line.as_bytes())
        };
        let tables = SessionTables { session, about, file: &file, hits: extracted.hits };
        tables.rows(&mut |row| put(row, out))?;
        extracted.samples(out, &mut |sample, out| match sample_row(&sample, &file.id) {
            Ok(mut row) => {
                let facts = extracted.facts(&sample);
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
        _parts: &[Split],
    ) -> Result<Box<dyn Assembler>, ExtractError> {
        Ok(Box::new(TableWriter::new(folder, Arc::clone(&self.counted))?))
    }
}

fn number(table: Table) -> u8 {
    TABLES.iter().position(|other| *other == table).unwrap_or_default() as u8
}
