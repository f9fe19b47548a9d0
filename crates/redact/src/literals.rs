//! Secrets whose values are known: from the user's key files and environment files.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::names::{Secrecy, secrecy};
use crate::plausible::{entropy, is_common_password, is_identifier, is_stand_in, looks_random};
use crate::rules::Shape;
use crate::scan::Hit;

/// The rule under which a known value is replaced.
pub(crate) const LITERAL: &str = "literal";

/// A shorter value would be found in harmless words.
const SHORTEST: usize = 8;

/// A longer value is a document.
const LONGEST: usize = 16 << 10;

/// Known secrets. They are replaced wherever they stand, also written as in JSON or in a link.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    automaton: Option<AhoCorasick>,
    /// Every way of writing a value, with the value.
    values: HashMap<Box<[u8]>, Box<[u8]>>,
    skipped: Vec<String>,
}

impl Literals {
    /// Takes values with their names. What is too short or too common to be told from other text
    /// is left out; [`Literals::skipped`] names it.
    pub fn new<N, V>(secrets: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<String>,
        V: AsRef<str>,
    {
        let mut literals = Self::default();
        for (name, value) in secrets {
            let value = value.as_ref().trim();
            if is_usable(value) {
                literals.add(value);
            } else {
                literals.skipped.push(name.into());
            }
        }
        if !literals.values.is_empty() {
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(literals.values.keys());
            #[expect(clippy::expect_used, reason = "fails above two thousand million bytes only")]
            let automaton = automaton.expect("an automaton of short values");
            literals.automaton = Some(automaton);
        }
        literals
    }

    /// Of the variables of an environment file those that hold secrets: their names say so, or
    /// their values are keys. `NODE_ENV=production` is none.
    pub fn is_secret_variable(name: &str, value: &str) -> bool {
        let value = value.as_bytes();
        let is_key = value.len() >= 16 && looks_random(value) && entropy(value) >= 3.5;
        let is_plain =
            value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-.".contains(byte));
        secrecy(name.as_bytes()) > Secrecy::None || is_key && is_plain && !is_identifier(value)
    }

    fn add(&mut self, value: &str) {
        let mut in_json = String::new();
        pitree_format::js::print_text(value, &mut in_json);
        let in_json = in_json.trim_matches('"').to_owned();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        let encode = |byte: u8| match is_plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        let in_link: String = value.bytes().map(encode).collect();
        for written in [value.to_owned(), in_json, in_link] {
            self.values.insert(written.into_bytes().into(), value.as_bytes().into());
        }
    }

    /// Names of the values that were left out.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, in a fixed order.
    pub(crate) fn sorted(&self) -> Vec<&[u8]> {
        let mut values: Vec<&[u8]> = self.values.values().map(AsRef::as_ref).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    pub(crate) fn find(&self, text: &[u8], hits: &mut Vec<Hit>) {
        if let Some(automaton) = &self.automaton {
            let found = automaton.find_iter(text);
            hits.extend(found.map(|found| Hit::redact(LITERAL, Shape::Known, found.range())));
        }
    }

    /// The value that is written like this.
    pub(crate) fn value_of<'w>(&'w self, written: &'w [u8]) -> &'w [u8] {
        self.values.get(written).map_or(written, |value| value)
    }
}

fn is_usable(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_number = bytes.iter().all(u8::is_ascii_digit);
    (SHORTEST..=LONGEST).contains(&bytes.len())
        && !is_number
        && !is_stand_in(bytes)
        && !is_common_password(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_common_values_are_left_out() {
        let secrets = [("A", "true"), ("B", "short"), ("C", "changeme-now"), ("D", "q7Zk2mPx!")];
        let literals = Literals::new(secrets);
        assert_eq!(literals.skipped(), ["A", "B", "C"]);
        assert!(!literals.is_empty());
    }

    #[test]
    fn variables_are_told_apart() {
        let is_secret = Literals::is_secret_variable;
        assert!(is_secret("DB_PASSWORD", "lemon tree") && is_secret("X", "q7Zk2mPxFw9LwTaB3dE5"));
        assert!(!is_secret("NODE_ENV", "production") && !is_secret("PATH", "/usr/local/bin:/bin"));
    }

    #[test]
    fn every_way_of_writing_is_the_same_value() {
        let literals = Literals::new([("K", "q7\"Zk/2mPx")]);
        for written in ["q7\"Zk/2mPx", "q7\\\"Zk/2mPx", "q7%22Zk%2F2mPx"] {
            let mut hits = Vec::new();
            literals.find(written.as_bytes(), &mut hits);
            assert_eq!(hits, [Hit::redact(LITERAL, Shape::Known, 0..written.len())], "{written}");
            assert_eq!(literals.value_of(written.as_bytes()), b"q7\"Zk/2mPx");
        }
    }
}
