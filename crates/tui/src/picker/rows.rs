//! Which rows the list has, and in which order. Knows no terminal.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;

use pitree_store::search::{MatchRank, Nearness, Query};
use pitree_store::{SessionFacts, thread_of};

use super::runs::{OpenRuns, RunFacts};

/// In which order the sessions stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    /// Forks below the session they came from; with a query the best first.
    #[default]
    Threaded,
    /// The latest activity first.
    Recent,
    /// The earliest activity first.
    Oldest,
    /// What fits the query best first.
    Relevance,
}

impl Sort {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Threaded => Self::Recent,
            Self::Recent => Self::Oldest,
            Self::Oldest => Self::Relevance,
            Self::Relevance => Self::Threaded,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Threaded => "threaded",
            Self::Recent => "recent",
            Self::Oldest => "oldest",
            Self::Relevance => "relevance",
        }
    }
}

/// The sessions of the list, newest first, with what is made of them once.
#[derive(Debug, Default)]
pub(super) struct ListedSessions {
    pub(super) facts: Vec<SessionFacts>,
    /// The place of each one's parent, without circles.
    pub(super) parents: Vec<Option<usize>>,
}

impl ListedSessions {
    /// Asks the disk for the parents, so it is for a thread.
    pub(super) fn new(mut facts: Vec<SessionFacts>) -> Self {
        // As `pitree list` has them: a new fork is new, although what it copied may be old.
        facts.sort_by_key(|facts| Reverse(facts.last_used_ms()));
        let parents = pitree_store::parents(&facts);
        Self { facts, parents }
    }
}

/// What the user wants to see.
#[derive(Clone, Debug)]
pub(super) struct ListFilter {
    /// What is looked for.
    pub(super) query: Option<Query>,
    /// Why what was typed cannot be looked for.
    pub(super) problem: Option<String>,
    pub(super) sort: Sort,
    pub(super) named_only: bool,
    /// Sessions whose forks are folded away.
    pub(super) folded: HashSet<PathBuf>,
}

impl ListFilter {
    /// The order that the rows have: with a query it is that of the search, unless the user wants
    /// the latest first.
    pub(super) fn order(&self) -> Sort {
        match self.sort {
            Sort::Threaded if self.query.is_some() => Sort::Relevance,
            sort => sort,
        }
    }
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
    /// Whether it is only a guess at what was typed.
    pub(super) is_fuzzy: bool,
}

/// Deeper families are drawn no deeper.
const DEEPEST: usize = 12;

/// The rows of the list. `fit` says how well a session matches the query.
pub(super) fn rows(
    sessions: &ListedSessions,
    wanted: &ListFilter,
    fit: impl Fn(usize) -> Option<MatchRank>,
    runs: &OpenRuns,
) -> Vec<SessionRow> {
    let fitting = fitting(sessions, wanted, fit);
    let rows = if wanted.order() == Sort::Threaded {
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

/// The sessions that fit, in the order of the list or of the query, and whether they are guesses.
fn fitting(
    sessions: &ListedSessions,
    wanted: &ListFilter,
    fit: impl Fn(usize) -> Option<MatchRank>,
) -> Vec<(usize, bool)> {
    let is_named = |facts: &SessionFacts| {
        facts.name.as_ref().is_some_and(|name| !name.to_text().trim().is_empty())
    };
    let all = sessions.facts.iter().enumerate();
    let named = all.filter(|(_, facts)| !wanted.named_only || is_named(facts)).map(|(at, _)| at);
    if wanted.problem.is_some() {
        return Vec::new();
    }
    if wanted.query.is_none() {
        let mut all: Vec<(usize, bool)> = named.map(|at| (at, false)).collect();
        if wanted.order() == Sort::Oldest {
            all.reverse();
        }
        return all;
    }
    let mut found: Vec<(MatchRank, usize)> = named.filter_map(|at| Some((fit(at)?, at))).collect();
    match wanted.order() {
        // The list is newest first, and equals keep their order.
        Sort::Relevance => found.sort_by_key(|(rank, _)| *rank),
        Sort::Oldest => found.reverse(),
        Sort::Threaded | Sort::Recent => {}
    }
    found.into_iter().map(|(rank, at)| (at, rank.0 == Nearness::Fuzzy)).collect()
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
        fitting.iter().map(|&session| sessions.facts[session].last_used_ms()).collect();
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
