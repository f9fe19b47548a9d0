//! Output of a program made harmless: text without escape sequences and control characters.
//!
//! The rules are Pi's, since the text is stored: a session must read the same whoever ran the
//! command. Bytes that are no UTF-8 become U+FFFD; escape sequences go whole, also when they
//! arrive in pieces; of the control characters only tab and newline stay.

use std::sync::LazyLock;

use regex::Regex;

/// An unfinished sequence longer than this many UTF-16 units is no sequence.
const LONGEST_PENDING: usize = 256;
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The beginning of a control sequence, up to its last byte. A private mark (`<`, `=`, `>`)
/// counts only behind a real introducer: after a lone escape it is a last byte.
const SEQUENCE_START: &str =
    r"(?:(?:\x1B\[|\x{9B})[<=>]|[\x1B\x{9B}][\[\]()#;?]*)(?:[0-9]{1,4}(?:[;:][0-9]{0,4})*)?";

/// A whole sequence: an operating system command up to its terminator, or a control sequence.
static WHOLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let last = r"[0-9A-PR-TZcf-nq-uy=><~]";
    Regex::new(&format!(r"(?:\x1B\](?s:.)*?(?:\x07|\x1B\\|\x{{9C}}))|{SEQUENCE_START}{last}")).ok()
});

/// A sequence that the end of the text cuts off. An escape at the very end may begin the
/// terminator `ESC \`.
static UNFINISHED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let command = r"\x1B\](?:[^\x07\x{9C}\x1B]|\x1B+[^\x07\x{9C}\x1B\\])*\x1B*";
    Regex::new(&format!(r"(?:{command}|{SEQUENCE_START})\z")).ok()
});

/// Cleans a stream of bytes, whatever pieces it comes in.
#[derive(Default)]
pub(super) struct Cleaner {
    /// The beginning of a character whose other bytes have not come.
    bytes: Vec<u8>,
    /// The beginning of an escape sequence.
    pending: String,
    has_begun: bool,
}

impl Cleaner {
    /// What can be shown after these bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> String {
        self.bytes.extend_from_slice(bytes);
        let text = self.decode(false);
        self.pending.push_str(&text);
        let cut = unfinished_at(&self.pending);
        let rest = self.pending.split_off(cut);
        let complete = std::mem::replace(&mut self.pending, rest);
        cleaned(&complete)
    }

    /// What is left at the end.
    pub(super) fn finish(&mut self) -> String {
        let text = self.decode(true);
        let mut rest = std::mem::take(&mut self.pending);
        rest.push_str(&text);
        cleaned(&rest)
    }

    fn decode(&mut self, is_last: bool) -> String {
        let mut text = String::with_capacity(self.bytes.len());
        let mut kept = 0;
        let mut chunks = self.bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            // Only the very end can still become a character.
            if chunks.peek().is_none() && !is_last && is_beginning(invalid) {
                kept = invalid.len();
            } else {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        let used = self.bytes.len() - kept;
        self.bytes.drain(..used);
        if !self.has_begun && !text.is_empty() {
            self.has_begun = true;
            if text.starts_with(BYTE_ORDER_MARK) {
                text.remove(0);
            }
        }
        text
    }
}

/// Whether further bytes could make a character of these.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Where an unfinished escape sequence begins; the end of the text if there is none.
fn unfinished_at(text: &str) -> usize {
    if !text.contains(['\u{1B}', '\u{9B}']) {
        return text.len();
    }
    let mut units = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        units += c.len_utf16();
        if units > LONGEST_PENDING {
            break;
        }
        start = at;
    }
    let found = UNFINISHED.as_ref().and_then(|pattern| pattern.find(&text[start..]));
    found.map_or(text.len(), |found| start + found.start())
}

/// Text without escape sequences and control characters; tabs and newlines stay.
pub fn without_escapes(text: &str) -> String {
    cleaned(text)
}

fn cleaned(text: &str) -> String {
    let is_removed =
        |c: char| (c < ' ' && c != '\t' && c != '\n') || matches!(c, '\u{FFF9}'..='\u{FFFB}');
    let stripped = match &*WHOLE {
        Some(pattern) if text.contains(['\u{1B}', '\u{9B}']) => pattern.replace_all(text, ""),
        _ => text.into(),
    };
    stripped.replace(is_removed, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(pieces: &[&[u8]]) -> String {
        let mut cleaner = Cleaner::default();
        let mut text: String = pieces.iter().map(|piece| cleaner.take(piece)).collect();
        text.push_str(&cleaner.finish());
        text
    }

    #[test]
    fn the_patterns_are_valid() {
        assert!(WHOLE.is_some() && UNFINISHED.is_some());
    }

    #[test]
    fn escape_sequences_and_control_characters_go() {
        for (raw, clean) in [
            (&b"\x1b[31mred\x1b[0m\r\n"[..], "red\n"),
            (b"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link", "xlink"),
            (b"a\x08b\x00c\x7f\td\x0b\x0c", "abc\x7f\td"),
            (b"\x1b=12 \x1b[<35;59;1Mx \x1b[?25ly", "12 x y"),
            ("\u{9b}31mx\u{fff9}y".as_bytes(), "xy"),
            (b"\xff\xfe a\xe6\x97", "\u{fffd}\u{fffd} a\u{fffd}"),
            (b"\xef\xbb\xbfmark", "mark"),
            (b"open \x1b[12", "open "),
            (b"open \x1b", "open "),
            (b"10%\r20%\rdone\n", "10%20%done\n"),
        ] {
            assert_eq!(all(&[raw]), clean, "{raw:?}");
        }
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        /// Nothing that controls a terminal comes through, and pieces make no difference to
        /// sequences of ordinary length.
        #[test]
        fn pieces_make_no_difference(
            parts in prop::collection::vec(prop::sample::select(vec![
                &b"text"[..], b"\x1b[1;31m", b"\x1b[0m", b"\r\n", b"\n", b"\x1b]0;t\x07",
                b"\x1b]8;;u\x1b\\", b"\xe6\x97\xa5", b"\xff", b"\xf0\x9f\x8e\x89", b"\x00", b"1;2",
            ]), 0..12),
            cut in 0..80_usize,
        ) {
            let bytes = parts.concat();
            let (head, rest) = bytes.split_at(cut.min(bytes.len()));
            let whole = all(&[&bytes]);
            prop_assert_eq!(&all(&[head, rest]), &whole);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(&all(&single), &whole);
            prop_assert!(!whole.contains(['\x1b', '\r', '\0']));
        }
    }
}
