//! The facts of many files: from the cache where a file has not changed, from its old end where
//! it has grown, from the whole file otherwise.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cache::{CachedFile, FileCache, NewRow, kept_stamp};
use crate::discover::{FileStamp, FoundFile};
use crate::facts::kept::{from_bytes, to_bytes};
use crate::facts::{FactsResult, Reading, Rest, SessionFacts, read_grown, read_whole};

/// What was known of a file that has grown.
pub(crate) struct Prior {
    facts: SessionFacts,
    rest: Rest,
}

/// The facts of files that lie below these folders.
pub(crate) fn facts_of(
    files: &[FoundFile],
    folders: &[PathBuf],
    mut cache: FileCache,
    (now, threads): (i64, usize),
) -> Vec<FactsResult> {
    let mut known = Known::new(files);
    for folder in folders {
        known.begin();
        cache.each(folder, |path, stamp, payload| known.row(path, stamp, payload));
    }
    let Known { mut results, grown, gone, .. } = known;
    let missing: Vec<usize> = (0..files.len()).filter(|&at| results[at].is_none()).collect();
    let to_read: Vec<FoundFile> = missing.iter().map(|&at| files[at].clone()).collect();
    let mut priors: Vec<Option<Prior>> = missing.iter().map(|_| None).collect();
    for (at, facts) in grown {
        let rest = cache.more(&facts.path).and_then(|bytes| Rest::from_bytes(&bytes));
        if let (Some(rest), Ok(place)) = (rest, missing.binary_search(&at)) {
            priors[place] = Some(Prior { facts, rest });
        }
    }
    let mut read = Vec::new();
    for (at, reading) in missing.into_iter().zip(read_parallel(&to_read, &priors, threads)) {
        if let Some(payload) = to_bytes(&reading.result) {
            let file = CachedFile { stamp: kept_stamp(reading.stamp, now), payload };
            let more = reading.rest.as_ref().and_then(Rest::to_bytes);
            read.push(NewRow { path: files[at].path.clone(), file, more });
        }
        results[at] = Some(reading.result);
    }
    cache.update_rows(&read, &gone);
    results.into_iter().flatten().collect()
}

/// Files and rows of the cache, both in the order of their paths, brought together.
struct Known<'f> {
    files: &'f [FoundFile],
    /// The files in the order of the bytes of their paths.
    order: Vec<usize>,
    /// All before it in the order have smaller paths than the row at hand.
    next: usize,
    results: Vec<Option<FactsResult>>,
    /// Files that are larger than they were, with the facts of then.
    grown: Vec<(usize, SessionFacts)>,
    /// Files that were known and are no longer there.
    gone: Vec<PathBuf>,
}

impl<'f> Known<'f> {
    fn new(files: &'f [FoundFile]) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_unstable_by_key(|&at| files[at].path.as_os_str().as_bytes());
        let results = files.iter().map(|_| None).collect();
        Self { files, order, next: 0, results, grown: Vec::new(), gone: Vec::new() }
    }

    /// The rows begin anew.
    fn begin(&mut self) {
        self.next = 0;
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
        let file = &self.files[at];
        if stamp == file.stamp {
            self.results[at] = from_bytes(&file.path, stamp, payload);
        } else if stamp.identity == file.stamp.identity
            && stamp.size < file.stamp.size
            && let Some(Ok(facts)) = from_bytes(&file.path, stamp, payload)
        {
            self.grown.push((at, facts));
        }
    }
}

/// Reads all files, the largest first so that no thread is left with it alone. `priors` has what
/// was known of each, or is empty.
pub(crate) fn read_parallel(
    files: &[FoundFile],
    priors: &[Option<Prior>],
    threads: usize,
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
