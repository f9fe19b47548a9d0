//! Text and members taken out of raw JSON without decoding the rest.

use pitree_format::JsString;
use pitree_format::js::{decode_string, parse};

use super::usage::few_digits;

/// The string that a raw value holds.
pub(crate) fn raw_string(raw: &[u8]) -> Option<JsString> {
    match raw {
        [b'"', inside @ .., b'"'] => Some(decode_string(inside)),
        _ => None,
    }
}

/// The number that a raw value holds.
pub(crate) fn raw_number(raw: &[u8]) -> Option<f64> {
    // Times are whole numbers.
    few_digits(raw).or_else(|| {
        std::str::from_utf8(raw).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
    })
}

/// The text of a message's content: the string, or its text blocks joined by a space.
pub(crate) fn content_text(raw: &[u8]) -> Option<JsString> {
    if let Some(text) = raw_string(raw) {
        return Some(text);
    }
    // Images and tool results have no text block; most of their bytes need not be decoded.
    if !raw.starts_with(b"[") || memchr::memmem::find(raw, b"\"text\"").is_none() {
        return None;
    }
    Some(pitree_format::message::content_text(Some(&parse(raw).ok()?), " "))
}
