//! A run on one machine: many sessions in, one data set out.
//!
//! It is the [`stages`](crate::stages) in threads, with a folder of its own for what they hand on:
//!
//! 1. Each session is worked on alone; what it gives waits in a spool.
//! 2. When all are known they are compared. A secret that was found in one session of a family is
//!    hidden in all of it, so its relatives may be worked on a second time. A reply that was copied
//!    into a fork is learned once, so forks may be worked on again, too. Then it is decided what
//!    becomes of each sample.
//! 3. The pieces are put together in a fixed order, oldest session first, in a folder that takes
//!    its name when it is complete.

mod pool;

use std::io::Write;
use std::path::Path;

use pitree_session::Environment;
use pitree_session::parallel::in_parallel;

use crate::error::{ExtractError, IoContext};
use crate::format::SessionFormat;
use crate::options::ExtractOptions;
use crate::output::{OutputFolder, Scratch, Target, WrittenFile, replaceable};
use crate::quality::Families;
use crate::report::Report;
use crate::sources::Source;
use crate::stages::assemble::{self, Reading, each_kept_piece};
use crate::stages::decided::{
    DecidedInMemory, KeptWeight, Survey, Unit, decide_in_memory, each_duplicate, units,
};
use crate::stages::plan::in_final_order;
use crate::stages::publish::{RedactionsFile, check_redactions, complete, report};
use crate::stages::session::{Cache, PlannedSource, SecretMemory, SessionResult, Worker};
use pool::Pool;

/// Extracts the sessions into a folder, which appears when it is complete.
pub fn run(
    sources: &[Source],
    format: &dyn SessionFormat,
    options: &ExtractOptions,
    folder: &Path,
    environment: &Environment,
) -> Result<Report, ExtractError> {
    replaceable::check(folder, options.replace_edited)?;
    options.redactions.as_deref().map_or(Ok(()), check_redactions)?;
    let scratch = Scratch::beside(folder)?;
    let processed = ProcessedSessions::of(sources, format, options, &scratch, environment)?;
    let decided = processed.decided(options);
    let Survey { outcome, kept } = Survey::of(&decided, options)?;
    tell_size(&outcome.size, options);
    let is_redacted = options.guard.fingerprint().is_some();
    let output = OutputFolder::new(folder, &scratch, !is_redacted, options.replace_edited)?;
    let redactions = processed.redactions(&decided, options)?;
    let files = write_all(&decided, &kept, &output, format, options)?;
    let duplicates = |show: &mut dyn FnMut(&str) -> _| each_duplicate(&decided, show);
    let report = complete(&output, outcome, files, &duplicates, format, options)?;
    options.go_on()?;
    output.publish(&scratch)?;
    redactions.publish()?;
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
    options.redactions.as_deref().map_or(Ok(()), check_redactions)?;
    let scratch = Scratch::within(&options.temporary)?;
    let processed = ProcessedSessions::of(sources, format, options, &scratch, environment)?;
    let decided = processed.decided(options);
    let outcome = Survey::of(&decided, options)?.outcome;
    tell_size(&outcome.size, options);
    let redactions = processed.redactions(&decided, options)?;
    let all = (0..processed.results.len()).filter_map(|at| decided.session(at).transpose());
    each_kept_piece(Box::new(all), Reading::Once, |to, _, bytes| {
        options.go_on()?;
        if to != Target::Data {
            return Ok(());
        }
        let written = out.write_all(bytes).and_then(|()| out.write_all(b"\n"));
        written.on("write to", Path::new("standard output"))
    })?;
    redactions.publish()?;
    Ok(options.mirrors.shown_in(report(outcome, format, options)))
}

/// Tells what will be written, before anything is.
fn tell_size(size: &crate::report::Plan, options: &ExtractOptions) {
    if let Some(tell) = &options.plan {
        tell(size);
    }
}

/// Writes all files, several at a time.
fn write_all(
    decided: &DecidedInMemory<'_>,
    kept: &[KeptWeight],
    output: &OutputFolder,
    format: &dyn SessionFormat,
    options: &ExtractOptions,
) -> Result<Vec<WrittenFile>, ExtractError> {
    let units = units(kept, format.name(), options);
    let write = |unit: &Unit| {
        let sessions = assemble::in_order(unit, |at| decided.session(at));
        assemble::write(&unit.shard, sessions, Reading::Once, output.path(), format, options)
    };
    let written = in_parallel(&units, options.jobs, |unit| unit.bytes, write);
    let mut files = Vec::new();
    written.into_iter().try_for_each(|own| own.map(|own| files.extend(own)))?;
    Ok(files)
}

/// All sessions after the work on each, in their final order.
struct ProcessedSessions {
    sources: Vec<PlannedSource>,
    results: Vec<SessionResult>,
    families: Families,
    /// Spools are read from its folder.
    _cache: Option<Cache>,
}

impl ProcessedSessions {
    fn of(
        sources: &[Source],
        format: &dyn SessionFormat,
        options: &ExtractOptions,
        scratch: &Scratch,
        environment: &Environment,
    ) -> Result<Self, ExtractError> {
        let unpinned = |source| PlannedSource { source, pinned: None };
        let sources: Vec<PlannedSource> =
            in_final_order(sources).into_iter().map(unpinned).collect();
        let cache = Cache::of(format, options, environment);
        let secrets = SecretMemory::default();
        let worker = Worker {
            sources: &sources,
            format,
            options,
            environment,
            cache: cache.as_ref(),
            scratch: scratch.path(),
            secrets: &secrets,
        };
        let (results, families) = Pool::new(worker).all_rounds()?;
        Ok(Self { sources, results, families, _cache: cache })
    }

    fn decided(&self, options: &ExtractOptions) -> DecidedInMemory<'_> {
        decide_in_memory(&self.sources, &self.results, self.families.clone(), options)
    }

    /// The list of what was redacted, before anything is taken from the spools.
    fn redactions(
        &self,
        decided: &DecidedInMemory<'_>,
        options: &ExtractOptions,
    ) -> Result<RedactionsFile, ExtractError> {
        let all = (0..self.results.len()).filter_map(|at| decided.session(at).transpose());
        RedactionsFile::of(&self.sources, Box::new(all), options)
    }
}
