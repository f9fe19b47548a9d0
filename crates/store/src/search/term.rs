//! One thing to look for, and how it is found in a text.

use std::fmt;
use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::finder::Part;
use super::query::QueryError;
use super::words::{Standing, begins_with, fold, is_plain, is_same, is_whole, standing, tokens};

/// How large a compiled regular expression may become.
const MOST_REGEX_BYTES: usize = 4 << 20;

/// A text that is longer stands at few places, which an expression finds sooner.
const MOST_LETTERS: usize = 3;

/// So many places in one text are looked at, to tell how well a term stands there.
const MOST_LOOKED_AT: usize = 256;

/// One thing to look for.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    kind: Kind,
    /// The text, with single spaces; of a regular expression its source.
    text: String,
    /// Finds it anywhere in a text.
    anywhere: Regex,
    /// Finds a few English letters, in any case, quicker: texts are full of them.
    plain: Option<Part>,
    /// Its words, if it is nothing but words.
    words: Option<Vec<String>>,
    /// Whether case matters: somebody took the trouble to type a capital letter.
    has_case: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Phrase,
    Prefix,
    Regex,
}

impl Term {
    pub(crate) fn word(text: &str) -> Self {
        match text.strip_suffix('*').filter(|begin| !begin.is_empty()) {
            Some(begin) => Self::plain(Kind::Prefix, begin),
            None => Self::plain(Kind::Word, text),
        }
    }

    /// `None` for a phrase of nothing but spaces.
    pub(crate) fn phrase(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| Self::plain(Kind::Phrase, &words.join(" ")))
    }

    pub(crate) fn regex(source: &str) -> Result<Self, QueryError> {
        if source.trim().is_empty() {
            return Err(QueryError::Regex("it is empty".to_owned()));
        }
        let built =
            RegexBuilder::new(source).case_insensitive(true).size_limit(MOST_REGEX_BYTES).build();
        let anywhere = built.map_err(|error| QueryError::Regex(reason(&error)))?;
        Ok(Self {
            kind: Kind::Regex,
            text: source.to_owned(),
            anywhere,
            plain: None,
            words: None,
            has_case: false,
        })
    }

    fn plain(kind: Kind, text: &str) -> Self {
        Self::literally(kind, text, text.chars().any(char::is_uppercase))
    }

    /// The same in any case.
    pub(crate) fn in_any_case(&self) -> Self {
        if self.has_case { Self::literally(self.kind, &self.text, false) } else { self.clone() }
    }

    /// Whether case matters.
    pub(crate) fn has_case(&self) -> bool {
        self.has_case
    }

    /// Words with any ending, in any case; anything else as it is.
    pub(crate) fn as_prefix(&self) -> Self {
        match self.kind {
            Kind::Word => Self::literally(Kind::Prefix, &self.text, false),
            _ => self.in_any_case(),
        }
    }

    /// Whether it is a single word as it was typed.
    pub(crate) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    fn literally(kind: Kind, text: &str, has_case: bool) -> Self {
        let begins_word = text.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let start = if kind == Kind::Prefix && begins_word { r"\b{start}" } else { "" };
        let source = format!("{start}{}", spaced(text, has_case));
        let words = is_plain(text).then(|| tokens(text).map(|token| fold(&text[token])).collect());
        let is_plain = text.len() <= MOST_LETTERS && text.is_ascii() && !text.contains(' ');
        let is_plain = is_plain && !has_case && start.is_empty();
        let plain = is_plain.then(|| Part::new(text));
        Self { kind, text: text.to_owned(), anywhere: literal(&source), plain, words, has_case }
    }

    /// The text to look for, unless this is a regular expression.
    pub(crate) fn literal(&self) -> Option<&str> {
        (self.kind != Kind::Regex).then_some(&*self.text)
    }

    /// The source of a regular expression.
    pub(crate) fn source(&self) -> Option<&str> {
        (self.kind == Kind::Regex).then_some(&*self.text)
    }

    /// The words, if the term is nothing but words, and whether the last one is a beginning.
    pub(crate) fn words(&self) -> Option<(&[String], bool)> {
        self.words.as_deref().map(|words| (words, self.kind == Kind::Prefix))
    }

    /// At how many places the term stands in a text, by how it stands there: as whole words, at the
    /// beginning of one, and inside one. More than `most` whole ones are not counted.
    pub(crate) fn count(&self, text: &str, whole_words: bool, most: usize) -> [usize; 3] {
        let mut counts = [0; 3];
        if whole_words && self.words.is_some() {
            counts[0] = self.find(text, true, most).len();
            return counts;
        }
        let add = |place: Range<usize>| {
            let at = match self.kind {
                Kind::Regex => Standing::Whole,
                // That is what was asked for.
                Kind::Prefix => Standing::Whole,
                Kind::Word | Kind::Phrase => standing(text, &place),
            };
            counts[at as usize] += 1;
            counts[0] < most
        };
        // `all` stops where enough is counted.
        let _ = match &self.plain {
            Some(plain) => plain.find_iter(text.as_bytes()).take(MOST_LOOKED_AT).all(add),
            None => self.anywhere_in(text).take(MOST_LOOKED_AT).all(add),
        };
        counts
    }

    /// Whether it is a single letter of English, in any case.
    pub(crate) fn is_letter(&self) -> bool {
        self.plain.is_some() && self.text.len() == 1 && self.words.is_some()
    }

    /// How a letter stands in a text: as a word or the beginning of one, if it does so anywhere.
    pub(crate) fn best_standing(&self, text: &str) -> Option<Standing> {
        let places = self.plain.iter().flat_map(|plain| plain.find_iter(text.as_bytes()));
        let mut best = None;
        for place in places.take(MOST_LOOKED_AT) {
            let found = standing(text, &place);
            if found != Standing::Inside {
                return Some(found);
            }
            best = Some(found);
        }
        best
    }

    /// All places where it stands in a text, however.
    fn anywhere_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let found = self.anywhere.find_iter(text).map(|found| found.range());
        found.filter(|place| !place.is_empty())
    }

    /// Where the term stands in a text, the best places first.
    pub(crate) fn best_places(
        &self,
        text: &str,
        whole_words: bool,
        most: usize,
    ) -> Vec<Range<usize>> {
        let mut places = self.find(text, whole_words, MOST_LOOKED_AT);
        if matches!(self.kind, Kind::Word | Kind::Phrase) {
            places.sort_by_key(|place| standing(text, place));
        }
        places.truncate(most);
        places
    }

    /// Where the term stands in a text: anywhere, or, with `whole_words`, as whole words if it is
    /// made of words.
    pub(crate) fn find(&self, text: &str, whole_words: bool, most: usize) -> Vec<Range<usize>> {
        match self.words() {
            // One word of English letters is found faster as it stands.
            Some(([word], false)) if whole_words && word.is_ascii() => {
                let found = self.anywhere.find_iter(text).map(|found| found.range());
                found.filter(|place| is_whole(text, place)).take(most).collect()
            }
            Some((words, prefix)) if whole_words => {
                let mut found = find_words(text, words, prefix, most);
                found
                    .retain(|place| !self.has_case || self.anywhere.is_match(&text[place.clone()]));
                found
            }
            _ => self.anywhere_in(text).take(most).collect(),
        }
    }
}

/// A source that matches a text, white space of any length between words.
fn spaced(text: &str, has_case: bool) -> String {
    let part = |part: &str| {
        // Letters of English have no relatives elsewhere; `k` is no sign for Kelvin here.
        let flags = match (has_case, part.is_ascii()) {
            (true, _) => return regex::escape(part),
            (false, true) => "i-u",
            (false, false) => "i",
        };
        format!("(?{flags}:{})", regex::escape(part))
    };
    let parts: Vec<String> = text.split(' ').map(part).collect();
    parts.join(r"\s+")
}

/// Finds several terms in a row as they were typed; `None` for a single one, or if that cannot be
/// told.
pub(crate) fn as_typed(terms: &[Term]) -> Option<Regex> {
    let texts: Option<Vec<&str>> = terms.iter().map(Term::literal).collect();
    let texts = texts.filter(|texts| texts.len() > 1)?;
    let words: Vec<String> = terms.iter().map(|term| spaced(&term.text, term.has_case)).collect();
    let source = words.join(r"\s+");
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (texts[0].chars().next(), texts[texts.len() - 1].chars().next_back());
    let open = terms.last().is_some_and(|term| term.kind == Kind::Prefix);
    let start = if edge(first) { r"\b{start-half}" } else { "" };
    let end = if edge(last) && !open { r"\b{end-half}" } else { "" };
    Some(literal(&format!("{start}{source}{end}")))
}

/// An expression of escaped text, which can only fail to build by being too large.
fn literal(source: &str) -> Regex {
    let never = || Regex::new(r"[^\s\S]");
    #[allow(clippy::expect_used, reason = "a constant expression")]
    RegexBuilder::new(source)
        .size_limit(64 << 20)
        .build()
        .or_else(|_| never())
        .expect("a class without members is an expression")
}

fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}

fn find_words(text: &str, words: &[String], prefix: bool, most: usize) -> Vec<Range<usize>> {
    let is = |token: &Range<usize>, at: usize| {
        let (token, word) = (&text[token.clone()], &*words[at]);
        let open = prefix && at + 1 == words.len();
        if open { begins_with(token, word) } else { is_same(token, word) }
    };
    let all: Vec<Range<usize>> = tokens(text).collect();
    all.windows(words.len().max(1))
        .filter(|window| window.iter().enumerate().all(|(at, token)| is(token, at)))
        .take(most)
        .map(|window| window[0].start..window[window.len() - 1].end)
        .collect()
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Word => write!(f, "{}", self.text),
            Kind::Phrase => write!(f, "\"{}\"", self.text),
            Kind::Prefix => write!(f, "{}*", self.text),
            Kind::Regex => write!(f, "re:{}", self.text),
        }
    }
}
