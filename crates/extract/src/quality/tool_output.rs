//! Long outputs of tools, cut in the middle.

use std::sync::Arc;

use crate::sample::{ChatMessage, ChatRole, Part};

/// Whether a message is the output of a tool that may be too long.
pub(crate) fn is_long(message: &ChatMessage, limit: usize) -> bool {
    let bytes: usize = texts(&message.content).map(str::len).sum();
    message.role == ChatRole::Tool && bytes > limit
}

/// A message with at most `limit` characters of its texts and a mark where the others were; as it
/// is if that would not be shorter.
pub(crate) fn shorten(message: &ChatMessage, limit: usize) -> Arc<ChatMessage> {
    let mut message = message.clone();
    if let Some(shorter) = shortened(&message.content, limit) {
        message.content = shorter;
    }
    Arc::new(message)
}

/// The beginning and the end of all texts together, as long as `limit` allows, and between them
/// how much was left out and of what. Images stay.
fn shortened(parts: &[Part], limit: usize) -> Option<Vec<Part>> {
    let chars: usize = texts(parts).map(|text| text.chars().count()).sum();
    let left_out = chars.checked_sub(limit).filter(|left_out| *left_out > 0)?;
    let whole = texts(parts).collect::<Vec<_>>().join("\n");
    let hash = blake3::hash(whole.as_bytes()).to_hex();
    let hash = &hash[..16];
    let mark = format!("\n[{left_out} of {chars} characters left out, blake3 {hash}]\n");
    if mark.chars().count() >= left_out {
        return None;
    }
    let (head, tail) = (limit.div_ceil(2), chars - limit / 2);
    let (mut shorter, mut passed, mut is_marked) = (Vec::new(), 0, false);
    for part in parts {
        let Part::Text(text) = part else {
            shorter.push(part.clone());
            continue;
        };
        let begin = &text[..byte_of(text, head.saturating_sub(passed))];
        let end = &text[byte_of(text, tail.saturating_sub(passed)).max(begin.len())..];
        passed += text.chars().count();
        let has_mark = !is_marked && passed > head;
        is_marked |= has_mark;
        let mark = if has_mark { mark.as_str() } else { "" };
        let kept = format!("{begin}{mark}{end}");
        if !kept.is_empty() {
            shorter.push(Part::Text(kept));
        }
    }
    Some(shorter)
}

fn texts(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Image { .. } => None,
    })
}

/// The place of a character; the end if there are not so many.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use pitree_testkit::Rng;

    use super::*;

    fn text(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    fn image() -> Part {
        Part::Image { mime_type: "image/png".to_owned(), data: Arc::new("iVBORw0KGgo=".to_owned()) }
    }

    #[test]
    fn a_long_output_keeps_its_ends() {
        let long = format!("begin {} end", "é".repeat(5000));
        let shorter = shortened(&[text(&long)], 100).unwrap();
        let shorter: String = texts(&shorter).collect();
        assert!(shorter.starts_with("begin éé") && shorter.ends_with("éé end"), "{shorter}");
        assert!(shorter.contains("\n[4910 of 5010 characters left out, blake3 "), "{shorter}");
        assert_eq!(shortened(&[text("short")], 5), None);
        assert_eq!(shortened(&[text(&"x".repeat(120))], 100), None, "the mark is longer");
    }

    #[test]
    fn the_blocks_of_an_output_are_counted_together() {
        let block = "abcdefgh".repeat(2000);
        let parts = [text(&block), image(), text(&block), text(&block)];
        let shorter = shortened(&parts, 16_000).unwrap();
        let [Part::Text(begin), kept, end] = &shorter[..] else { panic!("{shorter:?}") };
        assert!(begin.starts_with(&block[..8000]) && begin.contains("[32000 of 48000 "), "{begin}");
        assert_eq!((kept, end), (&image(), &text(&block[8000..])));
    }

    #[test]
    fn an_output_never_grows_and_keeps_what_the_limit_allows() {
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let parts: Vec<Part> = (0..rng.between(1, 4))
                .map(|_| match rng.below(5) {
                    0 => image(),
                    _ => text(&rng.pick(&["é", "a"]).repeat(rng.below(150))),
                })
                .collect();
            let limit = rng.below(300);
            let whole: String = texts(&parts).collect();
            let chars = whole.chars().count();
            let Some(shorter) = shortened(&parts, limit) else {
                assert!(chars < limit + 100, "seed {seed}: {chars} characters of {limit}");
                continue;
            };
            let images = |parts: &[Part]| parts.iter().filter(|it| **it == image()).count();
            assert_eq!(images(&shorter), images(&parts), "seed {seed}");
            let shorter: String = texts(&shorter).collect();
            assert!(shorter.chars().count() < chars, "seed {seed}");
            let (head, rest) = shorter.split_once("\n[").unwrap();
            let (_, tail) = rest.split_once("]\n").unwrap();
            assert_eq!(head.chars().count(), limit.div_ceil(2), "seed {seed}");
            assert_eq!(tail.chars().count(), limit / 2, "seed {seed}");
            assert!(whole.starts_with(head) && whole.ends_with(tail), "seed {seed}");
        }
    }
}
