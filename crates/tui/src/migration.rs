//! Sessions of an old format version. Appending to one rewrites its file, so the interface asks
//! before it appends, and only then migrates.

use pitree_format::migrate::SourceVersion;
use pitree_session::Session;

/// The old version of a session's file; `None` if appending to it rewrites nothing.
pub(crate) fn old_version(session: &Session) -> Option<u8> {
    match session.source_version() {
        SourceVersion::V1 if session.needs_migration() => Some(1),
        SourceVersion::V2 if session.needs_migration() => Some(2),
        _ => None,
    }
}

/// What the user is asked before the first append to a file of an old version.
pub(crate) fn question(version: u8) -> String {
    format!(
        "This session is in format version {version}. Appending rewrites it as version 3; a \
         backup is kept and `pitree undo` restores it. Migrate?"
    )
}
