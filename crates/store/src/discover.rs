//! Finding the files of the locations, without reading them.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pitree_session::cause;
use pitree_session::location::{Layout, Location};
use pitree_session::parallel::in_parallel;
use serde::{Deserialize, Serialize};

use crate::hash::Mixer;

/// A file or folder that could not be looked at or read, and why.
pub type Unreadable = (PathBuf, String);

/// What a file is, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Who may read it: a number made of its mode, its owner and its group. A file that was
    /// readable and no longer is has another one.
    pub access: u64,
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
            access: Mixer::new(u64::from(metadata.mode()))
                .number(u64::from(metadata.uid()) << 32 | u64::from(metadata.gid()))
                .finish(),
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

/// The files of one folder that may be sessions, by name. A store may have very many, so their
/// names lie in one piece and no path is made before somebody wants it.
#[derive(Debug)]
pub(crate) struct FolderFiles {
    pub(crate) folder: PathBuf,
    pub(crate) kind: FileKind,
    pub(crate) location: usize,
    names: Vec<u8>,
    files: Vec<NamedFile>,
    /// Whether a file may be reachable by another name too.
    has_links: bool,
    /// What could not be looked at: the folder itself, or files in it.
    unreadable: Vec<Unreadable>,
}

#[derive(Clone, Copy, Debug)]
struct NamedFile {
    name: (u32, u32),
    stamp: FileStamp,
}

impl FolderFiles {
    /// The names and stamps, in the order of the names' bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, FileStamp)> {
        self.files.iter().map(|file| (OsStr::from_bytes(file.name_in(&self.names)), file.stamp))
    }

    /// A file of the folder on its own.
    pub(crate) fn found(&self, name: &OsStr, stamp: FileStamp) -> FoundFile {
        FoundFile { path: self.folder.join(name), kind: self.kind, location: self.location, stamp }
    }

    /// What could not be looked at in all of some folders.
    pub(crate) fn take_unreadable(folders: &mut [Self]) -> Vec<Unreadable> {
        folders.iter_mut().flat_map(|folder| std::mem::take(&mut folder.unreadable)).collect()
    }

    fn empty(folder: PathBuf, location: usize, kind: FileKind) -> Self {
        let (names, files, unreadable) = (Vec::new(), Vec::new(), Vec::new());
        Self { folder, kind, location, names, files, has_links: false, unreadable }
    }

    fn read(folder: PathBuf, location: usize, kind: FileKind) -> Self {
        let mut read = Self::empty(folder, location, kind);
        match fs_err::read_dir(&read.folder) {
            Ok(entries) => entries.for_each(|entry| match entry {
                Ok(entry) => read.add(&entry),
                Err(error) => note(&mut read.unreadable, &read.folder, &error),
            }),
            // Most folders have no records of sub-agents.
            Err(error)
                if kind == FileKind::SubagentArtifact
                    && error.kind() == ErrorKind::NotADirectory => {}
            Err(error) => note(&mut read.unreadable, &read.folder, &error),
        }
        // All folders are kept until the last one is read.
        read.names.shrink_to_fit();
        read.files.shrink_to_fit();
        let names = &read.names;
        read.files.sort_unstable_by(|a, b| a.name_in(names).cmp(b.name_in(names)));
        read
    }

    fn add(&mut self, entry: &fs_err::DirEntry) {
        let name = entry.file_name();
        let bytes = name.as_bytes();
        if Path::new(&name).extension().is_none_or(|extension| extension != "jsonl") {
            return;
        }
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let metadata =
            if is_link { fs_err::metadata(self.folder.join(&name)) } else { entry.metadata() };
        // A link that leads nowhere, a folder, a pipe: none of them is a session.
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(error) => return note(&mut self.unreadable, &self.folder.join(&name), &error),
        };
        let Some(stamp) = FileStamp::from_metadata(&metadata) else { return };
        let Ok(start) = u32::try_from(self.names.len()) else { return };
        self.has_links |= is_link || metadata.nlink() > 1;
        self.names.extend_from_slice(bytes);
        self.files.push(NamedFile { name: (start, bytes.len() as u32), stamp });
    }
}

impl NamedFile {
    fn name_in(self, names: &[u8]) -> &[u8] {
        let start = self.name.0 as usize;
        names.get(start..start + self.name.1 as usize).unwrap_or_default()
    }
}

/// Notes what could not be looked at. What is not there is nothing to report: a file may be deleted
/// meanwhile, and a link may lead nowhere.
fn note(unreadable: &mut Vec<Unreadable>, path: &Path, error: &io::Error) {
    if error.kind() != ErrorKind::NotFound {
        unreadable.push((path.to_owned(), cause(error).to_string()));
    }
}

/// Whether a file that could not be read is no longer there: that is nothing to report either.
pub(crate) fn is_gone(path: &Path) -> bool {
    fs_err::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// All files of the locations that may be sessions. A folder that is reached twice, by a link or
/// because locations overlap, is looked at once; so is a file.
pub fn discover(locations: &[Location]) -> Vec<FoundFile> {
    flat(&scan(locations))
}

/// As [`discover`], with the folders and files that could not be looked at.
pub fn discover_all(locations: &[Location]) -> Discovered {
    scan(locations).into()
}

/// Files that may be sessions, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The files.
    pub files: Vec<FoundFile>,
    /// What could not be looked at, and why.
    pub unreadable: Vec<Unreadable>,
}

impl From<Vec<FolderFiles>> for Discovered {
    fn from(mut folders: Vec<FolderFiles>) -> Self {
        let unreadable = FolderFiles::take_unreadable(&mut folders);
        Self { files: flat(&folders), unreadable }
    }
}

/// As [`discover`], by folder.
pub(crate) fn scan(locations: &[Location]) -> Vec<FolderFiles> {
    let mut folders = Vec::new();
    let mut unreadable = Vec::new();
    for (number, location) in locations.iter().enumerate() {
        match location.layout {
            Layout::Flat => folders.push((location.path.clone(), number)),
            Layout::PerDirectory => {
                let below = read_subfolders(&location.path, &mut unreadable);
                folders.extend(below.into_iter().map(|path| (path, number)));
            }
        }
    }
    let mut scanned = scan_folders(folders);
    if !unreadable.is_empty() {
        let root = FolderFiles::empty(PathBuf::new(), 0, FileKind::Session);
        scanned.push(FolderFiles { unreadable, ..root });
    }
    scanned
}

fn flat(folders: &[FolderFiles]) -> Vec<FoundFile> {
    let count = folders.iter().map(|folder| folder.files.len()).sum();
    let mut found = Vec::with_capacity(count);
    for folder in folders {
        found.extend(folder.iter().map(|(name, stamp)| folder.found(name, stamp)));
    }
    found
}

/// As [`discover`], for folders of locations.
pub(crate) fn scan_folders(mut folders: Vec<(PathBuf, usize)>) -> Vec<FolderFiles> {
    let mut seen_folders = HashSet::new();
    folders.retain(|(folder, _)| match fs_err::metadata(folder) {
        Ok(metadata) => seen_folders.insert((metadata.dev(), metadata.ino())),
        // Reading it tells why.
        Err(_) => true,
    });
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    // Asking for the metadata of many files is most of a list's work, so it is shared out.
    let mut scanned: Vec<FolderFiles> =
        in_parallel(&folders, threads, |_| 0, |(folder, location)| read_folder(folder, *location))
            .into_iter()
            .flatten()
            .collect();
    // Records of sub-agents are sessions where a location says so.
    for folder in &mut scanned {
        let is_location = || {
            fs_err::metadata(&folder.folder)
                .is_ok_and(|metadata| seen_folders.contains(&(metadata.dev(), metadata.ino())))
        };
        if folder.kind == FileKind::SubagentArtifact && !folder.files.is_empty() && is_location() {
            folder.files.clear();
        }
    }
    if scanned.iter().any(|folder| folder.has_links) {
        let mut seen = HashSet::new();
        for folder in &mut scanned {
            folder.files.retain(|file| seen.insert(file.stamp.identity));
        }
    }
    scanned
}

/// The sessions of a folder, and the records of sub-agents below it.
fn read_folder(folder: &Path, location: usize) -> [FolderFiles; 2] {
    let sessions = FolderFiles::read(folder.to_owned(), location, FileKind::Session);
    let mut artifacts =
        FolderFiles::read(folder.join(ARTIFACTS), location, FileKind::SubagentArtifact);
    // A folder that cannot be read hides all that is in it: it is reported once.
    if sessions.unreadable.iter().any(|(path, _)| path == folder) {
        artifacts.unreadable.clear();
    }
    [sessions, artifacts]
}

/// The names of the files in a folder that may be sessions.
pub(crate) fn session_names(folder: &Path) -> impl Iterator<Item = OsString> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names.filter(|name| Path::new(name).extension() == Some(OsStr::new("jsonl")))
}

pub(crate) fn subfolders(root: &Path) -> Vec<PathBuf> {
    read_subfolders(root, &mut Vec::new())
}

/// The folders in a folder. What could not be looked at is added to `unreadable`.
fn read_subfolders(root: &Path, unreadable: &mut Vec<Unreadable>) -> Vec<PathBuf> {
    let entries = match fs_err::read_dir(root) {
        Ok(entries) => entries,
        Err(error) => {
            note(unreadable, root, &error);
            return Vec::new();
        }
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                note(unreadable, root, &error);
                continue;
            }
        };
        let is_folder = match entry.file_type() {
            Ok(kind) if !kind.is_symlink() => Ok(kind.is_dir()),
            _ => fs_err::metadata(entry.path()).map(|metadata| metadata.is_dir()),
        };
        match is_folder {
            Ok(true) => folders.push(entry.path()),
            Ok(false) => {}
            Err(error) => note(unreadable, &entry.path(), &error),
        }
    }
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use pitree_session::location::Origin;

    use super::*;

    #[test]
    fn a_file_that_is_reached_twice_is_found_once() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            fs_err::create_dir_all(root.path().join(name)).unwrap();
            root.path().join(name)
        };
        let (a, b) = (folder("a"), folder("b"));
        for name in ["2.jsonl", "10.jsonl", "no.txt"] {
            fs_err::write(a.join(name), name).unwrap();
        }
        let link = fs_err::os::unix::fs::symlink::<PathBuf, PathBuf>;
        fs_err::create_dir(a.join("folder.jsonl")).unwrap();
        link(root.path().join("nowhere"), a.join("gone.jsonl")).unwrap();
        let origin = Origin::SessionsRootFlag;
        let store = Location { path: root.path().to_owned(), layout: Layout::PerDirectory, origin };
        let flat = Location { path: a.clone(), layout: Layout::Flat, ..store.clone() };
        let names = || -> Vec<PathBuf> {
            discover(&[store.clone(), flat.clone()]).into_iter().map(|file| file.path).collect()
        };
        let expected = [a.join("10.jsonl"), a.join("2.jsonl")];
        assert_eq!(names(), expected, "two locations overlap");
        link(a.join("2.jsonl"), b.join("soft.jsonl")).unwrap();
        assert_eq!(names(), expected, "a symbolic link to a file");
        fs_err::remove_file(b.join("soft.jsonl")).unwrap();
        fs_err::hard_link(a.join("2.jsonl"), b.join("hard.jsonl")).unwrap();
        assert_eq!(names(), expected, "a second name of a file");
        link(a.clone(), root.path().join("c")).unwrap();
        assert_eq!(names(), expected, "a symbolic link to a folder");
    }
}
