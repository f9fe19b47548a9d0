//! The documented index `session-index.sqlite` below a sessions root, which pi_agent_rust
//! writes and scripts read.
//!
//! pitree has its own cache and needs this one for nothing: [`refresh`] writes it for others, and
//! [`read`] takes from it what another program left there, as a hint. It is the one database of
//! pitree's below a sessions root. It is made only when the user asks; once it is there, a
//! [`Change`] keeps the rows of changed sessions right.

mod change;
mod database;
mod file;
mod lock;
mod walk;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pitree_session::{Environment, cause};
use thiserror::Error;

pub use change::{Announcement, Change};
pub use file::LeftOut;

use database::{Changes, IndexContent};
use file::read_file;
use lock::Lock;
use walk::{Walked, walk};

use crate::progress::{Count, Progress};

/// How long the Rust port waits for the lock.
pub const USUAL_WAIT: Duration = Duration::from_secs(15);

/// How long a reader waits for it.
const READING_WAIT: Duration = Duration::from_secs(1);

/// A file that changed less than this before a scan may have changed once more since, with the
/// same time.
const SETTLED_AFTER_MS: i64 = 50;

/// A row of the shared index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRow {
    /// The session file, as it was found.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// Its working directory: the last one it was moved to, else the header's.
    pub cwd: String,
    /// The header's time, as it is written there.
    pub timestamp: String,
    /// How many messages there are, on all branches.
    pub message_count: i64,
    /// When the file changed, in milliseconds since 1970.
    pub last_modified_ms: i64,
    /// The file's size.
    pub size_bytes: i64,
    /// The last name that was set.
    pub name: Option<String>,
}

/// How to refresh.
#[derive(Clone, Copy, Debug)]
pub struct RefreshOptions {
    /// Whether sessions that the Rust port refuses are put in too.
    pub with_refused: bool,
    /// How long to wait for others.
    pub wait: Duration,
}

impl Default for RefreshOptions {
    fn default() -> Self {
        Self { with_refused: false, wait: USUAL_WAIT }
    }
}

/// What a refresh did.
#[derive(Clone, Debug, Default)]
pub struct Refreshed {
    /// The index.
    pub path: PathBuf,
    /// How many sessions it holds now.
    pub rows: usize,
    /// How many files were read.
    pub read: usize,
    /// How many rows were taken out.
    pub removed: usize,
    /// Files that are not in it, and why.
    pub left_out: Vec<(PathBuf, LeftOut)>,
    /// Whether a damaged index was thrown away first.
    pub rebuilt: bool,
}

/// What stands in the way of the shared index.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SharedIndexError {
    /// Another program holds the lock.
    #[error("{} is held by another program; waited {seconds} s", path.display())]
    Locked {
        /// The lock.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Another program took the lock over.
    #[error("{} was taken over by another program", path.display())]
    LockLost {
        /// The lock.
        path: PathBuf,
    },
    /// Another program is in the middle of a transaction.
    #[error("{} is being written by another program", path.display())]
    Busy {
        /// The index.
        path: PathBuf,
    },
    /// It is a database with other tables.
    #[error("{} is not the documented index: {problem}", path.display())]
    Foreign {
        /// The index.
        path: PathBuf,
        /// What is different.
        problem: String,
    },
    /// It is no database, or a broken one.
    #[error("{} is damaged", path.display())]
    Damaged {
        /// The index.
        path: PathBuf,
    },
    /// The database failed otherwise.
    #[error("Cannot write {}: {problem}", path.display())]
    Database {
        /// The index.
        path: PathBuf,
        /// What SQLite said.
        problem: String,
    },
    /// The operating system said no.
    #[error("Cannot {action} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

impl SharedIndexError {
    /// Whether another program's work or data was protected; to try again later may help.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Locked { .. } | Self::LockLost { .. } | Self::Busy { .. } | Self::Foreign { .. }
        )
    }
}

/// The index of a sessions root.
pub fn path_below(root: &Path) -> PathBuf {
    root.join("session-index.sqlite")
}

/// The number of changes to the sessions below a root that were announced: the length of a file.
pub fn generation(root: &Path) -> u64 {
    fs_err::metadata(generation_path(root)).map_or(0, |metadata| metadata.len())
}

fn generation_path(root: &Path) -> PathBuf {
    root.join("session-index.generation")
}

/// Builds the index of a sessions root, or brings it up to date.
pub fn refresh(
    root: &Path,
    options: RefreshOptions,
    environment: &Environment,
) -> Result<Refreshed, SharedIndexError> {
    refresh_with(root, options, environment, None)
}

/// The same, and tells somebody how far it has come.
pub fn refresh_with(
    root: &Path,
    options: RefreshOptions,
    environment: &Environment,
    progress: Option<&dyn Progress>,
) -> Result<Refreshed, SharedIndexError> {
    let lock = Lock::take(root, options.wait, environment)?;
    let path = path_below(root);
    let mut rebuilt = false;
    let mut connection = match database::open(&path, options.wait) {
        Err(SharedIndexError::Damaged { .. }) => {
            rebuilt = true;
            crate::cache::remove_database(&path);
            database::open(&path, options.wait)?
        }
        other => other?,
    };
    // Both are taken before the first file is looked at: a later change counts as unseen.
    let scan = (environment.now_ms(), generation(root));
    let held = database::held(&connection).map_err(|error| database::of_sqlite(&path, &error))?;
    let walked = walk(root);
    let count = Count::of(progress, walked.sessions.len());
    let (changes, mut report) = compare(&held, &walked, scan, options.with_refused, &count);
    database::write(&mut connection, &path, &changes, || lock.check())?;
    drop(connection);
    report.path = path;
    report.rebuilt = rebuilt;
    Ok(report)
}

/// What has to be changed for the index to hold what was found.
fn compare(
    held: &IndexContent,
    walked: &Walked,
    scan: (i64, u64),
    with_refused: bool,
    count: &Count<'_>,
) -> (Changes, Refreshed) {
    let mut report = Refreshed::default();
    let mut write = Vec::new();
    let mut kept = std::collections::HashSet::new();
    // Rows of files that the port refuses are there only if they were asked for.
    let reuse = held.with_refused == with_refused;
    for (path, stamp) in &walked.sessions {
        count.one();
        let same = held.rows.get(path).is_some_and(|row| {
            row.last_modified_ms == stamp.modified_ms()
                && row.size_bytes == stamp.size.cast_signed()
                && held.scanned_ms.saturating_sub(SETTLED_AFTER_MS) > row.last_modified_ms
        });
        if same && reuse {
            kept.insert(path);
            continue;
        }
        report.read += 1;
        let read = read_file(path, *stamp);
        match (read.row, read.against) {
            (Some(row), None) => write.push(row),
            (Some(row), Some(_)) if with_refused => write.push(row),
            (_, Some(reason)) => report.left_out.push((path.clone(), reason)),
            (None, None) => {}
        }
    }
    report.rows = kept.len() + write.len();
    let written: std::collections::HashSet<&PathBuf> = write.iter().map(|row| &row.path).collect();
    let stays = |path: &&PathBuf| {
        !kept.contains(*path) && !written.contains(*path) && !walked.databases.contains(*path)
    };
    let remove: Vec<PathBuf> = held.rows.keys().filter(stays).cloned().collect();
    report.removed = remove.len();
    report.rows += held.rows.keys().filter(|path| walked.databases.contains(*path)).count();
    let unreadable = |(_, why): &(PathBuf, LeftOut)| matches!(why, LeftOut::Unreadable(_));
    // Sessions in databases are the port's own; it has to look at them itself.
    let complete =
        walked.complete && walked.databases.is_empty() && !report.left_out.iter().any(unreadable);
    let scan = complete.then_some(scan);
    (Changes { write, remove, scan, with_refused }, report)
}

/// What another program left in the index of a root: its rows, and whether it counts as current.
#[derive(Clone, Debug, Default)]
pub struct SharedList {
    /// The rows, the latest change first.
    pub rows: Vec<SharedRow>,
    /// Whether a complete scan was done since the last announced change.
    pub current: bool,
}

/// Reads the index of a sessions root; `None` when there is none that can be read.
///
/// It is read under its lock if that is had within a second, and without otherwise: a row is a
/// hint, which says where a session was and what it was like, and no more.
pub fn read(root: &Path, environment: &Environment) -> Option<SharedList> {
    let path = path_below(root);
    if !path.is_file() {
        return None;
    }
    let lock = Lock::take(root, READING_WAIT, environment).ok();
    let connection = database::open_to_read(&path, READING_WAIT).ok()?;
    let rows = database::rows(&connection).ok()?;
    let held = database::held(&connection).ok();
    drop(connection);
    drop(lock);
    let current = held.is_some_and(|held| held.generation == Some(generation(root)));
    Some(SharedList { rows, current })
}
