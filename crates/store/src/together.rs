//! The files that are there and the rows that a cache has of them, brought together.
//!
//! Finding the files is waiting for the kernel, reading the rows is work of our own, and neither
//! needs the other: they are done at the same time.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use memchr::memrchr;

use crate::cache::{SessionCache, Table};
use crate::discover::{FileKind, FileStamp, FolderFiles, FoundFile};

/// What a cache has of one file.
pub(crate) trait Row {
    /// The file.
    fn path(&self) -> &Path;
    /// What the file was like.
    fn stamp(&self) -> FileStamp;
    /// What the file was read as, which depends on the location through which it was found;
    /// `None` if the row makes no sense.
    fn kind(&self) -> Option<FileKind>;
}

/// Files and rows, brought together.
pub(crate) struct Together<T> {
    /// Rows of files that are as they were.
    pub(crate) known: Vec<T>,
    /// Files that have to be read.
    pub(crate) to_read: Vec<FoundFile>,
    /// Files that were known and are no longer there.
    pub(crate) gone: Vec<PathBuf>,
}

/// The rows of a cache.
pub(crate) struct Rows<T> {
    rows: Vec<T>,
    /// The places of the rows of each folder, by name.
    by_folder: HashMap<Vec<u8>, Vec<u32>>,
}

impl<T> Rows<T> {
    /// No rows: no file is known.
    pub(crate) fn none() -> Self {
        Self { rows: Vec::new(), by_folder: HashMap::new() }
    }

    fn load(
        (cache, table): (&SessionCache, Table),
        below: &[PathBuf],
        mut decode: impl FnMut(&Path, FileStamp, &[u8]) -> T,
    ) -> Self {
        let mut loaded = Self::none();
        // Most rows are in the folder of the one before.
        let (mut folder, mut places) = (Vec::new(), Vec::new());
        for root in outermost(below) {
            cache.each(table, root, |path, stamp, payload| {
                let of_row = &path[..memrchr(b'/', path).unwrap_or(0)];
                if of_row != folder {
                    let before = std::mem::replace(&mut folder, of_row.to_vec());
                    loaded.by_folder.entry(before).or_default().append(&mut places);
                }
                places.push(loaded.rows.len() as u32);
                loaded.rows.push(decode(Path::new(OsStr::from_bytes(path)), stamp, payload));
            });
        }
        loaded.by_folder.entry(folder).or_default().append(&mut places);
        loaded
    }
}

/// Looks for files, and meanwhile reads the rows of a cache below some folders.
pub(crate) fn scan_and_load<T>(
    rows: (&SessionCache, Table),
    below: &[PathBuf],
    scan: impl FnOnce() -> Vec<FolderFiles> + Send,
    decode: impl FnMut(&Path, FileStamp, &[u8]) -> T,
) -> (Vec<FolderFiles>, Rows<T>) {
    std::thread::scope(|scope| {
        let scanning = scope.spawn(scan);
        let rows = Rows::load(rows, below, decode);
        let folders = scanning.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (folders, rows)
    })
}

/// The folders without those that lie in another, so that a row is not seen twice.
fn outermost(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    folders
        .iter()
        .enumerate()
        .filter(|(at, folder)| {
            let covered = |(other_at, other): (usize, &PathBuf)| {
                folder.starts_with(other) && (*folder != other || other_at < *at)
            };
            !folders.iter().enumerate().any(covered)
        })
        .map(|(_, folder)| folder)
}

/// What becomes of a row.
#[derive(Clone, Copy)]
enum Fate {
    /// No file has been found for it.
    Gone,
    /// The file is as it was.
    Holds,
    /// The file has changed, or is now read as something else.
    Outdated,
}

/// Brings folders and rows together.
pub(crate) fn bring_together<T: Row>(folders: &[FolderFiles], rows: Rows<T>) -> Together<T> {
    let Rows { rows, by_folder } = rows;
    let mut fates = vec![Fate::Gone; rows.len()];
    let mut to_read = Vec::new();
    for folder in folders {
        let folder_bytes = folder.folder.as_os_str().as_bytes();
        let name_of = |at: u32| {
            let path = rows[at as usize].path().as_os_str().as_bytes();
            path.get(folder_bytes.len() + 1..).unwrap_or_default()
        };
        let known = by_folder.get(folder_bytes);
        // Both are in the order of the names' bytes.
        let mut known = known.map(Vec::as_slice).unwrap_or_default().iter().peekable();
        for (name, stamp) in folder.iter() {
            while known.next_if(|&&at| name_of(at) < name.as_bytes()).is_some() {}
            let at = known.next_if(|&&at| name_of(at) == name.as_bytes()).map(|&at| at as usize);
            if let Some(at) = at {
                let row = &rows[at];
                if row.kind() == Some(folder.kind) && row.stamp() == stamp {
                    fates[at] = Fate::Holds;
                    continue;
                }
                fates[at] = Fate::Outdated;
            }
            to_read.push(folder.found(name, stamp));
        }
    }
    let (mut known, mut gone) = (rows, Vec::new());
    let mut next = fates.iter();
    // There may be many rows, so those that hold stay where they are.
    known.retain(|row| match next.next() {
        Some(Fate::Holds) => true,
        Some(Fate::Outdated) => false,
        Some(Fate::Gone) | None => {
            gone.push(row.path().to_owned());
            false
        }
    });
    Together { known, to_read, gone }
}
