//! What holds for this process only: modes that Pi would write into its settings, which pitree
//! never does.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pitree_format::{JsString, Value};

/// The state of the process.
pub(crate) struct Process(Mutex<State>);

pub(crate) struct State {
    pub(crate) steering_mode: Value,
    pub(crate) follow_up_mode: Value,
    pub(crate) auto_compaction: bool,
    pub(crate) auto_retry: bool,
}

impl Default for Process {
    fn default() -> Self {
        let one_at_a_time = || Value::String(JsString::from("one-at-a-time"));
        Self(Mutex::new(State {
            steering_mode: one_at_a_time(),
            follow_up_mode: one_at_a_time(),
            auto_compaction: true,
            auto_retry: true,
        }))
    }
}

impl Process {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
