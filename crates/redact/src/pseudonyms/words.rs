//! Names of users and hosts as words of a text.

use aho_corasick::AhoCorasick;

use super::{is_digits, is_nobody};
use crate::dictionary::is_word;
use crate::rules::Shape;
use crate::scan::Hit;

/// Shorter names stand in texts that do not mean them.
const SHORTEST: usize = 3;

/// Names that are words of their own, or words of what is written: replaced wherever they stand
/// they would tear holes into texts that do not mean anybody.
const COMMON: &str = "\
    agent agents alpha api art assistant backup bash beta bin bot build builder cache card \
    characters chase chat claude client cloud code coder codex command content context core \
    custom data database demo deploy desktop dev developer docker docs drew entry example faith \
    file frank function grace guest hope host image index info invalid jenkins json jsonl laptop \
    linux local mac machine mail main mark master max message messages model name office omitted \
    output path pi postgres project prompt provided python reply result results role rose rust \
    sample script server service session sessions summary system test tester text tool tools \
    train type value will worker www";

/// Names of people that are in the dictionary, since texts have them, and mean nothing else.
const GIVEN: &str = "brad john josh martin matt mike nick peter";

/// How far is looked for the ends of a run of base64.
const FARTHEST: usize = 512;

/// A run of base64 that is at least so long is data.
const SHORTEST_DATA: usize = 256;

/// Whether a name means somebody wherever it stands.
pub(super) fn is_telling(name: &str) -> bool {
    name.chars().count() >= SHORTEST
        && !is_nobody(name)
        && !COMMON.split(' ').any(|word| name.eq_ignore_ascii_case(word))
}

/// Whether the name of a user is a word of the language, of which texts are full.
pub(super) fn is_of_language(user: &str) -> bool {
    is_word(user.as_bytes()) && !GIVEN.split(' ').any(|given| user.eq_ignore_ascii_case(given))
}

pub(super) fn find(finder: &AhoCorasick, rules: &[&'static str], text: &str, hits: &mut Vec<Hit>) {
    for found in finder.find_overlapping_iter(text) {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        if is_word_at(before, after) && !is_in_data(before.as_bytes(), after.as_bytes()) {
            let rule = rules[found.pattern().as_usize()];
            hits.push(Hit::redact(rule, Shape::Known, found.range()));
        }
    }
}

/// Whether what stands between two texts is a whole word, and no pseudonym's beginning.
pub(super) fn is_word_at(before: &str, after: &str) -> bool {
    let is_pseudonym = after
        .as_bytes()
        .strip_prefix(b"-")
        .is_some_and(|digits| digits.get(..8).is_some_and(is_digits));
    !before.ends_with(char::is_alphanumeric)
        && !after.starts_with(char::is_alphanumeric)
        && !is_pseudonym
}

/// Whether a place lies in a run of base64. A path has the same letters, but no plus sign.
fn is_in_data(before: &[u8], after: &[u8]) -> bool {
    let is_data = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/');
    let before = before.iter().rev().take(FARTHEST).take_while(is_data);
    let after = after.iter().take(FARTHEST).take_while(is_data);
    let (mut length, mut has_plus) = (0, false);
    for byte in before.chain(after) {
        length += 1;
        has_plus |= *byte == b'+';
    }
    length >= SHORTEST_DATA && has_plus
}
