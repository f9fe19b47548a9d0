//! The verbs that answer once: their options in, plain objects out.

use std::ffi::OsString;
use std::sync::{Arc, RwLock};

use pitree::guest::{self, Ended, Failure, OptionKind, Request};
use pitree_session::Session as RustSession;
use pitree_session::summary::Cancel;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::options::{self, Given};
use crate::{errors, json, work};

/// A session that is open.
pub(crate) type Shared = Arc<RwLock<RustSession>>;

/// What a verb is asked, besides its options.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) input: Vec<u8>,
    pub(crate) session: Option<Shared>,
}

/// Runs a verb and returns what it answers.
pub(crate) fn ask<'py>(
    py: Python<'py>,
    verb: &str,
    given: &Given,
    asked: Asked,
) -> PyResult<Bound<'py, PyAny>> {
    let words = options::words(py, verb, given)?;
    let text = answer(py, words, asked)?;
    json::load(py, &text)
}

/// Runs a verb by its words and returns what it prints.
fn answer(py: Python<'_>, words: Vec<OsString>, asked: Asked) -> PyResult<Vec<u8>> {
    let cancel = Cancel::new();
    let Asked { input, session } = asked;
    let request = Request { words, input, session, cancel: cancel.clone() };
    let answered = work::run(py, &cancel, move || request.answer())?;
    let (text, ended) = answered.map_err(|failure: Failure| errors::of(py, failure))?;
    tell(py, &ended)?;
    Ok(text)
}

/// Hands on what was said besides the answer.
pub(crate) fn tell(py: Python<'_>, ended: &Ended) -> PyResult<()> {
    errors::log(py, &ended.remarks)
}

fn ask_by_name<'py>(
    py: Python<'py>,
    verb: &str,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    ask(py, verb, &options::given(named)?, Asked::default())
}

/// The sessions of this directory, of this repository or all, the latest first.
///
/// Takes the options of `pitree list`; each session is a dict as in its `--json`.
///
/// >>> import pitree
/// >>> [session.get("name") for session in pitree.list(scope="all", has="compaction")]
/// ['Five-day forecast']
/// >>> pitree.list(scope="all", limit=1)[0]["messageCount"] > 0
/// True
#[pyfunction]
#[pyo3(signature = (**options))]
pub(crate) fn list<'py>(
    py: Python<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    ask_by_name(py, "list", options)
}

/// Searches the text of all sessions.
///
/// Takes the query as it is typed after `pitree search`, and the options of that command (`in_` for
/// `--in`). Returns its `--json`: `total`, and `hits` with session, entry, place and snippet.
///
/// >>> import pitree
/// >>> found = pitree.search("forecast", limit=3)
/// >>> 0 < len(found["hits"]) <= found["total"]
/// True
#[pyfunction]
#[pyo3(signature = (query, **options))]
pub(crate) fn search<'py>(
    py: Python<'py>,
    query: OsString,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = options::given(options)?;
    given.push(("query".to_owned(), guest::OptionValue::Value(query)));
    ask(py, "search", &given, Asked::default())
}

/// What the sessions cost, by day, model, project and more.
///
/// Takes the options of `pitree cost` and returns its `--json`.
///
/// >>> import pitree
/// >>> report = pitree.cost(by="model")
/// >>> report["by"]
/// 'model'
#[pyfunction]
#[pyo3(signature = (**options))]
pub(crate) fn cost<'py>(
    py: Python<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    ask_by_name(py, "cost", options)
}

/// How somebody works with Pi: tools, files, commands, hours, models, branches.
///
/// Takes the options of `pitree stats` and returns its `--json`.
#[pyfunction]
#[pyo3(signature = (**options))]
pub(crate) fn stats<'py>(
    py: Python<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    ask_by_name(py, "stats", options)
}

/// Problems of a session file.
///
/// Takes a path or an id and the options of `pitree check`, and returns its `--json`.
#[pyfunction]
#[pyo3(signature = (session, **options))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    session: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = options::given(options)?;
    given.push(("sessions".to_owned(), options::operand(session)?));
    ask(py, "check", &given, Asked::default())
}

/// Turns sessions into a dataset in a folder, with its data card.
///
/// Takes the options of `pitree extract` and returns its `--json`. For samples without a folder,
/// see `iter_samples`.
#[pyfunction]
#[pyo3(signature = (output, **options))]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    output: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = options::given(options)?;
    given.push(("output".to_owned(), options::operand(output)?));
    ask(py, "extract", &given, Asked::default())
}

/// Runs the command with these words, the name of the program first, on the terminal of this
/// process, and returns its exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(move || pitree::run(words))
}

/// What a verb takes, from the definitions of the command line: the stubs are made of it.
#[pyfunction]
pub(crate) fn verb_options<'py>(py: Python<'py>, verb: &str) -> PyResult<Bound<'py, PyList>> {
    let taken = guest::options(verb).map_err(|failure| errors::of(py, failure))?;
    let described = taken.into_iter().map(|option| {
        let about = PyDict::new(py);
        about.set_item("name", option.name)?;
        let kind = match option.kind {
            OptionKind::Flag => "flag",
            OptionKind::Value => "value",
            OptionKind::Values => "values",
        };
        about.set_item("kind", kind)?;
        about.set_item("required", option.is_required)?;
        about.set_item("values", option.values)?;
        about.set_item("default", option.default)?;
        about.set_item("help", option.help)?;
        Ok(about)
    });
    PyList::new(py, described.collect::<PyResult<Vec<_>>>()?)
}

/// The kinds of failures, each with what it means.
#[pyfunction]
pub(crate) fn error_kinds() -> Vec<(&'static str, &'static str)> {
    Failure::KINDS.to_vec()
}

/// The objects of a JSON text, as all answers are made; for tests.
#[pyfunction]
pub(crate) fn load_json<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    json::load(py, text)
}
