//! Words that a search found: where they are in a text, and rows in which they stand out.

use pitree_store::search::Query;

use super::row::{Line, Look, StyledText};

/// Whether a row has one of the terms of a query.
pub(crate) fn has_any(line: &Line, query: &Query) -> bool {
    !query.marks_in(&line.text()).is_empty()
}

/// The row with the terms of a query marked as found.
pub(crate) fn mark_found(line: &Line, query: &Query) -> Line {
    let marks = query.marks_in(&line.text());
    if marks.is_empty() {
        return line.clone();
    }
    let (mut marked, mut before) = (Line::default(), 0);
    for piece in &line.pieces {
        for (at, c) in piece.text.char_indices() {
            let found = marks.iter().any(|mark| mark.contains(&(before + at)));
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

    fn found(text: &str, query: &str) -> Vec<String> {
        let query = Query::parse(query, 0).unwrap();
        let line = mark_found(&Line::of(text, Tone::Plain), &query);
        let pieces = line.pieces.into_iter().filter(|piece| piece.look.found);
        pieces.map(|piece| piece.text).collect()
    }

    #[test]
    fn rows_are_marked_as_a_query_means_it_and_across_looks() {
        assert_eq!(found("Parse, parser; PARSE", "parse"), ["Parse", "parse", "PARSE"]);
        assert_eq!(found("Parse, parser; PARSE", "Parse"), ["Parse"]);
        assert_eq!(found("v1.25, v2", r"re:v\d(\.\d+)?"), ["v1.25", "v2"]);
        assert_eq!(found("ÄRGER ärger", "ärger"), ["ÄRGER", "ärger"]);
        let line = Line::of("one t", Tone::Plain).with("wo", Tone::Code);
        let query = Query::parse("two", 0).unwrap();
        assert!(has_any(&line, &query));
        let marked = mark_found(&line, &query);
        assert_eq!(marked.text(), "one two");
        assert_eq!(marked.pieces.iter().filter(|piece| piece.look.found).count(), 2);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn marking_changes_no_character(text in "[aAİßé漢 ]{0,40}", word in "[aAİßé漢]{1,3}") {
            let query = Query::parse(&word, 0).unwrap();
            let line = Line::of(&text, Tone::Plain);
            prop_assert_eq!(mark_found(&line, &query).text(), line.text());
            prop_assert_eq!(has_any(&line, &query), mark_found(&line, &query) != line);
        }
    }
}
