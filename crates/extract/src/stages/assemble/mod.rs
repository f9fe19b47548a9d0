//! The pieces of sessions become files.

mod pieces;

use std::path::Path;

use super::decided::{KeptSession, Unit};
use crate::error::ExtractError;
use crate::format::SessionFormat;
use crate::options::ExtractOptions;
use crate::output::{OutputShard, WrittenFile};

pub(crate) use pieces::{KeptSessions, OpenFiles, Reading, each_kept_piece};

/// Writes the files of a shard into a folder.
pub(crate) fn write(
    shard: &OutputShard,
    sessions: KeptSessions<'_>,
    reading: Reading,
    folder: &Path,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
) -> Result<Vec<WrittenFile>, ExtractError> {
    options.go_on()?;
    let mut assembler = format.assembler(folder, shard, &options.guard)?;
    each_kept_piece(sessions, reading, |to, placement, bytes| {
        options.go_on()?;
        assembler.piece(to, placement, bytes)
    })?;
    assembler.finish()
}

/// The sessions of a unit one after the other.
pub(crate) fn in_order<'s>(
    unit: &'s Unit,
    session: impl Fn(usize) -> Result<Option<KeptSession>, ExtractError> + Send + 's,
) -> KeptSessions<'s> {
    Box::new(unit.sessions.iter().filter_map(move |at| session(*at).transpose()))
}
