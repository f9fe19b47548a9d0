//! Finding secrets in one text.
//!
//! One pass over the bytes meets words; each word calls rules that look at its surroundings. What
//! a rule looks at is bounded, so no text takes more than a multiple of its length.

use std::ops::Range;

use crate::boundary::begins_word;
use crate::literals::LITERAL;
use crate::names::is_key_of_maker;
use crate::public::is_identifier;
use crate::random::{entropy, is_mixed, is_no_wording, looks_like_key, looks_random};
use crate::rules::{Rule, Ruleset, Shape};
use crate::stand_in::{is_drawn, is_made_up};
use crate::{assignment, commands, formats, placeholder, private_key, shapes};

/// How much of a text a form may look at after its word, if it begins with it.
const AFTER: usize = 4096;

/// The same, before and after it, if the word may stand anywhere in it.
const AROUND: (usize, usize) = (160, 512);

/// How often the form of a rule is tried within one run of letters and digits. A run in which a key
/// begins more often was made to be slow, or to hide one: the rest of it is taken.
const MOST_TRIES: usize = 64;

/// A run of base64 that is longer than this is data: no key is found in it.
const LONGEST_KEY: usize = 1024;

/// Where a text comes from. It decides what is done with values that are assigned to a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Context {
    /// Anything: talk, code, documents.
    #[default]
    Text,
    /// What a shell printed or was told: listings of variables, files with settings.
    Shell,
    /// One value of an object, with the name of its member.
    Member,
    /// A file with settings: `.env`, YAML, properties. The name of a secret says enough.
    Settings,
    /// A file whose lines end with passwords: `.pgpass`.
    PasswordFile,
    /// A file that holds one key and nothing else: `master.key`.
    KeyFile,
}

impl Context {
    /// Whether listings of variables and lines of settings are expected.
    pub(crate) fn is_shell(self) -> bool {
        matches!(self, Self::Shell | Self::Settings | Self::PasswordFile | Self::KeyFile)
    }
}

/// What is done with a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is replaced.
    Redact,
    /// It is only reported: it is likely, and likely secrets are to stay.
    Report,
}

/// How sure it is that a hit is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It is one, or cannot be distinguished from one.
    Certain,
    /// Too much that is harmless looks like this.
    Likely,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The name of the rule.
    pub rule: &'static str,
    /// The bytes of the secret.
    pub range: Range<usize>,
    /// What is done with it.
    pub action: Action,
    /// How sure it is.
    pub certainty: Certainty,
    pub(crate) shape: Shape,
}

impl Hit {
    pub(crate) fn redact(rule: &'static str, shape: Shape, range: Range<usize>) -> Self {
        Self { rule, range, action: Action::Redact, certainty: Certainty::Certain, shape }
    }

    /// A hit that is only likely. The redactor decides whether it is replaced.
    pub(crate) fn likely(rule: &'static str, shape: Shape, range: Range<usize>) -> Self {
        Self { rule, range, action: Action::Report, certainty: Certainty::Likely, shape }
    }
}

/// A text with the hits so far.
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) context: Context,
    pub(crate) hits: Vec<Hit>,
    /// Where the run ends in which forms were tried last.
    run_end: usize,
    /// How often each rule was tried in it.
    tries: Vec<(&'static str, usize)>,
    /// Where the value ends that was read last, and how many were read that begin in it.
    pub(crate) read: (usize, usize),
    /// Where the last value that was taken whole ends.
    taken: usize,
    /// The same for values that are only reported.
    reported: usize,
}

/// Finds the secrets of a text, in their order, none within another, none within a placeholder.
pub(crate) fn find(rules: &Ruleset, text: &str, context: Context) -> Vec<Hit> {
    let mut scan = Scan {
        text: text.as_bytes(),
        context,
        hits: Vec::new(),
        run_end: 0,
        tries: Vec::new(),
        read: (0, 0),
        taken: 0,
        reported: 0,
    };
    rules.each_word(scan.text, |rule, start, end| scan.look(rule, start..end));
    formats::discord_tokens(&mut scan);
    match context {
        Context::PasswordFile => formats::password_fields(&mut scan),
        Context::KeyFile => formats::whole_key(&mut scan),
        _ => {}
    }
    if scan.hits.is_empty() { scan.hits } else { settle(scan.hits, text) }
}

impl Scan<'_> {
    fn look(&mut self, rule: &Rule, word: Range<usize>) {
        match rule.shape {
            Shape::Token => self.token(rule, word),
            Shape::Near => self.near(rule, word),
            Shape::Around => self.around(rule, word),
            Shape::PrivateKey => private_key::private_key(self, rule, word),
            Shape::CredentialUrl => shapes::credential_url(self, rule, word),
            Shape::Authorization => shapes::authorization(self, rule, word),
            Shape::HeaderKey => shapes::header_key(self, rule, word),
            Shape::Cookie => formats::cookie(self, rule, word),
            Shape::SqlPassword => formats::sql_password(self, rule, word),
            Shape::LoginCall => formats::login_call(self, rule, word),
            Shape::CommandPassword => commands::command(self, word),
            Shape::Assignment => assignment::assignment(self, word),
            Shape::Known => {}
        }
    }

    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    fn token(&mut self, rule: &Rule, word: Range<usize>) {
        let has_line = word.len() >= 4 && self.text[word.clone()].contains(&b'_');
        let is_unmistakable = has_line || word.len() >= 5;
        if !has_line && !begins_word(self.text, word.start)
            || rule.stands_alone && self.text[..word.start].ends_with(b"-")
            || !self.may_try(rule, word.start)
        {
            return;
        }
        let rest = &self.text[word.end..self.text.len().min(word.end + AFTER)];
        let Some(found) = rule.form().and_then(|form| form.find(rest)) else { return };
        let end = word.end + found.end();
        let goes_on = self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if goes_on && end < word.end + AFTER {
            return;
        }
        // A run that is longer than the piece that was looked at is taken whole.
        let end = if goes_on { run_end(self.text, end, usize::MAX) } else { end };
        let end = word.end + without_line(&self.text[word.end..end]).len();
        let body = &self.text[word.end..end];
        let is_random = if is_unmistakable { is_no_wording(body) } else { looks_like_key(body) };
        if is_random {
            self.propose(rule, body, word.start..end);
        }
    }

    fn near(&mut self, rule: &Rule, word: Range<usize>) {
        if !begins_part(self.text, word.start) {
            return;
        }
        let Some((name_end, value)) = shapes::value_near(self.text, word.end) else { return };
        let bytes = &self.text[value.clone()];
        if !rule.form().is_some_and(|form| form.is_match(bytes)) {
            return;
        }
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-');
        let before = self.text[..word.start].iter().rev().take(64).take_while(is_name).count();
        let name = &self.text[word.start - before..name_end];
        // The name of a maker stands before digests and users, too.
        let is_random = match rule.is_named || is_key_of_maker(name) {
            true => is_no_wording(bytes),
            false => !is_identifier(bytes) && is_mixed(bytes) && looks_random(bytes),
        };
        if is_random {
            self.propose(rule, bytes, value);
        }
    }

    fn around(&mut self, rule: &Rule, word: Range<usize>) {
        if !self.may_try(rule, word.start) {
            return;
        }
        let from = word.start.saturating_sub(AROUND.0);
        let window = &self.text[..self.text.len().min(word.end + AROUND.1)];
        let Some(form) = rule.form() else { return };
        let Some(found) = form.captures_at(window, from) else { return };
        let Some(secret) = found.get(1).or_else(|| found.get(0)) else { return };
        let body = &self.text[secret.range()];
        if looks_like_key(body) {
            self.propose(rule, body, secret.range());
        }
    }

    /// Takes a secret that has the form of a rule and looks drawn by lot, if it is one.
    fn propose(&mut self, rule: &Rule, body: &[u8], range: Range<usize>) {
        let is_shown = || is_made_up(body) && !(rule.is_exact && is_drawn(body));
        let is_key = entropy(body) >= rule.least_entropy && !is_shown();
        if is_key && (rule.is_data || !self.is_in_data(&range)) {
            self.hits.push(Hit::redact(rule.id, rule.shape, range));
        }
    }

    /// Whether a word lies within a value that was taken. Such values may be long, so they are not
    /// looked at again for each word in them.
    pub(crate) fn is_taken(&self, word: &Range<usize>) -> bool {
        word.start < self.taken
    }

    /// Whether a word lies within a value that is at least reported.
    pub(crate) fn is_reported(&self, word: &Range<usize>) -> bool {
        word.start < self.taken.max(self.reported)
    }

    /// Takes a value up to its end.
    pub(crate) fn take(&mut self, hit: Hit) {
        let end = match hit.action {
            Action::Redact => &mut self.taken,
            Action::Report => &mut self.reported,
        };
        *end = hit.range.end.max(*end);
        self.hits.push(hit);
    }

    /// Whether a place lies in a long run of base64, such as an image in a page.
    fn is_in_data(&self, range: &Range<usize>) -> bool {
        let is_data = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/');
        if !self.text[range.clone()].iter().all(|byte| is_data(&byte)) {
            return false;
        }
        let before = self.text[..range.start].iter().rev().take(LONGEST_KEY).take_while(is_data);
        let after = self.text[range.end..].iter().take(LONGEST_KEY).take_while(is_data);
        before.count() + after.count() >= LONGEST_KEY
    }

    /// Bounds the work in a run that consists of nothing but beginnings of keys.
    fn may_try(&mut self, rule: &Rule, at: usize) -> bool {
        if at >= self.run_end {
            self.run_end = run_end(self.text, at, AFTER);
            self.tries.clear();
        }
        let tries = match self.tries.iter_mut().find(|(id, _)| *id == rule.id) {
            Some((_, tries)) => {
                *tries += 1;
                *tries
            }
            None => {
                self.tries.push((rule.id, 1));
                1
            }
        };
        if tries == MOST_TRIES {
            let rest = at..run_end(self.text, at, usize::MAX);
            self.hits.push(Hit::redact(rule.id, rule.shape, rest));
        }
        tries < MOST_TRIES
    }
}

/// Where a run of what keys consist of ends.
fn run_end(text: &[u8], from: usize, most: usize) -> usize {
    let is_run = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=')
    };
    from + text[from..].iter().take(most).take_while(is_run).count()
}

/// Whether a word begins here that may be a part of a name in any spelling: `HEROKU_KEY`,
/// `myHerokuKey`, but not `nonlinear`.
fn begins_part(text: &[u8], at: usize) -> bool {
    let is_capital = |at: usize| text.get(at).is_some_and(u8::is_ascii_uppercase);
    match text[..at].last() {
        Some(before) if before.is_ascii_lowercase() => is_capital(at),
        Some(before) if before.is_ascii_uppercase() => is_capital(at) && !is_capital(at + 1),
        _ => true,
    }
}

/// A key without the dashes of a line behind it.
fn without_line(key: &[u8]) -> &[u8] {
    let dashes = key.iter().rev().take_while(|byte| **byte == b'-').count();
    if dashes > 1 { &key[..key.len() - dashes] } else { key }
}

/// Puts hits in order, joins those that overlap, and takes placeholders out of them.
pub(crate) fn settle(mut hits: Vec<Hit>, text: &str) -> Vec<Hit> {
    for hit in &mut hits {
        // A bounded look may end within a character.
        hit.range =
            text.floor_char_boundary(hit.range.start)..text.ceil_char_boundary(hit.range.end);
    }
    hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
    let (redacted, reported): (Vec<Hit>, Vec<Hit>) =
        hits.into_iter().partition(|hit| hit.action == Action::Redact);
    // What is known to be a key keeps its range within what may be more than a key, so that the
    // same key has the same placeholder everywhere. What is left beside it is replaced on its own.
    let is_precise = |hit: &Hit| hit.shape <= Shape::Near || hit.rule == LITERAL;
    let (mut precise, mut others): (Vec<Hit>, Vec<Hit>) =
        redacted.into_iter().partition(is_precise);
    join(&mut precise);
    join(&mut others);
    let taken: Vec<Range<usize>> = precise.iter().map(|hit| hit.range.clone()).collect();
    let mut redacted = placeholder::cut(others, &taken, text);
    redacted.extend(precise);
    redacted.sort_by_key(|hit| hit.range.start);
    let is_free = |hit: &Hit| {
        let next = redacted.partition_point(|other| other.range.end <= hit.range.start);
        redacted.get(next).is_none_or(|other| hit.range.end <= other.range.start)
    };
    let mut reported: Vec<Hit> = reported.into_iter().filter(is_free).collect();
    reported.dedup_by(|next, hit| next.range.start < hit.range.end);
    redacted.extend(reported);
    redacted.sort_by_key(|hit| hit.range.start);
    placeholder::cut_out(redacted, text)
}

/// Makes one of hits that overlap. They are in order.
fn join(hits: &mut Vec<Hit>) {
    hits.dedup_by(|next, hit| {
        let overlaps = next.range.start < hit.range.end;
        if overlaps {
            hit.range.end = hit.range.end.max(next.range.end);
            if next.shape < hit.shape {
                (hit.rule, hit.shape) = (next.rule, next.shape);
            }
            if next.certainty == Certainty::Certain {
                hit.certainty = Certainty::Certain;
            }
        }
        overlaps
    });
}
