//! Reading a spool back: whether it is whole, then one piece after the other. No length in it is
//! believed beyond its end.

use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::{
    Extent, HEAD_BYTES, MAGIC, REDACTIONS, REPEAT_BYTES, Summary, TABLES_FROM, TAIL_BYTES,
    WHOLE_SESSION,
};
use crate::error::{ExtractError, IoContext};
use crate::output::Target;

/// So much is read at once.
const BUFFER_BYTES: u64 = 256 << 10;

/// What is known of a piece that was read back.
pub(crate) struct SpooledPiece<'a> {
    pub(crate) to: Target<'a>,
    /// The number of its sample; `None` if it belongs to the session.
    pub(crate) sample: Option<usize>,
}

/// A file with spools.
#[derive(Clone)]
pub(crate) struct SpoolSource {
    file: Arc<std::fs::File>,
    path: Arc<Path>,
    len: u64,
}

impl SpoolSource {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = fs_err::File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file: Arc::new(file.into()), path: path.into(), len })
    }

    /// The spool that stands there.
    pub(crate) fn spool(&self, extent: &Extent) -> Result<Spool, ExtractError> {
        let Extent { offset, len, .. } = *extent;
        match offset.checked_add(len) {
            Some(end) if end <= self.len => Ok(Spool { source: self.clone(), start: offset, len }),
            _ => Err(damaged()).on("read back", &self.path),
        }
    }

    /// The same, after its bytes were compared with their hash.
    pub(crate) fn checked(&self, extent: &Extent) -> Result<Spool, ExtractError> {
        let spool = self.spool(extent)?;
        if let Some(hash) = extent.hash {
            let mut hasher = blake3::Hasher::new();
            io::copy(&mut spool.bytes(), &mut hasher).on("read back", &self.path)?;
            if *hasher.finalize().as_bytes() != hash {
                return Err(damaged()).on("read back", &self.path);
            }
        }
        Ok(spool)
    }

    /// Gives back the room of a spool that nobody reads any more. Where that cannot be done the
    /// file goes as a whole.
    pub(crate) fn release(&self, extent: &Extent) {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let file = fs_err::File::options().write(true).open(&*self.path);
            let _ = file.map(|file| fallocate(file, hole, extent.offset, extent.len));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = extent;
    }
}

/// Bytes of a file, read by their places, so that several may read it at once.
struct Part {
    file: Arc<std::fs::File>,
    at: u64,
    end: u64,
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        if room == 0 {
            return Ok(0);
        }
        let count = self.file.read_at(&mut buffer[..room], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// A spool in a file.
pub(crate) struct Spool {
    source: SpoolSource,
    start: u64,
    len: u64,
}

impl Spool {
    /// Opens a spool that is alone in its file; `None` if there is none, or it was not finished.
    pub(crate) fn open(path: &Path) -> Option<(Self, Summary)> {
        let source = SpoolSource::open(path).ok()?;
        let mut tail = [0; TAIL_BYTES as usize];
        let before = source.len.checked_sub(TAIL_BYTES)?;
        source.file.read_exact_at(&mut tail, before).ok()?;
        if tail[40..] != *MAGIC {
            return None;
        }
        let trailer = u64::from_le_bytes(tail[32..40].try_into().ok()?);
        let len = before.checked_sub(trailer)?;
        let mut bytes = vec![0; usize::try_from(trailer).ok()?];
        source.file.read_exact_at(&mut bytes, len).ok()?;
        let summary = postcard::from_bytes(&bytes).ok()?;
        Some((Self { source, start: 0, len }, summary))
    }

    /// The same, after everything in it was compared with its checksum.
    pub(crate) fn open_checked(path: &Path) -> Option<(Self, Summary)> {
        let (spool, summary) = Self::open(path)?;
        let len = spool.source.len - TAIL_BYTES;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut Self { len, ..spool.again() }.bytes(), &mut hasher).ok()?;
        let mut kept = [0; 32];
        spool.source.file.read_exact_at(&mut kept, len).ok()?;
        (*hasher.finalize().as_bytes() == kept).then_some((spool, summary))
    }

    fn again(&self) -> Self {
        Self { source: self.source.clone(), ..*self }
    }

    /// Where it stands in its file.
    pub(crate) fn extent(&self) -> Extent {
        Extent { offset: self.start, len: self.len, hash: None }
    }

    fn bytes(&self) -> Part {
        Part { file: Arc::clone(&self.source.file), at: self.start, end: self.start + self.len }
    }

    /// The pieces, from the first one on.
    pub(crate) fn pieces(&self) -> SpoolReader {
        let room = self.len.min(BUFFER_BYTES) as usize;
        SpoolReader {
            reader: BufReader::with_capacity(room, self.bytes()),
            spool: self.again(),
            name: String::new(),
            repeats: Vec::new(),
        }
    }

    /// Goes through what was redacted: the path of a file, and the lines about it.
    pub(crate) fn each_redactions(
        &self,
        mut see: impl FnMut(&Path, &[u8]) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let mut pieces = self.pieces();
        let mut lines = Vec::new();
        while let Some(head) = pieces.read(&mut lines).on("read", &self.source.path)? {
            if head.kind == REDACTIONS {
                see(Path::new(&pieces.name), &lines)?;
            }
            lines.clear();
        }
        Ok(())
    }
}

struct Head {
    kind: u8,
    sample: u32,
    name: u16,
    repeats: u32,
    len: u32,
}

/// Reads one piece after the other.
pub(crate) struct SpoolReader {
    reader: BufReader<Part>,
    /// The same spool, for what is repeated. No length in a head may reach beyond its end.
    spool: Spool,
    name: String,
    repeats: Vec<u8>,
}

impl SpoolReader {
    /// The next piece; its bytes are added to `out`.
    pub(crate) fn next(
        &mut self,
        out: &mut Vec<u8>,
    ) -> Result<Option<SpooledPiece<'_>>, ExtractError> {
        let start = out.len();
        let head = loop {
            let head = self.read(out);
            let Some(head) = head.on("read", &self.spool.source.path)? else { return Ok(None) };
            if head.kind != REDACTIONS {
                break head;
            }
            out.truncate(start);
        };
        let to = match head.kind {
            0 => Target::Data,
            1 => Target::FileLine(&self.name),
            2 => Target::File(&self.name),
            kind => Target::Table(kind - TABLES_FROM),
        };
        let sample = (head.sample != WHOLE_SESSION).then_some(head.sample as usize);
        Ok(Some(SpooledPiece { to, sample }))
    }

    fn read(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Head>> {
        let Some(head) = self.head()? else { return Ok(None) };
        self.name.clear();
        (&mut self.reader).take(u64::from(head.name)).read_to_string(&mut self.name)?;
        if u64::from(head.repeats) * REPEAT_BYTES as u64 > self.spool.len {
            return Err(damaged());
        }
        self.repeats.resize(head.repeats as usize * REPEAT_BYTES, 0);
        self.reader.read_exact(&mut self.repeats)?;
        let mut copied = 0;
        for at in 0..head.repeats as usize {
            let (before, from, len) = repeat(&self.repeats[at * REPEAT_BYTES..])?;
            copied += self.copy(u64::from(before).saturating_sub(copied), out)?;
            self.repeat(from, len, out)?;
        }
        copied += self.copy(u64::from(head.len).saturating_sub(copied), out)?;
        if copied == u64::from(head.len) { Ok(Some(head)) } else { Err(damaged()) }
    }

    fn head(&mut self) -> io::Result<Option<Head>> {
        if io::BufRead::fill_buf(&mut self.reader)?.is_empty() {
            return Ok(None);
        }
        let mut head = [0; HEAD_BYTES];
        self.reader.read_exact(&mut head)?;
        let [kind, a, b, c, d, e, f, g, h, i, j, k, l, m, n] = head;
        Ok(Some(Head {
            kind,
            sample: u32::from_le_bytes([a, b, c, d]),
            name: u16::from_le_bytes([e, f]),
            repeats: u32::from_le_bytes([g, h, i, j]),
            len: u32::from_le_bytes([k, l, m, n]),
        }))
    }

    /// Adds the next bytes of the text.
    fn copy(&mut self, len: u64, out: &mut Vec<u8>) -> io::Result<u64> {
        Ok((&mut self.reader).take(len).read_to_end(out)? as u64)
    }

    /// Adds bytes that stand elsewhere in the file.
    fn repeat(&self, from: u64, len: u64, out: &mut Vec<u8>) -> io::Result<()> {
        if from.checked_add(len).is_none_or(|to| to > self.spool.len) {
            return Err(damaged());
        }
        let start = out.len();
        out.resize(start + usize::try_from(len).map_err(too_long)?, 0);
        self.spool.source.file.read_exact_at(&mut out[start..], self.spool.start + from)
    }
}

/// Before which byte of the text it goes, where it stands, and how long it is.
fn repeat(bytes: &[u8]) -> io::Result<(u32, u64, u64)> {
    let Some((head, _)) = bytes.split_first_chunk::<REPEAT_BYTES>() else { return Err(damaged()) };
    let [a, b, c, d, rest @ ..] = *head;
    let [e, f, g, h, i, j, k, l, rest @ ..] = rest;
    Ok((
        u32::from_le_bytes([a, b, c, d]),
        u64::from_le_bytes([e, f, g, h, i, j, k, l]),
        u64::from_le_bytes(rest),
    ))
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

fn too_long(_: std::num::TryFromIntError) -> io::Error {
    io::ErrorKind::FileTooLarge.into()
}
