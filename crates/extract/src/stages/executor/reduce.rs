//! The stage `reduce`: the facts of all shards become decisions, or orders for one more round.
//!
//! There may be more facts than memory holds, so they are never held: each question is a pass over
//! the files with the facts, one session after the other, and what sessions have in common is found
//! by [`reduce`](crate::reduce). In memory are, besides its buffers:
//!
//! - numbers and bits for each session, and its path;
//! - the next session of each shard;
//! - what a round orders, with the keys of replies that are copies of others;
//! - the ids of entries that have outcomes but are not there;
//! - digests of the secrets that were found.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::decided_facts::DecidedFacts;
use super::facts::FactsOfRounds;
use super::{Executor, Round, missing};
use crate::error::ExtractError;
use crate::output::OutputShard;
use crate::quality::{Dedupe, Families};
use crate::reduce::{ComparedSession, Comparison, Reducer, SampleIds};
use crate::stages::decided::{Outcome, Survey, each_duplicate, units};
use crate::stages::record_file::{RecordReader, RecordWriter};
use crate::stages::results::Results;
use crate::stages::round_file::RoundOrders;
use crate::stages::rounds::RoundState;
use crate::stages::work_folder;

/// The endings of what is written here.
const REDUCED: &str = "reduced";
const DECIDED: &str = "decided";
const DUPLICATES: &str = "duplicates";

/// What a round has led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduced {
    /// Some sessions are to be worked on once more, now that others are known.
    MapAgain(Round),
    /// It is decided what becomes of every sample.
    Decided(DecidedPlan),
}

/// What was decided, by the name under which the work folder knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedPlan {
    /// The name.
    pub id: String,
    /// How many output shards there are. Each is one file, or one of each table.
    pub shards: usize,
    /// How many sessions are in the data set.
    pub sessions: usize,
    /// How many samples are.
    pub samples: usize,
    /// About how many bytes are written.
    pub output_bytes: u64,
}

/// What was decided, as it lies in the work folder.
#[derive(Serialize, Deserialize)]
pub(super) struct DecidedFile {
    pub(super) outcome: Outcome,
    pub(super) shards: Vec<OutputShard>,
}

impl Executor {
    /// Compares what the shards of a round have given: either some sessions are to be worked on
    /// again, or all is decided. This is done in one place; all it reads are facts, and however many
    /// there are, they need not fit into memory.
    ///
    /// # Errors
    /// Fails if a shard of this round or of one before it is not done, if its facts are damaged, or
    /// if the data set would have more bytes than it may.
    pub fn reduce(&self, round: &Round) -> Result<Reduced, ExtractError> {
        let address = self.folder.address("reduce", &[&round.id]);
        let path = self.folder.reduced(&address, REDUCED);
        if let Some(json) = work_folder::read::<String>(&path)?
            && let Ok(reduced) = serde_json::from_str(&json)
            && self.is_whole(&reduced)
        {
            return Ok(reduced);
        }
        let facts = self.facts_of_rounds(round)?;
        let mut state = facts.state();
        let room = (self.memory, self.folder.path());
        let (orders, comparison) = match state.next(&self.sources, &facts, &self.options, room)? {
            Some(orders) => (orders, None),
            None => {
                let comparison = self.compare(&mut state, &facts)?;
                (state.learn_once(&comparison)?, Some(comparison))
            }
        };
        let reduced = match comparison.filter(|_| orders.is_empty()) {
            Some(comparison) => Reduced::Decided(self.decide(&address, &facts, comparison)?),
            None => {
                let again = RoundOrders::again(round, &orders, state, &self.plan, &self.sources);
                Reduced::MapAgain(again.save(&self.folder)?)
            }
        };
        let json = serde_json::to_string(&reduced)
            .map_err(|_| ExtractError::Unexpected("what was reduced cannot be written"))?;
        work_folder::write(&path, &json)?;
        Ok(reduced)
    }

    /// Whether all that was written with an earlier answer is still there; else it is made again.
    fn is_whole(&self, reduced: &Reduced) -> bool {
        match reduced {
            Reduced::MapAgain(round) => self.orders(round).is_ok(),
            Reduced::Decided(decided) => {
                let is_whole = |shard| {
                    self.unit(decided, shard).is_ok_and(|mut unit| unit.all(|it| it.is_ok()))
                };
                let has_duplicates = self.options.quality.dedupe != Dedupe::Mark || {
                    let list =
                        RecordReader::<String>::open_sound(&self.duplicates_path(&decided.id));
                    list.is_ok_and(|list| list.is_some())
                };
                let files = self.decided(decided);
                files.is_ok() && has_duplicates && (0..decided.shards).all(is_whole)
            }
        }
    }

    /// Compares all sessions by their facts, and notes which of them belong together.
    fn compare(
        &self,
        state: &mut RoundState,
        facts: &FactsOfRounds<'_>,
    ) -> Result<Comparison, ExtractError> {
        let (quality, cancel) = (&self.options.quality, &self.options.cancel);
        let mut reducer = Reducer::new(quality, self.memory, self.folder.path(), cancel);
        facts.each(&mut |at, result| {
            let (about, summary) = (&self.sources[at].source.about, result.summary());
            let samples = summary.map_or(&[][..], |summary| &summary.samples);
            let copies = summary.map_or(&[][..], |summary| &summary.counts.copies);
            reducer.push(&ComparedSession::new(about, samples).with_copies(copies))?;
            Ok(())
        })?;
        // What they had in common before may be context by now.
        for (at, oldest) in (0..).zip(state.related().into_iter().flat_map(Families::all_oldest)) {
            reducer.join(oldest, at)?;
        }
        let mut comparison = reducer.compare()?;
        let oldest = (0..comparison.sessions()).map(|at| comparison.oldest(at));
        state.set_related(Families::of_oldest(oldest));
        Ok(comparison)
    }

    /// Decides, and writes what was decided: the sums, and for each output shard its sessions.
    fn decide(
        &self,
        address: &str,
        facts: &FactsOfRounds<'_>,
        comparison: Comparison,
    ) -> Result<DecidedPlan, ExtractError> {
        let options = &self.options;
        let decisions = comparison.decide()?;
        let leaders = SampleIds::new(self.memory / 4, self.folder.path(), &options.cancel);
        let has_leaders = options.quality.dedupe.is_near();
        let decided = DecidedFacts::new(&self.sources, facts, decisions, leaders, has_leaders)?;
        let Survey { outcome, kept } = Survey::of(&decided, options)?;
        let units = units(&kept, self.format.name(), options);
        self.write_units(address, &units, &decided)?;
        if options.quality.dedupe == Dedupe::Mark {
            let mut lines = RecordWriter::<String>::new(&self.duplicates_path(address))?;
            each_duplicate(&decided, &mut |line| lines.add(&line.to_owned()))?;
            lines.finish()?;
        }
        let plan = DecidedPlan {
            id: address.to_owned(),
            shards: units.len(),
            sessions: outcome.sessions,
            samples: outcome.size.samples,
            output_bytes: outcome.size.output_bytes,
        };
        let shards = units.into_iter().map(|unit| unit.shard).collect();
        let path = self.folder.reduced(address, DECIDED);
        work_folder::write(&path, &DecidedFile { outcome, shards })?;
        Ok(plan)
    }

    fn duplicates_path(&self, id: &str) -> PathBuf {
        self.folder.reduced(id, DUPLICATES)
    }

    /// Shows the lines about near duplicates.
    pub(super) fn each_duplicate(
        &self,
        decided: &DecidedPlan,
        show: &mut dyn FnMut(&str) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let path = self.duplicates_path(&decided.id);
        let lines = RecordReader::<String>::open_sound(&path)?;
        let mut lines = lines.ok_or_else(|| missing(&path, "reduce the plan"))?;
        lines.try_for_each(|line| show(&line?))
    }

    /// What was decided.
    pub(super) fn decided(&self, decided: &DecidedPlan) -> Result<DecidedFile, ExtractError> {
        let is_name = decided.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.folder.reduced(if is_name { &decided.id } else { "" }, DECIDED);
        work_folder::read(&path)?.ok_or_else(|| missing(&path, "reduce the plan"))
    }
}
