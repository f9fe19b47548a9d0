//! Finding sessions of a list by what was typed: the query syntax and the order of Pi's picker.
//!
//! All words must match, each on its own: in the name, else in the id, the messages or the
//! directory, else, letter by letter, in the name or the directory. `"a phrase"` is one word, an
//! open quote is a plain character, `re:` makes the rest a regular expression. Less is better.
//!
//! Of the messages only the first is at hand. Which sessions hold a word in the others is for the
//! caller to find out ([`Needle`]).

use std::borrow::Cow;

use pitree_format::JsString;
use regex::{Regex, RegexBuilder};

use crate::facts::SessionFacts;
use crate::search;

/// A step between what is found in a name, in a text, and letter by letter.
const TIER: f64 = 1_000_000.0;

/// What was typed.
#[derive(Clone, Debug)]
pub enum PickerQuery {
    /// Nothing: everything fits.
    Empty,
    /// Words and phrases.
    Words(Vec<PickerWord>),
    /// A regular expression, or why it cannot be read.
    Regex(Result<Regex, String>),
}

/// One word of a query, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PickerWord {
    /// A word as it was typed.
    Plain(String),
    /// What was in quotes, with single spaces.
    Phrase(String),
}

/// What to look for in the messages of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Needle {
    /// A word or a phrase.
    Word(PickerWord),
    /// The source of a regular expression.
    Regex(String),
}

/// How well a session fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Pi's score; less is better.
    pub score: f64,
    /// The sum over the words of where each was found: 0 in the name, 1 in a text, 2 letter by
    /// letter. Less is better, and equals are equally good answers.
    pub tiers: u32,
    /// Whether a word is nowhere in it as it was typed, only its letters in that order.
    pub is_fuzzy: bool,
}

impl Fit {
    const PERFECT: Self = Self { score: 0.0, tiers: 0, is_fuzzy: false };
    const IN_TEXT: Self = Self { score: TIER, tiers: 1, is_fuzzy: false };

    fn and(self, other: Self) -> Self {
        Self {
            score: self.score + other.score,
            tiers: self.tiers + other.tiers,
            is_fuzzy: self.is_fuzzy || other.is_fuzzy,
        }
    }
}

/// Tells whether a text fits.
type Look<'n> = Box<dyn Fn(&str) -> bool + Sync + 'n>;

/// What is searched of a session, in lower case, made ready once.
#[derive(Clone, Debug)]
pub struct Haystack {
    name: String,
    id: String,
    text: String,
    cwd: String,
}

impl PickerQuery {
    /// Reads what was typed.
    pub fn parse(typed: &str) -> Self {
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

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Why nothing can be found.
    pub fn problem(&self) -> Option<&str> {
        match self {
            Self::Regex(Err(reason)) => Some(reason),
            _ => None,
        }
    }

    /// What the store is to be asked for.
    pub fn needles(&self) -> Vec<Needle> {
        match self {
            Self::Empty | Self::Regex(Err(_)) => Vec::new(),
            Self::Words(words) => words.iter().map(PickerWord::needle).collect(),
            Self::Regex(Ok(regex)) => vec![Needle::regex(regex)],
        }
    }

    /// How well a session fits, if it does. `is_held` knows whether its messages hold a needle.
    pub fn fit(&self, hay: &Haystack, is_held: impl Fn(&Needle) -> bool) -> Option<Fit> {
        match self {
            Self::Empty => Some(Fit::PERFECT),
            Self::Words(words) => {
                let mut all = words.iter().map(|word| word.fit(hay, &is_held));
                all.try_fold(Fit::PERFECT, |all, one| Some(all.and(one?)))
            }
            Self::Regex(Err(_)) => None,
            Self::Regex(Ok(regex)) => {
                let found = |text: &str| regex.is_match(text);
                if found(&hay.name) {
                    return Some(Fit::PERFECT);
                }
                let in_text = found(&hay.id) || found(&hay.text) || found(&hay.cwd);
                (in_text || is_held(&Needle::regex(regex))).then_some(Fit::IN_TEXT)
            }
        }
    }
}

impl PickerWord {
    fn fit(&self, hay: &Haystack, is_held: &impl Fn(&Needle) -> bool) -> Option<Fit> {
        let word = self.text();
        let spaced = |text| self.spaced(text);
        let name = spaced(&hay.name);
        if name.contains(word) {
            let score = letter_by_letter(word, &name).unwrap_or(0.0);
            return Some(Fit { score, ..Fit::PERFECT });
        }
        let fields = [&hay.id, &hay.text, &hay.cwd];
        if fields.iter().any(|field| spaced(field).contains(word)) || is_held(&self.needle()) {
            return Some(Fit::IN_TEXT);
        }
        if matches!(self, Self::Phrase(_)) {
            return None;
        }
        let fuzzy = [&hay.name, &hay.cwd].map(|field| letter_by_letter(word, field));
        let score = fuzzy.into_iter().flatten().reduce(f64::min)?;
        Some(Fit { score: 2.0 * TIER + score, tiers: 2, is_fuzzy: true })
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
    pub fn to_word_query(&self, now_ms: i64) -> Option<search::Query> {
        match self {
            Self::Word(PickerWord::Plain(word)) if word.chars().all(char::is_alphanumeric) => {
                search::Query::parse(&format!("{word}*"), now_ms).ok()
            }
            _ => self.to_query(now_ms),
        }
    }

    /// What the lines must hold that are looked at closely, in the store's own syntax.
    pub fn to_query(&self, now_ms: i64) -> Option<search::Query> {
        let query = match self {
            // An `İ` is two characters in lower case; only a close look can tell.
            Self::Word(word) if word.text().contains('\u{307}') => "re:.".to_owned(),
            Self::Word(word) => format!("\"{}\"", word.text()),
            Self::Regex(source) => format!("re:{source}"),
        };
        search::Query::parse(&query, now_ms).ok()
    }

    /// A look at the text of a message.
    pub fn to_look(&self) -> Option<Look<'_>> {
        Some(match self {
            Self::Word(word) => Box::new(|text| word.is_in(&text.to_lowercase())),
            Self::Regex(source) => {
                let regex = regex_of(source).ok()?;
                Box::new(move |text| regex.is_match(text))
            }
        })
    }

    /// Whether whatever holds this holds the other one too.
    pub fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word(PickerWord::Plain(long)), Self::Word(PickerWord::Plain(short))) => {
                long.contains(short)
            }
            _ => false,
        }
    }
}

fn regex_of(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).case_insensitive(true).build()
}

impl Haystack {
    /// What is known of a session, at most so many bytes of its first message.
    pub fn of(facts: &SessionFacts, most_text: usize) -> Self {
        let name = facts.name.as_ref().map(JsString::to_text).unwrap_or_default();
        let first = facts.first_message.as_ref().map(JsString::to_text).unwrap_or_default();
        let first = &first[..first.floor_char_boundary(most_text)];
        Self::new(&name, &facts.id, first, &facts.cwd)
    }

    /// The parts of a session, in any case.
    pub fn new(name: &str, id: &str, text: &str, cwd: &str) -> Self {
        let [name, id, text, cwd] = [name, id, text, cwd].map(str::to_lowercase);
        Self { name, id, text, cwd }
    }
}

/// Cuts what was typed into words, in lower case. Quotes hold a phrase together; if one is left
/// open, none does.
fn words_of(typed: &str) -> Vec<PickerWord> {
    let typed = typed.to_lowercase();
    if typed.matches('"').count() % 2 == 1 {
        return typed.split_whitespace().map(|word| PickerWord::Plain(word.to_owned())).collect();
    }
    let mut words = Vec::new();
    for (at, part) in typed.split('"').enumerate() {
        if at % 2 == 0 {
            words.extend(part.split_whitespace().map(|word| PickerWord::Plain(word.to_owned())));
        } else if !part.trim().is_empty() {
            words.push(PickerWord::Phrase(with_plain_spaces(part)));
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
pub fn letter_by_letter(word: &str, text: &str) -> Option<f64> {
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
mod tests {
    use super::*;

    fn plain(words: &[&str]) -> Vec<PickerWord> {
        words.iter().map(|word| PickerWord::Plain((*word).to_owned())).collect()
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(words_of("Fix  the BUG"), plain(&["fix", "the", "bug"]));
        assert_eq!(words_of("say \"hi"), plain(&["say", "\"hi"]));
        assert_eq!(words_of(r#"a"B  c"d"#)[1], PickerWord::Phrase("b c".to_owned()));
        assert_eq!(words_of(" \"\" "), Vec::new());
        assert!(PickerQuery::parse("  ").is_empty());
        assert!(PickerQuery::parse("re:").problem().is_some());
        assert!(PickerQuery::parse("re:(").problem().is_some());
        assert!(PickerQuery::parse("re:a|b").problem().is_none());
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
        let hay = Haystack::new("Sauce", "0a1b", "the weather", "/srv/kitchen");
        let basil = PickerQuery::parse("basil").needles().remove(0);
        let fit = |typed: &str, is_basil_held: bool| {
            PickerQuery::parse(typed).fit(&hay, |needle| is_basil_held && *needle == basil)
        };
        let score = |typed: &str, held: bool| fit(typed, held).map(|fit| fit.score);
        assert!(score("sauce", false) < Some(0.0));
        assert_eq!(score("weather", false), Some(TIER));
        assert_eq!(score("weather kitchen", false), Some(2.0 * TIER));
        assert!(score("kchn", false) > Some(TIER));
        let typed = ["sauce", "kchn", "weather kchn"];
        assert_eq!(typed.map(|typed| fit(typed, false).unwrap().is_fuzzy), [false, true, true]);
        assert_eq!(typed.map(|typed| fit(typed, false).unwrap().tiers), [0, 2, 3]);
        assert_eq!(score("basil", false), None);
        assert_eq!(score("basil", true), Some(TIER));
        assert!(score("basil sauce", true) < Some(TIER));
    }
}
