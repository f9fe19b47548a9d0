//! Reading back the spools of all sessions: each piece that is kept, in the final order.
//!
//! One thread reads them while another one writes them, in batches that go back and forth.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::ProcessedSessions;
use crate::error::ExtractError;
use crate::output::{Placement, Target};
use crate::quality::Verdict;

/// A batch ends when it has so many bytes.
const BATCH_BYTES: usize = 1 << 20;

/// How many batches there are.
const BATCHES: usize = 3;

/// Pieces of one session that follow one another.
#[derive(Default)]
struct PieceBatch {
    session: usize,
    bytes: Vec<u8>,
    pieces: Vec<KeptPiece>,
}

/// A piece in a batch.
struct KeptPiece {
    to: OwnTarget,
    verdict: Verdict,
    bytes: Range<usize>,
}

/// A [`Target`] with its name.
enum OwnTarget {
    Data,
    Table(u8),
    FileLine(String),
    File(String),
}

/// Goes through all pieces that are kept, in order.
pub(super) fn each_kept_piece(
    processed: &ProcessedSessions<'_>,
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
        let reader = scope.spawn(move || SpoolReader { processed, full, emptied }.read());
        for mut batch in filled {
            let split = processed.decisions.sessions[batch.session].split;
            for KeptPiece { to, verdict, bytes } in batch.pieces.drain(..) {
                let cluster = verdict.cluster.and_then(|place| processed.sample_id(place));
                let placement = Placement { split, cluster, session: batch.session };
                take(to.as_target(), &placement, &batch.bytes[bytes])?;
            }
            // A reader that has come to its end needs no more.
            let _ = empty.send(batch);
        }
        reader.join().unwrap_or(Err(ExtractError::Unexpected("reading pieces back has failed")))
    })
}

/// Reads the pieces back.
struct SpoolReader<'m> {
    processed: &'m ProcessedSessions<'m>,
    full: SyncSender<PieceBatch>,
    emptied: Receiver<PieceBatch>,
}

impl SpoolReader<'_> {
    fn read(self) -> Result<(), ExtractError> {
        let sessions = self.processed.results.iter().zip(&self.processed.decisions.sessions);
        for (session, (result, decision)) in sessions.enumerate() {
            let Some(mut spool) = result.spool()? else { continue };
            let Some(mut batch) = self.next_batch(session) else { return Ok(()) };
            let mut pieces = spool.pieces()?;
            loop {
                let start = batch.bytes.len();
                let Some(piece) = pieces.next(&mut batch.bytes)? else { break };
                let verdict = piece.sample.and_then(|number| decision.samples.get(number));
                let verdict = verdict.copied().unwrap_or_default();
                if verdict.dropped.is_some() {
                    batch.bytes.truncate(start);
                    continue;
                }
                let (to, bytes) = (OwnTarget::of(piece.to), start..batch.bytes.len());
                batch.pieces.push(KeptPiece { to, verdict, bytes });
                if batch.bytes.len() >= BATCH_BYTES && !self.hand_on(&mut batch) {
                    return Ok(());
                }
            }
            // Else the disk would take it for nothing. What is left goes with its folder.
            result.remove_spool();
            if self.full.send(batch).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// An empty batch for the pieces of this session; none if nobody takes them any more.
    fn next_batch(&self, session: usize) -> Option<PieceBatch> {
        let mut batch = self.emptied.recv().ok()?;
        batch.session = session;
        batch.bytes.clear();
        // A long piece is not held in memory for ever.
        batch.bytes.shrink_to(2 * BATCH_BYTES);
        Some(batch)
    }

    /// Hands a batch on and goes on with an empty one; says whether anybody wants it.
    fn hand_on(&self, batch: &mut PieceBatch) -> bool {
        let Some(next) = self.next_batch(batch.session) else { return false };
        self.full.send(std::mem::replace(batch, next)).is_ok()
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
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::worker_pool::SessionResult;
    use super::*;
    use crate::guard::Unguarded;
    use crate::output::Output;
    use crate::output::spool::SpoolWriter;
    use crate::quality::{Families, Quality, decide};
    use crate::sources::Source;
    use pitree_sample::About;

    fn on_processed(check: impl FnOnce(&ProcessedSessions<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        let source = Source { path: PathBuf::new(), about: Arc::new(About::default()) };
        let result = |name: &str, pieces: usize| {
            let path = folder.path().join(name);
            let mut writer = SpoolWriter::create(&path, &Unguarded).unwrap();
            for piece in 0..pieces {
                let text = format!("{name} {piece} ").repeat(20_000);
                writer.piece(Target::FileLine(name), text.as_bytes()).unwrap();
            }
            let (summary, _) = writer.finish().unwrap();
            let found = Some(Box::default());
            let summary = Box::new(summary);
            SessionResult::Done { spool: path, summary, found, is_kept: false }
        };
        let results = vec![result("a", 40), result("none", 0), result("b", 1)];
        let judged = super::super::judged(&[&source, &source, &source], &results);
        let families = Families::of(&judged);
        let decisions = decide(&judged, families, &Quality::default());
        let sources = vec![&source; 3];
        check(&ProcessedSessions { sources, results, decisions, cached: 0, _cache: None });
    }

    #[test]
    fn pieces_come_in_order() {
        on_processed(|processed| {
            let mut seen = Vec::new();
            each_kept_piece(processed, |to, _, bytes| {
                let text = std::str::from_utf8(bytes).unwrap();
                let words: Vec<&str> = text.split(' ').take(2).collect();
                assert_eq!(to, Target::FileLine(words[0]));
                seen.push(words.join(" "));
                Ok(())
            })
            .unwrap();
            let expected = (0..40).map(|piece| format!("a {piece}")).chain(["b 0".to_owned()]);
            assert_eq!(seen, expected.collect::<Vec<_>>());
        });
    }

    #[test]
    fn who_takes_no_more_is_not_waited_for() {
        on_processed(|processed| {
            let mut left = 5;
            let result = each_kept_piece(processed, |_, _, _| {
                left -= 1;
                if left == 0 { Err(ExtractError::Unexpected("enough")) } else { Ok(()) }
            });
            assert!(matches!(result, Err(ExtractError::Unexpected("enough"))));
        });
    }

    #[test]
    fn a_spool_that_is_gone_is_an_error() {
        on_processed(|processed| {
            let SessionResult::Done { spool, .. } = &processed.results[2] else { unreachable!() };
            fs_err::remove_file(spool).unwrap();
            let result = each_kept_piece(processed, |_, _, _| Ok(()));
            assert!(matches!(result, Err(ExtractError::Io { doing: "read back", .. })));
        });
    }
}
