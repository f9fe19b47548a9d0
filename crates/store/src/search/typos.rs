//! Words that were mistyped: the query again with the words that sessions are named after.

use std::collections::HashMap;

use pitree_format::JsString;

use super::query::Query;
use super::term::Term;
use super::words::{fold, tokens};
use crate::facts::SessionFacts;

/// Shorter words are not corrected: too many others are nearly the same.
const SHORTEST: usize = 4;

/// From this length on two letters may be wrong.
const LONG: usize = 8;

/// Of a first message so many characters are looked at.
const MOST_TEXT: usize = 1000;

/// The query with the words that are nearest to those which no name and no first message knows;
/// `None` if there is nothing to correct.
pub(super) fn correct(query: &Query, facts: &[SessionFacts]) -> Option<Query> {
    let known = vocabulary(facts);
    let mut is_changed = false;
    let terms = query.terms.iter().map(|term| {
        let nearest = term.literal().filter(|_| term.is_word()).and_then(|word| {
            let word = fold(word);
            let is_known = known.keys().any(|other| other.starts_with(&word));
            if is_known { None } else { nearest(&word, &known) }
        });
        is_changed |= nearest.is_some();
        nearest.map_or_else(|| term.in_any_case(), Term::word)
    });
    let terms = terms.collect();
    is_changed.then(|| query.with_terms(terms))
}

/// The words of names and first messages, and how many sessions have them there.
fn vocabulary(facts: &[SessionFacts]) -> HashMap<String, usize> {
    let mut known = HashMap::new();
    for facts in facts {
        let texts = [facts.name.as_ref(), facts.first_message.as_ref()].into_iter().flatten();
        for text in texts.map(JsString::to_text) {
            let text = &text[..text.floor_char_boundary(MOST_TEXT)];
            for token in tokens(text) {
                *known.entry(fold(&text[token])).or_default() += 1;
            }
        }
    }
    known
}

/// The nearest word, of equally near ones the most common.
fn nearest<'k>(word: &str, known: &'k HashMap<String, usize>) -> Option<&'k str> {
    let letters: Vec<char> = word.chars().collect();
    let most = match letters.len() {
        0..SHORTEST => return None,
        SHORTEST..LONG => 1,
        _ => 2,
    };
    let own = letter_set(word);
    let is_near = |(other, _): &(&String, &usize)| {
        // A letter more, less or changed makes a difference of two at most.
        (letter_set(other) ^ own).count_ones() as usize <= 2 * most
            && letters.len().abs_diff(other.chars().count()) <= most
    };
    let near = known.iter().filter(is_near).filter_map(|(other, count)| {
        let distance = distance(&letters, &other.chars().collect::<Vec<_>>(), most)?;
        Some((distance, std::cmp::Reverse(*count), other.as_str()))
    });
    near.min().map(|(_, _, other)| other)
}

/// Which letters a word has, a bit for each, some of which stand for several.
fn letter_set(word: &str) -> u64 {
    word.chars().fold(0, |set, c| set | 1 << (u32::from(c) % 64))
}

/// How many letters are wrong, missing, too many or swapped with their neighbors; `None` for more
/// than `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_wrong_missing_or_swapped() {
        let known: HashMap<String, usize> =
            [("telegram", 2), ("token", 9), ("tokens", 1), ("cat", 1)]
                .map(|(word, count)| (word.to_owned(), count))
                .into();
        for (typed, meant) in [
            ("telegarm", Some("telegram")),
            ("telgrm", None),
            ("tellegram", Some("telegram")),
            ("tokne", Some("token")),
            ("tokem", Some("token")),
            ("car", None),
            ("banana", None),
        ] {
            assert_eq!(nearest(typed, &known), meant, "{typed}");
        }
    }
}
