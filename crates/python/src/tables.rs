//! Tables for Arrow: columns in the memory layout that pyarrow, polars, DuckDB and others share,
//! handed over by the PyCapsule interface without a copy.

mod batches;

use std::process;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pitree::guest::{Failure, OptionValue, Request};
use pitree_extract::tables::Table as TableName;
use pitree_session::summary::Cancel;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::options::Given;
use crate::{errors, options, verbs, work};
use batches::{BatchBuilder, schema_of};

/// So many batches wait to be taken.
const BATCHES_AHEAD: usize = 4;

/// The table that is asked for by another name than those of the files.
const TABLES: &str = "sessions, entries, tool_calls, redactions or spend";

/// What the thread that makes the rows sends.
type Sent = Result<RecordBatch, End>;

/// How the rows ended.
struct End(Result<pitree::guest::Ended, Failure>);

/// A table of all sessions, for anything that supports Arrow: `pyarrow.table(t)`, `polars.DataFrame(t)`,
/// `duckdb.sql("SELECT ... FROM t")`, `datasets.Dataset(pyarrow.table(t))`.
///
/// Each time it is taken the sessions are read again; rows come in batches, and only a few of them
/// wait in memory.
#[pyclass(frozen, module = "pitree")]
pub(crate) struct Table {
    table: TableName,
    given: Given,
}

/// A table of all sessions: `sessions`, `entries`, `tool_calls`, `redactions` or `spend`.
///
/// Takes the options of `pitree extract` that choose sessions and say what is redacted. The columns
/// are those of `pitree extract --format parquet`, see `docs/tables.md`.
/// Tables and samples of one process have the same `file_id`s; with `key=FILE` those of every run do.
///
/// >>> import pitree
/// >>> pitree.table("spend").column_names[:3]
/// ['session_id', 'file_id', 'entry_id']
#[pyfunction]
#[pyo3(signature = (table, /, **options))]
pub(crate) fn table(
    py: Python<'_>,
    table: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Table> {
    let table = named(py, table)?;
    let mut given = options::given_to(py, "table", &["format", "output"], options)?;
    let value = |name: &str, value: &str| (name.to_owned(), OptionValue::Value(value.into()));
    given.push(value("format", "parquet"));
    given.push(value("output", "-"));
    // What is wrong with the options is said now, and not when the table is taken.
    let words = options::words(py, "extract", &given)?;
    Request::validate(&words).map_err(|failure| errors::of(py, failure))?;
    Ok(Table { table, given })
}

/// The columns of a table: name, SQL type and what they mean.
#[pyfunction]
pub(crate) fn table_columns(
    py: Python<'_>,
    name: &str,
) -> PyResult<Vec<(&'static str, &'static str, &'static str)>> {
    let columns = named(py, name)?.columns().iter();
    Ok(columns.map(|column| (column.name, column.kind.sql_name(), column.about)).collect())
}

fn named(py: Python<'_>, name: &str) -> PyResult<TableName> {
    let found = TableName::from_name(name).filter(|table| *table != TableName::Samples);
    found.ok_or_else(|| {
        let hint = match name {
            "samples" => Some("`iter_samples` returns the samples".to_owned()),
            _ => None,
        };
        let message = format!("there is no table `{name}`; it is one of {TABLES}");
        errors::of(py, Failure { kind: "usage", message, path: None, line: None, hint })
    })
}

#[pymethods]
impl Table {
    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.table.name()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&'static str> {
        self.table.columns().iter().map(|column| column.name).collect()
    }

    fn __repr__(&self) -> String {
        format!("<pitree.Table {:?}>", self.table.name())
    }

    /// The schema, by Arrow's PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*schema_of(self.table))
            .map_err(|error| arrow_error(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows, by Arrow's PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // It may be left out of account, and whoever asks for it casts the columns himself.
        let _ = requested_schema;
        let rows = Rows::start(py, self.table, options::words(py, "extract", &self.given)?)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(rows));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

fn arrow_error(error: &ArrowError) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
}

/// The batches that a thread makes.
struct Rows {
    schema: SchemaRef,
    /// The first batch, for which all sessions had to be read.
    first: Option<RecordBatch>,
    /// `None` when all were taken.
    receiver: Mutex<Option<Receiver<Sent>>>,
    cancel: Cancel,
    process: u32,
}

impl Rows {
    /// Starts the work and waits for the first batch: whoever takes the others cannot be
    /// interrupted, but those come quickly.
    fn start(py: Python<'_>, table: TableName, words: Vec<std::ffi::OsString>) -> PyResult<Self> {
        let (cancel, schema) = (Cancel::new(), schema_of(table));
        let (sender, mut receiver) = sync_channel::<Sent>(BATCHES_AHEAD);
        let request = Request { cancel: cancel.clone(), ..Request::new(words) };
        let mut builder = BatchBuilder::new(table, SchemaRef::clone(&schema));
        work::spawn(move || {
            let mut failed = None;
            let ended = request.rows(table, &mut |row| match builder.add(row) {
                Ok(None) => true,
                Ok(Some(batch)) => sender.send(Ok(batch)).is_ok(),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            });
            let rest = failed.map_or_else(|| builder.finish(), Err);
            let ended = match rest {
                Ok(Some(batch)) if ended.is_ok() => {
                    sender.send(Ok(batch)).map_or_else(|_| None, |()| Some(ended))
                }
                Ok(_) => Some(ended),
                Err(error) => Some(Err(broken(&error))),
            };
            if let Some(ended) = ended {
                let _ = sender.send(Err(End(ended)));
            }
        })?;
        let mut rows = Self {
            schema,
            first: None,
            receiver: Mutex::new(None),
            cancel: cancel.clone(),
            process: process::id(),
        };
        match work::receive(py, &mut receiver, &cancel)? {
            Some(Ok(batch)) => {
                rows.first = Some(batch);
                rows.receiver = Mutex::new(Some(receiver));
            }
            Some(Err(End(ended))) => {
                verbs::tell(py, &ended.map_err(|failure| errors::of(py, failure))?)?;
            }
            None => return Err(errors::internal(py)),
        }
        Ok(rows)
    }
}

fn broken(error: &ArrowError) -> Failure {
    let message = format!("The rows do not fit their table: {error}");
    Failure { kind: "bad-data", message, path: None, line: None, hint: None }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.process != process::id() {
            let problem = "the rows belong to the process that asked for them";
            return Some(Err(ArrowError::CDataInterface(problem.to_owned())));
        }
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let slot = self.receiver.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let sent = slot.as_ref()?.recv();
        if let Ok(Ok(batch)) = sent {
            return Some(Ok(batch));
        }
        *slot = None;
        match sent {
            Ok(Err(End(Ok(ended)))) => {
                // Readers let go of the interpreter while they wait, or ask in the thread that has
                // it. What they get does not depend on whether it can be logged.
                let _ = Python::try_attach(|py| verbs::tell(py, &ended));
                None
            }
            Ok(Err(End(Err(failure)))) => {
                Some(Err(ArrowError::ExternalError(failure.message.into())))
            }
            Ok(Ok(_)) => None,
            Err(_) => Some(Err(ArrowError::ExternalError("a thread has panicked".into()))),
        }
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
