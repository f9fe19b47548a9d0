//! A file of spools, one after the other. A file for each session would cost more than the work on
//! a small one.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use fs_err::File;

use super::{Extent, MAGIC, Summary};
use crate::batch::BatchHasher;
use crate::error::{ExtractError, IoContext};
use crate::output::folder::create_private;

/// Room for pieces on their way into the file. Longer ones go there at once.
const BUFFER_BYTES: usize = 256 << 10;

/// A file of spools that is being written.
pub(crate) struct SpoolFile {
    file: BufWriter<File>,
    path: Arc<Path>,
    len: u64,
    /// Of the spool at hand; `None` if nobody asks for it.
    hasher: Option<BatchHasher>,
}

impl SpoolFile {
    /// A file that goes with the run.
    pub(crate) fn passing(path: &Path) -> Result<Self, ExtractError> {
        let file = create_private(path).on("write", path)?;
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Self { file, path: path.into(), len: 0, hasher: None })
    }

    /// A file that is there, for spools with checksums, which others may read.
    pub(crate) fn over(path: &Path) -> Result<Self, ExtractError> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, File::create(path).on("write", path)?);
        Ok(Self { file, path: path.into(), len: 0, hasher: Some(BatchHasher::default()) })
    }

    pub(crate) fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// How many bytes were written.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Adds bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.len += bytes.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.push(bytes);
        }
        Ok(())
    }

    /// Begins a spool; gives its place.
    pub(super) fn begin(&mut self) -> u64 {
        if let Some(hasher) = &mut self.hasher {
            hasher.finish();
        }
        self.len
    }

    /// What was written from a place on.
    pub(super) fn extent_from(&mut self, offset: u64) -> Extent {
        let hash = self.hasher.as_mut().map(|hasher| *hasher.finish().as_bytes());
        Extent { offset, len: self.len - offset, hash }
    }

    /// Ends a file with one spool: what is known of it, and a checksum of all.
    pub(super) fn end_kept(&mut self, summary: &Summary) -> Result<(), ExtractError> {
        let trailer = postcard::to_stdvec(summary)
            .map_err(|_| ExtractError::Unexpected("the summary of a session cannot be written"))?;
        let path = Arc::clone(&self.path);
        self.put(&trailer).on("write", &path)?;
        let hash = self.hasher.as_mut().map_or([0; 32], |hasher| *hasher.finish().as_bytes());
        let len = (trailer.len() as u64).to_le_bytes();
        [&hash[..], &len, MAGIC].iter().try_for_each(|part| self.put(part)).on("write", &path)?;
        self.flush()
    }

    /// Forgets what was written from a place on: that session is left out.
    pub(crate) fn cut(&mut self, len: u64) -> Result<(), ExtractError> {
        if self.len > len {
            self.flush()?;
            let path = Arc::clone(&self.path);
            let file = self.file.get_mut();
            file.set_len(len).and_then(|()| file.seek(SeekFrom::Start(len))).on("write", &path)?;
            self.len = len;
        }
        Ok(())
    }

    /// Hands everything on to the file, so that it can be read.
    pub(crate) fn flush(&mut self) -> Result<(), ExtractError> {
        self.file.flush().on("write", &self.path)
    }
}
