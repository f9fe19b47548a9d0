//! A row for a sample.

use super::columns::Table;
use super::row::{Cell, TableRow};
use crate::sample::{Sample, SampleKind};

/// The row of a sample. The part of the split and the group of near duplicates are known later.
pub fn sample_row(sample: &Sample, file_id: &str) -> TableRow {
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
    row.set("n_messages", sample.messages.len());
    row.set("n_target_turns", sample.turns().filter(|(_, trained)| *trained).count());
    row.set("trained", Cell::Bools(sample.turns().map(|(_, trained)| trained).collect()));
    row
}
