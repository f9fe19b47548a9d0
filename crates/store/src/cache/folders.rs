//! The names of the files of folders.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};

use super::database::{shorten_log, signed};
use super::sessions::{SessionCache, range_below};

/// Enough of a folder's metadata to see that a name came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FolderStamp {
    /// When it changed last, in nanoseconds since 1970.
    pub(crate) changed_ns: i64,
    /// The device and the number of the folder on it.
    pub(crate) identity: (u64, u64),
}

/// What is to be kept of a folder.
#[derive(Clone, Debug)]
pub(crate) struct FolderRow {
    pub(crate) path: PathBuf,
    pub(crate) stamp: FolderStamp,
    pub(crate) names: Vec<u8>,
}

/// The table.
pub(super) const FOLDERS: &str = "
    CREATE TABLE IF NOT EXISTS folders (
      path BLOB PRIMARY KEY,
      changed_ns INTEGER NOT NULL,
      device INTEGER NOT NULL,
      number INTEGER NOT NULL,
      names BLOB NOT NULL
    ) WITHOUT ROWID";

impl SessionCache {
    /// Shows the path, stamp and names of a folder and each folder below it that is known.
    pub(crate) fn each_folder(&self, root: &Path, see: impl FnMut(&[u8], FolderStamp, &[u8])) {
        let Some(connection) = &self.connection else { return };
        if let Err(error) = each_folder(connection, root, see) {
            self.note_damage(&error);
        }
    }

    /// Keeps the names of folders, and forgets folders that are gone. Done whole or not at all.
    pub(crate) fn update_folders(&mut self, listed: &[FolderRow], gone: &[PathBuf]) {
        self.remove_damaged();
        let Some(connection) = &mut self.connection else { return };
        match update_folders(connection, listed, gone) {
            Err(error) => self.note_damage(&error),
            Ok(()) => shorten_log(connection, &self.path),
        }
    }
}

fn each_folder(
    connection: &Connection,
    root: &Path,
    mut see: impl FnMut(&[u8], FolderStamp, &[u8]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT path, changed_ns, device, number, names FROM folders
         WHERE path = ?1 OR (path >= ?2 AND path < ?3)",
    )?;
    let (from, to) = range_below(root);
    let mut rows = statement.query(params![root.as_os_str().as_bytes(), from, to])?;
    while let Some(row) = rows.next()? {
        let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let stamp = FolderStamp { changed_ns: row.get(1)?, identity: (number(2)?, number(3)?) };
        see(row.get_ref(0)?.as_blob()?, stamp, row.get_ref(4)?.as_blob()?);
    }
    Ok(())
}

fn update_folders(
    connection: &mut Connection,
    listed: &[FolderRow],
    gone: &[PathBuf],
) -> rusqlite::Result<()> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = change.prepare_cached(
            "INSERT OR REPLACE INTO folders (path, changed_ns, device, number, names)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for FolderRow { path, stamp, names } in listed {
            let (device, number) = (signed(stamp.identity.0), signed(stamp.identity.1));
            let path = path.as_os_str().as_bytes();
            insert.execute(params![path, stamp.changed_ns, device, number, names])?;
        }
        let mut delete = change.prepare_cached("DELETE FROM folders WHERE path = ?1")?;
        for path in gone {
            delete.execute(params![path.as_os_str().as_bytes()])?;
        }
    }
    change.commit()
}
