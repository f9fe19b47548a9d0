//! What was read from files once, kept in SQLite, so that it need not be read again.
//!
//! A cache is derived data: deleting it loses nothing. So no trouble with it is an error. A
//! damaged one is made anew; one that is locked, read-only or on a full disk is gone without. Its
//! file name carries its generation: another version of pitree leaves it alone and has its own.

use std::collections::HashMap;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, params};

use crate::discover::FileStamp;

/// How long to wait for another pitree that is writing.
const BUSY_WAIT: Duration = Duration::from_millis(2000);

/// A cache with one row for each file.
#[derive(Debug)]
pub struct FileCache {
    /// `None` when there is no cache to be had.
    connection: Option<Connection>,
}

/// What the cache knows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedFile {
    /// What the file was like when it was read.
    pub stamp: FileStamp,
    /// What was kept of it.
    pub payload: Vec<u8>,
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
        Self { connection: None }
    }

    /// Opens the cache `<name>-<generation>.sqlite` in a folder, and makes it if needed.
    pub fn open(directory: &Path, name: &str, generation: u32) -> Self {
        if make_directory(directory).is_err() {
            return Self::none();
        }
        let path = directory.join(format!("{name}-{generation}.sqlite"));
        match open_database(&path) {
            Ok(connection) => Self { connection: Some(connection) },
            Err(error) if is_damage(&error) => {
                remove_database(&path);
                Self { connection: open_database(&path).ok() }
            }
            Err(_) => Self::none(),
        }
    }

    /// Whether anything can be kept.
    pub fn is_there(&self) -> bool {
        self.connection.is_some()
    }

    /// All that is known of files below a folder.
    pub fn load(&self, below: &Path) -> HashMap<PathBuf, CachedFile> {
        self.connection
            .as_ref()
            .and_then(|connection| load(connection, below).ok())
            .unwrap_or_default()
    }

    /// Keeps what was read of files, and forgets files that are gone. Done whole or not at all.
    pub fn update(&mut self, read: &[(PathBuf, CachedFile)], gone: &[PathBuf]) {
        if read.is_empty() && gone.is_empty() {
            return;
        }
        if let Some(connection) = &mut self.connection
            && let Err(error) = update(connection, read, gone)
            && is_damage(&error)
        {
            // The next one who opens it makes it anew.
            self.connection = None;
        }
    }
}

/// Makes the folder for caches; nobody else may look into it.
pub(crate) fn make_directory(directory: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Opens a database that several processes may use at once.
pub(crate) fn open_connection(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT)?;
    // Most rows are larger than a page of the usual size; larger pages need fewer reads.
    connection.pragma_update(None, "page_size", 16384)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
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
         ) WITHOUT ROWID",
    )?;
    Ok(connection)
}

/// SQLite has signed integers only; the bits are what counts.
pub(crate) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

fn load(connection: &Connection, below: &Path) -> rusqlite::Result<HashMap<PathBuf, CachedFile>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, device, number, payload FROM files
         WHERE path >= ?1 AND path < ?2",
    )?;
    let mut from = below.as_os_str().as_bytes().to_vec();
    from.push(b'/');
    let mut to = from.clone();
    // `0` follows `/`, so all paths below the folder lie between the two.
    to.pop();
    to.push(b'0');
    let rows = statement.query_map(params![from, to], |row| {
        let path: Vec<u8> = row.get(0)?;
        let size: i64 = row.get(1)?;
        let device: i64 = row.get(3)?;
        let number: i64 = row.get(4)?;
        let stamp = FileStamp {
            size: size.cast_unsigned(),
            modified_ns: row.get(2)?,
            identity: (device.cast_unsigned(), number.cast_unsigned()),
        };
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        Ok((path, CachedFile { stamp, payload: row.get(5)? }))
    })?;
    rows.collect()
}

fn update(
    connection: &mut Connection,
    read: &[(PathBuf, CachedFile)],
    gone: &[PathBuf],
) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT OR REPLACE INTO files (path, size, modified_ns, device, number, payload)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (path, file) in read {
            insert.execute(params![
                path.as_os_str().as_bytes(),
                signed(file.stamp.size),
                file.stamp.modified_ns,
                signed(file.stamp.identity.0),
                signed(file.stamp.identity.1),
                file.payload,
            ])?;
        }
        let mut delete = transaction.prepare_cached("DELETE FROM files WHERE path = ?1")?;
        for path in gone {
            delete.execute(params![path.as_os_str().as_bytes()])?;
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
        rusqlite::Error::SqlInputError { .. } => true,
        _ => false,
    }
}

/// Removes a database with its side files.
pub(crate) fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs_err::remove_file(PathBuf::from(name));
    }
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
