//! Reading back the spools of sessions: each piece that is kept, in the final order.
//!
//! One thread reads them while another one writes them, in batches that go back and forth.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::error::{ExtractError, IoContext};
use crate::output::spool::SpoolSource;
use crate::output::{Placement, Target};
use crate::quality::Split;
use crate::stages::decided::KeptSession;

/// A batch ends when it has so many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// How many batches there are.
const BATCHES: usize = 3;

/// So many files of spools are held open.
const MOST_OPEN: usize = 64;

/// The room of smaller spools is not worth giving back one by one.
const LEAST_RELEASED: u64 = 256 << 10;

/// Sessions as they are read back one by one.
pub(crate) type KeptSessions<'s> =
    Box<dyn Iterator<Item = Result<KeptSession, ExtractError>> + Send + 's>;

/// How spools are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Once, by the run that has written them: what was read is not needed any more.
    Once,
    /// Others may read them, too, and others may have written them.
    Shared,
}

/// Pieces that follow one another.
#[derive(Default)]
struct PieceBatch {
    bytes: Vec<u8>,
    pieces: Vec<KeptPiece>,
}

/// A piece in a batch.
struct KeptPiece {
    to: OwnTarget,
    session: usize,
    split: Split,
    cluster: Option<String>,
    bytes: Range<usize>,
}

/// A [`Target`] with its name.
enum OwnTarget {
    Data,
    Table(u8),
    FileLine(String),
    File(String),
}

/// Goes through all pieces of these sessions that are kept, in order.
pub(crate) fn each_kept_piece(
    sessions: KeptSessions<'_>,
    reading: Reading,
    mut take: impl FnMut(Target<'_>, &Placement<'_>, &[u8]) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    let (full, filled) = sync_channel(BATCHES);
    let (empty, emptied) = sync_channel(BATCHES);
    for _ in 0..BATCHES {
        // Nobody has left yet.
        let _ = empty.send(PieceBatch::default());
    }
    // Who goes away early takes both ends along, so that the other one does not wait.
    std::thread::scope(move |scope| {
        let reader = PieceReader { reading, open: OpenFiles::default(), full, emptied };
        let reader = scope.spawn(move || reader.read(sessions));
        for mut batch in filled {
            for piece in batch.pieces.drain(..) {
                let KeptPiece { to, session, split, cluster, bytes } = piece;
                let placement = Placement { split, cluster: cluster.as_deref(), session };
                take(to.as_target(), &placement, &batch.bytes[bytes])?;
            }
            // A reader that has come to its end needs no more.
            let _ = empty.send(batch);
        }
        reader.join().unwrap_or(Err(ExtractError::Unexpected("reading pieces back has failed")))
    })
}

/// Reads the pieces back.
struct PieceReader {
    reading: Reading,
    open: OpenFiles,
    full: SyncSender<PieceBatch>,
    emptied: Receiver<PieceBatch>,
}

impl PieceReader {
    fn read(mut self, sessions: KeptSessions<'_>) -> Result<(), ExtractError> {
        let Some(mut batch) = self.next_batch() else { return Ok(()) };
        for session in sessions {
            if !self.session(&session?, &mut batch)? {
                return Ok(());
            }
        }
        // Who is gone wants no more.
        let _ = self.full.send(batch);
        Ok(())
    }

    /// Reads the pieces of a session; says whether anybody wants more.
    fn session(
        &mut self,
        session: &KeptSession,
        batch: &mut PieceBatch,
    ) -> Result<bool, ExtractError> {
        let place = &session.place;
        let source = self.open.get(&place.file)?;
        let spool = match self.reading {
            Reading::Once => source.spool(&place.extent)?,
            Reading::Shared => source.checked(&place.extent)?,
        };
        let mut pieces = spool.pieces();
        loop {
            let start = batch.bytes.len();
            let Some(piece) = pieces.next(&mut batch.bytes)? else { break };
            let fate = piece.sample.and_then(|number| session.samples.get(number));
            if fate.is_some_and(|fate| fate.is_dropped) {
                batch.bytes.truncate(start);
                continue;
            }
            let to = OwnTarget::of(piece.to);
            let cluster = fate.and_then(|fate| fate.cluster.clone());
            let bytes = start..batch.bytes.len();
            let (number, split) = (session.number, session.split);
            batch.pieces.push(KeptPiece { to, session: number, split, cluster, bytes });
            if batch.bytes.len() >= BATCH_BYTES && !self.hand_on(batch) {
                return Ok(false);
            }
        }
        if self.reading == Reading::Once && !place.is_kept {
            // Else the disk would take it for nothing. What is left goes with its folder.
            if place.is_alone {
                let _ = fs_err::remove_file(&place.file);
            } else if place.extent.len >= LEAST_RELEASED {
                source.release(&place.extent);
            }
        }
        Ok(true)
    }

    /// An empty batch; none if nobody takes them any more.
    fn next_batch(&self) -> Option<PieceBatch> {
        let mut batch = self.emptied.recv().ok()?;
        batch.bytes.clear();
        // A long piece is not held in memory for ever.
        batch.bytes.shrink_to(2 * BATCH_BYTES);
        Some(batch)
    }

    /// Hands a batch on and goes on with an empty one; says whether anybody wants it.
    fn hand_on(&self, batch: &mut PieceBatch) -> bool {
        let Some(next) = self.next_batch() else { return false };
        self.full.send(std::mem::replace(batch, next)).is_ok()
    }
}

/// Files of spools that are being read.
#[derive(Default)]
pub(crate) struct OpenFiles {
    open: HashMap<Arc<Path>, SpoolSource>,
}

impl OpenFiles {
    pub(crate) fn get(&mut self, path: &Arc<Path>) -> Result<SpoolSource, ExtractError> {
        if let Some(source) = self.open.get(path) {
            return Ok(source.clone());
        }
        if self.open.len() >= MOST_OPEN {
            self.open.clear();
        }
        let source = SpoolSource::open(path).on("read back", path)?;
        self.open.insert(Arc::clone(path), source.clone());
        Ok(source)
    }
}

impl OwnTarget {
    fn of(target: Target<'_>) -> Self {
        match target {
            Target::Data => Self::Data,
            Target::Table(number) => Self::Table(number),
            Target::FileLine(name) => Self::FileLine(name.to_owned()),
            Target::File(name) => Self::File(name.to_owned()),
        }
    }

    fn as_target(&self) -> Target<'_> {
        match self {
            Self::Data => Target::Data,
            Self::Table(number) => Target::Table(*number),
            Self::FileLine(name) => Target::FileLine(name),
            Self::File(name) => Target::File(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Unguarded;
    use crate::output::Output;
    use crate::output::spool::{SpoolFile, SpoolWriter};
    use crate::stages::session::SpoolPlace;

    /// Three sessions in one file: with 40 pieces, with none, and with one.
    fn sessions(folder: &Path) -> Vec<KeptSession> {
        let mut file = SpoolFile::over(&folder.join("pack")).unwrap();
        let session = |(number, (name, pieces)): (usize, (&str, usize))| {
            let mut writer = SpoolWriter::begin(&mut file, &Unguarded);
            for piece in 0..pieces {
                let text = format!("{name} {piece} ").repeat(20_000);
                writer.piece(Target::FileLine(name), text.as_bytes()).unwrap();
            }
            let extent = writer.finish().extent;
            let own = Arc::clone(file.path());
            let place = SpoolPlace { file: own, extent, is_kept: false, is_alone: false };
            KeptSession { number, place, split: Split::All, samples: Vec::new() }
        };
        let made = [("a", 40), ("none", 0), ("b", 1)];
        let sessions = made.into_iter().enumerate().map(session).collect();
        file.flush().unwrap();
        sessions
    }

    fn each(
        sessions: &[KeptSession],
        reading: Reading,
        take: impl FnMut(Target<'_>, &Placement<'_>, &[u8]) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        each_kept_piece(Box::new(sessions.iter().cloned().map(Ok)), reading, take)
    }

    #[test]
    fn pieces_come_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = sessions(folder.path());
        for reading in [Reading::Shared, Reading::Shared, Reading::Once] {
            let mut seen = Vec::new();
            each(&sessions, reading, |to, place, bytes| {
                let text = std::str::from_utf8(bytes).unwrap();
                let words: Vec<&str> = text.split(' ').take(2).collect();
                assert_eq!(to, Target::FileLine(words[0]));
                assert_eq!(place.session, if words[0] == "a" { 0 } else { 2 });
                seen.push(words.join(" "));
                Ok(())
            })
            .unwrap();
            let expected = (0..40).map(|piece| format!("a {piece}")).chain(["b 0".to_owned()]);
            assert_eq!(seen, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn who_takes_no_more_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut left = 5;
        let result = each(&sessions(folder.path()), Reading::Shared, |_, _, _| {
            left -= 1;
            if left == 0 { Err(ExtractError::Unexpected("enough")) } else { Ok(()) }
        });
        assert!(matches!(result, Err(ExtractError::Unexpected("enough"))));
    }

    #[test]
    fn a_spool_that_is_gone_or_damaged_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = sessions(folder.path());
        let path = &*sessions[0].place.file;
        let fails = || {
            let result = each(&sessions, Reading::Shared, |_, _, _| Ok(()));
            assert!(matches!(result, Err(ExtractError::Io { doing: "read back", .. })));
        };
        let mut bytes = fs_err::read(path).unwrap();
        bytes[99] ^= 1;
        fs_err::write(path, bytes).unwrap();
        fails();
        fs_err::remove_file(path).unwrap();
        fails();
    }
}
