//! A piece of text around a hit.

use std::ops::Range;

use pitree_format::Value;

/// How many characters are shown before the first hit.
const BEFORE: usize = 40;
/// How many characters are shown at most.
const MOST: usize = 180;

/// A text on one line with the hits marked. It comes from a file and may hold control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text; `…` stands where something was cut.
    pub text: String,
    /// The hits, as byte ranges of the text, in order and apart from each other.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    /// The marks as pairs of places in UTF-16 units, as JavaScript counts.
    pub fn utf16_marks(&self) -> Vec<Value> {
        let (mut counted, mut units) = (0, 0);
        let mut units_to = |to: usize| {
            units += self.text.get(counted..to).map_or(0, |text| text.encode_utf16().count());
            counted = to;
            Value::from(units)
        };
        let marks = self.marks.iter();
        marks.map(|mark| vec![units_to(mark.start), units_to(mark.end)].into()).collect()
    }

    /// Cuts a window around the first mark.
    pub(crate) fn cut(text: &str, mut marks: Vec<Range<usize>>) -> Self {
        // The nearest to what was typed comes first in the list, so its place decides.
        let first = marks.first().map_or(0, |mark| mark.start);
        marks.sort_by_key(|mark| (mark.start, mark.end));
        let start = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        let mut snippet = Self::default();
        if start > 0 {
            snippet.text.push('…');
        }
        let mut shown = 0;
        let mut space = true;
        let mut marks = marks.into_iter().filter(|mark| mark.start >= start).peekable();
        // Where the mark under way began in the snippet, and where it ends in the text.
        let mut open: Option<(usize, usize)> = None;
        for (at, c) in text[start..].char_indices().map(|(at, c)| (start + at, c)) {
            if open.is_some_and(|(_, end)| end <= at) {
                snippet.close(&mut open);
            }
            if shown == MOST {
                snippet.close(&mut open);
                snippet.text.push('…');
                return snippet;
            }
            while let Some(mark) = marks.next_if(|mark| mark.start <= at) {
                let from = open.map_or(snippet.text.len(), |(from, _)| from);
                open = Some((from, open.map_or(mark.end, |(_, end)| end.max(mark.end))));
            }
            if c.is_whitespace() {
                if !space {
                    snippet.text.push(' ');
                    shown += 1;
                }
                space = true;
            } else {
                snippet.text.push(c);
                shown += 1;
                space = false;
            }
        }
        snippet.close(&mut open);
        snippet
    }

    fn close(&mut self, open: &mut Option<(usize, usize)>) {
        if let Some((from, _)) = open.take()
            && from < self.text.len()
        {
            self.marks.push(from..self.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_as_javascript_counts() {
        let snippet = Snippet { text: "é𝄞x ü".to_owned(), marks: vec![6..7, 8..10] };
        assert_eq!(Value::from(snippet.utf16_marks()).to_string(), "[[3,4],[5,6]]");
    }

    #[test]
    fn a_window_around_the_first_mark() {
        let snippet = Snippet::cut("a\n\n  bc d e", vec![5..7, 10..11]);
        assert_eq!((&*snippet.text, snippet.marks), ("a bc d e", vec![2..4, 7..8]));
        let text = format!("{}needle{}", "ü ".repeat(100), " z".repeat(200));
        let snippet = Snippet::cut(&text, vec![300..306, 303..306, 306..308]);
        assert_eq!(snippet.marks.len(), 2);
        assert_eq!(&snippet.text[snippet.marks[0].clone()], "needle");
        assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'));
        assert!(snippet.text.chars().count() <= MOST + 2);
        assert_eq!(Snippet::cut("", vec![]), Snippet::default());
    }
}
