//! Reading many files, and keeping what was read of them.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::growth::{GrowthPolicy, KnownBefore};
use super::marks::may_have_grown;
use super::summary::{FEWEST_BYTES, Prior, Rest, Summarized, read_grown, read_whole};
use pitree_session::parallel::in_parallel;

use crate::cache::{Apart, NewRow, SessionCache, Table, kept_stamp};
use crate::discover::{FileKind, FoundFile, is_gone};
use crate::facts::codec::{Shared, facts_from_bytes, facts_to_bytes};
use crate::facts::{NotListed, SessionFacts};
use crate::ledger::{FileLedger, ledger_from_bytes, ledger_to_bytes};
use crate::progress::Listener;

/// What somebody wants to know of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Facts,
    Spend,
}

/// Reads files that the cache does not know as they are now: from the old end where a file has
/// only grown. What is read is kept, and files that are gone are forgotten.
pub(crate) struct ManyFiles<'m> {
    pub(crate) cache: &'m mut SessionCache,
    /// In Unix milliseconds, taken before any file was looked at: see [`kept_stamp`].
    pub(crate) seen_at_ms: i64,
    pub(crate) threads: usize,
    pub(crate) progress: &'m Listener,
    pub(crate) growth: GrowthPolicy,
    pub(crate) wanted: Wanted,
}

impl ManyFiles<'_> {
    pub(crate) fn read(
        self,
        files: Vec<FoundFile>,
        gone: &[PathBuf],
    ) -> Vec<(FoundFile, Box<Summarized>)> {
        let (mut read_on, mut to_read) = (Vec::new(), Vec::new());
        for file in files {
            match self.read_growth(&file) {
                Some(read) => read_on.push((file, Box::new(read))),
                None => to_read.push(file),
            }
        }
        let with_prior = |file: FoundFile| {
            let prior = Mutex::new(prior_of(&file, self.cache).map(Box::new));
            (file, prior)
        };
        let files: Vec<WithPrior> = to_read.into_iter().map(with_prior).collect();
        let count = self.progress.begin(files.len());
        let size = |(file, _): &WithPrior| file.stamp.size;
        let is_facts_alone = self.wanted == Wanted::Facts && !self.cache.is_there();
        let read = |(file, prior): &WithPrior| {
            if !self.progress.is_wanted() {
                return None;
            }
            let prior = prior.lock().unwrap_or_else(PoisonError::into_inner).take();
            let read = read_one(file, prior);
            // What was spent takes more room than all else, and here nobody asks for it.
            // They are handed on several times, and each has a kilobyte.
            let read = Box::new(if is_facts_alone { read.facts_alone() } else { read });
            count.after(Some(read))
        };
        let read = in_parallel(&files, self.threads, size, read);
        let files = files.into_iter().map(|(file, _)| file).zip(read);
        let mut read: Vec<(FoundFile, Box<Summarized>)> =
            files.filter_map(|(file, read)| Some((file, read?))).collect();
        // What was read is sound even if nobody wants the rest.
        if self.cache.is_there() {
            let row =
                |(file, read): &(FoundFile, Box<Summarized>)| row_of(file, read, self.seen_at_ms);
            let rows: Vec<NewRow> = read.iter().filter_map(row).collect();
            self.cache.update(&rows, gone);
        }
        read.append(&mut read_on);
        // Deleted since it was found.
        let is_unreadable =
            |read: &Summarized| matches!(read.result, Err(NotListed::Unreadable(_)));
        read.retain(|(file, read)| !(is_unreadable(read) && is_gone(&file.path)));
        read
    }

    /// What a large file tells that has grown a little. There are few of them.
    fn read_growth(&self, file: &FoundFile) -> Option<Summarized> {
        let known = KnownBefore::load(file, self.cache, self.growth.at(self.seen_at_ms))?;
        match self.wanted {
            Wanted::Facts => known.read(None),
            Wanted::Spend => {
                let spend = known.load_spend(self.cache)?;
                known.read(Some(spend))
            }
        }
    }
}

/// A file, with what is known of it, which whoever reads the file takes.
type WithPrior = (FoundFile, Mutex<Option<Box<Prior>>>);

fn read_one(file: &FoundFile, prior: Option<Box<Prior>>) -> Summarized {
    prior
        .and_then(|prior| read_grown(*prior))
        .unwrap_or_else(|| read_whole(&file.path, file.kind, file.stamp))
}

/// What is known of a session file that seems to have grown.
pub(crate) fn prior_of(file: &FoundFile, cache: &SessionCache) -> Option<Prior> {
    if file.kind != FileKind::Session || file.stamp.size < FEWEST_BYTES {
        return None;
    }
    let (then, facts) = cache.get(Table::Facts, &file.path)?;
    let (of_spend, spend) = cache.get(Table::Spend, &file.path)?;
    if then != of_spend || !may_have_grown(then, file.stamp) {
        return None;
    }
    let facts = facts_from_bytes(then, &facts, &mut Shared::default())?.ok()?;
    let (_, ledger) = ledger_from_bytes(&spend).filter(|(kind, _)| *kind == file.kind)?;
    let mut ledger = ledger?;
    if !ledger.has_rows() {
        ledger.add_rows(cache.apart(Apart::Usages, &file.path)?);
    }
    let rest = Rest::from_bytes(cache.apart(Apart::Rest, &file.path)?)?;
    let facts = SessionFacts { path: file.path.clone(), ..facts };
    Some(Prior { facts, ledger, rest })
}

/// What to keep of a file; `None` for what should be tried again the next time.
pub(crate) fn row_of(file: &FoundFile, read: &Summarized, seen_at_ms: i64) -> Option<NewRow> {
    if !read.is_kept {
        return None;
    }
    let ledger = match &read.result {
        Ok((_, ledger)) => Some(ledger.as_ref()?),
        Err(NotListed::NotASession(_)) => None,
        Err(NotListed::Unreadable(_)) => return None,
    };
    let facts = match &read.result {
        Ok((Some(facts), _)) => Some(facts_to_bytes(Some(facts))?),
        Ok((None, _)) => None,
        Err(_) => Some(facts_to_bytes(None)?),
    };
    let (spend, usages) = ledger_to_bytes(file.kind, ledger)?;
    let rest = read.rest.as_ref().and_then(Rest::to_bytes);
    let (path, stamp) = (file.path.clone(), kept_stamp(read.stamp, seen_at_ms));
    Some(NewRow { path, stamp, facts, spend, usages, rest })
}

/// What a file says was spent; `None` when it is not a session.
pub(crate) fn ledger_of(read: Summarized) -> Result<Option<FileLedger>, String> {
    match read.result {
        Ok((_, ledger)) => Ok(ledger),
        Err(NotListed::NotASession(_)) => Ok(None),
        Err(NotListed::Unreadable(why)) => Err(why),
    }
}
