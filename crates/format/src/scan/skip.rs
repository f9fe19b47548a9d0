//! Walking over JSON without building anything, with the verdicts of `JSON.parse`.
//!
//! Nesting is kept as one bit a level, so a line of nothing but `[` costs an eighth of its size
//! and no stack.

use super::string::{skip_name_string, skip_string};
use crate::js::{JsonError, no_name};

/// Skips JSON white space, of which most lines have none.
#[inline]
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(byte) if *byte <= b' ' => skip_spaces(bytes, at),
        _ => at,
    }
}

#[inline(never)]
fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(at) {
        at += 1;
    }
    at
}

pub(super) fn error<T>(at: usize, problem: &'static str) -> Result<T, JsonError> {
    Err(JsonError { at, problem })
}

/// Goes to the next member of the object whose `{` or last value ends at `at`. Gives the place
/// of the name's quote, or `None` with `at` behind the `}`.
pub(super) fn next_member(
    bytes: &[u8],
    at: &mut usize,
    first: bool,
) -> Result<Option<usize>, JsonError> {
    let mut here = if first { *at + 1 } else { *at };
    here = skip_space(bytes, here);
    if bytes.get(here) == Some(&b'}') {
        *at = here + 1;
        return Ok(None);
    }
    if !first {
        if bytes.get(here) != Some(&b',') {
            return error(here, "expected a comma or `}` in an object");
        }
        here = skip_space(bytes, here + 1);
    }
    if bytes.get(here) == Some(&b'"') {
        Ok(Some(here))
    } else {
        error(here, no_name(bytes.get(here).copied()))
    }
}

/// Steps over the colon behind a member's name, to its value.
#[inline]
pub(super) fn expect_colon(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let at = skip_space(bytes, at);
    if bytes.get(at) == Some(&b':') {
        Ok(skip_space(bytes, at + 1))
    } else {
        error(at, "an object member without `:`")
    }
}

/// Steps over the value that begins at `at` and gives the place behind it.
pub fn skip_value(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at) {
        Some(b'{' | b'[') => skip_nested(bytes, at),
        _ => skip_scalar(bytes, at),
    }
}

#[inline]
fn skip_scalar(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at) {
        Some(b'"') => skip_string(bytes, at),
        Some(b't') => skip_word(bytes, at, b"true"),
        Some(b'f') => skip_word(bytes, at, b"false"),
        Some(b'n') => skip_word(bytes, at, b"null"),
        Some(b'-' | b'0'..=b'9') => skip_number(bytes, at),
        Some(_) => error(at, "not valid JSON"),
        None => error(at, "the text ends where a value is expected"),
    }
}

fn skip_word(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, JsonError> {
    if bytes[at..].starts_with(word) { Ok(at + word.len()) } else { error(at, "unknown word") }
}

fn skip_number(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        Some(b'1'..=b'9') => skip_digits(bytes, at)?,
        _ => return error(at, "a number without digits"),
    };
    if bytes.get(at) == Some(&b'.') {
        at = skip_digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = skip_digits(bytes, at)?;
    }
    Ok(at)
}

fn skip_digits(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut end = at;
    while let Some(b'0'..=b'9') = bytes.get(end) {
        end += 1;
    }
    if end == at { error(at, "the number is incomplete") } else { Ok(end) }
}

/// One bit for each open container: set for an object.
#[derive(Default)]
struct Nesting {
    /// The innermost 64 levels.
    low: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Nesting {
    fn open(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.low);
        }
        self.low = (self.low << 1) | u64::from(object);
        self.depth += 1;
    }

    /// Leaves the innermost container; `true` while another one is open.
    fn close(&mut self) -> bool {
        self.depth -= 1;
        self.low >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.low = self.outer.pop().unwrap_or_default();
        }
        self.depth > 0
    }

    fn in_object(&self) -> bool {
        self.low & 1 == 1
    }
}

fn skip_nested(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let mut nesting = Nesting::default();
    let mut at = start;
    loop {
        // Here a value begins at `at`.
        at = match bytes.get(at) {
            Some(b'{') => {
                let inside = skip_space(bytes, at + 1);
                if bytes.get(inside) != Some(&b'}') {
                    nesting.open(true);
                    at = skip_name(bytes, inside)?;
                    continue;
                }
                inside + 1
            }
            Some(b'[') => {
                let inside = skip_space(bytes, at + 1);
                if bytes.get(inside) != Some(&b']') {
                    nesting.open(false);
                    at = inside;
                    continue;
                }
                inside + 1
            }
            _ => skip_scalar(bytes, at)?,
        };
        if nesting.depth == 0 {
            return Ok(at);
        }
        // Here a value ended: close containers until one goes on.
        loop {
            at = skip_space(bytes, at);
            match (bytes.get(at), nesting.in_object()) {
                (Some(b','), true) => {
                    at = skip_name(bytes, skip_space(bytes, at + 1))?;
                    break;
                }
                (Some(b','), false) => {
                    at = skip_space(bytes, at + 1);
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    at += 1;
                    if !nesting.close() {
                        return Ok(at);
                    }
                }
                (_, true) => return error(at, "expected a comma or `}` in an object"),
                (_, false) => return error(at, "expected a comma or `]` in an array"),
            }
        }
    }
}

/// Steps over a member's name and colon, to its value.
#[inline]
fn skip_name(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    if bytes.get(at) != Some(&b'"') {
        return error(at, no_name(bytes.get(at).copied()));
    }
    let (end, _) = skip_name_string(bytes, at)?;
    expect_colon(bytes, end)
}
