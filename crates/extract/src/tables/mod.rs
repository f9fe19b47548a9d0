//! Sessions as tables: Parquet files that DuckDB, pandas and Hugging Face read.
//!
//! [`SessionTables`] makes the rows of one session. Rows wait as
//! lines of text until all sessions are known, and go through [`TableWriter`] into one Parquet
//! file for each table.

mod columns;
mod completer;
mod entries;
mod page;
mod parquet_file;
mod redactions;
mod row;
mod session_rows;
mod spend;
mod tool_calls;
mod writer;

pub use columns::{Column, Kind, Table};
pub(crate) use completer::RowCompleter;
pub(crate) use entries::usage_of;
pub use page::{OPENING, columns_page};
pub use parquet_file::ParquetFile;
pub use row::{Cell, TableRow};
pub use session_rows::{Emit, SessionTables, SourceFile};
pub use spend::Counted;
pub(crate) use spend::source_key;
pub(crate) use writer::BEGIN_SESSION;
pub use writer::TableWriter;
