//! What one session gave, waiting for all others: pieces one after the other, then what is known
//! of its samples.
//!
//! ```text
//! piece    kind u8 | sample u32 | name length u16 | repeats u32 | length u32 | name
//!          | for each repeat: before which byte u32, first byte in this file u64, length u64
//!          | bytes
//! …
//! trailer  postcard of `Summary` | blake3 of everything before | length of the trailer u64 | magic
//! ```
//!
//! A spool without a sound trailer is none: it is what a run that was ended has left behind. Only a
//! spool that later runs may find has a checksum; a run reads back its own without one.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fs_err::File;
use pitree_format::Object;
use pitree_format::js::print;
use pitree_sample::turns::ReplyEnd;
use serde::{Deserialize, Serialize};

use super::file::Hashing;
use super::{Line, Output, Repeat, Target};
use crate::error::{ExtractError, IoContext};
use crate::guard::{Guard, Hit, Seen};
use crate::quality::SampleFacts;
use crate::reason::DropReason;
use crate::reply_keys::ReplyKey;
use crate::report::{OtherRedactions, SessionCounts};

const MAGIC: &[u8; 8] = b"pispool7";

/// Kinds of pieces from here on are rows of tables.
const TABLES_FROM: u8 = 3;

/// The kind of a piece that tells what was redacted.
const REDACTIONS: u8 = u8::MAX;

/// How a line begins that tells what was redacted.
pub(crate) const REDACTION_LINE: &[u8] = b"{\"file\":\"";

/// So many tables can be told apart; the kinds after them are free.
const MOST_TABLES: u8 = 200;

/// No sample: the piece belongs to the session.
const WHOLE_SESSION: u32 = u32::MAX;

/// Length of the trailer, checksum and magic.
const TAIL_BYTES: u64 = 8 + 32 + 8;

/// What is known of a session that was worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Its samples, in order.
    pub(crate) samples: Vec<SampleFacts>,
    /// How many bytes each of them has when it is written.
    pub(crate) sample_bytes: Vec<u64>,
    /// The same for what belongs to the session as a whole.
    pub(crate) session_bytes: u64,
    /// What the card adds up.
    pub(crate) counts: SessionCounts,
    /// Other files that were looked for.
    pub(crate) others: Vec<OtherFile>,
    /// What was redacted in them.
    pub(crate) other_redactions: Vec<OtherRedactions>,
    /// Digests of the secrets that were found in the session and in other files, in order.
    pub(crate) found: Vec<[u8; 16]>,
    /// Digests of the secrets that are hidden wherever they stand in the session, in order.
    pub(crate) known: Vec<[u8; 16]>,
}

/// A file that a session names, and the hash of what it held; `None` if it could not be read.
pub(crate) type OtherFile = (PathBuf, Option<[u8; 32]>);

/// Writes a spool, and looks once more at everything that goes into it.
pub(crate) struct SpoolWriter<'g> {
    file: BufWriter<Hashing>,
    /// How many bytes were written.
    len: u64,
    path: PathBuf,
    summary: Summary,
    current: u32,
    guard: &'g dyn Guard,
    seen: Seen,
    /// The name of a file that was looked at last.
    name: String,
    leak: Option<Hit>,
}

impl<'g> SpoolWriter<'g> {
    /// A spool that later runs may find.
    pub(crate) fn create(path: &Path, guard: &'g dyn Guard) -> Result<Self, ExtractError> {
        Self::with(Hashing::new, path, guard)
    }

    /// A spool that goes with the run.
    pub(crate) fn passing(path: &Path, guard: &'g dyn Guard) -> Result<Self, ExtractError> {
        Self::with(Hashing::without_hash, path, guard)
    }

    fn with(
        hashing: fn(File) -> Hashing,
        path: &Path,
        guard: &'g dyn Guard,
    ) -> Result<Self, ExtractError> {
        let file = hashing(File::create(path).on("write", path)?);
        let file = BufWriter::with_capacity(256 << 10, file);
        Ok(Self {
            file,
            len: 0,
            path: path.to_owned(),
            summary: Summary::default(),
            current: WHOLE_SESSION,
            guard,
            seen: Seen::default(),
            name: String::new(),
            leak: None,
        })
    }

    /// What is counted besides the samples.
    pub(crate) fn counts(&mut self) -> &mut SessionCounts {
        &mut self.summary.counts
    }

    /// Notes other files that the session depends on.
    pub(crate) fn read_also(&mut self, others: Vec<OtherFile>) {
        self.summary.others = others;
    }

    /// Notes which secrets were found, and which are hidden wherever they stand.
    pub(crate) fn secrets(&mut self, found: Vec<[u8; 16]>, known: Vec<[u8; 16]>) {
        (self.summary.found, self.summary.known) = (found, known);
    }

    /// Notes what was redacted in other files.
    pub(crate) fn redacted_also(&mut self, redactions: Vec<OtherRedactions>) {
        self.summary.other_redactions = redactions;
    }

    /// Writes down what was redacted in a file. It is for the user alone and no part of what the
    /// session gives.
    pub(crate) fn redactions(&mut self, path: &Path, hits: &[Hit]) -> Result<(), ExtractError> {
        if hits.is_empty() {
            return Ok(());
        }
        let path = path.to_string_lossy();
        let mut lines = String::new();
        for hit in hits {
            let line = Object::new()
                .with("file", path.as_ref())
                .with("line", hit.line as f64)
                .with("rule", hit.rule.as_str())
                .with("place", hit.place.as_str())
                .with("masked", hit.masked.as_str());
            print(&line.into(), &mut lines);
            lines.push('\n');
        }
        self.current = WHOLE_SESSION;
        let head = self.head_of(REDACTIONS, &path, &[], lines.as_bytes());
        let head = head.ok_or(ExtractError::TooLong)?;
        self.write_piece(&head, lines.as_bytes()).on("write", &self.path).map(|_| ())
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
        let hash = self.file.get_ref().hash();
        self.file.write_all(hash.as_bytes())?;
        self.file.write_all(&(trailer.len() as u64).to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        self.file.flush()
    }

    /// Writes a piece, and gives the place of its text.
    fn write_piece(&mut self, head: &[u8], text: &[u8]) -> io::Result<u64> {
        self.file.write_all(head)?;
        self.file.write_all(text)?;
        let place = self.len + head.len() as u64;
        self.len = place + text.len() as u64;
        Ok(place)
    }

    /// What stands before the text of a piece; `None` if something is too long for it.
    fn head(&self, to: Target<'_>, repeats: &[Repeat], text: &[u8]) -> Option<Vec<u8>> {
        let (kind, name) = match to {
            Target::Data => (0, ""),
            Target::FileLine(name) => (1, name),
            Target::File(name) => (2, name),
            Target::Table(number) if number < MOST_TABLES => (TABLES_FROM + number, ""),
            Target::Table(_) => return None,
        };
        self.head_of(kind, name, repeats, text)
    }

    fn head_of(&self, kind: u8, name: &str, repeats: &[Repeat], text: &[u8]) -> Option<Vec<u8>> {
        let mut head = Vec::with_capacity(HEAD_BYTES + name.len() + repeats.len() * REPEAT_BYTES);
        head.push(kind);
        head.extend_from_slice(&self.current.to_le_bytes());
        head.extend_from_slice(&u16::try_from(name.len()).ok()?.to_le_bytes());
        head.extend_from_slice(&u32::try_from(repeats.len()).ok()?.to_le_bytes());
        head.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
        head.extend_from_slice(name.as_bytes());
        for Repeat { at, from } in repeats {
            head.extend_from_slice(&u32::try_from(*at).ok()?.to_le_bytes());
            head.extend_from_slice(&from.start.to_le_bytes());
            head.extend_from_slice(&(from.end - from.start).to_le_bytes());
        }
        Some(head)
    }

    /// Looks at a piece that is about to be written. Others of the session may say the same.
    fn look_at_whole(&mut self, piece: &[u8]) {
        if self.leak.is_none() {
            self.leak = self.guard.leak(piece, &mut self.seen);
        }
    }

    /// Looks at parts of a line, each of them a value that is printed once. They are looked at one
    /// by one, because a line may be as long as its session.
    fn look_at<'p>(&mut self, parts: impl IntoIterator<Item = &'p [u8]>) {
        for part in parts {
            if self.leak.is_none() {
                self.leak = self.guard.leak(part, &mut Seen::once());
            }
        }
    }

    /// Writes a piece, unless the session is left out, whatever else it has.
    fn put(
        &mut self,
        to: Target<'_>,
        repeats: &[Repeat],
        text: &[u8],
    ) -> Result<u64, ExtractError> {
        if let Target::File(name) | Target::FileLine(name) = to
            && name != self.name
        {
            name.clone_into(&mut self.name);
            self.look_at([name.as_bytes()]);
        }
        if self.leak.is_some() {
            return Ok(0);
        }
        let repeated = repeats.iter().map(|repeat| repeat.from.end - repeat.from.start);
        let bytes = text.len() as u64 + repeated.sum::<u64>() + 1;
        match self.summary.sample_bytes.get_mut(self.current as usize) {
            Some(sum) => *sum += bytes,
            None => self.summary.session_bytes += bytes,
        }
        let head = self.head(to, repeats, text).ok_or(ExtractError::TooLong)?;
        self.write_piece(&head, text).on("write", &self.path)
    }
}

fn too_long(_: std::num::TryFromIntError) -> io::Error {
    io::ErrorKind::FileTooLarge.into()
}

impl Output for SpoolWriter<'_> {
    fn sample(&mut self, facts: SampleFacts) {
        self.current = self.summary.samples.len() as u32;
        self.summary.samples.push(facts);
        self.summary.sample_bytes.push(0);
    }

    fn session(&mut self) {
        self.current = WHOLE_SESSION;
    }

    fn piece(&mut self, to: Target<'_>, bytes: &[u8]) -> Result<(), ExtractError> {
        self.look_at_whole(bytes);
        self.put(to, &[], bytes).map(|_| ())
    }

    fn line(&mut self, to: Target<'_>, line: &Line) -> Result<u64, ExtractError> {
        let text = line.text.as_bytes();
        if line.items.is_empty() && line.repeats.is_empty() {
            self.look_at_whole(text);
        } else {
            self.look_at(line.items.iter().map(|item| &text[item.clone()]));
            self.look_at([line.frame().as_slice()]);
        }
        self.put(to, &line.repeats, text)
    }

    fn left_out(&mut self, reason: DropReason, replies: u64) {
        *self.summary.counts.left_out.entry(reason).or_default() += 1;
        self.replies_left_out(reason, replies);
    }

    fn found(&mut self, replies: u64) {
        self.summary.counts.replies += replies;
    }

    fn replies_left_out(&mut self, reason: DropReason, replies: u64) {
        if replies > 0 {
            let left_out = &mut self.summary.counts.replies_left_out;
            *left_out.entry(reason).or_default() += replies;
        }
    }

    fn copied(&mut self, reply: ReplyKey) {
        self.summary.counts.copies.push(reply);
    }

    fn unfinished(&mut self, end: ReplyEnd, replies: u64) {
        match end {
            ReplyEnd::Whole => {}
            ReplyEnd::Failed => self.summary.counts.failed += replies,
            ReplyEnd::Cut => self.summary.counts.cut_off += replies,
        }
    }
}

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

const HEAD_BYTES: usize = 1 + 4 + 2 + 4 + 4;
const REPEAT_BYTES: usize = 4 + 8 + 8;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Unguarded;

    #[test]
    fn pieces_come_back_for_what_they_were_written_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let mut spool = SpoolWriter::create(&path, &Unguarded).unwrap();
        let targets = [
            Target::Data,
            Target::Table(0),
            Target::Table(MOST_TABLES - 1),
            Target::File("a"),
            Target::FileLine("b"),
        ];
        for target in targets {
            spool.piece(target, b"text").unwrap();
        }
        for number in [MOST_TABLES, 253, u8::MAX] {
            let error = spool.piece(Target::Table(number), b"text").unwrap_err();
            assert!(matches!(error, ExtractError::TooLong), "{error}");
        }
        spool.finish().unwrap();
        let mut spool = Spool::open_checked(&path).unwrap();
        let mut pieces = spool.pieces().unwrap();
        for target in targets {
            let mut text = Vec::new();
            let piece = pieces.next(&mut text).unwrap().unwrap();
            assert_eq!((piece.to, text.as_slice()), (target, &b"text"[..]));
        }
        assert!(pieces.next(&mut Vec::new()).unwrap().is_none());
    }
}
