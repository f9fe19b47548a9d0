//! The work on all sessions, shared out among threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pitree_session::parallel::in_parallel;

use crate::error::ExtractError;
use crate::output::spool::SpoolFile;
use crate::quality::Families;
use crate::stages::results::ResultsInMemory;
use crate::stages::rounds::{FamilySecrets, RoundState};
use crate::stages::session::{Job, JobOrder, SessionResult, Worker};

/// The threads that work on sessions, each into a file of its own.
pub(super) struct Pool<'a> {
    worker: Worker<'a>,
    /// Files that nobody writes to at the moment.
    idle: Mutex<Vec<SpoolFile>>,
    /// How many files there are.
    files: AtomicUsize,
}

impl<'a> Pool<'a> {
    pub(super) fn new(worker: Worker<'a>) -> Self {
        Self { worker, idle: Mutex::default(), files: AtomicUsize::new(0) }
    }

    /// Works on all sessions until nothing is lacking.
    pub(super) fn all_rounds(&self) -> Result<(Vec<SessionResult>, Families), ExtractError> {
        let (sources, options) = (self.worker.sources, self.worker.options);
        let missing = || ExtractError::Unexpected("a session was passed over");
        let first = self.round(&RoundState::first(sources, &*options.guard), &[])?;
        let first = first.into_iter().map(|result| result.ok_or_else(missing));
        let mut results = first.collect::<Result<Vec<_>, _>>()?;
        let mut changed: Vec<usize> = (0..results.len()).collect();
        let mut state = RoundState::default();
        loop {
            let known = ResultsInMemory { results: &results, changed: &changed };
            // Everything is in memory anyway.
            let room = (usize::MAX, &*options.temporary);
            let orders = match state.next(sources, &known, options, room)? {
                Some(orders) => orders,
                None => {
                    let compared = state.compare(sources, &results);
                    state.learn_once(&compared)?
                }
            };
            if orders.is_empty() {
                self.flush()?;
                let families = state.into_families(sources);
                return Ok((results, families));
            }
            let families: Vec<_> = state.families().iter().map(FamilySecrets::from).collect();
            changed.clear();
            for (order, result) in orders.iter().zip(self.round(&orders, &families)?) {
                if let Some(result) = result {
                    remove(&results[order.session]);
                    results[order.session] = result;
                    changed.push(order.session);
                }
            }
        }
    }

    /// Does what a round asks for, the largest sessions first, so that no thread is left with one of
    /// them alone. What comes of it stands in the order of what was asked for; `None` where nothing
    /// was to be done. The first error that is not a session's own ends the work.
    ///
    /// What is known from earlier runs is looked for first: what is made anew may take the place
    /// of what nobody needs.
    fn round(
        &self,
        orders: &[JobOrder],
        families: &[FamilySecrets],
    ) -> Result<Vec<Option<SessionResult>>, ExtractError> {
        let mut by_size: Vec<usize> = (0..orders.len()).collect();
        let path = |at: usize| &self.worker.sources[orders[at].session].source.path;
        let size = |at: &usize| fs_err::metadata(path(*at)).map_or(0, |it| it.len());
        by_size.sort_by_cached_key(|at| std::cmp::Reverse(size(at)));
        let mut results: Vec<Option<SessionResult>> = orders.iter().map(|_| None).collect();
        let finished = AtomicUsize::new(0);
        let step = || {
            if let Some(progress) = &self.worker.options.progress {
                progress.step(finished.fetch_add(1, Ordering::Relaxed) + 1, orders.len());
            }
        };
        if self.worker.cache.is_some() {
            let found = self.in_parallel(&by_size, &|at| {
                let order = &orders[at];
                let found = order.with_job(self.worker.sources, families, |job| self.find(job))?;
                found.iter().for_each(|_| step());
                Ok(found)
            })?;
            found.into_iter().for_each(|(at, found)| results[at] = found);
            by_size.retain(|at| results[*at].is_none());
        }
        let made = self.in_parallel(&by_size, &|at| {
            let order = &orders[at];
            let made = order.with_job(self.worker.sources, families, |job| self.work(job))?;
            step();
            Ok(made)
        })?;
        made.into_iter().for_each(|(at, made)| results[at] = made);
        Ok(results)
    }

    /// What is known from earlier runs of a session that is worked on in any case.
    fn find(&self, job: &Job<'_>) -> Result<Option<SessionResult>, ExtractError> {
        match job.is_wanted(&self.worker)? {
            true => Ok(self.worker.find(job)),
            false => Ok(None),
        }
    }

    fn work(&self, job: &Job<'_>) -> Result<Option<SessionResult>, ExtractError> {
        let mut file = self.file()?;
        let made = self.worker.work(job, &mut file);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        made
    }

    /// A file that nobody else writes to.
    fn file(&self) -> Result<SpoolFile, ExtractError> {
        if let Some(file) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(file);
        }
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        SpoolFile::passing(&self.worker.scratch.join(format!("{number}.spools")))
    }

    fn flush(&self) -> Result<(), ExtractError> {
        let mut files = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter_mut().try_for_each(SpoolFile::flush)
    }

    /// Does this for all places, shared out among threads; what it gives has the place with it.
    fn in_parallel<T: Send>(
        &self,
        order: &[usize],
        work: &(dyn Fn(usize) -> Result<T, ExtractError> + Sync),
    ) -> Result<Vec<(usize, T)>, ExtractError> {
        let options = self.worker.options;
        let failed = AtomicBool::new(false);
        let one = |&at: &usize| {
            if failed.load(Ordering::Relaxed) || options.cancel.is_cancelled() {
                return None;
            }
            let result = work(at);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            Some(result.map(|it| (at, it)))
        };
        // The order is that in which the work is begun.
        let done = in_parallel(order, options.jobs, |_| 0, one);
        options.go_on()?;
        done.into_iter().flatten().collect()
    }
}

/// Removes what a session gave before it was worked on again, if that is alone in its file. If it
/// fails it goes with the folder of the run.
fn remove(result: &SessionResult) {
    let place = result.done().map(|done| &done.place);
    if let Some(place) = place.filter(|place| place.is_alone && !place.is_kept) {
        let _ = fs_err::remove_file(&place.file);
    }
}
