//! What the picker makes of the news of its threads.

use super::delete::Deleting;
use super::work::{DeleteOutcome, News};
use super::{AfterMigration, Mode, Picker};
use crate::keymap::{Keymap, PickerAction};

impl Picker {
    /// Takes all news that are there.
    pub(super) fn take_news(&mut self, keymap: &Keymap) {
        while let Ok(news) = self.news.try_recv() {
            match news {
                News::First(number, sessions) if number == self.number && self.is_loading => {
                    self.list.set_sessions(sessions);
                }
                News::Progress(number, done, total) if number == self.number => {
                    let before = self.progress.map_or(0, |(done, _)| done);
                    self.progress = Some((done.max(before), total));
                }
                News::All(number, sessions, left_out) if number == self.number => {
                    self.list.set_sessions(sessions);
                    self.list.left_out = left_out;
                    (self.is_loading, self.progress) = (false, None);
                }
                News::First(..) | News::Progress(..) | News::All(..) => {}
                News::Ids(ids) => self.ids = ids,
                News::Matches { scope, needle, files, method } if scope == self.scope => {
                    self.list.add_matches(needle, files, method);
                }
                News::Matches { .. } => {}
                News::Searched(number) if number == self.searched => {
                    self.searches_running = self.searches_running.saturating_sub(1);
                }
                News::Searched(_) => {}
                News::Preview(preview) => self.preview = preview,
                News::Runs(path, Ok(runs)) => self.list.set_runs(path, runs),
                News::Runs(_, Err(error)) => self.wrong(&error),
                News::Renamed(Ok(())) => self.reload(),
                News::Renamed(Err(error)) => self.wrong(&error),
                News::IsOld { .. } if !matches!(self.mode, Mode::List) => {
                    let again = keymap.picker.label(PickerAction::Rename);
                    let words = "not renamed: its file is of an old version";
                    self.wrong(&format!("{words}; {again} asks again"));
                }
                News::IsOld { path, name, version } => {
                    let next = AfterMigration::Rename(name);
                    self.mode = Mode::Migrate { path, version, next };
                }
                News::Migrated(chosen, Ok(())) => self.migrated = Some(chosen),
                News::Migrated(_, Err(error)) => self.wrong(&format!("Not migrated: {error}")),
                News::Deleted(deleting, outcome) => self.deleted(deleting, outcome, keymap),
            }
        }
    }

    fn deleted(&mut self, deleting: Deleting, outcome: DeleteOutcome, keymap: &Keymap) {
        // A key since then was meant for something else, and so would the next one be.
        let is_waiting = self.notice.take().is_some() && matches!(self.mode, Mode::List);
        match outcome {
            DeleteOutcome::Trashed => self.say("moved to the trash"),
            DeleteOutcome::Removed => self.say("deleted permanently"),
            DeleteOutcome::NoTrash if is_waiting => {
                self.mode = Mode::Delete(deleting.permanently());
                return;
            }
            DeleteOutcome::NoTrash => {
                let again = keymap.picker.label(PickerAction::Delete);
                let words = "kept: it could not be moved to the trash";
                return self.wrong(&format!("{words}; {again} asks again"));
            }
            DeleteOutcome::Kept(reason) => return self.wrong(&reason),
        }
        self.list.remove(deleting.path());
        self.reload();
    }
}
