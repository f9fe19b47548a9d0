//! Replacing what was found.

use std::borrow::Cow;
use std::sync::Arc;

use crate::assignment::may_be_password;
use crate::found::{REPEATED, Repeated};
use crate::judge::{is_secret_member, member_secrecy};
use crate::literals::{LITERAL, Literals};
use crate::names::Secrecy;
use crate::placeholder::{self, Key, placeholder};
use crate::pseudonyms::{Names, Pseudonyms};
use crate::report::{Finding, Report};
use crate::rules::{Ruleset, Shape};
use crate::scan::{self, Action, Context, Hit};
use crate::spellings::out_of_link;

/// A text is looked at again after something in it was replaced, until nothing more is found.
/// Each time leaves less; the limit is never met.
const MOST_ROUNDS: usize = 16;

/// Which secrets are found, as a number. What was made by a redactor may be kept and used again as
/// long as this number is the same, so it is raised with every change of what is found or of how
/// much of it is replaced. A change of the table of rules needs none: its text counts as well.
const DETECTORS: u32 = 8;

/// Whether people and machines get other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum People {
    Replace,
    /// As in [`People::Replace`], except owners of files and names of accounts. They are recognized
    /// by the text around them, which may have changed since the first pass, so a finished text
    /// that still has one is not held back.
    ReplaceAgain,
    /// Only in paths and email addresses.
    ReplaceInPaths,
    Stay,
}

/// What is done with secrets that are only likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Likely {
    /// They stay, and are reported.
    #[default]
    Keep,
    /// They are replaced, and then wherever else they stand, as the others are.
    Replace,
}

/// What is looked for in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) context: Context,
    pub(crate) people: People,
}

impl Wanted {
    /// In a text that is about to be handed out.
    pub(crate) const FINISHED: Self = Self { context: Context::Text, people: People::ReplaceAgain };
}

/// Finds secrets and puts placeholders in their places.
///
/// It has no state: it may be shared between threads, and a text gives the same result whatever
/// was redacted before it. What is known of one session is in a [`SessionMemory`].
///
/// [`SessionMemory`]: crate::SessionMemory
#[derive(Clone, Debug)]
pub struct Redactor {
    rules: &'static Ruleset,
    literals: Arc<Literals>,
    key: Key,
    names: Arc<Names>,
    likely: Likely,
    /// What was found elsewhere in the session.
    repeated: Option<Arc<Repeated>>,
}

impl Redactor {
    /// A redactor with the rules that pitree brings along.
    pub fn new(key: Key, literals: Literals, pseudonyms: Pseudonyms) -> Self {
        Self {
            rules: Ruleset::embedded(),
            literals: Arc::new(literals),
            key,
            names: Arc::new(Names::new(pseudonyms)),
            likely: Likely::Keep,
            repeated: None,
        }
    }

    /// The same redactor with another way to treat likely secrets.
    #[must_use]
    pub fn with_likely(self, likely: Likely) -> Self {
        Self { likely, ..self }
    }

    pub(crate) fn with_repeated(&self, repeated: Option<Arc<Repeated>>) -> Self {
        Self { repeated, ..self.clone() }
    }

    pub(crate) fn repeated(&self) -> Option<&Repeated> {
        self.repeated.as_deref()
    }

    /// Equal for redactors that give the same output, and tells nothing of the key or the known
    /// secrets: what was made with this redactor can be found again by it.
    pub fn fingerprint(&self) -> [u8; 32] {
        let (rules, names) = (Ruleset::source(), self.names.wanted());
        let (likely, literals) = (self.likely, self.literals.sorted());
        let text = format!("{DETECTORS} {rules} {names:?} {likely:?} {literals:?}");
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

    /// The secrets of a text, and then the people in what is left of it. A secret is never changed
    /// by the name of somebody in it: it would not be recognized where it is repeated.
    pub(crate) fn find_wanted(&self, text: &str, wanted: Wanted) -> Vec<Hit> {
        let secrets = self.find_secrets(text, wanted.context);
        let people = self.find_people(text, wanted.people);
        if people.is_empty() {
            return secrets;
        }
        let (mut hits, reported): (Vec<Hit>, Vec<Hit>) =
            secrets.into_iter().partition(|hit| hit.action == Action::Redact);
        let taken: Vec<_> = hits.iter().map(|hit| hit.range.clone()).collect();
        hits.extend(placeholder::cut(Names::apart_from(people, &taken), &taken, text));
        hits.extend(reported);
        scan::settle(hits, text)
    }

    fn find_secrets(&self, text: &str, context: Context) -> Vec<Hit> {
        let mut hits = scan::find(self.rules, text, context);
        hits.iter_mut().for_each(|hit| self.decide(hit));
        let before = hits.len();
        self.literals.find(text.as_bytes(), &mut hits);
        if let Some(repeated) = &self.repeated {
            repeated.find(text.as_bytes(), &mut hits);
        }
        if hits.len() > before { scan::settle(hits, text) } else { hits }
    }

    /// Decides what is done with a hit that is only likely.
    fn decide(&self, hit: &mut Hit) {
        if self.likely == Likely::Replace {
            hit.action = Action::Redact;
        }
    }

    /// The names of people and machines in a text, outside of placeholders.
    fn find_people(&self, text: &str, people: People) -> Vec<Hit> {
        let mut hits = Vec::new();
        if people != People::Stay {
            self.names.find_in_paths(text, &mut hits);
        }
        if people == People::Replace {
            self.names.find_owners(text, &mut hits);
            if let Some(repeated) = &self.repeated {
                repeated.find_people(text, &mut hits);
            }
        }
        if matches!(people, People::Replace | People::ReplaceAgain) {
            self.names.find_words(text, &mut hits);
        }
        if hits.is_empty() {
            return hits;
        }
        let taken: Vec<_> = placeholder::placeholders(text).collect();
        scan::settle(Names::apart_from(hits, &taken), text)
    }

    /// Replaces the secrets of a text. A text without any comes back as it is.
    pub fn text<'t>(&self, text: &'t str, context: Context, report: &mut Report) -> Cow<'t, str> {
        self.replace_noting(text, Wanted { context, people: People::Replace }, report)
    }

    /// Replaces what is wanted of a text, and notes what that was.
    pub(crate) fn replace_noting<'t>(
        &self,
        text: &'t str,
        wanted: Wanted,
        report: &mut Report,
    ) -> Cow<'t, str> {
        self.replace(text, None, wanted, &mut |hit, secret| {
            report.findings.push(Finding::new(hit, secret, String::new()));
        })
    }

    /// Replaces the secrets of a text that is the value of a member, if it is one.
    pub(crate) fn replace<'t>(
        &self,
        text: &'t str,
        member: Option<Member<'_>>,
        wanted: Wanted,
        found: &mut dyn FnMut(&Hit, &str),
    ) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for round in 0..MOST_ROUNDS {
            let mut hits = self.hits(&text, member, wanted.context);
            // What is only reported is found again in each round.
            hits.retain(|hit| round == 0 || hit.action == Action::Redact);
            let is_secret = |hit: &Hit| hit.action == Action::Redact;
            if !hits.iter().any(is_secret) {
                hits.iter().for_each(|hit| found(hit, &text[hit.range.clone()]));
                // People come when no secret is left, so that whatever is done with them the same
                // secrets are found.
                hits = self.find_people(&text, wanted.people);
            }
            if hits.is_empty() {
                break;
            }
            hits.iter().for_each(|hit| found(hit, &text[hit.range.clone()]));
            text = Cow::Owned(self.put_placeholders(&text, &hits));
        }
        text
    }

    /// The secrets of a text that is the value of a member, if it is one.
    fn hits(&self, text: &str, member: Option<Member<'_>>, context: Context) -> Vec<Hit> {
        let mut hits = self.find_secrets(text, context);
        // Most names are harmless, and then the value is not looked at with its name.
        let may_name = |member: &Member<'_>| {
            let name = member.name.as_bytes();
            let ends_with_pw = name.len() > 1 && name[name.len() - 2..].eq_ignore_ascii_case(b"pw");
            member.outer.is_some() || ends_with_pw || self.rules.has_word(name)
        };
        let Some(member) = member.filter(may_name) else { return hits };
        let before = hits.len();
        hits.extend(secret_member(member, text).map(|mut hit| {
            self.decide(&mut hit);
            hit
        }));
        if let Some((assignment, start)) = assigned(member.name, text) {
            // Here only rules are wanted that know the name; the value itself was judged above.
            for hit in self.find_secrets(&assignment, Context::Member) {
                if hit.range.start >= start && hit.shape != Shape::Assignment {
                    let range = hit.range.start - start..(hit.range.end - start).min(text.len());
                    hits.push(Hit { range, ..hit });
                }
            }
        }
        if hits.len() == before { hits } else { scan::settle(hits, text) }
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
        let value = match (rule, &self.repeated) {
            (LITERAL, _) => self.literals.value_of(secret),
            (REPEATED, Some(repeated)) => repeated.value_of(secret),
            _ => secret,
        };
        // A password that is escaped in an address is the same one.
        let plain = std::str::from_utf8(value).ok().and_then(out_of_link);
        placeholder(rule, plain.as_deref().map_or(value, str::as_bytes), &self.key)
    }
}

/// The name of a member, and the name of what it lies in if that is one of a secret.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'n> {
    pub(crate) name: &'n str,
    pub(crate) outer: Option<&'n str>,
}

/// The rule for values of members.
const MEMBER: &str = "secret-member";

/// The longest value that is looked at together with its name.
const LONGEST_VALUE: usize = 16 << 10;

/// The value of a member if its name is that of a secret.
fn secret_member(member: Member<'_>, value: &str) -> Option<Hit> {
    if value.len() > LONGEST_VALUE {
        return None;
    }
    let secrecy = member_secrecy(member.name, member.outer);
    let start = value.len() - value.trim_start().len();
    let range = start..start + value.trim().len();
    let trimmed = value.trim().as_bytes();
    if is_secret_member(member.name, secrecy, value) {
        return Some(Hit::redact(MEMBER, Shape::Assignment, range));
    }
    let is_likely = secrecy == Secrecy::Password
        && !trimmed.iter().any(u8::is_ascii_whitespace)
        && may_be_password(trimmed);
    is_likely.then(|| Hit::likely(MEMBER, Shape::Assignment, range))
}

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
