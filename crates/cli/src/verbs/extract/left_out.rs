//! What `pitree extract` says about files, sessions and replies that are not in a data set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pitree_extract::{FilteredBy, FormatName, LeftOut, Report};

use crate::error::Result;
use crate::hints;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, counted};
use crate::unreadable::{MOST_NOT_SESSIONS, remark_not_sessions};

/// How many files that cannot be read are named one by one.
const MOST_UNREADABLE: usize = 10;

/// Says which files are not in the data set, and what else is odd about it.
pub(crate) fn remark_all(
    report: &Report,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    remark_skipped(&report.skipped, output)?;
    remark_files(&report.left_out, workspace, output)?;
    for (path, lines) in &report.damaged {
        let are =
            if *lines == 1 { "line is damaged and was" } else { "lines are damaged and were" };
        let remark = format!("{}: {lines} {are} skipped", path.display());
        output.warn(&clean_line(&remark))?;
    }
    for warning in &report.warnings {
        output.warn(&hints::of_dataset(warning))?;
    }
    Ok(())
}

/// Says how many sessions each filter has left out.
pub(super) fn remark_skipped(
    skipped: &BTreeMap<FilteredBy, u64>,
    output: &mut Output,
) -> Result<()> {
    let all: u64 = skipped.values().sum();
    if all == 0 {
        return Ok(());
    }
    let by =
        |(reason, count): (&FilteredBy, &u64)| format!("{count} by {}", hints::of_filter(*reason));
    let by = skipped.iter().map(by).collect::<Vec<_>>().join(", ");
    let sessions = counted(usize::try_from(all).unwrap_or(usize::MAX), "session", "sessions");
    output.remark(&format!("filters left out {sessions}: {by}"))
}

/// Names files that are not in the data set. Those that are not sessions may be many.
pub(super) fn remark_files(
    left_out: &[(PathBuf, LeftOut)],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let of_kind = |is_kind: fn(&LeftOut) -> bool| left_out.iter().filter(move |it| is_kind(&it.1));
    let others: Vec<_> = of_kind(|why| matches!(why, LeftOut::NotASession(_))).collect();
    if others.len() > MOST_NOT_SESSIONS {
        let paths: Vec<&Path> = others.iter().map(|(path, _)| path.as_path()).collect();
        remark_not_sessions(&paths, workspace, output)?;
    } else {
        others.iter().try_for_each(|(path, why)| remark_file(path, why, output))?;
    }
    let unreadable: Vec<_> = of_kind(|why| matches!(why, LeftOut::Unreadable(_))).collect();
    let named = unreadable.iter().take(MOST_UNREADABLE);
    named.into_iter().try_for_each(|(path, why)| remark_file(path, why, output))?;
    let more = unreadable.len().saturating_sub(MOST_UNREADABLE);
    if more > 0 {
        output.warn(&format!("left out: {more} more that cannot be read"))?;
    }
    // A secret that got through is named wherever it is.
    let mut leaks = of_kind(|why| matches!(why, LeftOut::Leak(_)));
    leaks.try_for_each(|(path, why)| remark_file(path, why, output))
}

fn remark_file(path: &Path, why: &LeftOut, output: &mut Output) -> Result<()> {
    let why = match why {
        LeftOut::NotASession(why) | LeftOut::Unreadable(why) => why.clone(),
        LeftOut::Leak(hit) => format!(
            "{} still found {} at {} in the output; please report this, or remove the secret by hand",
            hit.rule, hit.masked, hit.place
        ),
    };
    let path = path.display().to_string();
    let remark = match why.contains(&path) {
        true => format!("left out: {why}"),
        false => format!("left out: {path}: {why}"),
    };
    output.warn(&clean_line(&remark))
}

/// Says what became of replies that are not trained. The parts add up to the number in front.
pub(super) fn remark_replies(
    report: &Report,
    format: FormatName,
    output: &mut Output,
) -> Result<()> {
    let replies = &report.replies;
    let is_pairs = format.spec().is_pairs;
    let ends = [(replies.failed, "failed or were aborted"), (replies.cut_off, "were cut off")];
    let ends = ends.into_iter().filter(|(count, _)| *count > 0);
    let ends: Vec<String> = ends.map(|(count, how)| ended(count, how)).collect();
    // A reply that failed is in no pair, so it is not a part of their number.
    let with_ends = !is_pairs && !ends.is_empty();
    if replies.twins > 0 || !replies.left_out.is_empty() || with_ends {
        let (one, many) = if is_pairs { ("pair", "pairs") } else { ("reply", "replies") };
        let more = if with_ends { replies.failed + replies.cut_off } else { 0 };
        let found = usize::try_from(replies.found + more).unwrap_or(usize::MAX);
        let found = counted(found, one, many);
        let mut parts = vec![format!("{} trained", replies.trained)];
        let others = [(replies.copies, "copies of these"), (replies.twins, "duplicates of these")];
        let others = others.into_iter().filter(|(count, _)| *count > 0);
        parts.extend(others.map(|(count, what)| format!("{count} {what}")));
        let reason =
            |(reason, count)| format!("{count} left out ({})", hints::of_drop_reason(reason));
        parts.extend(replies.left_out.iter().map(|(it, count)| (*it, *count)).map(reason));
        if with_ends {
            parts.extend(ends);
        }
        return output.remark(&format!("{found}: {}", parts.join(", ")));
    }
    // Of pairs that are missing a warning tells.
    let is_empty = report.samples == 0 && replies.found == 0 && !is_pairs;
    match is_empty && report.sessions > 0 {
        true => output.remark("no reply to train on was found"),
        false => Ok(()),
    }
}

/// How many replies ended before their time, and how.
fn ended(count: u64, how: &str) -> String {
    match count {
        1 => format!("1 {}", how.replace("were", "was")),
        count => format!("{count} {how}"),
    }
}
