//! What is known of the sessions of a shard once they are worked on, in their final order.
//!
//! ```text
//! record   length u32 | postcard of `SessionFacts`
//! …
//! end      0 u32 | number of records u64 | blake3 of everything before | magic
//! ```

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::work_folder::{beside, encoded, persist};
use crate::error::{ExtractError, IoContext};
use crate::output::spool::{Extent, Summary};
use crate::report::LeftOut;

const MAGIC: &[u8; 8] = b"pifacts1";
const TAIL_BYTES: u64 = 8 + 32 + 8;

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionFacts {
    /// Its place in the final order.
    pub(crate) session: usize,
    pub(crate) what: Fact,
}

/// What came of the work on a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fact {
    /// What it gives is there in the pack of the shard.
    Done(Extent, Box<Summary>),
    /// It is not in the data set.
    LeftOut(LeftOut),
    /// Nothing was to be done again.
    Unchanged,
}

/// Writes facts.
pub(crate) struct FactsWriter {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    hasher: blake3::Hasher,
    count: u64,
}

impl FactsWriter {
    /// Begins the file that will be there.
    pub(crate) fn new(path: &Path) -> Result<Self, ExtractError> {
        let file = BufWriter::new(beside(path)?);
        Ok(Self { file, path: path.to_owned(), hasher: blake3::Hasher::new(), count: 0 })
    }

    pub(crate) fn add(&mut self, facts: &SessionFacts) -> Result<(), ExtractError> {
        let record = encoded(facts)?;
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

/// Reads facts one by one. Only when all are read is it known that none is damaged.
pub(crate) struct FactsReader {
    file: BufReader<Reopened>,
    path: PathBuf,
    len: u64,
    hasher: blake3::Hasher,
    count: u64,
    is_done: bool,
}

impl FactsReader {
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
        }))
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

    fn next_facts(&mut self) -> Result<Option<SessionFacts>, ExtractError> {
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

impl Iterator for FactsReader {
    type Item = Result<SessionFacts, ExtractError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.next_facts();
        self.is_done = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back_and_every_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.facts");
        let all: Vec<SessionFacts> = (0..20)
            .map(|session| {
                let what = match session % 3 {
                    0 => Fact::Unchanged,
                    1 => Fact::LeftOut(LeftOut::Unreadable("gone".to_owned())),
                    _ => Fact::Done(Extent::default(), Box::default()),
                };
                SessionFacts { session, what }
            })
            .collect();
        let mut writer = FactsWriter::new(&path).unwrap();
        all.iter().for_each(|facts| writer.add(facts).unwrap());
        assert!(!path.exists(), "it has no name before it is whole");
        writer.finish().unwrap();
        let read = || FactsReader::open(&path).unwrap().unwrap().collect::<Result<Vec<_>, _>>();
        assert_eq!(read().unwrap(), all);
        let whole = fs_err::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for bytes in [&flipped, &whole[..at]] {
                fs_err::write(&path, bytes).unwrap();
                let error = read().unwrap_err().to_string();
                assert!(error.contains("x.facts") && error.contains("run its stage again"), "{at}");
            }
        }
        fs_err::remove_file(&path).unwrap();
        assert!(FactsReader::open(&path).unwrap().is_none());
    }
}
