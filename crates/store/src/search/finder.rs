//! Finds the spelling of a text in raw lines, in any case.
//!
//! Of a text in English letters the two rarest bytes are looked for, at many places at once, and
//! compared with what stands around them. What cannot be told so is left to a regular expression.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr2_iter, memmem};
use regex::bytes::{Regex, RegexBuilder};

use super::json_regex::spell;

/// At so many places a text is looked for at once.
const AT_ONCE: usize = 64;

/// How escapes of characters begin.
static ESCAPE: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(br"\u"));

/// How common the rarest three bytes of a needle are.
fn rarest(needle: &str) -> Option<u32> {
    let bytes = needle.as_bytes();
    let common = |at: usize| bytes[at..at + 3].iter().map(|byte| commonness(*byte)).sum();
    let places = (0..bytes.len().saturating_sub(2)).filter(|at| needle.is_char_boundary(*at));
    places.map(common).min()
}

/// How well it pays to look for one of these texts: as well as for the most common of them.
pub(super) fn rarity(needles: &[String]) -> u32 {
    // Three bytes add up to 30 at most; fewer than three are worse than any.
    let one = |needle: &String| match rarest(needle) {
        Some(common) => 100 - common,
        None => needle.len() as u32,
    };
    needles.iter().map(one).min().unwrap_or(0)
}

/// How often a byte stands in sessions, roughly.
fn commonness(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b' ' | b'e' | b't' => 10,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' => 9,
        b'c' | b'd' | b'f' | b'h' | b'l' | b'm' | b'p' | b'u' => 7,
        b'_' | b'b' | b'g' | b'v' | b'w' | b'y' | b'"' | b'.' | b',' | b'(' | b')' | b':' => 6,
        b'-' | b'/' | b'\\' | b'=' | b'k' | b'x' | b'0'..=b'9' => 5,
        b'j' | b'q' | b'z' => 2,
        _ => 3,
    }
}

/// Finds a text in lines.
#[derive(Debug)]
pub(super) struct Finder {
    part: Option<Part>,
    /// What finds it, if it is more than the part.
    whole: Option<Regex>,
}

/// A text, or a part of one, that is spelled in one way only, but for the case of English letters.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// In small letters.
    text: Vec<u8>,
    /// Its two rarest bytes.
    rare: [RareByte; 2],
}

/// A byte of a text: where it is, and what it is once the bit that tells the case of a letter is set.
#[derive(Clone, Copy, Debug)]
struct RareByte {
    at: usize,
    byte: u8,
    case: u8,
}

impl Finder {
    /// With `folds` letters of other alphabets are taken for English ones that they resemble.
    pub(super) fn new(text: &str, folds: bool) -> Self {
        let folds = folds || !text.is_ascii();
        let resembles = |c: char| folds && matches!(c, 'k' | 'K' | 's' | 'S');
        let varies = |c: char| !c.is_ascii() || matches!(c, '"' | '\\' | '/') || resembles(c);
        let parts = text.split(varies).filter(|part| !part.is_empty());
        let best = parts.max_by_key(|part| rarity(&[(*part).to_owned()]));
        let is_whole = best.is_some_and(|part| part.len() == text.len());
        let flags = if folds { "i" } else { "i-u" };
        let whole = || RegexBuilder::new(&format!("(?{flags}:{})", spell(text))).build().ok();
        Self { part: best.map(Part::new), whole: if is_whole { None } else { whole() } }
    }

    pub(super) fn is_in(&self, line: &[u8]) -> bool {
        self.part.as_ref().is_none_or(|part| part.find(line, 0).is_some())
            && self.whole.as_ref().is_none_or(|whole| whole.is_match(line))
    }

    /// At how many places the text stands in a line; more than `most` are not counted.
    pub(super) fn count(&self, line: &[u8], most: usize) -> usize {
        if let Some(whole) = &self.whole {
            return whole.find_iter(line).take(most).count();
        }
        let Some(part) = &self.part else { return most };
        let (mut from, mut count) = (0, 0);
        while count < most
            && let Some(start) = part.find(line, from)
        {
            (from, count) = (start + part.text.len(), count + 1);
        }
        count
    }
}

impl Part {
    /// Of a text that is not empty.
    pub(super) fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase().into_bytes();
        let mut places: Vec<usize> = (0..text.len()).collect();
        places.sort_by_key(|at| commonness(text[*at]));
        let rare = [places[0], *places.get(1).unwrap_or(&places[0])].map(|at| {
            let case = if text[at].is_ascii_lowercase() { 0x20 } else { 0 };
            RareByte { at, byte: text[at], case }
        });
        Self { text, rare }
    }

    /// Where it stands in a text that is full of it, one place after the other.
    pub(super) fn find_iter<'t>(
        &'t self,
        text: &'t [u8],
    ) -> impl Iterator<Item = Range<usize>> + 't {
        let RareByte { at, byte, .. } = self.rare[0];
        let mut free = 0;
        memchr2_iter(byte, byte.to_ascii_uppercase(), text).filter_map(move |found| {
            let start = found.checked_sub(at).filter(|start| *start >= free)?;
            let end = start + self.text.len();
            text.get(start..end)?.eq_ignore_ascii_case(&self.text).then(|| free = end)?;
            Some(start..end)
        })
    }

    /// Where it begins, from a place on.
    fn find(&self, line: &[u8], from: usize) -> Option<usize> {
        let end = (line.len() + 1).checked_sub(self.text.len())?;
        let mut at = from;
        while at + AT_ONCE <= end {
            if self.may_begin_near(line, at)
                && let Some(start) = self.first_of(line, at..at + AT_ONCE)
            {
                return Some(start);
            }
            at += AT_ONCE;
        }
        if end > AT_ONCE && at < end && !self.may_begin_near(line, end - AT_ONCE) {
            return None;
        }
        self.first_of(line, at..end)
    }

    /// Whether the two bytes stand where they should for one of the next places. The compiler makes
    /// it a few instructions for many places, so there is no way out of the loop.
    #[inline]
    fn may_begin_near(&self, line: &[u8], at: usize) -> bool {
        let [first, second] = self.rare;
        let (Some(a), Some(b)) = (
            line.get(at + first.at..).and_then(<[u8]>::first_chunk::<AT_ONCE>),
            line.get(at + second.at..).and_then(<[u8]>::first_chunk::<AT_ONCE>),
        ) else {
            return true;
        };
        let mut found = 0;
        for place in 0..AT_ONCE {
            let is_first = u8::from(a[place] | first.case == first.byte);
            found |= is_first & u8::from(b[place] | second.case == second.byte);
        }
        found != 0
    }

    fn first_of(&self, line: &[u8], mut places: Range<usize>) -> Option<usize> {
        let [first, second] = self.rare;
        places.find(|start| {
            let is_there = |rare: RareByte| line[start + rare.at] | rare.case == rare.byte;
            is_there(first)
                && is_there(second)
                && line[*start..][..self.text.len()].eq_ignore_ascii_case(&self.text)
        })
    }
}

/// At how many places of a line an ordinary character is spelled as an escape, up to `most`: any
/// text may stand there.
pub(super) fn odd_escapes(line: &[u8], most: usize) -> usize {
    // A code below 32 is the usual spelling of a control character.
    let digit = |digit: &u8, least: u8| digit.is_ascii_hexdigit() && *digit >= least;
    let is_odd = |code: &[u8]| match code {
        [b'0', b'0', third, ..] => digit(third, b'2'),
        [b'0', second, ..] => digit(second, b'1'),
        [first, ..] => digit(first, b'1'),
        [] => false,
    };
    let codes = ESCAPE.find_iter(line).map(|at| &line[at + 2..]);
    codes.filter(|code| is_odd(code)).take(most).count()
}

#[cfg(test)]
mod tests {
    use pitree_testkit::Rng;

    use super::*;

    /// Pieces of which texts and lines are made, so that they meet.
    const PIECES: [&str; 12] =
        ["a", "B", "z", "k", "\u{212a}", "ſ", "s", "/", "\"", "\\", "é", " "];

    #[test]
    fn a_finder_finds_what_an_expression_finds() {
        let mut rng = Rng::new(pitree_testkit::seed());
        let mut texts = |most| -> String {
            (0..rng.between(1, most)).map(|_| PIECES[rng.below(PIECES.len())]).collect()
        };
        let mut found = 0;
        for case in 0..3_000 {
            let (text, line, folds) = (texts(3), texts(12), case % 2 == 0);
            let line = line.replace('\\', r"\\").replace('"', "\\\"");
            let flags = if folds || !text.is_ascii() { "i" } else { "i-u" };
            let expression = Regex::new(&format!("(?{flags}:{})", spell(&text))).unwrap();
            let finder = Finder::new(&text, folds);
            let expected = expression.find_iter(line.as_bytes()).count();
            assert_eq!(finder.is_in(line.as_bytes()), expected > 0, "{text:?} {line:?} {folds}");
            assert_eq!(finder.count(line.as_bytes(), 99), expected, "{text:?} {line:?} {folds}");
            found += usize::from(expected > 0);
        }
        assert!(found > 300, "{found}");
    }

    #[test]
    fn the_places_of_a_text_are_those_of_an_expression() {
        let mut rng = Rng::new(pitree_testkit::seed());
        let (mut most, pieces) = (0, ["a", "A", "b", "é", " ", "(", "ſ"]);
        for _ in 0..1_000 {
            let mut texts = |most, pieces: &[&str]| -> String {
                (0..rng.between(1, most)).map(|_| pieces[rng.below(pieces.len())]).collect()
            };
            let (text, within) = (texts(3, &["a", "B", "("]), texts(12, &pieces));
            let expression = format!("(?i-u:{})", regex::escape(&text));
            let expression = Regex::new(&expression).unwrap();
            let expected: Vec<_> =
                expression.find_iter(within.as_bytes()).map(|found| found.range()).collect();
            let found: Vec<_> = Part::new(&text).find_iter(within.as_bytes()).collect();
            assert_eq!(found, expected, "{text:?} in {within:?}");
            most = most.max(found.len());
        }
        assert!(most > 2, "{most}");
    }

    #[test]
    fn ordinary_characters_as_escapes() {
        for (line, count) in [
            (r"\u0041 \u0141 \u4141", 3),
            (r"\u001b \u000a \u \u0 \u00 \ux \u00", 0),
            (r"\u002", 1),
            ("plain", 0),
        ] {
            assert_eq!(odd_escapes(line.as_bytes(), 9), count, "{line}");
        }
    }
}
