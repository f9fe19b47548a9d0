//! Small JSON files of the user: read whole, with errors that name the place.

use std::io;
use std::path::Path;

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::read_small_file;

use crate::error::HostError;

/// Longer files are no settings.
const MOST_BYTES: u64 = 8 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The bytes of a file without a byte order mark; `None` if there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, HostError> {
    let io_error = |source| HostError::Io { action: "read", path: path.to_owned(), source };
    let original = |error: io::Error| match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    };
    let mut bytes = match read_small_file(path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(original(error))),
    };
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Some(bytes))
}

/// The value in a JSON file; `None` if there is no file or it is empty.
pub(crate) fn read_json(path: &Path) -> Result<Option<Value>, HostError> {
    match read(path)? {
        Some(bytes) if !bytes.is_empty() => parse_json(path, &bytes).map(Some),
        _ => Ok(None),
    }
}

/// Decodes the text of a file; an error names line and column.
pub(crate) fn parse_json(path: &Path, bytes: &[u8]) -> Result<Value, HostError> {
    parse(bytes).map_err(|error| {
        let before = &bytes[..error.at.min(bytes.len())];
        let is_cut_off = bytes[before.len()..].trim_ascii().is_empty();
        let before = if is_cut_off { bytes.trim_ascii_end() } else { before };
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        HostError::NotJson {
            path: path.to_owned(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before.len() - line_start,
            problem: match is_cut_off {
                true => "the JSON is not complete; is a `}` or `]` missing?".to_owned(),
                false => error.problem.to_owned(),
            },
        }
    })
}

/// That a file holds another value than the object that it must hold.
pub(crate) fn not_an_object(path: &Path) -> HostError {
    HostError::NotAnObject { path: path.to_owned() }
}

/// An error about one value of a file.
pub(crate) fn bad_value(path: &Path, place: &str, problem: impl Into<String>) -> HostError {
    HostError::BadValue { path: path.to_owned(), place: place.to_owned(), problem: problem.into() }
}
