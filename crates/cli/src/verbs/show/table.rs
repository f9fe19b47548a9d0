//! A table of text: numbers to the right, the first column and one without a heading to the left.

use pitree_tui::text::width;

use crate::error::Result;
use crate::output::{Output, Style};

/// Prints a table; the cells are known to be harmless.
pub(crate) fn print_table(head: &[&str], rows: &[Vec<String>], output: &mut Output) -> Result<()> {
    let column_width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
        let head = head.get(column).map_or(0, |cell| width(cell));
        cells.fold(head, usize::max)
    };
    let widths: Vec<usize> = (0..head.len()).map(column_width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (column, (cell, columns)) in cells.zip(&widths).enumerate() {
            let fill = " ".repeat(columns.saturating_sub(width(cell)));
            let is_left = column == 0 || head[column].is_empty();
            let (before, after) = if is_left { ("", &*fill) } else { (&*fill, "") };
            let gap = if column == 0 { "" } else { "  " };
            text.push_str(&format!("{gap}{before}{cell}{after}"));
        }
        text.trim_end().to_owned()
    };
    let heading = line(&mut head.iter().copied());
    output.line(&output.paint(Style::Bold, &heading))?;
    for row in rows {
        output.line(&line(&mut row.iter().map(String::as_str)))?;
    }
    Ok(())
}
