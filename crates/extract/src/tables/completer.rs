//! What is known of a row only when all sessions are: which usages count, and where.

use std::collections::HashMap;
use std::sync::Arc;

use super::columns::Table;
use super::entries::money;
use super::row::{Cell, TableRow};
use super::session_rows::Emit;
use super::spend::{Counted, CountedFile};
use crate::error::ExtractError;
use crate::guard::Guard;

/// What is written in place of a text in which something is found even after redaction.
const HIDDEN: &str = "[redacted]";

/// Completes the rows of all sessions, one session after the other, and adds those of `spend`.
pub(crate) struct RowCompleter {
    counted: Arc<Counted>,
    /// What counts in the file of the session at hand.
    current: Option<CountedFile>,
    /// The entries of the session at hand whose usages count, by line.
    entries: HashMap<u32, Option<String>>,
    /// Hides what the ledger says: it is read from the files as they are.
    guard: Arc<dyn Guard>,
    /// What is written in place of a text of the ledger.
    hidden: HashMap<String, String>,
}

impl RowCompleter {
    pub(crate) fn new(counted: Arc<Counted>, guard: Arc<dyn Guard>) -> Self {
        let (current, entries, hidden) = (None, HashMap::new(), HashMap::new());
        Self { counted, current, entries, guard, hidden }
    }

    /// The rows that follow are of the session whose file has this key.
    pub(crate) fn begin_session(&mut self, key: &[u8]) {
        let key = String::from_utf8_lossy(key);
        self.current = self.counted.of_file(&key).cloned();
        let lines = self.current.iter().flat_map(CountedFile::lines);
        self.entries = lines.map(|line| (line, None)).collect();
    }

    /// Gives on a row when it is complete. The row of the session itself is the last one of it.
    pub(crate) fn complete(
        &mut self,
        mut row: TableRow,
        emit: Emit<'_>,
    ) -> Result<(), ExtractError> {
        match row.table {
            Table::Entries => self.mark_counted(&mut row),
            Table::Sessions => self.end_session(&mut row, emit)?,
            Table::ToolCalls | Table::Samples | Table::Redactions | Table::Spend => {}
        }
        emit(row)
    }

    /// Gives the rows of what stands in no session's file.
    pub(crate) fn finish(&mut self, emit: Emit<'_>) -> Result<(), ExtractError> {
        let counted = Arc::clone(&self.counted);
        for mut row in counted.record_rows() {
            self.hide(&mut row, &["provider", "model", "session_id"]);
            emit(row)?;
        }
        Ok(())
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

    /// Adds what is counted for a session.
    fn end_session(&mut self, row: &mut TableRow, emit: Emit<'_>) -> Result<(), ExtractError> {
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
            emit(spent)?;
        }
        Ok(())
    }
}
