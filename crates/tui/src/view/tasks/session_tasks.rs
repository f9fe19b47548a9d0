//! The tasks that have the session: whatever asks extensions or opens a file, which may be large.

use std::path::{Path, PathBuf};

use pitree_export::ExportError;
use pitree_export::import::{ImportOptions, ImportSource, import};
use pitree_host::events::CompactionReason;
use pitree_host::live::{LiveError, LiveSession, PendingCompaction};
use pitree_session::OpenOptions;
use pitree_session::location::Location;
use pitree_session::summary::{Cancel, SummaryError};
use pitree_store::delete::Trash;

use super::session_commands::{replaced, with_hint};
use super::{Task, TaskKind, TaskProgress, Tasks};
use crate::screen::ChosenSession;
use crate::state::AppState;
use crate::view::notice::{DeferredAction, YesNoQuestion};
use crate::view::open_screen;

impl Tasks {
    /// Goes on with a session that was chosen in the picker.
    pub(crate) fn switch_to(&mut self, chosen: ChosenSession, state: &mut AppState) {
        let switch =
            move |live: &mut LiveSession| TaskProgress::Done(open_screen::switch(live, &chosen));
        self.run_on_session("opening the session", state, switch);
    }

    /// Brings the session's file up to the current version, as the user agreed to.
    pub(crate) fn migrate(&mut self, next: DeferredAction, state: &mut AppState) {
        self.write_session("migrating", state, move |live| {
            let migrated = live.session_mut().migrate();
            TaskProgress::Migrated(next, migrated.map(|_| ()).map_err(LiveError::from))
        });
    }

    /// Prepares a compaction. It goes on in [`Self::go_on_compacting`].
    pub(crate) fn compact(&mut self, instructions: &str, state: &mut AppState) {
        let instructions = Some(instructions.to_owned()).filter(|text| !text.is_empty());
        let (cancel, reason) = (Cancel::new(), CompactionReason::Manual);
        let stop = cancel.clone();
        self.run_on_session_as(TaskKind::Compaction, "compacting", cancel, state, move |live| {
            TaskProgress::Begun(
                live.begin_compaction(reason, instructions.as_deref(), &stop).map(Box::new),
            )
        });
    }

    /// Has the summary of a compaction written that the extensions let pass.
    pub(crate) fn go_on_compacting(
        &mut self,
        pending: PendingCompaction,
        cancel: Cancel,
        state: &mut AppState,
    ) {
        let Some(live) = &mut state.live else { return };
        let summarizer = live.options().summarizer.clone();
        if pending.needs_summary() && summarizer.is_none() {
            self.run_on_session("compacting", state, move |live| {
                // The session is free again, and its observers know.
                let _ = live.finish_compaction(pending, Err(SummaryError::Cancelled));
                TaskProgress::Done(Err(with_hint(&LiveError::NoSummarizer)))
            });
            return;
        }
        self.start(Task::compaction(pending, summarizer, cancel, &state.waker));
    }

    /// Copies a session here and goes on with it.
    pub(crate) fn import(
        &mut self,
        source: &Path,
        cwd: Option<PathBuf>,
        location: Location,
        state: &mut AppState,
    ) {
        let (source, here) = (source.to_owned(), state.environment.cwd().to_owned());
        self.write_session("importing", state, move |live| {
            match import_into(live, &source, cwd, &location) {
                Ok(path) => TaskProgress::Imported(path),
                Err(ImportRefusal::NoSuchDirectory) => {
                    TaskProgress::Asks(YesNoQuestion::ImportInto { path: source, cwd: here })
                }
                Err(ImportRefusal::Other(why)) => TaskProgress::Done(Err(why)),
            }
        });
    }

    /// Goes on with the same session in another directory. Its file does not change.
    pub(crate) fn go_on_in(&mut self, cwd: &Path, state: &mut AppState) {
        let cwd = cwd.to_owned();
        self.run_on_session("opening the session", state, move |live| {
            let Some(path) = live.session().path() else {
                return TaskProgress::Done(Ok(String::new()));
            };
            let opened = OpenOptions::new().cwd(&cwd).open(path, live.environment());
            TaskProgress::Done(match opened {
                Ok(session) => {
                    *live.session_mut() = session;
                    Ok(String::new())
                }
                Err(error) => Err(error.to_string()),
            })
        });
    }

    /// Leaves the session, then lets it go.
    pub(crate) fn delete(
        &mut self,
        path: &Path,
        force: bool,
        permanent: bool,
        state: &mut AppState,
    ) {
        let mut trash = Trash::new(state.allowed.trash_command.clone());
        trash.desktop = state.allowed.desktop_trash;
        trash.permanent = permanent;
        let path = path.to_owned();
        self.run_on_session("leaving the session", state, move |live| {
            if live.is_open_file(&path)
                && let Err(why) = replaced(live.new_session(None))
            {
                return TaskProgress::Done(Err(why));
            }
            TaskProgress::Left { path, force, trash }
        });
    }

    /// Goes back to a session that was left to be deleted and is still there.
    pub(crate) fn return_to(&mut self, path: &Path, state: &mut AppState) {
        let path = path.to_owned();
        self.run_on_session("opening the session", state, move |live| {
            if live.is_open_file(&path) || !path.exists() {
                return TaskProgress::Done(Ok(String::new()));
            }
            let cwd = live.session().cwd().to_owned();
            TaskProgress::Done(replaced(live.switch_session_into(&path.to_string_lossy(), &cwd)))
        });
    }
}

/// Why nothing was imported.
enum ImportRefusal {
    /// The directory of the session is gone, and no other one was named.
    NoSuchDirectory,
    Other(String),
}

fn import_into(
    live: &mut LiveSession,
    source: &Path,
    cwd: Option<PathBuf>,
    location: &Location,
) -> Result<PathBuf, ImportRefusal> {
    let directory = live.session().directory().map(Path::to_owned);
    let options = ImportOptions { cwd, directory, ..ImportOptions::default() };
    let imported = import(ImportSource::File(source), location, &options, live.environment());
    let imported = imported.map_err(|error| match error {
        ExportError::NoSuchDirectory { .. } => ImportRefusal::NoSuchDirectory,
        error => ImportRefusal::Other(error.to_string()),
    })?;
    let path = imported.session.path().map(Path::to_owned).unwrap_or_default();
    drop(imported.session);
    let switched = replaced(live.switch_session(&path.to_string_lossy()));
    if switched.is_err() && !imported.was_there {
        // Nobody wants the copy.
        let _ = fs_err::remove_file(&path);
    }
    switched.map(|_| path).map_err(ImportRefusal::Other)
}
