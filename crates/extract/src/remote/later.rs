//! Copies that are fetched when they are needed.
//!
//! Which records of sub-agents a session needs is known when it is read, by code that asks where a
//! copy is and knows nothing of buckets. So the answer brings the copy, and what goes wrong is kept
//! for the one who has asked for the work.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use super::RemoteOptions;
use super::mirror::{Mirror, Mirrors};
use crate::error::ExtractError;

/// How the missing copies of a URL are fetched.
pub(super) struct Later {
    pub(super) options: RemoteOptions,
    /// What went wrong, by the thread that worked on a session.
    failed: Mutex<HashMap<ThreadId, ExtractError>>,
}

impl Later {
    pub(super) fn new(options: &RemoteOptions) -> Self {
        Self { options: options.clone(), failed: Mutex::default() }
    }
}

/// The options hold credentials.
impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").finish_non_exhaustive()
    }
}

impl Mirror {
    /// Brings one copy, if it is not there. A failure is told by [`Mirrors::bring_failed`].
    pub(super) fn bring_for_session(&self, at: usize) {
        let Some(later) = self.later() else { return };
        let quiet = RemoteOptions { progress: None, ..later.options.clone() };
        if let Err(error) = super::fetch::bring(self, &[at], &quiet) {
            let mut failed = later.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.entry(thread::current().id()).or_insert(error);
        }
    }
}

impl Mirrors {
    /// Brings the copies of these files, as far as they are not there.
    pub(super) fn bring_copies(&self, files: &[&Path]) -> Result<(), ExtractError> {
        for mirror in self.each() {
            if let Some(later) = mirror.later() {
                let own: Vec<usize> = files.iter().filter_map(|file| mirror.place(file)).collect();
                super::fetch::bring(mirror, &own, &later.options)?;
            }
        }
        Ok(())
    }

    /// Why a copy could not be brought that this thread has needed since it last asked.
    pub(super) fn failure(&self) -> Option<ExtractError> {
        let own = thread::current().id();
        let later = self.each().filter_map(Mirror::later);
        let taken = |later: &Later| {
            later.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(&own)
        };
        // All are taken, so that none is left for the next session.
        later.filter_map(taken).collect::<Vec<_>>().into_iter().next()
    }
}
