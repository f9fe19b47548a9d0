//! Getting sessions back out of the desktop's trash.
//!
//! The trash is read as freedesktop.org describes it: what is thrown away lies in `files`, and where
//! it was in `info`, in a file with an ending more. Any program writes there, and on a disk that is
//! plugged in anybody may have: what is not as described is passed over, and only sessions come back.

use std::io;
use std::path::{Path, PathBuf};

use pitree_session::location::read_session;
use pitree_session::{Environment, cause};
use thiserror::Error;

use super::{SessionPart, side_names, trash::is_there};
use crate::Unreadable;

/// What was deleted with a session went to the trash within this time, in milliseconds.
const TOGETHER_MS: i64 = 60_000;

/// Why a file does not come back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Something else has its place by now.
    #[error("{} exists: another file has this name", path.display())]
    Taken {
        /// The place.
        path: PathBuf,
    },
    /// The operating system said no.
    #[error("Cannot restore {}: {}", path.display(), cause(source))]
    Io {
        /// The place.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// Programs cannot look into the trash of this system.
    #[error("Programs cannot read the trash on this system")]
    NoList,
}

/// The sessions in the desktop's trash.
#[derive(Debug, Default)]
pub struct TrashContents {
    /// The sessions, the last deleted first.
    pub sessions: Vec<TrashedSession>,
    /// What could not be read, and why. Sessions in it are missing here.
    pub unreadable: Vec<Unreadable>,
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
    /// What the clock showed when it was deleted, in milliseconds since its own 1970; `None` if the
    /// trash does not say.
    pub deleted_local_ms: Option<i64>,
    items: Vec<Item>,
}

/// What became of a session that was to come back, and of its side files.
#[derive(Debug, Default)]
pub struct Restoration {
    /// What is back at its place.
    pub restored: Vec<(PathBuf, SessionPart)>,
    /// Side files that are still in the trash: where they lie, and why.
    pub kept: Vec<(PathBuf, RestoreError)>,
}

/// Something in the trash.
#[derive(Clone, Debug)]
struct Item {
    /// Where it was.
    path: PathBuf,
    /// Where it lies.
    trashed: PathBuf,
    /// Where this is written.
    info: PathBuf,
    deleted_local_ms: Option<i64>,
}

impl TrashContents {
    /// Looks into the trash of the user's home, and into that of the disks on which these folders
    /// are.
    pub fn read(environment: &Environment, folders: &[PathBuf]) -> Result<Self, RestoreError> {
        let mut contents = Self::default();
        let mut items = Vec::new();
        for can in TrashCan::all(environment, folders)? {
            can.read(&mut items, &mut contents.unreadable);
        }
        let mut sessions = Vec::new();
        for item in &items {
            if item.path.extension().is_none_or(|end| end != "jsonl") || !is_file(&item.trashed) {
                continue;
            }
            match read_session(&item.trashed) {
                Ok(Some(found)) => sessions.push((item, found.id())),
                Ok(None) => {}
                Err(error) => contents.unreadable.push((item.trashed.clone(), error.to_string())),
            }
        }
        let deleted: Vec<&Item> = sessions.iter().map(|(item, _)| *item).collect();
        let session = |(item, id): &(&Item, String)| {
            let sides =
                side_names(&item.path).filter_map(|name| side(&name, item, &items, &deleted));
            let items = [(*item).clone()].into_iter().chain(sides).collect();
            let Item { path, trashed, deleted_local_ms, .. } = (*item).clone();
            TrashedSession { path, trashed, id: id.clone(), deleted_local_ms, items }
        };
        contents.sessions = sessions.iter().map(session).collect();
        contents.sessions.sort_by(|one, other| {
            (other.deleted_local_ms, &one.path).cmp(&(one.deleted_local_ms, &other.path))
        });
        Ok(contents)
    }
}

/// The side file of this name that went with a session. A session may have been deleted more than
/// once: a side file belongs to the last one that went before it.
fn side(name: &Path, session: &Item, all: &[Item], sessions: &[&Item]) -> Option<Item> {
    let time = session.deleted_local_ms?;
    let went_with = |item: &&Item| {
        let Some(after) = item.deleted_local_ms.filter(|after| *after >= time) else {
            return false;
        };
        let next = sessions.iter().filter(|other| other.path == session.path);
        let next =
            next.filter_map(|other| other.deleted_local_ms).filter(|next| *next > time).min();
        after - time <= TOGETHER_MS && next.is_none_or(|next| after < next)
    };
    all.iter().filter(|item| item.path == name).find(went_with).cloned()
}

impl TrashedSession {
    /// Puts the session back where it was, then what went with it. Nothing is overwritten: if its
    /// place is taken, all stays in the trash.
    pub fn restore(&self) -> Result<Restoration, RestoreError> {
        let mut restoration = Restoration::default();
        let mut part = SessionPart::Session;
        for item in &self.items {
            match item.restore() {
                Ok(()) => restoration.restored.push((item.path.clone(), part)),
                Err(error) if part == SessionPart::Session => return Err(error),
                Err(error) => restoration.kept.push((item.trashed.clone(), error)),
            }
            part = SessionPart::SideFile;
        }
        Ok(restoration)
    }
}

impl Item {
    fn restore(&self) -> Result<(), RestoreError> {
        let path = &self.path;
        if is_there(path) {
            return Err(RestoreError::Taken { path: path.clone() });
        }
        let folder = path.parent().unwrap_or(path);
        let moved = fs_err::create_dir_all(folder).and_then(|()| match is_file(&self.trashed) {
            true => move_file(&self.trashed, path, folder),
            false => move_folder(&self.trashed, path, folder),
        });
        match moved {
            Ok(()) => {
                // An item without its file is one that every trash passes over.
                let _ = fs_err::remove_file(&self.info);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(RestoreError::Taken { path: path.clone() })
            }
            Err(source) => Err(RestoreError::Io { path: path.clone(), source }),
        }
    }
}

/// Gives a file its old name, which nothing may have; on another disk a copy gets it.
fn move_file(from: &Path, to: &Path, folder: &Path) -> io::Result<()> {
    match fs_err::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) => {}
        Err(_) => {
            let mut copy = tempfile::NamedTempFile::new_in(folder)?;
            copy_file(from, copy.as_file_mut())?;
            copy.persist_noclobber(to).map_err(|error| error.error)?;
        }
    }
    fs_err::remove_file(from)
}

fn copy_file(from: &Path, to: &mut std::fs::File) -> io::Result<()> {
    let mut source = fs_err::File::open(from)?;
    io::copy(&mut source, to)?;
    let metadata = source.metadata()?;
    to.set_permissions(metadata.permissions())?;
    to.set_modified(metadata.modified()?)?;
    to.sync_all()
}

/// The same for a folder.
fn move_folder(from: &Path, to: &Path, folder: &Path) -> io::Result<()> {
    match fs_err::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let copy = tempfile::tempdir_in(folder)?;
            copy_folder(from, copy.path())?;
            fs_err::rename(copy.path(), to)?;
            // It has another name now, and stays.
            let _ = copy.keep();
            fs_err::remove_dir_all(from)
        }
        moved => moved,
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        fs_err::create_dir_all(&to)?;
        for entry in fs_err::read_dir(&from)? {
            let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            if is_file(&entry) {
                let mut copy = fs_err::File::create_new(to.join(name))?;
                copy_file(&entry, copy.file_mut())?;
            } else if fs_err::symlink_metadata(&entry)?.is_dir() {
                folders.push((entry, to.join(name)));
            }
        }
    }
    Ok(())
}

fn is_file(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

use can::TrashCan;

#[cfg(all(
    feature = "trash",
    unix,
    not(any(target_os = "macos", target_os = "ios", target_os = "android"))
))]
mod can;

/// Elsewhere nothing can be listed.
#[cfg(not(all(
    feature = "trash",
    unix,
    not(any(target_os = "macos", target_os = "ios", target_os = "android"))
)))]
mod can {
    use super::{Environment, Item, PathBuf, RestoreError, Unreadable};

    pub(super) struct TrashCan;

    impl TrashCan {
        pub(super) fn all(_: &Environment, _: &[PathBuf]) -> Result<Vec<Self>, RestoreError> {
            Err(RestoreError::NoList)
        }

        pub(super) fn read(&self, _: &mut Vec<Item>, _: &mut Vec<Unreadable>) {}
    }
}
