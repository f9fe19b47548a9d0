//! Walking over a string. Most bytes of a session lie inside strings, so this decides the speed.
//!
//! Short strings are looked at eight bytes at a time. The rest of a long one is looked at in
//! blocks of 64 bytes that become bit masks, and what is escaped is found by arithmetic on them:
//! nobody, the processor included, can guess where in a text the next escape is, and a branch
//! guessed wrong costs more than the work for a whole block.

use super::skip::error;
use crate::js::JsonError;

/// So many words of a string are looked at one by one.
const SHORT_WORDS: usize = 5;

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
pub(crate) fn skip_string(bytes: &[u8], quote: usize) -> Result<usize, JsonError> {
    let mut at = quote + 1;
    for _ in 0..SHORT_WORDS {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else { break };
        let special = special_bytes(u64::from_le_bytes(*word));
        if special == 0 {
            at += 8;
            continue;
        }
        at += (special.trailing_zeros() / 8) as usize;
        match bytes[at] {
            b'"' => return Ok(at + 1),
            b'\\' => at = skip_escape(bytes, at)?,
            _ => return error(at, "a raw control character in a string"),
        }
    }
    skip_blocks(bytes, at)
}

/// Steps over the rest of a string, 64 bytes at a time.
#[inline(never)]
fn skip_blocks(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    // Whether the first byte of the block belongs to an escape of the block before: 0 or 1.
    let mut first_is_escaped = 0;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        let special = marks(block, |byte| (byte == b'"') | (byte == b'\\') | (byte < 0x20));
        if special == 0 {
            first_is_escaped = 0;
            at += 64;
            continue;
        }
        let slashes = marks(block, |byte| byte == b'\\');
        let (escapes, escaped) = find_escapes(slashes, first_is_escaped);
        let stops = special & !(escapes | escaped);
        let before_stop = stops.wrapping_sub(1) & !stops;
        check_escapes(bytes, at, escapes & before_stop)?;
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
            None => return error(at, "a string that is not closed"),
        }
    }
}

fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at + 1) {
        Some(&byte) if SIMPLE_ESCAPES[usize::from(byte)] => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            _ => error(at, "a damaged escape in a string"),
        },
        _ => error(at, "a damaged escape in a string"),
    }
}

/// Checks the escapes that begin at the marks of the block at `at`.
#[inline]
fn check_escapes(bytes: &[u8], at: usize, mut escapes: u64) -> Result<(), JsonError> {
    while escapes != 0 {
        let mut rest = escapes;
        let mut simple = true;
        // Four at a time without a branch; where there are fewer, the first one again.
        for _ in 0..4 {
            let mark = if rest == 0 { escapes } else { rest };
            let here = at + mark.trailing_zeros() as usize;
            simple &= bytes.get(here + 1).is_some_and(|&byte| SIMPLE_ESCAPES[usize::from(byte)]);
            rest &= rest.wrapping_sub(1);
        }
        if !simple {
            return check_one_by_one(bytes, at, escapes);
        }
        escapes = rest;
    }
    Ok(())
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

/// One bit for each byte of the block for which `is` holds. Written so that the compiler compares
/// 16 bytes at a time: a block of fewer than 64 bytes it would take apart byte by byte.
#[inline]
fn marks(block: &[u8; 64], is: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0u8; 64];
    for (flag, &byte) in flags.iter_mut().zip(block) {
        *flag = u8::from(is(byte));
    }
    let mut marks = 0;
    for (at, word) in flags.as_chunks::<8>().0.iter().enumerate() {
        // The product has the eight flags side by side in its highest byte.
        let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks |= bits << (at * 8);
    }
    marks
}

/// How many bytes at the start need no escape in a string: no quote, no backslash, no control
/// character.
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len())
}

/// Marks the high bit of the bytes that are `"`, `\` or below 0x20.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // No sum below reaches 0x100 in a byte, so the bytes do not disturb each other.
    let low = word & (ONES * 0x7F);
    // With bit 1 flipped, `"` (0x22) comes right behind the control characters.
    let quote_or_control = (low ^ (ONES * 0x02)) + ONES * (0x80 - 0x21);
    let slash = (low ^ (ONES * b'\\' as u64)) + ONES * 0x7F;
    !((quote_or_control & slash) | word) & (ONES * 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same verdict, one byte at a time.
    fn slowly(bytes: &[u8]) -> Result<usize, JsonError> {
        skip_end(bytes, 1)
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
