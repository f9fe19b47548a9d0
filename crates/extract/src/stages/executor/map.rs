//! The stage `map`: the sessions of a shard give spools, and facts about them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Executor, Round};
use crate::error::ExtractError;
use crate::output::spool::{SpoolFile, Summary};
use crate::stages::facts_file::{Fact, FactsReader, FactsWriter, SessionFacts};
use crate::stages::round_file::RoundOrders;
use crate::stages::rounds::FamilySecrets;
use crate::stages::session::{JobOrder, SessionResult, Worker};
use crate::stages::work_folder::{beside, persist};

/// The endings of what a shard gives.
pub(super) const PACK: &str = "pack";
pub(super) const FACTS: &str = "facts";

/// What the work on a shard has given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapDone {
    /// The round.
    pub round: usize,
    /// The shard of it.
    pub shard: usize,
    /// How many sessions it has.
    pub sessions: usize,
    /// How many bytes the sessions have.
    pub bytes: u64,
    /// Whether it was done before, and was found again.
    pub was_done: bool,
}

impl Executor {
    /// Works on the sessions of a shard, and puts what they give into the work folder. If that was
    /// done before it is found again, and doing it twice at the same time does no harm.
    ///
    /// # Errors
    /// Fails if a session is not as it was when the plan was made, if it cannot be fetched from its
    /// bucket, or if the work folder cannot be written. A session that cannot be read is no error: it
    /// is left out, and told at the end.
    pub fn map(&self, round: &Round, shard: usize) -> Result<MapDone, ExtractError> {
        let orders = self.orders(round)?;
        let own = orders.shards.get(shard).ok_or_else(|| {
            let count = orders.shards.len();
            ExtractError::Plan(format!("There is no shard {shard}: the round has {count}, from 0"))
        })?;
        let pinned = own.iter().filter_map(|order| self.sources[order.session].pinned);
        let mut done = MapDone {
            round: round.number,
            shard,
            sessions: own.len(),
            bytes: pinned.fold(0, u64::saturating_add),
            was_done: true,
        };
        let (pack, facts) = self.map_files(round, shard);
        // The facts come last. Whoever reads them notices if they are damaged.
        if facts.is_file() && pack.is_file() {
            return Ok(done);
        }
        done.was_done = false;
        self.bring(own)?;
        let families: Vec<FamilySecrets> =
            orders.families().iter().map(FamilySecrets::from).collect();
        let scratch = beside(&pack)?;
        let mut file = SpoolFile::over(scratch.path())?;
        let mut writer = FactsWriter::new(&facts)?;
        for (at, order) in own.iter().enumerate() {
            self.options.go_on()?;
            writer.add(&self.one(order, &families, &mut file)?)?;
            if let Some(progress) = &self.options.progress {
                progress.step(at + 1, own.len());
            }
        }
        file.flush()?;
        drop(file);
        persist(scratch, &pack)?;
        writer.finish()?;
        Ok(done)
    }

    fn one(
        &self,
        order: &JobOrder,
        families: &[FamilySecrets],
        file: &mut SpoolFile,
    ) -> Result<SessionFacts, ExtractError> {
        let worker = Worker {
            sources: &self.local,
            format: &*self.format,
            options: &self.options,
            environment: &self.environment,
            cache: None,
            scratch: &self.options.temporary,
            secrets: &self.secrets,
        };
        let made = order.with_job(&self.local, families, |job| worker.work(job, file))?;
        let what = match made {
            None => Fact::Unchanged,
            Some(SessionResult::LeftOut(why)) => {
                let path = &self.local[order.session].source.path;
                Fact::LeftOut(self.options.mirrors.shown_why(path, why))
            }
            Some(SessionResult::Done(done)) => {
                Fact::Done(done.place.extent, Box::new(self.shown(done.summary)))
            }
        };
        Ok(SessionFacts { session: order.session, what })
    }

    /// Brings the sessions of a shard to this machine. The records of sub-agents come when they are
    /// asked for.
    fn bring(&self, own: &[JobOrder]) -> Result<(), ExtractError> {
        if !self.plan.buckets().is_empty() && self.remote.is_none() {
            let message = "The plan reads URLs; tell the executor how to reach them (with_remote)";
            return Err(ExtractError::Plan(message.to_owned()));
        }
        let file = |order: &JobOrder| &*self.local[order.session].source.path;
        self.options.mirrors.bring(&own.iter().map(file).collect::<Vec<_>>())
    }

    /// What is known of a session, with names of files that mean the same on all machines.
    fn shown(&self, mut summary: Summary) -> Summary {
        let mirrors = &self.options.mirrors;
        summary.others.iter_mut().for_each(|(path, _)| *path = mirrors.shown(path));
        summary
            .other_redactions
            .iter_mut()
            .for_each(|other| other.path = mirrors.shown(&other.path));
        summary
    }

    /// What a round asks for.
    pub(super) fn orders(&self, round: &Round) -> Result<RoundOrders, ExtractError> {
        if *round == self.first_round() {
            return Ok(RoundOrders::first(&self.plan, &self.sources, &*self.options.guard));
        }
        RoundOrders::load(&self.folder, round)
    }

    /// Where the spools and the facts of a shard are.
    pub(super) fn map_files(&self, round: &Round, shard: usize) -> (PathBuf, PathBuf) {
        let address = self.folder.address("map", &[&round.id, &shard.to_string()]);
        (self.folder.map(&address, PACK), self.folder.map(&address, FACTS))
    }

    /// The facts of a shard that was worked on.
    pub(super) fn facts(&self, round: &Round, shard: usize) -> Result<FactsReader, ExtractError> {
        let (pack, facts) = self.map_files(round, shard);
        let missing = || {
            let number = round.number;
            let message = format!("Shard {shard} of round {number} is not done; map it first");
            ExtractError::Plan(message)
        };
        if !pack.is_file() {
            return Err(missing());
        }
        FactsReader::open(&facts)?.ok_or_else(missing)
    }
}
