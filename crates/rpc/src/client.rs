//! Somebody at the other end: where answers and events go.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pitree_format::Value;

use crate::answer::{Line, event_line};

/// One client. Lines from several threads never mix.
pub(crate) struct Client {
    out: Mutex<Box<dyn Write + Send>>,
    gone: AtomicBool,
}

impl Client {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out: Mutex::new(out), gone: AtomicBool::new(false) }
    }

    /// Sends a line. A client that cannot be written to has gone; nothing more is sent to it,
    /// since the line that failed may have been sent in part.
    pub(crate) fn send(&self, line: Line) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_gone() && line.write(&mut **out).is_err() {
            self.gone.store(true, Ordering::Relaxed);
        }
    }

    /// Sends an event.
    pub(crate) fn send_event(&self, event: &Value) {
        self.send(event_line(event));
    }

    /// Whether the client has gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }
}
