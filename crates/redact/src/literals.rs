//! Secrets whose values are known: from the user's key files and environment files.

use std::fmt;

use crate::base64;
use crate::finder::Finder;
use crate::names::{Secrecy, secrecy};
use crate::public::is_place;
use crate::random::is_worded;
use crate::rules::{Ruleset, Shape};
use crate::scan::{Action, Context, Hit, find};
use crate::spellings::{out_of_link, spellings};
use crate::stand_in::{is_common, is_common_password};

/// The rule under which a known value is replaced.
pub(crate) const LITERAL: &str = "literal";

/// A shorter value would be found in harmless words.
const SHORTEST: usize = 8;

/// A longer value is a document.
const LONGEST: usize = 16 << 10;

/// A line of a value with several is looked for by itself if it is as long as this.
const SHORTEST_LINE: usize = 24;

/// What stands before a key in a header.
const SCHEMES: [&str; 5] = ["bearer ", "basic ", "token ", "apikey ", "api-key "];

/// Known secrets. They are replaced wherever they stand, also written as in JSON or in a link.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    finder: Option<Finder>,
    skipped: Vec<Skipped>,
}

/// A value that is not looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The name of the value.
    pub name: String,
    /// Why it is not looked for.
    pub why: SkipReason,
}

/// Why a value is not looked for: it would be found in texts that have nothing to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It has less than 8 characters.
    Short,
    /// It has more than 16 KiB.
    Long,
    /// It is a number.
    Number,
    /// It is a word that many texts have, or an example.
    Common,
    /// Its name is not that of a secret, and it consists of words.
    Words,
    /// It says where something is, and holds no password.
    ValuePlace,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "shorter than 8 characters",
            Self::Long => "longer than 16 KiB",
            Self::Number => "a number",
            Self::Common => "too common",
            Self::Words => "only words, under a name that is not that of a secret",
            Self::ValuePlace => "a path or a link without a password",
        })
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.why)
    }
}

impl Literals {
    /// Takes secrets with their names. What is too short or too common to be told from other text
    /// is left out; [`Literals::skipped`] names it.
    pub fn new<N, V>(secrets: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<String>,
        V: AsRef<str>,
    {
        Self::with_variables(secrets, std::iter::empty::<(String, String)>())
    }

    /// Takes secrets, and variables of which it is not known whether they are secrets: all values
    /// of files that the user names. Of an address only the password is taken, and what reads like
    /// a word or a path is left out, unless its name says that it is a secret.
    pub fn with_variables<N, V, M, W>(
        secrets: impl IntoIterator<Item = (N, V)>,
        variables: impl IntoIterator<Item = (M, W)>,
    ) -> Self
    where
        N: Into<String>,
        V: AsRef<str>,
        M: Into<String>,
        W: AsRef<str>,
    {
        let mut taken = Taken::default();
        for (name, value) in secrets {
            let value = without_scheme(value.as_ref().trim());
            taken.take(name.into(), value, why_not(value));
        }
        for (name, value) in variables {
            let (name, value) = (name.into(), value.as_ref().trim());
            let secrets = within(value);
            if secrets.is_empty() {
                let value = without_scheme(value);
                taken.take(name.clone(), value, why_not_variable(&name, value));
            }
            for secret in secrets {
                taken.take(name.clone(), secret, why_not(secret));
                if let Some(plain) = out_of_link(secret).filter(|it| why_not(it).is_none()) {
                    taken.take(name.clone(), &plain, None);
                }
            }
        }
        let spelled = |value: &str| -> Vec<String> {
            spellings(value).into_iter().chain(base64::spellings(value.as_bytes())).collect()
        };
        let finder = Finder::new(taken.values.iter().map(|value| (&**value, spelled(value))));
        Self { finder, skipped: taken.skipped }
    }

    /// The values that were left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.finder.is_none()
    }

    /// All values, in a fixed order.
    pub(crate) fn sorted(&self) -> Vec<&[u8]> {
        self.finder.as_ref().map(Finder::sorted).unwrap_or_default()
    }

    pub(crate) fn find(&self, text: &[u8], hits: &mut Vec<Hit>) {
        let found = self.finder.iter().flat_map(|finder| finder.find(text));
        hits.extend(found.map(|range| Hit::redact(LITERAL, Shape::Known, range)));
    }

    /// The value that is written like this.
    pub(crate) fn value_of<'w>(&'w self, written: &'w [u8]) -> &'w [u8] {
        self.finder.as_ref().map_or(written, |finder| finder.value_of(written))
    }
}

/// What was taken so far.
#[derive(Default)]
struct Taken {
    values: Vec<String>,
    skipped: Vec<Skipped>,
}

impl Taken {
    fn take(&mut self, name: String, value: &str, why_not: Option<SkipReason>) {
        match why_not {
            Some(why) => self.skipped.push(Skipped { name, why }),
            None => {
                self.values.push(value.to_owned());
                // Of a key with several lines a tool may show some.
                let lines = value.lines().map(str::trim).filter(|line| *line != value);
                let lines = lines.filter(|line| is_line_of_key(line)).map(str::to_owned);
                self.values.extend(lines);
            }
        }
    }
}

/// The secrets that rules find within a value: the password of an address, a key in a link.
fn within(value: &str) -> Vec<&str> {
    let hits = find(Ruleset::embedded(), value, Context::Text);
    let redacted = hits.into_iter().filter(|hit| hit.action == Action::Redact);
    redacted.map(|hit| &value[hit.range]).collect()
}

/// The key of a header without the word before it.
fn without_scheme(value: &str) -> &str {
    let begins = |scheme: &&str| {
        value.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    SCHEMES
        .iter()
        .find(|scheme| begins(scheme))
        .map_or(value, |scheme| value[scheme.len()..].trim())
}

fn is_line_of_key(line: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    line.len() >= SHORTEST_LINE && line.bytes().all(is_base64) && !is_worded(line.as_bytes())
}

fn why_not(value: &str) -> Option<SkipReason> {
    let bytes = value.as_bytes();
    if bytes.len() < SHORTEST {
        Some(SkipReason::Short)
    } else if bytes.len() > LONGEST {
        Some(SkipReason::Long)
    } else if bytes.iter().all(u8::is_ascii_digit) {
        Some(SkipReason::Number)
    } else if is_common(bytes) || is_common_password(bytes) {
        Some(SkipReason::Common)
    } else {
        None
    }
}

fn why_not_variable(name: &str, value: &str) -> Option<SkipReason> {
    let bytes = value.as_bytes();
    let names_secret = || secrecy(name.as_bytes()) > Secrecy::Pass;
    why_not(value)
        .or_else(|| is_place(bytes).then_some(SkipReason::ValuePlace))
        .or_else(|| (is_worded(bytes) && !names_secret()).then_some(SkipReason::Words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(literals: &Literals) -> Vec<(&str, SkipReason)> {
        literals.skipped().iter().map(|skipped| (skipped.name.as_str(), skipped.why)).collect()
    }

    fn knows(literals: &Literals, text: &str) -> bool {
        let mut hits = Vec::new();
        literals.find(text.as_bytes(), &mut hits);
        !hits.is_empty()
    }

    #[test]
    fn short_and_common_values_are_left_out() {
        let secrets = [("A", "true"), ("B", "12345678"), ("C", "changeme-now"), ("D", "q7Zk2mPx!")];
        let literals = Literals::new(secrets);
        let expected =
            [("A", SkipReason::Short), ("B", SkipReason::Number), ("C", SkipReason::Common)];
        assert_eq!(skipped(&literals), expected);
        assert!(!literals.is_empty());
    }

    /// A key that has the digits in their order somewhere is a key nevertheless.
    #[test]
    fn only_a_whole_value_is_common() {
        let keys = ["a8F3k1234567890Lq9ZpW2", "q7abcdefghijZk2", "q7xxxxxxZk2mPx", "q7EXAMPLEZk2"];
        let literals = Literals::new(keys.iter().chain(&["q7Zk...2mPx"]).map(|key| (*key, *key)));
        assert_eq!(skipped(&literals), []);
        for key in keys {
            assert!(knows(&literals, &format!("a {key} b")), "{key}");
        }
        let common = ["1234567890", "abcdefghijkl", "xxxxxxxxxx", "your-api-key", "$API_KEY"];
        let literals = Literals::new(common.map(|value| (value, value)));
        assert_eq!(skipped(&literals).len(), common.len(), "{literals:?}");
    }

    #[test]
    fn a_value_is_known_in_base64() {
        let literals = Literals::new([("K", "lit-q7Zk2mPx")]);
        assert!(knows(&literals, "Basic YW5hOmxpdC1xN1prMm1QeA=="));
    }

    #[test]
    fn every_value_of_a_file_is_taken_or_named() {
        let pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----";
        let variables = [
            ("MODE", "production"),
            ("SEARCH", "/usr/local/bin:/bin"),
            ("HOME_PAGE", "https://corp.net/x"),
            ("DB_PASSWORD", "lemontree"),
            ("DB_PW", "Winter2024lemon"),
            ("DATABASE_URL", "postgres://ana:Spring2024lemon@db/x"),
            ("DATADOG", "d41d8cd98f00b204e9800998ecf8427e"),
            ("SMTP_CRED", "Autumn2024lemons"),
            ("PEM", pem),
            ("HEADER", "Bearer lit-q7Zk2mPx"),
        ];
        let literals = Literals::with_variables(std::iter::empty::<(&str, &str)>(), variables);
        let expected = [
            ("MODE", SkipReason::Words),
            ("SEARCH", SkipReason::ValuePlace),
            ("HOME_PAGE", SkipReason::ValuePlace),
        ];
        assert_eq!(skipped(&literals), expected);
        for text in ["lemontree", "Winter2024lemon", "at Spring2024lemon", "Autumn2024lemons"] {
            assert!(knows(&literals, text), "{text}");
        }
        assert!(knows(&literals, "d41d8cd98f00b204e9800998ecf8427e"));
        assert!(knows(&literals, "x MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7 y"));
        assert!(knows(&literals, "key lit-q7Zk2mPx"));
        assert!(!knows(&literals, "postgres://ana:other@db/x -----BEGIN PRIVATE KEY-----"));
    }

    #[test]
    fn every_way_of_writing_is_the_same_value() {
        let literals = Literals::new([("K", "q7\"Zk/2mPx=é")]);
        for written in [
            "q7\"Zk/2mPx=é",
            "q7\\\"Zk/2mPx=é",
            "q7%22Zk%2F2mPx%3D%C3%A9",
            "q7%22Zk%2f2mPx%3d%c3%a9",
            "q7\\\"Zk\\/2mPx=\\u00e9",
            "q7\\\"Zk/2mPx\\u003dé",
        ] {
            let mut hits = Vec::new();
            literals.find(written.as_bytes(), &mut hits);
            assert_eq!(hits, [Hit::redact(LITERAL, Shape::Known, 0..written.len())], "{written}");
            assert_eq!(literals.value_of(written.as_bytes()), "q7\"Zk/2mPx=é".as_bytes());
        }
    }
}
