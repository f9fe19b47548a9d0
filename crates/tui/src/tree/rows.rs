//! What is left of the tree when entries are hidden, and where each row stands.
//!
//! A hidden entry's children move up to the nearest entry that is shown. A row goes one step to
//! the right where its parent has several children, and once more for the first generation below,
//! so that a long conversation stays flat. Nothing here is text: the lines in front of a row are
//! drawn when it is seen, from [`TreeRows::prefix`].

use std::ops::Range;

use super::shape::{NONE, TreeShape};

/// The columns of one step to the right.
pub const STEP_COLUMNS: usize = 3;

/// One shown entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// The entry, by its place in the file.
    pub entry: u32,
    /// The row it hangs below, or `u32::MAX`.
    above: u32,
    /// The nearest row above it with a connector, or `u32::MAX`.
    branch: u32,
    /// How many rows hang directly below it.
    children: u32,
    /// How many steps it stands to the right, as Pi counts: several roots stand at one.
    indent: u32,
    /// Whether it has siblings; several roots are siblings too.
    has_siblings: bool,
    is_last: bool,
    is_folded: bool,
}

/// The shown entries from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct TreeRows {
    list: Vec<TreeRow>,
    /// For each entry its row, or [`NONE`].
    row_of: Vec<u32>,
    has_several_roots: bool,
}

impl TreeRows {
    /// Lays out the entries that `is_shown` lets pass, without those below folded ones.
    pub(super) fn build(
        shape: &TreeShape,
        is_folded: impl Fn(u32) -> bool,
        mut is_shown: impl FnMut(u32) -> bool,
    ) -> Self {
        let count = shape.parent.len();
        let mut rows =
            Self { list: Vec::new(), row_of: vec![NONE; count], has_several_roots: false };
        // The row of the nearest shown entry at or above each entry.
        let mut nearest = vec![NONE; count];
        let mut is_below_fold = vec![false; count];
        for &entry in &shape.order {
            let at = entry as usize;
            let parent = shape.parent[at] as usize;
            let above = nearest.get(parent).copied().unwrap_or(NONE);
            nearest[at] = above;
            if parent < count {
                is_below_fold[at] = is_below_fold[parent] || is_folded(parent as u32);
            }
            if !is_below_fold[at] && is_shown(entry) {
                nearest[at] = rows.list.len() as u32;
                rows.push(entry, above, is_folded(entry));
            }
        }
        rows.place();
        rows
    }

    fn push(&mut self, entry: u32, above: u32, is_folded: bool) {
        self.row_of[entry as usize] = self.list.len() as u32;
        self.list.push(TreeRow {
            entry,
            above,
            branch: NONE,
            children: 0,
            indent: 0,
            has_siblings: false,
            is_last: false,
            is_folded,
        });
    }

    /// Finds out who has siblings, who is the last of them, and how far right each one stands.
    fn place(&mut self) {
        let mut roots = 0;
        for at in (0..self.list.len()).rev() {
            let above = self.list[at].above as usize;
            let siblings_below = match self.list.get_mut(above) {
                Some(parent) => &mut parent.children,
                None => &mut roots,
            };
            let is_last = *siblings_below == 0;
            *siblings_below += 1;
            self.list[at].is_last = is_last;
        }
        self.has_several_roots = roots > 1;
        for at in 0..self.list.len() {
            let row = self.list[at];
            let placed = match self.list.get(row.above as usize) {
                None => TreeRow {
                    has_siblings: self.has_several_roots,
                    indent: u32::from(self.has_several_roots),
                    ..row
                },
                Some(parent) => {
                    let has_siblings = parent.children > 1;
                    let is_first_generation = parent.has_siblings && parent.indent > 0;
                    let step = u32::from(has_siblings || is_first_generation);
                    let branch = if has_connector(parent) { row.above } else { parent.branch };
                    TreeRow { has_siblings, indent: parent.indent + step, branch, ..row }
                }
            };
            self.list[at] = placed;
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The row at a place.
    pub fn get(&self, at: usize) -> Option<&TreeRow> {
        self.list.get(at)
    }

    /// The row of an entry, if it is shown.
    pub fn row_of(&self, entry: u32) -> Option<usize> {
        self.row_of.get(entry as usize).filter(|&&row| row != NONE).map(|&row| row as usize)
    }

    /// Whether a row can be folded: something hangs below it, and it begins a branch.
    pub fn is_foldable(&self, at: usize) -> bool {
        self.get(at).is_some_and(|row| row.children > 0 && (row.above == NONE || row.has_siblings))
    }

    /// Whether what hangs below a row is folded away.
    pub fn is_folded(&self, at: usize) -> bool {
        self.get(at).is_some_and(|row| row.is_folded)
    }

    /// Whether a folded row needs a mark of its own, since it has no connector to carry it.
    pub fn needs_fold_mark(&self, at: usize) -> bool {
        self.get(at).is_some_and(|row| row.is_folded && !has_connector(row))
    }

    /// The first row of the branch at or above this one that begins before it; else its root.
    pub fn branch_start(&self, at: usize) -> usize {
        let mut current = at;
        loop {
            let Some(row) = self.get(current) else { return at };
            let begins_branch = row.above != NONE && row.has_siblings;
            if row.above == NONE || (begins_branch && current < at) {
                return current;
            }
            current = row.above as usize;
        }
    }

    /// The next branching below a row: its first child; or the end of the conversation.
    pub fn branch_end(&self, at: usize) -> usize {
        let mut current = at;
        loop {
            match self.get(current).map_or(0, |row| row.children) {
                0 => return current,
                // The first child of a row is the next row.
                1 => current += 1,
                _ => return current + 1,
            }
        }
    }

    /// How many steps a row is drawn to the right.
    pub fn steps(&self, at: usize) -> usize {
        self.get(at).map_or(0, |row| self.drawn_steps(row))
    }

    /// Several roots are drawn at the left edge although they count as branches.
    fn drawn_steps(&self, row: &TreeRow) -> usize {
        (row.indent as usize).saturating_sub(usize::from(self.has_several_roots))
    }

    /// The lines in front of a row, for some of its steps. However deep the tree is, only these
    /// are drawn.
    pub fn prefix(&self, at: usize, steps: Range<usize>) -> String {
        let Some(row) = self.get(at) else { return String::new() };
        let end = steps.end.min(self.drawn_steps(row));
        let mut cells = vec!["   "; end.saturating_sub(steps.start)];
        let mut draw = |step: Option<usize>, cell| {
            let step =
                step.filter(|step| *step < end).and_then(|step| step.checked_sub(steps.start));
            if let Some(drawn) = step.and_then(|step| cells.get_mut(step)) {
                *drawn = cell;
            }
        };
        if has_connector(row) {
            draw(self.connector_step(row), self.connector(at, row));
        }
        let mut branch = row.branch;
        while let Some(above) = self.get(branch as usize) {
            let step = self.connector_step(above);
            if step.is_some_and(|step| step < steps.start) {
                break;
            }
            draw(step, if above.is_last { "   " } else { "│  " });
            branch = above.branch;
        }
        cells.concat()
    }

    /// The step at which the connector of a row stands.
    fn connector_step(&self, row: &TreeRow) -> Option<usize> {
        self.drawn_steps(row).checked_sub(1)
    }

    fn connector(&self, at: usize, row: &TreeRow) -> &'static str {
        match (row.is_last, row.is_folded, self.is_foldable(at)) {
            (false, true, _) => "├⊞ ",
            (false, false, true) => "├⊟ ",
            (false, false, false) => "├─ ",
            (true, true, _) => "└⊞ ",
            (true, false, true) => "└⊟ ",
            (true, false, false) => "└─ ",
        }
    }
}

/// Whether a row is drawn with a connector. Roots have none, even if there are several.
fn has_connector(row: &TreeRow) -> bool {
    row.has_siblings && row.above != NONE
}
