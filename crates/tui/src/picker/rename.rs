//! Giving sessions other names.

use std::path::{Path, PathBuf};

use super::Picker;
use crate::state::AppState;

impl Picker {
    /// Gives sessions a name: of several each gets its number too.
    pub(super) fn rename_all(&mut self, paths: &[PathBuf], name: &str, state: &mut AppState) {
        match paths {
            [path] => self.rename(path, name, state),
            _ if name.is_empty() => {}
            many => {
                for (path, number) in many.iter().zip(1..) {
                    self.rename(path, &format!("{name} {number}"), state);
                }
            }
        }
        self.list.clear_marks();
    }

    fn rename(&mut self, path: &Path, name: &str, state: &mut AppState) {
        if name.is_empty() {
            return;
        }
        // The session that is open is renamed where others hear of it.
        let is_open = state.live.as_ref().is_some_and(|live| live.is_open_file(path));
        if !is_open || state.old_version().is_some() {
            return self.threads.rename(path, name, false);
        }
        let (name, announcer) = (name.to_owned(), state.announcer());
        self.renaming = state.run_on_session(move |live| {
            announcer.around(live, |live| live.set_name(name.as_str()).map(|_| ()))
        });
        self.hear_renaming(state);
    }

    /// What became of a new name for the session that is open.
    pub(super) fn hear_renaming(&mut self, state: &AppState) {
        match self.renaming.as_ref().and_then(|job| job.poll(state)) {
            None => return,
            Some(Ok(())) => self.reload(),
            Some(Err(error)) => self.wrong(&error.to_string()),
        }
        self.renaming = None;
    }
}
