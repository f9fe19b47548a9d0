//! Tables: columns as wide as they need, or as the screen lets them be.

use pulldown_cmark::Alignment;

use super::row::{Line, Margin, StyledText, Tone, wrap};

/// What stands between columns.
const GAP: usize = 3;
/// No column is made narrower.
const LEAST_COLUMN: usize = 4;
/// Further columns are left out of the layout and stand in the last one.
const MOST_COLUMNS: usize = 32;

/// A table that is being read.
pub(crate) struct MarkdownTable {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line>>,
}

impl MarkdownTable {
    pub(crate) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(crate) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(crate) fn push(&mut self, cell: Line) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// Draws the table. One that has too many columns for the width is a list of its cells.
    pub(crate) fn render(&self, margin: &Margin, width: usize, rows: &mut Vec<Line>) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let room = width.saturating_sub(margin.width());
        if columns == 0 {
            return;
        }
        let least = columns * LEAST_COLUMN + (columns - 1) * GAP;
        if columns > MOST_COLUMNS || room < least || margin.width() * 2 >= width {
            return self.as_list(margin, width, rows);
        }
        let widths = shared_out(&self.natural_widths(columns), room - (columns - 1) * GAP);
        let mut before = &margin.first;
        for (at, row) in self.rows.iter().enumerate() {
            for line in self.drawn(row, &widths) {
                let mut out = before.clone();
                line.pieces.into_iter().for_each(|piece| out.push(piece));
                rows.push(out);
                before = &margin.rest;
            }
            if at == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                let mut out = before.clone();
                out.push(StyledText::new(&rule.join("─┼─"), Tone::Dim));
                rows.push(out);
            }
        }
    }

    fn as_list(&self, margin: &Margin, width: usize, rows: &mut Vec<Line>) {
        for row in &self.rows {
            for cell in row {
                wrap(cell, margin, width, rows);
            }
        }
    }

    fn natural_widths(&self, columns: usize) -> Vec<usize> {
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }

    /// One row of the table, on as many rows of the screen as its tallest cell needs.
    fn drawn(&self, row: &[Line], widths: &[usize]) -> Vec<Line> {
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| {
                let mut lines = Vec::new();
                if let Some(cell) = row.get(at) {
                    wrap(cell, &Margin::default(), *width, &mut lines);
                }
                lines
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..height).map(|line| self.across(&cells, line, widths)).collect()
    }

    fn across(&self, cells: &[Vec<Line>], line: usize, widths: &[usize]) -> Line {
        let mut out = Line::default();
        for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if at > 0 {
                out.push(StyledText::new(" │ ", Tone::Dim));
            }
            let content = cell.get(line).cloned().unwrap_or_default();
            let free = width.saturating_sub(content.width());
            let left = match self.alignments.get(at) {
                Some(Alignment::Right) => free,
                Some(Alignment::Center) => free / 2,
                _ => 0,
            };
            out.push(StyledText::new(&" ".repeat(left), Tone::Plain));
            content.pieces.into_iter().for_each(|piece| out.push(piece));
            if at + 1 < cells.len() {
                out.push(StyledText::new(&" ".repeat(free - left), Tone::Plain));
            }
        }
        out
    }
}

/// Shares the room among columns: small ones get what they need, the others the same each.
fn shared_out(natural: &[usize], room: usize) -> Vec<usize> {
    let mut widths = vec![0; natural.len()];
    let mut by_need: Vec<usize> = (0..natural.len()).collect();
    by_need.sort_by_key(|at| natural[*at]);
    let mut left = room;
    for (done, at) in by_need.into_iter().enumerate() {
        let share = left / (natural.len() - done);
        widths[at] = natural[at].min(share).max(1);
        left = left.saturating_sub(widths[at]);
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_the_room() {
        assert_eq!(shared_out(&[3, 50, 50], 43), [3, 20, 20]);
        assert_eq!(shared_out(&[3, 5], 43), [3, 5]);
    }
}
