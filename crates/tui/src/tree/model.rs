//! The state of the tree navigator: what is shown, what is folded, where the cursor stands.
//!
//! Knows no terminal. A key press costs one pass over the entries at most; texts are made for the
//! rows that are seen only.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pitree_session::{Session, SessionError, TreeFilter};

use super::facts::{Bodies, BodyPart, EntryFacts};
use super::labels::{EntryLabel, labels_of};
use super::rows::TreeRows;
use super::shape::TreeShape;
use super::words::{RowText, row_pieces};

/// How many entries' words are kept.
const MOST_KEPT_WORDS: usize = 4096;

/// What a key does to the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeAction {
    /// One row up; from the first to the last.
    Up,
    /// One row down; from the last to the first.
    Down,
    /// So many rows up or down, without going round.
    Move(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Folds what hangs below the row; if that cannot be, goes to where the branch begins.
    FoldOrUp,
    /// Unfolds; if nothing is folded, goes to the next branching or the end.
    UnfoldOrDown,
    /// Shows what a filter lets pass; a second time, what the default one does.
    Toggle(TreeFilter),
    /// The next filter.
    NextFilter,
    /// The filter before.
    PreviousFilter,
    /// To the next row with a label; from the last to the first.
    NextLabel,
    /// To the row with a label before; from the first to the last.
    PreviousLabel,
    /// Shows or hides when labels were set.
    ToggleLabelTimes,
    /// Adds to the search.
    Type(String),
    /// Takes the last character of the search away.
    Erase,
    /// Ends the search.
    ClearSearch,
}

/// The tree, as it is looked at.
#[derive(Debug)]
pub struct TreeModel {
    shape: TreeShape,
    facts: EntryFacts,
    labels: HashMap<u32, EntryLabel>,
    rows: TreeRows,
    filter: TreeFilter,
    query: String,
    folded: HashSet<u32>,
    selected: usize,
    /// The entry under the cursor; kept while nothing is shown.
    last_selected: Option<u32>,
    /// Where the cursor shall stand until a key moves it, whatever is read meanwhile.
    start: Option<u32>,
    shows_label_times: bool,
    words: HashMap<u32, Vec<RowText>>,
}

impl TreeModel {
    /// Looks at a session, with the cursor at an entry, else at the leaf. Bodies are not read yet:
    /// see [`Self::read`] and [`Self::take_in`].
    pub fn new(
        session: &Session,
        filter: TreeFilter,
        selected: Option<&str>,
    ) -> Result<Self, SessionError> {
        let mut model = Self {
            shape: TreeShape::default(),
            facts: EntryFacts::default(),
            labels: HashMap::new(),
            rows: TreeRows::default(),
            filter,
            query: String::new(),
            folded: HashSet::new(),
            selected: 0,
            last_selected: None,
            start: None,
            shows_label_times: false,
            words: HashMap::new(),
        };
        let wanted = selected.and_then(|id| session.entry(id)).or_else(|| session.leaf());
        model.start = wanted.map(|entry| entry.index() as u32);
        model.refresh(session)?;
        Ok(model)
    }

    /// Puts the cursor on an entry, or on what is seen above it.
    pub fn begin_at(&mut self, entry: usize) {
        self.start = u32::try_from(entry).ok();
        self.lay_out();
    }

    /// Looks at the session anew, after something was appended or the leaf was moved.
    pub fn refresh(&mut self, session: &Session) -> Result<(), SessionError> {
        if session.len() < self.facts.classes.len() {
            // The file was replaced by another one.
            self.facts = EntryFacts::default();
            self.folded.clear();
            self.words.clear();
        }
        self.shape = TreeShape::of(session);
        self.facts.extend(session);
        self.labels = labels_of(session)?;
        self.lay_out();
        Ok(())
    }

    /// Reads the bodies of all entries from one on, on so many threads.
    pub fn read(&mut self, session: &Session, first: usize, threads: usize) {
        for part in [BodyPart::Assistants, BodyPart::Others] {
            self.facts.take_in(Bodies::read(session, part, first, threads));
        }
        self.words.clear();
        self.lay_out();
    }

    /// Takes in bodies that a thread has read.
    pub fn take_in(&mut self, bodies: Bodies) {
        self.facts.take_in(bodies);
        self.words.clear();
        self.lay_out();
    }

    /// Does what a key asks for.
    pub fn act(&mut self, action: TreeAction) {
        self.start = None;
        let last = self.rows.len().saturating_sub(1);
        match action {
            TreeAction::Up => self.select(self.selected.checked_sub(1).unwrap_or(last)),
            TreeAction::Down if self.selected >= last => self.select(0),
            TreeAction::Down => self.select(self.selected + 1),
            TreeAction::Move(rows) => self.select(self.selected.saturating_add_signed(rows)),
            TreeAction::First => self.select(0),
            TreeAction::Last => self.select(last),
            TreeAction::FoldOrUp => self.fold_or_up(),
            TreeAction::UnfoldOrDown => self.unfold_or_down(),
            TreeAction::Toggle(filter) if filter == self.filter => self.show(TreeFilter::Default),
            TreeAction::Toggle(filter) => self.show(filter),
            TreeAction::NextFilter => self.show(self.filter.next()),
            TreeAction::PreviousFilter => self.show(self.filter.previous()),
            TreeAction::NextLabel => self.select_label(true),
            TreeAction::PreviousLabel => self.select_label(false),
            TreeAction::ToggleLabelTimes => self.shows_label_times = !self.shows_label_times,
            TreeAction::Type(text) => self.search(|query| query.push_str(&text)),
            TreeAction::Erase | TreeAction::ClearSearch if self.query.is_empty() => {}
            TreeAction::Erase => self.search(|query| {
                query.pop();
            }),
            TreeAction::ClearSearch => self.search(String::clear),
        }
    }

    fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows.len().saturating_sub(1));
    }

    fn select_label(&mut self, down: bool) {
        let (at, all) = (self.selected, self.rows.len());
        let has_label = |row: &usize| {
            let row = self.rows.get(*row);
            row.is_some_and(|row| self.labels.contains_key(&row.entry))
        };
        let found = match down {
            true => (at + 1..all).chain(0..at).find(has_label),
            false => (0..at).rev().chain((at + 1..all).rev()).find(has_label),
        };
        found.into_iter().for_each(|row| self.select(row));
    }

    /// Puts the cursor on a row.
    pub fn select_row(&mut self, row: usize) {
        self.start = None;
        self.select(row);
    }

    fn show(&mut self, filter: TreeFilter) {
        self.filter = filter;
        self.folded.clear();
        self.lay_out();
    }

    fn search(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.folded.clear();
        self.lay_out();
    }

    fn fold_or_up(&mut self) {
        let Some(entry) = self.selected_entry() else { return };
        if self.rows.is_foldable(self.selected) && self.folded.insert(entry) {
            self.lay_out();
        } else {
            self.select(self.rows.branch_start(self.selected));
        }
    }

    fn unfold_or_down(&mut self) {
        let Some(entry) = self.selected_entry() else { return };
        if self.folded.remove(&entry) {
            self.lay_out();
        } else {
            self.select(self.rows.branch_end(self.selected));
        }
    }

    /// Decides anew what is shown. The cursor stays at its entry, or goes to the nearest one
    /// above it that is shown.
    fn lay_out(&mut self) {
        self.last_selected = self.start.or(self.selected_entry()).or(self.last_selected);
        let query = self.query.to_lowercase();
        let tokens: Vec<&str> = query.split_whitespace().collect();
        let rows = TreeRows::build(
            &self.shape,
            |entry| self.folded.contains(&entry),
            |entry| self.is_shown(entry, &tokens),
        );
        self.rows = rows;
        let last = self.rows.len().saturating_sub(1);
        self.selected = match self.last_selected {
            Some(entry) => self.nearest_row(entry).unwrap_or(last),
            None => self.selected.min(last),
        };
        self.last_selected = self.selected_entry().or(self.last_selected);
    }

    fn is_shown(&self, entry: u32, tokens: &[&str]) -> bool {
        let at = entry as usize;
        if self.facts.is_silent[at] && self.shape.leaf != Some(entry) {
            return false;
        }
        let label = self.labels.get(&entry);
        if !self.filter.passes(self.facts.classes[at], label.is_some()) {
            return false;
        }
        let text = self.facts.search[at].as_deref().unwrap_or_default();
        tokens.iter().all(|token| {
            label.is_some_and(|label| label.lower.contains(token)) || text.contains(token)
        })
    }

    fn nearest_row(&self, entry: u32) -> Option<usize> {
        self.shape.ancestors(entry).find_map(|entry| self.rows.row_of(entry))
    }

    /// What is shown.
    pub fn rows(&self) -> &TreeRows {
        &self.rows
    }

    /// The row with the cursor.
    pub fn selected_row(&self) -> usize {
        self.selected
    }

    /// The entry under the cursor, by its place in the file.
    pub fn selected_entry(&self) -> Option<u32> {
        self.rows.get(self.selected).map(|row| row.entry)
    }

    /// The filter.
    pub fn filter(&self) -> TreeFilter {
        self.filter
    }

    /// What is searched for.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Whether the times of labels are shown.
    pub fn shows_label_times(&self) -> bool {
        self.shows_label_times
    }

    /// Whether an entry lies between its root and the leaf.
    pub fn is_active(&self, entry: u32) -> bool {
        self.shape.is_active[entry as usize]
    }

    /// The label of an entry.
    pub fn label(&self, entry: u32) -> Option<&EntryLabel> {
        self.labels.get(&entry)
    }

    /// The line below the tree: the place of the cursor and what is set.
    pub fn status(&self) -> String {
        let place = if self.rows.is_empty() { 0 } else { self.selected + 1 };
        let times = if self.shows_label_times { " [+label time]" } else { "" };
        format!("({place}/{}){}{times}", self.rows.len(), tag(self.filter))
    }

    /// The rows that are seen in so many lines: the cursor in the middle, if there is enough on
    /// both sides.
    pub fn window(&self, height: usize) -> Range<usize> {
        let start = self.selected.saturating_sub(height / 2);
        let start = start.min(self.rows.len().saturating_sub(height));
        start..(start + height).min(self.rows.len())
    }

    /// What an entry says. An entry that cannot be read says why.
    pub fn words(&mut self, entry: u32, session: &Session) -> &[RowText] {
        if self.words.len() >= MOST_KEPT_WORDS {
            self.words.clear();
        }
        let (facts, shape) = (&self.facts, &self.shape);
        self.words.entry(entry).or_insert_with(|| {
            let home = session.environment().home().to_string_lossy();
            match session.at(entry as usize).map(|entry| entry.value()) {
                Some(Ok(value)) => row_pieces(&value, &home, |id| facts.call(id, shape, session)),
                Some(Err(error)) => {
                    vec![RowText::new(super::words::RowTone::Error, &error.to_string())]
                }
                None => Vec::new(),
            }
        })
    }
}

/// What the line below the tree says of a filter, as in Pi.
fn tag(filter: TreeFilter) -> &'static str {
    match filter {
        TreeFilter::Default => "",
        TreeFilter::NoTools => " [no-tools]",
        TreeFilter::UserOnly => " [user]",
        TreeFilter::LabeledOnly => " [labeled]",
        TreeFilter::All => " [all]",
    }
}
