//! The session's file: holding it, reading what others added, appending to its end.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pitree_format::migrate::SourceVersion;

use super::bytes::{append_bytes, remove_from_end, unsure};
use super::create::{make_private_directory, new_file_whole};
use super::{AppendOutcome, NewLine, lock_within};
use crate::error::{IoContext, Result, SessionError};
use crate::read::scan_range;
use crate::session::{FileState, Session, Storage, file_number, strip_path};
use crate::table::Body;

/// How long to wait for another program to finish the line it is writing.
const UNFINISHED_LINE_WAIT: Duration = Duration::from_millis(200);

/// How many of the last bytes are remembered, to notice a file that was written anew.
const TAIL_BYTES: u64 = 512;

/// Why a file is refused that somebody cut off.
pub(crate) const SHORTER: &str = "it is shorter than it was";

/// The session's file while it is being appended to. Dropping it gives the locks back.
pub(crate) struct LockedFile {
    file: Arc<File>,
    /// The Rust port's lock file, where the port has been at work.
    _port_lock: Option<File>,
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // The descriptor stays open for the next append, so closing does not unlock.
        let _ = self.file.unlock();
    }
}

fn port_lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

impl Session {
    /// Locks the file and reads what others added. `None` while there is no file to append to.
    pub(super) fn hold_file(&mut self) -> Result<Option<LockedFile>> {
        if !matches!(&self.storage, Storage::File(state) if state.len > 0) {
            return Ok(None);
        }
        if let (Some(unfit), Some(path)) = (&self.unfit, self.path()) {
            return Err(unfit.error(path));
        }
        // A file that is replaced between opening and locking is opened again; more than a few
        // times in a row means that something is wrong.
        let wait = self.writing.lock_wait;
        for _ in 0..5 {
            let Storage::File(state) = &mut self.storage else { return Ok(None) };
            let held = state.lock(wait)?;
            match state.identity()? {
                Identity::Same { size, changed } => {
                    self.catch_up(&held.file, size, changed)?;
                    return Ok(Some(held));
                }
                Identity::Gone => {
                    drop(held);
                    self.restore_deleted()?;
                }
                Identity::Replaced => {
                    drop(held);
                    self.reopen()?;
                }
            }
        }
        Err(self.changed("it is replaced again and again"))
    }

    /// Reads what other programs have appended to the file, and writes nothing. Gives the number
    /// of entries that came. The leaf stays where it is, so the next append makes a branch beside
    /// them; see [`Self::refresh_to_leaf`]. Refused for a private copy: the file at
    /// its path is another one.
    pub fn refresh(&mut self) -> Result<usize> {
        if let (true, Some(unfit), Some(path)) = (self.is_copy, &self.unfit, self.path()) {
            return Err(unfit.error(path));
        }
        let known = self.table.len();
        let Storage::File(state) = &self.storage else { return Ok(0) };
        let Some(file) = state.file.as_ref().filter(|_| state.len > 0) else { return Ok(0) };
        let there = match fs_err::metadata(&state.path).map_err(strip_path) {
            // What was deleted comes back with the next append.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            other => other.on("read", &state.path)?,
        };
        let is_same = state.number == Some(file_number(&there));
        if is_same && self.version == SourceVersion::Current {
            let file = file.try_clone().on("read", &state.path)?;
            self.catch_up(&file, there.len(), (there.mtime(), there.mtime_nsec()))?;
        } else if !is_same || there.len() != state.len {
            self.reopen()?;
        }
        Ok(self.table.len().saturating_sub(known))
    }

    /// The same, and moves the leaf to the last entry of the file if anything came, as if it had
    /// been opened now. After a plain [`Self::refresh`] the next append is a child of the old leaf,
    /// which makes a branch beside what the other program has appended.
    pub fn refresh_to_leaf(&mut self) -> Result<usize> {
        let came = self.refresh()?;
        if came > 0 {
            self.leaf = self.table.len().checked_sub(1);
        }
        Ok(came)
    }

    /// Whether the file has another size than what was read of it; [`Self::refresh`] reads it then.
    pub fn has_grown(&self) -> Result<bool> {
        if self.is_copy {
            return Ok(false);
        }
        let Storage::File(state) = &self.storage else { return Ok(false) };
        match fs_err::metadata(&state.path).map_err(strip_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            other => Ok(other.on("read", &state.path)?.len() != state.len),
        }
    }

    /// Locks the file for a rewrite; refused when it is not what was read.
    pub(crate) fn hold_for_rewrite(&mut self) -> Result<Option<LockedFile>> {
        let wait = self.writing.lock_wait;
        let Storage::File(state) = &mut self.storage else { return Ok(None) };
        let held = state.lock(wait)?;
        match state.identity()? {
            Identity::Same { size, .. } if size == state.len => Ok(Some(held)),
            Identity::Same { .. } => Err(self.changed("another program is writing to it")),
            Identity::Replaced | Identity::Gone => {
                Err(self.changed("it was replaced or deleted since it was read"))
            }
        }
    }

    pub(super) fn changed(&self, what: &'static str) -> SessionError {
        let path = self.path().unwrap_or("(memory)".as_ref()).to_owned();
        SessionError::Changed { path, what }
    }

    /// Reads what was appended to the file since it was last looked at. The leaf stays where it
    /// is: what another program wrote is another branch, or the same one further on.
    fn catch_up(&mut self, file: &File, mut size: u64, changed: (i64, i64)) -> Result<()> {
        let Storage::File(state) = &mut self.storage else { return Ok(()) };
        if size == state.len && state.changed == Some(changed) {
            return Ok(());
        }
        if size < state.len {
            return Err(self.changed(SHORTER));
        }
        if state.tail_changed(file)? {
            return Err(self.changed("the part that was read is no longer the same"));
        }
        if size == state.len {
            return Ok(());
        }
        // A program that writes without a lock may be in the middle of a line.
        let mut waited = Duration::ZERO;
        while last_byte(file, size, &state.path)? != b'\n' && waited < UNFINISHED_LINE_WAIT {
            let pause = Duration::from_millis(5);
            std::thread::sleep(pause);
            waited += pause;
            size = file.metadata().on("read", &state.path)?.len();
            if size < state.len {
                return Err(self.changed(SHORTER));
            }
        }
        self.read_growth(file, size)
    }

    /// Takes the lines between the known end of the file and `size` into memory.
    fn read_growth(&mut self, file: &File, size: u64) -> Result<()> {
        let Storage::File(state) = &mut self.storage else { return Ok(()) };
        if size < state.len {
            return Err(self.changed(SHORTER));
        }
        // An unfinished line that was read before may be finished now: begin anew.
        if !state.ends_with_newline {
            return self.reopen();
        }
        let mut added = scan_range(file, state.len, size, 1).on("read", &state.path)?;
        if !self.table.grows_plainly(&added.entries) {
            return self.reopen();
        }
        for entry in &mut added.entries {
            entry.line += state.lines;
        }
        for odd in &mut added.odd {
            odd.line += state.lines;
        }
        state.len = size;
        state.lines += added.lines;
        state.ends_with_newline = added.ends_with_newline;
        state.remember_tail(file)?;
        let seed = self.id();
        self.table.extend(added.entries, &seed);
        self.odd_lines.append(&mut added.odd);
        self.labels.take();
        Ok(())
    }

    /// Reads the file anew and stands at the same entry.
    fn reopen(&mut self) -> Result<()> {
        let Some(path) = self.path().map(Path::to_owned) else { return Ok(()) };
        let leaf = self.leaf_id().map(str::to_owned);
        let mut fresh = self.open_again(&path, None)?;
        match leaf {
            Some(id) => match fresh.table.find(&id) {
                Some(at) => fresh.leaf = Some(at),
                None => return Err(self.changed("the entry to append to is gone")),
            },
            None => fresh.leaf = None,
        }
        *self = fresh;
        Ok(())
    }

    /// Opens the file as this session was opened, to be written as this session is. `file` is the
    /// file if it is open already.
    pub(crate) fn open_again(&self, path: &Path, file: Option<File>) -> Result<Self> {
        let directory = self.directory().map(Path::to_owned).unwrap_or_default();
        let options = crate::OpenOptions::new()
            .cwd(self.cwd.clone())
            .directory(directory)
            .lenient(self.unfit.is_some())
            .writing(self.writing.clone());
        match file {
            Some(file) => options.open_file(file, path, &self.environment),
            None => options.open(path, &self.environment),
        }
    }

    /// Makes a deleted file again, whole, from the bytes that are still at hand.
    fn restore_deleted(&mut self) -> Result<()> {
        let Storage::File(state) = &self.storage else { return Ok(()) };
        let Some(file) = &state.file else { return Ok(()) };
        let mut bytes = vec![0; usize::try_from(state.len).unwrap_or(0)];
        file.read_exact_at(&mut bytes, 0).on("read", &state.path)?;
        make_private_directory(state.path.parent().unwrap_or(Path::new("/")))?;
        new_file_whole(&state.path, &bytes, self.writing.durability)?;
        self.reopen()
    }

    /// Writes lines to the end of the held file.
    pub(super) fn write_to_end(
        &mut self,
        lines: &[NewLine],
        held: &LockedFile,
    ) -> Result<AppendOutcome> {
        let durability = self.writing.durability;
        let Storage::File(state) = &mut self.storage else { return Ok(AppendOutcome::InMemory) };
        let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
        let mut offset = state.len;
        if !state.ends_with_newline {
            bytes.push(b'\n');
            offset += 1;
        }
        for line in lines {
            bytes.extend_from_slice(line.text.as_bytes());
            bytes.push(b'\n');
        }
        append_bytes(&held.file, &state.path, (state.len, &bytes), durability)?;
        let now = held.file.metadata().map_err(|error| unsure(&state.path, "checked", error))?;
        let size = now.len();
        let expected = state.len + bytes.len() as u64;
        if size < expected {
            // A program that takes no lock cut the file off between the look at the size and the
            // write.
            remove_from_end(&held.file, size, &bytes)
                .map_err(|error| unsure(&state.path, "taken back", error))?;
            return Err(self.changed(SHORTER));
        }
        if size > expected {
            // A program that takes no lock wrote between the look at the size and the write. Both
            // are whole, but where each line lies has to be read.
            let path = state.path.clone();
            self.read_growth(&held.file, size)
                .map_err(|error| unsure(&path, "read back", io::Error::other(error)))?;
            self.leaf = lines.last().and_then(|line| self.table.find(&line.id));
            return Ok(AppendOutcome::Written);
        }
        state.len = size;
        state.changed = Some((now.mtime(), now.mtime_nsec()));
        state.ends_with_newline = true;
        state.note_tail(&bytes);
        let mut number = state.lines;
        state.lines += lines.len() as u64;
        for line in lines {
            number += 1;
            let len = line.text.len();
            self.adopt(line, Body::File { offset, len: len as u32 }, number);
            offset += len as u64 + 1;
        }
        Ok(AppendOutcome::Written)
    }
}

/// Locks a file that is not open as a session.
pub(super) fn hold_path(path: &Path, wait: Duration) -> Result<LockedFile> {
    let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
    let file = crate::session::open_regular(path)?;
    let mut state = FileState::new(path.to_owned(), directory, Some(file));
    let held = state.lock(wait)?;
    match state.identity()? {
        Identity::Same { .. } => Ok(held),
        Identity::Replaced | Identity::Gone => {
            let what = "it was replaced or deleted just now";
            Err(SessionError::Changed { path: path.to_owned(), what })
        }
    }
}

enum Identity {
    /// The same file, of this size, changed at this time.
    Same {
        size: u64,
        changed: (i64, i64),
    },
    Replaced,
    Gone,
}

impl FileState {
    /// Opens the file for appending if it is not yet, and locks it.
    fn lock(&mut self, wait: Duration) -> Result<LockedFile> {
        let lock_path = port_lock_path(&self.path);
        let lock_file = fs_err::symlink_metadata(&lock_path).ok();
        // Anything but a regular file there is not the port's: opening it might block, or make a
        // file wherever a link leads.
        let wanted = lock_file.as_ref().map_or(self.is_port_dialect, Metadata::is_file);
        let port_lock = if wanted {
            let file = fs_err::OpenOptions::new().append(true).create(true).open(&lock_path);
            let file = file.map_err(strip_path).on("open", &lock_path)?.into_parts().0;
            lock_within(&file, &lock_path, wait)?;
            Some(file)
        } else {
            None
        };
        let appender = match self.appender.take() {
            Some(file) => file,
            None => Arc::new({
                self.appender_number = None;
                let options = fs_err::OpenOptions::new().read(true).append(true).open(&self.path);
                match options.map_err(strip_path) {
                    Ok(file) => file.into_parts().0,
                    // Gone: lock what is still open, so that the caller finds out under a lock.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => match &self.file {
                        Some(file) => file.try_clone().on("open", &self.path)?,
                        None => return Err(error).on("open", &self.path),
                    },
                    Err(error) => return Err(error).on("write to", &self.path),
                }
            }),
        };
        lock_within(&appender, &self.path, wait)?;
        if self.appender_number.is_none() {
            self.appender_number = Some(file_number(&appender.metadata().on("read", &self.path)?));
        }
        self.appender = Some(Arc::clone(&appender));
        Ok(LockedFile { file: appender, _port_lock: port_lock })
    }

    /// Whether the locked file is still the one that the path leads to.
    fn identity(&self) -> Result<Identity> {
        match fs_err::metadata(&self.path).map_err(strip_path) {
            // The file that was read, the one that is open for appending and the one that the
            // path leads to must be one and the same.
            Ok(there)
                if self.appender_number == Some(file_number(&there))
                    && self.number.is_none_or(|read| read == file_number(&there)) =>
            {
                let changed = (there.mtime(), there.mtime_nsec());
                Ok(Identity::Same { size: there.len(), changed })
            }
            Ok(_) => Ok(Identity::Replaced),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Identity::Gone),
            Err(error) => Err(error).on("read", &self.path),
        }
    }

    /// Remembers the last bytes that were read.
    pub(crate) fn remember_tail(&mut self, file: &File) -> Result<()> {
        let count = self.len.min(TAIL_BYTES);
        let mut tail = vec![0; count as usize];
        read_at(file, &mut tail, self.len - count, &self.path)?;
        self.tail = tail;
        Ok(())
    }

    /// Remembers the last bytes that were written.
    pub(super) fn note_tail(&mut self, written: &[u8]) {
        let keep = written.len().min(TAIL_BYTES as usize);
        self.tail.clear();
        self.tail.extend_from_slice(&written[written.len() - keep..]);
    }

    fn tail_changed(&self, file: &File) -> Result<bool> {
        let mut now = vec![0; self.tail.len()];
        read_at(file, &mut now, self.len - self.tail.len() as u64, &self.path)?;
        Ok(now != self.tail)
    }
}

fn last_byte(file: &File, size: u64, path: &Path) -> Result<u8> {
    let mut byte = [0];
    read_at(file, &mut byte, size.saturating_sub(1), path)?;
    Ok(byte[0])
}

/// Reads a part of the file that was there a moment ago.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64, path: &Path) -> Result<()> {
    file.read_exact_at(bytes, offset).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::UnexpectedEof => SessionError::Changed { path, what: SHORTER },
            _ => SessionError::Io { action: "read", path, source },
        }
    })
}

#[cfg(test)]
mod tests {
    use pitree_format::Object;
    use pitree_format::draft::Draft;

    use super::*;
    use crate::{Environment, NewSession};

    fn message(text: &str) -> Draft {
        Draft::Message(Object::new().with("role", "user").with("content", text).into())
    }

    /// Every size to which a program that takes no lock may cut the file off between the look at
    /// its size and the write: the writer says so, and leaves what it found.
    #[test]
    fn a_file_that_shrinks_before_the_write_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let environment =
            Environment::new(folder.path(), folder.path(), || 0, |bytes| bytes.fill(7));
        let new = NewSession::default();
        let directory = folder.path().to_owned();
        let mut first = Session::create_in(&directory, directory.clone(), &new, &environment);
        let first = first.as_mut().unwrap();
        first.append_all(&[message("one"), message("two"), message("three")]).unwrap();
        let path = first.path().unwrap();
        let whole = fs_err::read(path).unwrap();
        for keep in [0, 1, 200, whole.len() - 2, whole.len() - 1] {
            fs_err::write(path, &whole).unwrap();
            let mut session = Session::open(path, &environment).unwrap();
            let lines = session.new_lines(&[message("four")]).unwrap();
            let held = session.hold_file().unwrap().unwrap();
            held.file.set_len(keep as u64).unwrap();
            let error = session.write_to_end(&lines, &held).unwrap_err();
            drop(held);
            assert!(matches!(error, SessionError::Changed { what: SHORTER, .. }), "{error}");
            assert_eq!(fs_err::read(path).unwrap(), whole[..keep], "cut to {keep}");
            assert_eq!(session.len(), 3);
            let error = session.append(&message("five")).unwrap_err();
            assert!(matches!(error, SessionError::Changed { .. }), "{error}");
        }
    }
}
