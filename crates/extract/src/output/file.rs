//! A file that is hashed while it is written, so that nobody has to read it again.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use fs_err::File;
use pitree_session::make_private_directory;
use serde::{Deserialize, Serialize};

use super::folder::create_private;
use crate::error::{ExtractError, IoContext};

/// Room for lines on their way into a file. Longer ones go there at once.
const BUFFER_BYTES: usize = 64 << 10;

/// After so many bytes the disk is asked to take what is there.
const EARLY_BYTES: u64 = 128 << 20;

/// Passes bytes on to a file, and hashes and counts them.
struct Hashing {
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Hashing {
    fn new(file: File) -> Self {
        Self { file, hasher: blake3::Hasher::new(), bytes: 0 }
    }
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file of a data set that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its path in the folder of the data set.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The BLAKE3 hash of its bytes, in hexadecimal digits.
    pub hash: String,
}

/// A file of a data set that is being written.
pub(crate) struct OutputFile {
    name: PathBuf,
    path: PathBuf,
    file: BufWriter<Hashing>,
    early: Option<EarlySync>,
    /// When so much is written the disk is asked again.
    next_early: u64,
}

/// Has the disk take a long file while it is still being written, so that not all of it is waited
/// for at the end.
struct EarlySync {
    wake: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl EarlySync {
    fn start(file: &File) -> io::Result<Self> {
        let file = file.file().try_clone()?;
        let (wake, woken) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .spawn(move || woken.into_iter().try_for_each(|()| file.sync_data()))?;
        Ok(Self { wake, thread })
    }

    /// What the disk has said. An error is told to one of those who ask only, so this is asked.
    fn finish(self) -> io::Result<()> {
        drop(self.wake);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has failed")))
    }
}

impl OutputFile {
    /// Makes a file of this name in the folder of a data set, and the folders above it. Nobody but
    /// the user can read any of them, from the first byte on.
    pub(crate) fn create(folder: &Path, name: &Path) -> Result<Self, ExtractError> {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            make_private_directory(parent)?;
        }
        let file = Hashing::new(create_private(&path).on("write", &path)?);
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        let name = name.to_owned();
        Ok(Self { name, path, file, early: None, next_early: EARLY_BYTES })
    }

    /// The path by which it can be opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes these, one after the other.
    pub(crate) fn put(&mut self, parts: &[&[u8]]) -> Result<(), ExtractError> {
        parts.iter().try_for_each(|part| self.file.write_all(part)).on("write", &self.path)?;
        if self.file.get_ref().bytes >= self.next_early {
            self.sync_early().on("write", &self.path)?;
        }
        Ok(())
    }

    fn sync_early(&mut self) -> io::Result<()> {
        self.next_early = self.file.get_ref().bytes + EARLY_BYTES;
        if self.early.is_none() {
            self.early = Some(EarlySync::start(&self.file.get_ref().file)?);
        }
        if let Some(early) = &self.early {
            // If it is still busy it will be woken later.
            let _ = early.wake.try_send(());
        }
        Ok(())
    }

    /// Writes what is left, and makes sure that the disk has taken it.
    pub(crate) fn finish(self) -> Result<WrittenFile, ExtractError> {
        let Self { name, path, file, early, .. } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error).on("write", &path)?;
        early.map_or(Ok(()), EarlySync::finish).on("write", &path)?;
        file.file.sync_data().on("write", &path)?;
        let hash = file.hasher.finalize().to_hex().to_string();
        Ok(WrittenFile { path: name, bytes: file.bytes, hash })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
