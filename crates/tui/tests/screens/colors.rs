//! How the cells of a screen look, in words for snapshots.

use pitree_testkit::runs;
use vt100::{Cell, Color, Screen};

/// The colors of a screen in words: a line for each row that has any, with the columns and what
/// they look like. Rows and columns are counted from one.
pub(crate) fn in_words(screen: &Screen) -> String {
    let mut words = String::new();
    for row in 0..screen.size().0.get() {
        let of_row = runs(screen, row, look).into_iter().filter(|run| !run.look.is_empty());
        let of_row: Vec<String> = of_row
            .map(|run| format!("{}-{} {}", run.column + 1, run.column + run.cells, run.look))
            .collect();
        if !of_row.is_empty() {
            words.push_str(&format!("{}: {}\n", row + 1, of_row.join(", ")));
        }
    }
    words
}

/// What a cell looks like, if not like all others.
fn look(cell: &Cell) -> String {
    let mut words = Vec::new();
    for (is_so, word) in [
        (cell.bold(), "bold"),
        (cell.dim(), "dim"),
        (cell.italic(), "italic"),
        (cell.underline(), "underlined"),
        (cell.inverse(), "reversed"),
    ] {
        if is_so {
            words.push(word.to_owned());
        }
    }
    words.extend(color(cell.fgcolor()));
    words.extend(color(cell.bgcolor()).map(|color| format!("on {color}")));
    words.join(" ")
}

fn color(color: Color) -> Option<String> {
    const NAMES: [&str; 8] =
        ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    match color {
        Color::Default => None,
        Color::Idx(number) if number < 8 => Some(NAMES[usize::from(number)].to_owned()),
        Color::Idx(number) if number < 16 => {
            Some(format!("bright {}", NAMES[usize::from(number) - 8]))
        }
        other => Some(format!("{other:?}")),
    }
}
