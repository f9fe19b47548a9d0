//! What is told of a data set, and how much goes into its files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use pitree_format::Object;

use super::replies::ReplyFates;
use super::sessions::{DecidedSession, DecidedSessions};
use super::{DecidedSums, Outcome, parts};
use crate::error::ExtractError;
use crate::options::ExtractOptions;
use crate::output::spool::Summary;
use crate::quality::Split;
use crate::report::Plan;
use crate::stages::session::{PlannedSource, SessionResult};

/// What was found in one session after the other.
pub(crate) struct Survey {
    pub(crate) outcome: Outcome,
    /// The sessions that are in the data set, in order.
    pub(crate) kept: Vec<KeptWeight>,
}

/// How much of a session goes into a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptWeight {
    pub(crate) number: usize,
    pub(super) split: Split,
    pub(super) bytes: u64,
}

impl Survey {
    /// Goes through all sessions a few times; an error if too much would be written.
    pub(crate) fn of(
        sessions: &dyn DecidedSessions,
        options: &ExtractOptions,
    ) -> Result<Self, ExtractError> {
        let mut replies = ReplyFates::of(sessions)?;
        let mut surveyor = Surveyor::new(sessions, options);
        sessions.each(&mut |session| {
            replies.add(&session);
            surveyor.add(&session);
            Ok(())
        })?;
        let mut survey = surveyor.finish(sessions.sums());
        let outcome = &mut survey.outcome;
        check_size(&outcome.size, options)?;
        outcome.totals.replies = replies.with_copies(sessions)?;
        Ok(survey)
    }
}

/// Samples repeat their context, so a session of a few megabytes may give a data set of many
/// gigabytes. All pieces wait in their spools, so the size is known before the first byte.
fn check_size(size: &Plan, options: &ExtractOptions) -> Result<(), ExtractError> {
    match options.max_output.filter(|limit| size.output_bytes > *limit) {
        Some(limit) => Err(ExtractError::TooLarge { plan: *size, limit }),
        None => Ok(()),
    }
}

/// Adds up sessions.
struct Surveyor<'s> {
    sources: &'s [PlannedSource],
    outcome: Outcome,
    kept: Vec<KeptWeight>,
    /// Files whose redactions are counted. That of a sub-agent may be a session of the data set, or
    /// belong to several of them.
    told: HashSet<Cow<'s, Path>>,
    unknown: UnknownEntries<'s>,
}

impl<'s> Surveyor<'s> {
    fn new(sessions: &'s dyn DecidedSessions, options: &ExtractOptions) -> Self {
        let sources = sessions.sources();
        let mut outcome = Outcome { left_out: options.no_sessions.clone(), ..Outcome::default() };
        // A part in which nothing is has a count too.
        outcome.totals.samples = parts(options).iter().map(|part| (*part, 0)).collect();
        outcome.totals.sessions_left_out = options.no_sessions.len() as u64;
        let told = sources.iter().map(|planned| Cow::Borrowed(&*planned.source.path)).collect();
        let unknown = UnknownEntries::default();
        Self { sources, outcome, kept: Vec::new(), told, unknown }
    }

    fn add(&mut self, session: &DecidedSession<'_>) {
        let planned = &self.sources[session.number];
        let outcome = &mut self.outcome;
        match session.result {
            SessionResult::LeftOut(why) => {
                outcome.totals.sessions_left_out += 1;
                outcome.left_out.push((planned.source.path.clone(), why.clone()));
            }
            SessionResult::Done(done) => {
                outcome.sessions += 1;
                outcome.cached += usize::from(done.is_cached);
                let lines = done.summary.counts.damaged_lines;
                let damaged = (lines > 0).then(|| (planned.source.path.clone(), lines));
                outcome.damaged.extend(damaged);
                self.unknown.add(planned, &done.summary);
                self.add_size(session, &done.summary);
                self.add_totals(session, &done.summary);
            }
        }
    }

    fn add_size(&mut self, session: &DecidedSession<'_>, summary: &Summary) {
        let bytes = session.bytes();
        let (verdicts, size) = (&session.decision.samples, &mut self.outcome.size);
        size.sessions += 1;
        size.samples += verdicts.iter().filter(|verdict| verdict.dropped.is_none()).count();
        size.input_bytes += summary.counts.bytes;
        size.output_bytes += bytes;
        let (number, split) = (session.number, session.decision.split);
        self.kept.push(KeptWeight { number, split, bytes });
    }

    fn add_totals(&mut self, session: &DecidedSession<'_>, summary: &Summary) {
        let (decision, totals) = (session.decision, &mut self.outcome.totals);
        let kept = summary.samples.iter().zip(&decision.samples);
        let kept = kept.filter(|(_, verdict)| verdict.dropped.is_none());
        let about = &self.sources[session.number].source.about;
        totals.add_session(about, &summary.counts, decision.split, kept.map(|it| it.0));
        for other in &summary.other_redactions {
            if self.told.insert(Cow::Owned(other.path.clone())) {
                totals.add_redactions(&other.by_rule);
                totals.likely_left += other.likely_left;
            }
        }
    }

    fn finish(self, sums: DecidedSums) -> Survey {
        let Self { mut outcome, kept, unknown, .. } = self;
        let DecidedSums { dropped, families, largest_family } = sums;
        for (reason, count) in dropped {
            *outcome.totals.left_out.entry(reason).or_default() += count;
        }
        outcome.totals.families = families;
        outcome.totals.largest_family = largest_family;
        outcome.unknown_entries = unknown.count();
        Survey { outcome, kept }
    }
}

/// Shows the groups of near duplicates, one sample a line.
pub(crate) fn each_duplicate(
    sessions: &dyn DecidedSessions,
    show: &mut dyn FnMut(&str) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    let mut line = String::new();
    sessions.each(&mut |session| {
        let Some(summary) = session.result.summary() else { return Ok(()) };
        for (facts, verdict) in summary.samples.iter().zip(&session.decision.samples) {
            let Some(cluster) = verdict.cluster else { continue };
            let cluster = sessions.leader_id(cluster)?.unwrap_or_default();
            let object = Object::new().with("cluster", &*cluster).with("id", &*facts.id);
            line.clear();
            pitree_format::js::print(&object.into(), &mut line);
            show(&line)?;
        }
        Ok(())
    })
}

/// Outcomes that are about entries which no file of their session has.
#[derive(Default)]
struct UnknownEntries<'s> {
    /// The ids of these entries, by session.
    missing: HashMap<&'s str, HashSet<String>>,
}

impl<'s> UnknownEntries<'s> {
    fn add(&mut self, planned: &'s PlannedSource, summary: &Summary) {
        let (about, missing) = (&planned.source.about, &summary.counts.unknown_entries);
        if missing.is_empty() && about.entry_outcomes.is_empty() {
            return;
        }
        let missing: HashSet<String> = missing.iter().cloned().collect();
        let session = self.missing.entry(&about.session_id);
        session.and_modify(|so_far| so_far.retain(|id| missing.contains(id))).or_insert(missing);
    }

    fn count(&self) -> usize {
        self.missing.values().map(HashSet::len).sum()
    }
}
