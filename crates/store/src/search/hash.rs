//! Numbers by which copies of an entry are known. They are kept on disk, so they must be the same
//! in every run.

use pitree_format::Value;

use super::entry_text::EntryText;
use crate::hash::Mixer;

/// Equal for entries with the same id, time and text, as copies in forks have. An entry without an
/// id, as in version 1, is known by its line.
pub(crate) fn entry_key(entry: &Value, text: &EntryText<'_>, line: &[u8]) -> u64 {
    let Some(id) = entry.get_string("id") else { return Mixer::new(9).bytes(line).finish() };
    // Ids are short: two entries that have nothing to do with each other may share one.
    let time = entry.get_string("timestamp").cloned().unwrap_or_default();
    let mixer = Mixer::new(8).bytes(id.as_bytes()).bytes(time.as_bytes());
    text.pieces.iter().fold(mixer, |mixer, piece| mixer.bytes(piece.text.as_bytes())).finish()
}
