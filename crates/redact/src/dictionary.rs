//! Words that everybody uses, so that one of them alone is not taken for a secret.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::names::words;

/// Words of four letters and more that the documentation of many programs has.
const ENGLISH: &str = include_str!("rules/english.txt");

/// Parts that are shorter are in no dictionary: `my`, `the`, `id`.
const SHORTEST: usize = 4;

/// How many letters there are.
const LETTERS: usize = 26;

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

/// How well letters can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reading {
    /// Letters drawn by lot.
    Hardly,
    /// As code: some parts may be abbreviations.
    Mostly,
    /// Every part.
    Throughout,
}

/// Whether the parts of a text are spelled as words are, also as those that are in no dictionary:
/// of the groups of three letters in them, three of five stand in a word of the dictionary. Of
/// letters drawn by lot one group of six does.
pub(crate) fn reading(text: &[u8]) -> Reading {
    let is_read = |known: usize, groups: usize| 5 * known >= 3 * groups;
    let (mut long, mut short, mut known, mut groups) = (0, 0, 0, 0);
    let mut is_each_read = true;
    for word in words(text) {
        if word.len() < SHORTEST {
            short += word.len();
            continue;
        }
        let of_word = word.windows(3).filter(|group| is_in_words(group)).count();
        is_each_read &= is_read(of_word, word.len() - 2);
        long += word.len();
        known += of_word;
        groups += word.len() - 2;
    }
    match is_read(known, groups) && long >= short {
        true if is_each_read && long >= 2 * short => Reading::Throughout,
        true => Reading::Mostly,
        false => Reading::Hardly,
    }
}

/// Whether three letters, in any spelling, stand in a word of the dictionary.
fn is_in_words(group: &[u8]) -> bool {
    static GROUPS: OnceLock<Vec<bool>> = OnceLock::new();
    let number = |group: &[u8]| {
        let letter = |sum: usize, byte: &u8| {
            let place = byte.to_ascii_lowercase().wrapping_sub(b'a');
            (place < LETTERS as u8).then(|| sum * LETTERS + usize::from(place))
        };
        group.iter().try_fold(0, letter)
    };
    let all = GROUPS.get_or_init(|| {
        let mut all = vec![false; LETTERS.pow(3)];
        for word in ENGLISH.split_ascii_whitespace() {
            word.as_bytes().windows(3).filter_map(number).for_each(|group| all[group] = true);
        }
        all
    });
    number(group).is_some_and(|group| all[group])
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

    #[test]
    fn words_can_be_read_also_if_they_are_in_no_dictionary() {
        assert_eq!(reading(b"TransformersModelForCausalLMOutput"), Reading::Throughout);
        assert_eq!(reading(b"GazeInputSourcePreview"), Reading::Mostly);
        assert_eq!(reading(b"mGouaMtgoIyygxwvfNFXGrpv"), Reading::Hardly);
        assert_eq!(reading(b"q7Zk-2mPx-9LwT"), Reading::Hardly);
    }
}
