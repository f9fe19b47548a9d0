//! The branches of a session, as lanes from the root to a leaf.

use std::collections::HashMap;

use pitree_export::harmless::clean_beginning;
use pitree_format::entry::Body;
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_session::{EntryRef, Session, Tree};

use crate::answer::{Problem, list};
use crate::rows::Window;

/// The entries of a lane that are looked at for a title.
const MOST_LOOKED_AT: usize = 60;

/// The length of a title.
const TITLE_CHARS: usize = 120;

/// The length of a summary.
const SUMMARY_CHARS: usize = 600;

/// A branch.
struct Lane {
    leaf: usize,
    /// Its first entry that no other lane has; `None` if it shares all of them.
    first: Option<usize>,
    is_active: bool,
}

/// All branches of a session.
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    /// How many entries lead to each entry, with it.
    lengths: Vec<u32>,
    /// Summaries of abandoned branches, by the leaf that was left.
    summaries: HashMap<usize, String>,
    branching: Branching,
}

/// Where a session goes on, and where there are only labels.
struct Branching {
    /// Whether an entry is a label that nothing but labels follow.
    is_aside: Vec<bool>,
    /// How many ways lead on from each entry, without those that are only labels.
    ways: Vec<u32>,
}

impl Branching {
    fn new(session: &Session, tree: &Tree) -> Self {
        let (mut is_aside, mut ways) = (vec![false; session.len()], vec![0; session.len()]);
        let steps: Vec<usize> = tree.walk().map(|step| step.entry).collect();
        // The children first.
        for &at in steps.iter().rev() {
            let Some(entry) = session.at(at) else { continue };
            let parent = entry.parent().map(|parent| parent.index());
            is_aside[at] = entry.kind() == EntryKind::Label && ways[at] == 0 && parent.is_some();
            if let Some(parent) = parent.filter(|_| !is_aside[at]) {
                ways[parent] += 1;
            }
        }
        Self { is_aside, ways }
    }

    /// The ends of all branches but the active one: the newest of the labels at the end of a branch
    /// belongs to it.
    fn ends(&self, tree: &Tree, active: Option<usize>) -> Vec<usize> {
        let is_end = |at: &usize| self.ways[*at] == 0 && !self.is_aside[*at];
        let ends = (0..self.ways.len()).filter(is_end);
        let mut last = Vec::new();
        for end in ends {
            // All below it are labels.
            let (mut below, mut newest) = (vec![end], end);
            let mut is_active = false;
            while let Some(at) = below.pop() {
                is_active |= Some(at) == active;
                newest = newest.max(at);
                below.extend(tree.children(at));
            }
            if !is_active {
                last.push(newest);
            }
        }
        last
    }

    /// The first entry on the way to a leaf that belongs to no other branch.
    fn first_own(&self, session: &Session, leaf: usize) -> Option<usize> {
        if self.ways[leaf] > 0 {
            return None;
        }
        let mut first = session.at(leaf)?;
        while let Some(parent) = first.parent() {
            let others = self.ways[parent.index()] - u32::from(!self.is_aside[first.index()]);
            if others > 0 {
                break;
            }
            first = parent;
        }
        Some(first.index())
    }
}

impl Lanes {
    /// The active branch first, then the others, the newest first. A label that somebody gave on the
    /// way elsewhere is an entry below the one they stood at; it makes no branch of its own.
    pub(crate) fn new(session: &Session, tree: &Tree) -> Result<Self, Problem> {
        let mut lengths = vec![0; session.len()];
        for step in tree.walk() {
            lengths[step.entry] = u32::try_from(step.depth + 1).unwrap_or(u32::MAX);
        }
        let active = session.leaf().map(|leaf| leaf.index());
        let branching = Branching::new(session, tree);
        let mut leaves = branching.ends(tree, active);
        leaves.sort_unstable_by(|a, b| b.cmp(a));
        let lanes = active.into_iter().chain(leaves).map(|leaf| Lane {
            leaf,
            first: branching.first_own(session, leaf),
            is_active: Some(leaf) == active,
        });
        let lanes = lanes.collect();
        Ok(Self { lanes, lengths, summaries: summaries(session)?, branching })
    }

    /// Whether branches part at an entry.
    pub(crate) fn part_at(&self, at: usize) -> bool {
        self.branching.ways.get(at).is_some_and(|ways| *ways > 1)
    }

    /// The ends of the branches, in their order.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        self.lanes.iter().map(|lane| lane.leaf)
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// The lanes in a window, for the page.
    pub(crate) fn described(&self, session: &Session, window: &Window) -> Value {
        list(window.of(&self.lanes), |lane| {
            let leaf = session.at(lane.leaf);
            let (title, summary) = match lane.first {
                Some(first) => self.own_part(session, first, lane.leaf),
                None => (None, None),
            };
            let length = self.lengths.get(lane.leaf).copied().unwrap_or_default();
            Object::new()
                .with("leaf", lane.leaf)
                .with("isActive", lane.is_active)
                .with("from", lane.first)
                .with("length", length)
                .with("title", title)
                .with("summary", summary)
                .with("lastTime", leaf.and_then(|leaf| leaf.time()))
                .into()
        })
    }

    /// What the part of a branch that is its own is about: the first thing the user said there,
    /// and the summary that was made when it was left.
    fn own_part(
        &self,
        session: &Session,
        first: usize,
        leaf: usize,
    ) -> (Option<String>, Option<String>) {
        let (mut titled, mut any, mut summary) = (None, None, None);
        let mut at = session.at(leaf);
        let mut looked_at = 0;
        while let Some(entry) = at {
            summary = summary.or_else(|| self.summaries.get(&entry.index()).cloned());
            any = Some(entry);
            if entry.is_message(Role::User) {
                titled = Some(entry);
            }
            looked_at += 1;
            if entry.index() == first || looked_at > MOST_LOOKED_AT {
                break;
            }
            at = entry.parent();
        }
        // A long branch is named by its beginning, too.
        let beginning = session.at(first).filter(|first| first.is_message(Role::User));
        let titled = beginning.or(titled).or(any);
        let text = |entry: EntryRef<'_>| entry.outline().ok();
        let title = titled.and_then(text).map(|text| clean_beginning(&text, TITLE_CHARS));
        (title, summary)
    }
}

/// The summaries of branches, by the entry at which each was left.
fn summaries(session: &Session) -> Result<HashMap<usize, String>, Problem> {
    let mut found = HashMap::new();
    for entry in session.entries().filter(|entry| entry.kind() == EntryKind::BranchSummary) {
        let value = entry.value()?;
        if let Body::BranchSummary(summary) = Body::decode(&value)
            && let Some(from) = summary.from_id
            && let Some(left) = session.entry(&from)
        {
            let text = clean_beginning(&summary.summary.to_text(), SUMMARY_CHARS);
            found.insert(left.index(), text);
        }
    }
    Ok(found)
}
