//! A part of a session: the lines around one of them, read without the rest of a large file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memrchr;
use pitree_format::EntryKind;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_format::scan::{Scanned, scan};

use super::open::READ_ONLY_COPY;
use super::{OpenOptions, Session, open_regular};
use crate::environment::Environment;
use crate::error::{IoContext, Result};
use crate::paths;
use crate::read::{FoundHeader, LineReader, Next, read_header, scan_range};

/// So much is read before a line and behind it.
const AROUND: u64 = 512 << 10;
/// A header is found within so many bytes.
const HEADER_LIMIT: u64 = 1 << 20;

impl Session {
    /// Opens only the lines around the entry whose line begins at `offset`, as if there were no
    /// others: the first of them have no parents. They can only be read. `None` if no entry begins
    /// there, or if the file is one that only somebody who reads all of it understands.
    pub fn open_around(
        path: impl AsRef<Path>,
        offset: u64,
        environment: &Environment,
    ) -> Result<Option<Self>> {
        let path = paths::resolve(path.as_ref(), environment);
        let file = open_regular(&path)?;
        let FoundHeader::Header(header) = read_header(&file, HEADER_LIMIT).on("read", &path)?
        else {
            return Ok(None);
        };
        let Some((from, to)) = lines_around(&file, offset).on("read", &path)? else {
            return Ok(None);
        };
        let version = source_version(&header);
        if version == SourceVersion::V1 {
            return Ok(None);
        }
        let lines = scan_range(&file, from, to, 1).on("read", &path)?;
        let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
        let options = OpenOptions::new();
        let mut part =
            options.assemble(path, directory, file, lines, (header, version), environment);
        part.forbid_writing(READ_ONLY_COPY);
        Ok(Some(part))
    }
}

/// The range of whole lines around the entry that begins at `offset`.
fn lines_around(file: &File, offset: u64) -> io::Result<Option<(u64, u64)>> {
    let len = file.metadata()?.len();
    let mut before = [b'\n'];
    if offset > 0 && offset < len {
        file.read_exact_at(&mut before, offset - 1)?;
    }
    if offset >= len || before != [b'\n'] {
        return Ok(None);
    }
    let end = match LineReader::new(file, offset, len).next_line()? {
        Next::Line { bytes, .. } => match scan(bytes) {
            Scanned::Object(envelope) if envelope.kind() != EntryKind::Session => {
                len.min(offset + bytes.len() as u64 + 1)
            }
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let mut from = offset.saturating_sub(AROUND);
    if from > 0 {
        let mut reader = LineReader::new(file, from - 1, offset);
        reader.skip_line()?;
        from = reader.position();
    }
    let mut behind = vec![0; AROUND.min(len - end) as usize];
    file.read_exact_at(&mut behind, end)?;
    let whole = match memrchr(b'\n', &behind) {
        _ if end + behind.len() as u64 == len => behind.len(),
        Some(last) => last + 1,
        None => 0,
    };
    Ok(Some((from, end + whole as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = 10_000;

    fn entry(at: usize) -> String {
        let parent = at.checked_sub(1).map_or("null".to_owned(), |at| format!("\"{at:08x}\""));
        let entry =
            format!("{{\"type\":\"label\",\"id\":\"{at:08x}\",\"parentId\":{parent},\"x\":\"");
        let filler = "x".repeat(LINE - entry.len() - 3);
        entry + &filler + "\"}\n"
    }

    fn environment() -> Environment {
        Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7))
    }

    #[test]
    fn only_the_lines_around_an_entry_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let header = "{\"type\":\"session\",\"version\":3,\"id\":\"0190\",\"cwd\":\"/srv\"}\n";
        let text = header.to_owned() + &(0..300).map(entry).collect::<String>();
        fs_err::write(&path, &text).unwrap();
        let ids = |at: usize| {
            let offset = (header.len() + at * LINE) as u64;
            let part = Session::open_around(&path, offset, &environment()).unwrap().unwrap();
            assert!(part.entry(format!("{at:08x}").as_str()).is_some(), "{at}");
            let ids: Vec<String> = part.entries().map(|entry| entry.id().to_owned()).collect();
            let last = part.at(part.len() - 1).unwrap();
            assert_eq!(last.raw().unwrap().len(), LINE - 1, "the line is whole");
            assert_eq!(part.active_path().len(), part.len());
            (ids[0].clone(), ids[ids.len() - 1].clone())
        };
        let id = |at: usize| format!("{at:08x}");
        assert_eq!(ids(0), (id(0), id(52)));
        assert_eq!(ids(150), (id(98), id(202)));
        assert_eq!(ids(299), (id(247), id(299)));
        let nowhere = [0, header.len() + 1, header.len() + 300 * LINE, text.len() + 5];
        for offset in nowhere {
            let part = Session::open_around(&path, offset as u64, &environment()).unwrap();
            assert!(part.is_none(), "{offset}");
        }
    }

    #[test]
    fn a_part_cannot_be_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let header = "{\"type\":\"session\",\"version\":3,\"id\":\"0190\",\"cwd\":\"/srv\"}\n";
        fs_err::write(&path, header.to_owned() + &entry(0)).unwrap();
        let offset = header.len() as u64;
        let mut part = Session::open_around(&path, offset, &environment()).unwrap().unwrap();
        let before = fs_err::read(&path).unwrap();
        assert!(part.append_session_info("a name").is_err());
        assert!(part.refresh().is_err());
        assert_eq!(fs_err::read(&path).unwrap(), before);
        let old = header.replace("\"version\":3", "\"version\":1");
        fs_err::write(&path, old + &entry(0)).unwrap();
        assert!(Session::open_around(&path, offset, &environment()).unwrap().is_none());
    }
}
