//! The facts of many files: from the cache where a file has not changed, from its old end where
//! it has grown, from the whole file otherwise.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cache::{CachedFile, FileCache, NewRow, kept_stamp};
use crate::discover::{FileStamp, FoundFile};
use crate::facts::kept::{from_bytes, to_bytes};
use crate::facts::{FactsResult, NotListed, Reading, Rest, SessionFacts, read_grown, read_whole};
use crate::progress::{Count, Listener};

/// What was known of a file that has grown.
struct Prior {
    facts: SessionFacts,
    rest: Rest,
}

/// The facts of many files.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) sessions: Vec<SessionFacts>,
    pub(crate) left_out: Vec<(PathBuf, NotListed)>,
}

impl Facts {
    fn add(&mut self, path: PathBuf, result: FactsResult) {
        match result {
            Ok(facts) => self.sessions.push(SessionFacts { path, ..facts }),
            Err(reason) => self.left_out.push((path, reason)),
        }
    }
}

/// The facts of files, all of which are read.
pub(crate) fn read_facts_of(files: Vec<FoundFile>, threads: usize, progress: &Listener) -> Facts {
    let mut facts = Facts::default();
    let readings = read_parallel(&files, &[], threads, &progress.begin(files.len()));
    for (file, reading) in files.into_iter().zip(readings) {
        facts.add(file.path, reading.result);
    }
    facts
}

/// The facts of files that lie below these folders.
pub(crate) fn facts_of(
    files: Vec<FoundFile>,
    folders: &[PathBuf],
    mut cache: FileCache,
    (now, threads): (i64, usize),
    progress: &Listener,
) -> Facts {
    let mut known = Known::new(files);
    for folder in outermost(folders) {
        known.next = 0;
        cache.each(folder, |path, stamp, payload| known.row(path, stamp, payload));
    }
    let Known { files, mut facts, mut grown, gone, .. } = known;
    let mut priors: Vec<Option<Prior>> = Vec::new();
    let mut to_read: Vec<FoundFile> = Vec::new();
    // What was known was taken out.
    for (at, file) in files.into_iter().enumerate().filter(|(_, file)| !is_done(file)) {
        let prior = grown.remove(&at).and_then(|facts| {
            let rest = Rest::from_bytes(&cache.more(&file.path)?)?;
            Some(Prior { facts, rest })
        });
        priors.push(prior);
        to_read.push(file);
    }
    let mut read = Vec::new();
    let count = progress.begin(to_read.len());
    let readings = read_parallel(&to_read, &priors, threads, &count);
    for (file, reading) in to_read.into_iter().zip(readings) {
        if let Some(payload) = to_bytes(&reading.result) {
            let kept = CachedFile { stamp: kept_stamp(reading.stamp, now), payload };
            let more = reading.rest.as_ref().and_then(Rest::to_bytes);
            read.push(NewRow { path: file.path.clone(), file: kept, more });
        }
        facts.add(file.path, reading.result);
    }
    cache.update_rows(&read, &gone);
    facts
}

/// The folders without those that lie in another, so that a row is not seen twice.
fn outermost(folders: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    folders
        .iter()
        .enumerate()
        .filter(|(at, folder)| {
            let covered = |(other_at, other): (usize, &PathBuf)| {
                folder.starts_with(other) && (*folder != other || other_at < *at)
            };
            !folders.iter().enumerate().any(covered)
        })
        .map(|(_, folder)| folder)
}

/// Files and rows of the cache, both in the order of their paths, brought together.
struct Known {
    /// A file loses its path when its facts are known.
    files: Vec<FoundFile>,
    /// The files in the order of the bytes of their paths.
    order: Vec<usize>,
    /// All before it in the order have smaller paths than the row at hand.
    next: usize,
    facts: Facts,
    /// Files that are larger than they were, with the facts of then.
    grown: HashMap<usize, SessionFacts>,
    /// Files that were known and are no longer there.
    gone: Vec<PathBuf>,
}

fn is_done(file: &FoundFile) -> bool {
    file.path.as_os_str().is_empty()
}

impl Known {
    fn new(files: Vec<FoundFile>) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        // The files of a folder are in order already, and this sort makes use of that.
        order.sort_by_key(|&at| files[at].path.as_os_str().as_bytes());
        let mut facts = Facts::default();
        facts.sessions.reserve_exact(files.len());
        Self { files, order, next: 0, facts, grown: HashMap::new(), gone: Vec::new() }
    }

    fn row(&mut self, path: &[u8], stamp: FileStamp, payload: &[u8]) {
        let path_at = |next: usize| -> Option<&[u8]> {
            Some(self.files[*self.order.get(next)?].path.as_os_str().as_bytes())
        };
        let mut next = self.next;
        while path_at(next).is_some_and(|other| other < path) {
            next += 1;
        }
        let found = path_at(next) == Some(path);
        self.next = next;
        if !found {
            self.gone.push(PathBuf::from(std::ffi::OsStr::from_bytes(path)));
            return;
        }
        let at = self.order[next];
        let file = &mut self.files[at];
        if stamp == file.stamp {
            if let Some(result) = from_bytes(stamp, payload) {
                self.facts.add(std::mem::take(&mut file.path), result);
            }
        } else if stamp.identity == file.stamp.identity
            && stamp.size < file.stamp.size
            && let Some(Ok(facts)) = from_bytes(stamp, payload)
        {
            self.grown.insert(at, SessionFacts { path: file.path.clone(), ..facts });
        }
    }
}

/// Reads all files, the largest first so that no thread is left with it alone. `priors` has what
/// was known of each, or is empty.
fn read_parallel(
    files: &[FoundFile],
    priors: &[Option<Prior>],
    threads: usize,
    count: &Count<'_>,
) -> Vec<Reading> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(files[at].stamp.size));
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Reading)>> = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut own = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(&at) = order.get(turn) else { break };
            own.push((at, read_one(&files[at], priors.get(at).and_then(Option::as_ref))));
            count.one();
        }
        if let Ok(mut done) = done.lock() {
            done.append(&mut own);
        }
    };
    if threads == 1 || files.len() < 2 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads.min(files.len()) {
                scope.spawn(work);
            }
        });
    }
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, reading)| reading).collect()
}

fn read_one(file: &FoundFile, prior: Option<&Prior>) -> Reading {
    prior
        .and_then(|prior| read_grown(prior.facts.clone(), prior.rest.clone()))
        .unwrap_or_else(|| read_whole(&file.path, file.stamp))
}
