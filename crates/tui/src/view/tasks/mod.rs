//! Background tasks: what takes long is done by a thread, one task at a time.
//!
//! [`Tasks`] starts a task, tells what goes on, stops it and hands over what came of it
//! ([`TaskProgress`]); what is done about that is the view's business. A task either has the
//! session (whatever asks extensions, appends or opens a file) or works without it.

pub(crate) mod session_commands;
mod session_tasks;
pub(crate) mod settings_commands;
mod task;

use pitree_host::live::LiveSession;
use pitree_session::summary::Cancel;

use crate::keymap::{Keymap, ViewAction};
use crate::rich::{Line, Tone, untabbed};
use crate::state::AppState;

pub(crate) use task::{Task, TaskKind, TaskProgress};

/// How many rows of a running command's output are seen.
const TAIL_ROWS: usize = 5;

/// The task that runs, if one does.
#[derive(Default)]
pub(crate) struct Tasks {
    running: Option<Task>,
}

impl Tasks {
    pub(crate) fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// What runs, for the user.
    pub(crate) fn what(&self) -> Option<&str> {
        self.running.as_ref().map(|task| task.what.as_str())
    }

    /// Whether what runs can be stopped.
    pub(crate) fn can_stop(&self) -> bool {
        self.running.as_ref().is_some_and(Task::can_stop)
    }

    /// What can be stopped is stopped.
    pub(crate) fn stop(&mut self) {
        if let Some(task) = &mut self.running {
            task.cancel.cancel();
            if task.can_stop() {
                task.what = "stopping".to_owned();
            }
        }
    }

    /// Continues with another task.
    pub(crate) fn start(&mut self, task: Task) {
        self.running = Some(task);
    }

    /// What came of the task, once it has ended; until then its output is taken in.
    pub(crate) fn poll(&mut self, state: &AppState) -> Option<(Task, TaskProgress)> {
        while let Some(task) = &mut self.running {
            let progress = task.poll(state)?;
            if let TaskProgress::Output(text) = &progress {
                task.add_output(text);
                continue;
            }
            return self.running.take().map(|task| (task, progress));
        }
        None
    }

    /// Has a thread do something to the session that cannot be stopped.
    pub(crate) fn run_on_session(
        &mut self,
        what: &str,
        state: &mut AppState,
        work: impl FnOnce(&mut LiveSession) -> TaskProgress + Send + 'static,
    ) {
        self.run_on_session_as(TaskKind::SessionJob, what, Cancel::new(), state, work);
    }

    /// The same for something that writes: those who use a shared index hear of it.
    pub(crate) fn write_session(
        &mut self,
        what: &str,
        state: &mut AppState,
        work: impl FnOnce(&mut LiveSession) -> TaskProgress + Send + 'static,
    ) {
        let announcer = state.announcer();
        self.run_on_session(what, state, move |live| announcer.around(live, work));
    }

    fn run_on_session_as(
        &mut self,
        kind: TaskKind,
        what: &str,
        cancel: Cancel,
        state: &mut AppState,
        work: impl FnOnce(&mut LiveSession) -> TaskProgress + Send + 'static,
    ) {
        let job = state.run_on_session(work);
        self.running = job.map(|job| Task::on_session(what, kind, cancel, job));
    }

    /// What runs, as rows.
    pub(crate) fn rows(&self, keymap: &Keymap) -> Vec<Line> {
        let Some(task) = &self.running else { return Vec::new() };
        let stop = keymap.view.label(ViewAction::Interrupt);
        let how = if task.can_stop() { format!("…  {stop} stops it") } else { "…".to_owned() };
        let what = Line::of(&task.what, Tone::Notice).with(&how, Tone::Dim);
        tail(&task.tail).chain([what]).collect()
    }
}

/// The end of what a command has written.
pub(crate) fn tail(text: &str) -> impl Iterator<Item = Line> {
    let rows: Vec<&str> = text.trim_end().lines().rev().take(TAIL_ROWS).collect();
    rows.into_iter().rev().map(|line| Line::of("  │ ", Tone::Dim).with(&untabbed(line), Tone::Dim))
}
