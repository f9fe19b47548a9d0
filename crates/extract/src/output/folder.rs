//! The folder of a data set, which appears all at once.
//!
//! Everything is written into a hidden folder beside the wanted one. It is locked while its run
//! lives, so that the next run knows the one that a killed run has left and removes it. When all
//! is written it takes the wanted name.

use std::fs::{Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use pitree_session::make_private_directory;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{OutputFile, WrittenFile, replaceable};
use crate::error::{ExtractError, IoContext};

/// Begins the name of a folder in the making.
const PREFIX: &str = ".pitree-extract-";

/// The file whose lock a living run holds.
const LOCK: &str = "lock";

/// What nobody but the user may read.
const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// So often others may come and go at the place of a data set before it has its name.
const MOST_TRIES: usize = 100;

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
        let unwritable =
            |source| ExtractError::OutputUnwritable { path: parent.to_owned(), source };
        fs_err::create_dir_all(parent).map_err(unwritable)?;
        Self::within(parent).map_err(|error| match error {
            ExtractError::Io { path, source, .. } if path == parent => unwritable(source),
            other => other,
        })
    }

    /// The same in a folder that is there.
    pub(crate) fn within(parent: &Path) -> Result<Self, ExtractError> {
        for _ in 0..MOST_TRIES {
            if let Some(scratch) = Self::try_within(parent)? {
                remove_dead(parent, &scratch);
                return Ok(scratch);
            }
        }
        Err(ExtractError::Unexpected("other runs have removed every folder that was made"))
    }

    /// Makes a folder and locks it. Between the two another run may take it for that of a dead one
    /// and remove it; then there is none.
    fn try_within(parent: &Path) -> Result<Option<Self>, ExtractError> {
        let private = Permissions::from_mode(PRIVATE_FOLDER);
        let folder =
            tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir_in(parent);
        let folder = folder.on("make a temporary folder in", parent)?;
        let path = folder.path().join(LOCK);
        let lock = match create_private(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            lock => lock.on("write", &path)?,
        };
        // Where there are no locks nothing is taken for dead.
        let is_taken = matches!(lock.file().try_lock(), Err(TryLockError::WouldBlock));
        Ok((!is_taken && path.exists()).then_some(Self { folder, _lock: lock }))
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of this user's runs that are dead: nobody holds their lock, or they have not
/// come to it. Anybody may put a folder of that name into a folder that all share, so nothing but a
/// plain file is opened.
fn remove_dead(parent: &Path, own: &Scratch) {
    let Ok(user) = fs_err::metadata(own.path()).map(|metadata| metadata.uid()) else { return };
    let Ok(entries) = fs_err::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_ours = |metadata: std::fs::Metadata| metadata.is_dir() && metadata.uid() == user;
        if !entry.file_name().to_string_lossy().starts_with(PREFIX)
            || entry.path() == own.path()
            || !fs_err::symlink_metadata(entry.path()).is_ok_and(is_ours)
        {
            continue;
        }
        // In both cases: if it cannot be removed it lies in nobody's way.
        let lock = entry.path().join(LOCK);
        if !lock.try_exists().unwrap_or(true) {
            // Only an empty folder goes.
            let _ = fs_err::remove_dir(entry.path());
        } else if fs_err::symlink_metadata(&lock).is_ok_and(|metadata| metadata.is_file())
            && let Ok(lock) = File::open(&lock)
            && lock.file().try_lock().is_ok()
        {
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

/// The folder of a data set in the making.
pub(crate) struct OutputFolder {
    wanted: PathBuf,
    making: PathBuf,
    /// Whether only the user may read it.
    is_private: bool,
    /// Whether files that somebody has edited are replaced too.
    replace_edited: bool,
}

impl OutputFolder {
    /// A data set that will be `wanted`, made within the scratch folder of the run.
    pub(crate) fn new(
        wanted: &Path,
        scratch: &Scratch,
        is_private: bool,
        replace_edited: bool,
    ) -> Result<Self, ExtractError> {
        let making = scratch.path().join("out");
        make_private_directory(&making)?;
        Ok(Self { wanted: wanted.to_owned(), making, is_private, replace_edited })
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

    /// Gives the folder its name. One that stood there is exchanged for it if it may be replaced,
    /// and goes with the scratch folder.
    pub(crate) fn publish(self, scratch: &Scratch) -> Result<(), ExtractError> {
        for _ in 0..MOST_TRIES {
            let published = self.try_publish().or_else(|error| match error {
                ExtractError::Io { source, .. } if is_unsupported(&source) => {
                    self.publish_plainly(scratch).map(|()| true)
                }
                other => Err(other),
            })?;
            if published {
                sync_folder(self.wanted.parent());
                return Ok(());
            }
        }
        Err(ErrorKind::ResourceBusy.into()).on("write", &self.wanted)
    }

    /// Takes the name, or exchanges what has it; `false` if that came or went meanwhile.
    fn try_publish(&self) -> Result<bool, ExtractError> {
        match rename(&self.making, &self.wanted, RenameFlags::NOREPLACE) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.on("write", &self.wanted).map(|()| true),
        }
        replaceable::check(&self.wanted, self.replace_edited)?;
        self.take_mode()?;
        match rename(&self.making, &self.wanted, RenameFlags::EXCHANGE) {
            Ok(()) => self.check_replaced().map(|()| true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            other => other.on("replace", &self.wanted).map(|()| true),
        }
    }

    /// Looks once more at what was exchanged, now that nobody finds it any more: something may have
    /// come into it at the last moment. What is not ours goes back.
    fn check_replaced(&self) -> Result<(), ExtractError> {
        let Err(error) = replaceable::check(&self.making, self.replace_edited) else {
            return Ok(());
        };
        rename(&self.making, &self.wanted, RenameFlags::EXCHANGE).on("put back", &self.wanted)?;
        Err(match error {
            ExtractError::OutputTaken { why, .. } => {
                ExtractError::OutputTaken { path: self.wanted.clone(), why }
            }
            other => other,
        })
    }

    /// The same on a file system that cannot exchange two names: for a moment there is neither.
    fn publish_plainly(&self, scratch: &Scratch) -> Result<(), ExtractError> {
        replaceable::check(&self.wanted, self.replace_edited)?;
        if fs_err::symlink_metadata(&self.wanted).is_err() {
            return fs_err::rename(&self.making, &self.wanted).on("write", &self.wanted);
        }
        self.take_mode()?;
        let old = scratch.path().join("old");
        fs_err::rename(&self.wanted, &old).on("replace", &self.wanted)?;
        if let Err(error) = fs_err::rename(&self.making, &self.wanted) {
            fs_err::rename(&old, &self.wanted).on("put back", &self.wanted)?;
            return Err(error).on("write", &self.wanted);
        }
        Ok(())
    }

    /// Takes over who may read the folder that is replaced. Others never get to see data that is
    /// not redacted.
    fn take_mode(&self) -> Result<(), ExtractError> {
        let Ok(metadata) = fs_err::symlink_metadata(&self.wanted) else { return Ok(()) };
        if metadata.is_dir() {
            let mode = metadata.mode() & if self.is_private { PRIVATE_FOLDER } else { 0o7777 };
            share(&self.making, mode).on("write", &self.making)?;
        }
        Ok(())
    }
}

/// Makes a new file for the user alone.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)
}

/// Gives a folder and all that is in it to those who may read a folder with this mode.
fn share(folder: &Path, mode: u32) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => share(&entry.path(), mode & 0o777)?,
            false => {
                fs_err::set_permissions(entry.path(), Permissions::from_mode(mode & 0o666))?;
            }
        }
    }
    fs_err::set_permissions(folder, Permissions::from_mode(mode))
}

/// Renames in one step: with `EXCHANGE` whoever looks sees the old data set or the new one.
fn rename(from: &Path, to: &Path, how: RenameFlags) -> io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, how)?)
}

/// Whether the file system or the kernel does not know such a rename.
fn is_unsupported(error: &io::Error) -> bool {
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP];
    Errno::from_io_error(error).is_some_and(|errno| unsupported.contains(&errno))
}

/// Makes the new name last. Where a folder cannot be flushed the name is there all the same.
fn sync_folder(folder: Option<&Path>) {
    let folder = folder.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data set that holds this text.
    fn made(root: &Path, scratch: &Scratch, text: &str, is_private: bool) -> OutputFolder {
        let _ = fs_err::remove_dir_all(scratch.path().join("out"));
        let output = OutputFolder::new(&root.join("set"), scratch, is_private, false).unwrap();
        let card = "{\"card\":1,\"generator\":\"pitree 1\",\"files\":[{\"path\":\"d/a\"}]}";
        output.write("card.json", card).unwrap();
        output.write("d/a", text).unwrap();
        output
    }

    fn mode(path: &Path) -> u32 {
        fs_err::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_data_set_takes_over_who_may_read_it() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(root.path()).unwrap();
        let set = root.path().join("set");
        let publish = |text: &str, is_private, plainly| {
            let output = made(root.path(), &scratch, text, is_private);
            if plainly {
                output.publish_plainly(&scratch).unwrap();
                fs_err::remove_dir_all(scratch.path().join("old")).unwrap();
            } else {
                output.publish(&scratch).unwrap();
            }
            assert_eq!(fs_err::read_to_string(set.join("d/a")).unwrap(), text);
            mode(&set)
        };
        assert_eq!(publish("one", false, false), 0o700);
        for (wanted, plainly) in [(0o700, false), (0o750, false), (0o711, true), (0o755, false)] {
            fs_err::set_permissions(&set, Permissions::from_mode(wanted)).unwrap();
            assert_eq!(publish("two", false, plainly), wanted);
            assert_eq!((mode(&set.join("d")), mode(&set.join("d/a"))), (wanted, wanted & 0o666));
        }
        assert_eq!(publish("not redacted", true, false), 0o700);
        assert_eq!(mode(&set.join("d")), 0o700);
        assert_eq!(mode(&set.join("d/a")), 0o600);
        fs_err::remove_dir_all(&set).unwrap();
        assert_eq!(publish("not redacted", true, false), 0o700);
    }

    #[test]
    fn what_came_into_a_data_set_at_the_last_moment_goes_back_with_it() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(root.path()).unwrap();
        made(root.path(), &scratch, "old", false).publish(&scratch).unwrap();
        let set = root.path().join("set");
        fs_err::write(set.join("notes"), "mine").unwrap();
        let output = made(root.path(), &scratch, "new", false);
        rename(&output.making, &output.wanted, RenameFlags::EXCHANGE).unwrap();
        let error = output.check_replaced().unwrap_err().to_string();
        assert!(
            error.contains("Cannot replace ")
                && error.contains("/set: ")
                && error.contains("notes"),
            "{error}"
        );
        assert_eq!(fs_err::read_to_string(set.join("d/a")).unwrap(), "old");
        assert!(output.publish_plainly(&scratch).is_err() && output.publish(&scratch).is_err());
        assert_eq!(fs_err::read_to_string(set.join("notes")).unwrap(), "mine");
    }

    /// Many begin and end at once in one folder; none takes another for dead.
    #[test]
    fn a_folder_that_was_just_made_is_not_taken_for_dead() {
        let root = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..60 {
                        let scratch = Scratch::within(root.path()).unwrap();
                        fs_err::write(scratch.path().join("file"), "").unwrap();
                    }
                });
            }
        });
        assert!(fs_err::read_dir(root.path()).unwrap().next().is_none());
        let dead = Scratch::within(root.path()).unwrap();
        let path = dead.folder.keep();
        drop(dead._lock);
        let _alive = Scratch::within(root.path()).unwrap();
        assert!(!path.exists());
    }
}
