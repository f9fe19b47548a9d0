//! What was read from files once, kept in SQLite, so that it need not be read again.
//!
//! A cache is derived data: deleting it loses nothing. So no trouble with it is an error. A
//! damaged one is made anew; one that is locked, read-only or on a full disk is gone without. Its
//! file name carries its generation: another version of pitree leaves it alone and has its own.
//!
//! A row counts as long as the file's size, time of change and identity are those of the row. A
//! file that changed twice within one tick of the clock could keep all three, so what was read
//! just after a change is not relied on: see [`kept_stamp`].

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pitree_session::make_private_directory;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::discover::FileStamp;

/// How long to wait for another pitree that is writing.
const BUSY_WAIT: Duration = Duration::from_millis(500);

/// A longer log of changes is copied into the database.
const MOST_LOG_BYTES: u64 = 256 << 10;

/// A change that is older than this when the file is read has another time than any later one.
/// The clock of file times ticks every 10 ms at most.
const SETTLED_AFTER_NS: i64 = 50_000_000;

/// The same where file times seem to be whole seconds.
const SETTLED_AFTER_COARSE_NS: i64 = 2_500_000_000;

/// A cache with one row for each file.
#[derive(Debug)]
pub struct FileCache {
    /// `None` when there is no cache to be had.
    connection: Option<Connection>,
    path: PathBuf,
    /// Whether something was found that a sound database does not have.
    damaged: Cell<bool>,
}

/// What the cache knows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedFile {
    /// What the file was like when it was read.
    pub stamp: FileStamp,
    /// What was kept of it.
    pub payload: Vec<u8>,
}

/// A row to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRow {
    /// The file.
    pub path: PathBuf,
    /// What to know of it.
    pub file: CachedFile,
    /// What only [`FileCache::more`] needs to give, kept apart so that a list does not load it.
    pub more: Option<Vec<u8>>,
}

/// A cache that lies in the folder for caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheInfo {
    /// The database.
    pub path: PathBuf,
    /// Its name, without the generation.
    pub name: String,
    /// Its generation.
    pub generation: u32,
    /// Its size with its side files.
    pub bytes: u64,
    /// How many files it knows, if it tells.
    pub files: Option<usize>,
}

/// The caches in a folder, by name. They are only looked at.
pub fn caches_in(directory: &Path) -> Vec<CacheInfo> {
    let Ok(entries) = fs_err::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<CacheInfo> =
        entries.flatten().filter_map(|entry| cache_info(entry.path())).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn cache_info(path: PathBuf) -> Option<CacheInfo> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".sqlite")?;
    let (name, generation) = stem.rsplit_once('-')?;
    let (name, generation) = (name.to_owned(), generation.parse().ok()?);
    let size = |path: PathBuf| fs_err::metadata(path).map_or(0, |metadata| metadata.len());
    let bytes = side_files(&path).map(size).iter().sum();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let count = |connection: Connection| {
        connection.busy_timeout(BUSY_WAIT)?;
        connection.query_row("SELECT count(*) FROM files", [], |row| row.get::<_, i64>(0))
    };
    let files = Connection::open_with_flags(&path, flags).and_then(count).ok();
    let files = files.and_then(|count| usize::try_from(count).ok());
    Some(CacheInfo { path, name, generation, bytes, files })
}

/// The stamp to keep for a file that was read at a moment (Unix milliseconds, taken before the
/// file was looked at).
///
/// It is the file's own, if the last change lay long enough before that any later change has
/// another time. Otherwise it has a time that no file has: the row is not taken for the file's
/// present state, though it serves to read on when the file has grown.
pub fn kept_stamp(stamp: FileStamp, read_ms: i64) -> FileStamp {
    let coarse = stamp.modified_ns % 1_000_000_000 == 0;
    let margin = if coarse { SETTLED_AFTER_COARSE_NS } else { SETTLED_AFTER_NS };
    let settled = read_ms.saturating_mul(1_000_000).saturating_sub(margin) > stamp.modified_ns;
    if settled { stamp } else { FileStamp { modified_ns: i64::MIN, ..stamp } }
}

/// The folder for caches: `$XDG_CACHE_HOME/pitree`, or `~/.cache/pitree`.
pub fn cache_directory(environment: &pitree_session::Environment) -> PathBuf {
    let base = match environment.var("XDG_CACHE_HOME") {
        Some(path) if path.starts_with('/') => PathBuf::from(path),
        _ => environment.home().join(".cache"),
    };
    base.join("pitree")
}

impl FileCache {
    /// No cache: nothing is known and nothing is kept.
    pub fn none() -> Self {
        Self { connection: None, path: PathBuf::new(), damaged: Cell::new(false) }
    }

    /// Opens the cache `<name>-<generation>.sqlite` in a folder, and makes it if needed.
    pub fn open(directory: &Path, name: &str, generation: u32) -> Self {
        if make_private_directory(directory).is_err() {
            return Self::none();
        }
        let path = directory.join(format!("{name}-{generation}.sqlite"));
        let connection = match open_database(&path) {
            Err(error) if is_damage(&error) => {
                remove_database(&path);
                open_database(&path).ok()
            }
            other => other.ok(),
        };
        Self { connection, path, damaged: Cell::new(false) }
    }

    /// Opens the cache `<name>-<generation>.sqlite` in a folder if there is one.
    pub fn open_existing(directory: &Path, name: &str, generation: u32) -> Self {
        if directory.join(format!("{name}-{generation}.sqlite")).is_file() {
            Self::open(directory, name, generation)
        } else {
            Self::none()
        }
    }

    /// Deletes the cache `<name>-<generation>.sqlite` in a folder.
    pub fn delete(directory: &Path, name: &str, generation: u32) {
        remove_database(&directory.join(format!("{name}-{generation}.sqlite")));
    }

    /// Whether anything can be kept.
    pub fn is_there(&self) -> bool {
        self.connection.is_some()
    }

    /// All that is known of files below a folder.
    pub fn load(&self, below: &Path) -> HashMap<PathBuf, CachedFile> {
        let mut known = HashMap::new();
        self.each(below, |path, stamp, payload| {
            let path = PathBuf::from(OsStr::from_bytes(path));
            known.insert(path, CachedFile { stamp, payload: payload.to_vec() });
        });
        known
    }

    /// Shows the path, stamp and payload of each file below a folder that is known, in the order
    /// of the paths' bytes.
    pub fn each(&self, below: &Path, see: impl FnMut(&[u8], FileStamp, &[u8])) {
        let Some(connection) = &self.connection else { return };
        if let Err(error) = each(connection, below, see) {
            self.note_damage(&error);
        }
    }

    /// What was kept of a file as [`NewRow::more`].
    pub fn more(&self, path: &Path) -> Option<Vec<u8>> {
        let query = "SELECT bytes FROM more WHERE path = ?1";
        let mut statement = self.connection.as_ref()?.prepare_cached(query).ok()?;
        let found = statement.query_row(params![path.as_os_str().as_bytes()], |row| row.get(0));
        if let Err(error) = &found {
            self.note_damage(error);
        }
        found.ok()
    }

    /// Keeps what was read of files, and forgets files that are gone. Done whole or not at all.
    pub fn update(&mut self, read: &[(PathBuf, CachedFile)], gone: &[PathBuf]) {
        let row = |(path, file): &(PathBuf, CachedFile)| NewRow {
            path: path.clone(),
            file: file.clone(),
            more: None,
        };
        self.update_rows(&read.iter().map(row).collect::<Vec<_>>(), gone);
    }

    /// As [`FileCache::update`], with what [`FileCache::more`] gives.
    pub fn update_rows(&mut self, read: &[NewRow], gone: &[PathBuf]) {
        if self.damaged.take() {
            self.connection = None;
            remove_database(&self.path);
            self.connection = open_database(&self.path).ok();
        }
        if read.is_empty() && gone.is_empty() {
            return;
        }
        let Some(connection) = &mut self.connection else { return };
        match update(connection, read, gone) {
            Err(error) if is_damage(&error) => {
                self.connection = None;
                remove_database(&self.path);
            }
            _ => shorten_log(connection, &self.path),
        }
    }

    fn note_damage(&self, error: &rusqlite::Error) {
        if is_damage(error) {
            self.damaged.set(true);
        }
    }
}

/// Opens a database that several processes may use at once.
pub(crate) fn open_connection(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT)?;
    // Most rows are larger than a page of the usual size; larger pages need fewer reads.
    connection.pragma_update(None, "page_size", 16384)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Whoever is the last to close would copy the log into the database and wait for the disk four
    // times, which takes longer than reading a session that has grown by an entry.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// Copies the log of changes into the database once it is long: whoever opens the database reads
/// it all. While others are at work it is left to them.
pub(crate) fn shorten_log(connection: &Connection, path: &Path) {
    let [_, log, _] = side_files(path);
    if fs_err::metadata(log).is_ok_and(|log| log.len() > MOST_LOG_BYTES) {
        // No trouble with it matters: the log is as good as the database, only slower.
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = connection.busy_timeout(BUSY_WAIT);
    }
}

fn open_database(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_connection(path)?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS files (
           path BLOB PRIMARY KEY,
           size INTEGER NOT NULL,
           modified_ns INTEGER NOT NULL,
           device INTEGER NOT NULL,
           number INTEGER NOT NULL,
           payload BLOB NOT NULL
         ) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS more (path BLOB PRIMARY KEY, bytes BLOB NOT NULL)
         WITHOUT ROWID",
    )?;
    Ok(connection)
}

/// SQLite has signed integers only; the bits are what counts.
pub(crate) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

fn each(
    connection: &Connection,
    below: &Path,
    mut see: impl FnMut(&[u8], FileStamp, &[u8]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, device, number, payload FROM files
         WHERE path >= ?1 AND path < ?2 ORDER BY path",
    )?;
    let mut from = below.as_os_str().as_bytes().to_vec();
    from.push(b'/');
    let mut to = from.clone();
    // `0` follows `/`, so all paths below the folder lie between the two.
    to.pop();
    to.push(b'0');
    let mut rows = statement.query(params![from, to])?;
    while let Some(row) = rows.next()? {
        let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let stamp = FileStamp {
            size: number(1)?,
            modified_ns: row.get(2)?,
            identity: (number(3)?, number(4)?),
        };
        see(row.get_ref(0)?.as_blob()?, stamp, row.get_ref(5)?.as_blob()?);
    }
    Ok(())
}

fn update(connection: &mut Connection, read: &[NewRow], gone: &[PathBuf]) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT OR REPLACE INTO files (path, size, modified_ns, device, number, payload)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut insert_more =
            transaction.prepare_cached("INSERT OR REPLACE INTO more VALUES (?1, ?2)")?;
        let mut delete = transaction.prepare_cached("DELETE FROM files WHERE path = ?1")?;
        let mut delete_more = transaction.prepare_cached("DELETE FROM more WHERE path = ?1")?;
        for NewRow { path, file, more } in read {
            let path = path.as_os_str().as_bytes();
            insert.execute(params![
                path,
                signed(file.stamp.size),
                file.stamp.modified_ns,
                signed(file.stamp.identity.0),
                signed(file.stamp.identity.1),
                file.payload,
            ])?;
            match more {
                Some(more) => insert_more.execute(params![path, more])?,
                None => delete_more.execute(params![path])?,
            };
        }
        for path in gone {
            delete.execute(params![path.as_os_str().as_bytes()])?;
            delete_more.execute(params![path.as_os_str().as_bytes()])?;
        }
    }
    transaction.commit()
}

pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        // A table of another shape under our name.
        rusqlite::Error::SqlInputError { .. } | rusqlite::Error::InvalidColumnType(..) => true,
        _ => false,
    }
}

/// Removes a database with its side files.
pub(crate) fn remove_database(path: &Path) {
    for file in side_files(path) {
        let _ = fs_err::remove_file(file);
    }
}

/// A database and its side files.
fn side_files(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, size: u64, payload: &[u8]) -> (PathBuf, CachedFile) {
        let stamp = FileStamp { size, modified_ns: -5, identity: (u64::MAX, 7) };
        (path.into(), CachedFile { stamp, payload: payload.to_vec() })
    }

    #[test]
    fn what_is_kept_comes_back_below_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = FileCache::open(folder.path(), "t", 1);
        let rows = [row("/a/b/1", 5, b"x"), row("/a/b0/2", 6, b"y"), row("/a/c", 7, b"z")];
        cache.update(&rows, &[]);
        let found = FileCache::open(folder.path(), "t", 1).load(Path::new("/a/b"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[Path::new("/a/b/1")], rows[0].1);
        cache.update(&[], &["/a/b/1".into()]);
        assert!(cache.load(Path::new("/a/b")).is_empty());
        assert_eq!(cache.load(Path::new("/a")).len(), 2);
    }

    #[test]
    fn a_damaged_cache_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t-1.sqlite");
        fs_err::write(&path, vec![b'x'; 10_000]).unwrap();
        let mut cache = FileCache::open(folder.path(), "t", 1);
        assert!(cache.is_there());
        cache.update(&[row("/a/1", 1, b"x")], &[]);
        assert_eq!(cache.load(Path::new("/a")).len(), 1);
    }

    #[test]
    fn without_a_folder_there_is_no_cache_and_no_error() {
        let mut cache = FileCache::open(Path::new("/proc/nowhere"), "t", 1);
        cache.update(&[row("/a/1", 1, b"x")], &[]);
        assert!(!cache.is_there());
        assert!(cache.load(Path::new("/a")).is_empty());
    }
}
