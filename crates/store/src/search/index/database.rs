//! The tables of the index.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pitree_session::make_private_directory;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::entries::{IndexedEntry, MOST_ENTRIES, count, count_before, first};
use super::read::EntryWords;
use crate::cache::{
    copy_log, damage, fingerprint, is_damage, is_log_long, open_connection, remove_database, seal,
    signed, unseal,
};
use crate::discover::FileStamp;
use crate::hash::Mixer;
use crate::progress::Listener;
use crate::search::scan::Head;

/// The generation of the form: of the tables, of what is taken for a word, and of the texts that
/// are kept.
const GENERATION: u32 = 4;

/// How many bytes of words are collected in memory: as many as a processor's cache holds.
const COLLECTED_BYTES: i64 = 4_000_000;

/// An index with fewer entries that are gone than these is good enough.
const WORN: f64 = 20_000.0;

/// The index, open.
pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
    /// Who is told of damage.
    listener: Listener,
}

/// What the index knows of a file.
#[derive(Clone, Debug)]
pub(super) struct FileRow {
    pub(super) number: i64,
    pub(super) stamp: FileStamp,
    /// How much of the file is in the index: up to the end of a line.
    pub(super) read: u64,
    /// How many lines that is.
    pub(super) lines: u64,
    /// See [`Marks`](crate::reading::marks::Marks): those of what was read.
    pub(super) marks: u64,
    /// `None` if the file is no session.
    pub(super) head: Option<Head>,
}

/// Files by their paths. A path as it is spelled is compared much faster than part by part.
pub(super) type KnownFiles = HashMap<OsString, FileRow>;

impl FileRow {
    /// A file of which nothing is known, with a stamp that no file has.
    pub(super) fn new(number: i64) -> Self {
        let stamp = FileStamp { size: 0, modified_ns: i64::MIN, identity: (0, 0), access: 0 };
        Self { number, stamp, read: 0, lines: 0, marks: 0, head: None }
    }

    /// A number by which a changed value is noticed.
    fn hash(&self, path: &OsStr) -> u64 {
        let FileRow { number, stamp, read, lines, marks, head } = self;
        let FileStamp { size, modified_ns, identity, access } = *stamp;
        let modified = modified_ns.cast_unsigned();
        let numbers = [size, modified, identity.0, identity.1, access, *read, *lines, *marks];
        let mut mixer = Mixer::new(number.cast_unsigned()).bytes(path.as_bytes());
        for number in numbers {
            mixer = mixer.number(number);
        }
        if let Some(Head { id, cwd }) = head {
            mixer = mixer.bytes(id.as_bytes()).bytes(cwd.as_bytes());
        }
        mixer.finish()
    }

    /// Whether nothing is known of the file.
    pub(super) fn is_new(&self) -> bool {
        self.stamp.identity == (0, 0)
    }
}

/// An entry that holds the words.
pub(super) struct Row {
    pub(super) number: i64,
    pub(super) file: i64,
    pub(super) entry: IndexedEntry,
}

/// The number of an entry in `words` is that of its part times [`MOST_ENTRIES`], plus its place
/// in the part. So numbers go up as entries are added, which is how the database likes them. No
/// number is ever given again: words of entries that are gone stay, and lead nowhere.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS files (
      number INTEGER PRIMARY KEY,
      path BLOB NOT NULL UNIQUE,
      size INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      access INTEGER NOT NULL,
      read INTEGER NOT NULL,
      lines INTEGER NOT NULL,
      marks INTEGER NOT NULL,
      id TEXT,
      cwd TEXT,
      hash INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS parts (
      number INTEGER PRIMARY KEY,
      file INTEGER NOT NULL,
      count INTEGER NOT NULL,
      gone INTEGER NOT NULL DEFAULT 0,
      entries BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS parts_of_file ON parts (file, count, gone);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
      text, content='', columnsize=0, tokenize='ascii'
    );";

impl Database {
    /// Opens the index and makes it if needed; a damaged one is made anew.
    pub(super) fn open(directory: &Path, listener: &Listener) -> Option<Self> {
        make_private_directory(directory).ok()?;
        let path = path_in(directory);
        if fingerprint::is_foreign(&path) {
            remove_damaged(&path, listener);
        }
        let connection = match open(&path) {
            Err(error) if is_damage(&error) => {
                remove_damaged(&path, listener);
                open(&path)
            }
            other => other,
        };
        Some(Self { connection: connection.ok()?, path, listener: listener.clone() })
    }

    /// Throws a damaged index away and begins a new one.
    pub(super) fn rebuild(&mut self) -> rusqlite::Result<()> {
        // The old file stays open until the new one is there, and then goes.
        remove_damaged(&self.path, &self.listener);
        self.connection = open(&self.path)?;
        Ok(())
    }

    /// All files that are known.
    pub(super) fn files(&self) -> rusqlite::Result<KnownFiles> {
        files(&self.connection)
    }

    /// Runs a change alone, whole or not at all.
    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let result = change(&transaction)?;
        transaction.commit()?;
        if is_log_long(&self.path) {
            fingerprint::write_alone(&self.path, || copy_log(&self.connection));
        }
        Ok(result)
    }

    /// The entries that hold all words; `None` if they cannot be had. A damaged index goes, so
    /// that the next one who needs it makes it anew.
    pub(super) fn look_up(&self, expression: &str) -> Option<Vec<Row>> {
        match self.try_look_up(expression) {
            Err(error) if is_damage(&error) => {
                remove_damaged(&self.path, &self.listener);
                None
            }
            other => other.ok(),
        }
    }

    fn try_look_up(&self, expression: &str) -> rusqlite::Result<Vec<Row>> {
        // Both questions must see the same state: others may bring the index up to date meanwhile.
        let snapshot = self.connection.unchecked_transaction()?;
        let mut statement = snapshot.prepare("SELECT rowid FROM words WHERE words MATCH ?1")?;
        let mut part = snapshot.prepare("SELECT file, entries FROM parts WHERE number = ?1")?;
        let numbers = statement.query_map([expression], |row| row.get(0))?;
        let numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
        let mut found = Vec::with_capacity(numbers.len());
        let part_of = |number: i64| number / MOST_ENTRIES as i64;
        for numbers in numbers.chunk_by(|a, b| part_of(*a) == part_of(*b)) {
            let mut parts = part.query([part_of(numbers[0])])?;
            // No part is ever removed alone.
            let part = parts.next()?.ok_or_else(damage)?;
            let file = part.get(0)?;
            let blob = unsealed(file, part.get_ref(1)?.as_blob()?)?;
            found.extend(numbers.iter().filter_map(|&number| {
                let at = usize::try_from(number % MOST_ENTRIES as i64).ok()?;
                Some(Row { number, file, entry: IndexedEntry::read(blob, at)? })
            }));
        }
        Ok(found)
    }
}

fn path_in(directory: &Path) -> PathBuf {
    directory.join(format!("text-{GENERATION}.sqlite"))
}

/// Whether there is an index in a folder.
pub(in crate::search) fn is_there(directory: &Path) -> bool {
    path_in(directory).is_file()
}

/// Deletes the index in a folder.
pub(in crate::search) fn delete(directory: &Path) {
    remove_database(&path_in(directory));
}

fn remove_damaged(path: &Path, listener: &Listener) {
    remove_database(path);
    listener.damaged_cache(path);
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_connection(path)?;
    connection.execute_batch(TABLES)?;
    fingerprint::ensure(path);
    Ok(connection)
}

/// All files that are known, as a change sees them.
pub(super) fn files(connection: &Connection) -> rusqlite::Result<KnownFiles> {
    let mut statement = connection.prepare(
        "SELECT path, number, size, modified_ns, device, inode, read, lines, marks, id, cwd,
                access, hash
         FROM files",
    )?;
    let unsigned = |number: i64| number.cast_unsigned();
    let rows = statement.query_map([], |row| {
        let id: Option<String> = row.get(9)?;
        let cwd: Option<String> = row.get(10)?;
        let stamp = FileStamp {
            size: unsigned(row.get(2)?),
            modified_ns: row.get(3)?,
            identity: (unsigned(row.get(4)?), unsigned(row.get(5)?)),
            access: unsigned(row.get(11)?),
        };
        let file = FileRow {
            number: row.get(1)?,
            stamp,
            read: unsigned(row.get(6)?),
            lines: unsigned(row.get(7)?),
            marks: unsigned(row.get(8)?),
            head: id.map(|id| Head { id, cwd: cwd.unwrap_or_default() }),
        };
        let path = OsString::from_vec(row.get(0)?);
        match unsigned(row.get(12)?) == file.hash(&path) {
            true => Ok((path, file)),
            false => Err(damage()),
        }
    })?;
    rows.collect()
}

/// Lets the database collect more words in memory before it sorts them in, which saves merging.
pub(super) fn collect_much(change: &Transaction<'_>) -> rusqlite::Result<()> {
    change.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?1)", [COLLECTED_BYTES])?;
    Ok(())
}

/// Keeps what is known of a file.
pub(super) fn put_file(
    change: &Transaction<'_>,
    path: &Path,
    row: &FileRow,
) -> rusqlite::Result<()> {
    let mut statement = change.prepare_cached(
        "INSERT OR REPLACE INTO files
           (number, path, size, modified_ns, device, inode, read, lines, marks, id, cwd, access,
            hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    statement.execute(params![
        row.number,
        path.as_os_str().as_bytes(),
        signed(row.stamp.size),
        row.stamp.modified_ns,
        signed(row.stamp.identity.0),
        signed(row.stamp.identity.1),
        signed(row.read),
        signed(row.lines),
        signed(row.marks),
        row.head.as_ref().map(|head| &head.id),
        row.head.as_ref().map(|head| &head.cwd),
        signed(row.stamp.access),
        signed(row.hash(path.as_os_str())),
    ])?;
    Ok(())
}

/// Adds entries of a file, at most [`MOST_ENTRIES`].
pub(super) fn put_entries(
    change: &Transaction<'_>,
    file: i64,
    entries: &[EntryWords],
) -> rusqlite::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut blob = Vec::new();
    entries.iter().for_each(|entry| entry.entry.write(&mut blob));
    let mut part =
        change.prepare_cached("INSERT INTO parts (file, count, entries) VALUES (?1, ?2, ?3)")?;
    let blob = sealed(file, &blob);
    let first = part.insert(params![file, entries.len() as i64, blob])? * MOST_ENTRIES as i64;
    let mut words = change.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?;
    for (number, entry) in (first..).zip(entries) {
        words.execute(params![number, entry.words])?;
    }
    Ok(())
}

/// Forgets the entries of a file from a place on. The part stays, so that its number is not given
/// again.
pub(super) fn remove_entries(
    change: &Transaction<'_>,
    file: i64,
    from: u64,
) -> rusqlite::Result<()> {
    let mut select = change.prepare_cached("SELECT number, entries FROM parts WHERE file = ?1")?;
    let parts = select.query_map([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let parts: Vec<(i64, Vec<u8>)> = parts.collect::<Result<_, _>>()?;
    let mut update = change.prepare_cached(
        "UPDATE parts SET entries = ?2, gone = gone + count - ?3, count = ?3 WHERE number = ?1",
    )?;
    for (number, bytes) in parts {
        let blob = unsealed(file, &bytes)?;
        let kept = count_before(blob, from);
        if kept < count(blob) {
            update.execute(params![number, sealed(file, first(blob, kept)), kept as i64])?;
        }
    }
    Ok(())
}

/// The bytes to keep of the entries of a file.
fn sealed(file: i64, blob: &[u8]) -> Vec<u8> {
    seal([blob, &file.to_le_bytes()].concat())
}

/// The entries of a file that were kept.
fn unsealed(file: i64, bytes: &[u8]) -> rusqlite::Result<&[u8]> {
    let inside = unseal(bytes).and_then(<[u8]>::split_last_chunk);
    let of_file = inside.filter(|(_, number)| i64::from_le_bytes(**number) == file);
    of_file.map(|(blob, _)| blob).ok_or_else(damage)
}

/// Forgets a file that is gone.
pub(super) fn remove_file(change: &Transaction<'_>, file: i64) -> rusqlite::Result<()> {
    remove_entries(change, file, 0)?;
    change.prepare_cached("DELETE FROM files WHERE number = ?1")?.execute([file])?;
    Ok(())
}

/// Whether more words lead nowhere than somewhere, so that a new index is better.
pub(super) fn is_worn(change: &Transaction<'_>) -> rusqlite::Result<bool> {
    let query = "SELECT total(gone), total(count) FROM parts";
    let (gone, there): (f64, f64) =
        change.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(gone > WORN && gone > there)
}

/// Forgets everything.
pub(super) fn clear(change: &Transaction<'_>) -> rusqlite::Result<()> {
    change.execute_batch(
        "DELETE FROM files;
         DELETE FROM parts;
         INSERT INTO words (words) VALUES ('delete-all');",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite sees nothing wrong with any of these.
    #[test]
    fn values_that_were_changed_are_damage() {
        let row =
            FileRow { head: Some(Head { id: "a".into(), cwd: "/p".into() }), ..FileRow::new(1) };
        let entry = IndexedEntry { line: 2, start: 9, len: 5, time: None, key: 7, weight: 1 };
        for damage in [
            "",
            "UPDATE files SET size = 1",
            "UPDATE files SET cwd = '/q'",
            "UPDATE files SET id = NULL",
            "UPDATE parts SET file = 2",
            "UPDATE parts SET entries = zeroblob(length(entries))",
            "DELETE FROM parts",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let mut database = Database::open(folder.path(), &Listener::default()).unwrap();
            let kept = database.change(|change| {
                put_entries(change, 1, &[EntryWords { entry, words: "pear".into() }])?;
                put_file(change, Path::new("/a"), &row)
            });
            kept.unwrap();
            database.connection.execute_batch(damage).unwrap();
            let is_seen = [
                database.files().map(|files| files.len()),
                database.try_look_up("pear").map(|rows| rows.len()),
            ]
            .map(|found| found.map_or_else(|error| is_damage(&error), |found| found != 1));
            assert_eq!(is_seen.contains(&true), !damage.is_empty(), "{damage}");
        }
    }
}
