//! Finding a session by what was typed: Pi's query syntax and Pi's order.
//!
//! All words must match, each on its own: in the name, else in the id, the messages or the
//! directory, else, letter by letter, in the name or the directory. `"a phrase"` is one word, an
//! open quote is a plain character, `re:` makes the rest a regular expression. Less is better.
//!
//! Of the messages only the first is at hand; where the others hold a word is told by searches of
//! the store, which come later ([`Needle`]): a quick one of its index of words, then one that finds
//! it wherever it stands.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::JsString;
use pitree_store::{SessionFacts, search};
use regex::{Regex, RegexBuilder};

/// A step between what is found in a name, in a text, and letter by letter.
const TIER: f64 = 1_000_000.0;

/// More of a first message is left to the search of the store.
const MOST_TEXT: usize = 4096;

/// What was typed.
#[derive(Clone, Debug)]
pub(super) enum Query {
    /// Nothing: everything fits.
    Empty,
    /// Words and phrases.
    Words(Vec<Word>),
    /// A regular expression, or why it is none.
    Regex(Result<Regex, String>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Plain(String),
    Phrase(String),
}

/// What the store is asked for: the sessions whose messages hold it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Needle {
    Word(Word),
    /// The source of a regular expression.
    Regex(String),
}

/// The sessions whose messages hold a needle.
#[derive(Clone, Debug, Default)]
pub(super) struct NeedleMatches {
    pub(super) files: Arc<HashSet<PathBuf>>,
    /// Whether the index of words was asked.
    pub(super) by_words: bool,
    /// Whether all messages were looked at.
    pub(super) by_text: bool,
}

/// How well a session fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Less is better.
    pub(super) score: f64,
    /// Whether a word is nowhere in it as it was typed, only its letters in that order.
    pub(super) is_fuzzy: bool,
}

impl Fit {
    fn exact(score: f64) -> Self {
        Self { score, is_fuzzy: false }
    }

    fn and(self, other: Self) -> Self {
        Self { score: self.score + other.score, is_fuzzy: self.is_fuzzy || other.is_fuzzy }
    }
}

/// How the store is asked who holds a needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchMethod {
    /// By its index of words, which has summaries and labels too.
    Words,
    /// By the text of all messages, as Pi's picker looks.
    Text,
}

impl NeedleMatches {
    /// Whether there is nothing more to ask.
    pub(super) fn is_whole(&self) -> bool {
        self.by_words && self.by_text
    }
}

/// Tells whether a text fits.
type Look<'n> = Box<dyn Fn(&str) -> bool + Sync + 'n>;

/// What is known of needles.
pub(super) type MatchesByNeedle = HashMap<Needle, NeedleMatches>;

/// What is searched of a session, in lower case, made ready once.
#[derive(Clone, Debug)]
pub(super) struct Haystack {
    name: String,
    id: String,
    text: String,
    cwd: String,
}

impl Query {
    pub(super) fn parse(typed: &str) -> Self {
        let typed = typed.trim();
        if typed.is_empty() {
            return Self::Empty;
        }
        if let Some(source) = typed.strip_prefix("re:") {
            let source = source.trim();
            if source.is_empty() {
                return Self::Regex(Err("there is nothing behind re:".to_owned()));
            }
            return Self::Regex(regex_of(source).map_err(|error| last_line(&error.to_string())));
        }
        Self::Words(words_of(typed))
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Why nothing can be found.
    pub(super) fn problem(&self) -> Option<&str> {
        match self {
            Self::Regex(Err(reason)) => Some(reason),
            _ => None,
        }
    }

    /// What the store is to be asked for.
    pub(super) fn needles(&self) -> Vec<Needle> {
        match self {
            Self::Empty | Self::Regex(Err(_)) => Vec::new(),
            Self::Words(words) => words.iter().map(Word::needle).collect(),
            Self::Regex(Ok(regex)) => vec![Needle::regex(regex)],
        }
    }

    /// How well a session fits, if it does.
    pub(super) fn fit(
        &self,
        hay: &Haystack,
        path: &Path,
        matches: &MatchesByNeedle,
    ) -> Option<Fit> {
        let is_held = |needle: &Needle| {
            matches.get(needle).is_some_and(|matches| matches.files.contains(path))
        };
        match self {
            Self::Empty => Some(Fit::exact(0.0)),
            Self::Words(words) => {
                let mut all = words.iter().map(|word| word.fit(hay, &is_held));
                all.try_fold(Fit::exact(0.0), |all, one| Some(all.and(one?)))
            }
            Self::Regex(Err(_)) => None,
            Self::Regex(Ok(regex)) => {
                let found = |text: &str| regex.is_match(text);
                if found(&hay.name) {
                    return Some(Fit::exact(0.0));
                }
                let in_text = found(&hay.id) || found(&hay.text) || found(&hay.cwd);
                (in_text || is_held(&Needle::regex(regex))).then_some(Fit::exact(TIER))
            }
        }
    }
}

impl Word {
    fn fit(&self, hay: &Haystack, is_held: &impl Fn(&Needle) -> bool) -> Option<Fit> {
        let word = self.text();
        let spaced = |text| self.spaced(text);
        let name = spaced(&hay.name);
        if name.contains(word) {
            return Some(Fit::exact(letter_by_letter(word, &name).unwrap_or(0.0)));
        }
        let fields = [&hay.id, &hay.text, &hay.cwd];
        if fields.iter().any(|field| spaced(field).contains(word)) || is_held(&self.needle()) {
            return Some(Fit::exact(TIER));
        }
        if matches!(self, Self::Phrase(_)) {
            return None;
        }
        let fuzzy = [&hay.name, &hay.cwd].map(|field| letter_by_letter(word, field));
        let score = fuzzy.into_iter().flatten().reduce(f64::min)?;
        Some(Fit { score: 2.0 * TIER + score, is_fuzzy: true })
    }

    fn text(&self) -> &str {
        let (Self::Plain(text) | Self::Phrase(text)) = self;
        text
    }

    /// For a phrase all white space is alike.
    fn spaced<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Self::Plain(_) => text.into(),
            Self::Phrase(_) => with_plain_spaces(text).into(),
        }
    }

    fn needle(&self) -> Needle {
        Needle::Word(self.clone())
    }

    /// Whether a text holds it; the text is in lower case.
    fn is_in(&self, text: &str) -> bool {
        self.spaced(text).contains(self.text())
    }
}

impl Needle {
    fn regex(regex: &Regex) -> Self {
        Self::Regex(regex.as_str().to_owned())
    }

    /// The question to the index of words, which knows only whole words and their beginnings.
    pub(super) fn to_word_query(&self, now_ms: i64) -> Option<search::Query> {
        match self {
            Self::Word(Word::Plain(word)) if word.chars().all(char::is_alphanumeric) => {
                search::Query::parse(&format!("{word}*"), now_ms).ok()
            }
            _ => self.to_query(now_ms),
        }
    }

    /// What the lines must hold that are looked at closely, in the store's own syntax.
    pub(super) fn to_query(&self, now_ms: i64) -> Option<search::Query> {
        let query = match self {
            // An `İ` is two characters in lower case; only a close look can tell.
            Self::Word(word) if word.text().contains('\u{307}') => "re:.".to_owned(),
            Self::Word(word) => format!("\"{}\"", word.text()),
            Self::Regex(source) => format!("re:{source}"),
        };
        search::Query::parse(&query, now_ms).ok()
    }

    /// A look at the text of a message.
    pub(super) fn to_look(&self) -> Option<Look<'_>> {
        Some(match self {
            Self::Word(word) => Box::new(|text| word.is_in(&text.to_lowercase())),
            Self::Regex(source) => {
                let regex = regex_of(source).ok()?;
                Box::new(move |text| regex.is_match(text))
            }
        })
    }

    /// Whether whatever holds this holds the other one too.
    pub(super) fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word(Word::Plain(long)), Self::Word(Word::Plain(short))) => long.contains(short),
            _ => false,
        }
    }
}

fn regex_of(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).case_insensitive(true).build()
}

impl Haystack {
    pub(super) fn of(facts: &SessionFacts) -> Self {
        let text = |text: Option<&JsString>| {
            text.map(|text| text.to_text().to_lowercase()).unwrap_or_default()
        };
        let first = facts.first_message.as_ref().map(JsString::to_text).unwrap_or_default();
        let first = &first[..first.floor_char_boundary(MOST_TEXT)];
        Self {
            name: text(facts.name.as_ref()),
            id: facts.id.to_lowercase(),
            text: first.to_lowercase(),
            cwd: facts.cwd.to_lowercase(),
        }
    }
}

/// Cuts what was typed into words, in lower case. Quotes hold a phrase together; if one is left
/// open, none does.
fn words_of(typed: &str) -> Vec<Word> {
    let typed = typed.to_lowercase();
    if typed.matches('"').count() % 2 == 1 {
        return typed.split_whitespace().map(|word| Word::Plain(word.to_owned())).collect();
    }
    let mut words = Vec::new();
    for (at, part) in typed.split('"').enumerate() {
        if at % 2 == 0 {
            words.extend(part.split_whitespace().map(|word| Word::Plain(word.to_owned())));
        } else if !part.trim().is_empty() {
            words.push(Word::Phrase(with_plain_spaces(part)));
        }
    }
    words
}

fn with_plain_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What counts of a long message.
fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}

/// How well the letters of a word stand in this order in a text, as Pi counts it: in a row and at
/// the beginnings of words is good, gaps and late places are bad. Letters and digits may have
/// changed places (`3sonnet` for `sonnet3`). `None` if they do not stand there.
fn letter_by_letter(word: &str, text: &str) -> Option<f64> {
    if let Some(score) = subsequence(word, text) {
        return Some(score);
    }
    let letters_end = word.find(|c: char| !c.is_ascii_lowercase())?;
    let digits_end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (first, second) = word.split_at(letters_end.max(digits_end));
    let is_other = |c: char| {
        if letters_end > 0 { c.is_ascii_digit() } else { c.is_ascii_lowercase() }
    };
    let swapped =
        (!first.is_empty() && second.chars().all(is_other)).then(|| format!("{second}{first}"))?;
    subsequence(&swapped, text).map(|score| score + 5.0)
}

/// The best of the leftmost letters and of the whole word wherever it stands.
fn subsequence(word: &str, text: &str) -> Option<f64> {
    // Places are counted as JavaScript counts them.
    let letters: Vec<u16> = text.encode_utf16().collect();
    let word: Vec<u16> = word.encode_utf16().collect();
    if word.is_empty() {
        return Some(0.0);
    }
    let mut places = Vec::with_capacity(word.len());
    let mut next = 0;
    for letter in &word {
        let at = next + letters.get(next..)?.iter().position(|other| other == letter)?;
        places.push(at);
        next = at + 1;
    }
    let mut score = score_of(places.into_iter(), &letters);
    for (start, part) in letters.windows(word.len()).enumerate() {
        if part == word {
            score = score.min(score_of(start..start + word.len(), &letters));
        }
    }
    Some(if word == letters { score - 100.0 } else { score })
}

fn score_of(places: impl Iterator<Item = usize>, letters: &[u16]) -> f64 {
    let mut score = 0.0;
    let (mut next, mut run) = (0, 0);
    for at in places {
        // Nothing stands before the first letter, so at the very beginning it counts as a row.
        if at == next {
            run += 1;
            score -= f64::from(run) * 5.0;
        } else {
            run = 0;
            score += if next > 0 { (at - next) as f64 * 2.0 } else { 0.0 };
        }
        if at == 0 || begins_word_after(letters[at - 1]) {
            score -= 10.0;
        }
        score += at as f64 * 0.1;
        next = at + 1;
    }
    score
}

/// Whether a word begins behind this.
fn begins_word_after(unit: u16) -> bool {
    let c = char::from_u32(unit.into()).unwrap_or('x');
    c.is_whitespace() || "-_./:".contains(c)
}

#[cfg(test)]
mod against_pi;

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: &[&str]) -> Vec<Word> {
        words.iter().map(|word| Word::Plain((*word).to_owned())).collect()
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(words_of("Fix  the BUG"), plain(&["fix", "the", "bug"]));
        assert_eq!(words_of("say \"hi"), plain(&["say", "\"hi"]));
        assert_eq!(words_of(r#"a"B  c"d"#)[1], Word::Phrase("b c".to_owned()));
        assert_eq!(words_of(" \"\" "), Vec::new());
        assert!(Query::parse("  ").is_empty());
        assert!(Query::parse("re:").problem().is_some());
        assert!(Query::parse("re:(").problem().is_some());
        assert!(Query::parse("re:a|b").problem().is_none());
    }

    #[test]
    fn letters_and_digits_may_change_places() {
        assert!(letter_by_letter("3sonnet", "sonnet 3").is_some());
        assert!(letter_by_letter("sonnet3", "3 sonnet").is_some());
        assert_eq!(letter_by_letter("3-sonnet", "sonnet 3"), None);
        assert_eq!(letter_by_letter("longer than", "short"), None);
        assert_eq!(letter_by_letter("", "x"), Some(0.0));
    }

    #[test]
    fn a_text_that_the_store_found_counts_as_a_text() {
        let hay = Haystack {
            name: "sauce".to_owned(),
            id: "0a1b".to_owned(),
            text: "the weather".to_owned(),
            cwd: "/srv/kitchen".to_owned(),
        };
        let path = Path::new("/s/a.jsonl");
        let fit =
            |typed: &str, matches: &MatchesByNeedle| Query::parse(typed).fit(&hay, path, matches);
        let score =
            |typed: &str, matches: &MatchesByNeedle| fit(typed, matches).map(|fit| fit.score);
        let none = MatchesByNeedle::new();
        assert!(score("sauce", &none) < Some(0.0));
        assert_eq!(score("weather", &none), Some(TIER));
        assert_eq!(score("weather kitchen", &none), Some(2.0 * TIER));
        assert!(score("kchn", &none) > Some(TIER));
        let is_fuzzy = |typed| fit(typed, &none).unwrap().is_fuzzy;
        assert_eq!(["sauce", "kchn", "weather kchn"].map(is_fuzzy), [false, true, true]);
        assert_eq!(score("basil", &none), None);
        let needle = Query::parse("basil").needles().remove(0);
        let files = Arc::new(HashSet::from([path.to_owned()]));
        let matches = MatchesByNeedle::from([(
            needle,
            NeedleMatches { files, by_words: true, by_text: true },
        )]);
        assert_eq!(score("basil", &matches), Some(TIER));
        assert!(score("basil sauce", &matches) < Some(TIER));
    }
}
