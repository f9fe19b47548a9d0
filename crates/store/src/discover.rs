//! Finding the files of the locations, without reading them.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pitree_session::location::{Layout, Location};
use serde::{Deserialize, Serialize};

/// What a file is, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A session of its own.
    Session,
    /// The record of a sub-agent's run, below `subagent-artifacts`.
    SubagentArtifact,
}

/// A file that may be a session.
#[derive(Clone, Debug)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    /// Which of the locations it lies in.
    pub location: usize,
    /// Its size, times and identity.
    pub stamp: FileStamp,
}

/// Enough of a file's metadata to see that it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// The size in bytes.
    pub size: u64,
    /// When it changed last, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The device and the number of the file on it.
    pub identity: (u64, u64),
}

impl FileStamp {
    /// The stamp of a regular file; `None` for anything else.
    pub fn of(path: &Path) -> Option<Self> {
        Self::from_metadata(&fs_err::metadata(path).ok()?)
    }

    /// The stamp of an open file.
    pub(crate) fn of_open(file: &File) -> Option<Self> {
        Self::from_metadata(&file.metadata().ok()?)
    }

    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self {
            size: metadata.len(),
            // Nanoseconds of the years 1677 to 2262 fit; other times are as good as any.
            modified_ns: metadata
                .mtime()
                .wrapping_mul(1_000_000_000)
                .wrapping_add(metadata.mtime_nsec()),
            identity: (metadata.dev(), metadata.ino()),
        })
    }

    /// When it changed last, in milliseconds since 1970.
    pub fn modified_ms(&self) -> i64 {
        self.modified_ns.div_euclid(1_000_000)
    }
}

/// The folder in which sub-agents leave their records.
pub(crate) const ARTIFACTS: &str = "subagent-artifacts";

/// More threads than these do not help: the folders come from one disk.
const MOST_THREADS: usize = 4;

/// All files of the locations that may be sessions. A folder that is reached twice, by a link or
/// because locations overlap, is looked at once; so is a file.
pub fn discover(locations: &[Location]) -> Vec<FoundFile> {
    let mut folders = Vec::new();
    for (number, location) in locations.iter().enumerate() {
        match location.layout {
            Layout::Flat => folders.push((location.path.clone(), number)),
            Layout::PerDirectory => {
                folders.extend(subfolders(&location.path).into_iter().map(|path| (path, number)));
            }
        }
    }
    discover_folders(folders)
}

/// Only the files in one folder of a location.
pub fn discover_folder(folder: &Path, location: usize) -> Vec<FoundFile> {
    discover_folders(vec![(folder.to_owned(), location)])
}

fn discover_folders(mut folders: Vec<(PathBuf, usize)>) -> Vec<FoundFile> {
    let mut seen_folders = HashSet::new();
    folders.retain(|(folder, _)| {
        fs_err::metadata(folder).is_ok_and(|metadata| {
            metadata.is_dir() && seen_folders.insert((metadata.dev(), metadata.ino()))
        })
    });
    let parts = scan_folders(&folders);
    let mut found: Vec<FoundFile> = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    let mut seen = HashSet::with_capacity(found.capacity());
    for part in parts {
        found.extend(part.into_iter().filter(|file| seen.insert(file.stamp.identity)));
    }
    found
}

/// The files of the folders, in parts. Asking for the metadata of many files is most of a list's
/// work, so it is shared out.
fn scan_folders(folders: &[(PathBuf, usize)]) -> Vec<Vec<FoundFile>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    if folders.len() < 2 * threads || threads == 1 {
        return vec![scan_part(folders)];
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = folders
            .chunks(folders.len().div_ceil(threads))
            .map(|part| (part, scope.spawn(move || scan_part(part))))
            .collect();
        // A worker that failed has lost its folders; they are looked at again here.
        let joined = workers.into_iter().map(|(part, worker)| (part, worker.join()));
        joined.map(|(part, files)| files.unwrap_or_else(|_| scan_part(part))).collect()
    })
}

fn scan_part(folders: &[(PathBuf, usize)]) -> Vec<FoundFile> {
    let mut found = Vec::new();
    for (folder, location) in folders {
        let artifacts = folder.join(ARTIFACTS);
        let first = found.len();
        add_files(folder, (*location, FileKind::Session), &mut found);
        // The cache is in this order too; here it is made by several threads.
        found[first..].sort_unstable_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        add_files(&artifacts, (*location, FileKind::SubagentArtifact), &mut found);
    }
    found
}

pub(crate) fn subfolders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(root) else { return Vec::new() };
    let is_folder = |entry: &fs_err::DirEntry| match entry.file_type() {
        Ok(kind) if !kind.is_symlink() => kind.is_dir(),
        _ => entry.path().is_dir(),
    };
    let mut folders: Vec<PathBuf> =
        entries.flatten().filter(is_folder).map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn add_files(folder: &Path, (location, kind): (usize, FileKind), found: &mut Vec<FoundFile>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if Path::new(&name).extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        // A link that leads nowhere, a folder, a pipe: none of them is a session.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let path = folder.join(name);
        let stamp = if is_link {
            FileStamp::of(&path)
        } else {
            entry.metadata().ok().as_ref().and_then(FileStamp::from_metadata)
        };
        if let Some(stamp) = stamp {
            found.push(FoundFile { path, kind, location, stamp });
        }
    }
}
