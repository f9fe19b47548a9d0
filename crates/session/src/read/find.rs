//! Finding the line of one entry in a file without making a table of all of them.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem::Finder;
use pitree_format::EntryKind;
use pitree_format::scan::{Scanned, scan};

use super::lines::Next;
use super::{SEGMENT_BYTES, segment_reader, text_field};
use crate::error::{IoContext, Result};
use crate::parallel::{in_parallel, usual_threads};
use crate::session::open_regular;

/// Where the first line begins that is an entry whose id is this or begins with it. An id that is
/// written with escapes is not found.
pub fn find_entry(path: &Path, id: &str) -> Result<Option<u64>> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'/');
    let file = open_regular(path)?;
    if id.is_empty() || !id.bytes().all(is_plain) {
        return Ok(None);
    }
    let len = file.metadata().on("read", path)?.len();
    find_in(&file, len, id).on("read", path)
}

fn find_in(file: &File, len: u64, id: &str) -> io::Result<Option<u64>> {
    let quoted = format!("\"{id}");
    let finder = Finder::new(&quoted);
    let first = AtomicU64::new(u64::MAX);
    let segments: Vec<u64> = (0..len.div_ceil(SEGMENT_BYTES)).collect();
    let search = |start: u64| {
        let stop = (start + SEGMENT_BYTES).min(len);
        let Some(mut reader) = segment_reader(file, start, stop, len, start == 0)? else {
            return Ok(());
        };
        // Nothing behind what was found is of interest.
        while reader.position() < stop && reader.position() < first.load(Ordering::Relaxed) {
            match reader.next_line()? {
                Next::End => break,
                Next::Line { offset, bytes, .. } => {
                    if finder.find(bytes).is_some() && has_id(bytes, id) {
                        first.fetch_min(offset, Ordering::Relaxed);
                        break;
                    }
                }
                Next::TooLong { .. } => {}
            }
        }
        Ok(())
    };
    let searched = in_parallel(&segments, usual_threads(), |_| 0, |at| search(at * SEGMENT_BYTES));
    searched.into_iter().collect::<io::Result<()>>()?;
    Ok(Some(first.into_inner()).filter(|at| *at < u64::MAX))
}

fn has_id(line: &[u8], wanted: &str) -> bool {
    match scan(line) {
        Scanned::Object(envelope) if envelope.kind() != EntryKind::Session => {
            text_field(&envelope.id).is_some_and(|id| id.starts_with(wanted))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of many segments, some longer than a segment, with ids that others mention.
    fn file() -> (tempfile::TempDir, std::path::PathBuf, Vec<(String, u64)>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut text = String::from("{\"type\":\"session\",\"id\":\"000000aa\"}\n");
        let mut places = Vec::new();
        for at in 0..40u64 {
            let (id, length) = (format!("{at:06}ff"), if at % 9 == 0 { 5 << 20 } else { 300_000 });
            let next = format!("{:06}ff", at + 1);
            places.push((id.clone(), text.len() as u64));
            let filler = "x".repeat(length);
            text += &format!(
                "{{\"type\":\"custom\",\"data\":[\"{next}\",\"{filler}\",\"{next}\"],\"id\":\"{id}\"}}\n"
            );
        }
        fs_err::write(&path, text).unwrap();
        (folder, path, places)
    }

    #[test]
    fn an_entry_is_found_by_its_id_and_not_where_it_is_mentioned() {
        let (_folder, path, places) = file();
        for (id, place) in &places {
            assert_eq!(find_entry(&path, id).unwrap(), Some(*place), "{id}");
            assert_eq!(find_entry(&path, &id[..6]).unwrap(), Some(*place), "{id}");
        }
        assert_eq!(find_entry(&path, "0000").unwrap(), Some(places[0].1), "the first of many");
        for nothing in ["000040ff", "000000aa", "", "\"", "é", "x"] {
            assert_eq!(find_entry(&path, nothing).unwrap(), None, "{nothing}");
        }
        assert!(find_entry(&path.with_extension("gone"), "000001ff").is_err());
    }
}
