//! A quick look at a raw line: whether it can be a hit at all.
//!
//! A line is JSON, so the text in it is spelled with escapes. The parts of the query that are
//! spelled in one way only are looked for as they are. A line in which ordinary characters are
//! spelled as escapes, which few programs do, is always looked at closely.

use std::cmp::Reverse;

use regex::bytes::{Regex, RegexBuilder};

use super::finder::{Finder, odd_escapes, rarity};
use super::json_regex::spelled;
use super::matcher::MOST_PLACES;
use super::query::Query;
use super::required::required;
use super::term::Term;

/// The quick look.
#[derive(Debug)]
pub(crate) struct Prefilter {
    admits: Admits,
    /// What finds each term; every line may hold one for which there is nothing.
    finders: Vec<Option<Vec<Finder>>>,
    /// The places of the terms, the rarest first.
    order: Vec<usize>,
    /// The spelling of a regular expression.
    expression: Option<Regex>,
    /// The names of the tools that are asked for.
    tools: Vec<Finder>,
    /// Whether a text that is found twice in an entry is found twice in its line.
    counts: bool,
}

/// Which lines are worth a closer look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admits {
    /// Those that may hold every term.
    All,
    /// Those that may hold one of them.
    Any,
    Everything,
}

/// A line, and what is known of it by now: of each term whether it may be there.
pub(super) struct Glance<'l> {
    pub(super) line: &'l [u8],
    known: u64,
    there: u64,
    has_odd_escapes: Option<bool>,
}

impl<'l> Glance<'l> {
    pub(super) fn new(line: &'l [u8]) -> Self {
        Self { line, known: 0, there: 0, has_odd_escapes: None }
    }
}

impl Prefilter {
    /// Admits the lines that may hold every term.
    pub(crate) fn all(query: &Query) -> Self {
        let needles: Vec<Option<Vec<String>>> = query.terms.iter().map(needles).collect();
        // Only regular expressions fold across alphabets.
        let counts = query.terms.iter().all(|term| term.literal().is_some());
        let finder = |needle: &String| Finder::new(needle, !counts);
        let finders = needles
            .iter()
            .map(|needles| needles.as_ref().map(|needles| needles.iter().map(finder).collect()));
        let mut order: Vec<usize> = (0..needles.len()).collect();
        order.sort_by_cached_key(|at| Reverse(needles[*at].as_deref().map(rarity)));
        let mut sources = query.terms.iter().filter_map(Term::source).filter_map(spelled);
        let expression = sources
            .next()
            .and_then(|source| RegexBuilder::new(&source).size_limit(64 << 20).build().ok());
        let tools = query.filters.tools.iter().map(|tool| Finder::new(tool, true)).collect();
        Self { admits: Admits::All, finders: finders.collect(), order, expression, tools, counts }
    }

    /// Admits the lines that may hold any one of the terms.
    pub(crate) fn any(query: &Query) -> Self {
        Self { admits: Admits::Any, ..Self::all(query) }
    }

    /// Admits every line.
    pub(crate) fn open(query: &Query) -> Self {
        Self { admits: Admits::Everything, ..Self::all(query) }
    }

    /// Whether a line may be a hit.
    pub(super) fn admits(&self, glance: &mut Glance<'_>) -> bool {
        match self.admits {
            Admits::Everything => true,
            _ if !self.may_be_of_tools(glance) => false,
            Admits::All => {
                self.order.iter().all(|at| self.may_hold(*at, glance))
                    && self.expression.as_ref().is_none_or(|expression| {
                        expression.is_match(glance.line) || glance.has_odd_escapes()
                    })
            }
            Admits::Any if self.order.is_empty() => true,
            Admits::Any => self.order.iter().any(|at| self.may_hold(*at, glance)),
        }
    }

    /// Whether one of the tools that are asked for may be named in a line.
    fn may_be_of_tools(&self, glance: &mut Glance<'_>) -> bool {
        let is_named = |tool: &Finder| tool.is_in(glance.line);
        self.tools.is_empty() || self.tools.iter().any(is_named) || glance.has_odd_escapes()
    }

    /// Whether a line may hold the term at a place.
    pub(super) fn may_hold(&self, at: usize, glance: &mut Glance<'_>) -> bool {
        let bit = 1_u64.checked_shl(at as u32).unwrap_or(0);
        if glance.known & bit == 0 {
            let line = glance.line;
            let is_in = |finders: &Vec<Finder>| finders.iter().any(|finder| finder.is_in(line));
            let is_there = self.finders[at].as_ref().is_none_or(is_in) || glance.has_odd_escapes();
            glance.known |= bit;
            if bit == 0 {
                return is_there;
            }
            glance.there |= if is_there { bit } else { 0 };
        }
        glance.there & bit != 0
    }

    /// Whether a line that is admitted may hold the rarest text at so many places.
    pub(crate) fn has_places(&self, line: &[u8], least: usize) -> bool {
        let Some(rarest) = self.order.first() else { return true };
        least < 2 || self.most_places(*rarest, line) >= least
    }

    /// At how many places a line may hold the term at a place; more than [`MOST_PLACES`] are not
    /// counted.
    pub(super) fn most_places(&self, at: usize, line: &[u8]) -> usize {
        match self.finders[at].as_deref() {
            Some([finder]) if self.counts => match finder.count(line, MOST_PLACES) {
                MOST_PLACES => MOST_PLACES,
                count => count + odd_escapes(line, MOST_PLACES - count),
            },
            _ if self.may_hold(at, &mut Glance::new(line)) => MOST_PLACES,
            _ => 0,
        }
    }
}

impl Glance<'_> {
    fn has_odd_escapes(&mut self) -> bool {
        let line = self.line;
        *self.has_odd_escapes.get_or_insert_with(|| odd_escapes(line, 1) > 0)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(query: &str, line: &str) -> bool {
        Prefilter::all(&Query::parse(query, 0).unwrap()).admits(&mut Glance::new(line.as_bytes()))
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
