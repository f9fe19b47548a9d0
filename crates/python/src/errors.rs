//! What goes wrong, as exceptions. Their classes are in `pitree/_errors.py`.

use std::path::PathBuf;

use pitree::guest::{Failure, Remark};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for a failure.
pub(crate) fn of(py: Python<'_>, failure: Failure) -> PyErr {
    make(py, failure).unwrap_or_else(|error| error)
}

fn make(py: Python<'_>, failure: Failure) -> PyResult<PyErr> {
    let Failure { kind, message, path, line, hint } = failure;
    let about = PyDict::new(py);
    about.set_item("kind", kind)?;
    about.set_item("path", path.map(PathBuf::into_os_string))?;
    about.set_item("line", line)?;
    about.set_item("hint", hint)?;
    let classes = py.import("pitree._errors")?;
    Ok(PyErr::from_value(classes.call_method("error_of", (message,), Some(&about))?))
}

/// A mistake of pitree: a thread has panicked.
pub(crate) fn internal(py: Python<'_>) -> PyErr {
    let failure = Failure {
        kind: "internal",
        message: "pitree has made a mistake and gave up; what it said is on standard error".into(),
        path: None,
        line: None,
        hint: Some("please report it, with the session if you can".into()),
    };
    of(py, failure)
}

/// Hands on what was said besides an answer, to the logger `pitree`.
pub(crate) fn log(py: Python<'_>, remarks: &[Remark]) -> PyResult<()> {
    if remarks.is_empty() {
        return Ok(());
    }
    let logger = py.import("logging")?.call_method1("getLogger", ("pitree",))?;
    for remark in remarks {
        let level = if remark.is_warning { "warning" } else { "info" };
        logger.call_method1(level, ("%s", &remark.text))?;
    }
    Ok(())
}
