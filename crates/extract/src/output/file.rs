//! A file that is hashed while it is written, so that nobody has to read it again.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fs_err::File;

use crate::error::{ExtractError, IoContext};

/// Room for lines on their way into a file.
const BUFFER_BYTES: usize = 1 << 20;

/// Passes bytes on to a file, and hashes and counts them.
pub(super) struct Hashing {
    file: File,
    pub(super) hasher: blake3::Hasher,
    bytes: u64,
}

impl Hashing {
    pub(super) fn new(file: File) -> Self {
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl OutputFile {
    /// Makes a file of this name in the folder of a data set, and the folders above it.
    pub(crate) fn create(folder: &Path, name: &Path) -> Result<Self, ExtractError> {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent).on("make", parent)?;
        }
        let file = Hashing::new(File::create_new(&path).on("write", &path)?);
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Self { name: name.to_owned(), path, file })
    }

    /// The path by which it can be opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes these, one after the other.
    pub(crate) fn put(&mut self, parts: &[&[u8]]) -> Result<(), ExtractError> {
        parts.iter().try_for_each(|part| self.file.write_all(part)).on("write", &self.path)
    }

    /// Writes what is left, and makes sure that the disk has taken it.
    pub(crate) fn finish(self) -> Result<WrittenFile, ExtractError> {
        let Self { name, path, file } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error).on("write", &path)?;
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
