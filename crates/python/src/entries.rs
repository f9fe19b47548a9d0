//! The entries of an open session, one by one.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

use crate::session::Session;

/// An iterator over the entries of a session. It also returns entries that are appended meanwhile.
#[pyclass(frozen, module = "pitree")]
pub(crate) struct SessionEntries {
    session: Py<Session>,
    /// The place of the next entry.
    next: AtomicUsize,
}

impl SessionEntries {
    pub(crate) fn of(session: Py<Session>) -> Self {
        Self { session, next: AtomicUsize::new(0) }
    }
}

#[pymethods]
impl SessionEntries {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.session.get().at(py, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
