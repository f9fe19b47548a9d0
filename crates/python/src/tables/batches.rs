//! Rows become batches of Arrow columns.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Decimal128Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use pitree_extract::tables::{Cell, Column, Kind, Table, TableRow};

/// A batch has so many rows, or fewer if they are large.
const MOST_ROWS: usize = 8192;
const MOST_BYTES: usize = 16 << 20;

/// The digits of an amount of money, and how many of them are decimals.
const MONEY: (u8, i8) = (18, 12);

/// The columns of a table as Arrow knows them.
pub(super) fn schema_of(table: Table) -> SchemaRef {
    let field = |column: &Column| Field::new(column.name, type_of(column.kind), true);
    Arc::new(Schema::new(table.columns().iter().map(field).collect::<Vec<_>>()))
}

fn type_of(kind: Kind) -> DataType {
    let list = |of| DataType::List(Arc::new(Field::new("item", of, true)));
    match kind {
        // JSON is text for everybody; not all readers know Arrow's extension type for it.
        Kind::Text | Kind::Json => DataType::Utf8,
        Kind::Int => DataType::Int64,
        Kind::Bool => DataType::Boolean,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        Kind::Money => DataType::Decimal128(MONEY.0, MONEY.1),
        Kind::Texts | Kind::Jsons => list(DataType::Utf8),
        Kind::Bools => list(DataType::Boolean),
    }
}

/// Collects rows until they are a batch.
pub(super) struct BatchBuilder {
    table: Table,
    schema: SchemaRef,
    rows: Vec<TableRow>,
    bytes: usize,
}

impl BatchBuilder {
    pub(super) fn new(table: Table, schema: SchemaRef) -> Self {
        Self { table, schema, rows: Vec::new(), bytes: 0 }
    }

    /// Adds a row, and returns a batch once there is one.
    pub(super) fn add(&mut self, row: TableRow) -> Result<Option<RecordBatch>, ArrowError> {
        self.bytes += row.cells.iter().map(text_bytes).sum::<usize>();
        self.rows.push(row);
        match self.rows.len() >= MOST_ROWS || self.bytes >= MOST_BYTES {
            true => self.finish(),
            false => Ok(None),
        }
    }

    /// What is left.
    pub(super) fn finish(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(None);
        }
        let columns = self.table.columns().iter().enumerate();
        let columns = columns.map(|(at, column)| {
            column_of(column.kind, rows.iter().map(move |row| row.cells.get(at)))
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(SchemaRef::clone(&self.schema), columns).map(Some)
    }
}

/// The cells of a column. One of another kind than the column's counts as empty.
fn column_of<'r>(
    kind: Kind,
    cells: impl Iterator<Item = Option<&'r Cell>>,
) -> Result<ArrayRef, ArrowError> {
    let number = |cell: Option<&Cell>| match cell {
        Some(Cell::Int(number)) => Some(*number),
        _ => None,
    };
    Ok(match kind {
        Kind::Text | Kind::Json => {
            let mut builder = StringBuilder::new();
            cells.for_each(|cell| builder.append_option(text(cell)));
            Arc::new(builder.finish())
        }
        Kind::Int => {
            let mut builder = Int64Builder::new();
            cells.for_each(|cell| builder.append_option(number(cell)));
            Arc::new(builder.finish())
        }
        Kind::Bool => {
            let mut builder = BooleanBuilder::new();
            cells.for_each(|cell| match cell {
                Some(Cell::Bool(is)) => builder.append_value(*is),
                _ => builder.append_null(),
            });
            Arc::new(builder.finish())
        }
        Kind::Time => {
            let mut builder = TimestampMillisecondBuilder::new().with_timezone("UTC");
            cells.for_each(|cell| builder.append_option(number(cell)));
            Arc::new(builder.finish())
        }
        Kind::Money => {
            let mut builder =
                Decimal128Builder::new().with_precision_and_scale(MONEY.0, MONEY.1)?;
            cells.for_each(|cell| builder.append_option(number(cell).map(i128::from)));
            Arc::new(builder.finish())
        }
        Kind::Texts | Kind::Jsons => {
            let mut builder = ListBuilder::new(StringBuilder::new());
            cells.for_each(|cell| {
                let texts = match cell {
                    Some(Cell::Texts(texts) | Cell::Jsons(texts)) => Some(texts),
                    _ => None,
                };
                texts.into_iter().flatten().for_each(|text| builder.values().append_value(text));
                builder.append(texts.is_some());
            });
            Arc::new(builder.finish())
        }
        Kind::Bools => {
            let mut builder = ListBuilder::new(BooleanBuilder::new());
            cells.for_each(|cell| {
                let list = match cell {
                    Some(Cell::Bools(list)) => Some(list),
                    _ => None,
                };
                list.into_iter().flatten().for_each(|is| builder.values().append_value(*is));
                builder.append(list.is_some());
            });
            Arc::new(builder.finish())
        }
    })
}

fn text(cell: Option<&Cell>) -> Option<&str> {
    match cell {
        Some(Cell::Text(text) | Cell::Json(text)) => Some(text),
        _ => None,
    }
}

fn text_bytes(cell: &Cell) -> usize {
    let all = |list: &[String]| list.iter().map(String::len).sum();
    match cell {
        Cell::Text(text) | Cell::Json(text) => text.len(),
        Cell::Texts(list) | Cell::Jsons(list) => all(list),
        Cell::Bools(list) => list.len(),
        Cell::Empty | Cell::Int(_) | Cell::Bool(_) => size_of::<i64>(),
    }
}
