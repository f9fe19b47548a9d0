//! Samples one by one: threads of Rust make them, a bounded queue holds them, and Python takes them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use pitree::guest::{Ended, Failure, OptionValue, Request};
use pitree_session::summary::Cancel;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::json::Loader;
use crate::{errors, options, verbs, work};

/// A batch is sent on once it has so many bytes.
const BATCH_BYTES: usize = 256 << 10;

/// So many batches wait to be taken.
const BATCHES_AHEAD: usize = 8;

/// What the thread that extracts sends.
enum Sent {
    /// Whole lines.
    Lines(Vec<u8>),
    /// How it ended.
    End(Result<Ended, Failure>),
}

/// An iterator over training samples, each a dict as a line of `pitree extract` has it.
///
/// Threads make the samples while they are taken; only a few of them wait in memory. `close` ends
/// the work early, and so does leaving a `with` block.
#[pyclass(frozen, module = "pitree")]
pub(crate) struct Samples {
    state: Mutex<State>,
    cancel: Cancel,
    /// A child process has this object, but not the threads behind it.
    process: u32,
}

struct State {
    /// `None` when all was taken.
    receiver: Option<Receiver<Sent>>,
    lines: Vec<u8>,
    /// What of the lines was taken.
    taken: usize,
    loader: Loader,
}

/// Training samples of many sessions, one by one.
///
/// Takes the options of `pitree extract` except `output`; each sample is a dict as a line of
/// `pitree extract -o -`. Nothing is written. Secrets are redacted unless `no_redact=True`.
///
/// >>> import pitree
/// >>> samples = pitree.iter_samples(format="chat")
/// >>> sorted(next(samples))
/// ['messages', 'metadata', 'tools']
/// >>> sum(1 for sample in samples) > 0
/// True
#[pyfunction]
#[pyo3(signature = (**options))]
pub(crate) fn iter_samples(
    py: Python<'_>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Samples> {
    let mut given = options::given_to(py, "iter_samples", &["output"], options)?;
    given.push(("output".to_owned(), OptionValue::Value("-".into())));
    Samples::start(py, options::words(py, "extract", &given)?)
}

impl Samples {
    /// Starts the work that these words ask for. What is wrong with them is said now, and not when
    /// the first sample is taken.
    pub(crate) fn start(py: Python<'_>, words: Vec<OsString>) -> PyResult<Self> {
        Request::validate(&words).map_err(|failure| errors::of(py, failure))?;
        let cancel = Cancel::new();
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let request = Request { cancel: cancel.clone(), ..Request::new(words) };
        work::spawn(move || {
            let lines = Lines { sender: sender.clone(), waiting: Vec::new() };
            let end = request.print(Box::new(lines));
            // Nobody takes it if this fails.
            let _ = sender.send(Sent::End(end));
        })?;
        let state = State {
            receiver: Some(receiver),
            lines: Vec::new(),
            taken: 0,
            loader: Loader::default(),
        };
        Ok(Self { state: Mutex::new(state), cancel, process: process::id() })
    }
}

#[pymethods]
impl Samples {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.process != process::id() {
            return Err(errors::of(py, elsewhere()));
        }
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(line) = state.next_line() {
                let State { lines, loader, .. } = &mut *state;
                return loader.load(py, &lines[line]).map(Some);
            }
            let Some(receiver) = &mut state.receiver else { return Ok(None) };
            let sent = work::receive(py, receiver, &self.cancel);
            match sent {
                Ok(Some(Sent::Lines(lines))) => (state.lines, state.taken) = (lines, 0),
                ended => {
                    state.receiver = None;
                    return match ended? {
                        Some(Sent::End(Ok(ended))) => verbs::tell(py, &ended).map(|()| None),
                        Some(Sent::End(Err(failure))) => Err(errors::of(py, failure)),
                        // It has panicked.
                        _ => Err(errors::internal(py)),
                    };
                }
            }
        }
    }

    /// Ends the work; what was not taken yet is dropped.
    fn close(&self, py: Python<'_>) {
        self.cancel.cancel();
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        state.receiver = None;
        (state.lines, state.taken) = (Vec::new(), 0);
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl State {
    /// The place of the next line.
    fn next_line(&mut self) -> Option<std::ops::Range<usize>> {
        let rest = self.lines.get(self.taken..)?;
        let len = memchr::memchr(b'\n', rest)?;
        let line = self.taken..self.taken + len;
        self.taken = line.end + 1;
        Some(line)
    }
}

fn elsewhere() -> Failure {
    Failure {
        kind: "refused",
        message: "The samples belong to the process that asked for them".to_owned(),
        path: None,
        line: None,
        hint: Some("call `iter_samples` in the child process".to_owned()),
    }
}

/// Sends whole lines to whoever takes them, and waits while many wait to be taken.
struct Lines {
    sender: SyncSender<Sent>,
    waiting: Vec<u8>,
}

impl Lines {
    fn send(&mut self, end: usize) -> io::Result<()> {
        let rest = self.waiting.split_off(end);
        let lines = std::mem::replace(&mut self.waiting, rest);
        match lines.is_empty() {
            true => Ok(()),
            // Whoever does not take any more has seen enough.
            false => self.sender.send(Sent::Lines(lines)).map_err(|_| gone()),
        }
    }
}

fn gone() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= BATCH_BYTES
            && let Some(last) = memchr::memrchr(b'\n', &self.waiting)
        {
            self.send(last + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let end = memchr::memrchr(b'\n', &self.waiting).map_or(0, |last| last + 1);
        self.send(end)
    }
}
