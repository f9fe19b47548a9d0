//! The facts of all sessions in their final order, whichever shards and rounds they are of.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Executor, Round};
use crate::error::ExtractError;
use crate::stages::facts_file::{Fact, FactsReader, SessionFacts};
use crate::stages::results::Results;
use crate::stages::round_file::RoundOrders;
use crate::stages::rounds::RoundState;
use crate::stages::session::{DoneSession, SessionResult, SpoolPlace};

/// The facts of all sessions after some rounds, as often as somebody goes through them.
pub(super) struct FactsOfRounds<'e> {
    executor: &'e Executor,
    /// The rounds, of which the first comes first.
    rounds: Vec<(Round, RoundOrders)>,
}

/// Goes through the sessions one by one. Of a session that was worked on several times the last
/// result counts. One record of each shard is in memory.
struct FactsInOrder {
    shards: Vec<ShardFacts>,
    /// The next session of each shard, with the number of the shard: later rounds come first.
    next: BinaryHeap<Reverse<(usize, Reverse<usize>)>>,
    /// How many sessions there are.
    sessions: usize,
    at: usize,
}

/// The facts of a shard.
struct ShardFacts {
    reader: FactsReader,
    facts: PathBuf,
    pack: Arc<Path>,
    waiting: Option<Fact>,
    /// How many sessions are still to come.
    left: usize,
    is_last_round: bool,
}

/// What is known of a session after all rounds.
struct KnownSession {
    result: SessionResult,
    /// Whether the last round has worked on it.
    is_changed: bool,
}

impl Executor {
    /// The facts after a round and those before it.
    pub(super) fn facts_of_rounds(&self, round: &Round) -> Result<FactsOfRounds<'_>, ExtractError> {
        let mut rounds = vec![(round.clone(), self.orders(round)?)];
        while let Some(before) = rounds.last().and_then(|(_, orders)| orders.before.clone()) {
            let orders = self.orders(&before)?;
            rounds.push((before, orders));
        }
        rounds.reverse();
        Ok(FactsOfRounds { executor: self, rounds })
    }

    fn facts_in_order(
        &self,
        rounds: &[(Round, RoundOrders)],
    ) -> Result<FactsInOrder, ExtractError> {
        let mut all = FactsInOrder {
            shards: Vec::new(),
            next: BinaryHeap::new(),
            sessions: self.sources.len(),
            at: 0,
        };
        for (number, (round, orders)) in rounds.iter().enumerate() {
            for (shard, own) in orders.shards.iter().enumerate() {
                let (pack, facts) = self.map_files(round, shard);
                all.shards.push(ShardFacts {
                    reader: self.facts(round, shard)?,
                    facts,
                    pack: pack.into(),
                    waiting: None,
                    left: own.len(),
                    is_last_round: number + 1 == rounds.len(),
                });
                all.advance(all.shards.len() - 1)?;
            }
        }
        Ok(all)
    }
}

impl FactsOfRounds<'_> {
    /// How far the rounds have come.
    pub(super) fn state(&self) -> RoundState {
        self.rounds.last().map(|(_, orders)| orders.state.clone()).unwrap_or_default()
    }

    fn each_known(
        &self,
        mut show: impl FnMut(usize, KnownSession) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        for (at, known) in self.executor.facts_in_order(&self.rounds)?.enumerate() {
            self.executor.options.go_on()?;
            show(at, known?)?;
        }
        Ok(())
    }
}

impl Results for FactsOfRounds<'_> {
    fn each(
        &self,
        show: &mut dyn FnMut(usize, &SessionResult) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        self.each_known(|at, known| show(at, &known.result))
    }

    fn changed(&self) -> Result<Vec<usize>, ExtractError> {
        let mut changed = Vec::new();
        self.each_known(|at, known| {
            changed.extend(known.is_changed.then_some(at));
            Ok(())
        })?;
        Ok(changed)
    }
}

impl FactsInOrder {
    /// Reads the next record of a shard.
    fn advance(&mut self, at: usize) -> Result<(), ExtractError> {
        let shard = &mut self.shards[at];
        let Some(facts) = shard.reader.next().transpose()? else {
            return match shard.left {
                0 => Ok(()),
                _ => Err(shard.damaged("it has not all sessions of its shard")),
            };
        };
        let SessionFacts { session, what } = facts;
        if session >= self.sessions || session < self.at {
            return Err(shard.damaged("it has a session of another shard"));
        }
        let left = shard.left.checked_sub(1);
        shard.left = left.ok_or_else(|| shard.damaged("it has a session of another shard"))?;
        shard.waiting = Some(what);
        self.next.push(Reverse((session, Reverse(at))));
        Ok(())
    }

    fn next_session(&mut self) -> Result<KnownSession, ExtractError> {
        let session = self.at;
        let mut known = None;
        let mut is_changed = false;
        while let Some(Reverse((next, Reverse(at)))) = self.next.peek().copied()
            && next == session
        {
            self.next.pop();
            let shard = &mut self.shards[at];
            let fact = shard.waiting.take().unwrap_or(Fact::Unchanged);
            // What comes later in time comes first here.
            if known.is_none() && fact != Fact::Unchanged {
                is_changed = shard.is_last_round;
                known = Some(shard.result(fact));
            }
            self.advance(at)?;
        }
        self.at += 1;
        let missing = || ExtractError::Plan("The shards of the plan lack a session".to_owned());
        Ok(KnownSession { result: known.flatten().ok_or_else(missing)?, is_changed })
    }
}

impl ShardFacts {
    fn damaged(&self, problem: &'static str) -> ExtractError {
        ExtractError::Damaged { path: self.facts.clone(), problem }
    }

    fn result(&self, fact: Fact) -> Option<SessionResult> {
        match fact {
            Fact::Unchanged => None,
            Fact::LeftOut(why) => Some(SessionResult::LeftOut(why)),
            Fact::Done(extent, summary) => {
                let file = Arc::clone(&self.pack);
                let place = SpoolPlace { file, extent, is_kept: true, is_alone: false };
                let done = DoneSession { place, summary: *summary, is_cached: false };
                Some(SessionResult::Done(Box::new(done)))
            }
        }
    }
}

impl Iterator for FactsInOrder {
    type Item = Result<KnownSession, ExtractError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.sessions {
            return None;
        }
        let next = self.next_session();
        if next.is_err() {
            self.at = self.sessions;
        }
        Some(next)
    }
}
