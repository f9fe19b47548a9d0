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
                PickerMessage::Matches { number, found, is_all } if number == self.searched => {
                    self.has_all_matches |= is_all;
                    if is_all || !self.has_all_matches {
                        self.list.add_matches(found, is_all);
                    }
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
                    let words = "Not renamed: the file is in an old format version";
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
                PickerMessage::InUse(path, why) => match &mut self.mode {
                    PickerMode::Delete(deleting) if deleting.is_about(&path) => {
                        let paths = deleting.paths().to_vec();
                        let deleting = deleting.clone().although_in_use(paths, &path, why);
                        self.mode = PickerMode::Delete(deleting);
                    }
                    _ => {}
                },
                PickerMessage::Exported(count, problems) => match problems.first() {
                    Some(problem) => self.wrong(problem),
                    None if count == 1 => self.say("Session exported to this directory"),
                    None => self.say(&format!("{count} sessions exported to this directory")),
                },
                PickerMessage::Deleted(deleting, outcome) => {
                    self.deleted(deleting, outcome, keymap);
                }
            }
        }
    }

    fn deleted(&mut self, deleting: DeleteQuestion, outcome: DeleteOutcome, keymap: &Keymap) {
        // A key since then was meant for something else, and so would the next one be.
        let is_waiting = self.notice.take().is_some() && matches!(self.mode, PickerMode::List);
        for path in &outcome.gone {
            self.list.remove(path);
        }
        let again = keymap.picker.label(PickerAction::Delete);
        if let Some((in_use, why)) = outcome.in_use.first() {
            let paths = outcome.in_use.iter().map(|(path, _)| path.clone()).collect();
            match is_waiting {
                true => {
                    let deleting = deleting.although_in_use(paths, in_use, why);
                    self.mode = PickerMode::Delete(deleting);
                }
                false => {
                    self.wrong(&format!("Kept, since it is in use: {why}; {again} asks again"));
                }
            }
        } else if !outcome.no_trash.is_empty() {
            match is_waiting {
                true => self.mode = PickerMode::Delete(deleting.permanently(outcome.no_trash)),
                false => {
                    let words = "Kept: it could not be moved to the trash";
                    self.wrong(&format!("{words}; {again} asks again"));
                }
            }
        } else if let Some(reason) = outcome.kept.first() {
            self.wrong(reason);
        } else {
            let done =
                if outcome.is_removed { "deleted permanently" } else { "moved to the trash" };
            let back = if outcome.is_removed { "" } else { "; `pitree restore` brings them back" };
            match outcome.gone.len() {
                1 => self.say(&format!("Session {done}")),
                count => self.say(&format!("{count} sessions {done}{back}")),
            }
        }
        if !outcome.gone.is_empty() {
            self.reload();
        }
    }
}
