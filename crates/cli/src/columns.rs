//! A row that fits the terminal: what matters least gives way first. Where there is no terminal,
//! nothing is cut.

use std::ops::Range;
use std::path::PathBuf;

use pitree_tui::text::{cut, cut_start, width};

use crate::output::{Output, Style};

/// What is between two cells.
const GAP: usize = 2;

/// One cell of a row; its text is known to be harmless.
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
    /// Cells with a higher rank give way first; 0 stays.
    rank: u8,
    /// With fewer columns than these it is left out.
    least: usize,
    /// Whether its end is seen, as that of a path.
    shows_end: bool,
    /// Where it leads to, and which word of it does; `None` is all of it.
    link: Option<(PathBuf, Option<Range<usize>>)>,
}

impl Cell {
    /// A cell that stays as it is.
    pub(crate) fn fixed(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { text, style: None, rank: 0, least: usize::MAX, shows_end: false, link: None }
    }

    /// A cell that is left out if there is no room.
    pub(crate) fn optional(text: impl Into<String>, rank: u8) -> Self {
        Self { rank, ..Self::fixed(text) }
    }

    /// A cell that is cut down to so many columns, and then left out.
    pub(crate) fn cut(text: impl Into<String>, rank: u8, least: usize) -> Self {
        Self { least, ..Self::optional(text, rank) }
    }

    /// The same for a path, whose end says most.
    pub(crate) fn path(text: impl Into<String>, rank: u8, least: usize) -> Self {
        Self { shows_end: true, ..Self::cut(text, rank, least) }
    }

    /// The same with a link to a file or folder.
    pub(crate) fn link(self, path: impl Into<PathBuf>) -> Self {
        Self { link: Some((path.into(), None)), ..self }
    }

    /// The same, but only a part of the text is the link. A cell that is cut must not have it.
    pub(crate) fn link_part(self, path: impl Into<PathBuf>, part: Range<usize>) -> Self {
        Self { link: Some((path.into(), Some(part))), ..self }
    }

    /// The text with its link.
    fn linked(&self, output: &Output) -> String {
        match &self.link {
            None => self.text.clone(),
            Some((path, None)) => output.link(path, &self.text),
            Some((path, Some(part))) => match self.text.get(part.clone()) {
                Some(word) => {
                    let (before, after) = (&self.text[..part.start], &self.text[part.end..]);
                    format!("{before}{}{after}", output.link(path, word))
                }
                None => self.text.clone(),
            },
        }
    }

    pub(crate) fn style(self, style: Style) -> Self {
        Self { style: Some(style), ..self }
    }
}

/// The row, no wider than the terminal if what stays fits it.
pub(crate) fn row(cells: Vec<Cell>, output: &Output) -> String {
    let cells = fitted(cells, output.columns());
    let paint = |cell: &Cell| match cell.style {
        Some(style) => output.paint(style, &cell.linked(output)),
        None => cell.linked(output),
    };
    cells.iter().map(paint).collect::<Vec<_>>().join("  ")
}

fn fitted(mut cells: Vec<Cell>, columns: Option<usize>) -> Vec<Cell> {
    cells.retain(|cell| !cell.text.is_empty());
    let Some(columns) = columns else { return cells };
    loop {
        let used = cells.iter().map(|cell| width(&cell.text) + GAP).sum::<usize>();
        let excess = used.saturating_sub(GAP).saturating_sub(columns);
        let weakest = cells.iter_mut().enumerate().filter(|(_, cell)| cell.rank > 0);
        let Some((at, cell)) = weakest.max_by_key(|(_, cell)| cell.rank).filter(|_| excess > 0)
        else {
            return cells;
        };
        let room = width(&cell.text).saturating_sub(excess);
        if room < cell.least {
            cells.remove(at);
            continue;
        }
        let shorter = if cell.shows_end { cut_start } else { cut };
        cell.text = shorter(&cell.text, room).into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_gives_way_first() {
        let row = |columns| {
            let cells = vec![
                Cell::fixed("id"),
                Cell::optional("role", 2),
                Cell::fixed(""),
                Cell::cut("漢字 in a title", 1, 4),
                Cell::path("~/some/where", 3, 6),
            ];
            let texts: Vec<String> =
                fitted(cells, columns).into_iter().map(|cell| cell.text).collect();
            texts.join("  ")
        };
        assert_eq!(row(None), "id  role  漢字 in a title  ~/some/where");
        assert_eq!(row(Some(39)), row(None));
        assert_eq!(row(Some(38)), "id  role  漢字 in a title  …some/where");
        assert_eq!(row(Some(31)), "id  role  漢字 in a title");
        assert_eq!(row(Some(23)), "id  漢字 in a title");
        assert_eq!(row(Some(12)), "id  漢字 in…");
        // A character of two columns is not cut in half.
        assert_eq!(row(Some(8)), "id  漢…");
        assert_eq!(row(Some(7)), "id");
        assert_eq!(row(Some(1)), "id");
    }
}
