//! Rows as lines of a given width.
//!
//! A row is: the lines of the tree, `⊞` if it is folded and has no connector, `•` on the active
//! path, its label, its words. If the tree is so deep that the words of the selected row would be
//! off the screen, all rows are moved to the left together.

use pitree_session::Session;
use unicode_segmentation::UnicodeSegmentation;

use super::labels::short_time;
use super::model::TreeModel;
use super::rows::STEP_COLUMNS;
use super::words::{RowText, RowTone};
use crate::text;

/// The cursor's columns before each line.
pub const CURSOR_COLUMNS: usize = 2;

/// The words of the selected row get a third of the width, within these bounds.
const LEAST_WORDS: usize = 4;
const MOST_WORDS: usize = 20;
/// If the rows are moved, so much of the tree stays before the words: a quarter, within these.
const LEAST_TREE: usize = 2;
const MOST_TREE: usize = 12;

/// What a piece of a line is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The lines of the tree at a step to the right: what belongs to one branching has one color.
    Lane(usize),
    /// The marks for folds and the active path.
    Mark,
    /// A label.
    Label,
    /// When it was set.
    LabelTime,
    /// What the entry says.
    Words(RowTone),
}

/// One row, cut to the width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine {
    /// Whether the cursor is here.
    pub is_selected: bool,
    /// Its parts from left to right.
    pub parts: Vec<(Ink, String)>,
}

/// The lines that fit into so many rows and columns, the cursor's columns included.
pub fn lines(
    model: &mut TreeModel,
    session: &Session,
    (columns, height): (usize, usize),
) -> Vec<TreeLine> {
    let columns = columns.saturating_sub(CURSOR_COLUMNS);
    let bodies: Vec<UncutRow> =
        model.window(height).map(|row| UncutRow::of(model, row, session)).collect();
    let widest = bodies.iter().map(UncutRow::columns).max().unwrap_or(0);
    let selected = bodies.iter().find(|body| body.row == model.selected_row());
    let pan = selected.map_or(0, |body| pan(body.anchor(), columns, widest));
    bodies.into_iter().map(|body| body.cut(model, pan, columns)).collect()
}

/// How many columns all rows are moved to the left.
fn pan(anchor: usize, columns: usize, widest: usize) -> usize {
    let most = widest.saturating_sub(columns);
    let words = (columns / 3).clamp(LEAST_WORDS, MOST_WORDS);
    if most == 0 || anchor + words <= columns {
        return 0;
    }
    let tree = (columns / 4).clamp(LEAST_TREE, MOST_TREE);
    most.min(anchor.saturating_sub(tree))
}

/// A row before it is cut. The lines of the tree are drawn last, as far as they are seen.
struct UncutRow {
    row: usize,
    tree_columns: usize,
    marks: String,
    rest: Vec<(Ink, String)>,
}

impl UncutRow {
    fn of(model: &mut TreeModel, row: usize, session: &Session) -> Self {
        let entry = model.rows().get(row).map_or(0, |row| row.entry);
        let mut marks = String::new();
        if model.rows().needs_fold_mark(row) {
            marks.push_str("⊞ ");
        }
        if model.is_active(entry) {
            marks.push_str("• ");
        }
        let mut rest = Vec::new();
        if let Some(label) = model.label(entry) {
            rest.push((Ink::Label, format!("[{}] ", text::line(&label.text))));
            if let Some(time) = label.time_ms.filter(|_| model.shows_label_times()) {
                let time = short_time(time, session.environment());
                rest.push((Ink::LabelTime, format!("{time} ")));
            }
        }
        let words = model.words(entry, session);
        rest.extend(words.iter().map(|RowText { tone, text }| (Ink::Words(*tone), text.clone())));
        let tree_columns = model.rows().steps(row) * STEP_COLUMNS;
        Self { row, tree_columns, marks, rest }
    }

    /// Where its words begin.
    fn anchor(&self) -> usize {
        self.tree_columns + text::width(&self.marks)
    }

    fn columns(&self) -> usize {
        self.anchor() + self.rest.iter().map(|(_, part)| text::width(part)).sum::<usize>()
    }

    /// The columns from `start` on.
    fn cut(self, model: &TreeModel, start: usize, columns: usize) -> TreeLine {
        let seen = start..start + columns;
        let steps = start / STEP_COLUMNS..seen.end.div_ceil(STEP_COLUMNS);
        let first_column = steps.start * STEP_COLUMNS;
        let tree = between(&model.rows().prefix(self.row, steps), first_column, seen.clone());
        let mut parts = lanes(&tree, start);
        let mut at = self.tree_columns;
        for (ink, part) in [(Ink::Mark, self.marks)].into_iter().chain(self.rest) {
            parts.push((ink, between(&part, at, seen.clone())));
            at += text::width(&part);
        }
        parts.retain(|(_, part)| !part.is_empty());
        TreeLine { is_selected: self.row == model.selected_row(), parts }
    }
}

/// The lines of the tree, which begin at a column, step by step.
fn lanes(tree: &str, mut column: usize) -> Vec<(Ink, String)> {
    let mut parts: Vec<(Ink, String)> = Vec::new();
    for letter in tree.chars() {
        let lane = Ink::Lane(column / STEP_COLUMNS);
        match parts.last_mut() {
            Some((ink, part)) if *ink == lane => part.push(letter),
            _ => parts.push((lane, letter.to_string())),
        }
        column += 1;
    }
    parts
}

/// The part of a text that lies between two columns, if it begins at `at`. Half a character at
/// either edge becomes a space or is left out, so that the columns stay.
fn between(part: &str, mut at: usize, seen: std::ops::Range<usize>) -> String {
    let mut out = String::new();
    for grapheme in part.graphemes(true) {
        let next = at + text::width(grapheme);
        if at >= seen.start && next <= seen.end && (next > at || !out.is_empty()) {
            out.push_str(grapheme);
        } else if at < seen.start && next > seen.start {
            out.push_str(&" ".repeat(next.min(seen.end) - seen.start));
        }
        if next > seen.end {
            break;
        }
        at = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_selected_row_stay_on_the_screen() {
        assert_eq!(pan(10, 78, 200), 0, "enough room");
        assert_eq!(pan(58, 78, 200), 0, "just enough room");
        assert_eq!(pan(59, 78, 200), 47);
        assert_eq!(pan(59, 78, 100), 22, "no further than the widest row");
        assert_eq!(pan(59, 78, 78), 0, "all fits");
        assert_eq!(pan(5, 1, 100), 3);
    }

    #[test]
    fn each_step_is_a_lane() {
        let lane = |at, text: &str| (Ink::Lane(at), text.to_owned());
        assert_eq!(lanes("│  ├─ ", 0), [lane(0, "│  "), lane(1, "├─ ")]);
        assert_eq!(lanes("  ├─", 1), [lane(0, "  "), lane(1, "├─")], "the rows are moved");
    }

    #[test]
    fn halves_of_wide_characters_keep_the_columns() {
        assert_eq!(between("日本語", 0, 1..5), " 本");
        assert_eq!(between("日本語", 0, 2..6), "本語");
        assert_eq!(between("abc", 4, 0..6), "ab");
        assert_eq!(between("abc", 4, 8..9), "");
    }
}
