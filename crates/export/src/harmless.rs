//! Text from session files made harmless for a terminal and for a page.
//!
//! A session holds whatever a model or a web page said, escape sequences included. Nothing of it
//! is shown before control characters, marks that reorder text and letters that nobody sees are
//! replaced.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// How long the code of a region in a flag is: a country and a part of it.
const FLAG_CODE: RangeInclusive<usize> = 3..=6;

/// Text for one line: white space becomes a space, anything dangerous becomes `�`.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    replaced(text, harmless_on_a_line)
}

/// The beginning of a text for one line, without white space around it: at most so many
/// characters, and a mark where it is cut. The rest of a long text is not looked at, and a flag is
/// not cut in two.
pub fn clean_beginning(text: &str, most: usize) -> String {
    if let Some(beginning) = plain_beginning(text, most) {
        return beginning;
    }
    let mut parts = parts(text, harmless_on_a_line).skip_while(Part::is_space).peekable();
    let (mut beginning, mut room) = (String::new(), most);
    while let Some(part) = parts.next_if(|part| part.chars() <= room) {
        room -= part.chars();
        part.push_to(&mut beginning);
    }
    if parts.all(|part| part.is_space()) {
        beginning.truncate(beginning.trim_end().len());
    } else {
        beginning.push('…');
    }
    beginning
}

/// The same for a text that begins with ASCII, as most do, without a look at each character; `None`
/// for any other text.
fn plain_beginning(text: &str, most: usize) -> Option<String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let is_plain = |byte: &u8| byte.is_ascii_graphic() || is_space(byte);
    let start = text.bytes().position(|byte| !is_space(&byte))?;
    let bytes = &text.as_bytes()[start..];
    let (head, rest) = bytes.split_at(bytes.len().min(most));
    if !head.iter().all(is_plain) {
        return None;
    }
    let on_a_line = |byte: &u8| char::from(if is_space(byte) { b' ' } else { *byte });
    let mut beginning: String = head.iter().map(on_a_line).collect();
    match rest.iter().find(|byte| !is_space(byte)) {
        Some(next) if next.is_ascii_graphic() => beginning.push('…'),
        Some(_) => return None,
        None => beginning.truncate(beginning.trim_end().len()),
    }
    Some(beginning)
}

fn harmless_on_a_line(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' => ' ',
        c => harmless(c),
    }
}

/// Text for several lines: line feeds and tabs stay.
pub fn clean_block(text: &str) -> Cow<'_, str> {
    replaced(text, |c| if c == '\n' || c == '\t' { c } else { harmless(c) })
}

fn harmless(c: char) -> char {
    if is_harmless(c) { c } else { char::REPLACEMENT_CHARACTER }
}

/// Whether a character can be shown: it controls nothing, reorders nothing, ends no line and is
/// not an invisible copy of ASCII.
pub fn is_harmless(c: char) -> bool {
    let reorders = matches!(
        c,
        '\u{061C}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
    );
    // U+2028 and U+2029 are line ends for some terminals and pagers.
    let separates = matches!(c, '\u{2028}' | '\u{2029}');
    // Annotations: what stands between these marks is shown above the text, or not at all.
    let annotates = matches!(c, '\u{FFF9}'..='\u{FFFB}');
    // Tag characters: a whole text can be hidden in them that a model reads and nobody sees.
    let hides = matches!(c, '\u{E0000}'..='\u{E007F}');
    !(c.is_control() || reorders || separates || annotates || hides)
}

/// Most text is fine as it is and is not copied.
fn replaced(text: &str, with: impl Fn(char) -> char) -> Cow<'_, str> {
    let mut from = 0;
    while let Some(at) = next_suspect(text.as_bytes(), from) {
        match text[at..].chars().next() {
            Some(c) if with(c) == c => from = at + c.len_utf8(),
            _ => {
                let mut out = String::with_capacity(text.len());
                parts(text, with).for_each(|part| part.push_to(&mut out));
                return Cow::Owned(out);
            }
        }
    }
    Cow::Borrowed(text)
}

/// So many bytes are looked at before one is looked for among them: that takes one comparison of
/// them all for each kind of byte.
const BLOCK: usize = 32;

/// Where the next character begins that may have to be replaced.
fn next_suspect(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    let has_any = |block: &&[u8]| block.iter().fold(false, |any, byte| any | is_suspect(*byte));
    let clean = rest.chunks(BLOCK).take_while(|block| !has_any(block)).count() * BLOCK;
    let at = rest.get(clean..)?.iter().position(|byte| is_suspect(*byte))?;
    Some(from + clean + at)
}

/// Every character that is ever replaced is a control character of one byte, or begins with one of
/// these bytes. No character goes on with any of them.
fn is_suspect(byte: u8) -> bool {
    (byte < 0x20)
        | (byte == 0x7F)
        | (byte == 0xC2)
        | (byte == 0xD8)
        | (byte == 0xE2)
        | (byte == 0xEF)
        | (byte == 0xF3)
}

/// What is shown as one: a character that was made harmless, or the flag of a region as it is.
enum Part<'t> {
    Char(char),
    Flag(&'t str),
}

impl Part<'_> {
    fn is_space(&self) -> bool {
        matches!(self, Self::Char(c) if c.is_whitespace())
    }

    fn chars(&self) -> usize {
        match self {
            Self::Char(_) => 1,
            Self::Flag(flag) => flag.chars().count(),
        }
    }

    fn push_to(&self, out: &mut String) {
        match self {
            Self::Char(c) => out.push(*c),
            Self::Flag(flag) => out.push_str(flag),
        }
    }
}

/// The parts of a text, its characters replaced by `with`.
fn parts<'t>(text: &'t str, with: impl Fn(char) -> char) -> impl Iterator<Item = Part<'t>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let flag = flag_len(rest);
        let (first, others) = rest.split_at(flag.max(c.len_utf8()));
        rest = others;
        Some(if flag > 0 { Part::Flag(first) } else { Part::Char(with(c)) })
    })
}

/// How many bytes the flag of a region takes that a text begins with, as those of England and
/// Wales do; 0 if it begins with none. Such a flag is a black one, the region's code in tag
/// characters, and the tag that ends it. A code is short, so no text hides in it.
fn flag_len(text: &str) -> usize {
    let Some(tags) = text.strip_prefix('\u{1F3F4}') else { return 0 };
    let is_code = |c: &char| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let code = tags.chars().take_while(is_code).count();
    let ends = tags.chars().nth(code) == Some('\u{E007F}');
    let is_flag = ends && FLAG_CODE.contains(&code);
    if is_flag { '\u{1F3F4}'.len_utf8() * (code + 2) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_teeth() {
        assert_eq!(
            clean_line("a\u{1b}[31mb\nc\u{9b}2J\u{202e}d"),
            "a\u{FFFD}[31mb c\u{FFFD}2J\u{FFFD}d"
        );
        assert_eq!(clean_line("a\u{E0068}\u{E0069}\u{E007F}b"), "a\u{FFFD}\u{FFFD}\u{FFFD}b");
        assert_eq!(clean_line("a\u{FFF9}b\u{FFFA}c\u{FFFB}！"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}！");
        assert_eq!(clean_block("a\tb\nc\r"), "a\tb\nc\u{FFFD}");
    }

    #[test]
    fn flags_of_regions_are_shown_and_hide_nothing() {
        let tags = |code: &str| {
            code.chars()
                .map(|c| char::from_u32(0xE0000 + u32::from(c)).unwrap())
                .collect::<String>()
        };
        for code in ["gbeng", "gbsct", "gbwls", "usca"] {
            let flag = format!("a \u{1F3F4}{}\u{E007F} b", tags(code));
            assert_eq!(clean_line(&flag), flag);
            assert_eq!(clean_line(&format!("{flag}\n")), format!("{flag} "));
        }
        let hidden = |text: &str| clean_block(text).chars().filter(|c| !is_harmless(*c)).count();
        for (code, end) in [("gbeng", ""), ("", "\u{E007F}"), ("ignore all", "\u{E007F}")] {
            for base in ["\u{1F3F4}", "", "x"] {
                let text = format!("{base}{}{end}", tags(code));
                assert_eq!(hidden(&text), 0, "{text:?}");
            }
        }
        assert_eq!(hidden(&format!("x{}\u{E007F}", tags("gbeng"))), 0, "not behind a flag");
    }

    #[test]
    fn a_beginning_has_whole_flags() {
        let wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
        let text = format!(" {wales} and more");
        assert_eq!(clean_beginning(&text, 11), format!("{wales} and…"));
        assert_eq!(clean_beginning(&text, 7), format!("{wales}…"));
        assert_eq!(clean_beginning(&text, 6), "…");
        assert_eq!(clean_beginning(&text, 99), clean_line(&text).trim());
    }

    #[test]
    fn a_beginning_is_that_of_the_clean_line() {
        let parts = ["", " ", "\n", "a", "ab\t", "é\u{1b}", "\u{b}", "\u{2028}x", "\u{2003}"];
        for (a, b, c, d) in in_all_orders(&parts) {
            let text = format!("{a}{b}{c}{d}");
            let clean = clean_line(&text);
            for most in 0..6 {
                let expected = match clean.trim().char_indices().nth(most) {
                    None => clean.trim().to_owned(),
                    Some((end, _)) => format!("{}…", &clean.trim()[..end]),
                };
                assert_eq!(clean_beginning(&text, most), expected, "{text:?} {most}");
            }
        }
    }

    fn in_all_orders<'a>(
        parts: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a str, &'a str)> {
        let count = parts.len();
        (0..count.pow(4)).map(move |at| {
            let part = |place: u32| parts[at / count.pow(place) % count];
            (part(0), part(1), part(2), part(3))
        })
    }

    #[test]
    fn it_does_not_matter_where_in_a_text_something_stands() {
        for before in 0..70 {
            for (bad, good) in
                [("\u{1b}", "\u{FFFD}"), ("\u{202e}", "\u{FFFD}"), ("…", "…"), ("\n", " ")]
            {
                let text =
                    |middle: &str| format!("{}é{middle}…{}", "a".repeat(before), "b".repeat(9));
                assert_eq!(clean_line(&text(bad)), text(good));
            }
        }
    }

    #[test]
    fn the_quick_look_misses_nothing() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let line = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { harmless(c) };
            assert_eq!(clean_line(&text), line.to_string(), "{c:?}");
        }
    }
}
