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

mod reader;
mod writer;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::quality::SampleFacts;
use crate::report::{OtherRedactions, SessionCounts};

pub(crate) use reader::Spool;
pub(crate) use writer::SpoolWriter;

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
    use crate::output::{Output, Target};

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
