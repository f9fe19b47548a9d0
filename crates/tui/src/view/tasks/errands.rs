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

use super::at_once::{replaced, with_hint};
use super::{Kind, Progress, Tasks, Work};
use crate::desk::Desk;
use crate::screen::Chosen;
use crate::view::doors;
use crate::view::notice::{Next, Question};

impl Tasks {
    /// Goes on with a session that was chosen in the picker.
    pub(crate) fn switch_to(&mut self, chosen: Chosen, desk: &mut Desk) {
        let switch = move |live: &mut LiveSession| Progress::Said(doors::switch(live, &chosen));
        self.send_out("opening the session", desk, switch);
    }

    /// Brings the session's file up to the current version, as the user agreed to.
    pub(crate) fn migrate(&mut self, next: Next, desk: &mut Desk) {
        self.send_out_to_write("migrating", desk, move |live| {
            let migrated = live.session_mut().migrate();
            Progress::Migrated(next, migrated.map(|_| ()).map_err(LiveError::from))
        });
    }

    /// Prepares a compaction. It goes on in [`Self::go_on_compacting`].
    pub(crate) fn compact(&mut self, instructions: &str, desk: &mut Desk) {
        let wish = Some(instructions.to_owned()).filter(|text| !text.is_empty());
        let (cancel, reason) = (Cancel::new(), CompactionReason::Manual);
        let stop = cancel.clone();
        self.send_out_as(Kind::Compaction, "compacting", cancel, desk, move |live| {
            Progress::Begun(live.begin_compaction(reason, wish.as_deref(), &stop).map(Box::new))
        });
    }

    /// Has the summary of a compaction written that the extensions let pass.
    pub(crate) fn go_on_compacting(
        &mut self,
        pending: PendingCompaction,
        cancel: Cancel,
        desk: &mut Desk,
    ) {
        let Some(live) = &mut desk.live else { return };
        let summarizer = live.options().summarizer.clone();
        if pending.needs_summary() && summarizer.is_none() {
            self.send_out("compacting", desk, move |live| {
                // The session is free again, and its observers know.
                let _ = live.finish_compaction(pending, Err(SummaryError::Cancelled));
                Progress::Said(Err(with_hint(&LiveError::NoSummarizer)))
            });
            return;
        }
        self.start(Work::compaction(pending, summarizer, cancel, &desk.waker));
    }

    /// Copies a session here and goes on with it.
    pub(crate) fn import(
        &mut self,
        source: &Path,
        cwd: Option<PathBuf>,
        location: Location,
        desk: &mut Desk,
    ) {
        let (source, here) = (source.to_owned(), desk.environment.cwd().to_owned());
        self.send_out_to_write("importing", desk, move |live| {
            match import_into(live, &source, cwd, &location) {
                Ok(path) => Progress::Imported(path),
                Err(Refusal::NoSuchDirectory) => {
                    Progress::Asks(Question::ImportInto { path: source, cwd: here })
                }
                Err(Refusal::Other(why)) => Progress::Said(Err(why)),
            }
        });
    }

    /// Goes on with the same session in another directory. Its file does not change.
    pub(crate) fn go_on_in(&mut self, cwd: &Path, desk: &mut Desk) {
        let cwd = cwd.to_owned();
        self.send_out("opening the session", desk, move |live| {
            let Some(path) = live.session().path() else {
                return Progress::Said(Ok(String::new()));
            };
            let opened = OpenOptions::new().cwd(&cwd).open(path, live.environment());
            Progress::Said(match opened {
                Ok(session) => {
                    *live.session_mut() = session;
                    Ok(String::new())
                }
                Err(error) => Err(error.to_string()),
            })
        });
    }

    /// Leaves the session, then lets it go.
    pub(crate) fn delete(&mut self, path: &Path, force: bool, permanent: bool, desk: &mut Desk) {
        let mut trash = Trash::new(desk.allowed.trash_command.clone());
        trash.desktop = desk.allowed.desktop_trash;
        trash.permanent = permanent;
        let path = path.to_owned();
        self.send_out("leaving the session", desk, move |live| {
            if live.is_open_file(&path)
                && let Err(why) = replaced(live.new_session(None))
            {
                return Progress::Said(Err(why));
            }
            Progress::Left { path, force, trash }
        });
    }

    /// Goes back to a session that was left to be deleted and is still there.
    pub(crate) fn return_to(&mut self, path: &Path, desk: &mut Desk) {
        let path = path.to_owned();
        self.send_out("opening the session", desk, move |live| {
            if live.is_open_file(&path) || !path.exists() {
                return Progress::Said(Ok(String::new()));
            }
            let cwd = live.session().cwd().to_owned();
            Progress::Said(replaced(live.switch_session_into(&path.to_string_lossy(), &cwd)))
        });
    }
}

/// Why nothing was imported.
enum Refusal {
    /// The directory of the session is gone, and no other one was named.
    NoSuchDirectory,
    Other(String),
}

fn import_into(
    live: &mut LiveSession,
    source: &Path,
    cwd: Option<PathBuf>,
    location: &Location,
) -> Result<PathBuf, Refusal> {
    let directory = live.session().directory().map(Path::to_owned);
    let options = ImportOptions { cwd, directory, ..ImportOptions::default() };
    let imported = import(ImportSource::File(source), location, &options, live.environment());
    let imported = imported.map_err(|error| match error {
        ExportError::NoSuchDirectory { .. } => Refusal::NoSuchDirectory,
        error => Refusal::Other(error.to_string()),
    })?;
    let path = imported.session.path().map(Path::to_owned).unwrap_or_default();
    drop(imported.session);
    let switched = replaced(live.switch_session(&path.to_string_lossy()));
    if switched.is_err() && !imported.was_there {
        // Nobody wants the copy.
        let _ = fs_err::remove_file(&path);
    }
    switched.map(|_| path).map_err(Refusal::Other)
}
