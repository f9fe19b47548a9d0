//! A quick look at a raw line: whether it can be a hit at all.
//!
//! A line is JSON, so the text in it is spelled with escapes. The parts of the query that are
//! spelled in one way only are looked for as they are. A line in which ordinary characters are
//! spelled as escapes, which few programs do, is always looked at closely.

use regex::bytes::{Regex, RegexBuilder};

use super::json_regex::spelled;
use super::query::Query;
use super::required::required;
use super::term::Term;

/// `\u` before a code at or above 32, which may stand for any character of the query.
const ODD_ESCAPE: &str = r"\\u(?:00[2-9a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])";

/// The quick look; without an expression every line may be a hit.
#[derive(Debug)]
pub(crate) struct Prefilter {
    /// Looks for the rest of a needle from its rarest letters on, which is fast.
    rare: Option<Regex>,
    /// Looks for the whole of it.
    whole: Option<Regex>,
    /// Whether a text that is found twice in an entry is found twice in its line.
    counts: bool,
}

impl Prefilter {
    /// What the lines with hits must hold. Of several terms the rarest text is looked for.
    pub(crate) fn new(query: &Query) -> Self {
        let needles = query.terms.iter().filter_map(needles);
        let mut sources = query.terms.iter().filter_map(Term::source).filter_map(spelled);
        let expression = sources.next().and_then(|source| build(vec![source]));
        let Some(needles) = needles.max_by_key(|needles| rarity(needles)) else {
            return Self { rare: None, whole: expression, counts: false };
        };
        let plain = is_plain(query);
        let spelling = |needle: &str| spelling(needle, plain);
        let rare = build(needles.iter().map(|needle| spelling(from_rarest(needle))).collect());
        let whole = || build(needles.iter().map(|needle| spelling(needle)).collect());
        Self { rare, whole: expression.or_else(whole), counts: plain }
    }

    /// What the lines must hold that have any one of the terms.
    pub(crate) fn any(query: &Query) -> Self {
        let needles: Option<Vec<Vec<String>>> = query.terms.iter().map(needles).collect();
        let Some(needles) = needles.filter(|needles| !needles.is_empty()) else {
            return Self::open();
        };
        let plain = is_plain(query);
        let spellings = needles.iter().flatten().map(|needle| spelling(needle, plain));
        Self { whole: build(spellings.collect()), ..Self::open() }
    }

    /// Admits every line.
    pub(crate) fn open() -> Self {
        Self { rare: None, whole: None, counts: false }
    }

    /// Whether a line may be a hit.
    pub(crate) fn admits(&self, line: &[u8]) -> bool {
        let admits = |look: &Option<Regex>| look.as_ref().is_none_or(|look| look.is_match(line));
        admits(&self.rare) && admits(&self.whole)
    }

    /// Whether a line that is admitted may hold the text at so many places.
    pub(crate) fn has_places(&self, line: &[u8], least: usize) -> bool {
        let has = |whole: &Regex| whole.find_iter(line).take(least).count() == least;
        least < 2 || !self.counts || self.whole.as_ref().is_none_or(has)
    }
}

/// Finds the lines that may hold a term of a query, and its places in them; `None` if every line
/// may.
pub(crate) fn term_finder(query: &Query, term: &Term) -> Option<Regex> {
    let plain = is_plain(query);
    build(needles(term)?.iter().map(|needle| spelling(needle, plain)).collect())
}

/// Whether there is nothing but words and phrases. Only regular expressions fold across alphabets.
fn is_plain(query: &Query) -> bool {
    query.terms.iter().all(|term| term.literal().is_some())
}

/// The expression for a needle.
fn spelling(needle: &str, plain: bool) -> String {
    let flags = if plain && needle.is_ascii() { "i-u" } else { "i" };
    format!("(?{flags}:{})", spell(needle))
}

/// One expression for all of these and for odd escapes.
fn build(mut sources: Vec<String>) -> Option<Regex> {
    sources.push(ODD_ESCAPE.to_owned());
    RegexBuilder::new(&sources.join("|")).size_limit(64 << 20).build().ok()
}

/// Texts of which every hit of the term holds one; `None` if there are none to be had.
fn needles(term: &Term) -> Option<Vec<String>> {
    match (term.literal(), term.source()) {
        // A space of a phrase stands for white space of any kind.
        (Some(text), _) => Some(vec![longest_part(text, char::is_whitespace)?]),
        (None, Some(source)) => {
            required(source)?.iter().map(|text| longest_part(text, |_| false)).collect()
        }
        (None, None) => None,
    }
}

/// The longest part that is spelled in one way only: without control characters and the sign
/// that stands for damaged text.
fn longest_part(text: &str, splits: fn(char) -> bool) -> Option<String> {
    let odd = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let parts = text.split(|c| splits(c) || odd(c)).filter(|part| !part.is_empty());
    parts.max_by_key(|part| part.len()).map(str::to_owned)
}

/// The needle from those three bytes on that are the rarest together.
fn from_rarest(needle: &str) -> &str {
    rarest(needle).map_or(needle, |(_, at)| &needle[at..])
}

/// How common the rarest three bytes of a needle are, and where they stand.
fn rarest(needle: &str) -> Option<(u32, usize)> {
    let bytes = needle.as_bytes();
    let common = |at: usize| bytes[at..at + 3].iter().map(|byte| commonness(*byte)).sum();
    let places = (0..bytes.len().saturating_sub(2)).filter(|at| needle.is_char_boundary(*at));
    places.map(|at| (common(at), at)).min()
}

/// How well it pays to look for one of these texts: as well as for the most common of them.
pub(crate) fn rarity(needles: &[String]) -> u32 {
    // Three bytes add up to 30 at most; fewer than three are worse than any.
    let one = |needle: &String| match rarest(needle) {
        Some((common, _)) => 100 - common,
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

/// A text as an expression for its spelling in JSON.
pub(crate) fn spell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str(r#"\\""#),
            '\\' => out.push_str(r"\\\\"),
            // Some programs escape it.
            '/' => out.push_str(r"\\?/"),
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(query: &str, line: &str) -> bool {
        Prefilter::new(&Query::parse(query, 0).unwrap()).admits(line.as_bytes())
    }

    #[test]
    fn spellings() {
        assert!(admits("foo", "xFOOx") && !admits("foo", "fo"));
        assert!(admits("a/b", r"a\/B") && admits("a/b", "a/b"));
        assert!(admits("say\"hi\"", r#"say\"hi\""#) && !admits("say\"hi\"", "say"));
        assert!(admits(r"C:\dir", r"c:\\Dir"));
        assert!(admits("解析", "解析") && admits("解析", r"\u89e3") && !admits("解析", "解"));
        assert!(admits("foo", r"\u0066oo") && !admits("foo", r"\u001b[0m"));
        assert!(admits("\"one two\"", r"x one\ntwo"));
        assert!(admits("re:fo+bar", "fooobar") && !admits("re:fo+bar", "fooo"));
        assert!(admits("re:.*", ""));
    }
}
