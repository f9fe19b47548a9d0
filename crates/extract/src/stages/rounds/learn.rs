//! Works on sessions again until no reply is a target of two of them.

use std::collections::{BTreeSet, HashSet};

use super::{RoundState, judged};
use crate::error::ExtractError;
use crate::quality::Families;
use crate::reduce::Comparison;
use crate::reply_keys::TargetKey;
use crate::stages::session::{JobOrder, PlannedSource, SessionResult};

/// Which replies sessions have in common, as it was found in memory or out of it.
pub(crate) trait CommonReplies {
    /// Gives the sessions with targets that an older one has too, in order.
    fn each_repeated(
        &self,
        take: &mut dyn FnMut(usize, Vec<TargetKey>),
    ) -> Result<(), ExtractError>;

    /// Gives the copies of which no other is trained, with their sessions, in order. What is taken
    /// is trained from then on.
    fn each_orphan(
        &self,
        take: &mut dyn FnMut(usize, TargetKey) -> bool,
    ) -> Result<(), ExtractError>;
}

impl RoundState {
    /// Works on the sessions once more that have replies which an older one has too, or that learn
    /// them after all. In memory are the keys of the replies that several sessions have.
    pub(crate) fn learn_once(
        &mut self,
        common: &dyn CommonReplies,
    ) -> Result<Vec<JobOrder>, ExtractError> {
        let mut places = Vec::new();
        common.each_repeated(&mut |at, repeated| {
            let own = self.elsewhere.entry(at).or_default();
            let before = own.len();
            own.extend(repeated);
            if own.len() > before {
                places.push(at);
            }
        })?;
        // Once is enough, unless a form holds a sample only after a reply has become context.
        if places.is_empty() {
            places = self.release(common)?;
        }
        Ok(places.into_iter().map(|at| self.order(at)).collect())
    }

    /// Finds copies whose original is not trained after all: its session was worked on again with
    /// other replies as context, and then the form could not hold it. The oldest copy takes its
    /// place. Gives the sessions of these.
    fn release(&mut self, common: &dyn CommonReplies) -> Result<Vec<usize>, ExtractError> {
        let mut places = Vec::new();
        if self.elsewhere.values().all(BTreeSet::is_empty) {
            return Ok(places);
        }
        common.each_orphan(&mut |at, copy| {
            let Some(own) = self.elsewhere.get_mut(&at) else { return false };
            if !self.released.insert((at, copy)) {
                return false;
            }
            if own.remove(&copy) && places.last() != Some(&at) {
                places.push(at);
            }
            true
        })?;
        Ok(places)
    }

    /// Compares sessions of which all facts are in memory.
    pub(crate) fn compare<'r>(
        &mut self,
        sources: &[PlannedSource],
        results: &'r [SessionResult],
    ) -> ComparedInMemory<'r> {
        let judged = judged(sources, results);
        let families = self.related.get_or_insert_with(|| Families::of(&judged));
        ComparedInMemory { results, repeated: families.compare(&judged) }
    }

    /// Which sessions belong together, as far as that was found out by comparing them.
    pub(crate) fn related(&self) -> Option<&Families> {
        self.related.as_ref()
    }

    pub(crate) fn set_related(&mut self, families: Families) {
        self.related = Some(families);
    }
}

/// What sessions have in common of which all facts are in memory.
pub(crate) struct ComparedInMemory<'r> {
    results: &'r [SessionResult],
    /// For each session the targets that an older one has too.
    repeated: Vec<HashSet<TargetKey>>,
}

impl CommonReplies for ComparedInMemory<'_> {
    fn each_repeated(
        &self,
        take: &mut dyn FnMut(usize, Vec<TargetKey>),
    ) -> Result<(), ExtractError> {
        let some = self.repeated.iter().enumerate().filter(|(_, repeated)| !repeated.is_empty());
        some.for_each(|(at, repeated)| take(at, repeated.iter().copied().collect()));
        Ok(())
    }

    fn each_orphan(
        &self,
        take: &mut dyn FnMut(usize, TargetKey) -> bool,
    ) -> Result<(), ExtractError> {
        let summaries = || {
            let results = self.results.iter().enumerate();
            results.filter_map(|(at, result)| Some((at, result.summary()?)))
        };
        let samples = summaries().flat_map(|(_, summary)| &summary.samples);
        let trained = samples.flat_map(|sample| &sample.targets).flat_map(|target| target.both());
        let mut trained: HashSet<TargetKey> = trained.collect();
        for (at, summary) in summaries() {
            for copy in &summary.counts.copies {
                let is_trained = copy.both().iter().any(|key| trained.contains(key));
                if !is_trained && take(at, copy.path) {
                    // One copy is enough.
                    trained.extend(copy.both());
                }
            }
        }
        Ok(())
    }
}

impl CommonReplies for Comparison {
    fn each_repeated(
        &self,
        take: &mut dyn FnMut(usize, Vec<TargetKey>),
    ) -> Result<(), ExtractError> {
        for repeated in self.repeated()? {
            let repeated = repeated?;
            take(repeated.session as usize, repeated.paths);
        }
        Ok(())
    }

    fn each_orphan(
        &self,
        take: &mut dyn FnMut(usize, TargetKey) -> bool,
    ) -> Result<(), ExtractError> {
        Comparison::each_orphan(self, |session, path| take(session as usize, path))
    }
}
