//! What was decided out of core, together with the facts that it is about.

use super::facts::FactsOfRounds;
use crate::error::ExtractError;
use crate::quality::{SessionDecision, Verdict};
use crate::reduce::{Decisions, SampleDecision, SampleIds, SamplePlace};
use crate::stages::decided::{DecidedSession, DecidedSessions, DecidedSums};
use crate::stages::results::Results;
use crate::stages::session::PlannedSource;

/// Reads both side by side, a session at a time.
pub(super) struct DecidedFacts<'e> {
    sources: &'e [PlannedSource],
    facts: &'e FactsOfRounds<'e>,
    decisions: Decisions,
    /// The ids of samples that others are near duplicates of.
    leaders: SampleIds,
}

impl<'e> DecidedFacts<'e> {
    /// Goes through the facts once for the ids that others are named by, if there are any.
    pub(super) fn new(
        sources: &'e [PlannedSource],
        facts: &'e FactsOfRounds<'e>,
        decisions: Decisions,
        leaders: SampleIds,
        has_leaders: bool,
    ) -> Result<Self, ExtractError> {
        let mut decided = Self { sources, facts, decisions, leaders };
        if has_leaders {
            decided.find_leaders()?;
        }
        Ok(decided)
    }

    fn find_leaders(&mut self) -> Result<(), ExtractError> {
        let mut decisions = self.decisions.iter()?;
        self.facts.each(&mut |_, result| {
            let decided = decisions.next().transpose()?;
            let Some((decided, summary)) = decided.zip(result.summary()) else { return Ok(()) };
            for (sample, (facts, decision)) in
                (0..).zip(summary.samples.iter().zip(&decided.samples))
            {
                let place = SamplePlace { session: decided.session, sample };
                if decision.cluster == Some(place) {
                    self.leaders.push(place, &facts.id)?;
                }
            }
            Ok(())
        })
    }
}

impl DecidedSessions for DecidedFacts<'_> {
    fn sources(&self) -> &[PlannedSource] {
        self.sources
    }

    fn sums(&self) -> DecidedSums {
        DecidedSums {
            dropped: self.decisions.dropped().clone(),
            families: self.decisions.families() as usize,
            largest_family: self.decisions.largest_family() as usize,
        }
    }

    fn each(
        &self,
        show: &mut dyn FnMut(DecidedSession<'_>) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let missing = || ExtractError::Unexpected("nothing was decided on a session");
        let mut decisions = self.decisions.iter()?;
        self.facts.each(&mut |number, result| {
            let decided = decisions.next().ok_or_else(missing)??;
            let samples = decided.samples.into_iter().map(verdict).collect();
            let decision = &SessionDecision { split: decided.split, samples };
            show(DecidedSession { number, result, decision })
        })
    }

    fn leader_id(&self, (session, number): (usize, usize)) -> Result<Option<String>, ExtractError> {
        let (Ok(session), Ok(sample)) = (u32::try_from(session), u32::try_from(number)) else {
            return Ok(None);
        };
        self.leaders.get(SamplePlace { session, sample })
    }
}

fn verdict(SampleDecision { dropped, cluster }: SampleDecision) -> Verdict {
    let place = |place: SamplePlace| (place.session as usize, place.sample as usize);
    Verdict { dropped, cluster: cluster.map(place) }
}
