//! Text for the screen: harmless, and as wide as it may be.
//!
//! Everything that comes from a file, a paste or an error goes through [`line()`] or [`block`]
//! before it becomes a span. Widths are columns of the terminal, not characters.

use std::borrow::Cow;

use pitree_export::harmless;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Marks a cut.
const CUT: &str = "…";

/// Harmless text for one line.
pub fn line(text: &str) -> Cow<'_, str> {
    harmless::clean_line(text)
}

/// Harmless text for several lines; line feeds and tabs stay.
pub fn block(text: &str) -> Cow<'_, str> {
    harmless::clean_block(text)
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Harmless text of one line, with runs of white space as one space, cut to so many columns.
pub fn fit(text: &str, columns: usize) -> String {
    let mut out = String::new();
    // A line shows only its beginning, so not all of a huge text is looked at. A letter may bring
    // marks that take no column.
    let enough = text.char_indices().nth(columns * 4 + 256).map_or(text, |(at, _)| &text[..at]);
    for word in enough.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&line(word));
    }
    if enough.len() < text.len() && width(&out) <= columns {
        out.push_str(CUT);
    }
    cut(&out, columns).into_owned()
}

/// Cuts harmless text to so many columns and marks the cut.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > room {
            break;
        }
        end = at + grapheme.len();
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// Cuts harmless text from its beginning, so that its end is seen, and marks the cut.
pub fn cut_start(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let (mut used, mut start) = (0, text.len());
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > room {
            break;
        }
        start = at;
    }
    Cow::Owned(format!("{CUT}{}", &text[start..]))
}

/// Fills harmless text up with spaces.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// Breaks harmless text of one line into lines of so many columns, between words where it can.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_word_bounds() {
        let wide = width(word);
        if used + wide > columns && used > 0 {
            lines.push(String::new());
            used = 0;
        }
        if used == 0 && word.trim().is_empty() && lines.len() > 1 {
            continue;
        }
        for grapheme in word.graphemes(true) {
            let wide = grapheme.width();
            if used + wide > columns && used > 0 {
                lines.push(String::new());
                used = 0;
            }
            lines.last_mut().into_iter().for_each(|line| line.push_str(grapheme));
            used += wide;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_and_combining_characters_keep_the_columns() {
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
        assert_eq!(cut("日本語テキスト", 6), "日本…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(cut_start("/srv/日本/x", 5), "…本/x");
        assert_eq!(pad("日本", 6), "日本  ");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("日本語テキスト", 5), ["日本", "語", "テキ", "スト"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn wrapped_lines_fit_and_lose_nothing(text in "\\PC{0,60}", columns in 2usize..20) {
            let lines = wrap(&text, columns);
            // One letter with many marks may be wider than the screen.
            let fits = |line: &String| width(line) <= columns || line.graphemes(true).count() == 1;
            prop_assert!(lines.iter().all(fits), "{lines:?}");
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn nothing_is_wider_than_it_may_be(text in "\\PC{0,40}|.{0,40}", columns in 0usize..50) {
            let fitted = fit(&text, columns);
            prop_assert!(width(&fitted) <= columns, "{fitted:?}");
            prop_assert_eq!(&line(&fitted), &fitted);
            prop_assert!(width(&cut_start(&line(&text), columns)) <= columns);
        }
    }
}
