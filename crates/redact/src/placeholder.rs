//! What stands in the place of a secret.
//!
//! `[REDACTED:<rule>:<eight hexadecimal digits>]`. The digits are the beginning of a keyed hash of
//! the secret: the same secret has the same digits wherever it stands, and without the key nobody
//! can try out what it was.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::scan::Hit;

const BEGIN: &str = "[REDACTED:";

/// How brackets are written in texts, and in pages and links that are made of them.
const BRACKETS: [(&str, &str); 5] =
    [("\\[", "\\]"), ("[", "]"), ("&#91;", "&#93;"), ("%5B", "%5D"), ("%5b", "%5d")];

/// Digits of the keyed hash.
pub(crate) const DIGITS: usize = 8;

/// The longest name of a rule.
const MOST_NAME: usize = 48;

/// The block of SHA-256, to which HMAC pads its key.
const BLOCK: usize = 64;

/// The key of a data set: 32 random bytes, which never leave the user's machine.
#[derive(Clone)]
pub struct Key([u8; Key::LEN]);

impl Key {
    /// How many bytes a key has.
    pub const LEN: usize = 32;

    /// A key of these bytes.
    pub fn new(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// The digits for a text.
    pub(crate) fn digits(&self, text: &[u8]) -> String {
        let hash = self.hash(text);
        hash[..DIGITS / 2].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// HMAC-SHA-256.
    pub(crate) fn hash(&self, text: &[u8]) -> [u8; 32] {
        let pad = |with: u8| {
            let mut block = [with; BLOCK];
            for (padded, byte) in block.iter_mut().zip(self.0) {
                *padded ^= byte;
            }
            Sha256::new().chain_update(block)
        };
        let inner = pad(0x36).chain_update(text).finalize();
        pad(0x5c).chain_update(inner).finalize().into()
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The placeholder of a secret.
pub(crate) fn placeholder(rule: &str, secret: &[u8], key: &Key) -> String {
    format!("{BEGIN}{rule}:{}]", key.digits(secret))
}

/// The placeholders in a text.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = Range<usize>> {
    let text = text.as_bytes();
    let found = memchr::memmem::find_iter(text, &BEGIN[1..]);
    found.filter_map(|name| {
        let bracket = |(begin, _): &&(&str, &str)| text[..name].ends_with(begin.as_bytes());
        let (begin, end) = BRACKETS.iter().find(bracket)?;
        Some(name - begin.len()..name + length(&text[name..], end)?)
    })
}

/// The length of the placeholder whose bracket was before this text.
fn length(text: &[u8], bracket: &str) -> Option<usize> {
    let begin = BEGIN.len() - 1;
    let rest = text.get(begin..)?;
    let is_name = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-';
    let name = rest.iter().take(MOST_NAME).take_while(is_name).count();
    let digits = rest.get(name + 1..name + 1 + DIGITS)?;
    let is_whole = name > 0
        && rest[name] == b':'
        && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && rest[name + 1 + DIGITS..].starts_with(bracket.as_bytes());
    is_whole.then_some(begin + name + 1 + DIGITS + bracket.len())
}

/// Takes placeholders out of hits, so that nothing is replaced twice.
pub(crate) fn cut_out(hits: Vec<Hit>, text: &str) -> Vec<Hit> {
    let taken: Vec<_> = placeholders(text).collect();
    cut(hits, &taken, text)
}

/// Takes ranges out of hits. What is left of a hit beside one and tells nothing, a quote or the end
/// of a sentence, is dropped.
pub(crate) fn cut(hits: Vec<Hit>, taken: &[Range<usize>], text: &str) -> Vec<Hit> {
    if taken.is_empty() {
        return hits;
    }
    let tells = |range: &Range<usize>| {
        let bytes = &text.as_bytes()[range.clone()];
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        bytes.iter().filter(is_letter).count() > 1
            || bytes.iter().any(|byte| b"!#$%^*+=?~".contains(byte))
    };
    let mut left = Vec::with_capacity(hits.len());
    for hit in hits {
        let mut start = hit.range.start;
        let first = taken.partition_point(|range| range.end <= hit.range.start);
        let mut pieces = Vec::new();
        for range in taken[first..].iter().take_while(|range| range.start < hit.range.end) {
            if start < range.start {
                pieces.push(start..range.start);
            }
            start = range.end;
        }
        if start == hit.range.start {
            left.push(hit);
            continue;
        }
        if start < hit.range.end {
            pieces.push(start..hit.range.end);
        }
        left.extend(pieces.into_iter().filter(tells).map(|range| Hit { range, ..hit.clone() }));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Shape;

    #[test]
    fn the_hash_is_hmac() {
        let mut key = [0; Key::LEN];
        key[..4].copy_from_slice(b"Jefe");
        let hash = Key::new(key).hash(b"what do ya want for nothing?");
        assert_eq!(hash[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }

    #[test]
    fn placeholders_are_recognized_whole() {
        let key = Key::new([7; Key::LEN]);
        let one = placeholder("github-pat", b"secret", &key);
        let text = format!("a {one} b {one}");
        let found: Vec<_> = placeholders(&text).map(|range| &text[range]).collect();
        assert_eq!(found, [&one, &one]);
        assert_eq!(placeholders("[REDACTED:x:123] [REDACTED:").count(), 0);
        for written in ["&#91;REDACTED:x:01234567&#93;", "\\[REDACTED:x:01234567\\]"] {
            let found: Vec<_> = placeholders(written).collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0], 0..written.len());
        }
    }

    #[test]
    fn hits_are_cut_around_placeholders() {
        let text = "ab[REDACTED:x:01234567]cd";
        let cut = cut_out(vec![Hit::redact("r", Shape::Known, 0..text.len())], text);
        let ranges: Vec<_> = cut.into_iter().map(|hit| hit.range).collect();
        assert_eq!(ranges, [0..2, 23..25]);
    }
}
