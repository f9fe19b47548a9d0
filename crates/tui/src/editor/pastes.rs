//! Long pastes, which the editor shows as a marker and the receiver gets whole, as in Pi.
//!
//! A marker is text of the editor like any other, so undo and redo, and deleting and inserting again,
//! work on it; a paste is kept as long as the text it was pasted into may come back. The editor sees to
//! it that a marker is never edited in its middle.

use std::ops::Range;

use crate::keymap::EditAction;

/// A paste with more lines or more UTF-16 units than this is shown as a marker; Pi's limits.
const MOST_LINES: usize = 10;
const MOST_UNITS: usize = 1_000;

/// How every marker begins.
const BEGIN: &str = "[paste #";

/// The pastes behind the markers of one text.
#[derive(Debug, Default)]
pub(super) struct Pastes(Vec<Paste>);

#[derive(Debug)]
struct Paste {
    marker: String,
    text: String,
}

impl Pastes {
    /// The marker that stands for a text, if it is too long to be shown; else the text itself.
    pub(super) fn fold(&mut self, text: String) -> String {
        let (lines, units) = (text.split('\n').count(), text.encode_utf16().count());
        let size = match (lines > MOST_LINES, units > MOST_UNITS) {
            (true, _) => format!("+{lines} lines"),
            (false, true) => format!("{units} chars"),
            (false, false) => return text,
        };
        let marker = format!("{BEGIN}{} {size}]", self.0.len() + 1);
        self.0.push(Paste { marker: marker.clone(), text });
        marker
    }

    /// A text with what its markers stand for. What was pasted may look like a marker, and is none.
    pub(super) fn expand(&self, shown: &str) -> String {
        let (mut text, mut end) = (String::new(), 0);
        for (at, paste) in self.found(shown) {
            text.push_str(&shown[end..at]);
            text.push_str(&paste.text);
            end = at + paste.marker.len();
        }
        text.push_str(&shown[end..]);
        text
    }

    /// The markers of a line, in characters from its beginning.
    pub(super) fn markers(&self, line: &str) -> Vec<Range<usize>> {
        let found = self.found(line).map(|(at, paste)| {
            let start = line[..at].chars().count();
            start..start + paste.marker.chars().count()
        });
        found.collect()
    }

    /// The markers of a text with their place in bytes.
    fn found<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, &'t Paste)> {
        let begins = if self.0.is_empty() { "" } else { text }.match_indices(BEGIN);
        begins.filter_map(|(at, _)| {
            let paste = self.0.iter().find(|paste| text[at..].starts_with(&paste.marker))?;
            Some((at, paste))
        })
    }
}

/// What an action deletes of a line with markers, in characters; `None` if it deletes a character
/// that is none, or goes beyond the line.
pub(super) fn deletion(
    line: &str,
    markers: &[Range<usize>],
    column: usize,
    action: EditAction,
) -> Option<Range<usize>> {
    if markers.is_empty() {
        return None;
    }
    let kinds: Vec<CharKind> = line.chars().map(CharKind::of).collect();
    let is_space = |kind: &&CharKind| **kind == CharKind::Space;
    let (before, after) = kinds.split_at_checked(column)?;
    match action {
        EditAction::DeleteBefore => markers.iter().find(|it| it.end == column).cloned(),
        EditAction::DeleteAfter => markers.iter().find(|it| it.start == column).cloned(),
        EditAction::DeleteWordBefore => {
            let edge = column - before.iter().rev().take_while(is_space).count();
            let floor = markers.iter().rev().find(|it| it.end <= edge);
            let start = match floor {
                Some(marker) if marker.end == edge => marker.start,
                floor => {
                    let word = &kinds[floor.map_or(0, |marker| marker.end)..edge];
                    let last = word.last();
                    edge - word.iter().rev().take_while(|kind| Some(*kind) == last).count()
                }
            };
            Some(start..column).filter(|range| !range.is_empty())
        }
        EditAction::DeleteWordAfter => {
            let edge = column + after.iter().take_while(is_space).count();
            let ceiling = markers.iter().find(|it| it.start >= edge);
            let end = match ceiling {
                Some(marker) if marker.start == edge => marker.end,
                ceiling => {
                    let word = &kinds[edge..ceiling.map_or(kinds.len(), |marker| marker.start)];
                    let first = word.first();
                    edge + word.iter().take_while(|kind| Some(*kind) == first).count()
                }
            };
            Some(column..end).filter(|range| !range.is_empty())
        }
        _ => None,
    }
}

/// What belongs to the same word, as the text area has it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Space,
    Punctuation,
    Letter,
}

impl CharKind {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Space,
            _ if c.is_ascii_punctuation() && c != '_' => Self::Punctuation,
            _ => Self::Letter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pastes_are_folded_by_the_limits_of_pi() {
        let mut pastes = Pastes::default();
        let ten = ["x"; 10].join("\n");
        assert_eq!(pastes.fold(ten.clone()), ten);
        assert_eq!(pastes.fold("é".repeat(1000)), "é".repeat(1000));
        assert!(pastes.0.is_empty());
        assert_eq!(pastes.fold(format!("{ten}\n")), "[paste #1 +11 lines]");
        assert_eq!(pastes.fold("é".repeat(1001)), "[paste #2 1001 chars]");
        assert_eq!(pastes.fold("😀".repeat(501)), "[paste #3 1002 chars]");
    }

    #[test]
    fn a_marker_in_a_paste_is_text() {
        let mut pastes = Pastes::default();
        let first = "[paste #2 1001 chars]\n".repeat(10);
        let shown = [pastes.fold(first.clone()), pastes.fold("y".repeat(1001))].concat();
        assert_eq!(pastes.expand(&shown), first + &"y".repeat(1001));
        assert_eq!(
            pastes.expand("[paste #3 1001 chars] [paste #1"),
            "[paste #3 1001 chars] [paste #1"
        );
    }

    #[test]
    fn markers_are_found_in_a_line() {
        let mut pastes = Pastes::default();
        let marker = pastes.fold("y".repeat(1001));
        assert_eq!(pastes.markers(&format!("é{marker}{marker}x")), [1..22, 22..43]);
    }
}
