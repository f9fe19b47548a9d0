//! Options by name, as Python passes them.

use std::ffi::OsString;
use std::path::PathBuf;

use pitree::guest::{self, Failure, OptionValue};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::errors;

/// Options with their values.
pub(crate) type Given = Vec<(String, OptionValue)>;

/// What was passed by name.
pub(crate) fn given(options: Option<&Bound<'_, PyDict>>) -> PyResult<Given> {
    let Some(options) = options else { return Ok(Vec::new()) };
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let value = value_of(&value).map_err(|error| {
            if is_type_error(&error) { wrong_type(&name, &value) } else { error }
        })?;
        Ok((name, value))
    };
    options.iter().map(one).collect()
}

/// The same for a function that sets some options of its verb by itself: it does not take these.
pub(crate) fn given_to(
    py: Python<'_>,
    function: &str,
    own: &[&str],
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Given> {
    let given = given(options)?;
    match given.iter().find(|(name, _)| own.contains(&name.trim_end_matches('_'))) {
        None => Ok(given),
        Some((name, _)) => {
            let message = format!("`{function}` has no option `{name}`");
            let failure = Failure { kind: "usage", message, path: None, line: None, hint: None };
            Err(errors::of(py, failure))
        }
    }
}

/// The words for a verb.
pub(crate) fn words(py: Python<'_>, verb: &str, given: &Given) -> PyResult<Vec<OsString>> {
    guest::words(verb, given).map_err(|failure| errors::of(py, failure))
}

fn value_of(value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if value.is_none() {
        return Ok(OptionValue::None);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(OptionValue::Flag(flag.is_true()));
    }
    if is_single(value)? {
        return single(value).map(OptionValue::Value);
    }
    let values: PyResult<Vec<OsString>> = value.try_iter()?.map(|one| single(&one?)).collect();
    values.map(OptionValue::Values)
}

fn is_single(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_plain = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>();
    Ok(is_plain || value.hasattr("__fspath__")? || value.hasattr("isoformat")?)
}

/// One value as it would be typed: text, a number, a path, or a date.
fn single(value: &Bound<'_, PyAny>) -> PyResult<OsString> {
    if value.is_instance_of::<PyString>() {
        return value.extract();
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return value.str()?.extract();
    }
    if value.hasattr("isoformat")? {
        return value.call_method0("isoformat")?.extract();
    }
    Ok(value.extract::<PathBuf>()?.into_os_string())
}

fn is_type_error(error: &PyErr) -> bool {
    Python::attach(|py| error.is_instance_of::<PyTypeError>(py))
}

fn wrong_type(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!(
        "`{name}` takes a string, a number, a path, True, False, or a list of these, not {kind}"
    ))
}

/// What stands without a name: an id, a path, or several of them.
pub(crate) fn operand(value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    value_of(value)
        .map_err(|error| if is_type_error(&error) { wrong_type("session", value) } else { error })
}
