//! Bringing the index up to date: what has not changed is not read.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use rusqlite::Transaction;

use super::database::{
    Database, FileRow, KnownFiles, clear, collect_much, files, is_worn, put_entries, put_file,
    remove_entries, remove_file,
};
use super::read::{Batch, read_file};
use crate::cache::{is_damage, kept_stamp};
use crate::discover::{FoundFile, Unreadable};
use crate::progress::{Count, Listener};

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
}

/// What the index knows after it was brought up to date.
pub(super) struct Refreshed {
    /// What it knows of each file.
    pub(super) rows: Vec<FileRow>,
    /// Files that could not be read, or not to their ends.
    pub(super) unreadable: Vec<Unreadable>,
}

/// Brings the index up to date and gives what it knows of each file; `None` if it cannot be had.
pub(super) fn refresh(
    database: &mut Database,
    seen: Seen<'_>,
    threads: usize,
    progress: &Listener,
) -> Option<Refreshed> {
    match try_refresh(database, seen, threads, progress) {
        Err(error) if is_damage(&error) => {
            database.rebuild().ok()?;
            try_refresh(database, seen, threads, progress).ok()
        }
        other => other.ok(),
    }
}

fn try_refresh(
    database: &mut Database,
    seen: Seen<'_>,
    threads: usize,
    progress: &Listener,
) -> rusqlite::Result<Refreshed> {
    let found = seen.files;
    let known = database.files()?;
    if is_fresh(&known, found) {
        return Ok(Refreshed {
            rows: rows_of(known, found, HashMap::new()),
            unreadable: Vec::new(),
        });
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
            .filter(|(at, row)| row.stamp != found[*at].stamp)
            .collect();
        if changed.len() >= MANY {
            collect_much(change)?;
        }
        let count = progress.begin(changed.len());
        let (read, unreadable) = read_changed(change, found, &changed, threads, &count)?;
        // Only now: each of these rows would make the database sort in what it has collected.
        for (at, row) in &read {
            let stamp = kept_stamp(row.stamp, seen.at_ms);
            put_file(change, &found[*at].path, &FileRow { stamp, ..row.clone() })?;
        }
        Ok(Refreshed { rows: rows_of(known, found, read), unreadable })
    })
}

fn is_fresh(known: &KnownFiles, found: &[FoundFile]) -> bool {
    let fresh = |file: &FoundFile| {
        known.get(file.path.as_os_str()).is_some_and(|row| row.stamp == file.stamp)
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
    found: &[FoundFile],
    mut read: HashMap<usize, FileRow>,
) -> Vec<FileRow> {
    let row = |(at, file): (usize, &FoundFile)| {
        let kept = || known.remove(file.path.as_os_str()).filter(|row| row.stamp == file.stamp);
        read.remove(&at).or_else(kept).unwrap_or(FileRow::new(-1))
    };
    found.iter().enumerate().map(row).collect()
}

/// Reads the changed files on several threads and writes what comes on this one.
fn read_changed(
    change: &Transaction<'_>,
    found: &[FoundFile],
    changed: &[(usize, FileRow)],
    threads: usize,
    count: &Count<'_>,
) -> rusqlite::Result<(HashMap<usize, FileRow>, Vec<Unreadable>)> {
    let known: HashMap<usize, &FileRow> = changed.iter().map(|(at, row)| (*at, row)).collect();
    let next = AtomicUsize::new(0);
    let work = |sender: &SyncSender<Batch>| {
        while let Some((at, row)) = changed.get(next.fetch_add(1, Ordering::Relaxed)) {
            read_file((*at, &found[*at]), row, |batch| sender.send(batch).is_ok());
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
        let (mut done, mut unreadable) = (HashMap::new(), Vec::new());
        // When writing fails, the receiver goes and the readers stop.
        for batch in receiver {
            let Some(before) = known.get(&batch.file) else { continue };
            if let Some(from) = batch.forget_from.filter(|_| !before.is_new()) {
                remove_entries(change, before.number, from)?;
            }
            put_entries(change, before.number, &batch.entries)?;
            done.extend(batch.done.map(|row| (batch.file, row)));
            let path = || found[batch.file].path.clone();
            unreadable.extend(batch.failure.map(|why| (path(), why)));
        }
        Ok((done, unreadable))
    })
}
