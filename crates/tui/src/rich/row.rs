//! Styled text that fits a width: what a conversation is made of before it is drawn.
//!
//! Nothing here knows the terminal. A [`Line`] is as long as it likes; [`wrap`] breaks it into
//! rows that are not wider than the screen, at spaces where there are some, and never inside a
//! character that the reader sees as one. All text becomes harmless on its way into a [`StyledText`].

use std::borrow::Cow;

use pitree_export::harmless;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How far a tab goes.
const TAB: usize = 4;
/// The longest character, accents included, that is drawn as it is. Longer ones are an attack.
const MOST_GRAPHEME_BYTES: usize = 64;

/// What a piece of text is; the theme says which colour that has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Dim,
    User,
    Heading,
    Code,
    Link,
    Tool,
    Good,
    Bad,
    Notice,
    Keyword,
    Literal,
    Comment,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) tone: Tone,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) underlined: bool,
    pub(crate) struck: bool,
    /// What a search found.
    pub(crate) found: bool,
}

impl From<Tone> for Look {
    fn from(tone: Tone) -> Self {
        Self { tone, ..Self::default() }
    }
}

impl Look {
    pub(crate) fn bold(tone: Tone) -> Self {
        Self { tone, bold: true, ..Self::default() }
    }
}

/// Text of one look, harmless and without line feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StyledText {
    pub(crate) text: String,
    pub(crate) look: Look,
}

impl StyledText {
    /// Line feeds and tabs become spaces, control characters become visible.
    pub(crate) fn new(text: &str, look: impl Into<Look>) -> Self {
        Self { text: harmless::clean_line(text).into_owned(), look: look.into() }
    }
}

/// Pieces side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) pieces: Vec<StyledText>,
}

impl Line {
    pub(crate) fn of(text: &str, look: impl Into<Look>) -> Self {
        Self { pieces: vec![StyledText::new(text, look)] }
    }

    pub(crate) fn with(mut self, text: &str, look: impl Into<Look>) -> Self {
        self.push(StyledText::new(text, look));
        self
    }

    pub(crate) fn followed_by(mut self, other: &Self) -> Self {
        other.pieces.iter().cloned().for_each(|piece| self.push(piece));
        self
    }

    /// Adds a piece, to the last one if it looks the same.
    pub(crate) fn push(&mut self, piece: StyledText) {
        match self.pieces.last_mut() {
            Some(last) if last.look == piece.look => last.text.push_str(&piece.text),
            _ if piece.text.is_empty() => {}
            _ => self.pieces.push(piece),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.pieces.iter().map(|piece| width_of(&piece.text)).sum()
    }

    /// The line without what does not fit; an ellipsis marks the cut.
    pub(crate) fn truncated(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut out = Self::default();
        let mut room = width.saturating_sub(1);
        for piece in &self.pieces {
            let (kept, is_whole) = fitting(&piece.text, room);
            room -= width_of(kept);
            out.push(StyledText { text: kept.to_owned(), look: piece.look });
            if !is_whole {
                break;
            }
        }
        if width > 0 {
            out.push(StyledText { text: "…".to_owned(), look: Tone::Dim.into() });
        }
        out
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| piece.text.is_empty())
    }

    pub(crate) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// How many columns a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.graphemes(true).map(grapheme_width).sum()
}

/// The beginning of a text that fits, and whether that is all of it.
fn fitting(text: &str, room: usize) -> (&str, bool) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > room || grapheme.len() > MOST_GRAPHEME_BYTES {
            return (&text[..at], false);
        }
    }
    (text, true)
}

fn grapheme_width(grapheme: &str) -> usize {
    grapheme.width()
}

/// A line of a text that is shown as it is: tabs become spaces up to the next stop.
pub(crate) fn untabbed(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for grapheme in text.graphemes(true) {
        if grapheme == "\t" {
            let to_stop = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', to_stop));
            column += to_stop;
        } else {
            out.push_str(grapheme);
            column += grapheme_width(grapheme);
        }
    }
    Cow::Owned(out)
}

/// What stands before each row of a wrapped line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Margin {
    pub(crate) first: Line,
    pub(crate) rest: Line,
}

impl Margin {
    pub(crate) fn same(line: Line) -> Self {
        Self { first: line.clone(), rest: line }
    }

    /// This margin with another one inside it.
    pub(crate) fn around(&self, inner: &Self) -> Self {
        let joined = |outer: &Line, inner: &Line| {
            let mut line = outer.clone();
            inner.pieces.iter().cloned().for_each(|piece| line.push(piece));
            line
        };
        Self { first: joined(&self.first, &inner.first), rest: joined(&self.rest, &inner.rest) }
    }

    pub(crate) fn width(&self) -> usize {
        self.first.width().max(self.rest.width())
    }
}

/// Breaks a line into rows of at most `width` columns, at spaces where that is possible. The
/// margin is left out where it would take half of the width.
pub(crate) fn wrap(line: &Line, margin: &Margin, width: usize, rows: &mut Vec<Line>) {
    break_line(line, margin, width, true, rows);
}

/// The same for text whose spaces matter, such as code: it is broken where the row is full.
pub(crate) fn wrap_verbatim(line: &Line, margin: &Margin, width: usize, rows: &mut Vec<Line>) {
    break_line(line, margin, width, false, rows);
}

/// How many rows a harmless text with a cursor behind it takes, up to `most`. No more of a long
/// text is looked at than that.
pub(crate) fn count_rows(text: &str, width: usize, most: usize) -> usize {
    const CURSOR: &str = "_";
    let mut breaker = Breaker::new(width.max(2), true);
    for grapheme in text.graphemes(true).chain([CURSOR]) {
        breaker.push(grapheme, Look::default());
        if breaker.done.len() >= most {
            return most;
        }
    }
    (breaker.done.len() + 1).min(most)
}

fn break_line(line: &Line, margin: &Margin, width: usize, at_spaces: bool, rows: &mut Vec<Line>) {
    let width = width.max(2);
    let nothing = Margin::default();
    let margin = if margin.width() * 2 >= width { &nothing } else { margin };
    let mut breaker = Breaker::new(width - margin.width(), at_spaces);
    for piece in &line.pieces {
        for grapheme in piece.text.graphemes(true) {
            breaker.push(grapheme, piece.look);
        }
    }
    breaker.end_row();
    for (at, row) in breaker.done.into_iter().enumerate() {
        let mut out = if at == 0 { margin.first.clone() } else { margin.rest.clone() };
        row.into_iter().for_each(|cell| {
            out.push(StyledText { text: cell.text.to_owned(), look: cell.look });
        });
        rows.push(out);
    }
}

#[derive(Clone, Copy)]
struct GlyphCell<'t> {
    text: &'t str,
    width: usize,
    look: Look,
}

struct Breaker<'t> {
    room: usize,
    at_spaces: bool,
    row: Vec<GlyphCell<'t>>,
    used: usize,
    /// Where the row can be broken: the place after the last space.
    space: Option<usize>,
    done: Vec<Vec<GlyphCell<'t>>>,
}

impl<'t> Breaker<'t> {
    fn new(room: usize, at_spaces: bool) -> Self {
        Self { room, at_spaces, row: Vec::new(), used: 0, space: None, done: Vec::new() }
    }

    fn push(&mut self, grapheme: &'t str, look: Look) {
        let text = if grapheme.len() > MOST_GRAPHEME_BYTES { "\u{FFFD}" } else { grapheme };
        let width = grapheme_width(text);
        while self.used + width > self.room && !self.row.is_empty() {
            if self.at_spaces && text == " " {
                // The space at the end of a full row is the break.
                return self.end_row();
            }
            self.break_row();
        }
        self.row.push(GlyphCell { text, width, look });
        self.used += width;
        if self.at_spaces && text == " " {
            self.space = Some(self.row.len());
        }
    }

    /// Ends the row after its last space and takes the rest over, or just ends it.
    fn break_row(&mut self) {
        let at = self.space.filter(|at| *at < self.row.len()).unwrap_or(self.row.len());
        let rest = self.row.split_off(at);
        self.end_row();
        self.used = rest.iter().map(|cell| cell.width).sum();
        self.row = rest;
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        if self.at_spaces {
            while row.last().is_some_and(|cell| cell.text == " ") {
                row.pop();
            }
        }
        self.done.push(row);
        self.used = 0;
        self.space = None;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let mut rows = Vec::new();
        wrap(&Line::of(text, Tone::Plain), &Margin::default(), width, &mut rows);
        rows.iter().map(Line::text).collect()
    }

    #[test]
    fn lines_break_at_spaces_or_where_the_row_is_full() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two", 6), ["one", "two"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(wrapped("漢字漢字", 5), ["漢字", "漢字"]);
        // What is left after a break may be too long with the next wide character.
        assert_eq!(wrapped(" abc漢", 4), ["", "abc", "漢"]);
    }

    #[test]
    fn margins_stand_before_rows_unless_they_leave_no_room() {
        let margin = Margin { first: Line::of("- ", Tone::Dim), rest: Line::of("  ", Tone::Dim) };
        let mut rows = Vec::new();
        wrap(&Line::of("one two", Tone::Plain), &margin, 6, &mut rows);
        assert_eq!(rows.iter().map(Line::text).collect::<Vec<_>>(), ["- one", "  two"]);
        rows.clear();
        wrap(&Line::of("ab", Tone::Plain), &margin, 3, &mut rows);
        assert_eq!(rows[0].text(), "ab");
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(untabbed("a\tb\t\tc"), "a   b       c");
        assert_eq!(untabbed("漢\tb"), "漢  b");
    }

    #[test]
    fn a_mountain_of_accents_is_one_character() {
        let text = format!("a{}b", "\u{301}".repeat(10_000));
        assert_eq!(wrapped(&text, 10), ["\u{FFFD}b"]);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn no_row_is_too_wide_and_no_word_is_lost(text in ".{0,80}|[ a漢]{0,80}", width in 2usize..40) {
            let line = Line::of(&text, Tone::Plain);
            let mut rows = Vec::new();
            wrap(&line, &Margin::default(), width, &mut rows);
            for row in &rows {
                prop_assert!(row.width() <= width, "{:?} is wider than {width}", row.text());
            }
            let words = |text: String| text.replace(' ', "");
            let joined: String = rows.iter().map(Line::text).collect();
            prop_assert_eq!(words(joined), words(line.text()));
            prop_assert!(line.truncated(width).width() <= width);
            rows.clear();
            wrap(&line.with("_", Tone::Plain), &Margin::default(), width, &mut rows);
            for most in [1, 3, rows.len() + 1] {
                prop_assert_eq!(count_rows(&harmless::clean_line(&text), width, most), rows.len().min(most));
            }
        }
    }
}
