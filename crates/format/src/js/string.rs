//! A JavaScript string: Unicode text that may hold lone surrogates.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A JavaScript string.
///
/// JavaScript cuts text at UTF-16 units, so real session files hold halves of emoji, written as
/// `\udXXX`. Rust's `String` cannot hold them. Text without lone surrogates is kept as a
/// `String`; only the rare other kind is kept as WTF-8 bytes (UTF-8 in which a lone surrogate is
/// encoded as three bytes), so two equal strings always have equal bytes. A long text that stands
/// in many places can be shared between them.
#[derive(Clone)]
pub struct JsString(Repr);

#[derive(Clone)]
enum Repr {
    Utf8(String),
    /// Holds at least one lone surrogate.
    Wtf8(Vec<u8>),
    /// Copies of it take no memory.
    Shared(Arc<String>),
    /// A word that many lines have. It takes no memory at all.
    Word(&'static str),
}

impl JsString {
    /// The empty string.
    pub const fn new() -> Self {
        Self(Repr::Utf8(String::new()))
    }

    /// A word that many lines have.
    pub(super) const fn from_word(word: &'static str) -> Self {
        Self(Repr::Word(word))
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
            Repr::Shared(text) => Some(text),
            Repr::Word(word) => Some(word),
            Repr::Wtf8(_) => None,
        }
    }

    /// The text to share, which copies it unless it is shared already; `None` if it holds a lone
    /// surrogate.
    pub fn to_shared(&self) -> Option<Arc<String>> {
        match &self.0 {
            Repr::Utf8(text) => Some(Arc::new(text.clone())),
            Repr::Shared(text) => Some(Arc::clone(text)),
            Repr::Word(word) => Some(Arc::new((*word).to_owned())),
            Repr::Wtf8(_) => None,
        }
    }

    /// The text for people: each lone surrogate becomes U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Utf8(text) => Cow::Borrowed(text),
            Repr::Shared(text) => Cow::Borrowed(text),
            Repr::Word(word) => Cow::Borrowed(word),
            Repr::Wtf8(bytes) => {
                let mut text = String::with_capacity(bytes.len());
                for unit in units(bytes) {
                    text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Cow::Owned(text)
            }
        }
    }

    /// The text as it may be sent: lone surrogates, which no provider takes, are left out.
    pub fn without_lone_surrogates(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Wtf8(bytes) => Cow::Owned(units(bytes).flatten().collect()),
            _ => self.to_text(),
        }
    }

    /// The text for people by value, which copies nothing unless it has to.
    pub fn into_text(self) -> String {
        match self.0 {
            Repr::Utf8(text) => text,
            other => Self(other).to_text().into_owned(),
        }
    }

    /// The WTF-8 bytes; plain UTF-8 unless a lone surrogate is in them.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Utf8(text) => text.as_bytes(),
            Repr::Wtf8(bytes) => bytes,
            Repr::Shared(text) => text.as_bytes(),
            Repr::Word(word) => word.as_bytes(),
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

    /// The UTF-16 units, as JavaScript sees them.
    pub fn utf16_units(&self) -> impl Iterator<Item = u16> + '_ {
        let mut rest = self.as_bytes();
        let mut second_half = None;
        std::iter::from_fn(move || {
            if let Some(unit) = second_half.take() {
                return Some(unit);
            }
            if let Some(code) = surrogate_code(rest) {
                rest = &rest[3..];
                return Some(code);
            }
            let character = units(rest).next()?.unwrap_or(char::REPLACEMENT_CHARACTER);
            rest = &rest[character.len_utf8().min(rest.len())..];
            let mut pair = [0; 2];
            let pair = character.encode_utf16(&mut pair);
            second_half = pair.get(1).copied();
            Some(pair[0])
        })
    }

    /// The order of JavaScript's `sort()`: by UTF-16 units, in which an emoji comes before a
    /// private-use character.
    pub fn cmp_utf16(&self, other: &Self) -> Ordering {
        self.utf16_units().cmp(other.utf16_units())
    }

    /// JavaScript's `slice(0, length)`; it may leave half of an emoji at the end.
    #[must_use]
    pub fn utf16_prefix(&self, length: usize) -> Self {
        let bytes = self.as_bytes();
        let mut left = length;
        let mut at = 0;
        while at < bytes.len() {
            let (width, taken) = match bytes[at] {
                0x00..=0x7F => (1, 1),
                0x80..=0xDF => (2, 1),
                0xE0..=0xEF => (3, 1),
                _ => (4, 2),
            };
            if taken > left {
                break;
            }
            left -= taken;
            at += width;
        }
        let mut head = bytes[..at.min(bytes.len())].to_vec();
        if left == 1 && at < bytes.len() {
            let character = units(&bytes[at..]).next().flatten();
            let mut pair = [0; 2];
            let high = character.map_or(0xFFFD, |character| character.encode_utf16(&mut pair)[0]);
            // The three bytes in which WTF-8 writes a lone surrogate.
            let low_bits = |shift: u32| 0x80 | ((high >> shift) & 0x3F) as u8;
            head.extend([0xE0 | (high >> 12) as u8, low_bits(6), low_bits(0)]);
        }
        Self::from_wtf8(head)
    }

    /// Appends another string as JavaScript's `+` does: halves that meet become one character.
    pub fn push(&mut self, other: &Self) {
        self.own();
        if let (Repr::Utf8(left), Some(right)) = (&mut self.0, other.as_str()) {
            left.push_str(right);
            return;
        }
        let was_broken = matches!(self.0, Repr::Wtf8(_));
        let mut bytes = match std::mem::replace(&mut self.0, Repr::Utf8(String::new())) {
            Repr::Utf8(text) => text.into_bytes(),
            Repr::Wtf8(bytes) => bytes,
            Repr::Shared(text) => text.as_bytes().to_vec(),
            Repr::Word(word) => word.as_bytes().to_vec(),
        };
        let right = other.as_bytes();
        if let (Some(high), Some(low)) = (trailing_high(&bytes), leading_low(right)) {
            bytes.truncate(bytes.len() - 3);
            let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
            let joined = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(joined.encode_utf8(&mut [0; 4]).as_bytes());
            bytes.extend_from_slice(&right[3..]);
            *self = Self::from_wtf8(bytes);
            return;
        }
        bytes.extend_from_slice(right);
        // Without a join a lone surrogate stays one, so there is no need to look at all of it.
        let is_broken = was_broken || matches!(other.0, Repr::Wtf8(_));
        self.0 = if is_broken { Repr::Wtf8(bytes) } else { Self::from_wtf8(bytes).0 };
    }

    /// Appends plain text.
    pub fn push_str(&mut self, text: &str) {
        self.own();
        match &mut self.0 {
            Repr::Utf8(left) => left.push_str(text),
            Repr::Wtf8(left) => left.extend_from_slice(text.as_bytes()),
            // `own` has just made it one of the others.
            Repr::Shared(_) | Repr::Word(_) => {}
        }
    }

    /// Takes a copy of a text that is not its own before it changes.
    fn own(&mut self) {
        match &self.0 {
            Repr::Shared(text) => self.0 = Repr::Utf8((**text).to_owned()),
            Repr::Word(word) => self.0 = Repr::Utf8((*word).to_owned()),
            Repr::Utf8(_) | Repr::Wtf8(_) => {}
        }
    }

    /// JavaScript's `trim()`.
    pub fn trim(&self) -> Self {
        match &self.0 {
            Repr::Utf8(text) => Self::from(text.trim_matches(is_js_whitespace)),
            Repr::Shared(text) => Self::from(text.trim_matches(is_js_whitespace)),
            Repr::Word(word) => Self::from(word.trim_matches(is_js_whitespace)),
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

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self(Repr::Utf8(text))
    }
}

/// A text that many values share.
impl From<Arc<String>> for JsString {
    fn from(text: Arc<String>) -> Self {
        Self(Repr::Shared(text))
    }
}

impl PartialEq for JsString {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for JsString {}

impl Hash for JsString {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for JsString {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By bytes, which is the order of code points.
impl Ord for JsString {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
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
    fn a_shared_text_is_a_text_like_any_other() {
        let shared = JsString::from(Arc::new(" a😀 ".to_owned()));
        assert_eq!(shared, js(" a😀 "));
        assert_eq!((shared.trim(), shared.utf16_len()), (js("a😀"), 5));
        let mut longer = shared.clone();
        longer.push_str("b");
        longer.push(&shared);
        assert_eq!((longer, shared), (js(" a😀 b a😀 "), js(" a😀 ")));
        let mut broken = js("\\ud83d");
        broken.push(&JsString::from(Arc::new("x".to_owned())));
        assert_eq!(broken, js("\\ud83dx"));
    }

    #[test]
    fn a_word_of_many_lines_is_a_text_like_any_other() {
        let word = js("toolCall");
        assert!(matches!(word.0, Repr::Word("toolCall")));
        assert_eq!((word.clone(), word.trim()), ("toolCall".into(), "toolCall".into()));
        assert_eq!(word.to_shared().as_deref().map(String::as_str), Some("toolCall"));
        let mut longer = word.clone();
        longer.push_str("s");
        longer.push(&word);
        longer.push(&js("\\ud83d"));
        assert_eq!((longer, word), (js("toolCallstoolCall\\ud83d"), "toolCall".into()));
        let mut broken = js("text");
        broken.push(&js("\\ud83d"));
        assert_eq!(broken, js("text\\ud83d"));
    }

    #[test]
    fn length_counts_utf16_units() {
        assert_eq!(js("aé漢😀").utf16_len(), 5);
        assert_eq!(js("\\ud83d").utf16_len(), 1);
    }

    #[test]
    fn a_prefix_may_end_in_half_an_emoji() {
        let text = js("aé😀漢");
        let cut: Vec<JsString> = (0..7).map(|length| text.utf16_prefix(length)).collect();
        let whole = ["", "a", "aé", "aé\\ud83d", "aé😀", "aé😀漢", "aé😀漢"].map(js);
        assert_eq!(cut, whole);
        assert_eq!(js("\\ude00x\\ud83d").utf16_prefix(2), js("\\ude00x"));
    }

    #[test]
    fn the_order_is_that_of_utf16() {
        let mut names =
            ["\u{e000}", "😀", "b", "\\ud83d", "\\ud83d\\ude00a", "", "\u{ffff}", "B"].map(js);
        names.sort_by(JsString::cmp_utf16);
        let sorted = ["", "B", "b", "\\ud83d", "😀", "😀a", "\u{e000}", "\u{ffff}"].map(js);
        assert_eq!(names, sorted);
    }

    #[test]
    fn trim_follows_javascript() {
        assert_eq!(js("\\ufeff\\u00a0 x\\u0085").trim(), "x\u{85}");
        assert_eq!(js(" \\ud83d ").trim(), js("\\ud83d"));
        assert_eq!(js("  ").trim(), "");
    }
}
