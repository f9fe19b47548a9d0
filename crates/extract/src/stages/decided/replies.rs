//! What became of all replies.

use std::collections::{HashMap, HashSet};

use super::sessions::{DecidedSession, DecidedSessions};
use crate::error::ExtractError;
use crate::reason::DropReason;
use crate::reply_keys::TargetKey;
use crate::report::ReplyCounts;

/// Counts replies. The keys of replies that are copies of others are in memory: of most sessions
/// these are none, and of forks those that they have in common with their original.
pub(super) struct ReplyFates {
    counts: ReplyCounts,
    /// The keys of all copies.
    asked: HashSet<TargetKey>,
    /// What became of the targets with these keys.
    fates: HashMap<TargetKey, Option<DropReason>>,
}

impl ReplyFates {
    /// Goes through all sessions for their copies.
    pub(super) fn of(sessions: &dyn DecidedSessions) -> Result<Self, ExtractError> {
        let mut asked = HashSet::new();
        sessions.each(&mut |session| {
            let copies = session.result.summary().map_or(&[][..], |it| &it.counts.copies);
            asked.extend(copies.iter().flat_map(|copy| copy.both()));
            Ok(())
        })?;
        Ok(Self { counts: ReplyCounts::default(), asked, fates: HashMap::new() })
    }

    /// Counts the replies of a session that are no copies.
    pub(super) fn add(&mut self, session: &DecidedSession<'_>) {
        let Some(summary) = session.result.summary() else { return };
        let (counts, replies) = (&summary.counts, &mut self.counts);
        replies.found += counts.replies;
        replies.failed += counts.failed;
        replies.cut_off += counts.cut_off;
        for (reason, count) in &counts.replies_left_out {
            replies.leave_out(*reason, *count);
        }
        for (facts, verdict) in summary.samples.iter().zip(&session.decision.samples) {
            replies.count(verdict.dropped, facts.targets.len() as u64);
            let keys = facts.targets.iter().flat_map(|target| target.both());
            for key in keys.filter(|key| self.asked.contains(key)) {
                let fate = self.fates.entry(key).or_insert(verdict.dropped);
                *fate = fate.and(verdict.dropped);
            }
        }
    }

    /// Counts the copies, now that all other replies are counted: a copy shares the fate of its
    /// original.
    pub(super) fn with_copies(
        self,
        sessions: &dyn DecidedSessions,
    ) -> Result<ReplyCounts, ExtractError> {
        let Self { mut counts, asked, fates } = self;
        if asked.is_empty() {
            return Ok(counts);
        }
        sessions.each(&mut |session| {
            for copy in session.result.summary().map_or(&[][..], |it| &it.counts.copies) {
                let found = copy.both().map(|key| fates.get(&key));
                match found.into_iter().flatten().min() {
                    Some(None) => counts.copies += 1,
                    Some(reason) => counts.count(*reason, 1),
                    None => counts.leave_out(DropReason::NoOriginal, 1),
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }
}
