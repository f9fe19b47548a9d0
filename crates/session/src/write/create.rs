//! Files that are not there yet: made whole, under a temporary name, and given their name last.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use pitree_format::js::stringify;
use tempfile::NamedTempFile;

use super::bytes::{append_bytes, unsure};
use super::{Durability, WriteOptions, lock_within, temporary_file_in};
use crate::error::{IoContext, Result, SessionError};
use crate::session::{FileState, Session, Storage, file_number, strip_path};
use crate::table::Body;

/// How much of a file that is written piece by piece is gathered for one write.
const PIECE_BYTES: usize = 256 << 10;

impl Session {
    /// Creates the file with everything that waits in memory.
    pub(super) fn create_file(&mut self) -> Result<()> {
        self.note_settings_in_header()?;
        let mut bytes = stringify(&self.header.value).into_bytes();
        bytes.push(b'\n');
        let mut places = Vec::with_capacity(self.table.len());
        for entry in self.entries() {
            let raw = entry.raw()?;
            places.push((bytes.len() as u64, raw.len() as u32));
            bytes.extend_from_slice(&raw);
            bytes.push(b'\n');
        }
        let writing = self.writing.clone();
        let Storage::File(state) = &mut self.storage else { return Ok(()) };
        make_private_directory(state.path.parent().unwrap_or(Path::new("/")))?;
        if state.file.is_some() {
            // An empty file that was there when the session was opened.
            fill_empty(state, &bytes, &writing)?;
        } else {
            let file = new_file_whole(&state.path, &bytes, writing.durability)?;
            state.set_file(file);
        }
        (state.appender, state.appender_number) = (None, None);
        state.len = bytes.len() as u64;
        state.lines = places.len() as u64 + 1;
        state.note_tail(&bytes);
        for (at, (offset, len)) in places.into_iter().enumerate() {
            let record = self.table.get_mut(at);
            record.body = Body::File { offset, len };
            record.line = at as u64 + 2;
        }
        Ok(())
    }

    /// Writes the file now, even before the first message; for callers that have no later moment.
    pub fn write_now(&mut self) -> Result<()> {
        match &self.storage {
            Storage::File(state) if state.len == 0 => self.create_file(),
            _ => Ok(()),
        }
    }
}

/// Makes a folder, and those above it, for the user alone.
pub fn make_private_directory(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    #[allow(clippy::disallowed_types, reason = "fs_err has no builder with a mode")]
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).on("create", path)
}

/// Creates a file with its whole content at once; it never exists in part, and a file that is
/// there already is left alone. What comes back is open for reading.
pub(crate) fn new_file_whole(path: &Path, bytes: &[u8], durability: Durability) -> Result<File> {
    new_file_with(path, durability, |file| file.write_all(bytes).on("write", path))
}

/// The same for a content that is written piece by piece, since it may be large.
pub(crate) fn new_file_with(
    path: &Path,
    durability: Durability,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<File> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    // Opened before the file has its name: an error afterwards would come too late.
    let folder = match durability {
        Durability::Fast => None,
        Durability::Durable => Some(open_directory(directory)?),
    };
    let mut temporary = temporary_in(directory)?;
    let len = write_pieces(temporary.as_file_mut(), path, write)?;
    if folder.is_some() {
        temporary.as_file().sync_all().on("flush", path)?;
    }
    let file = temporary.persist_noclobber(path).map_err(|error| error.error).on("create", path)?;
    // It is kept open to be read, and appending to it takes the lock by another descriptor.
    let _ = file.unlock();
    match folder.map_or(Ok(()), |folder| folder.sync_all()) {
        Ok(()) => Ok(file),
        Err(source) if is_untouched(&file, path, len) => {
            let gone = fs_err::remove_file(path).is_ok();
            let action = "flush";
            Err(match gone {
                true => SessionError::Io { action, path: path.to_owned(), source },
                false => unsure(path, "flushed to the disk", source),
            })
        }
        Err(source) => Err(unsure(path, "flushed to the disk", source)),
    }
}

/// Gathers pieces of any size for larger writes; gives the length of the file.
pub(super) fn write_pieces(
    file: &mut File,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<u64> {
    let mut pieces = BufWriter::with_capacity(PIECE_BYTES, &mut *file);
    write(&mut pieces)?;
    pieces.flush().on("write", path)?;
    drop(pieces);
    Ok(file.metadata().on("read", path)?.len())
}

/// Whether a new file is still what the path leads to, and nobody has added anything.
fn is_untouched(file: &File, path: &Path, len: u64) -> bool {
    let there = fs_err::metadata(path).ok();
    file.metadata().ok().is_some_and(|ours| {
        ours.len() == len && there.is_some_and(|there| file_number(&there) == file_number(&ours))
    })
}

/// A temporary file beside the file that it will become.
pub(super) fn temporary_in(directory: &Path) -> Result<NamedTempFile> {
    temporary_file_in(directory).on("create a file in", directory)
}

/// Opens a folder, to make a rename in it durable.
pub(crate) fn open_directory(directory: &Path) -> Result<File> {
    let folder = fs_err::File::open(directory).map_err(strip_path).on("open", directory)?;
    Ok(folder.into_parts().0)
}

/// Fills an empty file that was there when the session was opened.
fn fill_empty(state: &FileState, bytes: &[u8], writing: &WriteOptions) -> Result<()> {
    let path = &state.path;
    let file = fs_err::OpenOptions::new().append(true).open(path);
    let file = file.map_err(strip_path).on("open", path)?.into_parts().0;
    lock_within(&file, path, writing.lock_wait)?;
    let now = file.metadata().on("read", path)?;
    if now.len() > 0 || state.number.is_some_and(|read| read != file_number(&now)) {
        let what = "it was empty and is no longer";
        return Err(SessionError::Changed { path: path.clone(), what });
    }
    append_bytes(&file, path, (0, bytes), writing.durability)
}
