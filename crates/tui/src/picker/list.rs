//! The state of the list: which rows there are, which one is selected. Knows no terminal.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_store::SessionFacts;
use pitree_store::pick::{Needle, PickerQuery};

use super::query::{MatchesByNeedle, NeedleMatches, SearchMethod};
use super::rows::{ListFilter, ListedSessions, SessionRow, Sort, rows, run_of};
use super::runs::{OpenRuns, RunFacts};

/// What the store is to be asked: who holds a needle, and among which sessions they must be.
#[derive(Clone)]
pub(super) struct NeedleQuery {
    pub(super) needle: Needle,
    pub(super) among: Option<Arc<HashSet<PathBuf>>>,
}

/// The list with its selection. The selection stays on its session while the list changes.
pub(super) struct SessionList {
    sessions: ListedSessions,
    wanted: ListFilter,
    matches: MatchesByNeedle,
    /// The runs of unfolded sessions.
    runs: OpenRuns,
    rows: Vec<SessionRow>,
    selected: usize,
    /// The first row that is seen.
    top: usize,
    /// The session that was selected when it was asked for last.
    previewed: Option<PathBuf>,
    /// How many files among them are no sessions.
    pub(super) left_out: usize,
}

impl Default for SessionList {
    fn default() -> Self {
        let wanted = ListFilter {
            query: PickerQuery::Empty,
            sort: Sort::default(),
            named_only: false,
            folded: HashSet::new(),
        };
        Self {
            sessions: ListedSessions::default(),
            wanted,
            matches: HashMap::new(),
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
        self.sessions.hay.remove(gone);
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

    /// Sets what is looked for.
    pub(super) fn set_query(&mut self, typed: &str) {
        self.wanted.query = PickerQuery::parse(typed);
        self.arrange(None);
        self.selected = 0;
    }

    /// What is to be looked for in the messages.
    pub(super) fn questions(&self) -> Vec<NeedleQuery> {
        let is_known =
            |needle: &Needle| self.matches.get(needle).is_some_and(NeedleMatches::is_whole);
        let needles = self.wanted.query.needles().into_iter();
        let unknown = needles.filter(|needle| !is_known(needle));
        unknown.map(|needle| NeedleQuery { among: self.among(&needle), needle }).collect()
    }

    /// The fewest sessions among which those must be whose messages hold a needle, as far as it is
    /// known.
    fn among(&self, needle: &Needle) -> Option<Arc<HashSet<PathBuf>>> {
        let wider =
            self.matches.iter().filter(|(other, matches)| matches.by_text && needle.implies(other));
        wider.map(|(_, matches)| &matches.files).min_by_key(|files| files.len()).cloned()
    }

    pub(super) fn add_matches(
        &mut self,
        needle: Needle,
        files: HashSet<PathBuf>,
        method: SearchMethod,
    ) {
        let selected = self.moved_key();
        let matches = self.matches.entry(needle).or_default();
        Arc::make_mut(&mut matches.files).extend(files);
        matches.by_words |= method == SearchMethod::Words;
        matches.by_text |= method == SearchMethod::Text;
        self.arrange(selected);
    }

    /// Sessions may have changed: who holds what has to be asked again. What is known is still
    /// shown meanwhile.
    pub(super) fn doubt_holders(&mut self) {
        for matches in self.matches.values_mut() {
            (matches.by_words, matches.by_text) = (false, false);
        }
    }

    pub(super) fn set_runs(&mut self, path: PathBuf, runs: Vec<RunFacts>) {
        let selected = self.key();
        self.runs.insert(path, runs);
        self.arrange(selected);
    }

    pub(super) fn next_sort(&mut self) {
        let selected = self.key();
        self.wanted.sort = self.wanted.sort.next();
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
        let path = self.selected().map(|facts| facts.path.clone());
        if path == self.previewed {
            return None;
        }
        self.previewed = path;
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
        self.wanted.sort
    }

    pub(super) fn is_named_only(&self) -> bool {
        self.wanted.named_only
    }

    /// Why nothing can be found.
    pub(super) fn problem(&self) -> Option<&str> {
        self.wanted.query.problem()
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
        self.rows = rows(&self.sessions, &self.wanted, &self.matches, &self.runs);
        let place = selected.and_then(|(path, run)| {
            let is_it = |row: &SessionRow| row.run == run && self.facts(row).path == path;
            self.rows.iter().position(is_it)
        });
        let last = self.rows.len().saturating_sub(1);
        self.selected = place.unwrap_or(self.selected).min(last);
    }
}
