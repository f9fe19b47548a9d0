//! Sessions as tables: Parquet files that DuckDB, pandas and Hugging Face read.
//!
//! [`SessionTables`] makes the rows of one session, [`sample_row`] that of a sample. Rows wait as
//! lines of text until all sessions are known, and go through [`TableWriter`] into one Parquet
//! file for each table.

mod columns;
mod entries;
mod format;
mod page;
mod parquet_file;
mod redactions;
mod row;
mod samples;
mod session_rows;
mod spend;
mod tool_calls;
mod writer;

pub use columns::{Column, Kind, TABLES, Table};
pub(crate) use entries::usage_of;
pub use format::Tables;
pub use page::{OPENING, columns_page};
pub use parquet_file::ParquetFile;
pub use row::{Cell, TableRow};
pub use samples::sample_row;
pub use session_rows::{Emit, SessionTables, SourceFile};
pub use spend::Counted;
pub use writer::TableWriter;
