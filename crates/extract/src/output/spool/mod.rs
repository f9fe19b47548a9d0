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
//! Many spools stand in one file, one after the other, without trailers: what is known of them is
//! elsewhere. All places in a spool are counted from where it begins.
//!
//! A spool that later runs may find is alone in its file. Without a sound trailer it is none: it is
//! what a run that was ended has left behind. A run reads back its own without a checksum.

mod file;
mod reader;
mod writer;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::quality::SampleFacts;
use crate::report::{OtherRedactions, SessionCounts};

pub(crate) use file::SpoolFile;
pub(crate) use reader::{Spool, SpoolSource};
pub(crate) use writer::{SpoolWriter, Spooled};

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

/// Length of the head of a piece, without its name and repeats, and of one of these.
const HEAD_BYTES: usize = 1 + 4 + 2 + 4 + 4;
const REPEAT_BYTES: usize = 4 + 8 + 8;

/// Length of the trailer, checksum and magic.
const TAIL_BYTES: u64 = 8 + 32 + 8;

/// Where in a file of spools one of them stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// The hash of its bytes, if somebody else is to read it.
    pub(crate) hash: Option<[u8; 32]>,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ExtractError;
    use crate::guard::Unguarded;
    use crate::output::{Line, Output, Repeat, Target};

    #[test]
    fn pieces_come_back_for_what_they_were_written_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let mut file = SpoolFile::over(&path).unwrap();
        let mut spool = SpoolWriter::begin(&mut file, &Unguarded);
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
        spool.finish_kept().unwrap();
        let (spool, _) = Spool::open_checked(&path).unwrap();
        let mut pieces = spool.pieces();
        for target in targets {
            let mut text = Vec::new();
            let piece = pieces.next(&mut text).unwrap().unwrap();
            assert_eq!((piece.to, text.as_slice()), (target, &b"text"[..]));
        }
        assert!(pieces.next(&mut Vec::new()).unwrap().is_none());
    }

    #[test]
    fn many_spools_in_one_file_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pack");
        let mut file = SpoolFile::over(&path).unwrap();
        let mut extents = Vec::new();
        for number in 0..20 {
            let mut spool = SpoolWriter::begin(&mut file, &Unguarded);
            let text = format!("\"{number}\"");
            let line = Line { text: format!("[{text}]"), ..Line::default() };
            let place = spool.line(Target::Data, &line).unwrap();
            let from = place + 1..place + 1 + text.len() as u64;
            let repeats = vec![Repeat { at: 1, from }];
            let line = Line { text: "[]".to_owned(), repeats, items: Vec::new() };
            spool.line(Target::Data, &line).unwrap();
            let extent = spool.finish().extent;
            match number % 3 {
                0 => file.cut(extent.offset).unwrap(),
                _ => extents.push((number, extent)),
            }
        }
        file.flush().unwrap();
        let source = SpoolSource::open(&path).unwrap();
        for (number, extent) in extents.iter().rev() {
            let mut pieces = source.checked(extent).unwrap().pieces();
            for _ in 0..2 {
                let mut text = Vec::new();
                pieces.next(&mut text).unwrap().unwrap();
                assert_eq!(text, format!("[\"{number}\"]").as_bytes());
            }
            assert!(pieces.next(&mut Vec::new()).unwrap().is_none());
        }
        // Whatever is damaged is told by the file, and nothing beyond its end is read.
        let mut bytes = fs_err::read(&path).unwrap();
        let (_, last) = extents[extents.len() - 1];
        bytes[last.offset as usize + 17] ^= 1;
        fs_err::write(&path, &bytes).unwrap();
        let refused = |extent: &Extent| {
            let error = SpoolSource::open(&path).unwrap().checked(extent).err().unwrap();
            assert!(error.to_string().contains("pack"), "{error}");
        };
        refused(&last);
        refused(&Extent { len: u64::MAX, ..last });
        refused(&Extent { offset: u64::MAX, ..last });
        bytes.truncate(bytes.len() - 1);
        fs_err::write(&path, bytes).unwrap();
        refused(&last);
    }
}
