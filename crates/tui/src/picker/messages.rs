//! What the picker does about the messages of its threads.

use super::delete::DeleteQuestion;
use super::threads::{DeleteOutcome, PickerMessage};
use super::{AfterMigration, Picker, PickerMode};
use crate::keymap::{Keymap, PickerAction};

impl Picker {
    /// Handles all messages that are there.
    pub(super) fn take_messages(&mut self, keymap: &Keymap) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                PickerMessage::First(number, sessions)
                    if number == self.number && self.is_loading =>
                {
                    self.list.set_sessions(sessions);
                }
                PickerMessage::Progress(number, done, total) if number == self.number => {
                    let before = self.progress.map_or(0, |(done, _)| done);
                    self.progress = Some((done.max(before), total));
                }
                PickerMessage::All(number, sessions, left_out) if number == self.number => {
                    self.list.set_sessions(sessions);
                    self.list.left_out = left_out;
                    (self.is_loading, self.progress) = (false, None);
                }
                PickerMessage::First(..) | PickerMessage::Progress(..) | PickerMessage::All(..) => {
                }
                PickerMessage::Ids(ids) => self.ids = ids,
                PickerMessage::Matches { scope, needle, files, method } if scope == self.scope => {
                    self.list.add_matches(needle, files, method);
                }
                PickerMessage::Matches { .. } => {}
                PickerMessage::Searched(number) if number == self.searched => {
                    self.searches_running = self.searches_running.saturating_sub(1);
                }
                PickerMessage::Searched(_) => {}
                PickerMessage::Preview(preview) => self.preview = preview,
                PickerMessage::Runs(path, Ok(runs)) => self.list.set_runs(path, runs),
                PickerMessage::Runs(_, Err(error)) => self.wrong(&error),
                PickerMessage::Renamed(Ok(())) => self.reload(),
                PickerMessage::Renamed(Err(error)) => self.wrong(&error),
                PickerMessage::IsOld { .. } if !matches!(self.mode, PickerMode::List) => {
                    let again = keymap.picker.label(PickerAction::Rename);
                    let words = "not renamed: its file is of an old version";
                    self.wrong(&format!("{words}; {again} asks again"));
                }
                PickerMessage::IsOld { path, name, version } => {
                    let next = AfterMigration::Rename(name);
                    self.mode = PickerMode::Migrate { path, version, next };
                }
                PickerMessage::Migrated(chosen, Ok(())) => self.migrated = Some(chosen),
                PickerMessage::Migrated(_, Err(error)) => {
                    self.wrong(&format!("Not migrated: {error}"));
                }
                PickerMessage::Deleted(deleting, outcome) => {
                    self.deleted(deleting, outcome, keymap);
                }
            }
        }
    }

    fn deleted(&mut self, deleting: DeleteQuestion, outcome: DeleteOutcome, keymap: &Keymap) {
        // A key since then was meant for something else, and so would the next one be.
        let is_waiting = self.notice.take().is_some() && matches!(self.mode, PickerMode::List);
        match outcome {
            DeleteOutcome::Trashed => self.say("moved to the trash"),
            DeleteOutcome::Removed => self.say("deleted permanently"),
            DeleteOutcome::NoTrash if is_waiting => {
                self.mode = PickerMode::Delete(deleting.permanently());
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
