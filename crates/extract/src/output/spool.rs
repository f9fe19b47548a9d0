//! What one session gave, waiting for all others: pieces one after the other, then what is known
//! of its samples.
//!
//! ```text
//! piece    kind u8 | sample u32 | name length u16 | length u32 | name | bytes
//! …
//! trailer  postcard of `Summary` | blake3 of everything before | length of the trailer u64 | magic
//! ```
//!
//! A spool without a sound trailer is none: it is what a run that was ended has left behind.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use serde::{Deserialize, Serialize};

use super::{Output, Target};
use crate::error::{ExtractError, IoContext};
use crate::guard::{Guard, Hit, Seen};
use crate::quality::SampleFacts;
use crate::report::SessionCounts;

const MAGIC: &[u8; 8] = b"pispool1";

/// No sample: the piece belongs to the session.
const WHOLE_SESSION: u32 = u32::MAX;

/// Length of the trailer, checksum and magic.
const TAIL_BYTES: u64 = 8 + 32 + 8;

/// What is known of a session that was worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Its samples, in order.
    pub(crate) samples: Vec<SampleFacts>,
    /// What the card adds up.
    pub(crate) counts: SessionCounts,
    /// Other files that were read, and the hashes of what they held.
    pub(crate) others: Vec<(PathBuf, [u8; 32])>,
}

/// Writes a spool, and looks once more at everything that goes into it.
pub(crate) struct SpoolWriter<'g> {
    file: BufWriter<Hashing>,
    path: PathBuf,
    summary: Summary,
    current: u32,
    guard: &'g dyn Guard,
    seen: Seen,
    leak: Option<Hit>,
}

/// A file that is hashed while it is written.
struct Hashing {
    file: File,
    hasher: blake3::Hasher,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<'g> SpoolWriter<'g> {
    pub(crate) fn create(path: &Path, guard: &'g dyn Guard) -> Result<Self, ExtractError> {
        let file = File::create(path).on("write", path)?;
        let file = Hashing { file, hasher: blake3::Hasher::new() };
        let file = BufWriter::with_capacity(256 << 10, file);
        Ok(Self {
            file,
            path: path.to_owned(),
            summary: Summary::default(),
            current: WHOLE_SESSION,
            guard,
            seen: Seen::default(),
            leak: None,
        })
    }

    /// What is counted besides the samples.
    pub(crate) fn counts(&mut self) -> &mut SessionCounts {
        &mut self.summary.counts
    }

    /// Notes other files that the session depends on.
    pub(crate) fn read_also(&mut self, others: Vec<(PathBuf, [u8; 32])>) {
        self.summary.others = others;
    }

    /// Ends the spool. With a leak it must not be used.
    pub(crate) fn finish(mut self) -> Result<(Summary, Option<Hit>), ExtractError> {
        let trailer = postcard::to_stdvec(&self.summary)
            .map_err(|_| ExtractError::Unexpected("the summary of a session cannot be written"))?;
        self.end(&trailer).on("write", &self.path)?;
        Ok((self.summary, self.leak))
    }

    fn end(&mut self, trailer: &[u8]) -> io::Result<()> {
        self.file.write_all(trailer)?;
        self.file.flush()?;
        let hash = *self.file.get_ref().hasher.finalize().as_bytes();
        self.file.write_all(&hash)?;
        self.file.write_all(&(trailer.len() as u64).to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        self.file.flush()
    }

    fn write_piece(&mut self, to: Target<'_>, bytes: &[u8]) -> io::Result<()> {
        let (kind, name) = match to {
            Target::Data => (0, ""),
            Target::FileLine(name) => (1, name),
            Target::File(name) => (2, name),
            Target::Table(number) => (3 + number, ""),
        };
        let too_long = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        self.file.write_all(&[kind])?;
        self.file.write_all(&self.current.to_le_bytes())?;
        self.file.write_all(&u16::try_from(name.len()).map_err(too_long)?.to_le_bytes())?;
        self.file.write_all(&u32::try_from(bytes.len()).map_err(too_long)?.to_le_bytes())?;
        self.file.write_all(name.as_bytes())?;
        self.file.write_all(bytes)
    }
}

impl Output for SpoolWriter<'_> {
    fn sample(&mut self, facts: SampleFacts) {
        self.current = self.summary.samples.len() as u32;
        self.summary.samples.push(facts);
    }

    fn session(&mut self) {
        self.current = WHOLE_SESSION;
    }

    fn piece(&mut self, to: Target<'_>, bytes: &[u8]) -> Result<(), ExtractError> {
        if self.leak.is_some() {
            // The session is left out, whatever else it has.
            return Ok(());
        }
        self.leak = self.guard.leak(bytes, &mut self.seen);
        self.write_piece(to, bytes).on("write", &self.path)
    }

    fn left_out(&mut self, reason: &str) {
        *self.summary.counts.left_out.entry(reason.to_owned()).or_default() += 1;
    }
}

/// A piece that was read back.
pub(crate) struct Piece<'a> {
    pub(crate) to: Target<'a>,
    /// The number of its sample; `None` if it belongs to the session.
    pub(crate) sample: Option<usize>,
    pub(crate) bytes: &'a [u8],
}

/// Reads a spool back.
pub(crate) struct Spool {
    file: File,
    end: u64,
    pub(crate) summary: Summary,
}

impl Spool {
    /// Opens a spool; `None` if there is none, or it was not finished.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let len = file.metadata().ok()?.len();
        let mut tail = [0; TAIL_BYTES as usize];
        file.seek(SeekFrom::Start(len.checked_sub(TAIL_BYTES)?)).ok()?;
        file.read_exact(&mut tail).ok()?;
        if tail[40..] != *MAGIC {
            return None;
        }
        let trailer = u64::from_le_bytes(tail[32..40].try_into().ok()?);
        let end = (len - TAIL_BYTES).checked_sub(trailer)?;
        file.seek(SeekFrom::Start(end)).ok()?;
        let mut bytes = vec![0; usize::try_from(trailer).ok()?];
        file.read_exact(&mut bytes).ok()?;
        let summary = postcard::from_bytes(&bytes).ok()?;
        Some(Self { file, end, summary })
    }

    /// The same, after everything in it was compared with its checksum.
    pub(crate) fn open_checked(path: &Path) -> Option<Self> {
        let mut spool = Self::open(path)?;
        let len = spool.file.metadata().ok()?.len() - TAIL_BYTES;
        spool.file.seek(SeekFrom::Start(0)).ok()?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut (&mut spool.file).take(len), &mut hasher).ok()?;
        let mut kept = [0; 32];
        spool.file.read_exact(&mut kept).ok()?;
        (*hasher.finalize().as_bytes() == kept).then_some(spool)
    }

    /// Goes through the pieces.
    pub(crate) fn each(
        &mut self,
        mut see: impl FnMut(Piece<'_>) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let path = self.file.path().to_owned();
        self.file.seek(SeekFrom::Start(0)).on("read", &path)?;
        let mut reader = BufReader::with_capacity(256 << 10, (&mut self.file).take(self.end));
        let (mut name, mut bytes) = (String::new(), Vec::new());
        while let Some(head) = read_head(&mut reader).on("read", &path)? {
            read_body(&mut reader, &head, &mut name, &mut bytes).on("read", &path)?;
            let to = match head.kind {
                0 => Target::Data,
                1 => Target::FileLine(&name),
                2 => Target::File(&name),
                kind => Target::Table(kind - 3),
            };
            let sample = (head.sample != WHOLE_SESSION).then_some(head.sample as usize);
            see(Piece { to, sample, bytes: &bytes })?;
        }
        Ok(())
    }
}

struct Head {
    kind: u8,
    sample: u32,
    name: u16,
    len: u32,
}

fn read_head(reader: &mut impl io::BufRead) -> io::Result<Option<Head>> {
    if reader.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut head = [0; 11];
    reader.read_exact(&mut head)?;
    let [kind, a, b, c, d, e, f, g, h, i, j] = head;
    let sample = u32::from_le_bytes([a, b, c, d]);
    let (name, len) = (u16::from_le_bytes([e, f]), u32::from_le_bytes([g, h, i, j]));
    Ok(Some(Head { kind, sample, name, len }))
}

fn read_body(
    reader: &mut impl Read,
    head: &Head,
    name: &mut String,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    name.clear();
    reader.take(u64::from(head.name)).read_to_string(name)?;
    bytes.clear();
    let read = reader.take(u64::from(head.len)).read_to_end(bytes)?;
    if read == head.len as usize { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
