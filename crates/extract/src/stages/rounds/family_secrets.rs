//! Secrets that were found in one session and stand in its relatives, too.
//!
//! A password is found by the name before it. A fork or a sub-agent may repeat it without the name,
//! so what was found in one session of a family is hidden in all of them. Each session is worked on
//! alone first; those of a family in which more was found than they know themselves are worked on
//! once more, if they hold any of it.
//!
//! A cache knows secrets by their keyed digests only. If it has the work on a session but not the
//! one with these secrets, they are looked for again.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::OnceLock;

use pitree_redact::FoundSecrets;
use pitree_session::{LineReader, Next, open_file};
use serde::{Deserialize, Serialize};

use super::judged;
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::output::spool::OtherFile;
use crate::quality::Families;
use crate::stages::results::Results;
use crate::stages::session::{Job, JobOrder, PlannedSource, Worker};

/// Sessions that belong together and in which secrets were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Family {
    /// Stands for the values where they must not be told.
    key: [u8; 32],
    /// The sessions in which they were found.
    members: Vec<usize>,
}

/// What a session knows, by which it is told whether it holds more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Knowledge {
    /// Digests of the secrets that are hidden in it wherever they stand, in order.
    known: Vec<[u8; 16]>,
    /// Files that were read for it.
    others: Vec<OtherFile>,
}

/// What was found in all sessions of a family.
pub(crate) struct FamilySecrets {
    /// Stands for the values where they must not be told.
    pub(crate) key: [u8; 32],
    members: Vec<usize>,
    values: OnceLock<FoundSecrets>,
}

impl From<&Family> for FamilySecrets {
    fn from(Family { key, members }: &Family) -> Self {
        Self { key: *key, members: members.clone(), values: OnceLock::new() }
    }
}

impl FamilySecrets {
    /// The values. Those of sessions that somebody else has worked on are found again.
    pub(crate) fn values(&self, worker: &Worker<'_>) -> Result<&FoundSecrets, ExtractError> {
        if let Some(values) = self.values.get() {
            return Ok(values);
        }
        let mut values = FoundSecrets::default();
        for member in &self.members {
            values.merge(&*worker.found_in(*member)?);
        }
        Ok(self.values.get_or_init(|| values))
    }

    /// Whether a session or what was read for it may hold a secret of its family that it does not
    /// know itself. The answer is kept for the next run.
    pub(crate) fn is_held(
        &self,
        worker: &Worker<'_>,
        session: usize,
        knowledge: &Knowledge,
    ) -> Result<bool, ExtractError> {
        let job = Job::new(session, &worker.sources[session]);
        if let Some(cache) = worker.cache
            && let Some(holds) = cache.holds_any(&job, &knowledge.others, &self.key)
        {
            return Ok(holds);
        }
        let guard = &*worker.options.guard;
        let mut others = self.values(worker)?.clone();
        let is_known = |digest: &[u8; 16]| knowledge.known.binary_search(digest).is_ok();
        others.retain(|one| !guard.digests(one).iter().any(is_known));
        let holds = match guard.knowing(&others) {
            None => false,
            Some(guard) => {
                let files = knowledge.others.iter().map(|(path, _)| path.as_path());
                let mut files = std::iter::once(job.source.path.as_path()).chain(files);
                files.any(|path| may_hold(path, &*guard))
            }
        };
        if let Some(cache) = worker.cache
            && !holds
        {
            cache.note_holds_none(&job, &knowledge.others, &self.key);
        }
        Ok(holds)
    }
}

/// The sessions in whose relatives more was found than they know themselves. They are worked on
/// again where they hold any of it. The families are added to the list. In memory are digests of the
/// secrets that were found in each family.
pub(super) fn orders(
    sources: &[PlannedSource],
    results: &dyn Results,
    families: &mut Vec<Family>,
) -> Result<Vec<JobOrder>, ExtractError> {
    let mut related = related(sources, results)?;
    let mut found: BTreeMap<usize, FoundInFamily> = BTreeMap::new();
    results.each_summary(|at, summary| {
        if !summary.found.is_empty() {
            let family = found.entry(related.oldest(at)).or_default();
            family.digests.extend(&summary.found);
            family.members.push(at);
        }
        Ok(())
    })?;
    let mut orders = Vec::new();
    if !found.is_empty() {
        results.each_summary(|session, summary| {
            let oldest = related.oldest(session);
            let Some(family) = found.get_mut(&oldest) else { return Ok(()) };
            let is_known = |digest: &[u8; 16]| summary.known.binary_search(digest).is_ok();
            if !family.digests.iter().all(is_known) {
                family.is_wanted = true;
                let (known, others) = (summary.known.clone(), summary.others.clone());
                orders.push((oldest, session, Knowledge { known, others }));
            }
            Ok(())
        })?;
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for (oldest, family) in found.into_iter().filter(|(_, family)| family.is_wanted) {
        numbers.insert(oldest, families.len());
        families.push(family.into());
    }
    let order = |(oldest, session, knowledge): (usize, usize, Knowledge)| JobOrder {
        family: numbers.get(&oldest).copied(),
        knowledge: Some(knowledge),
        ..JobOrder::again(session)
    };
    Ok(orders.into_iter().map(order).collect())
}

/// The sessions that belong together by what is known of them, and by the files of sub-agents.
fn related(sources: &[PlannedSource], results: &dyn Results) -> Result<Families, ExtractError> {
    let mut families = Families::of(&judged(sources, &[]));
    let places: OnceCell<HashMap<&Path, usize>> = OnceCell::new();
    let all_places = || {
        let sources = sources.iter().enumerate();
        sources.map(|(at, planned)| (planned.source.path.as_path(), at)).collect()
    };
    results.each_summary(|at, summary| {
        for (path, _) in &summary.others {
            if let Some(other) = places.get_or_init(all_places).get(path.as_path()) {
                families.join(*other, at);
            }
        }
        Ok(())
    })?;
    Ok(families)
}

/// Secrets of a family.
#[derive(Default)]
struct FoundInFamily {
    digests: BTreeSet<[u8; 16]>,
    /// The sessions in which they were found.
    members: Vec<usize>,
    /// Whether a session of the family does not know all of them.
    is_wanted: bool,
}

impl From<FoundInFamily> for Family {
    fn from(FoundInFamily { digests, members, .. }: FoundInFamily) -> Self {
        let mut hasher = blake3::Hasher::new();
        for digest in &digests {
            hasher.update(digest);
        }
        Self { key: *hasher.finalize().as_bytes(), members }
    }
}

/// Whether a line of a file may hold a secret. A file that cannot be read may.
fn may_hold(path: &Path, guard: &dyn Guard) -> bool {
    let Ok(file) = open_file(path) else { return true };
    let mut reader = LineReader::new(&file, 0, u64::MAX);
    loop {
        match reader.next_line() {
            Ok(Next::End) => return false,
            Ok(Next::Line { bytes, .. }) if guard.may_repeat(bytes) => return true,
            Ok(Next::Line { .. } | Next::TooLong { .. }) => {}
            Err(_) => return true,
        }
    }
}
