//! What the agent is saying, until the file has it: bounded, and drawn as far as it is seen.

use crate::rich::{Line, LineEnds, render_markdown};

/// Of a long answer no more than its end is kept: the file will have all of it.
const MOST_BYTES: usize = 256 << 10;

/// The words of an answer that is not in the file yet.
#[derive(Debug, Default)]
pub(super) struct StreamedReply {
    text: String,
}

impl StreamedReply {
    pub(super) fn clear(&mut self) {
        self.text.clear();
    }

    /// It says more.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > MOST_BYTES {
            self.text = end_of(&self.text, MOST_BYTES / 2).unwrap_or_default();
        }
    }

    /// The last rows, as many as are seen, with an empty one before the first.
    pub(super) fn rows(&self, width: usize, height: usize) -> Vec<Line> {
        let text = self.text.trim();
        if text.is_empty() {
            return Vec::new();
        }
        // A row takes no more than four bytes a column, except for marks that take no column. So
        // much is enough as a rule, and twice as much where it is not.
        let mut bytes = width.saturating_mul(height).saturating_mul(4).max(1 << 10);
        loop {
            let end = end_of(text, bytes);
            let rows = render_markdown(end.as_deref().unwrap_or(text), LineEnds::Spaces, width);
            if end.is_none() {
                return std::iter::once(Line::default()).chain(rows).collect();
            }
            if rows.len() > height {
                return rows;
            }
            bytes = bytes.saturating_mul(2);
        }
    }
}

/// The end of a Markdown text, from the start of a line on, inside code if the cut is; `None` if
/// all of it is short enough.
fn end_of(text: &str, bytes: usize) -> Option<String> {
    let cut = text.len().checked_sub(bytes).filter(|cut| *cut > 0)?;
    let cut = text.ceil_char_boundary(cut);
    let start = text[cut..].find('\n').map_or(cut, |at| cut + at + 1);
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let is_code = text[..start].lines().filter(is_fence).count() % 2 == 1;
    Some(format!("{}{}", if is_code { "```\n" } else { "" }, &text[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(rows: &[Line]) -> Vec<String> {
        rows.iter().map(Line::text).collect()
    }

    #[test]
    fn what_is_kept_and_drawn_is_bounded() {
        let mut words = StreamedReply::default();
        for at in 0..200_000 {
            words.add(&format!("line {at}\n\n"));
            assert!(words.text.len() <= MOST_BYTES);
        }
        let rows = words.rows(80, 24);
        assert!((24..2_000).contains(&rows.len()), "{}", rows.len());
        assert_eq!(texts(&rows).last().unwrap(), "line 199999");
    }

    #[test]
    fn the_end_looks_as_in_the_whole() {
        let code = (0..500).map(|at| format!("let x{at} = *a_{at}_b*;\n")).collect::<String>();
        let text = format!("Intro\n\n```rust\n{code}```\n\nThe *end*.\n");
        let mut words = StreamedReply::default();
        words.add(&text);
        let whole = texts(&render_markdown(text.trim(), LineEnds::Spaces, 60));
        for height in [1, 5, 24, 200] {
            let rows = texts(&words.rows(60, height));
            let seen = &rows[rows.len() - height..];
            assert_eq!(seen, &whole[whole.len() - height..], "{height}");
        }
        words.clear();
        words.add("short");
        assert_eq!(texts(&words.rows(60, 24)), ["", "short"]);
    }
}
