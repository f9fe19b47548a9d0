//! Bars and columns of blocks, for people at a terminal.

/// Marks of one to eight eighths of a line.
const MARKS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// A bar of eighths of a block. The longest one, whose share is one, takes so many columns.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * (width * 8) as f64).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// One mark for each value; nothing for one that is not above zero.
pub(crate) fn sparkline(values: &[f64]) -> String {
    columns(values, 1, 1, 0).concat()
}

/// A column for each value, as lines from top to bottom. Columns are so many lines high, and so
/// many characters wide and apart.
pub(crate) fn columns(values: &[f64], height: usize, width: usize, gap: usize) -> Vec<String> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let steps = (height * 8).saturating_sub(1) as f64;
    let eighths = |value: &f64| match *value > 0.0 {
        // Whatever is there has a mark.
        true => 1 + (value / most * steps).round() as usize,
        false => 0,
    };
    let filled: Vec<usize> = values.iter().map(eighths).collect();
    let line = |above: usize| {
        let mark = |eighths: &usize| match eighths.saturating_sub(above * 8) {
            0 => " ",
            high => MARKS[high.min(8) - 1],
        };
        let column = |eighths| mark(eighths).repeat(width) + &" ".repeat(gap);
        filled.iter().map(column).collect::<String>()
    };
    (0..height).rev().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(1.0, 3), "███");
        assert_eq!(bar(0.5, 3), "█▌");
        assert_eq!(bar(9.0, 2), "██");
        for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bar(nothing, 3), "", "{nothing}");
        }
    }

    #[test]
    fn columns_grow_from_the_bottom() {
        assert_eq!(sparkline(&[0.0, 0.001, 1.0, 2.0, -1.0]), " ▁▅█ ");
        assert_eq!(columns(&[1.0, 0.0, 4.0], 2, 2, 1), ["      ██ ", "▅▅    ██ "]);
        assert_eq!(sparkline(&[0.0, 0.0]), "  ");
        assert_eq!(sparkline(&[]), "");
    }
}
