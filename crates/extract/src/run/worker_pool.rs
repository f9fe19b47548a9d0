//! The work on single sessions, shared out among threads.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_redact::{FoundSecrets, SessionMemory};
use pitree_sample::{About, AgentRole, RoleSign};
use pitree_session::parallel::in_parallel;
use pitree_session::{Environment, LineProblem, OddLine};

use super::cache::{Cache, Keeping};
use super::family_secrets::{FamilySecrets, Shared};
use crate::about;
use crate::copy::{PrivateCopy, Speech, copy_knowing};
use crate::error::{ExtractError, IoContext};
use crate::format::SessionFormat;
use crate::guard::{Guard, Hit};
use crate::options::ExtractOptions;
use crate::output::Scratch;
use crate::output::spool::{Spool, SpoolWriter, Summary};
use crate::reply_keys::ReplyKeys;
use crate::report::{LeftOut, OtherRedactions};
use crate::sources::Source;
use crate::task::{Memos, OtherHits, SessionTask};

static NOTHING: LazyLock<HashSet<u64>> = LazyLock::new(HashSet::new);

/// What became of a session.
pub(super) enum SessionResult {
    /// What it gives is in this spool.
    Done {
        spool: PathBuf,
        summary: Box<Summary>,
        /// The secrets that were found in it, unless all this was kept from an earlier run.
        found: Option<Box<FoundSecrets>>,
        /// Whether the spool is the one that the next run finds.
        is_kept: bool,
    },
    /// It is not in the data set.
    LeftOut(LeftOut),
}

impl SessionResult {
    pub(super) fn summary(&self) -> Option<&Summary> {
        match self {
            Self::Done { summary, .. } => Some(summary),
            Self::LeftOut(_) => None,
        }
    }

    /// What it gives; `None` if it is not in the data set.
    pub(super) fn spool(&self) -> Result<Option<Spool>, ExtractError> {
        let Self::Done { spool: path, .. } = self else { return Ok(None) };
        let damaged = || ExtractError::Io {
            doing: "read back",
            path: path.clone(),
            source: std::io::ErrorKind::InvalidData.into(),
        };
        Spool::open(path).map(Some).ok_or_else(damaged)
    }

    /// Removes what it gives, unless the next run finds it there. If that fails it goes with the
    /// folder of the run.
    pub(super) fn remove_spool(&self) {
        if let Self::Done { spool, is_kept: false, .. } = self {
            let _ = fs_err::remove_file(spool);
        }
    }

    pub(super) fn is_cached(&self) -> bool {
        matches!(self, Self::Done { found: None, .. })
    }

    /// The secrets that were found, if they are known as they are.
    pub(super) fn found(&self) -> Option<&FoundSecrets> {
        match self {
            Self::Done { found, .. } => found.as_deref(),
            Self::LeftOut(_) => None,
        }
    }
}

/// A session to work on.
pub(super) struct Job<'a> {
    pub(super) source: &'a Source,
    /// Replies that are learned in another session.
    pub(super) elsewhere: &'a HashSet<u64>,
    /// What was found in its relatives.
    pub(super) family: Option<&'a FamilySecrets<'a>>,
    /// Whether its replies get all their keys, or marks only.
    pub(super) speech: Speech,
}

impl<'a> Job<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, elsewhere: &NOTHING, family: None, speech: Speech::Hashed }
    }
}

/// The threads that work on sessions, with what each of them needs.
pub(super) struct WorkerPool<'a> {
    pub(super) format: &'a dyn SessionFormat,
    pub(super) options: &'a ExtractOptions,
    pub(super) environment: &'a Environment,
    pub(super) scratch: &'a Scratch,
    pub(super) cache: Option<&'a Cache>,
}

impl WorkerPool<'_> {
    /// Does all jobs, the largest sessions first, so that no thread is left with one of them
    /// alone. What they give stands in the order of the jobs. The first error that is not a
    /// session's own ends the work.
    ///
    /// What is known from earlier runs is looked for first: what is made anew may take the place
    /// of what nobody needs.
    pub(super) fn all(&self, jobs: &[Job<'_>]) -> Result<Vec<SessionResult>, ExtractError> {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let size = |at: &usize| fs_err::metadata(&jobs[*at].source.path).map_or(0, |it| it.len());
        order.sort_by_cached_key(|at| std::cmp::Reverse(size(at)));
        let mut results: Vec<Option<SessionResult>> = jobs.iter().map(|_| None).collect();
        let finished = AtomicUsize::new(0);
        let step = || {
            if let Some(progress) = &self.options.progress {
                progress.step(finished.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
            }
        };
        let found = self.in_parallel(&order, &|at| {
            let found = self.find(&jobs[at]);
            found.iter().for_each(|_| step());
            Ok(found)
        })?;
        found.into_iter().for_each(|(at, found)| results[at] = found);
        order.retain(|at| results[*at].is_none());
        let made = self.in_parallel(&order, &|at| {
            let result = self.one(&jobs[at]);
            step();
            result
        })?;
        made.into_iter().for_each(|(at, made)| results[at] = Some(made));
        let missing = || ExtractError::Unexpected("a session was passed over");
        results.into_iter().map(|result| result.ok_or_else(missing)).collect()
    }

    /// Does this for all places, shared out among threads; what it gives has the place with it.
    fn in_parallel<T: Send>(
        &self,
        order: &[usize],
        work: &(dyn Fn(usize) -> Result<T, ExtractError> + Sync),
    ) -> Result<Vec<(usize, T)>, ExtractError> {
        let failed = AtomicBool::new(false);
        let one = |&at: &usize| {
            if failed.load(Ordering::Relaxed) || self.options.cancel.is_cancelled() {
                return None;
            }
            let result = work(at);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            Some(result.map(|it| (at, it)))
        };
        // The order is that in which the work is begun.
        let done = in_parallel(order, self.options.jobs, |_| 0, one);
        self.options.go_on()?;
        done.into_iter().flatten().collect()
    }

    /// Works once more on the sessions at these places, which have replies that are learned in an
    /// older one.
    pub(super) fn again(
        &self,
        sources: &[&Source],
        places: &[usize],
        elsewhere: &[HashSet<u64>],
        shared: &Shared<'_>,
        results: &mut [SessionResult],
    ) -> Result<(), ExtractError> {
        let job = |&at: &usize| Job {
            source: sources[at],
            elsewhere: &elsewhere[at],
            family: shared[at].as_deref(),
            speech: Speech::Hashed,
        };
        let jobs: Vec<Job<'_>> = places.iter().map(job).collect();
        let made = self.all(&jobs)?;
        for (&at, result) in places.iter().zip(made) {
            results[at].remove_spool();
            results[at] = result;
        }
        Ok(())
    }

    /// What a session gave before.
    fn find(&self, job: &Job<'_>) -> Option<SessionResult> {
        let cache = self.cache?;
        let (spool, summary) = cache.find(job)?;
        let is_kept = !spool.starts_with(cache.scratch());
        let summary = Box::new(summary);
        Some(SessionResult::Done { spool, summary, found: None, is_kept })
    }

    /// Works on one session. What is wrong with the session itself leaves it out; what is wrong
    /// with the place that is written to is an error.
    fn one(&self, job: &Job<'_>) -> Result<SessionResult, ExtractError> {
        let folder = self.cache.map_or(self.scratch.path(), Cache::scratch);
        let spool = tempfile::Builder::new().suffix(".spool").tempfile_in(folder);
        let spool = spool.map_err(|source| ExtractError::Io {
            doing: "write into",
            path: folder.to_owned(),
            source,
        })?;
        let spool = spool.into_temp_path();
        match self.make(job, &spool) {
            Ok(SpooledSession { left_out: Some(why), .. }) => Ok(SessionResult::LeftOut(why)),
            Ok(SpooledSession { summary, content, found, .. }) => {
                let keeping = match self.cache {
                    Some(cache) => cache.keep(&spool, job, &content)?,
                    None => Keeping::Linked,
                };
                let (spool, is_kept) = match keeping {
                    Keeping::Linked => (kept(spool)?, false),
                    Keeping::NoRoom => (self.elsewhere(&spool)?, false),
                    Keeping::Moved(path) => (path, true),
                };
                let (summary, found) = (Box::new(summary), Some(Box::new(found)));
                Ok(SessionResult::Done { spool, summary, found, is_kept })
            }
            Err(error) if error.is_of_session() => {
                Ok(SessionResult::LeftOut(LeftOut::Unreadable(error.to_string())))
            }
            Err(other) => Err(other),
        }
    }

    /// The secrets of a session whose work is known from an earlier run.
    pub(super) fn found_in(&self, source: &Source) -> Result<FoundSecrets, ExtractError> {
        let folder = self.scratch.path();
        let spool = tempfile::Builder::new().suffix(".spool").tempfile_in(folder);
        let spool = spool.on("write into", folder)?;
        match self.make(&Job::new(source), spool.path()) {
            Ok(made) => Ok(made.found),
            Err(error) if error.is_of_session() => Ok(FoundSecrets::default()),
            Err(error) => Err(error),
        }
    }

    /// Moves a spool out of the cache, to what is removed at the end of the run.
    fn elsewhere(&self, spool: &Path) -> Result<PathBuf, ExtractError> {
        let folder = self.scratch.path();
        let name = spool.file_name().unwrap_or_default();
        let path = folder.join(name);
        if fs_err::rename(spool, &path).is_err() {
            // The data set is made on another disk.
            let own = tempfile::Builder::new().suffix(".spool").tempfile_in(folder);
            let own = own.on("write into", folder)?.into_temp_path();
            fs_err::copy(spool, &own).on("write", &own)?;
            return kept(own);
        }
        Ok(path)
    }

    fn make(&self, job: &Job<'_>, spool: &Path) -> Result<SpooledSession, ExtractError> {
        let (all, temporary) = (&*self.options.guard, &self.options.temporary);
        let nothing = FoundSecrets::default();
        let known = job.family.map_or(Ok(&nothing), |family| family.values(self))?;
        let (path, environment) = (&job.source.path, self.environment);
        let copy = copy_knowing(path, all, known, job.speech, temporary, environment)?;
        let knowing = all.knowing(&copy.known);
        let guard = knowing.as_deref().unwrap_or(all);
        let mut writer = match self.cache {
            Some(_) => SpoolWriter::create(spool, guard)?,
            None => SpoolWriter::passing(spool, guard)?,
        };
        let counts = writer.counts();
        counts.bytes = copy.bytes;
        counts.entries = copy.session.len() as u64;
        counts.damaged_lines = damaged_lines(&copy);
        let told = job.source.about.entry_outcomes.keys();
        let unknown = told.filter(|id| copy.session.entry(id).is_none());
        counts.unknown_entries = unknown.cloned().collect();
        counts.redactions = by_rule(&copy.hits);
        counts.likely_left = copy.likely_left;
        let about = Arc::new(shown_about(&job.source.about, guard));
        let keys = copy.spoken.as_ref();
        let keys = keys.map_or_else(ReplyKeys::marks, |it| ReplyKeys::of(&copy.session, it));
        let task = SessionTask {
            session: &copy.session,
            about: &about,
            hits: &copy.hits,
            bytes: copy.bytes,
            content: copy.content,
            options: self.options,
            holds: self.format.name().spec().holds,
            environment: self.environment,
            elsewhere: job.elsewhere,
            memos: RefCell::new(Memos::of(keys)),
            others: RefCell::default(),
            other_hits: RefCell::default(),
            other_found: RefCell::default(),
            known: &copy.known,
            guard,
        };
        let about = Arc::new(about::completed(&task)?);
        let task = SessionTask { about: &about, ..task };
        self.format.session(&task, &mut writer)?;
        writer.read_also(task.others.into_inner());
        let other_hits = task.other_hits.into_inner();
        let mut found = copy.found.clone();
        found.merge(&task.other_found.into_inner());
        writer.secrets(all.digests(&found), all.digests(&copy.known));
        writer.counts().secrets_not_repeated = found.dropped().max(copy.known.dropped());
        let redactions = |other: &OtherHits| OtherRedactions {
            path: other.path.clone(),
            by_rule: by_rule(&other.hits),
            likely_left: other.likely_left,
        };
        writer.redacted_also(other_hits.iter().map(redactions).collect());
        let shown = |path: &Path| self.options.mirrors.shown(path);
        writer.redactions(path, &shown(path), &copy.hits)?;
        for other in &other_hits {
            writer.redactions(&other.path, &shown(&other.path), &other.hits)?;
        }
        let (summary, leak) = writer.finish()?;
        Ok(SpooledSession {
            summary,
            content: copy.content,
            found,
            left_out: leak.map(LeftOut::Leak),
        })
    }
}

/// A temporary file that stays when its handle goes.
fn kept(spool: tempfile::TempPath) -> Result<PathBuf, ExtractError> {
    spool.keep().map_err(|error| ExtractError::Io {
        doing: "keep",
        path: error.path.to_path_buf(),
        source: error.error,
    })
}

/// Lines that are not entries, without the header, and without the last one if it is only not
/// complete yet.
fn damaged_lines(copy: &PrivateCopy) -> u64 {
    let is_unfinished = |odd: &OddLine| {
        matches!(odd.what, LineProblem::Malformed { .. }) && copy.unfinished == Some(odd.line)
    };
    let odd = copy.session.odd_lines().iter().filter(|odd| !is_unfinished(odd));
    odd.count().saturating_sub(1) as u64
}

/// What is known of a session, as it may be shown. Ids stay: they tie a data set together.
fn shown_about(about: &About, guard: &dyn Guard) -> About {
    let shown = |text: &str| guard.redact_text(text).unwrap_or_else(|| text.to_owned());
    let texts = |text: &Option<String>| text.as_deref().map(shown);
    let sign = |sign: &RoleSign| RoleSign {
        rig: texts(&sign.rig),
        name: texts(&sign.name),
        ..sign.clone()
    };
    let role = about.role.as_ref().map(|role| AgentRole {
        rig: texts(&role.rig),
        town: texts(&role.town),
        name: texts(&role.name),
        signs: role.signs.iter().map(sign).collect(),
        ..role.clone()
    });
    let outcomes = about.entry_outcomes.iter();
    let outcomes = outcomes.map(|(id, outcome)| (id.clone(), shown_outcome(outcome, guard)));
    About {
        source_path: shown(&about.source_path),
        cwd: shown(&about.cwd),
        name: texts(&about.name),
        role,
        outcome: about.outcome.as_ref().map(|outcome| shown_outcome(outcome, guard)),
        entry_outcomes: outcomes.collect(),
        ..about.clone()
    }
}

/// An outcome as it may be shown: it is looked at as a member of a line.
fn shown_outcome(outcome: &Value, guard: &dyn Guard) -> Value {
    const NAME: &str = "outcome";
    let line = stringify(&Object::new().with(NAME, outcome.clone()).into());
    let memory = &mut SessionMemory::default();
    let redacted = guard.redact_line(line.as_bytes(), memory, &mut |_| {});
    let redacted = redacted.and_then(|line| parse(&line).ok());
    let shown = redacted.and_then(|mut line| line.as_object_mut()?.remove(NAME));
    shown.unwrap_or_else(|| outcome.clone())
}

/// How often each rule has found something.
fn by_rule(hits: &[Hit]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for hit in hits {
        *counts.entry(hit.rule.clone()).or_default() += 1;
    }
    counts
}

/// What the work on a session has given.
struct SpooledSession {
    summary: Summary,
    content: blake3::Hash,
    found: FoundSecrets,
    left_out: Option<LeftOut>,
}
