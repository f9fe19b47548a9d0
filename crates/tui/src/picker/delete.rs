//! Deleting a session: the question, and what follows from the answer.

use std::path::{Path, PathBuf};

use pitree_store::delete::Trash;

use super::threads::PickerThreads;
use crate::keymap::{DialogAction, Keymap};
use crate::state::AppState;
use crate::text;

/// So much of a title is enough to know which one it is.
const TITLE_COLUMNS: usize = 36;

/// A session that may be deleted.
pub(super) struct DeleteQuestion {
    path: PathBuf,
    /// What the user sees of it in the list.
    title: String,
    /// Whether it is removed for good, since no trash took it.
    permanent: bool,
}

impl DeleteQuestion {
    pub(super) fn new(path: &Path, title: &str) -> Self {
        let title = text::fit(title, TITLE_COLUMNS);
        Self { path: path.to_owned(), title, permanent: false }
    }

    /// The same session, which no trash took.
    pub(super) fn permanently(self) -> Self {
        Self { permanent: true, ..self }
    }

    pub(super) fn is_permanent(&self) -> bool {
        self.permanent
    }

    /// What the user is asked.
    pub(super) fn question(&self, keymap: &Keymap) -> String {
        let title = &self.title;
        let [yes, no] = [DialogAction::Yes, DialogAction::No].map(|key| keymap.dialog.label(key));
        if self.permanent {
            format!("Could not move “{title}” to the trash. Delete permanently? {yes} or {no}")
        } else {
            format!("Delete “{title}”? {yes} moves it to the trash, {no} keeps it")
        }
    }

    /// The session's file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The user said yes.
    pub(super) fn begin(self, work: &PickerThreads, state: &AppState) {
        let mut trash = Trash::new(state.allowed.trash_command.clone());
        trash.desktop = state.allowed.desktop_trash;
        trash.permanent = self.permanent;
        work.delete(self, trash);
    }
}
