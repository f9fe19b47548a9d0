//! Where a word begins in text that was printed, escaped or coloured.
//!
//! A key is found where a word may begin. Before it may stand what a program wrote for a sign that
//! it could not write as it is: `\n`, `\u003e`, `\x22`, `%3D`, or a sequence that tells a terminal
//! to change its colour or to move. Such a thing may end with a letter and is no part of the word.

/// How many parameters of a terminal's sequence are looked through.
const LONGEST_SEQUENCE: usize = 24;

/// Ways of writing the character that begins a terminal's sequence.
const ESCAPES: [&[u8]; 8] =
    [b"\x1b", b"\\x1b", b"\\x1B", b"\\u001b", b"\\u001B", b"\\033", b"\\e", b"^["];

/// Whether a word may begin here.
pub(crate) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before {
        [] => true,
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' => true,
        _ => ends_escape(before) || ends_sequence(before),
    }
}

/// Whether a text ends with a sign that was written out.
fn ends_escape(text: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match text {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => true,
        _ => {
            let ends = |begin: &[u8], digits: usize| {
                let (head, tail) = text.split_at(text.len().saturating_sub(digits));
                tail.len() == digits && is_hex(tail) && head.ends_with(begin)
            };
            ends(b"\\u", 4) || ends(b"\\x", 2) || ends(b"%", 2) || ends(b"%25", 2) || {
                let is_octal = text.iter().rev().take(3).all(|byte| matches!(byte, b'0'..=b'7'));
                is_octal && ends(b"\\", 3)
            }
        }
    }
}

/// Whether a text ends with a sequence for a terminal, such as a colour, raw or written out. The
/// character that begins it may be gone if it is a colour: nothing else looks like `[01;31m`.
fn ends_sequence(text: &[u8]) -> bool {
    let Some((last, before)) = text.split_last() else { return false };
    let is_parameter = |byte: &&u8| matches!(**byte, b' '..=b'?');
    let parameters = before.iter().rev().take(LONGEST_SEQUENCE).take_while(is_parameter).count();
    let Some(begin) = before[..before.len() - parameters].strip_suffix(b"[") else { return false };
    let is_color = |byte: &u8| byte.is_ascii_digit() || *byte == b';';
    let parameters = &before[before.len() - parameters..];
    *last == b'm' && parameters.iter().all(is_color)
        || ESCAPES.iter().any(|escape| begin.ends_with(escape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins_after(before: &str) -> bool {
        begins_word(before.as_bytes(), before.len())
    }

    #[test]
    fn a_word_begins_after_what_is_written_out() {
        for before in ["", " ", "\\n", "\\u003e", "\\u0022", "\\x22", "\\042", "%3D", "%253d"] {
            assert!(begins_after(before), "{before:?}");
        }
        for before in ["\u{1b}[K", "\u{1b}[1;1H", "\\u001b[2J", "\\033[K", "^[[K", "[01;31m"] {
            assert!(begins_after(before), "{before:?}");
        }
    }

    #[test]
    fn it_does_not_begin_within_another() {
        for before in ["a", "7", "_", "u003e", "\\u03e", "x22", "3D", "a[K", "[K", "a[i", "\\q"] {
            assert!(!begins_after(before), "{before:?}");
        }
    }
}
