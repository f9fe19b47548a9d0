//! Values of one kind, one after the other, in a file that is written and read in one go.
//!
//! ```text
//! record   length u32 | postcard of the value
//! …
//! end      0 u32 | number of records u64 | blake3 of everything before | magic
//! ```

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use super::work_folder::{beside, encoded, persist};
use crate::error::{ExtractError, IoContext};

const MAGIC: &[u8; 8] = b"pirecord";
const TAIL_BYTES: u64 = 8 + 32 + 8;

/// Writes records.
pub(crate) struct RecordWriter<T> {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    hasher: blake3::Hasher,
    count: u64,
    of: PhantomData<fn(&T)>,
}

impl<T: Serialize> RecordWriter<T> {
    /// Begins the file that will be there.
    pub(crate) fn new(path: &Path) -> Result<Self, ExtractError> {
        let file = BufWriter::new(beside(path)?);
        Ok(Self {
            file,
            path: path.to_owned(),
            hasher: blake3::Hasher::new(),
            count: 0,
            of: PhantomData,
        })
    }

    pub(crate) fn add(&mut self, value: &T) -> Result<(), ExtractError> {
        let record = encoded(value)?;
        let len = u32::try_from(record.len()).map_err(|_| ExtractError::TooLong)?;
        self.put(&len.to_le_bytes())?;
        self.count += 1;
        self.put(&record)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), ExtractError> {
        self.hasher.update(bytes);
        self.file.write_all(bytes).on("write", &self.path)
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), ExtractError> {
        self.put(&0_u32.to_le_bytes())?;
        let count = self.count.to_le_bytes();
        self.put(&count)?;
        let hash = self.hasher.finalize();
        let tail = [hash.as_bytes(), &MAGIC[..]].concat();
        self.file.write_all(&tail).on("write", &self.path)?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        persist(file.on("write", &self.path)?, &self.path)
    }
}

/// So much is read at once: thousands of shards may be read side by side.
const BUFFER_BYTES: usize = 16 << 10;

/// A file that is open only while it is read from: there may be more of them than a process may
/// have open.
struct Reopened {
    path: PathBuf,
    at: u64,
    end: u64,
}

impl Read for Reopened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        if room == 0 {
            return Ok(0);
        }
        let file = fs_err::File::open(&self.path)?;
        let count = file.file().read_at(&mut buffer[..room], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Reads records one by one. Only when all are read is it known that none is damaged.
pub(crate) struct RecordReader<T> {
    file: BufReader<Reopened>,
    path: PathBuf,
    len: u64,
    hasher: blake3::Hasher,
    count: u64,
    is_done: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> RecordReader<T> {
    /// `None` if there is no such file.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, ExtractError> {
        let metadata = match fs_err::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.on("read", path)?,
        };
        let len = metadata.len();
        let file = Reopened { path: path.to_owned(), at: 0, end: len };
        Ok(Some(Self {
            file: BufReader::with_capacity(BUFFER_BYTES, file),
            path: path.to_owned(),
            len,
            hasher: blake3::Hasher::new(),
            count: 0,
            is_done: false,
            of: PhantomData,
        }))
    }

    /// The same for a file that is not believed before its end is read: it is read once for that.
    pub(crate) fn open_sound(path: &Path) -> Result<Option<Self>, ExtractError> {
        let Some(mut all) = Self::open(path)? else { return Ok(None) };
        all.try_for_each(|record| record.map(drop))?;
        Self::open(path)
    }

    fn damaged(&self, problem: &'static str) -> ExtractError {
        ExtractError::Damaged { path: self.path.clone(), problem }
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<(), ExtractError> {
        let read = self.file.read_exact(bytes);
        if matches!(&read, Err(error) if error.kind() == io::ErrorKind::UnexpectedEof) {
            return Err(self.damaged("it is cut off"));
        }
        read.on("read", &self.path)?;
        self.hasher.update(bytes);
        Ok(())
    }

    fn next_record(&mut self) -> Result<Option<T>, ExtractError> {
        let mut len = [0; 4];
        self.take(&mut len)?;
        let len = u32::from_le_bytes(len);
        if len == 0 {
            self.end()?;
            return Ok(None);
        }
        // No length is believed beyond the end of the file.
        if u64::from(len) + TAIL_BYTES > self.len {
            return Err(self.damaged("it is cut off"));
        }
        let mut record = vec![0; len as usize];
        self.take(&mut record)?;
        self.count += 1;
        postcard::from_bytes(&record).map(Some).map_err(|_| self.damaged("it cannot be read"))
    }

    fn end(&mut self) -> Result<(), ExtractError> {
        let mut count = [0; 8];
        self.take(&mut count)?;
        let hash = *self.hasher.finalize().as_bytes();
        let mut tail = [0; 40];
        self.take(&mut tail)?;
        let is_end = self.file.read(&mut [0]).on("read", &self.path)? == 0;
        let is_sound =
            u64::from_le_bytes(count) == self.count && tail[..32] == hash && tail[32..] == *MAGIC;
        if is_sound && is_end { Ok(()) } else { Err(self.damaged("its checksum is wrong")) }
    }
}

impl<T: DeserializeOwned> Iterator for RecordReader<T> {
    type Item = Result<T, ExtractError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.next_record();
        self.is_done = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}
