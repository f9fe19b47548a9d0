//! The facts of many files: from the cache where a file has not changed.

use std::path::{Path, PathBuf};

use crate::cache::{SessionCache, Table};
use crate::discover::{FileKind, FileStamp, FolderFiles};
use crate::facts::kept::{Shared, facts_from_bytes};
use crate::facts::{FactsResult, NotListed, SessionFacts};
use crate::progress::Listener;
use crate::reading::{GrowthPolicy, ManyFiles, Wanted};
use crate::together::{Row, Together, bring_together, scan_and_load};

/// The facts of many files.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) sessions: Vec<SessionFacts>,
    pub(crate) left_out: Vec<(PathBuf, NotListed)>,
    /// Records of sub-agents, of which there are no facts.
    pub(crate) artifacts: Vec<PathBuf>,
}

impl Facts {
    /// What is known before any file is read. The records of sub-agents are taken out.
    fn of_folders(folders: &mut Vec<FolderFiles>) -> Self {
        let unreadable = FolderFiles::take_unreadable(folders).into_iter();
        let left_out = unreadable.map(|(path, why)| (path, NotListed::Unreadable(why))).collect();
        Self { sessions: Vec::new(), left_out, artifacts: take_artifacts(folders) }
    }

    fn add(&mut self, path: PathBuf, result: FactsResult) {
        match result {
            Ok(facts) => self.sessions.push(SessionFacts { path, ..facts }),
            Err(reason) => self.left_out.push((path, reason)),
        }
    }
}

/// How files are read that the cache does not know.
#[derive(Clone, Copy)]
pub(crate) struct FactsReading<'r> {
    /// In Unix milliseconds, taken before any file was looked at.
    pub(crate) seen_at_ms: i64,
    pub(crate) threads: usize,
    pub(crate) progress: &'r Listener,
    pub(crate) growth: GrowthPolicy,
}

/// The facts of the files that a scan finds below these folders.
pub(crate) fn facts_of(
    scan: impl FnOnce() -> Vec<FolderFiles> + Send,
    below: &[PathBuf],
    mut cache: SessionCache,
    with: &FactsReading<'_>,
) -> Facts {
    let mut shared = Shared::default();
    let decode = |path: &Path, stamp, payload: &[u8]| decode(path, stamp, payload, &mut shared);
    let (mut folders, rows) = scan_and_load((&cache, Table::Facts), below, scan, decode);
    let mut facts = Facts::of_folders(&mut folders);
    let Together { known, to_read, gone } = bring_together(&folders, rows);
    drop(folders);
    let left_out = &mut facts.left_out;
    // Nearly all rows are of sessions, and there may be many: they become the list in place.
    let listed = |row: KnownFacts| match row {
        KnownFacts::Listed(facts) => Some(facts),
        KnownFacts::Not { path, .. } => {
            left_out.push((path, NotListed::NotASession(None)));
            None
        }
    };
    facts.sessions = known.into_iter().filter_map(listed).collect();
    let &FactsReading { seen_at_ms, threads, progress, growth } = with;
    let wanted = Wanted::Facts;
    let many = ManyFiles { cache: &mut cache, seen_at_ms, threads, progress, growth, wanted };
    for (file, read) in many.read(to_read, &gone) {
        facts.add(file.path, read.facts());
    }
    // What is known comes before what was read; the order must not depend on which is which.
    facts.left_out.sort_by(|(a, _), (b, _)| a.cmp(b));
    facts
}

/// The paths of the records of sub-agents, which are taken out.
fn take_artifacts(folders: &mut Vec<FolderFiles>) -> Vec<PathBuf> {
    let folders = folders.extract_if(.., |folder| folder.kind != FileKind::Session);
    let paths = |folder: FolderFiles| -> Vec<PathBuf> {
        folder.iter().map(|(name, _)| folder.folder.join(name)).collect()
    };
    folders.flat_map(paths).collect()
}

/// What the cache has of a file.
#[expect(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
enum KnownFacts {
    Listed(SessionFacts),
    /// It is no session; or, if the row is not sound, nothing is known of it.
    Not {
        path: PathBuf,
        stamp: FileStamp,
        is_sound: bool,
    },
}

fn decode(path: &Path, stamp: FileStamp, payload: &[u8], shared: &mut Shared) -> KnownFacts {
    let path = path.to_owned();
    match facts_from_bytes(stamp, payload, shared) {
        Some(Ok(facts)) => KnownFacts::Listed(SessionFacts { path, ..facts }),
        Some(Err(_)) => KnownFacts::Not { path, stamp, is_sound: true },
        None => KnownFacts::Not { path, stamp, is_sound: false },
    }
}

impl Row for KnownFacts {
    fn path(&self) -> &Path {
        match self {
            Self::Listed(SessionFacts { path, .. }) | Self::Not { path, .. } => path,
        }
    }

    fn stamp(&self) -> FileStamp {
        match self {
            Self::Listed(SessionFacts { stamp, .. }) | Self::Not { stamp, .. } => *stamp,
        }
    }

    fn kind(&self) -> Option<FileKind> {
        // Only sessions have facts.
        match self {
            Self::Not { is_sound: false, .. } => None,
            _ => Some(FileKind::Session),
        }
    }
}
