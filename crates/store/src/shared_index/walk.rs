//! The files that the Rust port would look at: everything below the root.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::discover::{ARTIFACTS, FileStamp};

/// What lies below a sessions root.
#[derive(Default)]
pub(crate) struct Walked {
    /// Session files.
    pub(crate) sessions: Vec<(PathBuf, FileStamp)>,
    /// Sessions that the port keeps in databases of their own.
    pub(crate) databases: HashSet<PathBuf>,
    /// Whether every folder could be read.
    pub(crate) complete: bool,
}

/// Looks through a sessions root. Links to folders and the port's `.v2` folders are passed over,
/// as by the port; so are the records of sub-agents, which belong to their parents.
pub(crate) fn walk(root: &Path) -> Walked {
    let mut walked = Walked { complete: true, ..Walked::default() };
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else {
            walked.complete = false;
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if is_folder {
                if !name.ends_with(".v2") && name != ARTIFACTS {
                    open.push(path);
                }
            } else if name.starts_with("session-index.") {
                continue;
            } else if name.ends_with(".jsonl") {
                walked.sessions.extend(FileStamp::of(&path).map(|stamp| (path, stamp)));
            } else if name.ends_with(".sqlite") && path.is_file() {
                walked.databases.insert(path);
            }
        }
    }
    walked.sessions.sort_by(|a, b| a.0.cmp(&b.0));
    walked
}
