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
use crate::discover::{FileStamp, FolderFiles, FoundFile};

/// What a cache has of one file.
pub(crate) trait Row {
    /// The file.
    fn path(&self) -> &Path;
    /// What the file was like.
    fn stamp(&self) -> FileStamp;
    /// Whether the row makes sense.
    fn is_sound(&self) -> bool;
    /// The file is in this folder, and is as it was.
    fn holds_in(&mut self, folder: &FolderFiles);
}

/// Files and rows, brought together.
pub(crate) struct Together<T> {
    /// Rows of files that are as they were.
    pub(crate) known: Vec<T>,
    /// Files that have to be read, with what was known of them.
    pub(crate) to_read: Vec<(FoundFile, Option<T>)>,
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
    /// The file is as it was; with the place of its folder.
    Holds(u32),
    /// The file has changed; with its place among those to read.
    Outdated(u32),
}

/// Brings folders and rows together.
pub(crate) fn bring_together<T: Row>(folders: &[FolderFiles], rows: Rows<T>) -> Together<T> {
    let Rows { rows, by_folder } = rows;
    let mut fates = vec![Fate::Gone; rows.len()];
    let mut to_read = Vec::new();
    for (place, folder) in folders.iter().enumerate() {
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
                let holds = rows[at].is_sound() && rows[at].stamp() == stamp;
                fates[at] = if holds {
                    Fate::Holds(place as u32)
                } else {
                    Fate::Outdated(to_read.len() as u32)
                };
                if holds {
                    continue;
                }
            }
            to_read.push((folder.found(name, stamp), None));
        }
    }
    let (mut known, mut gone) = (rows, Vec::new());
    let mut next = fates.iter();
    let does_not_hold = |row: &mut T| match next.next() {
        Some(Fate::Holds(folder)) => {
            row.holds_in(&folders[*folder as usize]);
            false
        }
        _ => true,
    };
    // There may be many rows, so those that hold stay where they are.
    let others: Vec<T> = known.extract_if(.., does_not_hold).collect();
    let left = fates.iter().filter(|fate| !matches!(fate, Fate::Holds(_)));
    for (row, fate) in others.into_iter().zip(left) {
        match fate {
            Fate::Outdated(at) => to_read[*at as usize].1 = Some(row).filter(Row::is_sound),
            _ => gone.push(row.path().to_owned()),
        }
    }
    Together { known, to_read, gone }
}
