//! Replacing what was found.

use std::borrow::Cow;

use crate::literals::{LITERAL, Literals};
use crate::placeholder::{Key, placeholder};
use crate::pseudonyms::{Names, Pseudonyms};
use crate::report::{Finding, Report, mask};
use crate::rules::Ruleset;
use crate::scan::{self, Action, Context, Hit};

/// A text is looked at again after something in it was replaced, until nothing more is found.
/// Each time leaves less; the limit is never met.
const MOST_ROUNDS: usize = 8;

/// Whether people and machines get other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum People {
    Replace,
    /// Only where they stand in paths and addresses.
    ReplaceInPaths,
    Stay,
}

/// What is looked for in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) context: Context,
    pub(crate) people: People,
}

/// Finds secrets and puts placeholders in their places.
///
/// It has no state: it may be shared between threads, and a text gives the same result whatever
/// was redacted before it.
#[derive(Clone, Debug)]
pub struct Redactor {
    rules: &'static Ruleset,
    literals: Literals,
    key: Key,
    names: Names,
}

impl Redactor {
    /// A redactor with the rules that pitree brings along.
    pub fn new(key: Key, literals: Literals, pseudonyms: Pseudonyms) -> Self {
        Self { rules: Ruleset::embedded(), literals, key, names: Names::new(pseudonyms) }
    }

    /// Equal for redactors that give the same output, and tells nothing of the key or the known
    /// secrets: what was made with this redactor can be found again by it.
    pub fn fingerprint(&self) -> [u8; 32] {
        let names = self.names.wanted();
        let text = format!("{} {names:?} {:?}", Ruleset::source(), self.literals.sorted());
        self.key.hash(text.as_bytes())
    }

    /// A key for another purpose, which tells nothing of the key of the placeholders.
    pub fn key_for(&self, purpose: &str) -> [u8; 32] {
        self.key.hash(format!("the key of pitree for {purpose}").as_bytes())
    }

    /// Finds the secrets of a text, in their order, none overlapping another.
    pub fn find(&self, text: &str, context: Context) -> Vec<Hit> {
        self.find_wanted(text, Wanted { context, people: People::Replace })
    }

    fn find_wanted(&self, text: &str, wanted: Wanted) -> Vec<Hit> {
        let mut hits = scan::find(self.rules, text, wanted.context);
        let before = hits.len();
        self.literals.find(text.as_bytes(), &mut hits);
        if wanted.people != People::Stay {
            self.names.find_in_paths(text, &mut hits);
        }
        if wanted.people == People::Replace {
            self.names.find_words(text, &mut hits);
        }
        if hits.len() > before { scan::settle(hits, text) } else { hits }
    }

    /// Replaces the secrets of a text. A text without any comes back as it is.
    pub fn text<'t>(&self, text: &'t str, context: Context, report: &mut Report) -> Cow<'t, str> {
        let wanted = Wanted { context, people: People::Replace };
        self.replace(text, None, wanted, &mut |finding| report.findings.push(finding))
    }

    /// Replaces the secrets of a text that is the value of a member with this name.
    pub(crate) fn replace<'t>(
        &self,
        text: &'t str,
        name: Option<&str>,
        wanted: Wanted,
        found: &mut dyn FnMut(Finding),
    ) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for round in 0..MOST_ROUNDS {
            let hits = self.hits(&text, name, wanted);
            for hit in &hits {
                // What is only reported is found again in each round.
                if round == 0 || hit.action == Action::Redact {
                    let masked = mask(&text[hit.range.clone()]);
                    found(Finding {
                        rule: hit.rule,
                        path: String::new(),
                        masked,
                        action: hit.action,
                    });
                }
            }
            if hits.iter().all(|hit| hit.action == Action::Report) {
                break;
            }
            text = Cow::Owned(self.put_placeholders(&text, &hits));
        }
        text
    }

    fn hits(&self, text: &str, name: Option<&str>, wanted: Wanted) -> Vec<Hit> {
        let mut hits = self.find_wanted(text, wanted);
        // Most names are harmless, and then the value is not looked at with its name.
        let name = name.filter(|name| self.rules.has_word(name.as_bytes()));
        let Some((assignment, start)) = name.and_then(|name| assigned(name, text)) else {
            return hits;
        };
        let wanted = Wanted { context: Context::Member, ..wanted };
        for hit in self.find_wanted(&assignment, wanted) {
            if hit.range.start >= start {
                let range = hit.range.start - start..(hit.range.end - start).min(text.len());
                hits.push(Hit { range, ..hit });
            }
        }
        if hits.is_empty() { hits } else { scan::settle(hits, text) }
    }

    fn put_placeholders(&self, text: &str, hits: &[Hit]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for hit in hits.iter().filter(|hit| hit.action == Action::Redact) {
            out.push_str(&text[end..hit.range.start]);
            out.push_str(&self.stand_in(hit.rule, &text[hit.range.clone()]));
            end = hit.range.end;
        }
        out.push_str(&text[end..]);
        out
    }

    fn stand_in(&self, rule: &'static str, secret: &str) -> String {
        if let Some(pseudonym) = Names::replacement(rule, secret, &self.key) {
            return pseudonym;
        }
        let secret = secret.as_bytes();
        let value = if rule == LITERAL { self.literals.value_of(secret) } else { secret };
        placeholder(rule, value, &self.key)
    }
}

/// The longest value that is looked at together with its name.
const LONGEST_VALUE: usize = 16 << 10;

/// A member written as an assignment, and where its value begins; `None` for a value that is no
/// single word.
fn assigned(name: &str, value: &str) -> Option<(String, usize)> {
    let is_word = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\\');
    if value.is_empty() || value.len() > LONGEST_VALUE || !value.bytes().all(is_word) {
        return None;
    }
    let start = name.len() + 2;
    Some((format!("{name}=\"{value}\""), start))
}
