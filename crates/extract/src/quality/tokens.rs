//! Exact token counts with the vocabulary `o200k_base`, which is part of the program.

use pitree_format::js::stringify;
use tiktoken_rs::o200k_base_singleton;

use crate::sample::ChatMessage;

/// Longer texts are counted in pieces, cut where a token never goes across.
const PIECE_BYTES: usize = 32 << 10;

/// The name of the vocabulary, for the card.
pub(crate) const VOCABULARY: &str = "o200k_base";

/// What chat formats add to each message for its role and its ends.
const MESSAGE_OVERHEAD: u64 = 4;

/// The tokens of a message: its text, thoughts, calls, and the marks around it. An image has those
/// of the word that stands for it.
pub(super) fn count_message(message: &ChatMessage) -> u64 {
    let mut tokens = MESSAGE_OVERHEAD + count(&message.written_text());
    tokens += message.thought().map_or(0, count);
    for call in &message.tool_calls {
        tokens += count(&call.name) + count(&stringify(&call.arguments));
    }
    tokens
}

/// The tokens of a text.
pub(super) fn count(mut text: &str) -> u64 {
    let vocabulary = o200k_base_singleton();
    let mut tokens = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(piece_end(text));
        tokens += vocabulary.count_ordinary(piece) as u64;
        text = rest;
    }
    tokens
}

/// Where to cut: behind a line feed if a word or a letter follows, for no token goes across it.
/// Text without such a place, such as a megabyte of one letter, is cut anywhere: to look for its
/// tokens as a whole takes time by the square of its length.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let head = &text.as_bytes()[..PIECE_BYTES];
    let is_boundary =
        |&at: &usize| head[at] == b'\n' && text.as_bytes()[at + 1].is_ascii_alphanumeric();
    match (PIECE_BYTES / 2..PIECE_BYTES).rev().find(is_boundary) {
        Some(at) => at + 1,
        None => (1..=PIECE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_tokens_of_the_whole() {
        let line = "fn main() { println!(\"héllo {}\", 1234567); }\n/// docs;\n\n    x\n";
        let text = line.repeat(3000);
        assert!(text.len() > 4 * PIECE_BYTES);
        assert_eq!(count(&text), o200k_base_singleton().count_ordinary(&text) as u64);
        assert_eq!(count("hello world"), 2);
    }

    #[test]
    fn odd_texts_are_counted_too() {
        for text in ["a", " ", "\n", "é", "\u{1F600}", "=-", "日本語"] {
            let long = text.repeat(100_000 / text.len());
            assert!(count(&long) > 0, "{text:?}");
        }
    }
}
