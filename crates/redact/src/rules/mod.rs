//! The rules: what is looked for, and by which words it is found.
//!
//! Most rules stand in `table.txt`. The few that are no single form (blocks, addresses, headers,
//! assignments) are code in [`crate::shapes`] and its neighbours, and only their names and words are here. A form is
//! compiled when its word is met for the first time: most never are.

mod words;

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::programs::PROGRAMS;
use words::Words;

const TABLE: &str = include_str!("table.txt");

/// No form needs more than this when compiled; the limit only keeps a mistake from hurting.
const MOST_COMPILED_BYTES: usize = 4 << 20;

/// Rules that are code: their names and the words that call them.
const SHAPES: [(&str, Shape, &[&str]); 9] = [
    (PRIVATE_KEY, Shape::PrivateKey, BLOCKS),
    ("credential-url", Shape::CredentialUrl, &["://", ":\\/\\/"]),
    ("authorization-header", Shape::Authorization, &["bearer", "authorization"]),
    ("header-key", Shape::HeaderKey, HEADERS),
    ("cookie", Shape::Cookie, &["cookie"]),
    ("sql-password", Shape::SqlPassword, &["identified by", "identified with"]),
    ("login-call", Shape::LoginCall, &[".login("]),
    // Its words are the names of programs.
    (COMMAND_PASSWORD, Shape::CommandPassword, &[]),
    (
        GENERIC,
        Shape::Assignment,
        &["key", "token", "secret", "pass", "pwd", "credential", "auth", "dsn", "_pw"],
    ),
];

/// What stands in the first and the last line of a private key.
const BLOCKS: &[&str] =
    &["-----begin", "private key-----", "private key block-----", "private-lines:"];

/// Headers that hold a key and nothing else.
const HEADERS: &[&str] =
    &["x-api-key", "private-token", "x-auth-token", "x-auth-key", "x-vault-token", "api-key:"];

/// The rule for secrets among the words of a command.
pub(crate) const COMMAND_PASSWORD: &str = "command-password";

/// The rule for blocks with private keys.
pub(crate) const PRIVATE_KEY: &str = "private-key";

/// The rule for whatever is assigned to the name of a secret.
pub(crate) const GENERIC: &str = "generic-api-key";

/// How a rule looks at the place where one of its words was met. The more it knows about its
/// secret, the earlier it stands: of two rules that find the same, the first gives the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// A block, whatever else is in it.
    PrivateKey,
    /// The word begins the secret.
    Token,
    /// The form lies around the word.
    Around,
    /// The word names what is assigned.
    Near,
    CredentialUrl,
    Authorization,
    HeaderKey,
    Cookie,
    SqlPassword,
    LoginCall,
    CommandPassword,
    Assignment,
    /// The value is known; there is no word.
    Known,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) shape: Shape,
    /// Whether no dash may stand before it, because it begins as parts of other names do.
    pub(crate) stands_alone: bool,
    /// Whether it is a long run of base64 itself.
    pub(crate) is_data: bool,
    /// Whether a key with all its parts may also have its letters in order.
    pub(crate) is_exact: bool,
    /// Whether its words name a secret and nothing else.
    pub(crate) is_named: bool,
    /// In bits for each byte; below it a value is no secret.
    pub(crate) least_entropy: f32,
    words: Vec<&'static str>,
    form: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    /// The form, compiled; `None` for a shape that is code.
    pub(crate) fn form(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    fn compile(&self) -> Result<Regex, regex::Error> {
        let form = self.form;
        let pattern = match self.shape {
            Shape::Token => format!(r"\A(?:{form})"),
            Shape::Near => format!(r"\A(?:{form})\z"),
            _ => form.to_owned(),
        };
        RegexBuilder::new(&pattern).unicode(false).size_limit(MOST_COMPILED_BYTES).build()
    }

    /// The length of a word that a text begins with, if it has the spelling that the rule demands.
    fn spells(&self, word: usize, text: &[u8]) -> Option<usize> {
        let word = self.words[word].as_bytes();
        (self.shape != Shape::Token || text.starts_with(word)).then_some(word.len())
    }
}

/// All rules, with what finds their words.
#[derive(Debug)]
pub struct Ruleset {
    rules: Vec<Rule>,
    words: Words,
    /// For each word: the rules that it calls, and which of their words it is.
    called: Vec<Vec<(u16, u16)>>,
}

impl Ruleset {
    /// The rules that pitree brings along.
    ///
    /// They are read once; a form is compiled when it is needed for the first time.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: OnceLock<Ruleset> = OnceLock::new();
        EMBEDDED.get_or_init(|| Self::new(parse(TABLE)))
    }

    fn new(rules: Vec<Rule>) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut called: Vec<Vec<(u16, u16)>> = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            for (number, word) in rule.words.iter().enumerate() {
                let word = word.to_ascii_lowercase();
                let call = (at as u16, number as u16);
                match words.iter().position(|known| *known == word) {
                    Some(place) => called[place].push(call),
                    None => {
                        words.push(word);
                        called.push(vec![call]);
                    }
                }
            }
        }
        Self { rules, words: Words::new(&words), called }
    }

    /// The table as it is written.
    pub(crate) fn source() -> &'static str {
        TABLE
    }

    /// The names of all rules.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|rule| rule.id)
    }

    /// Calls `look` for each word that is met, with a rule that it calls and its place.
    pub(crate) fn each_word(&self, text: &[u8], mut look: impl FnMut(&Rule, usize, usize)) {
        self.words.each(text, |word, start| {
            for (rule, word) in &self.called[word] {
                let rule = &self.rules[usize::from(*rule)];
                if let Some(length) = rule.spells(usize::from(*word), &text[start..]) {
                    look(rule, start, start + length);
                }
            }
        });
    }

    /// Whether any word is met at all.
    pub(crate) fn has_word(&self, text: &[u8]) -> bool {
        let mut has = false;
        self.words.each(text, |_, _| has = true);
        has
    }
}

/// Reads the table and adds the rules that are code.
fn parse(table: &'static str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut shape = Shape::Token;
    let (mut stands_alone, mut is_data) = (false, false);
    let (mut is_exact, mut is_named) = (false, false);
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line {
            "[token]" => (shape, stands_alone, is_data) = (Shape::Token, false, false),
            "[alone]" => (shape, stands_alone, is_data) = (Shape::Token, true, false),
            "[data]" => (shape, stands_alone, is_data) = (Shape::Token, false, true),
            "[exact]" => (is_data, is_exact) = (false, true),
            "[near]" => (shape, is_data, is_exact) = (Shape::Near, false, false),
            "[named]" => is_named = true,
            "[around]" => (shape, is_named) = (Shape::Around, false),
            line if line.starts_with('#') => {}
            line => {
                let mut columns = line.split_ascii_whitespace();
                let mut column = || columns.next().unwrap_or_default();
                let (id, words, form, entropy) = (column(), column(), column(), column());
                let words = words.split(',').collect();
                let rule = Rule::new(id, shape, words, form, entropy.parse().unwrap_or(0.0));
                rules.push(Rule { stands_alone, is_data, is_exact, is_named, ..rule });
            }
        }
    }
    rules.extend(SHAPES.iter().map(|(id, shape, words)| {
        let words = match shape {
            Shape::CommandPassword => program_names(),
            _ => words.to_vec(),
        };
        Rule::new(id, *shape, words, "", 0.0)
    }));
    rules
}

/// The names of all programs that take a secret, each once.
fn program_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.called).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Rule {
    fn new(
        id: &'static str,
        shape: Shape,
        words: Vec<&'static str>,
        form: &'static str,
        least_entropy: f32,
    ) -> Self {
        Self {
            id,
            shape,
            stands_alone: false,
            is_data: false,
            is_exact: false,
            is_named: false,
            least_entropy,
            words,
            form,
            compiled: OnceLock::new(),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
