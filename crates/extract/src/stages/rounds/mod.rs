//! Which sessions are worked on once more, and what they are to know of the others then.
//!
//! Each session is worked on alone first. When all are done it is known what some of them lack: the
//! secrets of their relatives, keys by which copied replies are told, replies that are learned in
//! another session. Those are worked on again, in rounds, until nothing is lacking. What a round
//! asks for depends on the results of the rounds before it and on nothing else, so it does not
//! matter who works on what.

mod family_secrets;
mod learn;
mod marks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::results::Results;
use super::session::{JobOrder, PlannedSource, SessionResult};
use crate::copy::Speech;
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::options::ExtractOptions;
use crate::quality::{Families, Judged};
use crate::reduce::CommonMarks;
use crate::reply_keys::TargetKey;

pub(crate) use family_secrets::{Family, FamilySecrets, Knowledge};

/// How far the rounds have come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoundState {
    /// What the last round was for.
    phase: Phase,
    /// Families of which some sessions were to know the secrets.
    families: Vec<Family>,
    /// The sessions that hold such secrets, and the families in that list.
    shared: BTreeMap<usize, usize>,
    /// Replies of a session that are learned in another one.
    elsewhere: BTreeMap<usize, BTreeSet<TargetKey>>,
    /// Copies that are learned in place of their original.
    released: BTreeSet<(usize, TargetKey)>,
    /// Which sessions belong together.
    related: Option<Families>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Each session alone.
    #[default]
    Alone,
    /// With the secrets of its relatives.
    Secrets,
    /// With the keys of its replies.
    Keys,
    /// Without replies that are learned elsewhere.
    Learning,
}

impl RoundState {
    /// What is worked on first: every session.
    pub(crate) fn first(sources: &[PlannedSource], guard: &dyn Guard) -> Vec<JobOrder> {
        let speech = marks::first_round(sources, guard);
        let orders = speech.into_iter().enumerate();
        orders.map(|(session, speech)| JobOrder { speech, ..JobOrder::again(session) }).collect()
    }

    /// What is to be worked on again, now that the last round is done, so that each session knows
    /// of the others what it has to; `None` if all is known. What is left then is to learn each
    /// reply once. Marks get so many bytes of memory, and then files in this folder.
    pub(crate) fn next(
        &mut self,
        sources: &[PlannedSource],
        results: &dyn Results,
        options: &ExtractOptions,
        (memory, folder): (usize, &Path),
    ) -> Result<Option<Vec<JobOrder>>, ExtractError> {
        if self.phase == Phase::Alone {
            self.phase = Phase::Secrets;
            let orders = family_secrets::orders(sources, results, &mut self.families)?;
            self.shared = orders.iter().filter_map(|it| Some((it.session, it.family?))).collect();
            if !orders.is_empty() {
                return Ok(Some(orders));
            }
        } else if self.phase == Phase::Secrets {
            // The others hold none of them.
            let changed = results.changed()?;
            self.shared.retain(|session, _| changed.binary_search(session).is_ok());
        }
        if self.phase == Phase::Secrets {
            self.phase = Phase::Keys;
            let marks = || CommonMarks::new(memory, folder, &options.cancel);
            let places = marks::unsettled(sources, results, &*options.guard, marks)?;
            if !places.is_empty() {
                return Ok(Some(places.into_iter().map(|at| self.order(at)).collect()));
            }
        }
        self.phase = Phase::Learning;
        Ok(None)
    }

    /// Which sessions belong together, when all is known.
    pub(crate) fn into_families(self, sources: &[PlannedSource]) -> Families {
        self.related.unwrap_or_else(|| Families::of(&judged(sources, &[])))
    }

    pub(crate) fn families(&self) -> &[Family] {
        &self.families
    }

    fn order(&self, session: usize) -> JobOrder {
        let elsewhere = self.elsewhere.get(&session).into_iter().flatten().copied().collect();
        let family = self.shared.get(&session).copied();
        JobOrder { elsewhere, family, ..JobOrder::again(session) }
    }
}

impl JobOrder {
    /// Works on a session with all its keys.
    fn again(session: usize) -> Self {
        let (elsewhere, family, knowledge) = (Vec::new(), None, None);
        Self { session, speech: Speech::Hashed, elsewhere, family, knowledge }
    }
}

/// The sessions as the decisions see them; those that are left out have no samples, and no session
/// has any if there are no results.
pub(crate) fn judged<'a>(
    sources: &'a [PlannedSource],
    results: &'a [SessionResult],
) -> Vec<Judged<'a>> {
    let samples = |at: usize| {
        let summary = results.get(at).and_then(SessionResult::summary);
        summary.map_or(&[][..], |summary| &summary.samples)
    };
    let sources = sources.iter().enumerate();
    sources
        .map(|(at, planned)| Judged { about: &planned.source.about, samples: samples(at) })
        .collect()
}
