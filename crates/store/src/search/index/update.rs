//! Bringing the index up to date: what has not changed is not read.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use pitree_session::open_file;
use rusqlite::Transaction;

use super::database::{
    Database, FileRow, KnownFiles, clear, collect_much, files, is_worn, put_entries, put_file,
    remove_entries, remove_file,
};
use super::read::{Batch, Besides, has_only_grown, read_file};
use crate::cache::{NewRow, SessionCache, Table, is_damage, kept_stamp};
use crate::discover::{FoundFile, Unreadable};
use crate::progress::{Count, Listener};
use crate::reading::{AllowedGrowth, prior_of};

/// From this many changed files on, more is collected in memory before it is sorted in.
const MANY: usize = 100;

/// How many parts may wait for being written.
const WAITING: usize = 4;

/// The files of a search, and when they were looked at.
#[derive(Clone, Copy)]
pub(super) struct Seen<'f> {
    pub(super) files: &'f [FoundFile],
    /// In Unix milliseconds, taken before any file was looked at: see [`kept_stamp`].
    pub(super) at_ms: i64,
    pub(super) growth: AllowedGrowth,
    /// Whether anybody still waits; if not, no further file is read.
    pub(super) is_wanted: &'f (dyn Fn() -> bool + Sync),
}

impl Seen<'_> {
    /// Whether a file is left as it is known: nothing or only a little was added to it.
    fn is_good_enough(self, file: &FoundFile, known: &FileRow) -> bool {
        known.stamp == file.stamp
            || (self.growth.allows(known.stamp, file.stamp)
                && known.read > 0
                && open_file(&file.path).is_ok_and(|open| has_only_grown(&open, known, file.stamp)))
    }
}

/// What the index knows after it was brought up to date.
pub(super) struct Refreshed {
    /// What it knows of each file.
    pub(super) rows: Vec<FileRow>,
    /// Files that could not be read, or not to their ends.
    pub(super) unreadable: Vec<Unreadable>,
    /// What a cache is to keep of the files that were read, besides.
    summaries: Vec<NewRow>,
}

/// Brings the index up to date and gives what it knows of each file; `None` if it cannot be had.
///
/// A file that has to be read tells its facts and what was spent, too, if the cache of those does
/// not know them: no file is read once more for them.
pub(super) fn refresh(
    database: &mut Database,
    mut cache: SessionCache,
    seen: Seen<'_>,
    threads: usize,
    progress: &Listener,
) -> Option<Refreshed> {
    let refreshed = match try_refresh(database, &cache, seen, threads, progress) {
        Err(error) if is_damage(&error) => {
            database.rebuild().ok()?;
            try_refresh(database, &cache, seen, threads, progress)
        }
        other => other,
    };
    let refreshed = refreshed.ok()?;
    cache.update(&refreshed.summaries, &[]);
    Some(refreshed)
}

fn try_refresh(
    database: &mut Database,
    cache: &SessionCache,
    seen: Seen<'_>,
    threads: usize,
    progress: &Listener,
) -> rusqlite::Result<Refreshed> {
    let found = seen.files;
    let known = database.files()?;
    if is_fresh(&known, seen) {
        let rows = rows_of(known, seen, HashMap::new());
        return Ok(Refreshed { rows, unreadable: Vec::new(), summaries: Vec::new() });
    }
    database.change(|change| {
        if is_worn(change)? {
            clear(change)?;
        }
        // Somebody else may have been faster.
        let mut known = files(change)?;
        for gone in gone(&known, found) {
            if let Some(row) = known.remove(&gone) {
                remove_file(change, row.number)?;
            }
        }
        number_new_files(&mut known, found);
        let changed: Vec<(usize, FileRow)> = found
            .iter()
            .enumerate()
            .filter_map(|(at, file)| Some((at, known.get(file.path.as_os_str())?.clone())))
            .filter(|(at, row)| !seen.is_good_enough(&found[*at], row))
            .collect();
        if changed.len() >= MANY {
            collect_much(change)?;
        }
        let count = progress.begin(changed.len());
        let besides = |at: usize| besides(&found[at], cache, seen);
        let changed: Vec<Changed> =
            changed.into_iter().map(|(at, row)| (at, row, Mutex::new(besides(at)))).collect();
        let read = read_changed(change, seen, &changed, threads, &count)?;
        // Only now: each of these rows would make the database sort in what it has collected.
        for (at, row) in &read.rows {
            let stamp = kept_stamp(row.stamp, seen.at_ms);
            put_file(change, &found[*at].path, &FileRow { stamp, ..row.clone() })?;
        }
        let Read { rows, unreadable, summaries } = read;
        Ok(Refreshed { rows: rows_of(known, seen, rows), unreadable, summaries })
    })
}

fn is_fresh(known: &KnownFiles, seen: Seen<'_>) -> bool {
    let found = seen.files;
    let fresh = |file: &FoundFile| {
        known.get(file.path.as_os_str()).is_some_and(|row| seen.is_good_enough(file, row))
    };
    found.iter().all(fresh) && (known.len() == found.len() || gone(known, found).is_empty())
}

/// Files that were in one of the folders and are no longer there.
fn gone(known: &KnownFiles, found: &[FoundFile]) -> Vec<OsString> {
    let paths: HashSet<&OsStr> = found.iter().map(|file| file.path.as_os_str()).collect();
    let missing: Vec<&OsString> =
        known.keys().filter(|path| !paths.contains(path.as_os_str())).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let folders: HashSet<&Path> = found.iter().filter_map(|file| file.path.parent()).collect();
    let is_gone =
        |path: &&OsString| Path::new(path).parent().is_some_and(|folder| folders.contains(folder));
    missing.into_iter().filter(is_gone).cloned().collect()
}

/// A row for each file that is not known yet.
fn number_new_files(known: &mut KnownFiles, found: &[FoundFile]) {
    let mut next = known.values().map(|row| row.number).max().unwrap_or(0);
    for file in found {
        known.entry(file.path.clone().into_os_string()).or_insert_with(|| {
            next += 1;
            FileRow::new(next)
        });
    }
}

/// What is known of each of the files, by what was kept and what was read now. One that could not
/// be read counts as no session.
fn rows_of(
    mut known: KnownFiles,
    seen: Seen<'_>,
    mut read: HashMap<usize, FileRow>,
) -> Vec<FileRow> {
    let found = seen.files;
    let row = |(at, file): (usize, &FoundFile)| {
        let kept = || {
            let row = known.remove(file.path.as_os_str());
            row.filter(|row| seen.is_good_enough(file, row))
        };
        read.remove(&at).or_else(kept).unwrap_or(FileRow::new(-1))
    };
    found.iter().enumerate().map(row).collect()
}

/// A file that has changed: its place, what is known of it, and what else to find out.
type Changed = (usize, FileRow, Mutex<Besides>);

/// Whether the cache of facts and spending has to know a file, too.
fn besides(file: &FoundFile, cache: &SessionCache, seen: Seen<'_>) -> Besides {
    let is_known = |table| {
        let known = cache.get(table, &file.path);
        known.is_some_and(|(then, _)| then == file.stamp || seen.growth.allows(then, file.stamp))
    };
    match !cache.is_there() || (is_known(Table::Facts) && is_known(Table::Spend)) {
        true => Besides::Nothing,
        false => Besides::Summary(prior_of(file, cache).map(Box::new), seen.at_ms),
    }
}

/// What came of reading the changed files.
#[derive(Default)]
struct Read {
    rows: HashMap<usize, FileRow>,
    unreadable: Vec<Unreadable>,
    summaries: Vec<NewRow>,
}

/// Reads the changed files on several threads and writes what comes on this one.
fn read_changed(
    change: &Transaction<'_>,
    seen: Seen<'_>,
    changed: &[Changed],
    threads: usize,
    count: &Count<'_>,
) -> rusqlite::Result<Read> {
    let found = seen.files;
    let known: HashMap<usize, &FileRow> = changed.iter().map(|(at, row, _)| (*at, row)).collect();
    let next = AtomicUsize::new(0);
    let work = |sender: &SyncSender<Batch>| {
        while (seen.is_wanted)()
            && let Some((at, row, besides)) = changed.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let mut besides = besides.lock().unwrap_or_else(PoisonError::into_inner);
            let besides = std::mem::replace(&mut *besides, Besides::Nothing);
            read_file((*at, &found[*at]), row, besides, |batch| sender.send(batch).is_ok());
            count.one();
        }
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING);
        for _ in 0..threads.min(changed.len()) {
            let sender = sender.clone();
            let work = &work;
            scope.spawn(move || work(&sender));
        }
        drop(sender);
        let mut read = Read::default();
        // When writing fails, the receiver goes and the readers stop.
        for batch in receiver {
            let Some(before) = known.get(&batch.file) else { continue };
            if let Some(from) = batch.forget_from.filter(|_| !before.is_new()) {
                remove_entries(change, before.number, from)?;
            }
            put_entries(change, before.number, &batch.entries)?;
            read.rows.extend(batch.done.map(|row| (batch.file, row)));
            read.summaries.extend(batch.summary);
            let path = || found[batch.file].path.clone();
            read.unreadable.extend(batch.failure.map(|why| (path(), why)));
        }
        Ok(read)
    })
}
