//! The tables of the shared index.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, params};

use super::{SharedIndexError, SharedRow};

/// The version of the rows' meaning; other rows are thrown away.
const METADATA_VERSION: &str = "2";

/// When the last complete scan began.
const SCANNED: &str = "last_sync_epoch_ms";

/// How many changes had been announced then.
const GENERATION: &str = "last_scan_generation";

/// Set while the index also holds sessions that the port refuses.
const WITH_REFUSED: &str = "pitree_with_refused";

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS sessions (
      path TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      cwd TEXT NOT NULL,
      timestamp TEXT NOT NULL,
      message_count INTEGER NOT NULL,
      last_modified_ms INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      name TEXT
    );
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

/// Rows with values that the columns do not promise.
const ODD_ROWS: &str = "DELETE FROM sessions
    WHERE typeof(path) <> 'text' OR typeof(id) <> 'text' OR typeof(cwd) <> 'text'
    OR typeof(timestamp) <> 'text' OR typeof(message_count) <> 'integer' OR message_count < 0
    OR typeof(last_modified_ms) <> 'integer' OR typeof(size_bytes) <> 'integer'
    OR typeof(name) NOT IN ('text', 'null')";

const COLUMNS: [(&str, &str); 8] = [
    ("path", "TEXT"),
    ("id", "TEXT"),
    ("cwd", "TEXT"),
    ("timestamp", "TEXT"),
    ("message_count", "INTEGER"),
    ("last_modified_ms", "INTEGER"),
    ("size_bytes", "INTEGER"),
    ("name", "TEXT"),
];

/// What an index holds.
#[derive(Default)]
pub(crate) struct IndexContent {
    pub(crate) rows: HashMap<PathBuf, SharedRow>,
    /// When the last complete scan began; 0 without one.
    pub(crate) scanned_ms: i64,
    /// The generation at that scan.
    pub(crate) generation: Option<u64>,
    pub(crate) with_refused: bool,
}

/// What is to be written.
pub(crate) struct Changes {
    pub(crate) write: Vec<SharedRow>,
    pub(crate) remove: Vec<PathBuf>,
    /// When the scan began and the generation then; `None` when it was not complete.
    pub(crate) scan: Option<(i64, u64)>,
    pub(crate) with_refused: bool,
}

/// The rows of single sessions that changed.
#[derive(Default)]
pub(crate) struct RowChanges {
    pub(crate) write: Vec<SharedRow>,
    pub(crate) remove: Vec<PathBuf>,
    /// The generation of the change, if it is known for sure.
    pub(crate) generation: Option<u64>,
}

/// Another program may have written the file, so what it may do is bounded: so many steps of
/// SQLite's machine between two calls, and so many calls. A million sessions need half of them.
const STEPS: i32 = 100_000;
const MOST_CALLS: u32 = 2000;

/// Words that let the definition of a table do work: none of the documented tables has them.
const WORKING_WORDS: [&str; 6] = ["check", "generated", " as ", "default", "collate", "references"];

/// Opens the index to write it; makes it where there is none. A link is not followed: it might
/// lead to anywhere.
pub(crate) fn open(path: &Path, wait: Duration) -> Result<Connection, SharedIndexError> {
    if fs_err::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let problem = "it is not a regular file".to_owned();
        return Err(SharedIndexError::Foreign { path: path.to_owned(), problem });
    }
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    let connection = bounded(Connection::open(path).map_err(failed)?, path)?;
    prepare(&connection, wait).map_err(failed)?;
    connection.execute_batch(TABLES).map_err(failed)?;
    check_columns(&connection)
        .map_err(failed)?
        .map_err(|problem| SharedIndexError::Foreign { path: path.to_owned(), problem })?;
    Ok(connection)
}

/// Bounds what a connection does, whatever the file says, and refuses a file that holds anything
/// but plain tables.
fn bounded(mut connection: Connection, path: &Path) -> Result<Connection, SharedIndexError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    for config in [
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
    ] {
        connection.set_db_config(config, false).map_err(failed)?;
    }
    let mut calls = 0;
    let is_over = move || {
        calls += 1;
        calls > MOST_CALLS
    };
    connection.progress_handler(STEPS, Some(is_over)).map_err(failed)?;
    match strange_object(&connection).map_err(failed)? {
        None => Ok(connection),
        Some(problem) => Err(SharedIndexError::Foreign { path: path.to_owned(), problem }),
    }
}

/// What the file holds besides plain tables and their own indexes.
fn strange_object(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        let sql: Option<String> = row.get(2)?;
        let sql = sql.unwrap_or_default().to_ascii_lowercase();
        let words = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_plain = match &*kind {
            "table" if name.starts_with("sqlite_") => true,
            "table" => {
                words.starts_with("create table")
                    && !WORKING_WORDS.iter().any(|word| words.contains(word))
            }
            // An index that SQLite made itself for a key has no definition.
            "index" => sql.is_empty(),
            _ => false,
        };
        if !is_plain {
            return Ok(Some(format!(
                "it holds the {kind} `{name}`, and only plain tables belong there"
            )));
        }
    }
    Ok(None)
}

/// Sets what the port sets each time it opens the index.
fn prepare(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(wait.min(Duration::from_secs(5)))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

/// Opens an index that is there, to write it. Makes neither the file nor its tables.
pub(crate) fn open_existing(path: &Path, wait: Duration) -> Result<Connection, SharedIndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(wait).map_err(failed)?;
    let connection = bounded(connection, path)?;
    check_columns(&connection)
        .map_err(failed)?
        .map_err(|problem| SharedIndexError::Foreign { path: path.to_owned(), problem })?;
    prepare(&connection, wait).map_err(failed)?;
    Ok(connection)
}

/// Opens an index that is there, to read it. Only one that may write takes its side files away
/// when it is done.
pub(crate) fn open_to_read(path: &Path, wait: Duration) -> Result<Connection, SharedIndexError> {
    let both = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, both)
        .or_else(|_| Connection::open_with_flags(path, only))
        .and_then(|connection| connection.busy_timeout(wait).map(|()| connection))
        .map_err(|error| of_sqlite(path, &error))?;
    bounded(connection, path)
}

fn check_columns(connection: &Connection) -> rusqlite::Result<Result<(), String>> {
    let mut statement =
        connection.prepare("SELECT name, type FROM pragma_table_info('sessions')")?;
    let found: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let same = found.len() == COLUMNS.len()
        && found.iter().zip(COLUMNS).all(|((name, kind), (own_name, own_kind))| {
            name == own_name && kind.eq_ignore_ascii_case(own_kind)
        });
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let problem = format!("its table `sessions` has the columns {}", names.join(", "));
    Ok(if same { Ok(()) } else { Err(problem) })
}

fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let query = "SELECT value FROM meta WHERE key = ?1";
    connection.query_row(query, [key], |row| row.get(0)).optional()
}

fn set_meta(connection: &Connection, key: &str, value: Option<String>) -> rusqlite::Result<()> {
    match value {
        Some(value) => {
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [key, &value])?
        }
        None => connection.execute("DELETE FROM meta WHERE key = ?1", [key])?,
    };
    Ok(())
}

/// Whether sessions that the port refuses are in it; `None` when its rows have another meaning.
pub(crate) fn takes_refused(connection: &Connection) -> rusqlite::Result<Option<bool>> {
    let same_meaning = meta(connection, "metadata_version")?.as_deref() == Some(METADATA_VERSION);
    let with_refused = meta(connection, WITH_REFUSED)?.is_some();
    Ok(same_meaning.then_some(with_refused))
}

/// All that the index holds; nothing when its rows have another meaning.
pub(crate) fn held(connection: &Connection) -> rusqlite::Result<IndexContent> {
    let meta = |key| meta(connection, key);
    if meta("metadata_version")?.as_deref() != Some(METADATA_VERSION) {
        return Ok(IndexContent::default());
    }
    let rows = rows(connection)?.into_iter().map(|row| (row.path.clone(), row)).collect();
    let number = |text: Option<String>| text.and_then(|text| text.parse::<u64>().ok());
    let generation = number(meta(GENERATION)?);
    let scanned = number(meta(SCANNED)?).filter(|_| generation.is_some());
    Ok(IndexContent {
        rows,
        scanned_ms: scanned.unwrap_or(0).cast_signed(),
        generation,
        with_refused: meta(WITH_REFUSED)?.is_some(),
    })
}

/// The rows that make sense, the latest change first. Another program's odd row is passed over.
pub(crate) fn rows(connection: &Connection) -> rusqlite::Result<Vec<SharedRow>> {
    let mut statement = connection.prepare(
        "SELECT path, id, cwd, timestamp, message_count, last_modified_ms, size_bytes, name
         FROM sessions ORDER BY last_modified_ms DESC, path",
    )?;
    let mut found = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let read = || -> rusqlite::Result<SharedRow> {
            Ok(SharedRow {
                path: PathBuf::from(row.get::<_, String>(0)?),
                id: row.get(1)?,
                cwd: row.get(2)?,
                timestamp: row.get(3)?,
                message_count: row.get(4)?,
                last_modified_ms: row.get(5)?,
                size_bytes: row.get(6)?,
                name: row.get(7)?,
            })
        };
        found.extend(read().ok().filter(|row| row.message_count >= 0));
    }
    Ok(found)
}

/// Writes the changes, whole or not at all. `check` is asked just before they count.
pub(crate) fn write(
    connection: &mut Connection,
    path: &Path,
    changes: &Changes,
    check: impl FnOnce() -> Result<(), SharedIndexError>,
) -> Result<(), SharedIndexError> {
    in_transaction(connection, path, check, |transaction| {
        if meta(transaction, "metadata_version")?.as_deref() != Some(METADATA_VERSION) {
            transaction.execute("DELETE FROM sessions", [])?;
        }
        // The port gives up its whole list over one such row.
        transaction.execute(ODD_ROWS, [])?;
        write_rows(transaction, &changes.write, &changes.remove)?;
        let (scanned, generation) = changes.scan.unzip();
        set_meta(transaction, "metadata_version", Some(METADATA_VERSION.to_owned()))?;
        set_meta(transaction, SCANNED, scanned.map(|ms| ms.to_string()))?;
        set_meta(transaction, GENERATION, generation.map(|number| number.to_string()))?;
        set_meta(transaction, WITH_REFUSED, changes.with_refused.then(|| "1".to_owned()))
    })
}

/// Writes rows of single sessions. The last scan stays current if nothing but this change came
/// after it, as with the port's own changes.
pub(crate) fn write_some(
    connection: &mut Connection,
    path: &Path,
    changes: &RowChanges,
    check: impl FnOnce() -> Result<(), SharedIndexError>,
) -> Result<(), SharedIndexError> {
    in_transaction(connection, path, check, |transaction| {
        write_rows(transaction, &changes.write, &changes.remove)?;
        let before = meta(transaction, GENERATION)?.and_then(|number| number.parse::<u64>().ok());
        match changes.generation {
            Some(own) if before.and_then(|before| before.checked_add(1)) == Some(own) => {
                set_meta(transaction, GENERATION, Some(own.to_string()))
            }
            _ => {
                set_meta(transaction, GENERATION, None)?;
                set_meta(transaction, SCANNED, None)
            }
        }
    })
}

/// Does all of the work or nothing. `check` is asked just before it counts.
fn in_transaction(
    connection: &mut Connection,
    path: &Path,
    check: impl FnOnce() -> Result<(), SharedIndexError>,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), SharedIndexError> {
    let failed = |error: rusqlite::Error| of_sqlite(path, &error);
    let behavior = rusqlite::TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behavior).map_err(failed)?;
    work(&transaction).map_err(failed)?;
    check()?;
    transaction.commit().map_err(failed)
}

fn write_rows(
    transaction: &Transaction<'_>,
    write: &[SharedRow],
    remove: &[PathBuf],
) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare("DELETE FROM sessions WHERE path = ?1")?;
    for path in remove {
        delete.execute([path.to_string_lossy()])?;
    }
    let mut insert = transaction
        .prepare("INSERT OR REPLACE INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for row in write {
        insert.execute(params![
            row.path.to_string_lossy(),
            row.id,
            row.cwd,
            row.timestamp,
            row.message_count,
            row.last_modified_ms,
            row.size_bytes,
            row.name,
        ])?;
    }
    Ok(())
}

/// What an error of SQLite means here.
pub(crate) fn of_sqlite(path: &Path, error: &rusqlite::Error) -> SharedIndexError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            SharedIndexError::Busy { path }
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            SharedIndexError::Damaged { path }
        }
        Some(ErrorCode::OperationInterrupted) => {
            SharedIndexError::Foreign { path, problem: "to read it takes too long".to_owned() }
        }
        _ if matches!(error, rusqlite::Error::SqlInputError { .. }) => {
            SharedIndexError::Foreign { path, problem: error.to_string() }
        }
        _ => SharedIndexError::Database { path, problem: error.to_string() },
    }
}
