//! Words that everybody uses, so that one of them alone is not taken for a secret.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::names::words;

/// Words of four letters and more that the documentation of many programs has.
const ENGLISH: &str = include_str!("rules/english.txt");

/// Parts that are shorter are in no dictionary: `my`, `the`, `id`.
const SHORTEST: usize = 4;

/// Whether a word, in any spelling, is one that everybody uses.
pub(crate) fn is_word(word: &[u8]) -> bool {
    static WORDS: OnceLock<HashSet<&'static [u8]>> = OnceLock::new();
    let all = WORDS.get_or_init(|| ENGLISH.split_ascii_whitespace().map(str::as_bytes).collect());
    word.is_ascii() && all.contains(word.to_ascii_lowercase().as_slice())
}

/// Whether a text consists of nothing but such words, however they are joined: `production`,
/// `my-project`, `getUserName`.
pub(crate) fn is_words_alone(text: &[u8]) -> bool {
    let is_plain = text.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_. /:".contains(byte));
    let (mut known, mut short) = (0, 0);
    is_plain
        && words(text).all(|word| match word.len() {
            0..SHORTEST => {
                short += word.len();
                true
            }
            length => {
                known += length;
                is_word(word)
            }
        })
        && known >= short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_any_spelling_and_however_they_are_joined() {
        for text in ["production", "Production", "my-project", "getUserName", "the secret key"] {
            assert!(is_words_alone(text.as_bytes()), "{text}");
        }
        for text in ["lemontree", "lemon-tree-7", "q7zk", "Winter2024", "kgSochiqjOO"] {
            assert!(!is_words_alone(text.as_bytes()), "{text}");
        }
    }
}
