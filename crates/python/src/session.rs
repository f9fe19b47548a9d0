//! A session that is open.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use pitree::guest::{self, Failure, OptionValue, Request};
use pitree_format::js::{JsString, stringify};
use pitree_session::summary::Cancel;
use pitree_session::{Session as RustSession, SessionError};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString};

use crate::entries::SessionEntries;
use crate::options::{self, Given};
use crate::samples::Samples;
use crate::verbs::{Asked, Shared, ask};
use crate::{errors, json, work};

/// A session, open for reading and appending.
///
/// Its properties and what reads it say what was in the file when it was opened, changed or
/// refreshed here. It can be used from several threads.
///
/// >>> import pitree
/// >>> id = pitree.list(scope="all", has="compaction")[0]["id"]
/// >>> session = pitree.open(id)
/// >>> session.id == id, session.name
/// (True, 'Five-day forecast')
/// >>> len(session) == len(session.entries())
/// True
/// >>> session.context()["messages"][0]["role"]
/// 'compactionSummary'
#[pyclass(frozen, module = "pitree")]
pub(crate) struct Session {
    session: Shared,
    path: PathBuf,
    /// Where sessions are looked for, and whether the cache is used.
    places: Given,
    /// The message to edit and resend, in a fork.
    draft: Option<JsString>,
}

/// Opens a session by its path, its id, or the beginning of its id. Nothing is written.
///
/// Takes `lenient` of `pitree entries`, and the options that say where sessions are.
///
/// >>> import pitree
/// >>> pitree.open("nothing-like-that")
/// Traceback (most recent call last):
///     ...
/// pitree.SessionNotFound: No session found matching 'nothing-like-that'
/// hint: ...
#[pyfunction]
#[pyo3(signature = (session, **options))]
pub(crate) fn open(
    py: Python<'_>,
    session: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Session> {
    let places = options::given(options)?;
    let mut given = places.clone();
    given.push(("session".to_owned(), named(session)?));
    let request = Request::new(options::words(py, "entries", &given)?);
    let opened = work::run(py, &Cancel::new(), move || request.open())?;
    Session::new(py, opened.map_err(|failure| errors::of(py, failure))?, places)
}

/// A session as it was named: a `Path` is one, whatever it looks like.
fn named(session: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if session.is_instance_of::<PyString>() {
        return Ok(OptionValue::Value(session.extract::<OsString>()?));
    }
    let path: PathBuf = session.extract().map_err(|_| {
        PyTypeError::new_err("a session is named by a path, an id, or the beginning of an id")
    })?;
    Ok(OptionValue::Value(guest::resolve(&path).into_os_string()))
}

impl Session {
    fn new(py: Python<'_>, session: RustSession, places: Given) -> PyResult<Self> {
        let path = session.path().map(Path::to_owned);
        let path = path.ok_or_else(|| errors::internal(py))?;
        // It is named by its path from now on, wherever sessions are looked for.
        Ok(Self { session: Arc::new(RwLock::new(session)), path, places, draft: None })
    }

    /// Asks a verb about this session.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        verb: &str,
        operands: Given,
        options: Option<&Bound<'py, PyDict>>,
        input: Vec<u8>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = self.given(operands, options)?;
        ask(py, verb, &given, Asked { input, session: Some(Arc::clone(&self.session)) })
    }

    /// The entry at a place in the file, if there is one.
    pub(crate) fn at<'py>(
        &self,
        py: Python<'py>,
        place: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let text = self.look(py, |session| {
            session.at(place).map(|entry| Ok(stringify(&entry.value()?))).transpose()
        })?;
        text.map(|text| json::load(py, text.as_bytes())).transpose()
    }

    fn slice<'py>(
        &self,
        py: Python<'py>,
        slice: &Bound<'py, PySlice>,
    ) -> PyResult<Bound<'py, PyList>> {
        // More entries than this cannot be.
        let len = isize::try_from(self.__len__(py)?).unwrap_or(isize::MAX);
        let chosen = slice.indices(len)?;
        let (list, mut place) = (PyList::empty(py), chosen.start);
        for _ in 0..chosen.slicelength {
            if let Some(entry) = self.at(py, place.unsigned_abs())? {
                list.append(entry)?;
            }
            place += chosen.step;
        }
        Ok(list)
    }

    fn given(&self, operands: Given, options: Option<&Bound<'_, PyDict>>) -> PyResult<Given> {
        let mut given = options::given(options)?;
        given.extend(self.places.iter().cloned());
        given.push(("session".to_owned(), OptionValue::Value(self.path.clone().into())));
        given.extend(operands);
        Ok(given)
    }

    /// Looks at the session without the lock of the interpreter.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&RustSession) -> Result<T, SessionError> + Send,
    ) -> PyResult<T> {
        let session = &self.session;
        let found =
            py.detach(move || look(&session.read().unwrap_or_else(PoisonError::into_inner)));
        found.map_err(|error| errors::of(py, Failure::from(error)))
    }

    /// Runs a verb that writes the file by itself, and takes over what it wrote.
    fn change<'py>(
        &self,
        py: Python<'py>,
        verb: &str,
        operands: Given,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.ask(py, verb, operands, options, Vec::new())?;
        self.refresh(py)?;
        Ok(answer)
    }

    /// A new session that a verb made of this one.
    fn branch_off(
        &self,
        py: Python<'_>,
        verb: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let answer = self.ask(py, verb, Vec::new(), options, Vec::new())?;
        let answer = answer.cast_into::<PyDict>()?;
        let text = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> { answer.get_item(name) };
        let Some(path) = text("path")? else {
            let message = "`fork` needs `at`, a message of the user, or `whole=True`";
            return Err(errors::of(py, usage(message)));
        };
        let path: PathBuf = path.extract()?;
        let opened = work::run(py, &Cancel::new(), move || guest::open_file(&path))?;
        let opened = opened.map_err(|failure| errors::of(py, failure))?;
        let draft = text("text")?.map(|text| wtf8_of(&text)).transpose()?;
        Ok(Self { draft, ..Self::new(py, opened, self.places.clone())? })
    }
}

fn usage(message: &str) -> Failure {
    let (kind, message, hint) =
        ("usage", message.to_owned(), Some("`fork_points()` lists the messages".to_owned()));
    Failure { kind, message, path: None, line: None, hint }
}

/// A string that may have halves of surrogate pairs.
fn wtf8_of(text: &Bound<'_, PyAny>) -> PyResult<JsString> {
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(JsString::from_wtf8(bytes.extract()?))
}

fn value(name: &str, value: impl Into<OsString>) -> (String, OptionValue) {
    (name.to_owned(), OptionValue::Value(value.into()))
}

#[pymethods]
impl Session {
    /// The file.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.path.as_os_str().into_pyobject(py)?.into_any())
    }

    fn __fspath__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.path(py)
    }

    /// The id in the header.
    #[getter]
    fn id(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |session| Ok(session.id()))
    }

    /// The working directory.
    #[getter]
    fn cwd<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cwd = self.look(py, |session| Ok(session.cwd().to_owned()))?;
        Ok(cwd.as_os_str().into_pyobject(py)?.into_any())
    }

    /// The header, as it is in the file.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.look(py, |session| Ok(stringify(session.header_value())))?;
        json::load(py, text.as_bytes())
    }

    /// The id of the entry at which the session continues.
    #[getter]
    fn leaf_id(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.look(py, |session| Ok(session.leaf_id().map(str::to_owned)))
    }

    /// The name; `rename` changes it.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let name = self.look(py, RustSession::name)?;
        json::load(py, stringify(&name.into()).as_bytes())
    }

    /// The labels by the ids of their entries; `label` changes them.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let labels = self.look(py, |session| {
            let labels = session.labels()?.iter();
            let member = |label: &pitree_session::Label| {
                (label.target_id.as_str().into(), label.text.clone().into())
            };
            let labels = pitree_format::Object::from_members(labels.map(member).collect());
            Ok(stringify(&labels.into()))
        })?;
        json::load(py, labels.as_bytes())
    }

    /// In a fork: the message that it ends before, to edit and resend.
    #[getter]
    fn draft<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::load(py, stringify(&self.draft.clone().into()).as_bytes())
    }

    /// How many entries there are, on all branches.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.look(py, |session| Ok(session.len()))
    }

    /// The entries one by one, in the order of the file.
    fn __iter__(slf: PyRef<'_, Self>) -> SessionEntries {
        SessionEntries::of(slf.into())
    }

    /// An entry by its place in the file, or a list of entries for a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            return Ok(self.slice(py, slice)?.into_any());
        }
        let index: isize = index.extract()?;
        let len = self.__len__(py)?;
        let place = match index {
            0.. => Some(index.unsigned_abs()),
            _ => len.checked_sub(index.unsigned_abs()),
        };
        let entry = place.map(|place| self.at(py, place)).transpose()?.flatten();
        entry.ok_or_else(|| PyIndexError::new_err("there is no such entry"))
    }

    fn __repr__(&self) -> String {
        format!("<pitree.Session {:?}>", self.path.to_string_lossy())
    }

    /// An entry by its id, or by the beginning of its id.
    fn entry<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
        let id = id.to_owned();
        let text =
            self.look(py, move |session| Ok(stringify(&session.entry_by_prefix(&id)?.value()?)))?;
        json::load(py, text.as_bytes())
    }

    /// The entries of all branches, in the order of the file. Takes the options of `pitree entries`.
    #[pyo3(signature = (**options))]
    fn entries<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "entries", Vec::new(), options, Vec::new())?.get_item("entries")
    }

    /// The path from the root to an entry, or to the leaf: a list of entries.
    #[pyo3(signature = (entry=None))]
    fn branch<'py>(&self, py: Python<'py>, entry: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let operands = entry.map(|entry| value("entry", entry)).into_iter().collect();
        self.ask(py, "path", operands, None, Vec::new())?.get_item("entries")
    }

    /// The tree. Takes the options of `pitree tree` (`nested=True` puts children into their parents)
    /// and returns its `--json`.
    #[pyo3(signature = (**options))]
    fn tree<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "tree", Vec::new(), options, Vec::new())
    }

    /// What the model is sent next, or was sent at an entry. Takes the options of `pitree context`
    /// and returns its `--json`: with `llm=True` a list of messages, else a dict.
    #[pyo3(signature = (**options))]
    fn context<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "context", Vec::new(), options, Vec::new())
    }

    /// The session as `pitree show` prints it: `mode` is `overview`, `conversation`, `full`,
    /// `tools`, `costs` or `subagents`. Reads the file again.
    #[pyo3(signature = (**options))]
    fn show<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "show", Vec::new(), options, Vec::new())
    }

    /// Tokens and cost of all branches, as `pitree show --mode costs` counts them.
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "show", vec![value("mode", "costs")], None, Vec::new())
    }

    /// Training samples of this session alone. Takes the options of `iter_samples`.
    #[pyo3(signature = (**options))]
    fn samples(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Samples> {
        let mut given = options::given_to(py, "samples", &["output", "sessions"], options)?;
        given.extend(self.places.iter().filter(|(name, _)| name != "lenient").cloned());
        given.push(value("output", "-"));
        given.push(value("sessions", &self.path));
        Samples::start(py, options::words(py, "extract", &given)?)
    }

    /// Appends text as a message of the user, a message or an entry as a dict, or several dicts: all
    /// of them, or none. Takes the options of `pitree append` (`at` appends below another entry) and
    /// returns its `--json`; the lines are then on the disk.
    #[pyo3(signature = (what, **options))]
    fn append<'py>(
        &self,
        py: Python<'py>,
        what: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_text = what.is_instance_of::<PyString>();
        let input = if is_text { what.extract::<String>()?.into_bytes() } else { lines_of(what)? };
        if input.trim_ascii().is_empty() {
            let (kind, message) = ("usage", "there is nothing to append".to_owned());
            let failure = Failure { kind, message, path: None, line: None, hint: None };
            return Err(errors::of(py, failure));
        }
        let given = vec![("text".to_owned(), OptionValue::Flag(is_text))];
        let answer = self.ask(py, "append", given, options, input)?;
        self.refresh(py)?;
        Ok(answer)
    }

    /// Sets the name of the session; an empty one removes it. Takes the options of `pitree name`.
    #[pyo3(signature = (name, **options))]
    fn rename<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.change(py, "name", vec![value("name", name)], options)
    }

    /// Labels an entry; `None` or an empty label removes its label. Takes the options of
    /// `pitree label`.
    #[pyo3(signature = (entry, label, **options))]
    fn label<'py>(
        &self,
        py: Python<'py>,
        entry: &str,
        label: Option<&str>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut operands = vec![value("entry", entry)];
        match label {
            Some(label) => operands.push(value("label", label)),
            None => operands.push(("clear".to_owned(), OptionValue::Flag(true))),
        }
        self.change(py, "label", operands, options)
    }

    /// Moves to another entry and saves the position. Takes the options of `pitree goto`.
    #[pyo3(signature = (entry, **options))]
    fn goto<'py>(
        &self,
        py: Python<'py>,
        entry: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.change(py, "goto", vec![value("entry", entry)], options)
    }

    /// The messages of the user at which the session can be forked.
    fn fork_points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, "fork", Vec::new(), None, Vec::new())?.get_item("messages")
    }

    /// A new session that ends before a message of the user, named by `at`; the message is its
    /// `draft`. Takes the options of `pitree fork`.
    #[pyo3(signature = (**options))]
    fn fork(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        self.branch_off(py, "fork", options)
    }

    /// A new session with the current branch, or with that of the entry `at`. Takes the options of
    /// `pitree clone`.
    #[pyo3(signature = (**options))]
    fn clone(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        self.branch_off(py, "clone", options)
    }

    /// Reads what others have appended, moves to the last entry if anything came, and returns
    /// how many entries came.
    fn refresh(&self, py: Python<'_>) -> PyResult<usize> {
        let session = &self.session;
        let came = py.detach(move || {
            session.write().unwrap_or_else(PoisonError::into_inner).refresh_to_leaf()
        });
        came.map_err(|error| errors::of(py, Failure::from(error)))
    }
}

/// Messages or entries as lines of JSON.
fn lines_of(what: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let dumps = what.py().import("json")?.getattr("dumps")?;
    let strict = PyDict::new(what.py());
    strict.set_item("allow_nan", false)?;
    let line = |one: &Bound<'_, PyAny>| dumps.call((one,), Some(&strict))?.extract::<String>();
    if what.is_instance_of::<PyDict>() {
        return line(what).map(String::into_bytes);
    }
    let lines: PyResult<Vec<String>> = what
        .try_iter()?
        .map(|one| {
            let one = one?;
            if !one.is_instance_of::<PyDict>() {
                let kind = one.get_type().name()?;
                let message = format!("append takes a str, a dict or dicts, but here is a {kind}");
                return Err(PyTypeError::new_err(message));
            }
            line(&one)
        })
        .collect();
    Ok(lines?.join("\n").into_bytes())
}
