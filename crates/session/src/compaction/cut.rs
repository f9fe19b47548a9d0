//! Where a compaction cuts: the end of the conversation stays, about as long as wished.

use std::collections::HashSet;
use std::ops::Range;

use pitree_format::{EntryKind, Role, Value};

use crate::context::{Projected, context_messages, entry_value, estimate_tokens};
use crate::error::Result;
use crate::session::EntryRef;

/// Where to cut a list of entries. Pi's `CutPointResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// The place of the first entry that is kept.
    pub first_kept: usize,
    /// Where the turn begins that the cut splits in two; `None` if the cut is between turns.
    pub turn_start: Option<usize>,
}

/// Finds the cut that keeps about `keep_recent_tokens` of a range of entries, taking each entry
/// as it stands in the file. Pi's `findCutPoint`.
pub fn find_cut_point(
    entries: &[EntryRef<'_>],
    range: Range<usize>,
    keep_recent_tokens: u64,
) -> Result<CutPoint> {
    let mut seen = Vec::with_capacity(entries.len());
    for &entry in entries {
        let messages = context_messages(entry.kind(), entry_value(entry)?);
        seen.push(Projected { entry, messages, omitted: false });
    }
    let range = range.start..range.end.min(seen.len());
    let Some(nearest) = Nearest::find(&seen, &range, keep_recent_tokens) else {
        return Ok(CutPoint { first_kept: range.start, turn_start: None });
    };
    Ok(settle(&seen, range.start, nearest.cut))
}

/// Finds the cut in the context, in which edits are applied.
pub(super) fn find_projected_cut_point(
    entries: &[Projected<'_>],
    start: usize,
    keep_recent_tokens: u64,
) -> Result<CutPoint> {
    let Some(nearest) = Nearest::find(entries, &(start..entries.len()), keep_recent_tokens) else {
        return Ok(CutPoint { first_kept: start, turn_start: None });
    };
    let mut cut = nearest.cut;
    if nearest.is_full && is_omitted_attempt(&entries[cut + 1..])? {
        cut += 1;
    }
    Ok(settle(entries, start, cut))
}

/// The possible cut that is nearest to the wished size.
struct Nearest {
    cut: usize,
    /// Whether the wished size was reached at all.
    is_full: bool,
}

impl Nearest {
    /// Adds up from the end. `None` if nothing in the range can be cut at.
    fn find(entries: &[Projected<'_>], range: &Range<usize>, keep_recent: u64) -> Option<Self> {
        let cut_points: Vec<usize> =
            range.clone().filter(|&at| may_be_cut_at(&entries[at])).collect();
        let (&first, &last) = (cut_points.first()?, cut_points.last()?);
        let mut kept = 0;
        for at in range.clone().rev() {
            let tokens: usize = entries[at].messages.iter().map(estimate_tokens).sum();
            kept += tokens as u64;
            if tokens > 0 && kept >= keep_recent {
                // Large tool results at the end may be more than is wished; their call stays
                // with them.
                let next = cut_points.partition_point(|&candidate| candidate < at);
                let cut = cut_points.get(next).copied().unwrap_or(last);
                return Some(Self { cut, is_full: true });
            }
        }
        Some(Self { cut: first, is_full: false })
    }
}

/// Takes entries that the model does not see along with what follows them, and looks for the
/// beginning of the turn.
fn settle(entries: &[Projected<'_>], start: usize, mut cut: usize) -> CutPoint {
    while cut > start {
        let before = &entries[cut - 1];
        if is_compaction(before) || !before.messages.is_empty() {
            break;
        }
        cut -= 1;
    }
    let turn_start = if starts_turn(&entries[cut]) {
        None
    } else {
        (start..=cut).rev().find(|&at| starts_turn(&entries[at]))
    };
    CutPoint { first_kept: cut, turn_start }
}

/// Whether the end of the context is nothing but an answer that failed and was taken out by
/// edits, so that the cut may go right behind the last message that the model sees.
fn is_omitted_attempt(rest: &[Projected<'_>]) -> Result<bool> {
    if !rest.iter().any(|seen| seen.omitted && seen.entry.is_message(Role::Assistant)) {
        return Ok(false);
    }
    if rest.iter().any(|seen| is_compaction(seen) || !seen.messages.is_empty()) {
        return Ok(false);
    }
    let omitted: HashSet<&str> =
        rest.iter().filter(|seen| seen.omitted).map(|seen| seen.entry.id()).collect();
    for seen in rest.iter().filter(|seen| seen.entry.kind() == EntryKind::ContextEdit) {
        let edit = seen.entry.value()?;
        let is_replacement = edit.get("replacement") != Some(&Value::Null);
        let target = edit.get_string("targetId").map(|target| target.to_text());
        if is_replacement && !target.is_some_and(|target| omitted.contains(&*target)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_compaction(seen: &Projected<'_>) -> bool {
    seen.entry.kind() == EntryKind::Compaction
}

/// Not at a tool result, which must follow its call.
fn may_be_cut_at(seen: &Projected<'_>) -> bool {
    has_role(seen, |role| role == Role::Assistant || speaks_first(role))
}

fn starts_turn(seen: &Projected<'_>) -> bool {
    has_role(seen, speaks_first)
}

fn has_role(seen: &Projected<'_>, fits: impl Fn(Role) -> bool) -> bool {
    !is_compaction(seen) && seen.messages.iter().any(|message| fits(Role::of(message)))
}

fn speaks_first(role: Role) -> bool {
    matches!(
        role,
        Role::User
            | Role::BashExecution
            | Role::Custom
            | Role::BranchSummary
            | Role::CompactionSummary
    )
}
