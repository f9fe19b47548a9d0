//! What was decided once all sessions are known: what becomes of each sample, the sums of the card,
//! and which sessions go into which files.

mod replies;
mod shards;
mod size;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pitree_format::Object;
use serde::{Deserialize, Serialize};

use super::rounds::judged;
use super::session::{PlannedSource, SessionResult, SpoolPlace};
use crate::card::CardTotals;
use crate::error::ExtractError;
use crate::format::FormatName;
use crate::options::ExtractOptions;
use crate::quality::{Decisions, Dedupe, Families, Split, decide};
use crate::report::{LeftOut, Plan};

pub(crate) use shards::Unit;

/// What is told of a data set besides its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The sums, but for those of the files.
    pub(crate) totals: CardTotals,
    /// How much is written.
    pub(crate) size: Plan,
    /// Sessions that are in it, and those among them that an earlier run has done.
    pub(crate) sessions: usize,
    pub(crate) cached: usize,
    /// Sessions that are not in it, and why.
    pub(crate) left_out: Vec<(PathBuf, LeftOut)>,
    /// Sessions that are in it without some of their lines.
    pub(crate) damaged: Vec<(PathBuf, u64)>,
    /// Outcomes that are about entries that no file of their session has.
    pub(crate) unknown_entries: usize,
    /// The groups of near duplicates, if they are listed.
    pub(crate) duplicates: Option<String>,
}

/// All sessions with what they gave and what was decided.
pub(crate) struct Decided<'a> {
    sources: &'a [PlannedSource],
    results: &'a [SessionResult],
    decisions: Decisions,
}

/// A session as it goes into a file.
#[derive(Clone, Debug)]
pub(crate) struct KeptSession {
    /// Its place in the final order.
    pub(crate) number: usize,
    pub(crate) place: SpoolPlace,
    pub(crate) split: Split,
    pub(crate) samples: Vec<SampleFate>,
}

/// What becomes of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SampleFate {
    pub(crate) is_dropped: bool,
    /// The group of near duplicates that it belongs to.
    pub(crate) cluster: Option<String>,
}

/// The parts that a data set has.
pub(crate) fn parts(options: &ExtractOptions) -> &'static [Split] {
    match options.quality.validation {
        Some(_) => &[Split::Train, Split::Validation],
        None => &[Split::All],
    }
}

impl<'a> Decided<'a> {
    /// Decides what becomes of all samples. No reply is a target of two sessions any more.
    pub(crate) fn of(
        sources: &'a [PlannedSource],
        results: &'a [SessionResult],
        families: Families,
        options: &ExtractOptions,
    ) -> Self {
        let decisions = decide(&judged(sources, results), families, &options.quality);
        Self { sources, results, decisions }
    }

    /// A session as it goes into a file; `None` if it is not in the data set.
    pub(crate) fn session(&self, number: usize) -> Option<KeptSession> {
        let done = self.results[number].done()?;
        let decision = &self.decisions.sessions[number];
        let samples = decision.samples.iter().map(|verdict| SampleFate {
            is_dropped: verdict.dropped.is_some(),
            cluster: verdict.cluster.and_then(|place| self.sample_id(place)).map(str::to_owned),
        });
        let (place, split) = (done.place.clone(), decision.split);
        Some(KeptSession { number, place, split, samples: samples.collect() })
    }

    /// The files that are made, and the sessions that go into each of them.
    pub(crate) fn units(&self, format: FormatName, options: &ExtractOptions) -> Vec<Unit> {
        shards::units(self, format, options)
    }

    /// How many bytes are written of a session.
    fn bytes(&self, number: usize) -> u64 {
        let Some(summary) = self.results[number].summary() else { return 0 };
        let bytes = summary.sample_bytes.iter().zip(&self.decisions.sessions[number].samples);
        let kept = bytes.filter(|(_, verdict)| verdict.dropped.is_none()).map(|(bytes, _)| bytes);
        summary.session_bytes + kept.sum::<u64>()
    }

    /// The id of a sample by its session and number.
    fn sample_id(&self, (session, number): (usize, usize)) -> Option<&str> {
        let summary = self.results.get(session)?.summary()?;
        Some(&summary.samples.get(number)?.id)
    }

    /// What is told of the data set.
    pub(crate) fn outcome(&self, options: &ExtractOptions) -> Result<Outcome, ExtractError> {
        let size = size::checked(self, options)?;
        let mut outcome = Outcome {
            totals: self.totals(options),
            size,
            cached: self.results.iter().filter(|result| result.is_cached()).count(),
            left_out: options.no_sessions.clone(),
            unknown_entries: self.unknown_entries(),
            duplicates: (options.quality.dedupe == Dedupe::Mark).then(|| self.duplicates()),
            ..Outcome::default()
        };
        for (planned, result) in self.sources.iter().zip(self.results) {
            let path = &planned.source.path;
            match result {
                SessionResult::Done(done) => {
                    outcome.sessions += 1;
                    let lines = done.summary.counts.damaged_lines;
                    outcome.damaged.extend((lines > 0).then(|| (path.clone(), lines)));
                }
                SessionResult::LeftOut(why) => outcome.left_out.push((path.clone(), why.clone())),
            }
        }
        Ok(outcome)
    }

    /// All sums for the card, but for those of its files.
    fn totals(&self, options: &ExtractOptions) -> CardTotals {
        let decisions = &self.decisions;
        let mut totals = CardTotals {
            // A part in which nothing is has a count too.
            samples: parts(options).iter().map(|part| (*part, 0)).collect(),
            families: decisions.families,
            largest_family: decisions.largest_family,
            sessions_left_out: options.no_sessions.len() as u64,
            ..CardTotals::default()
        };
        // The file of a sub-agent may be a session of the data set, or belong to several of them.
        let mut told: HashSet<&Path> =
            self.sources.iter().map(|planned| &*planned.source.path).collect();
        for (at, result) in self.results.iter().enumerate() {
            let Some(summary) = result.summary() else {
                totals.sessions_left_out += 1;
                continue;
            };
            let decision = &decisions.sessions[at];
            let kept = summary.samples.iter().zip(&decision.samples);
            let kept = kept.filter(|(_, verdict)| verdict.dropped.is_none());
            let about = &self.sources[at].source.about;
            totals.add_session(about, &summary.counts, decision.split, kept.map(|it| it.0));
            for other in &summary.other_redactions {
                if told.insert(&other.path) {
                    totals.add_redactions(&other.by_rule);
                    totals.likely_left += other.likely_left;
                }
            }
        }
        for (&reason, count) in &decisions.dropped {
            *totals.left_out.entry(reason).or_default() += count;
        }
        totals.replies = replies::count(self.results, decisions);
        totals
    }

    /// The groups of near duplicates, one sample a line.
    fn duplicates(&self) -> String {
        let mut lines = String::new();
        for (session, decision) in self.decisions.sessions.iter().enumerate() {
            for (number, verdict) in decision.samples.iter().enumerate() {
                let Some(cluster) = verdict.cluster else { continue };
                let line = Object::new()
                    .with("cluster", self.sample_id(cluster).unwrap_or_default())
                    .with("id", self.sample_id((session, number)).unwrap_or_default());
                pitree_format::js::print(&line.into(), &mut lines);
                lines.push('\n');
            }
        }
        lines
    }

    /// How many outcomes are about entries that no file of their session has.
    fn unknown_entries(&self) -> usize {
        let mut unknown: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (planned, result) in self.sources.iter().zip(self.results) {
            let Some(summary) = result.summary() else { continue };
            let missing = &summary.counts.unknown_entries;
            if missing.is_empty() && planned.source.about.entry_outcomes.is_empty() {
                continue;
            }
            let missing: HashSet<&str> = missing.iter().map(String::as_str).collect();
            let session = unknown.entry(&planned.source.about.session_id);
            session
                .and_modify(|so_far| so_far.retain(|id| missing.contains(id)))
                .or_insert(missing);
        }
        unknown.values().map(HashSet::len).sum()
    }
}
