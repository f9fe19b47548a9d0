//! The work on one session: what it gives goes into a spool.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_redact::{FoundSecrets, SessionMemory};
use pitree_sample::{About, AgentRole, RoleSign};
use pitree_session::{Environment, LineProblem, OddLine};

use super::cache::{Cache, Keeping};
use super::{DoneSession, Job, PlannedSource, SessionResult, SpoolPlace};
use crate::about;
use crate::copy::{Pinned, PrivateCopy, copy_knowing};
use crate::error::{ExtractError, IoContext};
use crate::format::SessionFormat;
use crate::guard::{Guard, Hit};
use crate::options::ExtractOptions;
use crate::output::spool::{SpoolFile, SpoolWriter, Spooled};
use crate::reply_keys::ReplyKeys;
use crate::report::{LeftOut, OtherRedactions};
use crate::task::{Memos, OtherHits, SessionTask};

/// What works on sessions needs.
pub(crate) struct Worker<'a> {
    /// All sessions, in their final order.
    pub(crate) sources: &'a [PlannedSource],
    pub(crate) format: &'a dyn SessionFormat,
    pub(crate) options: &'a ExtractOptions,
    pub(crate) environment: &'a Environment,
    pub(crate) cache: Option<&'a Cache>,
    /// A folder for what goes with the run.
    pub(crate) scratch: &'a Path,
    /// The secrets of sessions that were worked on here.
    pub(crate) secrets: &'a SecretMemory,
}

/// The secrets that were found in sessions, by their numbers. They are nowhere but in memory.
#[derive(Default)]
pub(crate) struct SecretMemory(Mutex<HashMap<usize, Arc<FoundSecrets>>>);

impl SecretMemory {
    fn get(&self, session: usize) -> Option<Arc<FoundSecrets>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    fn note(&self, session: usize, found: FoundSecrets) {
        if !found.is_empty() {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(session).or_insert_with(|| Arc::new(found));
        }
    }
}

impl Worker<'_> {
    /// What a session gave before.
    pub(crate) fn find(&self, job: &Job<'_>) -> Option<SessionResult> {
        let (path, extent, summary) = self.cache?.find(job)?;
        let is_kept = self.cache.is_some_and(|cache| !path.starts_with(cache.scratch()));
        let place = SpoolPlace { file: path.into(), extent, is_kept, is_alone: true };
        Some(SessionResult::Done(Box::new(DoneSession { place, summary, is_cached: true })))
    }

    /// Works on one session; what it gives goes into the file, or into the cache. `None` if nothing
    /// in it is to be done again. What is wrong with the session itself leaves it out; what is
    /// wrong with the place that is written to is an error.
    pub(crate) fn work(
        &self,
        job: &Job<'_>,
        file: &mut SpoolFile,
    ) -> Result<Option<SessionResult>, ExtractError> {
        if !job.is_wanted(self)? {
            return Ok(None);
        }
        let result = match self.cache {
            Some(cache) => self.work_for_cache(job, cache),
            None => self.work_into(job, file),
        };
        match result {
            Err(error) if error.is_of_session() => {
                Ok(Some(SessionResult::LeftOut(LeftOut::Unreadable(error.to_string()))))
            }
            other => other.map(Some),
        }
    }

    fn work_into(
        &self,
        job: &Job<'_>,
        file: &mut SpoolFile,
    ) -> Result<SessionResult, ExtractError> {
        let start = file.len();
        match self.make(job, file, false) {
            Ok(MadeSession { spooled: Spooled { leak: None, summary, extent }, found, .. }) => {
                self.secrets.note(job.number, found);
                let file = Arc::clone(file.path());
                let place = SpoolPlace { file, extent, is_kept: false, is_alone: false };
                let done = DoneSession { place, summary, is_cached: false };
                Ok(SessionResult::Done(Box::new(done)))
            }
            Ok(MadeSession { spooled: Spooled { leak: Some(leak), .. }, .. }) => {
                file.cut(start)?;
                Ok(SessionResult::LeftOut(LeftOut::Leak(leak)))
            }
            Err(error) => {
                file.cut(start)?;
                Err(error)
            }
        }
    }

    /// The same for later runs, too: the spool is alone in its file.
    fn work_for_cache(&self, job: &Job<'_>, cache: &Cache) -> Result<SessionResult, ExtractError> {
        let spool = temporary_spool(cache.scratch())?;
        let made = self.make(job, &mut SpoolFile::over(&spool)?, true)?;
        let MadeSession { spooled: Spooled { summary, extent, leak }, content, found } = made;
        if let Some(leak) = leak {
            return Ok(SessionResult::LeftOut(LeftOut::Leak(leak)));
        }
        self.secrets.note(job.number, found);
        let (path, is_kept) = match cache.keep(&spool, job, &content)? {
            Keeping::Linked => (kept(spool)?, false),
            Keeping::NoRoom => (self.elsewhere(&spool)?, false),
            Keeping::Moved(path) => (path, true),
        };
        let place = SpoolPlace { file: path.into(), extent, is_kept, is_alone: true };
        Ok(SessionResult::Done(Box::new(DoneSession { place, summary, is_cached: false })))
    }

    /// The secrets of a session. Those of one whose work was done elsewhere are found again.
    pub(crate) fn found_in(&self, session: usize) -> Result<Arc<FoundSecrets>, ExtractError> {
        if let Some(found) = self.secrets.get(session) {
            return Ok(found);
        }
        let spool = temporary_spool(self.scratch)?;
        let job = Job::new(session, &self.sources[session]);
        match self.make(&job, &mut SpoolFile::over(&spool)?, false) {
            Ok(made) => {
                self.secrets.note(session, made.found.clone());
                Ok(Arc::new(made.found))
            }
            Err(error) if error.is_of_session() => Ok(Arc::default()),
            Err(error) => Err(error),
        }
    }

    /// Moves a spool out of the cache, to what is removed at the end of the run.
    fn elsewhere(&self, spool: &Path) -> Result<PathBuf, ExtractError> {
        let name = spool.file_name().unwrap_or_default();
        let path = self.scratch.join(name);
        if fs_err::rename(spool, &path).is_err() {
            // The data set is made on another disk.
            let own = temporary_spool(self.scratch)?;
            fs_err::copy(spool, &own).on("write", &own)?;
            return kept(own);
        }
        Ok(path)
    }

    fn make(
        &self,
        job: &Job<'_>,
        file: &mut SpoolFile,
        is_for_cache: bool,
    ) -> Result<MadeSession, ExtractError> {
        let mirrors = &self.options.mirrors;
        mirrors.bring(&[&job.source.path])?;
        let made = self.make_of_files(job, file, is_for_cache);
        // Without what could not be fetched it is something else, even if nothing else is wrong.
        mirrors.bring_failed()?;
        made
    }

    fn make_of_files(
        &self,
        job: &Job<'_>,
        file: &mut SpoolFile,
        is_for_cache: bool,
    ) -> Result<MadeSession, ExtractError> {
        let (all, temporary) = (&*self.options.guard, &self.options.temporary);
        let nothing = FoundSecrets::default();
        let known = job.family.map_or(Ok(&nothing), |family| family.values(self))?;
        let source = Pinned { path: &job.source.path, len: job.pinned };
        let copy = copy_knowing(source, all, known, job.speech, temporary, self.environment)?;
        let knowing = all.knowing(&copy.known);
        let guard = knowing.as_deref().unwrap_or(all);
        let mut writer = SpoolWriter::begin(file, guard);
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
        writer.redactions(&shown(&job.source.path), &copy.hits)?;
        for other in &other_hits {
            writer.redactions(&shown(&other.path), &other.hits)?;
        }
        let spooled = if is_for_cache { writer.finish_kept()? } else { writer.finish() };
        Ok(MadeSession { spooled, content: copy.content, found })
    }
}

/// A new file in a folder of spools, which goes with its handle.
fn temporary_spool(folder: &Path) -> Result<tempfile::TempPath, ExtractError> {
    let spool = tempfile::Builder::new().suffix(".spool").tempfile_in(folder);
    spool.on("write into", folder).map(tempfile::NamedTempFile::into_temp_path)
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
struct MadeSession {
    spooled: Spooled,
    content: blake3::Hash,
    found: FoundSecrets,
}
