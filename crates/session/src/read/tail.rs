//! The end of a file, read backwards: the last entries of a 2 GB session in milliseconds.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memrchr;
use pitree_format::EntryKind;
use pitree_format::scan::{Scanned, scan};

use super::lines::MAX_LINE_BYTES;
use crate::error::{IoContext, Result};
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
pub fn read_tail(path: &Path, count: usize) -> Result<Tail> {
    let file = open_regular(path)?;
    let len = file.metadata().on("read", path)?.len();
    read_backwards(&file, len, count).on("read", path)
}

fn read_backwards(file: &File, len: u64, count: usize) -> io::Result<Tail> {
    let mut tail = Tail { lines: Vec::new(), skipped: 0, complete: true };
    let mut block = vec![0; BLOCK_BYTES as usize];
    // The line that is looked for ends here; its beginning may lie blocks before.
    let mut line_end = len;
    let mut base = len;
    while base > 0 {
        let step = BLOCK_BYTES.min(base);
        base -= step;
        let block = &mut block[..step as usize];
        file.read_exact_at(block, base)?;
        let mut searched = block.len();
        while let Some(at) = memrchr(b'\n', &block[..searched]) {
            let start = base + at as u64 + 1;
            let inside = (line_end - base) as usize <= block.len();
            if inside {
                take_line(&mut tail, start, block[at + 1..(line_end - base) as usize].to_vec());
            } else {
                read_line(&mut tail, file, start, line_end)?;
            }
            (searched, line_end) = (at, base + at as u64);
            if tail.lines.len() >= count {
                tail.complete = false;
                tail.lines.reverse();
                return Ok(tail);
            }
        }
    }
    read_line(&mut tail, file, 0, line_end)?;
    tail.lines.reverse();
    Ok(tail)
}

/// Reads a line whose ends are known; one that is too long is passed over.
fn read_line(tail: &mut Tail, file: &File, start: u64, end: u64) -> io::Result<()> {
    if end - start > MAX_LINE_BYTES {
        tail.skipped += 1;
        return Ok(());
    }
    let mut raw = vec![0; (end - start) as usize];
    file.read_exact_at(&mut raw, start)?;
    take_line(tail, start, raw);
    Ok(())
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
