//! Deleting a session: the question, and what follows from the answer.

use std::path::{Path, PathBuf};

use pitree_store::delete::Trash;

use super::work::Work;
use crate::desk::Desk;

/// A session that may be deleted.
pub(super) struct Deleting {
    path: PathBuf,
    /// Whether it is removed for good, since no trash took it.
    permanent: bool,
}

impl Deleting {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), permanent: false }
    }

    pub(super) fn permanently(path: PathBuf) -> Self {
        Self { path, permanent: true }
    }

    /// What the user is asked.
    pub(super) fn question(&self) -> &'static str {
        if self.permanent {
            "No trash takes it. Delete permanently? y deletes it for good, n keeps it"
        } else {
            "Delete this session? y moves it to the trash, n keeps it"
        }
    }

    /// The user said yes.
    pub(super) fn begin(&self, work: &Work, desk: &Desk) {
        let mut trash = Trash::new(desk.allowed.trash_command.clone());
        trash.desktop = desk.allowed.desktop_trash;
        trash.permanent = self.permanent;
        work.delete(&self.path, trash);
    }
}
