//! A JavaScript string: Unicode text that may hold lone surrogates.

use std::borrow::Cow;
use std::fmt;

/// A JavaScript string.
///
/// JavaScript cuts text at UTF-16 units, so real session files hold halves of emoji, written as
/// `\udXXX`. Rust's `String` cannot hold them. Text without lone surrogates is kept as a
/// `String`; only the rare other kind is kept as WTF-8 bytes (UTF-8 in which a lone surrogate is
/// encoded as three bytes), so two equal strings always have equal representations.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsString(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Utf8(String),
    /// Holds at least one lone surrogate.
    Wtf8(Vec<u8>),
}

impl JsString {
    /// The empty string.
    pub const fn new() -> Self {
        Self(Repr::Utf8(String::new()))
    }

    /// Takes WTF-8 bytes. Bytes that are not WTF-8 become U+FFFD, as in
    /// Node's decoder.
    pub fn from_wtf8(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self(Repr::Utf8(text)),
            Err(error) => {
                let bytes = error.into_bytes();
                if is_wtf8(&bytes) {
                    Self(Repr::Wtf8(bytes))
                } else {
                    Self(Repr::Utf8(String::from_utf8_lossy(&bytes).into_owned()))
                }
            }
        }
    }

    /// The text, unless it holds a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Utf8(text) => Some(text),
            Repr::Wtf8(_) => None,
        }
    }

    /// The text for people: each lone surrogate becomes U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Utf8(text) => Cow::Borrowed(text),
            Repr::Wtf8(bytes) => {
                let mut text = String::with_capacity(bytes.len());
                for unit in units(bytes) {
                    text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Cow::Owned(text)
            }
        }
    }

    /// The WTF-8 bytes; plain UTF-8 unless a lone surrogate is in them.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Utf8(text) => text.as_bytes(),
            Repr::Wtf8(bytes) => bytes,
        }
    }

    /// `true` for the empty string.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// JavaScript's `length`: the number of UTF-16 units.
    pub fn utf16_len(&self) -> usize {
        // One unit per lead byte, and a second one where four bytes make a surrogate pair.
        self.as_bytes()
            .iter()
            .map(|&b| usize::from(b & 0xC0 != 0x80) + usize::from(b >= 0xF0))
            .sum()
    }

    /// Appends another string as JavaScript's `+` does: halves that meet become one character.
    pub fn push(&mut self, other: &Self) {
        if let (Repr::Utf8(left), Repr::Utf8(right)) = (&mut self.0, &other.0) {
            left.push_str(right);
            return;
        }
        let mut bytes = self.as_bytes().to_vec();
        let right = other.as_bytes();
        if let (Some(high), Some(low)) = (trailing_high(&bytes), leading_low(right)) {
            bytes.truncate(bytes.len() - 3);
            let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
            let joined = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(joined.encode_utf8(&mut [0; 4]).as_bytes());
            bytes.extend_from_slice(&right[3..]);
        } else {
            bytes.extend_from_slice(right);
        }
        *self = Self::from_wtf8(bytes);
    }

    /// Appends plain text.
    pub fn push_str(&mut self, text: &str) {
        match &mut self.0 {
            Repr::Utf8(left) => left.push_str(text),
            Repr::Wtf8(left) => left.extend_from_slice(text.as_bytes()),
        }
    }

    /// JavaScript's `trim()`.
    pub fn trim(&self) -> Self {
        match &self.0 {
            Repr::Utf8(text) => Self::from(text.trim_matches(is_js_whitespace)),
            Repr::Wtf8(bytes) => {
                let chars: Vec<Option<char>> = units(bytes).collect();
                let keep = |unit: &Option<char>| !unit.is_some_and(is_js_whitespace);
                let start = chars.iter().position(keep).unwrap_or(chars.len());
                let end = chars.iter().rposition(keep).map_or(start, |last| last + 1);
                let width = |part: &[Option<char>]| -> usize {
                    part.iter().map(|unit| unit.map_or(3, char::len_utf8)).sum()
                };
                let from = width(&chars[..start]);
                Self::from_wtf8(bytes[from..from + width(&chars[start..end])].to_vec())
            }
        }
    }
}

/// White space as `String.prototype.trim` removes it.
pub(crate) fn is_js_whitespace(c: char) -> bool {
    // JavaScript counts the byte order mark and not U+0085; otherwise it agrees with Unicode.
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// The characters of WTF-8 bytes; `None` is a lone surrogate.
pub(crate) fn units(mut bytes: &[u8]) -> impl Iterator<Item = Option<char>> + '_ {
    std::iter::from_fn(move || {
        let &lead = bytes.first()?;
        let width = match lead {
            0x00..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        let (head, rest) = bytes.split_at(width.min(bytes.len()));
        bytes = rest;
        Some(std::str::from_utf8(head).ok().and_then(|text| text.chars().next()))
    })
}

/// The code of the surrogate that a three-byte WTF-8 sequence holds.
pub(crate) fn surrogate_code(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xED, middle @ 0xA0..=0xBF, last @ 0x80..=0xBF, ..] => {
            Some(0xD000 | (u16::from(middle & 0x3F) << 6) | u16::from(last & 0x3F))
        }
        _ => None,
    }
}

fn trailing_high(bytes: &[u8]) -> Option<u16> {
    let tail = bytes.len().checked_sub(3).map(|from| &bytes[from..])?;
    surrogate_code(tail).filter(|code| *code < 0xDC00)
}

fn leading_low(bytes: &[u8]) -> Option<u16> {
    surrogate_code(bytes).filter(|code| *code >= 0xDC00)
}

/// Whether bytes are UTF-8 apart from encoded surrogates.
fn is_wtf8(mut bytes: &[u8]) -> bool {
    loop {
        match std::str::from_utf8(bytes) {
            Ok(_) => return true,
            Err(error) => {
                let rest = &bytes[error.valid_up_to()..];
                if surrogate_code(rest).is_none() {
                    return false;
                }
                bytes = &rest[3..];
            }
        }
    }
}

impl Default for JsString {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        Self(Repr::Utf8(text.to_owned()))
    }
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self(Repr::Utf8(text))
    }
}

impl PartialEq<str> for JsString {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for JsString {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

impl fmt::Display for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    fn js(text: &str) -> JsString {
        parse(format!("\"{text}\"").as_bytes()).unwrap().into_string().unwrap()
    }

    #[test]
    fn halves_of_an_emoji_join_when_they_meet() {
        let mut left = js("a\\ud83d");
        assert_eq!(left.as_str(), None);
        assert_eq!(left.to_text(), "a\u{FFFD}");
        left.push(&js("\\ude00b"));
        assert_eq!(left.as_str(), Some("a😀b"));
    }

    #[test]
    fn length_counts_utf16_units() {
        assert_eq!(js("aé漢😀").utf16_len(), 5);
        assert_eq!(js("\\ud83d").utf16_len(), 1);
    }

    #[test]
    fn trim_follows_javascript() {
        assert_eq!(js("\\ufeff\\u00a0 x\\u0085").trim(), "x\u{85}");
        assert_eq!(js(" \\ud83d ").trim(), js("\\ud83d"));
        assert_eq!(js("  ").trim(), "");
    }
}
