//! What may be replaced by a file that pitree writes for people: a regular file that is not a
//! session and does not lie among sessions. Every interface asks here, so none can forget a case.

use std::path::Path;

use pitree_format::dialect::LookAlike;
use pitree_format::recognize::Problem;
use pitree_session::location::{Location, sessions_folder_around};
use pitree_session::{Environment, FoundHeader, open_file, read_header};

use crate::error::{ExportError, IoContext};

/// How far a file is read to find out whether it is a session.
const MOST_HEADER_BYTES: u64 = 64 << 20;

/// Makes sure that nothing is lost if a file takes this path: there is nothing yet, or a regular
/// file that is neither a session nor below a folder of sessions. Such folders are the locations
/// that the caller knows, and the user's own.
pub fn ensure_replaceable(
    path: &Path,
    known: &[Location],
    environment: &Environment,
) -> Result<(), ExportError> {
    let metadata = match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.on("access", path)?,
    };
    if !metadata.is_file() {
        return Err(ExportError::NotARegularFile { path: path.to_owned() });
    }
    if sessions_folder_around(path, known, environment).is_some() {
        return Err(ExportError::AmongSessions { path: path.to_owned() });
    }
    if is_session(path)? {
        return Err(ExportError::IsASession { path: path.to_owned() });
    }
    Ok(())
}

/// Whether a file begins as a session does; one that has lost its header begins with an entry.
fn is_session(path: &Path) -> Result<bool, ExportError> {
    let file = open_file(path)?;
    Ok(match read_header(&file, MOST_HEADER_BYTES).on("read", path)? {
        FoundHeader::Header(_) => true,
        FoundHeader::Other { why, .. } => {
            let of_pi = [LookAlike::HeaderlessSession, LookAlike::ForeignMessages];
            why.problem == Problem::NoId || why.looks_like.is_some_and(|kind| of_pi.contains(&kind))
        }
        FoundHeader::Nothing => false,
    })
}
