//! The stage `reduce`: the facts of all shards become decisions, or orders for one more round.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Executor, Round, missing};
use crate::error::ExtractError;
use crate::output::OutputShard;
use crate::output::spool::Extent;
use crate::quality::Split;
use crate::stages::decided::{Decided, KeptSession, Outcome, SampleFate, Unit};
use crate::stages::round_file::RoundOrders;
use crate::stages::rounds::RoundState;
use crate::stages::session::{SessionResult, SpoolPlace};
use crate::stages::work_folder;

/// The endings of what is written here.
const REDUCED: &str = "reduced";
const DECIDED: &str = "decided";
const UNIT: &str = "unit";

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

/// The sessions of an output shard, as they lie in the work folder.
#[derive(Serialize, Deserialize)]
struct UnitFile {
    /// The files of spools, below the work folder.
    packs: Vec<PathBuf>,
    sessions: Vec<UnitSession>,
}

#[derive(Serialize, Deserialize)]
struct UnitSession {
    number: usize,
    pack: usize,
    extent: Extent,
    split: Split,
    samples: Vec<SampleFate>,
}

impl Executor {
    /// Compares what the shards of a round have given: either some sessions are to be worked on
    /// again, or all is decided. This is done in one place; all it reads are facts.
    ///
    /// # Errors
    /// Fails if a shard of this round or of one before it is not done, if its facts are damaged, or
    /// if the data set would have more bytes than it may.
    pub fn reduce(&self, round: &Round) -> Result<Reduced, ExtractError> {
        let address = self.folder.address("reduce", &[&round.id]);
        let path = self.folder.reduced(&address, REDUCED);
        if let Some(json) = work_folder::read::<String>(&path)?
            && let Ok(reduced) = serde_json::from_str(&json)
        {
            return Ok(reduced);
        }
        let (results, changed, mut state) = self.results(round)?;
        let guard = &*self.options.guard;
        let orders = state.next(&self.sources, &results, &changed, guard);
        let reduced = if orders.is_empty() {
            Reduced::Decided(self.decide(&address, &results, state)?)
        } else {
            let again = RoundOrders::again(round, &orders, state, &self.plan, &self.sources);
            Reduced::MapAgain(again.save(&self.folder)?)
        };
        let json = serde_json::to_string(&reduced)
            .map_err(|_| ExtractError::Unexpected("what was reduced cannot be written"))?;
        work_folder::write(&path, &json)?;
        Ok(reduced)
    }

    /// What all sessions have given up to a round, which of them the round has changed, and how far
    /// the rounds have come.
    fn results(
        &self,
        round: &Round,
    ) -> Result<(Vec<SessionResult>, Vec<usize>, RoundState), ExtractError> {
        let last = self.orders(round)?;
        let state = last.state.clone();
        let mut rounds = vec![(round.clone(), last)];
        while let Some(before) = rounds.last().and_then(|(_, orders)| orders.before.clone()) {
            let orders = self.orders(&before)?;
            rounds.push((before, orders));
        }
        rounds.reverse();
        let (mut results, mut changed) = (Vec::with_capacity(self.sources.len()), Vec::new());
        for known in self.facts_in_order(&rounds)? {
            self.options.go_on()?;
            let known = known?;
            if known.is_changed {
                changed.push(results.len());
            }
            results.push(known.result);
        }
        Ok((results, changed, state))
    }

    /// Decides, and writes what was decided: the sums, and for each output shard its sessions.
    fn decide(
        &self,
        address: &str,
        results: &[SessionResult],
        state: RoundState,
    ) -> Result<DecidedPlan, ExtractError> {
        let families = state.into_families(&self.sources, results);
        let decided = Decided::of(&self.sources, results, families, &self.options);
        let outcome = decided.outcome(&self.options)?;
        let units = decided.units(self.format.name(), &self.options);
        for (number, unit) in units.iter().enumerate() {
            let file = self.unit_file(unit, &decided);
            work_folder::write(&self.unit_path(address, number), &file)?;
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

    fn unit_file(&self, unit: &Unit, decided: &Decided<'_>) -> UnitFile {
        let mut packs: Vec<PathBuf> = Vec::new();
        let mut known: HashMap<Arc<Path>, usize> = HashMap::new();
        let sessions = unit.sessions.iter().filter_map(|at| decided.session(*at));
        let sessions = sessions.map(|KeptSession { number, place, split, samples }| {
            let pack = *known.entry(Arc::clone(&place.file)).or_insert_with(|| {
                // The folder may have another path for others.
                let below = place.file.strip_prefix(self.folder.path()).unwrap_or(&place.file);
                packs.push(below.to_owned());
                packs.len() - 1
            });
            UnitSession { number, pack, extent: place.extent, split, samples }
        });
        let sessions = sessions.collect();
        UnitFile { packs, sessions }
    }

    fn unit_path(&self, id: &str, number: usize) -> PathBuf {
        self.folder.reduced(&format!("{id}-{number}"), UNIT)
    }

    /// What was decided.
    pub(super) fn decided(&self, decided: &DecidedPlan) -> Result<DecidedFile, ExtractError> {
        let is_name = decided.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.folder.reduced(if is_name { &decided.id } else { "" }, DECIDED);
        work_folder::read(&path)?.ok_or_else(|| missing(&path, "reduce the plan"))
    }

    /// The sessions of an output shard.
    pub(super) fn unit(
        &self,
        decided: &DecidedPlan,
        number: usize,
    ) -> Result<Vec<KeptSession>, ExtractError> {
        let path = self.unit_path(&decided.id, number);
        let unit = work_folder::read::<UnitFile>(&path)?;
        let UnitFile { packs, sessions } = unit.ok_or_else(|| missing(&path, "reduce the plan"))?;
        let packs: Vec<Arc<Path>> =
            packs.iter().map(|below| self.folder.path().join(below).into()).collect();
        let session = |session: UnitSession| {
            let damaged = || ExtractError::Damaged {
                path: path.clone(),
                problem: "it names a pack that it does not have",
            };
            let file = Arc::clone(packs.get(session.pack).ok_or_else(damaged)?);
            let place = SpoolPlace { file, extent: session.extent, is_kept: true, is_alone: false };
            let UnitSession { number, split, samples, .. } = session;
            Ok(KeptSession { number, place, split, samples })
        };
        sessions.into_iter().map(session).collect()
    }
}
