//! A table of text: the first column to the left, the others to the right.

use crate::error::Result;
use crate::output::{Output, Style};

/// Prints a table; the cells are known to be harmless.
pub(crate) fn print_table(head: &[&str], rows: &[Vec<String>], output: &mut Output) -> Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        let head = head.get(column).map_or(0, |cell| cell.chars().count());
        cells.fold(head, usize::max)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (column, (cell, width)) in cells.zip(&widths).enumerate() {
            let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) = if column == 0 { ("", &*fill) } else { (&*fill, "") };
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
