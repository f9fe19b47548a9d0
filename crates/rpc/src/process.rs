//! What holds for this process only: modes that Pi would write into its settings, which pitree
//! never does.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pitree_format::Value;
use pitree_host::HostError;
use pitree_host::settings::Settings;
use pitree_session::summary::Cancel;

/// The state of the process.
pub(crate) struct Process(Mutex<State>);

pub(crate) struct State {
    pub(crate) steering_mode: Value,
    pub(crate) follow_up_mode: Value,
    pub(crate) auto_compaction: bool,
    pub(crate) auto_retry: bool,
    /// Long work under way, to be stopped by `abort`.
    work: Vec<Cancel>,
    /// Shell commands under way, to be stopped by `abort_bash`.
    shells: Vec<Cancel>,
}

impl Process {
    /// The state that the settings give.
    pub(crate) fn new(settings: &Settings) -> Result<Self, HostError> {
        Ok(Self(Mutex::new(State {
            steering_mode: settings.steering_mode()?.into(),
            follow_up_mode: settings.follow_up_mode()?.into(),
            auto_compaction: settings.compaction(None)?.enabled,
            auto_retry: settings.retry()?.enabled,
            work: Vec::new(),
            shells: Vec::new(),
        })))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that long work begins.
    pub(crate) fn begin_work(&self) -> Cancel {
        let cancel = Cancel::new();
        let mut state = self.state();
        // Changes are made one after the other, so work that was noted before is done.
        state.work = vec![cancel.clone()];
        cancel
    }

    /// Asks long work to stop.
    pub(crate) fn stop_work(&self) {
        self.state().work.iter().for_each(Cancel::cancel);
    }

    /// Notes that a shell command begins.
    pub(crate) fn begin_shell(&self) -> Cancel {
        let cancel = Cancel::new();
        self.state().shells.push(cancel.clone());
        cancel
    }

    /// Ends all shell commands. Those that ended by themselves do not mind.
    pub(crate) fn stop_shells(&self) {
        self.state().shells.drain(..).for_each(|cancel| cancel.cancel());
    }
}
