//! Bytes at the end of a file: written whole and where wanted to the disk, or taken back.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::Durability;
use crate::error::{IoContext, Result, SessionError};

/// Appends bytes to a file of a known size. If that fails, or they cannot be flushed, they are
/// taken back, so that another try does not double them; an error says so where they cannot be.
pub(super) fn append_bytes(
    file: &File,
    path: &Path,
    (size_before, bytes): (u64, &[u8]),
    durability: Durability,
) -> Result<()> {
    write_or_undo(file, size_before, bytes).on("append to", path)?;
    let flushed = match durability {
        Durability::Fast => Ok(()),
        Durability::Durable => file.sync_data(),
    };
    flushed.map_err(|source| match take_back(file, size_before, bytes.len() as u64) {
        Ok(true) => SessionError::Io { action: "flush", path: path.to_owned(), source },
        Ok(false) | Err(_) => unsure(path, "flushed to the disk", source),
    })
}

/// Writes a line to a file that is not there yet.
pub(crate) fn write_line(path: &Path, out: &mut dyn Write, line: &[u8]) -> Result<()> {
    out.write_all(line).and_then(|()| out.write_all(b"\n")).on("write", path)
}

/// The lines are in the file, but this could not be done with them.
pub(crate) fn unsure(path: &Path, action: &'static str, source: io::Error) -> SessionError {
    SessionError::WrittenUnsure { path: path.to_owned(), action, source }
}

/// One write; if it fails half-way, what it wrote is taken back.
fn write_or_undo(file: &File, size_before: u64, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    let mut writer = file;
    while !rest.is_empty() {
        let error = match writer.write(rest) {
            Ok(0) => io::ErrorKind::WriteZero.into(),
            Ok(count) => {
                rest = &rest[count..];
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error,
        };
        take_back(file, size_before, (bytes.len() - rest.len()) as u64)?;
        return Err(error);
    }
    Ok(())
}

/// Cuts off what was written, unless somebody wrote behind it: their line is worth more than a
/// tidy end.
fn take_back(file: &File, size_before: u64, written: u64) -> io::Result<bool> {
    let is_last = written == 0 || file.metadata()?.len() == size_before + written;
    if is_last && written > 0 {
        file.set_len(size_before)?;
    }
    Ok(is_last)
}

/// Cuts bytes off again that were appended to a file that had become shorter.
pub(super) fn remove_from_end(file: &File, size: u64, bytes: &[u8]) -> io::Result<()> {
    let Some(start) = size.checked_sub(bytes.len() as u64) else { return Ok(()) };
    let mut end = vec![0; bytes.len()];
    match file.read_exact_at(&mut end, start) {
        Ok(()) if end == bytes => file.set_len(start),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
        // They went with the part that was cut off.
        _ => Ok(()),
    }
}
