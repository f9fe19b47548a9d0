//! A row for a sample.

use pitree_sample::{Sample, SampleKind};

use super::columns::Table;
use super::row::{Cell, TableRow};
use crate::format::ChatCells;
use crate::reason::DropReason;

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
