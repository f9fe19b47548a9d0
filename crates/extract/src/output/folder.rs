//! The folder of a data set, which appears all at once.
//!
//! Everything is written into a hidden folder beside the wanted one. It is locked while its run
//! lives, so that the next run knows the one that a killed run has left and removes it. When all
//! is written it takes the wanted name.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fs_err::File;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{OutputFile, WrittenFile, replaceable};
use crate::error::{ExtractError, IoContext};

/// Begins the name of a folder in the making.
const PREFIX: &str = ".pitree-extract-";

/// The file whose lock a living run holds.
const LOCK: &str = "lock";

/// Files of a run that are not part of what it gives.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    /// Held as long as the run lives.
    _lock: File,
}

impl Scratch {
    /// Makes a folder for the files of a run beside `beside`, and removes those of dead runs.
    pub(crate) fn beside(beside: &Path) -> Result<Self, ExtractError> {
        let parent = beside.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        fs_err::create_dir_all(parent).on("make", parent)?;
        Self::within(parent)
    }

    /// The same in a folder that is there.
    pub(crate) fn within(parent: &Path) -> Result<Self, ExtractError> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let folder = folder.on("make a folder in", parent)?;
        let path = folder.path().join(LOCK);
        let lock = File::create_new(&path).on("write", &path)?;
        // Where there are no locks nothing is taken for dead.
        let _ = lock.file().try_lock();
        let own = fs_err::metadata(folder.path()).on("read", folder.path())?.uid();
        remove_dead(parent, own);
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of this user's runs that are dead: nobody holds their lock. One that was
/// just made and is not locked yet has no lock file. Anybody may put a folder of that name into a
/// folder that all share, so nothing but a plain file is opened.
fn remove_dead(parent: &Path, own: u32) {
    let Ok(entries) = fs_err::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = |metadata: std::fs::Metadata| metadata.is_dir() && metadata.uid() == own;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX)
            || !fs_err::symlink_metadata(entry.path()).is_ok_and(is_ours)
        {
            continue;
        }
        let lock = entry.path().join(LOCK);
        if !fs_err::symlink_metadata(&lock).is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        if File::open(&lock).is_ok_and(|lock| lock.file().try_lock().is_ok()) {
            // If it cannot be removed it lies in nobody's way.
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

/// The folder of a data set in the making.
pub(crate) struct OutputFolder {
    wanted: PathBuf,
    making: PathBuf,
}

impl OutputFolder {
    /// A data set that will be `wanted`, made within the scratch folder of the run.
    pub(crate) fn new(wanted: &Path, scratch: &Scratch) -> Result<Self, ExtractError> {
        let making = scratch.path().join("out");
        fs_err::create_dir(&making).on("make", &making)?;
        Ok(Self { wanted: wanted.to_owned(), making })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.making
    }

    /// Writes a file of the data set.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<WrittenFile, ExtractError> {
        let mut file = OutputFile::create(&self.making, Path::new(name))?;
        file.put(&[text.as_bytes()])?;
        file.finish()
    }

    /// Gives the folder its name, and takes the one that stood there to the scratch folder.
    pub(crate) fn publish(self, scratch: &Scratch) -> Result<(), ExtractError> {
        replaceable::check(&self.wanted)?;
        if fs_err::symlink_metadata(&self.wanted).is_err() {
            fs_err::rename(&self.making, &self.wanted).on("write", &self.wanted)?;
        } else if exchange(&self.making, &self.wanted).is_err() {
            // A file system that cannot exchange two names: for a moment there is neither.
            let old = scratch.path().join("old");
            fs_err::rename(&self.wanted, &old).on("replace", &self.wanted)?;
            if let Err(error) = fs_err::rename(&self.making, &self.wanted) {
                fs_err::rename(&old, &self.wanted).on("put back", &self.wanted)?;
                return Err(error).on("write", &self.wanted);
            }
        }
        sync_folder(self.wanted.parent());
        Ok(())
    }
}

/// Exchanges two names in one step, so that whoever looks sees the old data set or the new one.
fn exchange(a: &Path, b: &Path) -> std::io::Result<()> {
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

/// Makes the new name last. Where a folder cannot be flushed the name is there all the same.
fn sync_folder(folder: Option<&Path>) {
    let folder = folder.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
