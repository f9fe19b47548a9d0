//! What was decided once all sessions are known: what becomes of each sample, the sums of the card,
//! and which sessions go into which files.

mod replies;
mod sessions;
mod shards;
mod survey;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::rounds::judged;
use super::session::{PlannedSource, SessionResult, SpoolPlace};
use crate::card::CardTotals;
use crate::options::ExtractOptions;
use crate::quality::{Families, Split, decide};
use crate::reason::DropReason;
use crate::report::{LeftOut, Plan};

pub(crate) use sessions::{DecidedInMemory, DecidedSession, DecidedSessions};
pub(crate) use shards::{Unit, units};
pub(crate) use survey::{KeptWeight, Survey, each_duplicate};

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

/// What was decided on all samples together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DecidedSums {
    /// Samples that are left out, by reason.
    pub(crate) dropped: BTreeMap<DropReason, u64>,
    /// How many families there are, and how many sessions the largest one has.
    pub(crate) families: usize,
    pub(crate) largest_family: usize,
}

/// The parts that a data set has.
pub(crate) fn parts(options: &ExtractOptions) -> &'static [Split] {
    match options.quality.validation {
        Some(_) => &[Split::Train, Split::Validation],
        None => &[Split::All],
    }
}

/// Decides what becomes of all samples, in memory. No reply is a target of two sessions any more.
pub(crate) fn decide_in_memory<'a>(
    sources: &'a [PlannedSource],
    results: &'a [SessionResult],
    families: Families,
    options: &ExtractOptions,
) -> DecidedInMemory<'a> {
    let decisions = decide(&judged(sources, results), families, &options.quality);
    DecidedInMemory::new(sources, results, decisions)
}
