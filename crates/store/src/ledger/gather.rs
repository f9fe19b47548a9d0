//! Reading what all files record: from the cache where a file has not changed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pitree_session::{SessionError, open_file};

use super::file::{FileLedger, QUARTER_MS, ledger_from_bytes};
use super::merge::{Detail, LedgerFile, Singles, merge};
use super::{Ledger, Selection};
use crate::cache::{Apart, SessionCache, Table};
use crate::discover::{FileKind, FileStamp, FolderFiles, FoundFile, scan};
use crate::list::Store;
use crate::reading::{ManyFiles, Wanted, ledger_of, read_whole};
use crate::reconcile::{Reconciled, Row, reconcile, scan_and_load};

impl Store {
    /// What was spent in all sessions of all locations, with a row for each usage.
    pub fn ledger(&self) -> Ledger {
        self.ledger_with(Singles::All, &[])
    }

    /// The same together with other session files, which may lie anywhere. One that the store has
    /// too, by whatever name, is there once.
    pub fn ledger_and(&self, others: &[PathBuf]) -> Ledger {
        self.ledger_with(Singles::All, others)
    }

    /// What was spent in all sessions of all locations. Only reports of this selection are right:
    /// the rows may be usages of one session, model, purpose and quarter hour added up.
    pub fn ledger_for(&self, selection: &Selection) -> Ledger {
        self.ledger_with(singles_for(selection), &[])
    }

    /// What one session file records, as if it were the only one: answers, tools, summaries and the
    /// runs of its sub-agents. `None` if it is not a session.
    pub fn ledger_of(&self, path: &Path) -> Result<Option<Ledger>, SessionError> {
        let opened = open_file(path)?;
        let Some(stamp) = FileStamp::of_open(&opened) else { return Ok(None) };
        let kind = FileKind::Session;
        let Ok(Some(ledger)) = ledger_of(read_whole(path, kind, stamp)) else { return Ok(None) };
        let source = LedgerFile { path: path.to_owned(), kind, stamp, ledger };
        let detail = Detail { singles: Singles::All, load: &|source| Some(source.ledger.clone()) };
        Ok(Some(merge(vec![source], &self.trust(), detail)))
    }

    fn ledger_with(&self, singles: Singles, others: &[PathBuf]) -> Ledger {
        // Taken before any file is looked at: see `kept_stamp`.
        let now = self.environment.now_ms();
        let mut cache = SessionCache::open(self.cache_directory(), &self.progress);
        let below: Vec<PathBuf> =
            self.locations.iter().map(|location| location.path.clone()).collect();
        let (mut folders, rows) =
            scan_and_load((&cache, Table::Spend), &below, || scan(&self.locations), decode);
        let outside = outside(others, &folders);
        let Reconciled { known, to_read, gone } = reconcile(&folders, rows);
        let mut sources: Vec<LedgerFile> =
            known.into_iter().filter_map(KnownLedger::source).collect();
        let (threads, progress) = (self.threads, &self.progress);
        let (growth, wanted) = (self.growth, Wanted::Spend);
        let many =
            ManyFiles { cache: &mut cache, seen_at_ms: now, threads, progress, growth, wanted };
        let read = many.read(to_read, &gone).into_iter();
        let read = read.map(|(file, read)| (file, ledger_of(*read)));
        // Nothing is kept of what lies outside.
        let outside = outside.into_iter().map(|file| {
            let read = ledger_of(read_whole(&file.path, file.kind, file.stamp));
            (file, read)
        });
        let mut unreadable = FolderFiles::take_unreadable(&mut folders);
        for (file, ledger) in read.chain(outside) {
            match ledger {
                Ok(ledger) => sources.extend(ledger.map(|ledger| source_of(file, ledger))),
                Err(reason) => unreadable.push((file.path, reason)),
            }
        }
        let detail = Detail { singles, load: &|source| load(&cache, source) };
        let mut ledger = merge(sources, &self.trust(), detail);
        unreadable.sort();
        ledger.unreadable = unreadable;
        ledger
    }
}

/// Those of some files that are in none of these folders, each once.
fn outside(files: &[PathBuf], folders: &[FolderFiles]) -> Vec<FoundFile> {
    if files.is_empty() {
        return Vec::new();
    }
    let found = folders.iter().flat_map(FolderFiles::iter);
    let mut seen: HashSet<(u64, u64)> = found.map(|(_, stamp)| stamp.identity).collect();
    let found = files.iter().filter_map(|path| Some((path, FileStamp::of(path)?)));
    found
        .filter(|(_, stamp)| seen.insert(stamp.identity))
        .map(|(path, stamp)| FoundFile {
            path: path.clone(),
            kind: FileKind::Session,
            location: usize::MAX,
            stamp,
        })
        .collect()
}

fn source_of(file: FoundFile, ledger: FileLedger) -> LedgerFile {
    let FoundFile { path, kind, stamp, .. } = file;
    LedgerFile { path, kind, stamp, ledger }
}

/// Which usages a selection has to tell apart: those of a quarter hour that it cuts, or all where
/// days begin within one.
fn singles_for(selection: &Selection) -> Singles {
    if !selection.zone.is_on_quarter_hours() {
        return Singles::All;
    }
    let limits = [selection.since_ms, selection.until_ms].into_iter().flatten();
    let cuts = limits.filter(|limit| limit % QUARTER_MS != 0);
    Singles::Of(cuts.map(|limit| limit.div_euclid(QUARTER_MS)).collect())
}

/// What a file records, with its single usages.
fn load(cache: &SessionCache, source: &LedgerFile) -> Option<FileLedger> {
    let mut ledger = source.ledger.clone();
    if !ledger.has_rows()
        && let Some(rows) = cache.apart(Apart::Usages, &source.path)
    {
        ledger.add_rows(rows);
    }
    if ledger.has_rows() {
        return Some(ledger);
    }
    // What was kept apart is lost, or of another time.
    ledger_of(read_whole(&source.path, source.kind, source.stamp)).ok().flatten()
}

/// What the cache has of a file.
struct KnownLedger {
    path: PathBuf,
    stamp: FileStamp,
    /// What the file was read as, and its ledger if it is a session; `None` for a row that makes
    /// no sense.
    ledger: Option<(FileKind, Option<FileLedger>)>,
}

fn decode(path: &Path, stamp: FileStamp, payload: &[u8]) -> KnownLedger {
    KnownLedger { path: path.to_owned(), stamp, ledger: ledger_from_bytes(payload) }
}

impl KnownLedger {
    fn source(self) -> Option<LedgerFile> {
        let Self { path, stamp, ledger } = self;
        let (kind, ledger) = ledger?;
        Some(LedgerFile { path, kind, stamp, ledger: ledger? })
    }
}

impl Row for KnownLedger {
    fn path(&self) -> &Path {
        &self.path
    }

    fn stamp(&self) -> FileStamp {
        self.stamp
    }

    fn kind(&self) -> Option<FileKind> {
        self.ledger.as_ref().map(|(kind, _)| *kind)
    }
}
