//! What fuzz targets may reach beyond the public interface.

use std::path::Path;

use crate::guard::Unguarded;
use crate::output::spool::{Spool, SpoolFile, SpoolWriter};
use crate::output::{Output, Target};

/// Reads any bytes as a spool: nothing panics, and nothing is held but what the file has.
pub fn read_any_spool(path: &Path) {
    let _ = Spool::open_checked(path);
    let Some((spool, _)) = Spool::open(path) else { return };
    let _ = spool.each_redactions(|_, _| Ok(()));
    let mut pieces = spool.pieces();
    let mut bytes = Vec::new();
    while let Ok(Some(_)) = pieces.next(&mut bytes) {
        bytes.clear();
    }
}

/// Writes pieces and reads them back: they are the same, in order.
///
/// # Panics
/// Panics if they are not.
pub fn spool_comes_back(path: &Path, pieces: &[&[u8]]) {
    let Ok(mut file) = SpoolFile::over(path) else { return };
    let mut writer = SpoolWriter::begin(&mut file, &Unguarded);
    for piece in pieces {
        assert!(writer.piece(Target::Data, piece).is_ok(), "a piece is written");
    }
    assert!(writer.finish_kept().is_ok(), "a spool is finished");
    let Some((spool, _)) = Spool::open_checked(path) else { panic!("a finished spool is sound") };
    let mut read = spool.pieces();
    for piece in pieces {
        let mut bytes = Vec::new();
        let next = read.next(&mut bytes);
        assert!(matches!(next, Ok(Some(_))) && bytes == *piece, "a piece comes back");
    }
    assert!(matches!(read.next(&mut Vec::new()), Ok(None)), "nothing was added");
}
