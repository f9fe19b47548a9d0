//! The private folder with the copies of objects.
//!
//! The name of a copy is a hash of the object's name and its state, so an object that has changed
//! has another copy, and no name of an object can lead anywhere or be another's. A copy gets its
//! name when it is complete. A run holds a lock on the copies of its URL while it reads them; what
//! is not listed any more is removed when no other run holds it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fs_err::File;
use pitree_session::make_private_directory;
use tempfile::{NamedTempFile, TempDir};

use super::RemoteOptions;
use super::mirror::MirroredObject;
use super::url::ObjectUrl;
use crate::error::{ExtractError, IoContext};
use crate::output::folder::create_private;

/// The file whose lock a run holds.
const LOCK: &str = "lock";

/// The copies of a URL that no run has used for so long are removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// The folder with the copies of one URL. They stay as they are as long as it is held.
#[derive(Debug)]
pub(super) struct Copies {
    pub(super) folder: PathBuf,
    lock: Option<File>,
    /// Goes with the run, if nothing is kept.
    _temporary: Option<TempDir>,
}

impl Copies {
    /// The folder for a URL.
    pub(super) fn of(url: &ObjectUrl, options: &RemoteOptions) -> Result<Self, ExtractError> {
        let Some(cache) = &options.cache else {
            let made =
                tempfile::Builder::new().prefix("pitree-objects-").tempdir_in(&options.temporary);
            let temporary = made.on("make a temporary folder in", &options.temporary)?;
            let folder = temporary.path().to_owned();
            return Ok(Self { folder, lock: None, _temporary: Some(temporary) });
        };
        make_private_directory(cache)?;
        let folder = cache.join(&hash(&[&url.to_string()])[..32]);
        make_private_directory(&folder)?;
        let path = folder.join(LOCK);
        let lock = match create_private(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                File::options().read(true).write(true).open(&path)
            }
            made => made,
        };
        let lock = lock.on("open", &path)?;
        // The order of what goes first depends on it, and nothing else.
        let _ = lock.file().set_modified(options.now);
        let copies = Self { folder, lock: Some(lock), _temporary: None };
        remove_unused(cache, &copies.folder, options.now);
        Ok(copies)
    }

    /// The copy of an object of this name, length and state.
    pub(super) fn file(&self, name: &str, size: u64, etag: &str) -> PathBuf {
        let hash = hash(&[name, &size.to_string(), etag]);
        self.folder.join(&hash[..2]).join(format!("{}.jsonl", &hash[2..34]))
    }

    /// Whether the copy is there, whole.
    pub(super) fn has(&self, file: &Path, size: u64) -> bool {
        fs_err::symlink_metadata(file).is_ok_and(|it| it.is_file() && it.len() == size)
    }

    /// A file for what is being fetched, beside the copy that it will be.
    pub(super) fn begin(&self, file: &Path) -> Result<NamedTempFile, ExtractError> {
        let folder = file.parent().unwrap_or(&self.folder);
        make_private_directory(folder)?;
        pitree_session::temporary_file_in(folder).on("write into", folder)
    }

    /// Holds the copies for this run. What is not among these goes, if no other run holds it.
    pub(super) fn hold(&self, objects: &[MirroredObject]) {
        let Some(lock) = &self.lock else { return };
        // Where there are no locks nothing is removed, and nobody removes anything.
        if lock.file().try_lock().is_ok() {
            let listed: HashSet<&Path> = objects.iter().map(|object| &*object.file).collect();
            for file in self.files().filter(|file| !listed.contains(&**file)) {
                // If it cannot be removed it lies in nobody's way.
                let _ = fs_err::remove_file(file);
            }
            let _ = lock.file().unlock();
        }
        let _ = lock.file().lock_shared();
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let folders = fs_err::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs_err::read_dir(folder.path()));
        files.flatten().flatten().map(|file| file.path())
    }
}

/// Removes the copies of other URLs that nobody has used for long and nobody holds.
fn remove_unused(cache: &Path, own: &Path, now: SystemTime) {
    for entry in fs_err::read_dir(cache).into_iter().flatten().flatten() {
        let folder = entry.path();
        let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
        let used = lock.metadata().and_then(|metadata| metadata.modified());
        let is_old = used
            .is_ok_and(|used| now.duration_since(used).is_ok_and(|unused| unused > LONGEST_UNUSED));
        if folder != own && is_old && lock.file().try_lock().is_ok() {
            let _ = fs_err::remove_dir_all(&folder);
        }
    }
}

/// A name made of these parts; other parts have another one.
fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copies(root: &Path, now: SystemTime) -> Copies {
        let options = RemoteOptions {
            cache: Some(root.to_owned()),
            now,
            ..RemoteOptions::new(root.to_owned())
        };
        Copies::of(&ObjectUrl::parse("s3://b/p").unwrap(), &options).unwrap()
    }

    #[test]
    fn no_name_of_an_object_leads_out_or_is_another_ones() {
        let root = tempfile::tempdir().unwrap();
        let copies = copies(root.path(), SystemTime::now());
        let long = "x/".repeat(600);
        let names =
            ["a", "A", "../a", "/etc/passwd", "a\u{0}", "a/", "", "-", &*long, "ä", "a\u{308}"];
        let mut seen = HashSet::new();
        for name in names {
            for (size, etag) in [(1, "e"), (2, "e"), (1, "f")] {
                let file = copies.file(name, size, etag);
                assert!(file.starts_with(&copies.folder), "{name:?}");
                assert_eq!(file.strip_prefix(&copies.folder).unwrap().components().count(), 2);
                assert!(seen.insert(file), "{name:?}");
            }
        }
    }

    #[test]
    fn what_is_not_listed_goes_unless_another_run_holds_it() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let (one, other) = (copies(root.path(), now), copies(root.path(), now));
        let object = |name: &str| {
            let file = one.file(name, 1, "e");
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(&file, "x").unwrap();
            MirroredObject { name: name.to_owned(), file, size: 1, etag: None }
        };
        let (a, b) = (object("a"), object("b"));
        other.hold(&[a.clone(), b.clone()]);
        one.hold(std::slice::from_ref(&a));
        assert!(a.file.exists() && b.file.exists());
        drop(other);
        drop(one);
        let later = copies(root.path(), now);
        later.hold(std::slice::from_ref(&a));
        assert!(a.file.exists() && !b.file.exists());
    }

    #[test]
    fn what_nobody_has_used_for_long_goes() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let old = copies(root.path(), now - LONGEST_UNUSED * 2);
        old.hold(&[]);
        let options = RemoteOptions {
            cache: Some(root.path().to_owned()),
            now,
            ..RemoteOptions::new(root.path().to_owned())
        };
        let url = ObjectUrl::parse("s3://other").unwrap();
        drop(Copies::of(&url, &options).unwrap());
        assert!(old.folder.exists(), "it is held");
        let folder = old.folder.clone();
        drop(old);
        drop(Copies::of(&url, &options).unwrap());
        assert!(!folder.exists());
    }
}
