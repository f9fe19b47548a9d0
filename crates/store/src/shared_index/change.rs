//! Changes to sessions below a root, told to whoever uses its shared index.
//!
//! The Rust port's way: one byte more in `session-index.generation` before the first session
//! changes, the rows of the changed sessions afterwards. Whoever finds another number of bytes
//! than at the last scan looks at all files again, so a row that could not be written does no
//! harm. A root without an index is left alone, and nothing here fails or waits for long.

use std::fs::TryLockError;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use pitree_session::Environment;
use pitree_session::location::{Layout, Location};

use super::database::{self, RowChanges};
use super::file::read_file;
use super::lock::Lock;
use super::{LeftOut, generation_path, path_below};
use crate::discover::FileStamp;

// All waiting together takes a second at most.
const GENERATION_WAIT: Duration = Duration::from_millis(200);
const LOCK_WAIT: Duration = Duration::from_millis(500);
const DATABASE_WAIT: Duration = Duration::from_millis(300);

const PAUSE: Duration = Duration::from_millis(10);

/// A larger file is left to the next scan: to read it for its row would take longer than the
/// change itself.
const MOST_BYTES: u64 = 64 << 20;

/// A change to sessions below a root with a shared index. Begin it before the first write; when
/// it is dropped, the index learns what became of the sessions.
#[derive(Debug)]
#[must_use = "it ends when it is dropped, and the sessions have to change before that"]
pub struct Change {
    root: PathBuf,
    /// The root without links, to compare paths with.
    real_root: PathBuf,
    /// The number that this change got; `None` when that is not known for sure.
    generation: Option<u64>,
    sessions: Vec<PathBuf>,
    environment: Environment,
}

impl Change {
    /// Announces a change below a sessions root; `None` where there is no shared index, and where
    /// what changes lies elsewhere. `path` is a session, or a folder in which one will appear.
    pub fn begin(root: &Path, path: &Path, environment: &Environment) -> Option<Self> {
        if !is_plain_file(&path_below(root)) {
            return None;
        }
        let real_root = fs_err::canonicalize(root).ok()?;
        if !without_links(path)?.starts_with(&real_root) {
            return None;
        }
        let (generation, root) = (announce(root).ok()?, root.to_owned());
        let environment = environment.clone();
        Some(Self { root, real_root, generation, sessions: Vec::new(), environment })
    }

    /// Names a session that changes, appears or goes. It may have any spelling; one that lies
    /// elsewhere is passed over.
    pub fn add(&mut self, session: &Path) {
        let (Some(folder), Some(name)) = (session.parent(), session.file_name()) else { return };
        if let Some(folder) = without_links(folder)
            && let Ok(below) = folder.strip_prefix(&self.real_root)
        {
            let session = self.root.join(below).join(name);
            if !self.sessions.contains(&session) {
                self.sessions.push(session);
            }
        }
    }

    fn write_rows(&self) -> Option<()> {
        let lock = Lock::take(&self.root, LOCK_WAIT, &self.environment).ok()?;
        let path = path_below(&self.root);
        let mut connection = database::open_existing(&path, DATABASE_WAIT).ok()?;
        let with_refused = database::takes_refused(&connection).ok()??;
        let mut changes = RowChanges { generation: self.generation, ..RowChanges::default() };
        for session in &self.sessions {
            match FileStamp::of(session) {
                Some(stamp) if stamp.size > MOST_BYTES => return None,
                Some(stamp) => {
                    let read = read_file(session, stamp);
                    match (read.row, read.against) {
                        (Some(row), None) => changes.write.push(row),
                        (Some(row), Some(_)) if with_refused => changes.write.push(row),
                        (_, Some(LeftOut::Unreadable(_))) => return None,
                        _ => changes.remove.push(session.clone()),
                    }
                }
                None => changes.remove.push(session.clone()),
            }
        }
        database::write_some(&mut connection, &path, &changes, || lock.check()).ok()
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        if !self.sessions.is_empty() {
            // The announcement stands, so whoever needs the rows makes them.
            let _ = self.write_rows();
        }
    }
}

/// A change to sessions that may lie below any of several locations.
#[derive(Debug, Default)]
#[must_use = "it ends when it is dropped, and the sessions have to change before that"]
pub struct Announcement(Vec<Change>);

impl Announcement {
    /// Announces that sessions are about to change, or to appear in these folders.
    pub fn of(locations: &[Location], paths: &[&Path], environment: &Environment) -> Self {
        let roots = locations.iter().filter(|place| place.layout == Layout::PerDirectory);
        let begin = |root: &Location| {
            paths.iter().find_map(|path| Change::begin(&root.path, path, environment))
        };
        Self(roots.filter_map(begin).collect())
    }

    /// Announces that sessions are about to change, and names them.
    pub fn changing(locations: &[Location], sessions: &[&Path], environment: &Environment) -> Self {
        let mut change = Self::of(locations, sessions, environment);
        sessions.iter().for_each(|session| change.add(session));
        change
    }

    /// Names a session that changes, appears or goes.
    pub fn add(&mut self, session: &Path) {
        self.0.iter_mut().for_each(|change| change.add(session));
    }
}

/// A folder without links and dots; the last parts of it need not be there yet.
fn without_links(folder: &Path) -> Option<PathBuf> {
    let (real, there) = folder
        .ancestors()
        .find_map(|part| fs_err::canonicalize(part).ok().map(|real| (real, part)))?;
    let rest = folder.strip_prefix(there).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain.then(|| real.join(rest))
}

/// Makes the generation one larger, and gives it if nobody else can have done so meanwhile.
fn announce(root: &Path) -> io::Result<Option<u64>> {
    let path = generation_path(root);
    if fs_err::symlink_metadata(&path).is_ok() && !is_plain_file(&path) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = fs_err::OpenOptions::new().append(true).create(true).open(path)?;
    let mut file = file.into_parts().0;
    let alone = lock_within(&file, GENERATION_WAIT);
    file.write_all(b"\n")?;
    file.sync_data()?;
    let length = file.metadata()?.len();
    Ok(alone.then_some(length))
}

fn lock_within(file: &std::fs::File, wait: Duration) -> bool {
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if waited < wait => {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            Err(_) => return false,
        }
    }
}

/// A link might lead to a file that has nothing to do with sessions, and a pipe would block.
fn is_plain_file(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}
