//! Cutting a text without cutting what stands in the place of a secret or a name.
//!
//! Half a placeholder is of no use to a reader, and half a pseudonym looks like somebody's name.

use std::ops::Range;

use crate::placeholder::placeholders;
use crate::pseudonyms::pseudonyms;

/// No placeholder and no pseudonym is longer, in any spelling.
const LONGEST: usize = 96;

/// The last place at or before `at`, a byte of the text, where the text may be cut.
///
/// ```
/// let text = "see /home/user-1a2b3c4d/x";
/// assert_eq!(&text[..pitree_redact::cut_before(text, 15)], "see /home/");
/// assert_eq!(&text[pitree_redact::cut_after(text, 15)..], "/x");
/// ```
pub fn cut_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    replaced_at(text, at).map_or(at, |range| range.start)
}

/// The first place at or after `at`, a byte of the text, where the text may be cut.
pub fn cut_after(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    replaced_at(text, at).map_or(at, |range| range.end)
}

/// The placeholder or pseudonym within which a place lies.
fn replaced_at(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let near = &text[start..text.ceil_char_boundary(at.saturating_add(LONGEST))];
    let mut all = placeholders(near).chain(pseudonyms(near));
    let found = all.find(|range| range.start < at - start && at - start < range.end);
    found.map(|range| range.start + start..range.end + start)
}
