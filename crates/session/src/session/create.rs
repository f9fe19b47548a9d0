//! New sessions.

use std::path::Path;
use std::sync::OnceLock;

use pitree_format::draft::{Dialect, HeaderDraft};
use pitree_format::migrate::SourceVersion;

use super::{HeaderLine, Session, Storage};
use crate::environment::Environment;
use crate::paths;
use crate::table::EntryTable;

impl Session {
    /// A session that is never written to a file. Pi's `SessionManager.inMemory`.
    pub fn in_memory(cwd: &Path, environment: &Environment) -> Self {
        let cwd = paths::resolve(cwd, environment);
        let header = HeaderDraft {
            id: &environment.session_id(),
            timestamp: &environment.now_iso(),
            cwd: &cwd.to_string_lossy(),
            parent_session: None,
            dialect: Dialect::Pi,
        };
        Self {
            environment: environment.clone(),
            storage: Storage::Memory,
            header: HeaderLine::new(header.to_value()),
            cwd,
            table: EntryTable::default(),
            odd_lines: Vec::new(),
            version: SourceVersion::Current,
            leaf: None,
            labels: OnceLock::new(),
        }
    }
}
