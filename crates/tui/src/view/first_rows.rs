//! Where the first rows of a large session come from while a thread opens it: from the end of its
//! file, from the line that a search has found, or from wherever an entry is found in it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use pitree_session::{Environment, Session, find_entry, read_tail};

use super::transcript::FirstPage;
use crate::state::{AppState, OpenAt};

/// A smaller file is open before its first rows could be drawn.
const LEAST_BYTES: u64 = 4 << 20;

/// The first rows of a large session, once they are known.
pub(super) struct FirstRows {
    path: PathBuf,
    at: OpenAt,
    /// What is seen; nothing while the entry is being looked for.
    pub(super) page: Option<FirstPage>,
    /// The part of the file around the entry that a thread looks for.
    searched: Option<Receiver<Option<Session>>>,
}

impl FirstRows {
    /// The rows where a session is to be read. `None` if it is opened just as soon, or if only
    /// somebody who reads all of it can say what they are.
    pub(super) fn of(path: &Path, state: &AppState) -> Option<Self> {
        let about = fs_err::metadata(path).ok()?;
        if !about.is_file() || about.len() < LEAST_BYTES {
            return None;
        }
        let at = state.open_at.clone().unwrap_or_default();
        let mut rows = Self { path: path.to_owned(), at, page: None, searched: None };
        let Some(entry) = rows.at.entry.clone() else {
            rows.page = rows.end(state);
            return rows.page.is_some().then_some(rows);
        };
        let environment = &state.environment;
        let known = rows.at.offset.and_then(|at| part_with(path, &entry, at, environment));
        let part = match known {
            Some(part) => Some(part),
            None => {
                let searched = search(path, &entry, state);
                match searched.recv_timeout(state.grace) {
                    // Whoever opens all of it says why there is no such entry.
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => return None,
                    Ok(part) => part,
                    Err(RecvTimeoutError::Timeout) => {
                        rows.searched = Some(searched);
                        None
                    }
                }
            }
        };
        rows.page = part.and_then(|part| FirstPage::new(part, &rows.at, state.size));
        (rows.page.is_some() || rows.searched.is_some()).then_some(rows)
    }

    /// Takes what the thread has found. Without the entry the end is seen, as in the view.
    pub(super) fn poll(&mut self, state: &AppState) {
        let Some(searched) = &self.searched else { return };
        let part = match searched.try_recv() {
            Ok(part) => part,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => None,
        };
        self.searched = None;
        let page = part.and_then(|part| FirstPage::new(part, &self.at, state.size));
        self.page = page.or_else(|| self.end(state));
    }

    /// The rows at the end.
    fn end(&self, state: &AppState) -> Option<FirstPage> {
        let last = read_tail(&self.path, 1).ok()?.lines.pop()?.offset;
        let part = Session::open_around(&self.path, last, &state.environment).ok().flatten()?;
        FirstPage::new(part, &OpenAt::default(), state.size)
    }
}

/// Looks for an entry in all of a file.
fn search(path: &Path, entry: &str, state: &AppState) -> Receiver<Option<Session>> {
    let (sender, searched) = state.waker.channel();
    let (path, entry) = (path.to_owned(), entry.to_owned());
    let environment = state.environment.clone();
    std::thread::spawn(move || {
        let offset = find_entry(&path, &entry).ok().flatten();
        sender.send(offset.and_then(|at| part_with(&path, &entry, at, &environment)));
    });
    searched
}

/// The lines around a place, if the entry is among them.
fn part_with(path: &Path, entry: &str, offset: u64, environment: &Environment) -> Option<Session> {
    let part = Session::open_around(path, offset, environment).ok().flatten()?;
    part.entry_by_prefix(entry).is_ok().then_some(part)
}
