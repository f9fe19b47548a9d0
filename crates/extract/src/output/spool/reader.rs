//! Reading a spool back: whether it is whole, then one piece after the other. No length in it is
//! believed beyond its end.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fs_err::File;

use super::{
    HEAD_BYTES, MAGIC, REDACTIONS, REPEAT_BYTES, Summary, TABLES_FROM, TAIL_BYTES, WHOLE_SESSION,
};
use crate::error::{ExtractError, IoContext};
use crate::output::Target;

/// What is known of a piece that was read back.
pub(crate) struct SpooledPiece<'a> {
    pub(crate) to: Target<'a>,
    /// The number of its sample; `None` if it belongs to the session.
    pub(crate) sample: Option<usize>,
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

    /// The pieces, from the first one on.
    pub(crate) fn pieces(&mut self) -> Result<SpoolReader<'_>, ExtractError> {
        let path = self.file.path();
        self.file.file().seek(SeekFrom::Start(0)).on("read", path)?;
        Ok(SpoolReader {
            reader: BufReader::with_capacity(256 << 10, self.file.file().take(self.end)),
            file: self.file.file(),
            end: self.end,
            path,
            name: String::new(),
            repeats: Vec::new(),
        })
    }

    /// Goes through what was redacted: the path of a file, and the lines about it.
    pub(crate) fn each_redactions(
        &mut self,
        mut see: impl FnMut(&Path, &[u8]) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let mut pieces = self.pieces()?;
        let mut lines = Vec::new();
        while let Some(head) = pieces.read(&mut lines).on("read", pieces.path)? {
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
pub(crate) struct SpoolReader<'f> {
    reader: BufReader<io::Take<&'f std::fs::File>>,
    /// The same file, for what is repeated.
    file: &'f std::fs::File,
    /// Where the pieces end. No length in a head may reach beyond it.
    end: u64,
    path: &'f Path,
    name: String,
    repeats: Vec<u8>,
}

impl SpoolReader<'_> {
    /// The next piece; its bytes are added to `out`.
    pub(crate) fn next(
        &mut self,
        out: &mut Vec<u8>,
    ) -> Result<Option<SpooledPiece<'_>>, ExtractError> {
        let start = out.len();
        let head = loop {
            let Some(head) = self.read(out).on("read", self.path)? else { return Ok(None) };
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
        if u64::from(head.repeats) * REPEAT_BYTES as u64 > self.end {
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
        if from.checked_add(len).is_none_or(|to| to > self.end) {
            return Err(damaged());
        }
        let start = out.len();
        out.resize(start + usize::try_from(len).map_err(too_long)?, 0);
        self.file.read_exact_at(&mut out[start..], from)
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
