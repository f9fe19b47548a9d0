//! Long outputs of tools, cut in the middle.

use std::sync::Arc;

use pitree_redact::{cut_after, cut_before};
use pitree_sample::{ChatMessage, ChatRole, Part};

use crate::guard::Guard;

/// Whether a message is the output of a tool that may be too long.
pub(crate) fn is_long(message: &ChatMessage, limit: usize) -> bool {
    let bytes: usize = texts(&message.content).map(str::len).sum();
    message.role == ChatRole::Tool && bytes > limit
}

/// A message with at most `limit` characters of its texts and a mark where the others were; as it
/// is if that would not be shorter. The guard looks at what was cut: half a harmless text may look
/// like a secret.
pub(crate) fn shorten(message: &ChatMessage, limit: usize, guard: &dyn Guard) -> Arc<ChatMessage> {
    let mut message = message.clone();
    if let Some(mut shorter) = shortened(&message.content, limit) {
        for part in &mut shorter {
            if let Part::Text(text) = part
                && let Some(other) = guard.redact_text(text)
            {
                *text = other;
            }
        }
        message.content = shorter;
    }
    Arc::new(message)
}

/// The beginning and the end of all texts together, as long as `limit` allows, and between them
/// how much was left out and of what. Images stay, and no placeholder is cut.
fn shortened(parts: &[Part], limit: usize) -> Option<Vec<Part>> {
    let chars: usize = texts(parts).map(|text| text.chars().count()).sum();
    chars.checked_sub(limit).filter(|left_out| *left_out > 0)?;
    let (head, tail) = (limit.div_ceil(2), chars - limit / 2);
    let mut passed = 0;
    let kept = |text: &str| {
        let begin = cut_before(text, byte_of(text, head.saturating_sub(passed)));
        let end = cut_after(text, byte_of(text, tail.saturating_sub(passed)));
        passed += text.chars().count();
        (begin, end.max(begin), passed > head)
    };
    let kept: Vec<(usize, usize, bool)> = texts(parts).map(kept).collect();
    let cut = texts(parts).zip(&kept).map(|(text, (begin, end, _))| &text[*begin..*end]);
    let left_out: usize = cut.map(|text| text.chars().count()).sum();
    let whole = texts(parts).collect::<Vec<_>>().join("\n");
    let hash = blake3::hash(whole.as_bytes()).to_hex();
    let hash = &hash[..16];
    let mark = format!("\n[{left_out} of {chars} characters left out, blake3 {hash}]\n");
    if mark.chars().count() >= left_out {
        return None;
    }
    let (mut kept, mut mark) = (kept.into_iter(), Some(mark));
    let shorter = parts.iter().filter_map(|part| {
        let Part::Text(text) = part else { return Some(part.clone()) };
        let (begin, end, is_behind) = kept.next()?;
        let mark = mark.take_if(|_| is_behind).unwrap_or_default();
        let kept = format!("{}{mark}{}", &text[..begin], &text[end..]);
        (!kept.is_empty()).then_some(Part::Text(kept))
    });
    Some(shorter.collect())
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
    use std::collections::HashSet;

    use pitree_format::Value;
    use pitree_format::js::stringify;
    use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
    use pitree_testkit::Rng;

    use super::*;
    use crate::guard::{Redacting, Seen};
    use crate::quality::testing::message;

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

    /// What stands for secrets and names in a text, also if only a part of it does.
    fn replaced(text: &str) -> impl Iterator<Item = &str> {
        let end = |start: usize| match text[start..].starts_with("REDACTED:") {
            true => text[start..].find(']').map_or(text.len(), |at| start + at),
            false => text.len().min(start + "user-01234567".len()),
        };
        let begins = ["REDACTED:", "user-", "mail-"].into_iter();
        begins.flat_map(move |begin| {
            text.match_indices(begin).map(move |(start, _)| &text[start..end(start)])
        })
    }

    /// Whatever the limit, what was replaced is there whole or not at all, and nothing that is left
    /// looks like a secret.
    #[test]
    fn a_cut_leaves_nothing_for_the_second_scan() {
        let pseudonyms = Pseudonyms { homes: true, emails: true, ..Pseudonyms::default() };
        let redactor = Redactor::new(Key::new([7; Key::LEN]), Literals::default(), pseudonyms);
        let guard = Redacting::new(redactor);
        let piece = "a/Users/annabelle/x /home/ubuntu/y joe.bloggs@corp.net noreply@corp.net \
                     https://bob:kd83jfhs72kdpw@db.corp.net/x export API_TOKEN=your-api-key-here\n";
        let clean = guard.redact_text(&piece.repeat(8)).unwrap();
        let known: HashSet<&str> = replaced(&clean).collect();
        assert_eq!(known.len(), 3, "{known:?}");
        let message = message(ChatRole::Tool, &clean);
        for limit in 0..clean.chars().count() {
            let Some(shorter) = shortened(&[text(&clean)], limit) else { continue };
            let cut: String = texts(&shorter).collect();
            assert!(replaced(&cut).all(|it| known.contains(it)), "{limit}: {cut}");
            let shorter = shorten(&message, limit, &guard);
            let cut: String = texts(&shorter.content).collect();
            let line = stringify(&Value::text(cut));
            assert_eq!(guard.leak(line.as_bytes(), &mut Seen::default()), None, "{limit}: {line}");
        }
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
