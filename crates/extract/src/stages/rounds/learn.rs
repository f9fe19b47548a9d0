//! Works on sessions again until no reply is a target of two of them.

use std::collections::HashSet;

use super::{RoundState, judged};
use crate::quality::Families;
use crate::reply_keys::TargetKey;
use crate::stages::session::{PlannedSource, SessionResult};

impl RoundState {
    /// The sessions with replies that an older one has too, or that are learned here after all.
    pub(super) fn learn_once(
        &mut self,
        sources: &[PlannedSource],
        results: &[SessionResult],
    ) -> Vec<usize> {
        let judged = judged(sources, results);
        let families = self.related.get_or_insert_with(|| Families::of(&judged));
        let mut places = Vec::new();
        for (at, repeated) in families.compare(&judged).into_iter().enumerate() {
            if repeated.is_empty() {
                continue;
            }
            let own = self.elsewhere.entry(at).or_default();
            let before = own.len();
            own.extend(repeated);
            if own.len() > before {
                places.push(at);
            }
        }
        // Once is enough, unless a form holds a sample only after a reply has become context.
        if places.is_empty() { self.release(results) } else { places }
    }

    /// Finds copies whose original is not trained after all: its session was worked on again with
    /// other replies as context, and then the form could not hold it. The oldest copy takes its
    /// place. Gives the sessions of these.
    fn release(&mut self, results: &[SessionResult]) -> Vec<usize> {
        if self.elsewhere.values().all(std::collections::BTreeSet::is_empty) {
            return Vec::new();
        }
        let samples = results.iter().filter_map(SessionResult::summary).flat_map(|it| &it.samples);
        let trained = samples.flat_map(|sample| &sample.targets).flat_map(|target| target.both());
        let mut trained: HashSet<TargetKey> = trained.collect();
        let mut places = Vec::new();
        for (at, result) in results.iter().enumerate() {
            let copies = result.summary().map_or(&[][..], |summary| &summary.counts.copies);
            let Some(own) = self.elsewhere.get_mut(&at) else { continue };
            let before = own.len();
            for copy in copies {
                let is_trained = copy.both().iter().any(|key| trained.contains(key));
                if !is_trained && self.released.insert((at, copy.path)) {
                    // One copy is enough.
                    trained.extend(copy.both());
                    own.remove(&copy.path);
                }
            }
            if own.len() < before {
                places.push(at);
            }
        }
        places
    }
}
