//! The work on single sessions, shared out among threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pitree_session::Environment;

use super::{Extracted, RunOptions, SessionFormat, Source};
use crate::copy::private_copy;
use crate::error::ExtractError;
use crate::output::Scratch;
use crate::output::spool::{Spool, SpoolWriter};
use crate::report::LeftOut;

/// What became of a session.
pub(super) enum Outcome {
    Done(Spool),
    LeftOut(LeftOut),
}

/// Works on all sessions, the largest first. What they give stands in the order of the sources.
/// The first error that is not a session's own ends the run.
pub(super) fn all(
    sources: &[Source],
    format: &dyn SessionFormat,
    options: &RunOptions,
    scratch: &Scratch,
    environment: &Environment,
) -> Result<Vec<Outcome>, ExtractError> {
    let mut order: Vec<usize> = (0..sources.len()).collect();
    let size = |at: &usize| fs_err::metadata(&sources[*at].path).map_or(0, |file| file.len());
    order.sort_by_cached_key(|at| std::cmp::Reverse(size(at)));
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<(usize, Result<Outcome, ExtractError>)>> = Mutex::default();
    let finished = AtomicUsize::new(0);
    let thread = || {
        while !failed.load(Ordering::Relaxed)
            && let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let spool = scratch.path().join(format!("{at}.spool"));
            let outcome = one(&sources[at], format, options, &spool, environment);
            failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
            if let Ok(mut done) = done.lock() {
                done.push((at, outcome));
            }
            if let Some(progress) = &options.progress {
                progress.step(finished.fetch_add(1, Ordering::Relaxed) + 1, sources.len());
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.jobs.min(sources.len()) {
            scope.spawn(thread);
        }
        thread();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Works on one session. What is wrong with the session itself leaves it out; what is wrong with
/// the place that is written to is an error.
fn one(
    source: &Source,
    format: &dyn SessionFormat,
    options: &RunOptions,
    spool: &Path,
    environment: &Environment,
) -> Result<Outcome, ExtractError> {
    let guard = &*options.guard;
    let copy = match private_copy(&source.path, guard, environment) {
        Ok(copy) => copy,
        Err(ExtractError::Session(error)) => {
            return Ok(Outcome::LeftOut(LeftOut::Unreadable(error.to_string())));
        }
        Err(other) => return Err(other),
    };
    let mut writer = SpoolWriter::create(spool)?;
    let counts = writer.counts();
    counts.bytes = copy.bytes;
    counts.entries = copy.session.len() as u64;
    counts.damaged_lines = copy.session.odd_lines().len().saturating_sub(1) as u64;
    for hit in &copy.hits {
        *counts.redactions.entry(hit.rule.clone()).or_default() += 1;
    }
    let extracted = Extracted {
        session: &copy.session,
        about: &source.about,
        hits: &copy.hits,
        bytes: copy.bytes,
        content: copy.content,
    };
    format.session(&extracted, &mut writer)?;
    writer.finish()?;
    drop(copy);
    let Some(mut spool) = Spool::open(spool) else {
        return Err(ExtractError::Unexpected("a spool that was just written cannot be read"));
    };
    match leak(&mut spool, options)? {
        Some(hit) => Ok(Outcome::LeftOut(hit.into())),
        None => Ok(Outcome::Done(spool)),
    }
}

/// Looks once more at everything that the session gives.
fn leak(spool: &mut Spool, options: &RunOptions) -> Result<Option<crate::Hit>, ExtractError> {
    let mut found = None;
    spool.each(|piece| {
        if found.is_none() {
            found = options.guard.leak(piece.bytes);
        }
        Ok(())
    })?;
    Ok(found)
}
