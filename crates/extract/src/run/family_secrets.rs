//! Secrets that were found in one session and stand in its relatives, too.
//!
//! A password is found by the name before it. A fork or a sub-agent may repeat it without the name,
//! so what was found in one session of a family is hidden in all of them. Each session is worked on
//! alone first; those of a family in which more was found than they know themselves are worked on
//! once more, if they hold any of it.
//!
//! A cache knows secrets by their keyed digests only. If it has the work on a session but not the
//! one with these secrets, they are looked for again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use pitree_redact::FoundSecrets;
use pitree_session::{LineReader, Next, open_file};

use super::judged;
use super::worker_pool::{Job, SessionResult, WorkerPool};
use crate::error::ExtractError;
use crate::guard::Guard;
use crate::output::spool::Summary;
use crate::quality::Families;
use crate::sources::Source;

/// What was found in all sessions of a family.
pub(super) struct FamilySecrets<'s> {
    /// Stands for the values where they must not be told.
    pub(super) key: [u8; 32],
    members: Vec<&'s Source>,
    values: OnceLock<FoundSecrets>,
}

impl FamilySecrets<'_> {
    /// The values. Those of sessions whose work was kept from an earlier run are found again.
    pub(super) fn values(&self, pool: &WorkerPool<'_>) -> Result<&FoundSecrets, ExtractError> {
        if let Some(values) = self.values.get() {
            return Ok(values);
        }
        let mut values = FoundSecrets::default();
        for member in &self.members {
            values.merge(&pool.found_in(member)?);
        }
        Ok(self.values.get_or_init(|| values))
    }
}

/// What each session is to know of its relatives, if it holds any of it; those sessions are worked
/// on again.
pub(super) type Shared<'s> = Vec<Option<Arc<FamilySecrets<'s>>>>;

/// Lets the sessions of each family know what was found in the others.
pub(super) fn share<'s>(
    pool: &WorkerPool<'_>,
    sources: &[&'s Source],
    results: &mut [SessionResult],
) -> Result<Shared<'s>, ExtractError> {
    let mut shared: Shared<'s> = vec![None; sources.len()];
    for members in families(sources, results) {
        let found: BTreeSet<[u8; 16]> = summaries(&members, results)
            .flat_map(|(_, summary)| summary.found.iter().copied())
            .collect();
        let knows_all = |summary: &Summary| {
            found.iter().all(|digest| summary.known.binary_search(digest).is_ok())
        };
        let lacking: Vec<usize> = summaries(&members, results)
            .filter(|(_, summary)| !knows_all(summary))
            .map(|(at, _)| at)
            .collect();
        if lacking.is_empty() {
            continue;
        }
        let family = Arc::new(family_of(sources, &members, results, &found));
        for at in lacking {
            if holds_any(pool, sources[at], &results[at], &family)? {
                shared[at] = Some(Arc::clone(&family));
            }
        }
    }
    let places: Vec<usize> = (0..sources.len()).filter(|at| shared[*at].is_some()).collect();
    let job = |&at: &usize| Job { family: shared[at].as_deref(), ..Job::new(sources[at]) };
    let jobs: Vec<Job<'_>> = places.iter().map(job).collect();
    for (at, result) in places.iter().zip(pool.all(&jobs)?) {
        results[*at].remove_spool();
        results[*at] = result;
    }
    Ok(shared)
}

/// The sessions that belong together by what is known of them, and by the files of sub-agents.
fn families(sources: &[&Source], results: &[SessionResult]) -> Vec<Vec<usize>> {
    let mut families = Families::of(&judged(sources, results));
    let places: HashMap<&Path, usize> =
        sources.iter().enumerate().map(|(at, source)| (source.path.as_path(), at)).collect();
    for (at, result) in results.iter().enumerate() {
        for (path, _) in result.summary().iter().flat_map(|summary| &summary.others) {
            if let Some(other) = places.get(path.as_path()) {
                families.join(*other, at);
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..sources.len() {
        members.entry(families.oldest(at)).or_default().push(at);
    }
    members.into_values().collect()
}

fn summaries<'o>(
    members: &'o [usize],
    results: &'o [SessionResult],
) -> impl Iterator<Item = (usize, &'o Summary)> {
    members.iter().filter_map(|at| Some((*at, results[*at].summary()?)))
}

fn family_of<'s>(
    sources: &[&'s Source],
    members: &[usize],
    results: &[SessionResult],
    found: &BTreeSet<[u8; 16]>,
) -> FamilySecrets<'s> {
    let mut hasher = blake3::Hasher::new();
    found.iter().for_each(|digest| {
        hasher.update(digest);
    });
    let with_secrets: Vec<usize> = summaries(members, results)
        .filter(|(_, summary)| !summary.found.is_empty())
        .map(|(at, _)| at)
        .collect();
    let values = OnceLock::new();
    let fresh: Option<Vec<&FoundSecrets>> =
        with_secrets.iter().map(|at| results[*at].found()).collect();
    if let Some(fresh) = fresh {
        let mut all = FoundSecrets::default();
        fresh.into_iter().for_each(|found| all.merge(found));
        // It was empty a moment ago.
        let _ = values.set(all);
    }
    let members = with_secrets.iter().map(|at| sources[*at]).collect();
    FamilySecrets { key: *hasher.finalize().as_bytes(), members, values }
}

/// Whether a session or what was read for it may hold a secret of its family that it does not know
/// itself. The answer is kept for the next run.
fn holds_any(
    pool: &WorkerPool<'_>,
    source: &Source,
    result: &SessionResult,
    family: &FamilySecrets<'_>,
) -> Result<bool, ExtractError> {
    let Some(summary) = result.summary() else { return Ok(false) };
    if let Some(cache) = pool.cache
        && let Some(holds) = cache.holds_any(source, summary, &family.key)
    {
        return Ok(holds);
    }
    let guard = &*pool.options.guard;
    let mut others = family.values(pool)?.clone();
    let digests = |found: &FoundSecrets| guard.digests(found);
    others.retain(|one| !digests(one).iter().any(|it| summary.known.binary_search(it).is_ok()));
    let holds = match guard.knowing(&others) {
        None => false,
        Some(guard) => {
            let files = summary.others.iter().map(|(path, _)| path.as_path());
            let mut files = std::iter::once(source.path.as_path()).chain(files);
            files.any(|path| may_hold(path, &*guard))
        }
    };
    if let Some(cache) = pool.cache
        && !holds
    {
        cache.note_holds_none(source, summary, &family.key);
    }
    Ok(holds)
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
