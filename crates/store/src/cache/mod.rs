//! What was read from files once, kept in SQLite, so that it need not be read again.
//!
//! A cache is derived data: deleting it loses nothing. So no trouble with it is an error. A
//! damaged one is made anew; one that is locked, read-only or on a full disk is gone without. Its
//! file name carries its generation: another version of pitree leaves it alone and has its own.
//!
//! There are two: one has the facts and the spending of every session and the names in large
//! folders, and the index of search has its words. One rule says when a row counts: as long as the
//! file's size, time of change, identity and permissions are those of the row. Permissions are among
//! them because a file that can no longer be read must be reported, and only reading it shows that.
//! A file that changed twice within one tick of the clock could keep all of them, so what was read
//! just after a change is not relied on: see [`kept_stamp`].

mod database;
pub(crate) mod fingerprint;
mod folders;
mod sessions;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::discover::FileStamp;
use database::{BUSY_WAIT, side_files};

pub(crate) use database::{
    copy_log, damage, is_damage, is_log_long, open_connection, remove_database, seal, signed,
    unseal,
};
pub(crate) use folders::{FolderRow, FolderStamp};
pub(crate) use sessions::{Apart, NewRow, SessionCache, Table};

/// A change that is older than this when the file is read has another time than any later one.
/// The clock of file times ticks every 10 ms at most.
const SETTLED_AFTER_NS: i64 = 50_000_000;

/// The same where file times seem to be whole seconds.
const SETTLED_AFTER_COARSE_NS: i64 = 2_500_000_000;

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
    let bytes = size(path.clone()) + side_files(&path).map(size).iter().sum::<u64>();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let count = |connection: Connection| {
        connection.busy_timeout(BUSY_WAIT)?;
        let count = |table: &str| {
            let query = format!("SELECT count(*) FROM {table}");
            connection.query_row(&query, [], |row| row.get::<_, i64>(0))
        };
        count("spend").or_else(|_| count("files"))
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
    match is_settled(stamp.modified_ns, read_ms) {
        true => stamp,
        false => FileStamp { modified_ns: i64::MIN, ..stamp },
    }
}

/// Whether any change after a moment (Unix milliseconds) has another time than one at this time
/// (in nanoseconds).
pub(crate) fn is_settled(changed_ns: i64, moment_ms: i64) -> bool {
    let coarse = changed_ns % 1_000_000_000 == 0;
    let margin = if coarse { SETTLED_AFTER_COARSE_NS } else { SETTLED_AFTER_NS };
    moment_ms.saturating_mul(1_000_000).saturating_sub(margin) > changed_ns
}

/// The folder for caches: `$XDG_CACHE_HOME/pitree`, or `~/.cache/pitree`.
pub fn cache_directory(environment: &pitree_session::Environment) -> PathBuf {
    let base = match environment.var("XDG_CACHE_HOME") {
        Some(path) if path.starts_with('/') => PathBuf::from(path),
        _ => environment.home().join(".cache"),
    };
    base.join("pitree")
}
