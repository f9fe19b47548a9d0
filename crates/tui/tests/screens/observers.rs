//! Observers as extensions could be: one that refuses, and one that takes its time.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pitree_host::events::{
    BeforeReply, EventKind, Moment, ObserverError, SessionEvent, SessionObserver,
};

use crate::screens::harness::PATIENCE;

/// Does not want something to happen.
pub(crate) struct Refuses(pub(crate) EventKind);

impl SessionObserver for Refuses {
    fn name(&self) -> &str {
        "refuses"
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind == self.0
    }

    fn on_event(
        &mut self,
        _event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        Ok(Some(BeforeReply::cancelled()))
    }
}

/// Lets something happen, but only when it is told to, or when it is to stop.
pub(crate) struct TakesItsTime {
    kind: EventKind,
    gate: Arc<Mutex<Receiver<()>>>,
}

impl TakesItsTime {
    /// The observer, and what opens the gate.
    pub(crate) fn with(kind: EventKind) -> (Self, Sender<()>) {
        let (open, gate) = channel();
        (Self { kind, gate: Arc::new(Mutex::new(gate)) }, open)
    }
}

impl SessionObserver for TakesItsTime {
    fn name(&self) -> &str {
        "takes its time"
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind == self.kind
    }

    fn on_event(
        &mut self,
        _event: &SessionEvent,
        moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        let begun = Instant::now();
        let gate = self.gate.lock().unwrap();
        while !moment.cancel.is_cancelled() && begun.elapsed() < PATIENCE {
            if gate.recv_timeout(Duration::from_millis(2)).is_ok() {
                break;
            }
        }
        Ok(None)
    }
}
