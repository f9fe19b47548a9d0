//! `JSON.parse`, with its verdicts.

use thiserror::Error;

use super::{JsString, Object, Value, words};
use crate::scan::{each_slash, skip_string, skip_value};

/// How deep a value is decoded. Deeper parts are validated and kept as text.
pub const MAX_VALUE_DEPTH: usize = 128;

/// Why bytes are no JSON, and where.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{problem} at byte {at}")]
pub struct JsonError {
    /// The byte offset in the line.
    pub at: usize,
    /// What is wrong there, in plain words.
    pub problem: &'static str,
}

/// What is wrong where a member's name should begin. An empty object does not get here.
pub(crate) fn no_name(found: Option<u8>) -> &'static str {
    match found {
        Some(b'}') => "a comma too many before `}`",
        _ => "expected a name in double quotes",
    }
}

/// Decodes one JSON text exactly when `JSON.parse` would take it.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    parse_noting_repeats(bytes).map(|(value, _)| value)
}

/// The same, and whether an object has a name twice: then the text holds more than the value. What
/// is kept as text because it lies too deep is not counted.
pub fn parse_noting_repeats(bytes: &[u8]) -> Result<(Value, bool), JsonError> {
    let (items, members) = (Vec::new(), Vec::new());
    let mut parser = Parser { bytes, at: 0, has_repeats: false, items, members };
    parser.skip_space();
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < bytes.len() {
        return Err(parser.error("text after the end of the value"));
    }
    Ok((value, parser.has_repeats))
}

/// Decodes the inside of a JSON string (between the quotes) that is known to be valid.
pub fn decode_string(raw: &[u8]) -> JsString {
    if let Some(word) = words::word(raw) {
        return JsString::from_word(word);
    }
    let Some(slash) = memchr::memchr(b'\\', raw) else { return plain_string(raw) };
    let mut out = Vec::with_capacity(raw.len());
    let mut done = 0;
    each_slash(raw, slash, |at| {
        // A backslash may belong to the escape before it.
        if at >= done {
            out.extend_from_slice(&raw[done..at]);
            done = at + decode_escape(&raw[at..], &mut out).unwrap_or(1);
        }
    });
    out.extend_from_slice(&raw[done..]);
    match String::from_utf8(out) {
        Ok(text) => text.into(),
        // Half an emoji, or bytes that are no UTF-8. Only part by part can one tell which.
        Err(_) => decode_by_parts(raw),
    }
}

fn plain_string(raw: &[u8]) -> JsString {
    match std::str::from_utf8(raw) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(raw).into_owned().into(),
    }
}

fn decode_by_parts(raw: &[u8]) -> JsString {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(slash) = memchr::memchr(b'\\', rest) {
        push_decoded(&mut out, &rest[..slash]);
        let used = decode_escape(&rest[slash..], &mut out).unwrap_or(1);
        rest = &rest[slash + used..];
    }
    push_decoded(&mut out, rest);
    JsString::from_wtf8(out)
}

/// Appends raw bytes as Node decodes them: invalid UTF-8 (encoded surrogates too) is U+FFFD.
fn push_decoded(out: &mut Vec<u8>, raw: &[u8]) {
    match std::str::from_utf8(raw) {
        Ok(_) => out.extend_from_slice(raw),
        Err(_) => out.extend_from_slice(String::from_utf8_lossy(raw).as_bytes()),
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    has_repeats: bool,
    /// The items of arrays that are not closed yet. Once closed, an array gets its own in one
    /// piece, of just the size that it needs.
    items: Vec<Value>,
    /// The members of objects that are not closed yet.
    members: Vec<(JsString, Value)>,
}

impl Parser<'_> {
    fn error(&self, problem: &'static str) -> JsonError {
        JsonError { at: self.at, problem }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_VALUE_DEPTH => {
                let end = skip_value(self.bytes, self.at)?;
                let text = self.bytes[self.at..end].into();
                self.at = end;
                Ok(Value::Deep(text))
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.error("not valid JSON")),
            None => Err(self.error("the text ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.error("unknown word"))
        }
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.error("a number without digits")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        // Rust's parser rounds as JavaScript's does and gives infinity for 1e999 too.
        text.parse().map(Value::Number).map_err(|_| self.error("not a number"))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("the number is incomplete"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<JsString, JsonError> {
        let end = skip_string(self.bytes, self.at)?;
        let raw = &self.bytes[self.at + 1..end - 1];
        self.at = end;
        Ok(decode_string(raw))
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Vec::new().into());
        }
        let first = self.items.len();
        loop {
            self.skip_space();
            let item = self.value(depth + 1)?;
            self.items.push(item);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(self.items.drain(first..).collect::<Vec<_>>().into());
                }
                _ => return Err(self.error("expected a comma or `]` in an array")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(Object::new()));
        }
        let first = self.members.len();
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error(no_name(self.peek())));
            }
            let key = self.string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.error("an object member without `:`"));
            }
            self.at += 1;
            self.skip_space();
            let value = self.value(depth + 1)?;
            self.members.push((key, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    let members: Vec<_> = self.members.drain(first..).collect();
                    let count = members.len();
                    let object = Object::from_members(members);
                    self.has_repeats |= object.len() < count;
                    return Ok(Value::Object(object));
                }
                _ => return Err(self.error("expected a comma or `}` in an object")),
            }
        }
    }
}

/// Decodes the escape at the start of `bytes` into WTF-8 and says how many bytes it took.
#[inline]
fn decode_escape(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let escaped = *bytes.get(1)?;
    match PLAIN[usize::from(escaped)] {
        0 if escaped == b'u' => decode_unicode(bytes, out),
        0 => None,
        plain => {
            out.push(plain);
            Some(2)
        }
    }
}

/// What an escape of two bytes stands for, by its second byte; 0 if it is none.
const PLAIN: [u8; 256] = {
    let mut plain = [0; 256];
    let mut left: &[(u8, u8)] = &[
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'b', 0x08),
        (b'f', 0x0C),
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
    ];
    while let [(escaped, byte), rest @ ..] = left {
        plain[*escaped as usize] = *byte;
        left = rest;
    }
    plain
};

fn decode_unicode(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let unit = hex4(bytes.get(2..6)?)?;
    if (0xD800..0xDC00).contains(&unit)
        && let Some([b'\\', b'u', low @ ..]) = bytes.get(6..12)
        && let Some(low) = hex4(low)
        && (0xDC00..0xE000).contains(&low)
    {
        let code = 0x10000 + ((u32::from(unit) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
        push_code(out, code);
        return Some(12);
    }
    push_code(out, u32::from(unit));
    Some(6)
}

fn hex4(digits: &[u8]) -> Option<u16> {
    let mut value = 0u16;
    for digit in digits {
        let digit = char::from(*digit).to_digit(16)?;
        value = (value << 4) | digit as u16;
    }
    Some(value)
}

/// Appends a code point, surrogates included, as (W)UTF-8.
fn push_code(out: &mut Vec<u8>, code: u32) {
    if let Some(character) = char::from_u32(code) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let [.., high, low] = code.to_be_bytes();
        out.push(0xE0 | (high >> 4));
        out.push(0x80 | ((high & 0x0F) << 2) | (low >> 6));
        out.push(0x80 | (low & 0x3F));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a string says, one backslash after the other.
    fn slowly(mut raw: &[u8]) -> JsString {
        let mut out = Vec::new();
        while let Some(slash) = raw.iter().position(|byte| *byte == b'\\') {
            out.extend_from_slice(&raw[..slash]);
            let used = decode_escape(&raw[slash..], &mut out).unwrap_or(1);
            raw = &raw[slash + used..];
        }
        out.extend_from_slice(raw);
        JsString::from_wtf8(out)
    }

    #[test]
    fn a_string_is_the_same_wherever_its_escapes_lie() {
        let pieces = [
            "\\n",
            "\\\\",
            "\\\"",
            "\\u00e9",
            "\\\\u0041",
            "\\ud83d\\ude00",
            "\\ud83d",
            "é",
            "\\\\\\n",
        ];
        for before in 0..140 {
            for first in pieces {
                for second in pieces {
                    for between in [0, 1, 15, 62, 63, 64] {
                        let (a, b) = ("a".repeat(before), "b".repeat(between));
                        let text = format!("{a}{first}{b}{second}cccccccccccccccccc");
                        assert_eq!(decode_string(text.as_bytes()), slowly(text.as_bytes()));
                    }
                }
            }
        }
    }

    #[test]
    fn names_that_stand_twice_are_noted() {
        let repeats = |text: &str| parse_noting_repeats(text.as_bytes()).unwrap().1;
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"[{"b":{"a":1,"\u0061":2}}]"#,
            r#"{"1":0,"b":0,"1":0}"#,
            &format!("{{{}\"m7\":0}}", (0..40).map(|n| format!("\"m{n}\":0,")).collect::<String>()),
        ] {
            assert!(repeats(text), "{text}");
        }
        for text in [r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, r#"{"a":"\"a\":1,\"a\":1"}"#, "[]"] {
            assert!(!repeats(text), "{text}");
        }
    }
}
