//! Reading what all files record: from the cache where a file has not changed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Ledger;
use super::file::{FileLedger, GENERATION, from_bytes, to_bytes};
use super::merge::{Source, merge};
use super::pass::read_file;
use crate::cache::{CachedFile, FileCache, kept_stamp};
use crate::discover::{FoundFile, discover};
use crate::list::Store;
use crate::subagents::Trust;

type FileResult = Result<Option<FileLedger>, String>;

impl Store {
    /// What was spent in all sessions of all locations.
    pub fn ledger(&self) -> Ledger {
        // Taken before any file is looked at: see `kept_stamp`.
        let now = self.environment.now_ms();
        let files = discover(&self.locations);
        let results = match &self.cache_directory {
            Some(directory) => {
                let mut cache = FileCache::open(directory, "ledger", GENERATION);
                self.results_with(&mut cache, &files, now)
            }
            None => self.in_parallel(&files, read_file),
        };
        let mut sources = Vec::with_capacity(files.len());
        let mut unreadable = Vec::new();
        for (file, result) in files.into_iter().zip(results) {
            match result {
                Ok(Some(ledger)) => sources.push(Source { file, ledger }),
                Ok(None) => {}
                Err(reason) => unreadable.push((file.path, reason)),
            }
        }
        let mut ledger = merge(sources, &Trust::new(&self.locations, &self.environment));
        unreadable.sort();
        ledger.unreadable = unreadable;
        ledger
    }

    fn results_with(
        &self,
        cache: &mut FileCache,
        files: &[FoundFile],
        now: i64,
    ) -> Vec<FileResult> {
        let mut known: HashMap<PathBuf, CachedFile> = HashMap::new();
        for location in &self.locations {
            known.extend(cache.load(&location.path));
        }
        let mut fresh = |file: &FoundFile| {
            let cached = known.remove(&file.path).filter(|cached| cached.stamp == file.stamp)?;
            from_bytes(cached.payload)
        };
        let mut results: Vec<Option<FileResult>> =
            files.iter().map(|file| fresh(file).map(Ok)).collect();
        let missing: Vec<usize> = (0..files.len()).filter(|&at| results[at].is_none()).collect();
        let to_read: Vec<FoundFile> = missing.iter().map(|&at| files[at].clone()).collect();
        let mut read = Vec::new();
        for (at, result) in missing.into_iter().zip(self.in_parallel(&to_read, read_file)) {
            if let Ok(ledger) = &result
                && let Some(payload) = to_bytes(ledger.as_ref())
            {
                let stamp = kept_stamp(files[at].stamp, now);
                read.push((files[at].path.clone(), CachedFile { stamp, payload }));
            }
            results[at] = Some(result);
        }
        // What is left was known and is no longer there.
        let gone: Vec<PathBuf> = known.into_keys().collect();
        cache.update(&read, &gone);
        results.into_iter().flatten().collect()
    }

    /// Works on all files, the largest first so that no thread is left with it alone. The
    /// results stand in the order of the files.
    fn in_parallel<T: Send>(
        &self,
        files: &[FoundFile],
        work: impl Fn(&FoundFile) -> T + Sync,
    ) -> Vec<T> {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(files[at].stamp.size));
        let next = AtomicUsize::new(0);
        let count = self.progress.begin(files.len());
        let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(files.len()));
        let thread = || {
            let mut own = Vec::new();
            while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                own.push((at, work(&files[at])));
                count.one();
            }
            if let Ok(mut done) = done.lock() {
                done.append(&mut own);
            }
        };
        if self.threads == 1 || files.len() < 2 {
            thread();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..self.threads.min(files.len()) {
                    scope.spawn(thread);
                }
            });
        }
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    }
}
