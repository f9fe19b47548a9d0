//! Words that a search found: where they are in a text, and rows in which they stand out.

use super::row::{Line, Look, StyledText};

/// A word or phrase to look for, in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needle {
    lower: Vec<char>,
}

impl Needle {
    /// `None` for a text that everything would match.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let lower: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        (!lower.is_empty()).then_some(Self { lower })
    }

    /// Whether a text has it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Where a text has it first, as a range of bytes.
    fn find(&self, text: &str) -> Option<(usize, usize)> {
        text.char_indices().find_map(|(at, c)| {
            let begins = c.to_lowercase().next() == self.lower.first().copied();
            let end = if begins { self.end_of(&text[at..]) } else { None };
            end.map(|end| (at, at + end))
        })
    }

    /// The length of the match that a text begins with.
    fn end_of(&self, text: &str) -> Option<usize> {
        let mut wanted = self.lower.iter();
        for (at, c) in text.char_indices() {
            for lower in c.to_lowercase() {
                match wanted.next() {
                    Some(letter) if *letter == lower => {}
                    Some(_) => return None,
                    // It ends inside a letter that has several small ones.
                    None => return Some(at + c.len_utf8()),
                }
            }
            if wanted.as_slice().is_empty() {
                return Some(at + c.len_utf8());
            }
        }
        None
    }
}

/// Whether a row has one of the words.
pub(crate) fn has_any(line: &Line, words: &[Needle]) -> bool {
    let text = line.text();
    words.iter().any(|word| word.is_in(&text))
}

/// The row with the words marked as found.
pub(crate) fn mark_found(line: &Line, words: &[Needle]) -> Line {
    let text = line.text();
    let mut is_found = vec![false; text.len()];
    for word in words {
        let mut from = 0;
        while let Some((start, end)) = word.find(&text[from..]) {
            is_found[from + start..from + end].fill(true);
            from += end;
        }
    }
    if !is_found.contains(&true) {
        return line.clone();
    }
    let (mut marked, mut before) = (Line::default(), 0);
    for piece in &line.pieces {
        for (at, c) in piece.text.char_indices() {
            let found = is_found[before + at];
            let look = Look { found, ..piece.look };
            marked.push(StyledText { text: c.to_string(), look });
        }
        before += piece.text.len();
    }
    marked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rich::Tone;

    fn found(text: &str, word: &str) -> Vec<String> {
        let words: Vec<Needle> = Needle::new(word).into_iter().collect();
        let line = mark_found(&Line::of(text, Tone::Plain), &words);
        let pieces = line.pieces.into_iter().filter(|piece| piece.look.found);
        pieces.map(|piece| piece.text).collect()
    }

    #[test]
    fn words_are_found_in_any_case_and_across_looks() {
        assert_eq!(found("Parse, parser; PARSE", "parse"), ["Parse", "parse", "PARSE"]);
        assert_eq!(found("aaa", "aa"), ["aa"]);
        assert_eq!(found("ÄRGER ärger", "ärger"), ["ÄRGER", "ärger"]);
        assert!(found("anything", "").is_empty());
        let line = Line::of("one t", Tone::Plain).with("wo", Tone::Code);
        let words: Vec<Needle> = Needle::new("two").into_iter().collect();
        assert!(has_any(&line, &words));
        let marked = mark_found(&line, &words);
        assert_eq!(marked.text(), "one two");
        assert_eq!(marked.pieces.iter().filter(|piece| piece.look.found).count(), 2);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn marking_changes_no_character(text in "[aAİßé漢 ]{0,40}", word in "[aAİßé漢]{0,3}") {
            let words: Vec<Needle> = Needle::new(&word).into_iter().collect();
            let line = Line::of(&text, Tone::Plain);
            prop_assert_eq!(mark_found(&line, &words).text(), line.text());
            prop_assert_eq!(has_any(&line, &words), mark_found(&line, &words) != line);
        }
    }
}
