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
const ARTIFACTS: &str = "subagent-artifacts";

/// All files of the locations that may be sessions. A folder that is reached twice, by a link or
/// because locations overlap, is looked at once; so is a file.
pub fn discover(locations: &[Location]) -> Vec<FoundFile> {
    let mut seen = Seen::default();
    let mut found = Vec::new();
    for (number, location) in locations.iter().enumerate() {
        match location.layout {
            Layout::Flat => scan_folder(&location.path, number, &mut seen, &mut found),
            Layout::PerDirectory => {
                for folder in subfolders(&location.path) {
                    scan_folder(&folder, number, &mut seen, &mut found);
                }
            }
        }
    }
    found
}

/// Only the files in one folder of a location.
pub fn discover_folder(folder: &Path, location: usize) -> Vec<FoundFile> {
    let mut found = Vec::new();
    scan_folder(folder, location, &mut Seen::default(), &mut found);
    found
}

#[derive(Default)]
struct Seen {
    folders: HashSet<(u64, u64)>,
    files: HashSet<(u64, u64)>,
}

fn subfolders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(root) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn scan_folder(folder: &Path, location: usize, seen: &mut Seen, found: &mut Vec<FoundFile>) {
    let Ok(metadata) = fs_err::metadata(folder) else { return };
    if !metadata.is_dir() || !seen.folders.insert((metadata.dev(), metadata.ino())) {
        return;
    }
    add_files(folder, (location, FileKind::Session), seen, found);
    add_files(&folder.join(ARTIFACTS), (location, FileKind::SubagentArtifact), seen, found);
}

fn add_files(
    folder: &Path,
    (location, kind): (usize, FileKind),
    seen: &mut Seen,
    found: &mut Vec<FoundFile>,
) {
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
        if let Some(stamp) = stamp
            && seen.files.insert(stamp.identity)
        {
            found.push(FoundFile { path, kind, location, stamp });
        }
    }
}
