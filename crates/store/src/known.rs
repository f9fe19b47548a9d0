//! The facts of many files: from the cache where a file has not changed, from its old end where
//! it has grown, from the whole file otherwise.

use std::path::{Path, PathBuf};

use crate::cache::{CachedFile, FileCache, NewRow, kept_stamp};
use crate::discover::{FileKind, FileStamp, FolderFiles, FoundFile};
use crate::facts::kept::{Shared, from_bytes, to_bytes};
use crate::facts::{FactsResult, NotListed, Reading, Rest, SessionFacts, read_grown, read_whole};
use crate::parallel::in_parallel;
use crate::progress::Listener;
use crate::together::{Row, Rows, Together, bring_together, scan_and_load};

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

/// The facts of files, all of which are read.
pub(crate) fn read_facts_of(
    mut folders: Vec<FolderFiles>,
    threads: usize,
    progress: &Listener,
) -> Facts {
    let mut facts = Facts::of_folders(&mut folders);
    let to_read = bring_together(&folders, Rows::<KnownFacts>::none()).to_read;
    let count = progress.begin(to_read.len());
    let read = |(file, _): &(FoundFile, _)| count.after(read_one(file, None));
    let readings = in_parallel(&to_read, threads, size, read);
    for ((file, _), reading) in to_read.into_iter().zip(readings) {
        facts.add(file.path, reading.result);
    }
    facts
}

/// The facts of the files that a scan finds below these folders.
pub(crate) fn facts_of(
    scan: impl FnOnce() -> Vec<FolderFiles> + Send,
    below: &[PathBuf],
    mut cache: FileCache,
    (now, threads): (i64, usize),
    progress: &Listener,
) -> Facts {
    let mut shared = Shared::default();
    let decode = |path: &Path, stamp, payload: &[u8]| decode(path, stamp, payload, &mut shared);
    let (mut folders, rows) = scan_and_load(&cache, below, scan, decode);
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
    let read = read_changed(to_read, &cache, (now, threads), progress, &mut facts);
    cache.update_rows(&read, &gone);
    facts
}

/// Reads what is not known, and gives what to keep of it.
fn read_changed(
    to_read: Vec<(FoundFile, Option<KnownFacts>)>,
    cache: &FileCache,
    (now, threads): (i64, usize),
    progress: &Listener,
    facts: &mut Facts,
) -> Vec<NewRow> {
    let with_prior = |(file, known): (FoundFile, Option<KnownFacts>)| {
        let prior = known.and_then(|known| Prior::of(&file, known, cache));
        (file, prior)
    };
    let to_read: Vec<(FoundFile, Option<Prior>)> = to_read.into_iter().map(with_prior).collect();
    let count = progress.begin(to_read.len());
    let read =
        |(file, prior): &(FoundFile, Option<Prior>)| count.after(read_one(file, prior.as_ref()));
    let readings = in_parallel(&to_read, threads, size, read);
    let mut rows = Vec::with_capacity(readings.len());
    for ((file, _), reading) in to_read.into_iter().zip(readings) {
        if let Some(payload) = to_bytes(&reading.result) {
            let kept = CachedFile { stamp: kept_stamp(reading.stamp, now), payload };
            let more = reading.rest.as_ref().and_then(Rest::to_bytes);
            rows.push(NewRow { path: file.path.clone(), file: kept, more });
        }
        facts.add(file.path, reading.result);
    }
    rows
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
    match from_bytes(stamp, payload, shared) {
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

    fn is_sound(&self) -> bool {
        !matches!(self, Self::Not { is_sound: false, .. })
    }

    fn holds_in(&mut self, _: &FolderFiles) {}
}

/// What was known of a file that has grown.
struct Prior {
    facts: SessionFacts,
    rest: Rest,
}

impl Prior {
    fn of(file: &FoundFile, known: KnownFacts, cache: &FileCache) -> Option<Self> {
        let KnownFacts::Listed(facts) = known else { return None };
        let (then, now) = (facts.stamp, file.stamp);
        if then.identity != now.identity || then.size >= now.size {
            return None;
        }
        let rest = Rest::from_bytes(&cache.more(&file.path)?)?;
        Some(Self { facts, rest })
    }
}

fn size<T>((file, _): &(FoundFile, T)) -> u64 {
    file.stamp.size
}

fn read_one(file: &FoundFile, prior: Option<&Prior>) -> Reading {
    prior
        .and_then(|prior| read_grown(prior.facts.clone(), prior.rest.clone()))
        .unwrap_or_else(|| read_whole(&file.path, file.stamp))
}
