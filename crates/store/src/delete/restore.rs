//! Getting sessions back out of the desktop's trash.

use std::path::PathBuf;

use pitree_session::location::read_session;
use thiserror::Error;

use super::{SessionPart, side_names, trash::is_there};

/// What was deleted with a session went to the trash within this time, in seconds.
const TOGETHER: u64 = 60;

/// Why a session does not come back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Something else has its place by now.
    #[error("{} is taken by another file", path.display())]
    Taken {
        /// The place.
        path: PathBuf,
    },
    /// The desktop's trash said no.
    #[error("The desktop's trash failed: {reason}")]
    Trash {
        /// What it answered.
        reason: String,
    },
    /// Programs cannot look into the trash of this system.
    #[error("This system does not let programs look into the trash")]
    NoList,
}

/// A session in the desktop's trash.
#[derive(Clone, Debug)]
pub struct TrashedSession {
    /// Where it was.
    pub path: PathBuf,
    /// Where it lies now.
    pub trashed: PathBuf,
    /// Its id.
    pub id: String,
    /// When it was deleted, in seconds since 1970.
    pub deleted: i64,
    items: Vec<Item>,
}

/// What is back at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The place.
    pub path: PathBuf,
    /// What it is.
    pub part: SessionPart,
}

impl TrashedSession {
    /// All sessions in the trash, the last deleted first, each with the files that went with it.
    pub fn all() -> Result<Vec<Self>, RestoreError> {
        let items = system::list()?;
        let mut sessions: Vec<Self> =
            items.iter().filter_map(|item| Self::of(item, &items)).collect();
        sessions.sort_by(|one, other| (other.deleted, &one.path).cmp(&(one.deleted, &other.path)));
        Ok(sessions)
    }

    fn of(item: &Item, all: &[Item]) -> Option<Self> {
        let Item { path, trashed, deleted } = item.clone();
        if path.extension().is_none_or(|end| end != "jsonl") {
            return None;
        }
        let id = read_session(&trashed).ok().flatten()?.id();
        let side = |name: PathBuf| {
            let together = all.iter().filter(|other| other.path == name);
            let apart = |other: &&Item| other.deleted.abs_diff(deleted);
            together.min_by_key(apart).filter(|other| apart(other) <= TOGETHER).cloned()
        };
        let items = [item.clone()].into_iter().chain(side_names(&path).filter_map(side)).collect();
        Some(Self { path, trashed, id, deleted, items })
    }

    /// Puts the session back where it was, then what went with it. Nothing is overwritten: if its
    /// place is taken, all stays in the trash; a side file whose place is taken stays there alone.
    pub fn restore(&self) -> Result<Vec<Restored>, RestoreError> {
        let mut restored = Vec::new();
        for (number, item) in self.items.iter().enumerate() {
            let path = item.path.clone();
            let part = if number == 0 { SessionPart::Session } else { SessionPart::SideFile };
            let result = match is_there(&path) {
                true => Err(RestoreError::Taken { path: path.clone() }),
                false => system::restore(item),
            };
            match result {
                Ok(()) => restored.push(Restored { path, part }),
                Err(error) if number == 0 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(restored)
    }
}

/// Something in the trash.
#[derive(Clone, Debug)]
struct Item {
    /// Where it was.
    path: PathBuf,
    /// Where it lies.
    trashed: PathBuf,
    /// When it was deleted, in seconds since 1970.
    deleted: i64,
}

/// The trash as freedesktop.org describes it: what is thrown away lies in `files`, and what is known
/// of it in `info`, with an ending more.
#[cfg(all(
    feature = "trash",
    unix,
    not(any(target_os = "macos", target_os = "ios", target_os = "android"))
))]
mod system {
    use std::path::Path;

    use super::{Item, RestoreError};
    use crate::delete::trash::in_plain_words;

    pub(super) fn list() -> Result<Vec<Item>, RestoreError> {
        let items = trash::os_limited::list().map_err(to_error)?;
        Ok(items.iter().filter_map(item).collect())
    }

    pub(super) fn restore(item: &Item) -> Result<(), RestoreError> {
        let items = trash::os_limited::list().map_err(to_error)?;
        let found = items.into_iter().find(|other| in_trash(other).as_ref() == Some(&item.trashed));
        let gone = || RestoreError::Trash { reason: "it is not in the trash anymore".to_owned() };
        trash::os_limited::restore_all([found.ok_or_else(gone)?]).map_err(to_error)
    }

    fn item(item: &trash::TrashItem) -> Option<Item> {
        let (path, deleted) = (item.original_path(), item.time_deleted);
        Some(Item { path, trashed: in_trash(item)?, deleted })
    }

    fn in_trash(item: &trash::TrashItem) -> Option<std::path::PathBuf> {
        let info = Path::new(&item.id);
        let folder = info.parent()?.parent()?;
        Some(folder.join("files").join(info.file_stem()?))
    }

    fn to_error(error: trash::Error) -> RestoreError {
        match error {
            trash::Error::RestoreCollision { path, .. } => RestoreError::Taken { path },
            other => RestoreError::Trash { reason: in_plain_words(other) },
        }
    }
}

/// Elsewhere nothing can be listed.
#[cfg(not(all(
    feature = "trash",
    unix,
    not(any(target_os = "macos", target_os = "ios", target_os = "android"))
)))]
mod system {
    use super::{Item, RestoreError};

    pub(super) fn list() -> Result<Vec<Item>, RestoreError> {
        Err(RestoreError::NoList)
    }

    pub(super) fn restore(_: &Item) -> Result<(), RestoreError> {
        Err(RestoreError::NoList)
    }
}
