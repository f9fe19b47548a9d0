//! One table as a Parquet file.
//!
//! Rows are gathered until they are a row group, so memory is bounded however many rows there
//! are. Equal rows give equal bytes: nothing of the time, the machine or the version of a library
//! is written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::columns::{Column, Kind, Table};
use super::row::{Cell, TableRow};
use crate::error::ExtractError;

/// Digits of an amount of dollars, and how many of them are decimals.
const MONEY_DIGITS: (i32, i32) = (18, 12);

/// A row group ends with so many rows, or with so many bytes of text.
const GROUP_ROWS: usize = 1 << 16;
const GROUP_BYTES: usize = 32 << 20;

/// A table that is being written.
pub struct ParquetFile<W: Write + Send> {
    table: Table,
    path: PathBuf,
    writer: SerializedFileWriter<W>,
    /// The cells of the row group, by column.
    waiting: Vec<Vec<Cell>>,
    bytes: usize,
    rows: u64,
}

impl<W: Write + Send> ParquetFile<W> {
    /// A new file with no rows. The path is the one that errors name.
    pub fn new(table: Table, out: W, path: &Path) -> Result<Self, ExtractError> {
        let failed = |error| write_error(path, error);
        let schema = schema(table).map_err(failed)?;
        let properties = Arc::new(properties(table).map_err(failed)?);
        let writer = SerializedFileWriter::new(out, schema, properties).map_err(failed)?;
        let waiting = vec![Vec::new(); table.columns().len()];
        Ok(Self { table, path: path.to_owned(), writer, waiting, bytes: 0, rows: 0 })
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row of this table.
    pub fn add(&mut self, row: TableRow) -> Result<(), ExtractError> {
        debug_assert_eq!(row.table, self.table);
        for (column, cell) in self.waiting.iter_mut().zip(row.cells) {
            self.bytes += cell.text_bytes();
            column.push(cell);
        }
        self.rows += 1;
        if self.waiting[0].len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what waits and the end of the file.
    pub fn finish(mut self) -> Result<W, ExtractError> {
        if !self.waiting[0].is_empty() {
            self.write_group()?;
        }
        self.writer.into_inner().map_err(|error| write_error(&self.path, error))
    }

    fn write_group(&mut self) -> Result<(), ExtractError> {
        let result = self.try_write_group();
        self.bytes = 0;
        result.map_err(|error| write_error(&self.path, error))
    }

    fn try_write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.table.columns().iter().zip(&mut self.waiting);
        while let Some(mut out) = group.next_column()? {
            let Some((column, cells)) = columns.next() else { break };
            write_column(column.kind, std::mem::take(cells), &mut out)?;
            out.close()?;
        }
        group.close()?;
        Ok(())
    }
}

fn write_error(path: &Path, error: ParquetError) -> ExtractError {
    let source = match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(source) => *source,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    };
    ExtractError::Io { doing: "write", path: path.to_owned(), source }
}

fn schema(table: Table) -> Result<TypePtr, ParquetError> {
    let fields: Result<Vec<TypePtr>, _> = table.columns().iter().map(field).collect();
    Type::group_type_builder(table.name()).with_fields(fields?).build().map(Arc::new)
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let kind = match column.kind {
        Kind::Texts => Kind::Text,
        Kind::Bools => Kind::Bool,
        Kind::Jsons => Kind::Json,
        kind => return leaf(column.name, kind, Repetition::OPTIONAL),
    };
    let element = leaf("element", kind, Repetition::REQUIRED)?;
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![element])
        .build()?;
    Type::group_type_builder(column.name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
        .map(Arc::new)
}

fn leaf(name: &str, kind: Kind, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match kind {
        Kind::Text | Kind::Texts => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Json | Kind::Jsons => (Physical::BYTE_ARRAY, Some(LogicalType::Json)),
        Kind::Bool | Kind::Bools => (Physical::BOOLEAN, None),
        Kind::Int => (Physical::INT64, None),
        Kind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Kind::Money => {
            let (precision, scale) = MONEY_DIGITS;
            (Physical::INT64, Some(LogicalType::decimal(scale, precision)))
        }
    };
    let mut builder = Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical);
    if kind == Kind::Money {
        builder = builder.with_precision(MONEY_DIGITS.0).with_scale(MONEY_DIGITS.1);
    }
    builder.build().map(Arc::new)
}

fn properties(table: Table) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by("pitree".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?));
    // Long texts repeat neither each other nor are they looked up by their bounds.
    for column in table.columns() {
        let path = match column.kind {
            Kind::Json => ColumnPath::from(column.name),
            Kind::Jsons => {
                ColumnPath::new([column.name, "list", "element"].map(str::to_owned).to_vec())
            }
            Kind::Text if column.name == "text" => ColumnPath::from(column.name),
            _ => continue,
        };
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    Ok(builder.build())
}

fn write_column(
    kind: Kind,
    cells: Vec<Cell>,
    out: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    match kind {
        Kind::Int | Kind::Time | Kind::Money => write_cells::<Int64Type>(cells, out, |cell| {
            if let Cell::Int(number) = cell { Some(number) } else { None }
        }),
        Kind::Bool => write_cells::<BoolType>(cells, out, |cell| {
            if let Cell::Bool(is) = cell { Some(is) } else { None }
        }),
        Kind::Text | Kind::Json => write_cells::<ByteArrayType>(cells, out, |cell| match cell {
            Cell::Text(text) | Cell::Json(text) => Some(bytes(text)),
            _ => None,
        }),
        Kind::Bools => write_lists::<BoolType>(cells, out, |cell| {
            if let Cell::Bools(list) = cell { Some(list) } else { None }
        }),
        Kind::Texts | Kind::Jsons => write_lists::<ByteArrayType>(cells, out, |cell| match cell {
            Cell::Texts(list) | Cell::Jsons(list) => Some(list.into_iter().map(bytes).collect()),
            _ => None,
        }),
    }
}

fn bytes(text: String) -> ByteArray {
    ByteArray::from(text.into_bytes())
}

fn write_cells<T: DataType>(
    cells: Vec<Cell>,
    out: &mut SerializedColumnWriter<'_>,
    value: impl Fn(Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let mut levels = Vec::with_capacity(cells.len());
    let mut values = Vec::with_capacity(cells.len());
    for cell in cells {
        let value = value(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    out.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}

/// Levels of a list: 0 is no list, 1 one without elements, 2 an element. Those that begin a list
/// repeat at 0, the others at 1.
fn write_lists<T: DataType>(
    cells: Vec<Cell>,
    out: &mut SerializedColumnWriter<'_>,
    list: impl Fn(Cell) -> Option<Vec<T::T>>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let list = list(cell);
        let level = if list.is_some() { 1 } else { 0 };
        let list = list.unwrap_or_default();
        if list.is_empty() {
            levels.push(level);
            repeats.push(0);
        }
        for (number, value) in list.into_iter().enumerate() {
            levels.push(2);
            repeats.push(i16::from(number > 0));
            values.push(value);
        }
    }
    out.typed::<T>().write_batch(&values, Some(&levels), Some(&repeats))?;
    Ok(())
}

impl Cell {
    /// About how much memory it takes.
    fn text_bytes(&self) -> usize {
        let all = |list: &[String]| list.iter().map(String::len).sum();
        size_of::<Self>()
            + match self {
                Self::Text(text) | Self::Json(text) => text.len(),
                Self::Texts(list) | Self::Jsons(list) => all(list),
                Self::Bools(list) => list.len(),
                Self::Empty | Self::Int(_) | Self::Bool(_) => 0,
            }
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    /// How many rows the row groups have.
    fn groups(texts: impl Iterator<Item = String>) -> Vec<i64> {
        let out = tempfile::tempfile().unwrap();
        let mut file = ParquetFile::new(Table::Redactions, out, Path::new("x.parquet")).unwrap();
        for text in texts {
            let mut row = TableRow::new(Table::Redactions);
            row.set("json_path", text);
            file.add(row).unwrap();
        }
        let reader = SerializedFileReader::new(file.finish().unwrap()).unwrap();
        reader
            .metadata()
            .row_groups()
            .iter()
            .map(parquet::file::metadata::RowGroupMetaData::num_rows)
            .collect()
    }

    #[test]
    fn a_row_group_is_bounded_by_rows_and_by_bytes() {
        let many = groups((0..GROUP_ROWS + 3).map(|number| number.to_string()));
        assert_eq!(many, [GROUP_ROWS as i64, 3]);
        let large = groups((0..3).map(|_| "x".repeat(GROUP_BYTES / 2)));
        assert_eq!(large, [2, 1]);
        assert_eq!(groups(std::iter::empty()), [0; 0]);
    }

    #[test]
    fn a_disk_that_is_full_is_an_error_with_the_path() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
        }
        let file = ParquetFile::new(Table::Spend, Full, Path::new("x.parquet"));
        let error = file.and_then(ParquetFile::finish).err().unwrap();
        assert!(error.to_string().contains("x.parquet"), "{error}");
    }
}
