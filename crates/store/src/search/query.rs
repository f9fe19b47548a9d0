//! What to look for: words, phrases, beginnings of words, a regular expression, and filters.

use std::collections::HashSet;

use pitree_session::Environment;
use thiserror::Error;

use super::filters::{FilterError, Filters};
use super::term::Term;
use crate::ledger::Zone;

/// A question to the store.
///
/// Words stand for themselves, all of them must be there, and case matters only for a word with a
/// capital letter. `"a phrase"` is taken whole, `begin*` is the beginning of a word, `re:` makes the
/// rest of the query a regular expression. Filters such as `role:user` narrow the search.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    pub(crate) terms: Vec<Term>,
    pub(crate) filters: Filters,
}

/// Why a query makes no sense.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// There is nothing to look for.
    #[error("the query is empty")]
    Empty,
    /// The regular expression cannot be read.
    #[error("the regular expression after `re:` is not valid: {0}")]
    Regex(String),
    /// A filter cannot be read.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl Query {
    /// Reads a query as its user means it: times such as `after:yesterday` are those of his clock.
    pub fn read(text: &str, environment: &Environment) -> Result<Self, QueryError> {
        Self::parse_in(text, environment.now_ms(), || Zone::of(environment))
    }

    /// Reads a query. Times are in UTC; spans such as `after:7d` count back from `now_ms`.
    pub fn parse(text: &str, now_ms: i64) -> Result<Self, QueryError> {
        Self::parse_in(text, now_ms, Zone::default)
    }

    fn parse_in(text: &str, now_ms: i64, zone: impl Fn() -> Zone) -> Result<Self, QueryError> {
        let text = text.trim();
        let parts = split(text, true).or_else(|| split(text, false)).unwrap_or_default();
        let mut terms = Vec::new();
        let mut filters = Filters::default();
        // A word that is typed twice counts once.
        let mut typed = HashSet::new();
        for part in parts {
            let term = match part {
                Part::Regex(source) => Some(Term::regex(source)?),
                Part::Phrase(phrase) => Term::phrase(phrase),
                Part::Word(word) if filters.take(word, now_ms, &zone)? => None,
                Part::Word(word) => Some(Term::word(word)),
            };
            terms.extend(term.filter(|term| typed.insert(term.to_string())));
        }
        if terms.is_empty() && filters.is_empty() {
            return Err(QueryError::Empty);
        }
        Ok(Self { text: text.to_owned(), terms, filters })
    }

    /// Whether there is anything to look for beside filters.
    pub fn has_terms(&self) -> bool {
        !self.terms.is_empty()
    }

    /// How many words, phrases and expressions it has.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// Whether it also has filters, such as `role:user`.
    pub fn has_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Whether case matters for a term: one with a capital letter.
    pub(crate) fn has_case(&self) -> bool {
        self.terms.iter().any(Term::has_case)
    }

    /// The same in any case.
    pub fn in_any_case(&self) -> Self {
        self.with_terms(self.terms.iter().map(Term::in_any_case).collect())
    }

    /// Other terms with the same filters.
    pub(crate) fn with_terms(&self, terms: Vec<Term>) -> Self {
        Self { terms, ..self.clone() }
    }

    /// The query as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

enum Part<'q> {
    Word(&'q str),
    Phrase(&'q str),
    Regex(&'q str),
}

/// Cuts a query into parts. A phrase begins with a quote at the beginning of a word and ends with
/// a quote at the end of one, so that quotes inside code stand for themselves. `None` if a phrase
/// does not end; then there are no phrases at all.
fn split(text: &str, phrases: bool) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(source) = rest.strip_prefix("re:") {
            parts.push(Part::Regex(source));
            break;
        }
        let used = if phrases && rest.starts_with('"') {
            let end = phrase_end(rest, 1)?;
            parts.push(Part::Phrase(&rest[1..end]));
            end + 1
        } else {
            let end = word_end(rest, phrases)?;
            parts.push(Part::Word(&rest[..end]));
            end
        };
        rest = rest[used..].trim_start();
    }
    Some(parts)
}

/// Where the quote is that ends the phrase which begins at `from`.
fn phrase_end(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('"').map(|(at, _)| from + at).find(|at| {
        let after = text[at + 1..].chars().next();
        *at > from && after.is_none_or(char::is_whitespace)
    })
}

/// Where a word ends. The value of a filter may be quoted: `cwd:"my project"`.
fn word_end(text: &str, phrases: bool) -> Option<usize> {
    let plain = text.find(char::is_whitespace).unwrap_or(text.len());
    match text[..plain].find(":\"") {
        Some(colon) if phrases && Filters::is_name(&text[..colon]) => {
            Some(phrase_end(text, colon + 2)? + 1)
        }
        _ => Some(plain),
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::date::format_iso;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        Query::parse(text, 0).unwrap().terms.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn parts_of_a_query() {
        assert_eq!(terms("fn foo( bar*"), ["fn", "foo(", "bar*"]);
        assert_eq!(terms("a \"b  c\" d"), ["a", "\"b c\"", "d"]);
        assert_eq!(terms("name=\"x y\" z"), ["name=\"x", "y\"", "z"]);
        assert_eq!(terms("\"say(\"hi\") now\""), ["\"say(\"hi\") now\""]);
        assert_eq!(terms("the the \"the\" The the*"), ["the", "\"the\"", "The", "the*"]);
        assert_eq!(terms("role:user re:a b \"c"), ["re:a b \"c"]);
        assert_eq!(terms("std::fs foo:bar --flag *"), ["std::fs", "foo:bar", "--flag", "*"]);
    }

    #[test]
    fn an_open_quote_is_plain_text() {
        assert_eq!(terms("\"open phrase"), ["\"open", "phrase"]);
        assert_eq!(terms("a \""), ["a", "\""]);
        assert_eq!(terms("a \"\""), ["a", "\"\""]);
    }

    /// Days are those of the user's clock, and begin where they do there.
    #[test]
    fn times_are_those_of_the_users_clock() {
        let now = 1_774_742_400_000; // 2026-03-29T00:00Z, two o'clock in the morning at +02:00.
        let environment = Environment::new("/", "/", move || now, |_| ()).with_zone(|_| 120);
        let iso = |ms: Option<i64>| format_iso(ms.unwrap());
        for (typed, begin) in [
            ("today", "2026-03-28T22:00"),
            ("yesterday", "2026-03-27T22:00"),
            ("last-week", "2026-03-15T22:00"),
            ("\"last week\"", "2026-03-15T22:00"),
            ("2026-W12", "2026-03-15T22:00"),
            ("2026-02-03", "2026-02-02T22:00"),
            ("2026-02-03T10:00Z", "2026-02-03T10:00"),
            ("12h", "2026-03-28T12:00"),
        ] {
            let query =
                Query::read(&format!("after:{typed} before:{typed}"), &environment).unwrap();
            let begin = format!("{begin}:00.000Z");
            assert_eq!(iso(query.filters.after), begin, "{typed}");
            assert_eq!(iso(query.filters.before), begin, "{typed}");
        }
    }

    #[test]
    fn a_filter_that_cannot_be_read_says_what_to_type() {
        for (typed, told) in [
            (
                "role:king",
                "role:king is not a role; type role:user, role:assistant, role:tool, role:bash, \
                 role:system, role:custom, role:summary, role:label or role:name, or \"role:king\" \
                 in quotes to find that text",
            ),
            (
                "on:off",
                "on:off is not a kind of branch; type on:active or on:abandoned, or \"on:off\" in \
                 quotes to find that text",
            ),
            ("tool:", "tool: has no value; type the name of a tool, such as tool:bash"),
            ("after:", "after: has no value; type a date or a time span, such as after:7d"),
        ] {
            assert_eq!(Query::parse(typed, 0).unwrap_err().to_string(), told);
        }
        let soon = Query::parse("after:soon", 0).unwrap_err().to_string();
        assert!(soon.starts_with("after:soon is not a date or a time; type a date (2026-02-03"));
        assert!(soon.contains("yesterday") && soon.contains(" after `after:`, or"), "{soon}");
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for bad in ["", "  ", "re:(", "re:", "role:king", "before:soon", "is:nice", "on:off"] {
            assert!(Query::parse(bad, 0).is_err(), "{bad}");
        }
        assert!(Query::parse("re:(a{1000}){1000}", 0).is_err());
        assert!(Query::parse("tool:", 0).is_err());
        assert!(Query::parse("role:user", 0).is_ok());
    }
}
