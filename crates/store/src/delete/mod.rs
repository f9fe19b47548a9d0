//! Deleting sessions: to the trash, with all that belongs to them; and getting them back.
//!
//! A session is looked at first ([`DeletePlan::new`], [`Store::family`](crate::Store::family)) and
//! goes then ([`DeletePlan::delete`]). Its file goes before its side files: if it stays, they stay.

mod family;
mod records;
mod restore;
mod trash;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use pitree_session::location::{read_found, read_session};
use pitree_session::{Environment, SessionError, cause};
use thiserror::Error;

use crate::discover::FileStamp;

pub use family::Family;
pub use restore::{Restoration, RestoreError, TrashContents, TrashedSession};
pub use trash::{Disposal, TRASH_TIME_LIMIT, Trash};

/// A session whose file changed within this time counts as in use.
const IN_USE_MS: i64 = 60_000;

/// What follows a session's file name in the names of the files beside it.
const SIDE_FILES: [&str; 2] = [".lock", ".blobs"];

/// Why a session was not deleted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// It is no session, or cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Somebody works with it.
    #[error("{} is in use: {why}", path.display())]
    InUse {
        /// The session.
        path: PathBuf,
        /// How that is known.
        why: &'static str,
    },
    /// The `trash` command says that all is well, but it is not.
    #[error("{} is still there, although {} reported success", path.display(), command.display())]
    StillThere {
        /// The file.
        path: PathBuf,
        /// The command.
        command: PathBuf,
    },
    /// No trash takes it.
    #[error("Could not move {} to the trash: {reasons}", path.display())]
    NoTrash {
        /// The file.
        path: PathBuf,
        /// What was tried and why it failed.
        reasons: String,
    },
    /// The operating system said no.
    #[error("Cannot remove {}: {}", path.display(), cause(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

/// What a file is to the session it goes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionPart {
    /// The session itself.
    Session,
    /// A file or folder beside it that is of no use without it.
    SideFile,
    /// What a sub-agent left.
    Record,
}

/// A file that is gone.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// Where it was.
    pub path: PathBuf,
    /// What it was.
    pub part: SessionPart,
    /// Where it went.
    pub to: Disposal,
}

/// What became of a session and its files.
#[derive(Debug, Default)]
pub struct Deletion {
    /// What is gone.
    pub gone: Vec<Deleted>,
    /// What is still there, and why.
    pub kept: Vec<(PathBuf, DeleteError)>,
}

/// A session that is to go.
#[derive(Clone, Debug)]
pub struct DeletePlan {
    /// Its file.
    pub path: PathBuf,
    /// Its id; empty if it has no header.
    pub id: String,
    /// The files and folders that go with it.
    pub side_files: Vec<PathBuf>,
    /// How the file looked.
    stamp: FileStamp,
}

impl DeletePlan {
    /// Looks at a session that is to go; changes nothing. Without `force` it must be one that Pi
    /// would take for a session, and not in use; with it any `.jsonl` file will do.
    pub fn new(path: &Path, environment: &Environment, force: bool) -> Result<Self, DeleteError> {
        let file = pitree_session::open_file(path)?;
        let forced = force && path.extension().is_some_and(|end| end == "jsonl");
        let id = match (read_session(path)?, read_found(path)?) {
            (Some(found), _) => found.id(),
            (None, _) if forced => String::new(),
            (None, header) => {
                let reason = match header {
                    Some(_) => "its header is not followed by entries of a session",
                    None => "it does not begin with a header",
                };
                let (path, reason) = (path.to_owned(), reason.to_owned());
                return Err(SessionError::NotASession { path, reason, looks_like: None }.into());
            }
        };
        let stamp = FileStamp::of(path).ok_or_else(|| changed(path))?;
        if !force {
            let age = environment.now_ms().saturating_sub(stamp.modified_ms());
            if age.abs() < IN_USE_MS {
                return Err(in_use(path, "it changed within the last minute"));
            }
            let _free_again = Locked::take(file, path)?;
        }
        Ok(Self { path: path.to_owned(), id, side_files: side_files(path), stamp })
    }

    /// Lets the session go: its file first, then what lies beside it. If the file stays, all
    /// stays. Without `force` a session that changed since it was looked at stays too.
    pub fn delete(&self, trash: &Trash, force: bool) -> Deletion {
        let mut deletion = Deletion::default();
        // The locks are held until the file is gone, so that no pitree and no Rust port writes
        // in between.
        let held = if force { Ok(Vec::new()) } else { self.hold() };
        match held.and_then(|held| Ok((held, trash.dispose(&self.path)?))) {
            Ok((_held, to)) => {
                deletion.gone.push(Deleted {
                    path: self.path.clone(),
                    part: SessionPart::Session,
                    to,
                });
                let files = side_files(&self.path);
                deletion.dispose_all(&files, SessionPart::SideFile, trash);
            }
            Err(error) => deletion.kept.push((self.path.clone(), error)),
        }
        deletion
    }

    fn hold(&self) -> Result<Vec<Locked>, DeleteError> {
        let file = pitree_session::open_file(&self.path)?;
        let mut held = vec![Locked::take(file, &self.path)?];
        if FileStamp::of(&self.path) != Some(self.stamp) {
            return Err(in_use(&self.path, "it changed just now"));
        }
        let port_lock = beside(&self.path, SIDE_FILES[0]);
        if let Ok(file) = pitree_session::open_file(&port_lock) {
            held.push(Locked::take(file, &self.path)?);
        }
        Ok(held)
    }
}

/// A file whose lock we have.
struct Locked(File);

impl Locked {
    fn take(file: File, session: &Path) -> Result<Self, DeleteError> {
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                Err(in_use(session, "another program holds its lock"))
            }
            // Where there are no locks nobody can hold one.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(Self(file)),
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A child that another thread starts just now has the file too, so closing is not enough.
        let _ = self.0.unlock();
    }
}

impl Deletion {
    /// Lets files go, one after the other.
    pub fn dispose_all(&mut self, files: &[PathBuf], part: SessionPart, trash: &Trash) {
        for path in files.iter().filter(|path| trash::is_there(path)) {
            match trash.dispose(path) {
                Ok(to) => self.gone.push(Deleted { path: path.clone(), part, to }),
                Err(error) => self.kept.push((path.clone(), error)),
            }
        }
    }
}

fn changed(path: &Path) -> DeleteError {
    SessionError::Changed { path: path.to_owned(), what: "it is gone" }.into()
}

fn in_use(path: &Path, why: &'static str) -> DeleteError {
    DeleteError::InUse { path: path.to_owned(), why }
}

/// The name of a session's file with something behind it.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The files beside a session that belong to it: the lock file, the attachments and the second
/// form of the Rust port.
fn side_files(path: &Path) -> Vec<PathBuf> {
    side_names(path).filter(|file| trash::is_there(file)).collect()
}

/// What such files are called.
fn side_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    SIDE_FILES.map(|end| beside(path, end)).into_iter().chain([path.with_extension("v2")])
}
