//! How a cache is opened, and how it is got rid of.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_CORRUPT;
use rusqlite::{Connection, ErrorCode};

use crate::hash::hash_bytes;

/// How long to wait for another pitree that is writing.
pub(super) const BUSY_WAIT: Duration = Duration::from_millis(500);

/// A longer log of changes is copied into the database.
const MOST_LOG_BYTES: u64 = 256 << 10;

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

/// Copies the log of changes into the database once it is long. While others are at work it is
/// left to them.
pub(super) fn shorten_log(connection: &Connection, path: &Path) {
    if is_log_long(path) {
        copy_log(connection);
    }
}

/// Whether the log of changes should be copied into the database: whoever opens the database reads
/// all of it.
pub(crate) fn is_log_long(path: &Path) -> bool {
    let [log, ..] = side_files(path);
    fs_err::metadata(log).is_ok_and(|log| log.len() > MOST_LOG_BYTES)
}

/// Copies the log of changes into the database.
pub(crate) fn copy_log(connection: &Connection) {
    // No trouble with it matters: the log is as good as the database, only slower.
    let _ = connection.busy_timeout(Duration::ZERO);
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    let _ = connection.busy_timeout(BUSY_WAIT);
}

/// SQLite has signed integers only; the bits are what counts.
pub(crate) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// Whether an error says that a database is not what pitree has written.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        // A table of another shape under our name, or a value of another type.
        rusqlite::Error::SqlInputError { .. }
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// The error for a value that is not as it was kept, which SQLite does not notice.
pub(crate) fn damage() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(SQLITE_CORRUPT), None)
}

/// Removes a database with its side files. The fingerprint goes last: until the database is gone,
/// it shows others that the database is damaged.
pub(crate) fn remove_database(path: &Path) {
    let [log, index, fingerprint] = side_files(path);
    for file in [&log, &index, path, &fingerprint] {
        let _ = fs_err::remove_file(file);
    }
}

/// The side files of a database: the log of changes, the index of the log, the fingerprint.
pub(super) fn side_files(path: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-fingerprint"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

/// Adds a hash to what is kept: a database does not notice a changed byte in a value.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = hash_bytes(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// What was sealed; `None` when it is not as it was.
pub(crate) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (inside, hash) = bytes.split_last_chunk::<8>()?;
    (u64::from_le_bytes(*hash) == hash_bytes(inside)).then_some(inside)
}
