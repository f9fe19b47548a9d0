//! The facts and the spending of every session file.

use std::cell::Cell;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pitree_session::make_private_directory;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::database::{is_damage, open_connection, remove_database, shorten_log, signed};
use super::folders::FOLDERS;
use crate::discover::FileStamp;
use crate::progress::Listener;

/// The generation of the form; a change of what is kept, or of its keys, needs a new one.
const GENERATION: u32 = 5;

/// A table with a row for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// What a list says.
    Facts,
    /// What was spent, added up.
    Spend,
}

/// What is kept of a file besides, and loaded only when it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Apart {
    /// The single usages.
    Usages,
    /// What is needed to read on when the file has grown.
    Rest,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Spend => "spend",
        }
    }
}

impl Apart {
    fn name(self) -> &'static str {
        match self {
            Self::Usages => "usages",
            Self::Rest => "rest",
        }
    }
}

/// What is to be kept of a file.
#[derive(Clone, Debug)]
pub(crate) struct NewRow {
    pub(crate) path: PathBuf,
    pub(crate) stamp: FileStamp,
    /// `None` for a record of a sub-agent.
    pub(crate) facts: Option<Vec<u8>>,
    pub(crate) spend: Vec<u8>,
    pub(crate) usages: Option<Vec<u8>>,
    pub(crate) rest: Option<Vec<u8>>,
}

/// The cache of facts and spending.
#[derive(Debug)]
pub(crate) struct SessionCache {
    /// `None` when there is no cache to be had.
    pub(super) connection: Option<Connection>,
    pub(super) path: PathBuf,
    /// Whether something was found that a sound database does not have.
    damaged: Cell<bool>,
    /// Who is told of damage.
    listener: Listener,
}

impl SessionCache {
    /// No cache: nothing is known and nothing is kept.
    pub(crate) fn none() -> Self {
        let (path, damaged, listener) = (PathBuf::new(), Cell::new(false), Listener::default());
        Self { connection: None, path, damaged, listener }
    }

    /// Opens the cache in a folder, and makes it if needed.
    pub(crate) fn open(directory: Option<&Path>, listener: &Listener) -> Self {
        let Some(directory) =
            directory.filter(|directory| make_private_directory(directory).is_ok())
        else {
            return Self::none();
        };
        let path = path_in(directory);
        let connection = match open_database(&path) {
            Err(error) if is_damage(&error) => {
                remove_database(&path);
                listener.damaged_cache(&path);
                open_database(&path).ok()
            }
            other => other.ok(),
        };
        Self { connection, path, damaged: Cell::new(false), listener: listener.clone() }
    }

    /// Opens the cache in a folder if there is one.
    pub(crate) fn open_existing(directory: Option<&Path>, listener: &Listener) -> Self {
        Self::open(directory.filter(|directory| path_in(directory).is_file()), listener)
    }

    /// Deletes the cache in a folder.
    pub(crate) fn delete(directory: &Path) {
        remove_database(&path_in(directory));
    }

    /// Whether anything can be kept.
    pub(crate) fn is_there(&self) -> bool {
        self.connection.is_some()
    }

    /// Shows the path, stamp and payload of each file below a folder that is known, in the order
    /// of the paths' bytes.
    pub(crate) fn each(
        &self,
        table: Table,
        below: &Path,
        see: impl FnMut(&[u8], FileStamp, &[u8]),
    ) {
        let Some(connection) = &self.connection else { return };
        if let Err(error) = each(connection, table, below, see) {
            self.note_damage(&error);
        }
    }

    /// What is known of one file.
    pub(crate) fn get(&self, table: Table, path: &Path) -> Option<(FileStamp, Vec<u8>)> {
        let query = format!(
            "SELECT path, size, modified_ns, device, number, access, payload FROM {}
             WHERE path = ?1",
            table.name()
        );
        self.one(&query, path, |row| Ok((stamp_of(row)?, row.get(6)?)))
    }

    /// What was kept of a file besides.
    pub(crate) fn apart(&self, what: Apart, path: &Path) -> Option<Vec<u8>> {
        let query = format!("SELECT bytes FROM {} WHERE path = ?1", what.name());
        self.one(&query, path, |row| row.get(0))
    }

    fn one<T>(
        &self,
        query: &str,
        path: &Path,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Option<T> {
        let mut statement = self.connection.as_ref()?.prepare_cached(query).ok()?;
        let found = statement.query_row(params![path.as_os_str().as_bytes()], read).optional();
        if let Err(error) = &found {
            self.note_damage(error);
        }
        found.ok().flatten()
    }

    /// Keeps what was read of files, and forgets files that are gone. Done whole or not at all.
    pub(crate) fn update(&mut self, read: &[NewRow], gone: &[PathBuf]) {
        self.remove_damaged();
        if read.is_empty() && gone.is_empty() {
            return;
        }
        let Some(connection) = &mut self.connection else { return };
        match update(connection, read, gone) {
            Err(error) => self.note_damage(&error),
            Ok(()) => shorten_log(connection, &self.path),
        }
    }

    /// Begins anew if damage was found.
    pub(super) fn remove_damaged(&mut self) {
        if self.remove_if_damaged() {
            self.connection = open_database(&self.path).ok();
        }
    }

    fn remove_if_damaged(&mut self) -> bool {
        let is_damaged = self.damaged.take();
        if is_damaged {
            self.connection = None;
            remove_database(&self.path);
            self.listener.damaged_cache(&self.path);
        }
        is_damaged
    }

    pub(super) fn note_damage(&self, error: &rusqlite::Error) {
        if is_damage(error) {
            self.damaged.set(true);
        }
    }
}

impl Drop for SessionCache {
    /// Damage that was found by somebody who only reads must not stay.
    fn drop(&mut self) {
        self.remove_if_damaged();
    }
}

fn path_in(directory: &Path) -> PathBuf {
    directory.join(format!("sessions-{GENERATION}.sqlite"))
}

fn open_database(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_connection(path)?;
    for table in [Table::Facts, Table::Spend] {
        connection.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {} (
               path BLOB PRIMARY KEY,
               size INTEGER NOT NULL,
               modified_ns INTEGER NOT NULL,
               device INTEGER NOT NULL,
               number INTEGER NOT NULL,
               access INTEGER NOT NULL,
               payload BLOB NOT NULL
             ) WITHOUT ROWID",
            table.name()
        ))?;
    }
    for apart in [Apart::Usages, Apart::Rest] {
        connection.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {} (path BLOB PRIMARY KEY, bytes BLOB NOT NULL)
             WITHOUT ROWID",
            apart.name()
        ))?;
    }
    connection.execute_batch(FOLDERS)?;
    Ok(connection)
}

/// The stamp in the columns behind the path.
fn stamp_of(row: &Row<'_>) -> rusqlite::Result<FileStamp> {
    let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok(FileStamp {
        size: number(1)?,
        modified_ns: row.get(2)?,
        identity: (number(3)?, number(4)?),
        access: number(5)?,
    })
}

fn each(
    connection: &Connection,
    table: Table,
    below: &Path,
    mut see: impl FnMut(&[u8], FileStamp, &[u8]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT path, size, modified_ns, device, number, access, payload FROM {}
         WHERE path >= ?1 AND path < ?2 ORDER BY path",
        table.name()
    ))?;
    let (from, to) = range_below(below);
    let mut rows = statement.query(params![from, to])?;
    while let Some(row) = rows.next()? {
        see(row.get_ref(0)?.as_blob()?, stamp_of(row)?, row.get_ref(6)?.as_blob()?);
    }
    Ok(())
}

/// All paths below a folder lie between these two.
pub(super) fn range_below(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let folder = folder.as_os_str().as_bytes();
    // `0` follows `/`.
    ([folder, b"/"].concat(), [folder, b"0"].concat())
}

fn update(connection: &mut Connection, read: &[NewRow], gone: &[PathBuf]) -> rusqlite::Result<()> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // What is behind the last row of a table goes in quickest.
    let mut in_order: Vec<&NewRow> = read.iter().collect();
    in_order.sort_unstable_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    put_all(&change, Table::Spend, &in_order, |row| Some(&row.spend))?;
    put_all(&change, Table::Facts, &in_order, |row| row.facts.as_ref())?;
    put_all_apart(&change, Apart::Usages, &in_order, |row| row.usages.as_ref())?;
    put_all_apart(&change, Apart::Rest, &in_order, |row| row.rest.as_ref())?;
    for path in gone {
        for table in [Table::Facts.name(), Table::Spend.name()] {
            remove(&change, table, path)?;
        }
        for apart in [Apart::Usages.name(), Apart::Rest.name()] {
            remove(&change, apart, path)?;
        }
    }
    change.commit()
}

fn put_all(
    change: &Transaction<'_>,
    table: Table,
    rows: &[&NewRow],
    payload: impl Fn(&NewRow) -> Option<&Vec<u8>>,
) -> rusqlite::Result<()> {
    let is_empty = is_empty(change, table.name())?;
    let mut insert = change.prepare_cached(&format!(
        "INSERT OR REPLACE INTO {} (path, size, modified_ns, device, number, access, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        table.name()
    ))?;
    for row in rows {
        let Some(payload) = payload(row) else {
            if !is_empty {
                remove(change, table.name(), &row.path)?;
            }
            continue;
        };
        insert.execute(params![
            row.path.as_os_str().as_bytes(),
            signed(row.stamp.size),
            row.stamp.modified_ns,
            signed(row.stamp.identity.0),
            signed(row.stamp.identity.1),
            signed(row.stamp.access),
            payload,
        ])?;
    }
    Ok(())
}

fn put_all_apart(
    change: &Transaction<'_>,
    apart: Apart,
    rows: &[&NewRow],
    bytes: impl Fn(&NewRow) -> Option<&Vec<u8>>,
) -> rusqlite::Result<()> {
    let is_empty = is_empty(change, apart.name())?;
    let query = format!("INSERT OR REPLACE INTO {} VALUES (?1, ?2)", apart.name());
    let mut insert = change.prepare_cached(&query)?;
    for row in rows {
        match bytes(row) {
            Some(bytes) => {
                insert.execute(params![row.path.as_os_str().as_bytes(), bytes])?;
            }
            None if is_empty => {}
            None => remove(change, apart.name(), &row.path)?,
        }
    }
    Ok(())
}

/// Whether a table has no rows, so that none has to be removed.
fn is_empty(change: &Transaction<'_>, table: &str) -> rusqlite::Result<bool> {
    change.query_row(&format!("SELECT NOT EXISTS (SELECT 1 FROM {table})"), [], |row| row.get(0))
}

fn remove(change: &Transaction<'_>, table: &str, path: &Path) -> rusqlite::Result<()> {
    let query = format!("DELETE FROM {table} WHERE path = ?1");
    change.prepare_cached(&query)?.execute(params![path.as_os_str().as_bytes()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, size: u64, payload: &[u8]) -> NewRow {
        let stamp = FileStamp { size, modified_ns: -5, identity: (u64::MAX, 7), access: 9 };
        let (facts, spend) = (Some(payload.to_vec()), payload.to_vec());
        let (usages, rest) = (Some(payload.to_vec()), None);
        NewRow { path: path.into(), stamp, facts, spend, usages, rest }
    }

    fn paths_below(cache: &SessionCache, below: &str) -> Vec<String> {
        let mut found = Vec::new();
        cache.each(Table::Facts, Path::new(below), |path, _, _| {
            found.push(String::from_utf8(path.to_vec()).unwrap());
        });
        found
    }

    #[test]
    fn what_is_kept_comes_back_below_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = SessionCache::open(Some(folder.path()), &Listener::default());
        let rows = [row("/a/b/1", 5, b"x"), row("/a/b0/2", 6, b"y"), row("/a/c", 7, b"z")];
        cache.update(&rows, &[]);
        let again = SessionCache::open(Some(folder.path()), &Listener::default());
        assert_eq!(paths_below(&again, "/a/b"), ["/a/b/1"]);
        let one = Path::new("/a/b/1");
        assert_eq!(again.get(Table::Spend, one), Some((rows[0].stamp, b"x".to_vec())));
        assert_eq!(again.apart(Apart::Usages, one), Some(b"x".to_vec()));
        assert_eq!(again.apart(Apart::Rest, one), None);
        cache.update(&[], &["/a/b/1".into()]);
        assert_eq!(paths_below(&cache, "/a/b"), Vec::<String>::new());
        assert_eq!(cache.apart(Apart::Usages, one), None);
        assert_eq!(paths_below(&cache, "/a"), ["/a/b0/2", "/a/c"]);
    }

    #[test]
    fn a_damaged_cache_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(path_in(folder.path()), vec![b'x'; 10_000]).unwrap();
        let mut cache = SessionCache::open(Some(folder.path()), &Listener::default());
        assert!(cache.is_there());
        cache.update(&[row("/a/1", 1, b"x")], &[]);
        assert_eq!(paths_below(&cache, "/a").len(), 1);
    }

    #[test]
    fn without_a_folder_there_is_no_cache_and_no_error() {
        let mut cache = SessionCache::open(Some(Path::new("/proc/nowhere")), &Listener::default());
        cache.update(&[row("/a/1", 1, b"x")], &[]);
        assert!(!cache.is_there());
        assert_eq!(paths_below(&cache, "/a").len(), 0);
    }
}
