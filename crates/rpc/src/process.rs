//! What holds for this process only: modes that Pi would write into its settings, which pitree
//! never does, and the long work that is under way.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pitree_format::Value;
use pitree_host::HostError;
use pitree_host::settings::Settings;
use pitree_session::summary::Cancel;

/// The state of the process.
pub(crate) struct Process {
    state: Mutex<State>,
    ended: Condvar,
}

pub(crate) struct State {
    pub(crate) steering_mode: Value,
    pub(crate) follow_up_mode: Value,
    pub(crate) auto_compaction: bool,
    pub(crate) auto_retry: bool,
    /// Long work under way, to be stopped by `abort`.
    work: Vec<Cancel>,
    /// Shell commands under way, to be stopped by `abort_bash`.
    shells: Vec<Cancel>,
    /// How much of both has not ended, and whether what begins now is stopped at once.
    running: usize,
    is_closed: bool,
}

/// Long work under way; ends with the value.
pub(crate) struct Running {
    process: Arc<Process>,
    cancel: Cancel,
}

impl Deref for Running {
    type Target = Cancel;

    fn deref(&self) -> &Cancel {
        &self.cancel
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.state().running -= 1;
        self.process.ended.notify_all();
    }
}

impl Process {
    /// The state that the settings give.
    pub(crate) fn new(settings: &Settings) -> Result<Self, HostError> {
        let state = State {
            steering_mode: settings.steering_mode()?.into(),
            follow_up_mode: settings.follow_up_mode()?.into(),
            auto_compaction: settings.compaction(None)?.enabled,
            auto_retry: settings.retry()?.enabled,
            work: Vec::new(),
            shells: Vec::new(),
            running: 0,
            is_closed: false,
        };
        Ok(Self { state: Mutex::new(state), ended: Condvar::new() })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that long work begins.
    pub(crate) fn begin_work(self: &Arc<Self>) -> Running {
        // Changes are made one after the other, so work that was noted before is done.
        self.begin(|state, cancel| state.work = vec![cancel])
    }

    /// Asks long work to stop.
    pub(crate) fn stop_work(&self) {
        self.state().work.iter().for_each(Cancel::cancel);
    }

    /// Notes that a shell command begins.
    pub(crate) fn begin_shell(self: &Arc<Self>) -> Running {
        self.begin(|state, cancel| {
            state.shells.retain(|shell| !shell.is_cancelled());
            state.shells.push(cancel);
        })
    }

    /// Whoever stops everything finds it either noted or not begun.
    fn begin(self: &Arc<Self>, note: impl FnOnce(&mut State, Cancel)) -> Running {
        let cancel = Cancel::new();
        let mut state = self.state();
        state.running += 1;
        if state.is_closed {
            cancel.cancel();
        }
        note(&mut state, cancel.clone());
        Running { process: Arc::clone(self), cancel }
    }

    /// Ends all shell commands. Those that ended by themselves do not mind.
    pub(crate) fn stop_shells(&self) {
        self.state().shells.drain(..).for_each(|cancel| cancel.cancel());
    }

    /// Stops everything, also what begins later, and waits for its end, but not for long.
    pub(crate) fn close(&self, limit: Duration) {
        self.state().is_closed = true;
        self.stop_work();
        self.stop_shells();
        let is_busy = |state: &mut State| state.running > 0;
        drop(self.ended.wait_timeout_while(self.state(), limit, is_busy));
    }
}
