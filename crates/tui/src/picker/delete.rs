//! Deleting sessions: the question, and what follows from the answer.

use std::path::{Path, PathBuf};

use pitree_store::delete::Trash;

use super::threads::PickerThreads;
use crate::keymap::{DialogAction, Keymap};
use crate::state::AppState;
use crate::text;

/// So much of a title is enough to know which one it is.
const TITLE_COLUMNS: usize = 36;

/// Sessions that may be deleted.
#[derive(Clone)]
pub(super) struct DeleteQuestion {
    paths: Vec<PathBuf>,
    /// What the user sees of them in the list.
    title: String,
    /// Whether they are removed for good, since no trash took them.
    permanent: bool,
    /// Why one of them seems to be in use.
    in_use: Option<&'static str>,
    /// The title of that one.
    name_in_use: String,
    titles: Vec<(PathBuf, String)>,
    /// Whether the user said yes although he knew that.
    is_forced: bool,
}

impl DeleteQuestion {
    /// The files and titles of the sessions.
    pub(super) fn new(sessions: &[(PathBuf, String)]) -> Self {
        let title = match sessions {
            [(_, title)] => format!("“{}”", text::fit(title, TITLE_COLUMNS)),
            many => format!("{} sessions", many.len()),
        };
        let paths = sessions.iter().map(|(path, _)| path.clone()).collect();
        Self {
            paths,
            title,
            permanent: false,
            in_use: None,
            name_in_use: String::new(),
            titles: sessions.to_vec(),
            is_forced: false,
        }
    }

    /// Some of the sessions, which no trash took.
    pub(super) fn permanently(self, paths: Vec<PathBuf>) -> Self {
        Self { permanent: true, ..self.about(paths) }
    }

    /// Some of the sessions, one of which is in use.
    pub(super) fn although_in_use(
        self,
        paths: Vec<PathBuf>,
        in_use: &Path,
        why: &'static str,
    ) -> Self {
        let title = self.titles.iter().find(|(path, _)| path == in_use).map(|(_, title)| title);
        let name = title.map(|title| format!("“{}”", text::fit(title, TITLE_COLUMNS)));
        Self { in_use: Some(why), name_in_use: name.unwrap_or_default(), ..self.about(paths) }
    }

    fn about(self, paths: Vec<PathBuf>) -> Self {
        let title = match paths.len() == self.paths.len() {
            true => self.title.clone(),
            false => format!("{} of {} sessions", paths.len(), self.paths.len()),
        };
        Self { paths, title, ..self }
    }

    /// Whether the user knows that one of them is in use.
    pub(super) fn is_forced(&self) -> bool {
        self.is_forced
    }

    /// Tells one question from the next.
    pub(super) fn key(&self) -> String {
        let Self { paths, permanent, in_use, is_forced, .. } = self;
        format!("{paths:?} {permanent} {in_use:?} {is_forced}")
    }

    /// What the user is asked.
    pub(super) fn question(&self, keymap: &Keymap) -> String {
        let title = &self.title;
        let [yes, no] = [DialogAction::Yes, DialogAction::No].map(|key| keymap.dialog.label(key));
        let them = if self.paths.len() == 1 { "it" } else { "them" };
        match (self.permanent, self.in_use, self.is_forced) {
            (true, ..) => {
                format!("Could not move {title} to the trash. Delete permanently? {yes} or {no}")
            }
            (_, Some(why), false) => {
                let subject = match self.paths.len() {
                    1 => "It is".to_owned(),
                    _ => format!("{} is", self.name_in_use),
                };
                format!("Delete {title}? {subject} in use: {why}. {yes} to go on, {no} to cancel")
            }
            (_, Some(_), true) => {
                let question = match self.paths.len() {
                    1 => format!("{title} is in use. Delete it anyway?"),
                    count => format!(
                        "One of these {count} sessions is in use ({}). Delete all {count} anyway?",
                        self.name_in_use
                    ),
                };
                format!("{question} {yes} moves {them} to the trash, {no} cancels")
            }
            (false, None, _) => {
                format!("Delete {title}? {yes} moves {them} to the trash, {no} keeps {them}")
            }
        }
    }

    /// The sessions' files.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether it is about this file.
    pub(super) fn is_about(&self, path: &Path) -> bool {
        self.paths.iter().any(|other| other == path)
    }

    /// The user said yes: whether that is enough. Of a session in use it takes a second time.
    pub(super) fn confirm(&mut self) -> bool {
        let is_enough = self.in_use.is_none() || self.is_forced || self.permanent;
        self.is_forced = self.in_use.is_some();
        is_enough
    }

    /// Deletes them.
    pub(super) fn begin(self, work: &PickerThreads, state: &AppState) {
        let mut trash = Trash::new(state.allowed.trash_command.clone());
        trash.desktop = state.allowed.desktop_trash;
        trash.permanent = self.permanent;
        work.delete(self, trash);
    }
}
