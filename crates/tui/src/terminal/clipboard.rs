//! The clipboard, by the sequence that most terminals take for it (OSC 52).

use std::io::{self, Write, stdout};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Gives a text to the clipboard. A terminal that does not know how ignores it.
pub(super) fn give(text: &str) -> io::Result<()> {
    let mut out = stdout();
    // As base64 no text can end the sequence and begin another one.
    write!(out, "\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))?;
    out.flush()
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let is_there = digit <= chunk.len();
            let value = (bits >> (18 - 6 * digit)) & 63;
            out.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length() {
        let texts = ["", "f", "fo", "foo", "foob", "\u{1b}]0;x\u{7}"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "G10wO3gH"];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), expected);
    }
}
