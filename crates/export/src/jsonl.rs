//! JSONL: the file itself, or one branch as a session of its own.

use std::io::Write;

use pitree_format::draft::{Dialect, HeaderDraft};
use pitree_format::js::{parse, stringify};
use pitree_session::{LineReader, Next, Session};

use crate::error::{ExportError, IoContext};
use crate::order::Order;
use crate::redact::ExportedSession;
use crate::{Branch, Exported};

/// How much of the file is held while it is copied.
const COPY_BYTES: u64 = 256 << 10;

pub(crate) fn write(
    source: &ExportedSession<'_>,
    branch: Branch,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    let odd_lines = source.odd_lines().count();
    let entries = match branch {
        Branch::All => {
            write_whole(source, out)?;
            source.session().len()
        }
        Branch::Active | Branch::To(_) => write_branch(source, branch, out)?,
    };
    Ok(Exported { entries, odd_lines })
}

/// The session with every line it has, and a header if it has lost its own. A header that comes too
/// late comes first, and a byte order mark before it is left out.
fn write_whole(source: &ExportedSession<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let session = source.session();
    if session.file_len() == 0 {
        return write_memory(source, out);
    }
    if session.is_headerless() {
        write_new_header(source, out)?;
    }
    let late = session.late_header().map(|late| (late.offset, late.offset + late.len));
    if let Some((start, end)) = late {
        out.write_all(&redacted_line(source, &session.file_bytes(start, end - start)?))?;
        out.write_all(b"\n")?;
    }
    if !source.is_plain() {
        return write_redacted(source, late.map(|(start, _)| start), out);
    }
    match late {
        Some((start, end)) => {
            copy_range(session, 0, start, out)?;
            copy_rest(session, end + 1, out)
        }
        None => copy_file(session, out),
    }
}

/// The bytes of the file, without a byte order mark that Pi could not read.
pub(crate) fn copy_file(session: &Session, out: &mut dyn Write) -> Result<(), ExportError> {
    copy_rest(session, session.text_start(), out)
}

/// The bytes of the file from an offset on.
pub(crate) fn copy_rest(
    session: &Session,
    offset: u64,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    copy_range(session, offset, session.file_len(), out)
}

/// The bytes of the file between two offsets.
fn copy_range(
    session: &Session,
    mut offset: u64,
    end: u64,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    while offset < end {
        let bytes = session.file_bytes(offset, COPY_BYTES.min(end - offset))?;
        out.write_all(&bytes)?;
        offset += bytes.len() as u64;
    }
    Ok(())
}

/// A session that has no file yet.
fn write_memory(source: &ExportedSession<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut header = source.session().header_value().clone();
    source.redact_line(&mut header);
    writeln!(out, "{}", stringify(&header))?;
    for entry in source.session().entries() {
        out.write_all(&redacted_line(source, &entry.raw()?))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Every line of the file but the one at this offset, changed by the redactor.
fn write_redacted(
    source: &ExportedSession<'_>,
    without: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let session = source.session();
    let path = session.path().unwrap_or("(memory)".as_ref());
    let file = pitree_session::open_file(path)?;
    let mut reader = LineReader::new(&file, session.text_start(), session.file_len());
    loop {
        let (bytes, terminated) = match reader.next_line().on("read", path)? {
            Next::End => return Ok(()),
            // Longer than can be looked at: nothing of it may go out.
            Next::TooLong { .. } => (&b"\"(a line too long to redact)\""[..], true),
            Next::Line { offset, .. } if without == Some(offset) => continue,
            Next::Line { bytes, terminated, .. } => (bytes, terminated),
        };
        out.write_all(&redacted_line(source, bytes))?;
        if terminated {
            out.write_all(b"\n")?;
        }
    }
}

/// One line, changed by the redactor if there is one. A line that is no JSON is one text.
fn redacted_line(source: &ExportedSession<'_>, raw: &[u8]) -> Vec<u8> {
    if source.is_plain() {
        return raw.to_vec();
    }
    match parse(raw) {
        Ok(mut value) => {
            source.redact_line(&mut value);
            stringify(&value).into_bytes()
        }
        Err(_) => source.text(&String::from_utf8_lossy(raw)).replace('\n', " ").into_bytes(),
    }
}

/// One branch in the form of Pi's `/export FILE.jsonl`: a header with the same id and a new time,
/// and each entry the child of the one before. Nothing else of a line changes.
fn write_branch(
    source: &ExportedSession<'_>,
    branch: Branch,
    out: &mut dyn Write,
) -> Result<usize, ExportError> {
    write_new_header(source, out)?;
    let session = source.session();
    let mut parent: Option<&str> = None;
    let order = Order::new(session, branch);
    for step in order.page() {
        let Some(entry) = session.at(step.entry) else { continue };
        out.write_all(&redacted_line(source, &entry.copied(parent)?))?;
        out.write_all(b"\n")?;
        parent = Some(entry.id());
    }
    Ok(order.len())
}

/// A header with the session's id, or a new one if it has none, and the time of the export.
fn write_new_header(source: &ExportedSession<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let session = source.session();
    let id = match session.id() {
        id if id.is_empty() => session.environment().session_id(),
        id => id,
    };
    let header = HeaderDraft {
        id: &id,
        timestamp: &session.environment().now_iso(),
        cwd: &session.cwd().to_string_lossy(),
        parent_session: None,
        dialect: Dialect::Pi,
    };
    let mut header = header.to_value();
    source.redact_line(&mut header);
    writeln!(out, "{}", stringify(&header))?;
    Ok(())
}
