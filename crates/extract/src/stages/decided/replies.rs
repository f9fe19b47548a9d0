//! What became of all replies.

use std::collections::{HashMap, HashSet};

use crate::quality::Decisions;
use crate::reason::DropReason;
use crate::reply_keys::TargetKey;
use crate::report::ReplyCounts;
use crate::stages::session::SessionResult;

pub(super) fn count(results: &[SessionResult], decisions: &Decisions) -> ReplyCounts {
    let mut replies = ReplyCounts::default();
    let done = || {
        let sessions = results.iter().zip(&decisions.sessions);
        sessions.filter_map(|(result, decision)| Some((result.summary()?, decision)))
    };
    let copies = || done().flat_map(|(summary, _)| &summary.counts.copies);
    let asked: HashSet<TargetKey> = copies().flat_map(|copy| copy.both()).collect();
    let mut fates: HashMap<TargetKey, Option<DropReason>> = HashMap::new();
    for (summary, decision) in done() {
        replies.found += summary.counts.replies;
        replies.failed += summary.counts.failed;
        replies.cut_off += summary.counts.cut_off;
        for (reason, count) in &summary.counts.replies_left_out {
            replies.leave_out(*reason, *count);
        }
        for (facts, verdict) in summary.samples.iter().zip(&decision.samples) {
            replies.count(verdict.dropped, facts.targets.len() as u64);
            let keys = facts.targets.iter().flat_map(|target| target.both());
            for key in keys.filter(|key| asked.contains(key)) {
                let fate = fates.entry(key).or_insert(verdict.dropped);
                *fate = fate.and(verdict.dropped);
            }
        }
    }
    // A copy shares the fate of its original.
    for copy in copies() {
        let found = copy.both().map(|key| fates.get(&key));
        match found.into_iter().flatten().min() {
            Some(None) => replies.copies += 1,
            Some(reason) => replies.count(*reason, 1),
            None => replies.leave_out(DropReason::NoOriginal, 1),
        }
    }
    replies
}
