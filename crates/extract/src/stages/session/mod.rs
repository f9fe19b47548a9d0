//! One session at a time: what is to be done with it, what does it, and what comes of it.

mod cache;
mod worker;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::rounds::{FamilySecrets, Knowledge};
use crate::copy::Speech;
use crate::error::ExtractError;
use crate::output::spool::{Extent, Summary};
use crate::reply_keys::TargetKey;
use crate::report::LeftOut;
use crate::sources::Source;

pub(crate) use cache::{BUILD, Cache};
pub(crate) use worker::{SecretMemory, Worker};

static NOTHING: LazyLock<HashSet<TargetKey>> = LazyLock::new(HashSet::new);

/// A session of a run.
#[derive(Clone, Debug)]
pub(crate) struct PlannedSource {
    pub(crate) source: Source,
    /// How many bytes of its file are read, whatever comes after them; `None` for all that are
    /// there.
    pub(crate) pinned: Option<u64>,
}

/// What became of a session.
#[derive(Debug)]
pub(crate) enum SessionResult {
    /// What it gives is in a spool.
    Done(Box<DoneSession>),
    /// It is not in the data set.
    LeftOut(LeftOut),
}

/// What a session gives.
#[derive(Debug)]
pub(crate) struct DoneSession {
    pub(crate) place: SpoolPlace,
    pub(crate) summary: Summary,
    /// Whether an earlier run has done it.
    pub(crate) is_cached: bool,
}

/// Where a spool is.
#[derive(Clone, Debug)]
pub(crate) struct SpoolPlace {
    pub(crate) file: Arc<Path>,
    pub(crate) extent: Extent,
    /// Whether it is there for others, too.
    pub(crate) is_kept: bool,
    /// Whether no other spool is in its file.
    pub(crate) is_alone: bool,
}

impl SessionResult {
    pub(crate) fn done(&self) -> Option<&DoneSession> {
        match self {
            Self::Done(done) => Some(done),
            Self::LeftOut(_) => None,
        }
    }

    pub(crate) fn summary(&self) -> Option<&Summary> {
        self.done().map(|done| &done.summary)
    }
}

/// What is to be done with a session, in full or once more.
pub(crate) struct Job<'a> {
    /// The place of the session in the final order.
    pub(crate) number: usize,
    pub(crate) source: &'a Source,
    pub(crate) pinned: Option<u64>,
    /// Replies that are learned in another session.
    pub(crate) elsewhere: &'a HashSet<TargetKey>,
    /// What was found in its relatives.
    pub(crate) family: Option<&'a FamilySecrets>,
    /// What is known of it, if it is only worked on where it holds something of its family that it
    /// does not know.
    pub(crate) knowledge: Option<&'a Knowledge>,
    /// Whether its replies get all their keys, or marks only.
    pub(crate) speech: Speech,
}

impl<'a> Job<'a> {
    /// The work on a session by itself.
    pub(crate) fn new(number: usize, planned: &'a PlannedSource) -> Self {
        Self {
            number,
            source: &planned.source,
            pinned: planned.pinned,
            elsewhere: &NOTHING,
            family: None,
            knowledge: None,
            speech: Speech::Hashed,
        }
    }

    /// Whether anything is to be done: a session that may hold secrets of its relatives is left as
    /// it is if it holds none.
    pub(crate) fn is_wanted(&self, worker: &Worker<'_>) -> Result<bool, ExtractError> {
        match (self.family, self.knowledge) {
            (Some(family), Some(knowledge)) => family.is_held(worker, self.number, knowledge),
            _ => Ok(true),
        }
    }
}

/// What a round wants of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobOrder {
    /// The place of the session in the final order.
    pub(crate) session: usize,
    pub(crate) speech: Speech,
    /// Replies that are learned in another session, in order.
    pub(crate) elsewhere: Vec<TargetKey>,
    /// The place of its family in the list of the round.
    pub(crate) family: Option<usize>,
    pub(crate) knowledge: Option<Knowledge>,
}

impl JobOrder {
    /// Does something with what is asked for.
    pub(crate) fn with_job<T>(
        &self,
        sources: &[PlannedSource],
        families: &[FamilySecrets],
        work: impl FnOnce(&Job<'_>) -> Result<T, ExtractError>,
    ) -> Result<T, ExtractError> {
        let missing = || ExtractError::Unexpected("a round asks for what is not there");
        let planned = sources.get(self.session).ok_or_else(missing)?;
        let family = self.family.map(|at| families.get(at).ok_or_else(missing)).transpose()?;
        let elsewhere: HashSet<TargetKey> = self.elsewhere.iter().copied().collect();
        work(&Job {
            elsewhere: &elsewhere,
            family,
            knowledge: self.knowledge.as_ref(),
            speech: self.speech,
            ..Job::new(self.session, planned)
        })
    }
}
