//! In which order the entries stand on a page.
//!
//! A page reads like the conversation: first the active branch from top to bottom, then each
//! branch that was left, as a *stretch* of its own. Where a branch that was left divides again,
//! its newest child goes on and the others follow as further stretches.

use pitree_session::{EntryRef, Session, Tree};

use crate::Branch;

/// An entry on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) entry: usize,
    /// Whether a new stretch begins here.
    pub(crate) begins: bool,
    /// How many branches lie above; 0 on the main one.
    pub(crate) depth: usize,
}

/// The shape of what is exported.
pub(crate) struct Order {
    branch: Branch,
    /// For each entry whether it is on the active branch.
    active: Vec<bool>,
    tree: Option<Tree>,
    path: Vec<usize>,
}

impl Order {
    pub(crate) fn new(session: &Session, branch: Branch) -> Self {
        let active = session.active_flags();
        let path = match branch {
            Branch::Active => session.active_path(),
            Branch::To(entry) if entry < session.len() => session.path_to(entry),
            Branch::To(_) | Branch::All => Vec::new(),
        };
        let tree = (branch == Branch::All).then(|| session.tree());
        Self { branch, active, tree, path: path.iter().map(EntryRef::index).collect() }
    }

    pub(crate) fn is_active(&self, entry: usize) -> bool {
        self.active[entry]
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        if self.branch == Branch::All { self.active.len() } else { self.path.len() }
    }

    /// How many branches there are: ends of the tree, or one.
    pub(crate) fn branches(&self) -> usize {
        self.tree.as_ref().map_or(1, |tree| tree.leaves().count())
    }

    /// The entries as the page has them.
    pub(crate) fn page(&self) -> Box<dyn Iterator<Item = Step> + '_> {
        match &self.tree {
            Some(tree) => Box::new(Walk::new(tree, &self.active, true)),
            None => Box::new(self.single()),
        }
    }

    /// The entries as the outline has them: a branch that was left stands where it was left.
    pub(crate) fn outline(&self) -> Box<dyn Iterator<Item = Step> + '_> {
        match &self.tree {
            Some(tree) => Box::new(Walk::new(tree, &self.active, false)),
            None => Box::new(self.single()),
        }
    }

    fn single(&self) -> impl Iterator<Item = Step> + '_ {
        let steps = self.path.iter().enumerate();
        steps.map(|(at, &entry)| Step { entry, begins: at == 0, depth: 0 })
    }
}

/// A walk over the whole tree, without recursion.
struct Walk<'t> {
    tree: &'t Tree,
    active: &'t [bool],
    /// Whether the branch that goes on comes before those that were left.
    main_first: bool,
    stack: Vec<Step>,
}

impl<'t> Walk<'t> {
    fn new(tree: &'t Tree, active: &'t [bool], main_first: bool) -> Self {
        let mut walk = Self { tree, active, main_first, stack: Vec::new() };
        let roots: Vec<usize> = tree.roots().collect();
        // Several roots are conversations of their own; none is a branch of another.
        walk.push(&roots, 0, 0);
        if let Some(first) = walk.stack.last_mut() {
            first.begins = true;
        }
        walk
    }

    fn push(&mut self, siblings: &[usize], depth: usize, deeper: usize) {
        let active = siblings.iter().position(|&entry| self.active[entry]);
        let Some(main) = active.or(siblings.len().checked_sub(1)) else { return };
        let step = |at: usize| {
            let is_main = at == main;
            let depth = if is_main { depth } else { depth + deeper };
            Step { entry: siblings[at], begins: !is_main, depth }
        };
        // The stack gives back the last one first.
        let others = (0..siblings.len()).rev().filter(|at| *at != main).map(step);
        if self.main_first {
            self.stack.extend(others);
            self.stack.push(step(main));
        } else {
            self.stack.push(step(main));
            self.stack.extend(others);
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.stack.pop()?;
        let children: Vec<usize> = self.tree.children(step.entry).collect();
        self.push(&children, step.depth, 1);
        Some(step)
    }
}
