//! The state of the list: which rows there are, which one is selected. Knows no terminal.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pitree_session::Environment;
use pitree_store::SessionFacts;
use pitree_store::search::{MatchRank, MatchedEntry, Query, SessionMatch};

use super::rows::{ListFilter, ListedSessions, SessionRow, Sort, rows, run_of};
use super::runs::{OpenRuns, RunFacts};

/// The list with its selection. The selection stays on its session while the list changes.
pub(super) struct SessionList {
    sessions: ListedSessions,
    wanted: ListFilter,
    /// What the search found for the query.
    matches: HashMap<PathBuf, SessionMatch>,
    /// How well each of the sessions matches by its facts alone.
    at_hand: Vec<Option<MatchRank>>,
    /// The sessions that are marked.
    marked: HashSet<PathBuf>,
    /// The session that was marked last, where a range begins.
    last_marked: Option<PathBuf>,
    /// The runs of unfolded sessions.
    runs: OpenRuns,
    rows: Vec<SessionRow>,
    selected: usize,
    /// The first row that is seen.
    top: usize,
    /// The session that was selected when it was asked for last, and its best line.
    previewed: Option<(PathBuf, Option<u64>)>,
    /// How many files among them are no sessions.
    pub(super) left_out: usize,
}

impl Default for SessionList {
    fn default() -> Self {
        let wanted = ListFilter {
            query: None,
            problem: None,
            sort: Sort::default(),
            named_only: false,
            folded: HashSet::new(),
        };
        Self {
            sessions: ListedSessions::default(),
            wanted,
            matches: HashMap::new(),
            at_hand: Vec::new(),
            marked: HashSet::new(),
            last_marked: None,
            runs: HashMap::new(),
            rows: Vec::new(),
            selected: 0,
            top: 0,
            previewed: None,
            left_out: 0,
        }
    }
}

impl SessionList {
    /// Forgets the sessions, not what is wanted.
    pub(super) fn clear(&mut self) {
        self.matches.clear();
        self.set_sessions(ListedSessions::default());
        (self.selected, self.top, self.left_out) = (0, 0, 0);
    }

    pub(super) fn set_sessions(&mut self, sessions: ListedSessions) {
        let selected = self.moved_key();
        self.sessions = sessions;
        let is_there = |path: &PathBuf| self.sessions.facts.iter().any(|facts| facts.path == *path);
        self.marked.retain(is_there);
        self.match_facts();
        self.arrange(selected);
        // A session that was read anew may look different.
        self.previewed = None;
    }

    /// Takes a session out at once; the row below is selected then.
    pub(super) fn remove(&mut self, path: &Path) {
        let Some(gone) = self.sessions.facts.iter().position(|facts| facts.path == path) else {
            return;
        };
        self.sessions.facts.remove(gone);
        if gone < self.at_hand.len() {
            self.at_hand.remove(gone);
        }
        self.marked.remove(path);
        self.sessions.parents.remove(gone);
        for parent in &mut self.sessions.parents {
            *parent = match *parent {
                Some(at) if at == gone => None,
                Some(at) if at > gone => Some(at - 1),
                other => other,
            };
        }
        self.arrange(None);
    }

    /// Sets what is looked for. What the search found for something else is forgotten.
    pub(super) fn set_query(&mut self, typed: &str, environment: &Environment) {
        (self.wanted.query, self.wanted.problem) = match typed.trim().is_empty() {
            true => (None, None),
            false => match Query::read(typed, environment) {
                Ok(query) => (Some(query), None),
                Err(error) => (None, Some(error.to_string())),
            },
        };
        self.matches.clear();
        self.match_facts();
        self.arrange(None);
        (self.selected, self.top) = (0, 0);
    }

    /// What is looked for.
    pub(super) fn query(&self) -> Option<&Query> {
        self.wanted.query.as_ref()
    }

    /// Takes what a search found: all of it, or as much as an index knows.
    pub(super) fn add_matches(&mut self, found: Vec<SessionMatch>, is_all: bool) {
        let selected = self.moved_key();
        if is_all {
            self.matches.clear();
        }
        self.matches.extend(found.into_iter().map(|found| (found.path.clone(), found)));
        self.arrange(selected);
    }

    fn match_facts(&mut self) {
        let query = self.wanted.query.as_ref();
        self.at_hand =
            query.map(|query| query.ranks_of_facts(&self.sessions.facts)).unwrap_or_default();
    }

    /// How a session matches what is looked for.
    pub(super) fn match_of(&self, row: &SessionRow) -> Option<Cow<'_, SessionMatch>> {
        let facts = self.facts(row);
        let found = self.matches.get(&facts.path).map(Cow::Borrowed);
        found.or_else(|| self.query()?.matches_facts(facts).map(Cow::Owned))
    }

    /// The message of the selected session that matches best, once it is found.
    pub(super) fn selected_entry(&self) -> Option<&MatchedEntry> {
        self.matches.get(&self.selected()?.path)?.entry.as_ref()
    }

    /// Marks the selected session, or takes its mark away, and goes to the next row.
    pub(super) fn toggle_mark(&mut self) {
        let Some(path) = self.selected().map(|facts| facts.path.clone()) else { return };
        if !self.marked.remove(&path) {
            self.marked.insert(path.clone());
            self.last_marked = Some(path);
        }
        self.move_by(1);
    }

    /// Marks all rows from the one that was marked last to the selected one; without such a row the
    /// selected one.
    pub(super) fn mark_range(&mut self) {
        let last = self.last_marked.as_ref().filter(|path| self.marked.contains(*path));
        let from = last.and_then(|path| {
            self.rows.iter().position(|row| row.run.is_none() && self.facts(row).path == *path)
        });
        let from = from.unwrap_or(self.selected);
        let range = from.min(self.selected)..=from.max(self.selected);
        let rows = self.rows.get(range).unwrap_or_default();
        let paths: Vec<PathBuf> = rows
            .iter()
            .filter(|row| row.run.is_none())
            .map(|row| self.facts(row).path.clone())
            .collect();
        self.marked.extend(paths);
        self.last_marked = self.selected().map(|facts| facts.path.clone());
    }

    pub(super) fn is_marked(&self, row: &SessionRow) -> bool {
        row.run.is_none() && self.marked.contains(&self.facts(row).path)
    }

    /// Takes all marks away; whether there were any.
    pub(super) fn clear_marks(&mut self) -> bool {
        !std::mem::take(&mut self.marked).is_empty()
    }

    /// The marked sessions in the order of the list, hidden ones too.
    pub(super) fn marked(&self) -> Vec<&SessionFacts> {
        self.sessions.facts.iter().filter(|facts| self.marked.contains(&facts.path)).collect()
    }

    /// The place of the selection, to come back to it.
    pub(super) fn selection(&self) -> usize {
        self.selected
    }

    /// Goes to a place.
    pub(super) fn select(&mut self, place: usize) {
        self.selected = place.min(self.rows.len().saturating_sub(1));
    }

    /// The place of the row that was drawn so many rows below the first one.
    pub(super) fn place_at(&self, row: usize) -> Option<usize> {
        Some(self.top + row).filter(|place| *place < self.rows.len())
    }

    pub(super) fn row(&self, place: usize) -> Option<&SessionRow> {
        self.rows.get(place)
    }

    pub(super) fn set_runs(&mut self, path: PathBuf, runs: Vec<RunFacts>) {
        let selected = self.key();
        self.runs.insert(path, runs);
        self.arrange(selected);
    }

    pub(super) fn next_sort(&mut self) {
        let selected = self.key();
        self.wanted.sort = match (self.wanted.order().next(), self.wanted.query.is_some()) {
            // With a query the two are the same.
            (Sort::Threaded, true) => Sort::Recent,
            (next, _) => next,
        };
        self.arrange(selected);
    }

    pub(super) fn toggle_named_only(&mut self) {
        let selected = self.key();
        self.wanted.named_only = !self.wanted.named_only;
        self.arrange(selected);
    }

    /// Moves the selection, not beyond the ends.
    pub(super) fn move_by(&mut self, rows: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Unfolds forks; else gives the session whose sub-agents are to be read.
    pub(super) fn unfold(&mut self) -> Option<PathBuf> {
        let (row, facts) = (self.rows.get(self.selected)?, self.selected()?);
        if row.run.is_some() {
            return None;
        }
        let path = facts.path.clone();
        if row.hidden > 0 {
            self.wanted.folded.remove(&path);
            let selected = self.key();
            self.arrange(selected);
            return None;
        }
        (facts.subagents > 0 && !self.runs.contains_key(&path)).then_some(path)
    }

    /// Folds the sub-agents, then the forks; else goes to what the row belongs to.
    pub(super) fn fold(&mut self) {
        let Some((row, facts)) = self.rows.get(self.selected).zip(self.selected()) else { return };
        let path = facts.path.clone();
        let selected = Some((path.clone(), None));
        if self.runs.remove(&path).is_some() {
            self.arrange(selected);
        } else if row.has_forks && row.hidden == 0 {
            self.wanted.folded.insert(path);
            self.arrange(selected);
        } else if let Some(parent) = self.sessions.parents[row.session] {
            let place = self.rows.iter().position(|row| row.session == parent);
            self.selected = place.unwrap_or(self.selected);
        }
    }

    pub(super) fn selected(&self) -> Option<&SessionFacts> {
        Some(self.facts(self.rows.get(self.selected)?))
    }

    pub(super) fn selected_run(&self) -> Option<&RunFacts> {
        self.run(self.rows.get(self.selected)?)
    }

    /// The selected session, if it is another one than last time.
    pub(super) fn selection_changed(&mut self) -> Option<&SessionFacts> {
        let line = self.selected_entry().map(|entry| entry.line);
        let selected = self.selected().map(|facts| (facts.path.clone(), line));
        if selected == self.previewed {
            return None;
        }
        self.previewed = selected;
        self.selected()
    }

    pub(super) fn facts(&self, row: &SessionRow) -> &SessionFacts {
        &self.sessions.facts[row.session]
    }

    pub(super) fn run(&self, row: &SessionRow) -> Option<&RunFacts> {
        run_of(row, &self.sessions, &self.runs)
    }

    /// Whether the sub-agents of a row are to be seen.
    pub(super) fn is_unfolded(&self, row: &SessionRow) -> bool {
        self.runs.contains_key(&self.facts(row).path)
    }

    /// The rows that are seen in so many lines, with whether they are selected.
    pub(super) fn seen(&mut self, height: usize) -> impl Iterator<Item = (&SessionRow, bool)> {
        let last_top = self.rows.len().saturating_sub(height);
        let lowest = (self.selected + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest, self.selected.max(lowest)).min(last_top);
        let (top, selected) = (self.top, self.selected);
        let seen = self.rows.iter().enumerate().skip(top).take(height);
        seen.map(move |(at, row)| (row, at == selected))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The place of the selection and how many rows there are.
    pub(super) fn place(&self) -> (usize, usize) {
        ((self.selected + 1).min(self.rows.len()), self.rows.len())
    }

    pub(super) fn sort(&self) -> Sort {
        self.wanted.order()
    }

    pub(super) fn is_named_only(&self) -> bool {
        self.wanted.named_only
    }

    /// Why nothing can be found.
    pub(super) fn problem(&self) -> Option<&str> {
        self.wanted.problem.as_deref()
    }

    /// What tells the selected row from others when the list is another one.
    fn key(&self) -> Option<(PathBuf, Option<usize>)> {
        let row = self.rows.get(self.selected)?;
        Some((self.facts(row).path.clone(), row.run))
    }

    /// The same, if the user has gone anywhere. Who has not stays at the top when more comes in,
    /// or would be carried away.
    fn moved_key(&self) -> Option<(PathBuf, Option<usize>)> {
        if self.selected == 0 { None } else { self.key() }
    }

    /// Makes the rows anew and puts the selection where it was.
    fn arrange(&mut self, selected: Option<(PathBuf, Option<usize>)>) {
        let (sessions, matches, at_hand) = (&self.sessions, &self.matches, &self.at_hand);
        let fit = |at: usize| fit(sessions, matches, at_hand, at);
        self.rows = rows(sessions, &self.wanted, fit, &self.runs);
        let place = selected.and_then(|(path, run)| {
            let is_it = |row: &SessionRow| row.run == run && self.facts(row).path == path;
            self.rows.iter().position(is_it)
        });
        let last = self.rows.len().saturating_sub(1);
        self.selected = place.unwrap_or(self.selected).min(last);
    }
}

/// How well a session matches: as the search found it, else by its facts.
fn fit(
    sessions: &ListedSessions,
    matches: &HashMap<PathBuf, SessionMatch>,
    at_hand: &[Option<MatchRank>],
    at: usize,
) -> Option<MatchRank> {
    let found = sessions.facts.get(at).and_then(|facts| matches.get(&facts.path));
    found.map(SessionMatch::rank).or_else(|| *at_hand.get(at)?)
}
