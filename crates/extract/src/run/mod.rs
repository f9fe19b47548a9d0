//! A run: many sessions in, one data set out.
//!
//! 1. Each session is worked on alone, on several threads; what it gives waits in a spool.
//! 2. When all are known they are compared. A secret that was found in one session of a family is
//!    hidden in all of it, so its relatives may be worked on a second time. A reply that was copied
//!    into a fork is learned once, so forks may be worked on again, too. Then it is decided what
//!    becomes of each sample.
//! 3. The pieces are put together in a fixed order, oldest session first, in a folder that takes
//!    its name when it is complete.

mod cache;
mod family_secrets;
mod finish;
mod marks;
mod plan;
mod redactions;
mod repeated_sessions;
mod spool_reader;
mod worker_pool;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use pitree_session::Environment;

use crate::error::ExtractError;
use crate::format::SessionFormat;
use crate::options::ExtractOptions;
use crate::output::{Scratch, replaceable};
use crate::quality::{Families, Judged, decide};
use crate::report::Report;
use crate::sources::Source;
use cache::Cache;
use family_secrets::Shared;
use worker_pool::{Job, SessionResult, WorkerPool};

/// Extracts the sessions into a folder, which appears when it is complete.
pub fn run(
    sources: &[Source],
    format: &dyn SessionFormat,
    options: &ExtractOptions,
    folder: &Path,
    environment: &Environment,
) -> Result<Report, ExtractError> {
    replaceable::check(folder, options.replace_edited)?;
    options.redactions.as_deref().map_or(Ok(()), redactions::check)?;
    let scratch = Scratch::beside(folder)?;
    let sources =
        &repeated_sessions::with_shared_ids(&repeated_sessions::with_copy_numbers(sources));
    let processed = ProcessedSessions::of(sources, format, options, &scratch, environment)?;
    plan::check(&processed, options)?;
    let report = finish::into_folder(&processed, format, options, folder, &scratch)?;
    Ok(options.mirrors.shown_in(report))
}

/// Extracts the sessions and writes the lines, without a card.
pub fn run_to(
    sources: &[Source],
    format: &dyn SessionFormat,
    options: &ExtractOptions,
    out: &mut dyn Write,
    environment: &Environment,
) -> Result<Report, ExtractError> {
    options.redactions.as_deref().map_or(Ok(()), redactions::check)?;
    let scratch = Scratch::within(&options.temporary)?;
    let sources =
        &repeated_sessions::with_shared_ids(&repeated_sessions::with_copy_numbers(sources));
    let processed = ProcessedSessions::of(sources, format, options, &scratch, environment)?;
    plan::check(&processed, options)?;
    let report = finish::into_stream(&processed, options, format.name(), out)?;
    Ok(options.mirrors.shown_in(report))
}

/// All sessions after the work on each, in their final order, and what was decided.
struct ProcessedSessions<'s> {
    sources: Vec<&'s Source>,
    results: Vec<SessionResult>,
    decisions: crate::quality::Decisions,
    cached: usize,
    /// Spools are read from its folder.
    _cache: Option<Cache>,
}

impl<'s> ProcessedSessions<'s> {
    fn of(
        sources: &'s [Source],
        format: &dyn SessionFormat,
        options: &ExtractOptions,
        scratch: &Scratch,
        environment: &Environment,
    ) -> Result<Self, ExtractError> {
        let mut sources: Vec<&Source> = sources.iter().collect();
        sources.sort_by_key(|source| {
            let about = &source.about;
            // Copies of objects are in the order of these, as the objects would be.
            let path = Path::new(&about.source_path);
            (about.created_at.as_deref(), about.session_id.as_str(), path, &*source.path)
        });
        let cache = Cache::of(format, options, environment);
        let pool = WorkerPool { format, options, environment, scratch, cache: cache.as_ref() };
        let speech = marks::first_round(&sources, &*options.guard);
        let jobs = sources.iter().zip(&speech);
        let jobs = jobs.map(|(source, speech)| Job { speech: *speech, ..Job::new(source) });
        let mut results = pool.all(&jobs.collect::<Vec<_>>())?;
        let shared = family_secrets::share(&pool, &sources, &mut results)?;
        marks::settle(&pool, &sources, &speech, &shared, &mut results)?;
        let families = learn_once(&pool, &sources, &shared, &mut results)?;
        let decisions = decide(&judged(&sources, &results), families, &options.quality);
        let cached = results.iter().filter(|result| result.is_cached()).count();
        Ok(Self { sources, results, decisions, cached, _cache: cache })
    }
}

/// Works on sessions again until no reply is a target of two of them, and tells which ones belong
/// together.
fn learn_once(
    pool: &WorkerPool<'_>,
    sources: &[&Source],
    shared: &Shared<'_>,
    results: &mut [SessionResult],
) -> Result<Families, ExtractError> {
    let mut elsewhere = vec![HashSet::new(); sources.len()];
    let mut released = HashSet::new();
    let mut families = Families::of(&judged(sources, results));
    loop {
        let mut places = Vec::new();
        let repeated = families.compare(&judged(sources, results));
        for (at, repeated) in repeated.into_iter().enumerate() {
            let before = elsewhere[at].len();
            elsewhere[at].extend(repeated);
            if elsewhere[at].len() > before {
                places.push(at);
            }
        }
        // Once is enough, unless a form holds a sample only after a reply has become context.
        if places.is_empty() {
            places = release(&mut elsewhere, results, &mut released);
        }
        if places.is_empty() {
            return Ok(families);
        }
        pool.again(sources, &places, &elsewhere, shared, results)?;
    }
}

/// Finds copies whose original is not trained after all: its session was worked on again with other
/// replies as context, and then the form could not hold it. The oldest copy takes its place. Gives
/// the sessions of these.
fn release(
    elsewhere: &mut [HashSet<u64>],
    results: &[SessionResult],
    released: &mut HashSet<(usize, u64)>,
) -> Vec<usize> {
    if elsewhere.iter().all(HashSet::is_empty) {
        return Vec::new();
    }
    let samples = results.iter().filter_map(SessionResult::summary).flat_map(|it| &it.samples);
    let trained = samples.flat_map(|sample| &sample.targets).flat_map(|target| target.both());
    let mut trained: HashSet<u64> = trained.collect();
    let mut places = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let copies = result.summary().map_or(&[][..], |summary| &summary.counts.copies);
        let before = elsewhere[at].len();
        for copy in copies {
            let is_trained = copy.both().iter().any(|key| trained.contains(key));
            if !is_trained && released.insert((at, copy.path)) {
                // One copy is enough.
                trained.extend(copy.both());
                elsewhere[at].remove(&copy.path);
            }
        }
        if elsewhere[at].len() < before {
            places.push(at);
        }
    }
    places
}

/// The sessions as the decisions see them; those that are left out have no samples.
fn judged<'a>(sources: &[&'a Source], results: &'a [SessionResult]) -> Vec<Judged<'a>> {
    let judged = |(source, result): (&&'a Source, &'a SessionResult)| Judged {
        about: &source.about,
        samples: result.summary().map_or(&[][..], |summary| &summary.samples),
    };
    sources.iter().zip(results).map(judged).collect()
}
