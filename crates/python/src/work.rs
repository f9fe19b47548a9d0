//! Work in threads of its own, without the lock of the interpreter.
//!
//! Python hears of Ctrl+C only in its main thread, and only when that asks. So the work is done
//! elsewhere, while the calling thread waits for it and asks at short intervals. When a signal ends
//! the wait, the work is told to stop. A panic of the work becomes an exception.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pitree_session::summary::Cancel;
use pyo3::prelude::*;

use crate::errors;

/// How often it is asked whether a signal came.
const TICK: Duration = Duration::from_millis(50);

/// Canceled work that does not end in this time is left to itself: nobody takes its result.
const LONGEST_END: Duration = Duration::from_secs(10);

/// Does the work and returns its result.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    spawn(move || {
        // Nobody waits any more if this fails.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    })?;
    match wait(py, receiver, cancel)? {
        Some(Ok(result)) => Ok(result),
        _ => Err(errors::internal(py)),
    }
}

/// Starts a thread of ours.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let started = thread::Builder::new().name("pitree".to_owned()).spawn(work);
    started.map(drop).map_err(PyErr::from)
}

/// The next thing that a thread sends; `None` if it has ended.
fn wait<T: Send>(py: Python<'_>, receiver: Receiver<T>, cancel: &Cancel) -> PyResult<Option<T>> {
    let mut receiver = receiver;
    receive(py, &mut receiver, cancel).inspect_err(|_| {
        let until = Instant::now() + LONGEST_END;
        let left = || until.saturating_duration_since(Instant::now());
        let _ = py.detach(move || receiver.recv_timeout(left()));
    })
}

/// The same for a thread that sends more than once; when a signal comes, it is told to stop.
pub(crate) fn receive<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    cancel: &Cancel,
) -> PyResult<Option<T>> {
    loop {
        let waiting = &mut *receiver;
        match py.detach(move || waiting.recv_timeout(TICK)) {
            Ok(sent) => return Ok(Some(sent)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| cancel.cancel())?;
            }
        }
    }
}
