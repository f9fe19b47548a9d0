//! What the operating system says about changes in folders.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use pitree_session::cause;

/// Folders that the system watches for us.
pub(super) struct Signals {
    watcher: RecommendedWatcher,
    receiver: Receiver<notify::Result<Event>>,
    folders: BTreeSet<PathBuf>,
}

/// Why a wait ended.
pub(super) enum Wake {
    /// Nothing happened.
    Time,
    /// Something happened to these.
    Paths(BTreeSet<PathBuf>),
    /// Anything may have happened.
    Anything,
}

impl Signals {
    pub(super) fn start() -> notify::Result<Self> {
        let (sender, receiver) = channel();
        let watcher = notify::recommended_watcher(move |result: notify::Result<Event>| {
            // Our own reading must not wake us.
            if !result.as_ref().is_ok_and(|event| is_only_reading(&event.kind)) {
                let _ = sender.send(result);
            }
        })?;
        Ok(Self { watcher, receiver, folders: BTreeSet::new() })
    }

    /// Watches these folders from now on. One that is gone is passed over.
    pub(super) fn watch(&mut self, folders: BTreeSet<PathBuf>) -> notify::Result<()> {
        self.folders.retain(|folder| folder.is_dir());
        for folder in folders {
            if self.folders.contains(&folder) || !folder.is_dir() {
                continue;
            }
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder);
                }
                Err(_) if !folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until something happens.
    pub(super) fn wait(&mut self, at_most: Duration) -> Wake {
        let first = match self.receiver.recv_timeout(at_most) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) => return Wake::Time,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(at_most);
                return Wake::Time;
            }
        };
        let mut paths = BTreeSet::new();
        for result in std::iter::once(first).chain(self.receiver.try_iter()) {
            match result {
                Ok(event) if !event.need_rescan() => {
                    if event.kind.is_remove() {
                        // A folder that comes back has to be watched anew.
                        event.paths.iter().for_each(|path| _ = self.folders.remove(path));
                    }
                    paths.extend(event.paths);
                }
                Ok(_) | Err(_) => return Wake::Anything,
            }
        }
        Wake::Paths(paths)
    }
}

/// What the system said, without the paths that `notify` adds as Rust prints a list.
pub(super) fn reason(error: notify::Error) -> String {
    match error.kind {
        ErrorKind::Io(error) => cause(&error).to_string(),
        kind => notify::Error::new(kind).to_string(),
    }
}

fn is_only_reading(kind: &EventKind) -> bool {
    let EventKind::Access(access) = kind else { return false };
    *access != AccessKind::Close(AccessMode::Write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_sentence() {
        let denied = std::io::Error::from_raw_os_error(13);
        let said = denied.to_string();
        let error = notify::Error::io(denied).add_path("/some/folder".into());
        assert_eq!(reason(error), said);
        let full = notify::Error::new(ErrorKind::MaxFilesWatch).add_path("/some/folder".into());
        assert!(!reason(full).contains("/some/folder"));
    }
}
