//! A quick look at a raw line: whether it can be a hit at all.
//!
//! A line is JSON, so the text in it is spelled with escapes. The parts of the query that are
//! spelled in one way only are looked for as they are. A line in which ordinary characters are
//! spelled as escapes, which few programs do, is always looked at closely.

use regex::bytes::{Regex, RegexBuilder};

use super::query::Query;
use super::required::required;
use super::term::Term;

/// `\u` before a code at or above 32, which may stand for any character of the query.
const ODD_ESCAPE: &str = r"\\u(?:00[2-9a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])";

/// The quick look; without an expression every line may be a hit.
#[derive(Debug)]
pub(crate) struct Prefilter(Option<Regex>);

impl Prefilter {
    /// What the lines with hits must hold. Of several terms the longest text is looked for.
    pub(crate) fn new(query: &Query) -> Self {
        let needles = query.terms.iter().filter_map(needles);
        let shortest = |needles: &Vec<String>| needles.iter().map(String::len).min().unwrap_or(0);
        let Some(needles) = needles.max_by_key(shortest) else { return Self(None) };
        // Only regular expressions fold across alphabets.
        let flags = |needle: &str| {
            let plain = query.terms.iter().all(|term| term.literal().is_some());
            if plain && needle.is_ascii() { "i-u" } else { "i" }
        };
        let spelled =
            needles.iter().map(|needle| format!("(?{}:{})", flags(needle), spell(needle)));
        let spelled: Vec<String> = spelled.chain([ODD_ESCAPE.to_owned()]).collect();
        Self(RegexBuilder::new(&spelled.join("|")).size_limit(64 << 20).build().ok())
    }

    /// Whether a line may be a hit.
    pub(crate) fn admits(&self, line: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|expression| expression.is_match(line))
    }
}

/// Texts of which every hit of the term holds one; `None` if there are none to be had.
fn needles(term: &Term) -> Option<Vec<String>> {
    let texts = match (term.literal(), term.source()) {
        (Some(text), _) => vec![text.to_owned()],
        (None, Some(source)) => required(source)?,
        (None, None) => return None,
    };
    texts.iter().map(|text| longest_part(text)).collect()
}

/// The longest part that is spelled in one way only: without white space, control characters and
/// the sign that stands for damaged text.
fn longest_part(text: &str) -> Option<String> {
    let splits = |c: char| c.is_whitespace() || c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let parts = text.split(splits).filter(|part| !part.is_empty());
    parts.max_by_key(|part| part.len()).map(str::to_owned)
}

/// A text as an expression for its spelling in JSON.
fn spell(text: &str) -> String {
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
