//! What a word is: a run of letters and digits. A sign of Chinese, Japanese, Korean or Thai is a
//! word of its own, since these are written without spaces.

use std::ops::Range;

/// The words of a text, by their places.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.by_ref().find(|(_, c)| is_word_char(*c))?;
        let mut end = start + first.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            if stands_alone(first) || stands_alone(c) || !is_word_char(c) {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        Some(start..end)
    })
}

/// Whether a text is nothing but words and spaces.
pub(crate) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| is_word_char(c) || c == ' ') && tokens(text).next().is_some()
}

/// Appends the words of a text in lower case, each followed by a space.
pub(crate) fn push_words(text: &str, out: &mut String) {
    out.reserve(text.len() + 1);
    if text.is_ascii() {
        return push_ascii_words(text.as_bytes(), out);
    }
    for token in tokens(text) {
        out.push_str(&text[token].to_lowercase());
        out.push(' ');
    }
}

/// The same without the detours that other scripts need.
fn push_ascii_words(text: &[u8], out: &mut String) {
    for word in text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        out.extend(word.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
        out.push(' ');
    }
}

fn is_word_char(c: char) -> bool {
    // A combining accent belongs to the letter before it.
    c.is_ascii_alphanumeric()
        || (!c.is_ascii() && (c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c)))
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

    #[test]
    fn words_of_a_text() {
        let words = |text: &str| {
            let mut out = String::new();
            push_words(text, &mut out);
            out
        };
        assert_eq!(words("Foo_bar a-b.rs"), "foo bar a b rs ");
        assert_eq!(words("das Öl 解析器x 3.5"), "das öl 解 析 器 x 3 5 ");
        assert_eq!(words(" \n--"), "");
        assert!(is_plain("foo bar") && !is_plain("foo_bar") && !is_plain(" "));
    }
}
