//! The end of a file, read backwards: the last entries of a 2 GB session in milliseconds.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memrchr;
use pitree_format::EntryKind;
use pitree_format::scan::{Scanned, scan};

use super::lines::MAX_LINE_BYTES;
use crate::error::{IoContext, SessionError};
use crate::session::open_regular;

const BLOCK_BYTES: u64 = 64 << 10;

/// The last entries of a file.
#[derive(Debug)]
pub struct Tail {
    /// The entries, oldest first.
    pub lines: Vec<TailLine>,
    /// Lines between them that are no entries.
    pub skipped: usize,
    /// Whether the first entry of the file is among them.
    pub complete: bool,
}

/// One entry of a tail.
#[derive(Clone, Debug)]
pub struct TailLine {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, without the line feed.
    pub raw: Vec<u8>,
}

/// Reads the last `count` entries of a session file without reading the whole of it.
pub fn read_tail(path: &Path, count: usize) -> Result<Tail, SessionError> {
    let file = open_regular(path)?;
    let len = file.metadata().on("read", path)?.len();
    read_backwards(&file, len, count).on("read", path)
}

fn read_backwards(file: &File, len: u64, count: usize) -> io::Result<Tail> {
    let mut tail = Tail { lines: Vec::new(), skipped: 0, complete: true };
    let mut position = len;
    // The beginning of the window belongs to a line that reaches further back.
    let mut window: Vec<u8> = Vec::new();
    let mut block = BLOCK_BYTES;
    while position > 0 {
        let step = block.min(position);
        position -= step;
        let mut more = vec![0; step as usize];
        file.read_exact_at(&mut more, position)?;
        more.append(&mut window);
        window = more;
        while let Some(at) = memrchr(b'\n', &window) {
            let line = window.split_off(at + 1);
            window.truncate(at);
            take_line(&mut tail, position + at as u64 + 1, line);
            if tail.lines.len() >= count {
                tail.complete = false;
                tail.lines.reverse();
                return Ok(tail);
            }
        }
        // A long line makes the blocks grow, so that it is not copied once for each small one.
        block = (window.len() as u64).clamp(BLOCK_BYTES, MAX_LINE_BYTES);
        if window.len() as u64 > MAX_LINE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line over 512 MiB"));
        }
    }
    take_line(&mut tail, 0, window);
    tail.lines.reverse();
    Ok(tail)
}

fn take_line(tail: &mut Tail, offset: u64, raw: Vec<u8>) {
    match scan(&raw) {
        Scanned::Object(envelope) if envelope.kind() != EntryKind::Session => {
            tail.lines.push(TailLine { offset, raw });
        }
        Scanned::Blank => {}
        Scanned::Object(_) => {}
        _ => tail.skipped += 1,
    }
}
