//! A table that fits the terminal: the names are cut to it, and bars take what is left.

use pitree_tui::text::{cut, cut_start, width};

use crate::chart;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::verbs::show::table::print_table;

/// The longest bar.
const LONGEST_BAR: usize = 24;

/// A shorter bar says nothing.
const SHORTEST_BAR: usize = 4;

/// A note that is cut to less says nothing.
const SHORTEST_NOTE: usize = 10;

/// However narrow the terminal is, so much of a name is shown.
const SHORTEST_NAME: usize = 8;

/// The space between two columns.
const GAP: usize = 2;

/// A table of names and numbers.
pub(super) struct Section {
    /// Above the names and above the numbers.
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<SectionRow>,
    /// Whether the names are paths, of which the end says more than the beginning.
    pub(super) are_paths: bool,
}

/// A row. Its texts are known to be harmless.
#[derive(Default)]
pub(super) struct SectionRow {
    pub(super) name: String,
    pub(super) numbers: Vec<String>,
    /// How long the bar is, from zero to one.
    pub(super) share: Option<f64>,
    /// What stands behind the numbers instead of a bar.
    pub(super) note: String,
}

impl Section {
    /// Prints the table, with an empty line before it.
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        let columns = output.columns();
        let rows = self.fitted(columns, |text, style| output.paint(style, text));
        let mut head = self.head.clone();
        head.push("");
        output.line("")?;
        print_table(&head, &rows, output)
    }

    /// The cells of all rows, for a terminal of so many columns or for a file.
    fn fitted(
        &self,
        columns: Option<usize>,
        paint: impl Fn(&str, Style) -> String,
    ) -> Vec<Vec<String>> {
        let has_notes = self.rows.iter().any(|row| !row.note.is_empty());
        let Some(columns) = columns else {
            return self.rows.iter().map(|row| row.cells(row.name.clone(), &row.note)).collect();
        };
        let numbers: usize = (0..self.head.len() - 1).map(|at| self.number_width(at) + GAP).sum();
        let room = columns.saturating_sub(numbers);
        let names = self.rows.iter().map(|row| width(&row.name));
        let widest = names.fold(width(self.head[0]), usize::max);
        // Where there is room for both, a long name leaves some of it to the note.
        let most = if has_notes && room > 4 * SHORTEST_NOTE { room * 3 / 5 } else { room };
        let most = most.max(SHORTEST_NAME);
        let left = room.saturating_sub(widest.min(most) + GAP);
        let row = |row: &SectionRow| {
            let name = match self.are_paths {
                true => cut_start(&row.name, most),
                false => cut(&row.name, most),
            };
            let behind = match row.share {
                Some(share) if left >= SHORTEST_BAR => {
                    paint(&chart::bar(share, left.min(LONGEST_BAR)), Style::Active)
                }
                None if left >= SHORTEST_NOTE => paint(&cut_start(&row.note, left), Style::Dim),
                _ => String::new(),
            };
            row.cells(name.into_owned(), &behind)
        };
        self.rows.iter().map(row).collect()
    }

    fn number_width(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.numbers.get(at));
        cells.map(|cell| width(cell)).fold(width(self.head[at + 1]), usize::max)
    }
}

impl SectionRow {
    fn cells(&self, name: String, behind: &str) -> Vec<String> {
        let mut cells = vec![name];
        cells.extend(self.numbers.iter().cloned());
        cells.push(behind.to_owned());
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(note: &str) -> Section {
        let row = |name: &str, number: &str, share| SectionRow {
            name: name.to_owned(),
            numbers: vec![number.to_owned()],
            share: Some(share).filter(|_| note.is_empty()),
            note: note.to_owned(),
        };
        let rows = vec![row("some/long/path/to/a/file.rs", "1,234", 1.0), row("漢字", "5", 0.5)];
        Section { head: vec!["file", "reads"], rows, are_paths: true }
    }

    #[test]
    fn no_row_is_wider_than_the_terminal() {
        for note in ["", "~/a/project/with/a/long/name"] {
            for columns in 16..120 {
                for row in section(note).fitted(Some(columns), |text, _| text.to_owned()) {
                    let wide: usize = row.iter().map(|cell| width(cell) + GAP).sum();
                    // The gap behind an empty last cell is not printed.
                    let last = usize::from(row[2].is_empty()) * GAP;
                    assert!(wide - GAP - last <= columns, "{columns}: {row:?}");
                }
            }
        }
        let wide = section("note").fitted(None, |text, _| text.to_owned());
        assert_eq!(wide[0], ["some/long/path/to/a/file.rs", "1,234", "note"]);
        let narrow = section("").fitted(Some(20), |text, _| text.to_owned());
        assert_eq!(narrow[0], ["…to/a/file.rs", "1,234", ""]);
    }
}
