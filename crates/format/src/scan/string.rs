//! Walking over a string. Most bytes of a session lie inside strings, so this decides the speed.
//!
//! Short strings are looked at 16 bytes at a time. The rest of a long one is looked at in
//! blocks of 64 bytes that become bit masks, and what is escaped is found by arithmetic on them:
//! nobody, the processor included, can guess where in a text the next escape is, and a branch
//! guessed wrong costs more than the work for a whole block.

use super::lanes::{slash_marks, special_marks, usual_escape_marks};
use super::skip::error;
use crate::js::JsonError;

/// So many times a short string is looked at.
const SHORT_LOOKS: usize = 4;

/// The bytes that make an escape of two bytes with the backslash before them.
const SIMPLE_ESCAPES: [bool; 256] = {
    let mut simple = [false; 256];
    let mut left: &[u8] = b"\"\\/bfnrt";
    while let [byte, rest @ ..] = left {
        simple[*byte as usize] = true;
        left = rest;
    }
    simple
};

/// Steps over the string whose opening quote is at `quote`.
#[inline]
pub(crate) fn skip_string(bytes: &[u8], quote: usize) -> Result<usize, JsonError> {
    short_end(bytes, quote).map_or_else(|| skip_long_string(bytes, quote), Ok)
}

/// The same for any string.
#[inline(never)]
fn skip_long_string(bytes: &[u8], quote: usize) -> Result<usize, JsonError> {
    let mut at = quote + 1;
    for _ in 0..SHORT_LOOKS {
        let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) else { break };
        let special = special_marks(chunk);
        if special == 0 {
            at += 16;
            continue;
        }
        at += special.trailing_zeros() as usize;
        match bytes[at] {
            b'"' => return Ok(at + 1),
            b'\\' => at = skip_escape(bytes, at)?,
            _ => return error(at, "a raw control character in a string"),
        }
    }
    skip_blocks(bytes, at)
}

/// Steps over the name of a member, and tells whether it holds an escape.
#[inline(always)]
pub(super) fn skip_name_string(bytes: &[u8], quote: usize) -> Result<(usize, bool), JsonError> {
    // Names are short, and few hold an escape.
    match short_end(bytes, quote) {
        Some(end) => Ok((end, false)),
        None => skip_other_name(bytes, quote),
    }
}

#[cold]
#[inline(never)]
fn skip_other_name(bytes: &[u8], quote: usize) -> Result<(usize, bool), JsonError> {
    let end = skip_long_string(bytes, quote)?;
    Ok((end, bytes[quote..end].contains(&b'\\')))
}

/// The place behind a string of less than 16 bytes without escapes.
#[inline(always)]
fn short_end(bytes: &[u8], quote: usize) -> Option<usize> {
    let chunk = bytes.get(quote + 1..)?.first_chunk::<16>()?;
    let at = special_marks(chunk).trailing_zeros() as usize;
    (chunk.get(at) == Some(&b'"')).then_some(quote + at + 2)
}

/// Steps over the rest of a string, 64 bytes at a time.
#[inline(never)]
fn skip_blocks(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    // Whether the first byte of the block belongs to an escape of the block before: 0 or 1.
    let mut first_is_escaped = 0;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        let special = block_marks(block, special_marks);
        if special == 0 {
            first_is_escaped = 0;
            at += 64;
            continue;
        }
        let slashes = block_marks(block, slash_marks);
        let (escapes, escaped) = find_escapes(slashes, first_is_escaped);
        let stops = special & !(escapes | escaped);
        let before_stop = stops.wrapping_sub(1) & !stops;
        // The usual escapes need no closer look. What the last byte of a block escapes is in the
        // next one, so it is always looked at.
        let usual = block_marks(block, usual_escape_marks) >> 1;
        check_escapes(bytes, at, escapes & before_stop & !usual)?;
        if stops != 0 {
            let stop = at + stops.trailing_zeros() as usize;
            return match bytes[stop] {
                b'"' => Ok(stop + 1),
                _ => error(stop, "a raw control character in a string"),
            };
        }
        first_is_escaped = escapes >> 63;
        at += 64;
    }
    skip_end(bytes, at + first_is_escaped as usize)
}

/// Steps over the end of a string in the last bytes of a line, too few for a block.
fn skip_end(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    loop {
        at = match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => skip_escape(bytes, at)?,
            Some(0..0x20) => return error(at, "a raw control character in a string"),
            Some(_) => at + 1,
            None => return error(at, "an unterminated string"),
        }
    }
}

fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at + 1) {
        Some(&byte) if SIMPLE_ESCAPES[usize::from(byte)] => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            _ => error(at, "an invalid escape in a string"),
        },
        _ => error(at, "an invalid escape in a string"),
    }
}

/// Checks the escapes that begin at the marks of the block at `at`.
#[inline]
fn check_escapes(bytes: &[u8], at: usize, escapes: u64) -> Result<(), JsonError> {
    if escapes == 0 { Ok(()) } else { check_one_by_one(bytes, at, escapes) }
}

#[inline(never)]
fn check_one_by_one(bytes: &[u8], at: usize, mut escapes: u64) -> Result<(), JsonError> {
    while escapes != 0 {
        skip_escape(bytes, at + escapes.trailing_zeros() as usize)?;
        escapes &= escapes - 1;
    }
    Ok(())
}

/// Which backslashes begin an escape, and which bytes are escaped by one: of a row of backslashes
/// every other one begins an escape. The subtraction carries along each row (simdjson's method).
#[inline]
const fn find_escapes(slashes: u64, first_is_escaped: u64) -> (u64, u64) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let candidates = slashes & !first_is_escaped;
    let behind = (candidates << 1) | ODD;
    let both = behind.wrapping_sub(candidates) ^ ODD;
    (both & slashes, both ^ (slashes | first_is_escaped))
}

/// The marks of the four chunks of a block.
#[inline]
fn block_marks(block: &[u8; 64], marks: impl Fn(&[u8; 16]) -> u32) -> u64 {
    let chunks = block.as_chunks::<16>().0;
    chunks.iter().rev().fold(0, |all, chunk| all << 16 | u64::from(marks(chunk)))
}

/// Calls `met` with the place of each backslash from `at` on.
#[inline]
pub(crate) fn each_slash(bytes: &[u8], mut at: usize, mut met: impl FnMut(usize)) {
    while let Some(block) = bytes[at..].first_chunk::<64>() {
        let mut slashes = block_marks(block, slash_marks);
        while slashes != 0 {
            met(at + slashes.trailing_zeros() as usize);
            slashes &= slashes - 1;
        }
        at += 64;
    }
    while let Some(slash) = memchr::memchr(b'\\', &bytes[at..]) {
        met(at + slash);
        at += slash + 1;
    }
}

/// Where the closing quote is of a string that has begun before `at`; `None` if it is not closed.
/// Nothing is validated: this is for finding the way through JSON that is known to be valid, or
/// of which as much as possible is to be read.
pub fn string_end(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// How many bytes at the start need no escape in a string: no quote, no backslash, no control
/// character.
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk::<16>() {
        let special = special_marks(chunk);
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += 16;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same verdict, one byte at a time.
    fn slowly(bytes: &[u8]) -> Result<usize, JsonError> {
        skip_end(bytes, 1)
    }

    #[test]
    fn the_end_of_a_string_is_its_closing_quote() {
        assert_eq!(string_end(br#""a\"b\\",1"#, 1), Some(7));
        assert_eq!(string_end(br#""","#, 1), Some(1));
        assert_eq!(string_end(br#""a\""#, 1), None);
        assert_eq!(string_end(br#""a\"#, 1), None);
    }

    #[test]
    fn blocks_and_bytes_agree_wherever_an_escape_lies() {
        let pieces: [&[u8]; 12] = [
            b"\\n",
            b"\\\\",
            b"\\\"",
            b"\\u00e9",
            b"\\u00g9",
            b"\\x",
            b"\"",
            b"\n",
            b"\x1f",
            b"\\\\\\",
            b"\\",
            "é\u{2028}".as_bytes(),
        ];
        for before in 0..140 {
            for first in pieces {
                for second in pieces {
                    for between in [0, 1, 61, 62, 63, 64] {
                        let mut text = vec![b'"'];
                        text.resize(1 + before, b'a');
                        text.extend_from_slice(first);
                        text.resize(text.len() + between, b'b');
                        text.extend_from_slice(second);
                        text.extend_from_slice(&[b'c'; 70]);
                        text.push(b'"');
                        assert_eq!(skip_string(&text, 0), slowly(&text), "{text:?}");
                    }
                }
            }
        }
    }
}
