//! Sessions of an old format version. Appending to one rewrites its file, so the interface asks
//! before it appends, and only then migrates.

use std::path::Path;

use pitree_format::Object;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_session::Session;
use pitree_session::location::read_found;

/// The old version of a session's file; `None` if appending to it rewrites nothing.
pub(crate) fn old_version(session: &Session) -> Option<u8> {
    match session.source_version() {
        SourceVersion::V1 if session.needs_migration() => Some(1),
        SourceVersion::V2 if session.needs_migration() => Some(2),
        _ => None,
    }
}

/// The old version that a file's header names, without reading more of it. Pi goes by that too.
pub(crate) fn old_version_of(path: &Path) -> Option<u8> {
    let found = read_found(path).ok().flatten()?;
    let header = Object::new().with_some("version", found.header.version);
    match source_version(&header.into()) {
        SourceVersion::V1 => Some(1),
        SourceVersion::V2 => Some(2),
        SourceVersion::Current => None,
    }
}

/// What the user is asked before the first append to a file of an old version.
pub(crate) fn question(version: u8) -> String {
    format!(
        "This session is in format version {version}. Appending rewrites it as version 3; a \
         backup is kept and `pitree undo` restores it. Migrate?"
    )
}
