//! What a word is: a run of letters and digits. A sign of Chinese, Japanese, Korean or Thai is a
//! word of its own, since these are written without spaces. Words are compared folded: in lower
//! case, and with one form of the Greek sigma.

use std::ops::Range;

use pitree_format::js::decode_string;

/// What a character is to the words around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Word,
    /// A word of its own.
    Alone,
    Gap,
}

/// The words of a text, by their places.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (mut part, mut end) = part_at(text, at)?;
        while part == Part::Gap {
            at = end;
            (part, end) = part_at(text, at)?;
        }
        let start = at;
        while part == Part::Word
            && let Some((Part::Word, next)) = part_at(text, end)
        {
            end = next;
        }
        at = end;
        Some(start..end)
    })
}

/// What stands at a place, and where the next character is.
fn part_at(text: &str, at: usize) -> Option<(Part, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return Some((part_of(char::from(byte)), at + 1));
    }
    let c = text[at..].chars().next()?;
    Some((part_of(c), at + c.len_utf8()))
}

/// Whether a text is nothing but words and spaces.
pub(crate) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| part_of(c) != Part::Gap || c == ' ') && tokens(text).next().is_some()
}

/// Whether the letters at a place are a whole word.
pub(crate) fn is_whole(text: &str, place: &Range<usize>) -> bool {
    !is_word(char_before(text, place.start)) && !is_word(char_at(text, place.end))
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| part_of(c) == Part::Word)
}

/// The character at a place. Most are a single byte.
fn char_at(text: &str, at: usize) -> Option<char> {
    match *text.as_bytes().get(at)? {
        byte if byte.is_ascii() => Some(char::from(byte)),
        _ => text[at..].chars().next(),
    }
}

/// The character before a place.
fn char_before(text: &str, at: usize) -> Option<char> {
    match *text.as_bytes().get(at.checked_sub(1)?)? {
        byte if byte.is_ascii() => Some(char::from(byte)),
        _ => text[..at].chars().next_back(),
    }
}

/// How a term stands among the letters around it; the better first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// As whole words.
    Whole,
    /// At the beginning of a word, or of a part of a name such as `fooBar`.
    Beginning,
    /// Inside a word.
    Inside,
}

/// How the letters at a place stand. A border that is no letter itself is always a border.
pub(crate) fn standing(text: &str, place: &Range<usize>) -> Standing {
    let (first, last) = (char_at(text, place.start), char_before(text, place.end));
    let before = char_before(text, place.start);
    let begins = !(is_word(first) && is_word(before));
    let ends = !(is_word(last) && is_word(char_at(text, place.end)));
    let is_hump = first.is_some_and(char::is_uppercase) && before.is_some_and(char::is_lowercase);
    match (begins, ends) {
        (true, true) => Standing::Whole,
        (true, false) => Standing::Beginning,
        _ if is_hump => Standing::Beginning,
        _ => Standing::Inside,
    }
}

/// A word as it is compared.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.chars().flat_map(fold_char).collect()
}

/// Whether a word of a text is this folded word.
pub(crate) fn is_same(word: &str, folded: &str) -> bool {
    if word.is_ascii() { word.eq_ignore_ascii_case(folded) } else { fold(word) == folded }
}

/// Whether a word of a text begins with this folded word.
pub(crate) fn begins_with(word: &str, folded: &str) -> bool {
    if !word.is_ascii() {
        return fold(word).starts_with(folded);
    }
    let begin = word.as_bytes().get(..folded.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(folded.as_bytes()))
}

fn fold_char(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c })
}

/// The words of texts in a row: folded, each followed by a space.
#[derive(Debug, Default)]
pub(crate) struct Words {
    text: Vec<u8>,
    in_word: bool,
}

impl Words {
    /// Appends the words of a JSON string that is known to be valid, given as it is spelled
    /// between its quotes. The common spellings are not decoded first.
    pub(crate) fn add_raw(&mut self, raw: &[u8]) {
        let begin = self.text.len();
        if self.try_raw(raw).is_none() {
            self.text.truncate(begin);
            self.in_word = false;
            decode_string(raw).to_text().chars().for_each(|c| self.add_char(c));
        }
        self.end_word();
    }

    /// Appends a sign that is no word of any text, so that no phrase reaches across.
    pub(crate) fn add_border(&mut self) {
        self.text.extend_from_slice("\u{E000} ".as_bytes());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        String::from_utf8(self.text).unwrap_or_default()
    }

    /// `None` if the string must be decoded: some letters are escapes, or bytes are damaged.
    fn try_raw(&mut self, raw: &[u8]) -> Option<()> {
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            if byte.is_ascii_alphanumeric() {
                self.text.push(byte.to_ascii_lowercase());
                self.in_word = true;
                at += 1;
            } else if byte == b'\\' {
                self.end_word();
                at += escaped_gap(&raw[at..])?;
            } else if byte.is_ascii() {
                self.end_word();
                at += 1;
            } else {
                let len = raw[at..].iter().position(u8::is_ascii).unwrap_or(raw.len() - at);
                let run = std::str::from_utf8(&raw[at..at + len]).ok()?;
                run.chars().for_each(|c| self.add_char(c));
                at += len;
            }
        }
        Some(())
    }

    fn add_char(&mut self, c: char) {
        let part = part_of(c);
        if part != Part::Word {
            self.end_word();
        }
        if part == Part::Gap {
            return;
        }
        for c in fold_char(c) {
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.in_word = true;
        if part == Part::Alone {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.in_word {
            self.text.push(b' ');
            self.in_word = false;
        }
    }
}

/// The length of an escape that stands for no letter; `None` if it may stand for one.
fn escaped_gap(escape: &[u8]) -> Option<usize> {
    match escape {
        [_, b'u', b'0', b'0', b'0' | b'1', _, ..] => Some(6),
        [_, b'u', ..] => None,
        _ => Some(2),
    }
}

fn part_of(c: char) -> Part {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { Part::Word } else { Part::Gap };
    }
    // A combining accent belongs to the letter before it.
    let is_word = c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c);
    match is_word {
        false => Part::Gap,
        true if stands_alone(c) => Part::Alone,
        true => Part::Word,
    }
}

fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FFDC}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(raw: &[u8]) -> String {
        let mut words = Words::default();
        words.add_raw(raw);
        words.into_text()
    }

    #[test]
    fn words_of_a_text() {
        assert_eq!(words("Foo_bar a-b.rs".as_bytes()), "foo bar a b rs ");
        assert_eq!(words("das Öl 解析器x 3.5".as_bytes()), "das öl 解 析 器 x 3 5 ");
        assert_eq!(words(b" --"), "");
        assert!(is_plain("foo bar") && !is_plain("foo_bar") && !is_plain(" "));
    }

    #[test]
    fn words_of_a_spelling_are_those_of_the_text() {
        for raw in [
            r"one\ntwo\tThree",
            r"\u001b[0mred\u0000x",
            r"\u0053pelled \u89e3\u6790",
            r"a\\nb\/c\u00e9",
            r"half \ud83d done \ud83d\ude00",
            "e\u{301}a ΟΔΟΣ ὀδός İ \u{E000} 。x。",
            "",
        ] {
            let text = decode_string(raw.as_bytes());
            let text = text.to_text();
            let expected: String = tokens(&text).map(|token| fold(&text[token]) + " ").collect();
            assert_eq!(words(raw.as_bytes()), expected, "{raw}");
        }
        assert_eq!(words(b"a\xFFb \xE8\xA7x"), "a b x ");
    }

    #[test]
    fn whole_words_are_tokens() {
        for text in ["foo", "a foo_foo食foo xfoo foox éfoo foo\u{301} foo食", "foofoo foo"] {
            let found: Vec<_> = text.match_indices("foo").map(|(at, _)| at..at + 3).collect();
            let whole: Vec<_> = found.into_iter().filter(|at| is_whole(text, at)).collect();
            let expected: Vec<_> =
                tokens(text).filter(|token| &text[token.clone()] == "foo").collect();
            assert_eq!(whole, expected, "{text}");
        }
    }

    #[test]
    fn words_are_compared_folded() {
        assert!(is_same("FOO", "foo") && is_same("ΟΔΟΣ", &fold("οδος")) && !is_same("fo", "foo"));
        assert!(begins_with("FOObar", "foo") && !begins_with("fo", "foo"));
        assert!(begins_with("Ölkanne", "öl") && !begins_with("Ö", "öl"));
    }
}
