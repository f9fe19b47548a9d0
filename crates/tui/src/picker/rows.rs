//! Which rows the list has, and in which order. Knows no terminal.

use std::collections::HashSet;
use std::path::PathBuf;

use pitree_store::pick::{Fit, Haystack, PickerQuery};
use pitree_store::{SessionFacts, thread_of};

use super::query::{MOST_TEXT, MatchesByNeedle, fit};
use super::runs::{OpenRuns, RunFacts};

/// In which order the sessions stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    /// Forks below the session they came from; with a query the best first.
    #[default]
    Threaded,
    /// The latest activity first.
    Recent,
    /// What fits the query best first.
    Relevance,
}

impl Sort {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Threaded => Self::Recent,
            Self::Recent => Self::Relevance,
            Self::Relevance => Self::Threaded,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Threaded => "threaded",
            Self::Recent => "recent",
            Self::Relevance => "relevance",
        }
    }
}

/// The sessions of the list, newest first, with what is made of them once.
#[derive(Debug, Default)]
pub(super) struct ListedSessions {
    pub(super) facts: Vec<SessionFacts>,
    pub(super) hay: Vec<Haystack>,
    /// The place of each one's parent, without circles.
    pub(super) parents: Vec<Option<usize>>,
}

impl ListedSessions {
    /// Asks the disk for the parents, so it is for a thread.
    pub(super) fn new(facts: Vec<SessionFacts>) -> Self {
        let hay = facts.iter().map(|facts| Haystack::of(facts, MOST_TEXT)).collect();
        let parents = pitree_store::parents(&facts);
        Self { facts, hay, parents }
    }
}

/// What the user wants to see.
#[derive(Clone, Debug)]
pub(super) struct ListFilter {
    pub(super) query: PickerQuery,
    pub(super) sort: Sort,
    pub(super) named_only: bool,
    /// Sessions whose forks are folded away.
    pub(super) folded: HashSet<PathBuf>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionRow {
    /// Which session; for a run the one that sent it out.
    pub(super) session: usize,
    /// Which run of a sub-agent, if it is one.
    pub(super) run: Option<usize>,
    /// The lines of the tree before it.
    pub(super) guides: String,
    /// How many forks are folded away below it.
    pub(super) hidden: usize,
    /// Whether forks stand below it.
    pub(super) has_forks: bool,
    /// Whether only the letters of what was typed are there, in that order.
    pub(super) is_fuzzy: bool,
}

/// Deeper families are drawn no deeper.
const DEEPEST: usize = 12;

/// The rows of the list.
pub(super) fn rows(
    sessions: &ListedSessions,
    wanted: &ListFilter,
    matches: &MatchesByNeedle,
    runs: &OpenRuns,
) -> Vec<SessionRow> {
    let fitting = fitting(sessions, wanted, matches);
    let rows = if wanted.sort == Sort::Threaded && wanted.query.is_empty() {
        let fitting: Vec<usize> = fitting.into_iter().map(|(at, _)| at).collect();
        threaded(sessions, &fitting, &wanted.folded)
    } else {
        let row = |(at, is_fuzzy)| SessionRow { is_fuzzy, ..SessionRow::alone(at) };
        fitting.into_iter().map(row).collect()
    };
    with_runs(rows, sessions, runs)
}

impl SessionRow {
    fn alone(session: usize) -> Self {
        let guides = String::new();
        Self { session, run: None, guides, hidden: 0, has_forks: false, is_fuzzy: false }
    }
}

/// The sessions that fit, in the order of the list or of the query, and whether they fit only
/// letter by letter.
fn fitting(
    sessions: &ListedSessions,
    wanted: &ListFilter,
    matches: &MatchesByNeedle,
) -> Vec<(usize, bool)> {
    let is_named = |facts: &SessionFacts| {
        facts.name.as_ref().is_some_and(|name| !name.to_text().trim().is_empty())
    };
    let all = sessions.facts.iter().zip(&sessions.hay).enumerate();
    let named = all.filter(|(_, (facts, _))| !wanted.named_only || is_named(facts));
    let mut scored: Vec<(Fit, usize)> = named
        .filter_map(|(at, (facts, hay))| Some((fit(&wanted.query, hay, &facts.path, matches)?, at)))
        .collect();
    if !wanted.query.is_empty() && wanted.sort != Sort::Recent {
        // The list is newest first, and equals keep their order.
        scored.sort_by(|(a, _), (b, _)| a.score.total_cmp(&b.score));
    }
    scored.into_iter().map(|(fit, at)| (at, fit.is_fuzzy)).collect()
}

/// The sessions as families. One whose parent does not fit stands alone.
fn threaded(
    sessions: &ListedSessions,
    fitting: &[usize],
    folded: &HashSet<PathBuf>,
) -> Vec<SessionRow> {
    let mut place = vec![None; sessions.facts.len()];
    for (at, &session) in fitting.iter().enumerate() {
        place[session] = Some(at);
    }
    let parent_of = |&session: &usize| sessions.parents[session].and_then(|parent| place[parent]);
    let parents: Vec<Option<usize>> = fitting.iter().map(parent_of).collect();
    let times: Vec<i64> =
        fitting.iter().map(|&session| sessions.facts[session].modified_ms).collect();
    let threads = thread_of(&parents, &times);
    let is_last = last_of_their_level(threads.iter().map(|row| row.depth));
    let mut rows: Vec<SessionRow> = Vec::with_capacity(threads.len());
    // Whether the family goes on below, for each level above the row at hand.
    let mut goes_on: Vec<bool> = Vec::new();
    let mut hidden_below: Option<(usize, usize)> = None;
    for (at, thread) in threads.iter().enumerate() {
        goes_on.truncate(thread.depth);
        goes_on.push(!is_last[at]);
        if let Some((depth, row)) = hidden_below {
            if thread.depth > depth {
                rows[row].hidden += 1;
                continue;
            }
            hidden_below = None;
        }
        let session = fitting[thread.session];
        let has_forks = threads.get(at + 1).is_some_and(|next| next.depth > thread.depth);
        if has_forks && folded.contains(&sessions.facts[session].path) {
            hidden_below = Some((thread.depth, rows.len()));
        }
        rows.push(SessionRow { guides: guides(&goes_on), has_forks, ..SessionRow::alone(session) });
    }
    rows
}

/// For each row whether no other one of its level and family follows.
fn last_of_their_level(depths: impl DoubleEndedIterator<Item = usize>) -> Vec<bool> {
    let mut is_last = Vec::new();
    let mut seen: Vec<bool> = Vec::new();
    for depth in depths.rev() {
        // What is deeper belongs to a row above this one.
        seen.resize(depth + 1, false);
        is_last.push(!std::mem::replace(&mut seen[depth], true));
    }
    is_last.reverse();
    is_last
}

fn guides(goes_on: &[bool]) -> String {
    let Some((last, above)) = goes_on.get(1..).and_then(<[bool]>::split_last) else {
        return String::new();
    };
    let shown = above.len().min(DEEPEST);
    let above = above[above.len() - shown..].iter();
    let mut out: String = above.map(|goes_on| if *goes_on { "│  " } else { "   " }).collect();
    out.push_str(if *last { "├─ " } else { "└─ " });
    out
}

/// Puts the runs of sub-agents below the sessions that are unfolded.
fn with_runs(rows: Vec<SessionRow>, sessions: &ListedSessions, open: &OpenRuns) -> Vec<SessionRow> {
    if open.is_empty() {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let (session, guides) = (row.session, row.guides.clone());
        out.push(row);
        let runs = open.get(&sessions.facts[session].path).map_or(&[][..], Vec::as_slice);
        // The lines of the family go on beside the runs.
        let beside = guides.replace("├─ ", "│  ").replace("└─ ", "   ");
        out.extend((0..runs.len()).map(|run| SessionRow {
            run: Some(run),
            guides: format!("{beside}{}", if run + 1 < runs.len() { "├╴" } else { "└╴" }),
            ..SessionRow::alone(session)
        }));
    }
    out
}

/// The run that a row shows.
pub(super) fn run_of<'r>(
    row: &SessionRow,
    sessions: &ListedSessions,
    open: &'r OpenRuns,
) -> Option<&'r RunFacts> {
    open.get(&sessions.facts[row.session].path)?.get(row.run?)
}

#[cfg(test)]
mod tests;
