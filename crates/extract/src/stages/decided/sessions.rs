//! What was decided on each session, wherever it lies.

use crate::error::ExtractError;
use crate::quality::{Decisions, SessionDecision, Verdict};
use crate::stages::decided::{DecidedSums, KeptSession, SampleFate};
use crate::stages::session::{PlannedSource, SessionResult};

/// A session with what it gave and what was decided.
#[derive(Clone, Copy)]
pub(crate) struct DecidedSession<'a> {
    /// Its place in the final order.
    pub(crate) number: usize,
    pub(crate) result: &'a SessionResult,
    pub(crate) decision: &'a SessionDecision,
}

/// All sessions with what they gave and what was decided, as often as somebody goes through them.
pub(crate) trait DecidedSessions {
    /// All sessions, as they are planned.
    fn sources(&self) -> &[PlannedSource];

    /// What was decided on all of them.
    fn sums(&self) -> DecidedSums;

    /// Shows each session, in their final order.
    fn each(
        &self,
        show: &mut dyn FnMut(DecidedSession<'_>) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError>;

    /// The id of a sample that others are near duplicates of, by its session and number.
    fn leader_id(&self, place: (usize, usize)) -> Result<Option<String>, ExtractError>;
}

impl DecidedSession<'_> {
    /// As it goes into a file; `None` if it is not in the data set.
    pub(crate) fn kept(
        &self,
        leader_id: impl Fn((usize, usize)) -> Result<Option<String>, ExtractError>,
    ) -> Result<Option<KeptSession>, ExtractError> {
        let Some(done) = self.result.done() else { return Ok(None) };
        let fate = |verdict: &Verdict| {
            let cluster = verdict.cluster.map(&leader_id).transpose()?.flatten();
            Ok::<_, ExtractError>(SampleFate { is_dropped: verdict.dropped.is_some(), cluster })
        };
        let samples = self.decision.samples.iter().map(fate).collect::<Result<_, _>>()?;
        let (place, split) = (done.place.clone(), self.decision.split);
        Ok(Some(KeptSession { number: self.number, place, split, samples }))
    }

    /// How many bytes are written of it.
    pub(super) fn bytes(&self) -> u64 {
        let Some(summary) = self.result.summary() else { return 0 };
        let bytes = summary.sample_bytes.iter().zip(&self.decision.samples);
        let kept = bytes.filter(|(_, verdict)| verdict.dropped.is_none()).map(|(bytes, _)| bytes);
        summary.session_bytes + kept.sum::<u64>()
    }
}

/// Sessions of which everything is in memory.
pub(crate) struct DecidedInMemory<'a> {
    sources: &'a [PlannedSource],
    results: &'a [SessionResult],
    decisions: Decisions,
}

impl<'a> DecidedInMemory<'a> {
    pub(crate) fn new(
        sources: &'a [PlannedSource],
        results: &'a [SessionResult],
        decisions: Decisions,
    ) -> Self {
        Self { sources, results, decisions }
    }

    /// A session as it goes into a file; `None` if it is not in the data set.
    pub(crate) fn session(&self, number: usize) -> Result<Option<KeptSession>, ExtractError> {
        self.decided(number).kept(|place| self.leader_id(place))
    }

    fn decided(&self, number: usize) -> DecidedSession<'_> {
        let (result, decision) = (&self.results[number], &self.decisions.sessions[number]);
        DecidedSession { number, result, decision }
    }
}

impl DecidedSessions for DecidedInMemory<'_> {
    fn sources(&self) -> &[PlannedSource] {
        self.sources
    }

    fn sums(&self) -> DecidedSums {
        let Decisions { dropped, families, largest_family, .. } = &self.decisions;
        let (families, largest_family) = (*families, *largest_family);
        DecidedSums { dropped: dropped.clone(), families, largest_family }
    }

    fn each(
        &self,
        show: &mut dyn FnMut(DecidedSession<'_>) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        (0..self.results.len()).try_for_each(|number| show(self.decided(number)))
    }

    fn leader_id(&self, (session, number): (usize, usize)) -> Result<Option<String>, ExtractError> {
        let summary = self.results.get(session).and_then(SessionResult::summary);
        Ok(summary.and_then(|it| it.samples.get(number)).map(|sample| sample.id.clone()))
    }
}
