//! Secrets that were found once and are replaced wherever else they stand.
//!
//! A password is found where its name stands before it. A reply that repeats it has no name, so
//! what was found in a session is looked for in all of it, like the values that the user names.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use aho_corasick::AhoCorasick;

use crate::base64;
use crate::boundary::begins_word;
use crate::dictionary::is_words_alone;
use crate::finder::Finder;
use crate::judge::is_harmless;
use crate::pseudonyms::{accounts, person};
use crate::public::is_short_id;
use crate::redactor::Redactor;
use crate::rules::Shape;
use crate::scan::{Certainty, Hit};
use crate::spellings::{out_of_link, spellings};

/// The rule under which a value is replaced that was found elsewhere in the session.
pub(crate) const REPEATED: &str = "repeated-secret";

/// A shorter value would be found in harmless words.
const SHORTEST: usize = 8;

/// A longer value is a document, and has a form by which it is found.
const LONGEST: usize = 4096;

/// How much is remembered of one session or family: a file that is full of secrets must not fill
/// the memory too.
const MOST_VALUES: usize = 2048;
const MOST_BYTES: usize = 128 << 10;
const MOST_PEOPLE: usize = 256;

/// A line of a private key is looked for by itself if it is as long as this.
const SHORTEST_LINE: usize = 40;

/// The part of a value that no program writes in another way is at least so long.
const SHORTEST_CORE: usize = 4;

/// The secrets that were found in a session, or in several that belong together, and the names of
/// people if they are replaced.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FoundSecrets {
    /// The values, with how sure they are.
    values: BTreeMap<Box<str>, Certainty>,
    people: BTreeSet<Box<str>>,
    bytes: usize,
    dropped: u64,
}

impl fmt::Debug for FoundSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FoundSecrets({} values)", self.values.len())
    }
}

impl FoundSecrets {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.people.is_empty()
    }

    /// How many different secrets there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// How many more there were than are remembered. They were replaced where they were found.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether all secrets and names of another session are among these.
    pub fn contains(&self, other: &Self) -> bool {
        other.values.keys().all(|value| self.values.contains_key(value))
            && other.people.is_subset(&self.people)
    }

    /// Takes those of another session in.
    pub fn merge(&mut self, other: &Self) {
        other.values.iter().for_each(|(value, certainty)| self.insert(value, *certainty));
        other.people.iter().for_each(|name| self.insert_person(name));
        self.dropped += other.dropped;
    }

    /// Keeps those for which `keeps` says so of a set with nothing else in it.
    pub fn retain(&mut self, keeps: impl Fn(&Self) -> bool) {
        let alone = |value: &str, certainty: Certainty| Self {
            values: BTreeMap::from([(value.into(), certainty)]),
            ..Self::default()
        };
        self.values.retain(|value, certainty| keeps(&alone(value, *certainty)));
        let alone = |name: &str| Self { people: BTreeSet::from([name.into()]), ..Self::default() };
        self.people.retain(|name| keeps(&alone(name)));
    }

    /// Takes what a rule has found, if it can be told from other text.
    pub(crate) fn add(&mut self, hit: &Hit, secret: &str) {
        match hit.shape {
            // Known values are looked for anyway, and names of people in addresses only.
            Shape::Known => {
                person(hit.rule, secret).into_iter().for_each(|name| self.insert_person(name));
            }
            Shape::PrivateKey => {
                let is_line =
                    |line: &&str| line.len() >= SHORTEST_LINE && line.bytes().all(is_base64_digit);
                let lines = secret.split(['\n', '\r', '\\', ' ', '"']).filter(is_line);
                lines.for_each(|line| self.insert(line, hit.certainty));
            }
            Shape::CredentialUrl => {
                self.insert_repeatable(secret.trim(), hit.certainty);
                // In the address of a database, signs of a password are escaped.
                let plain = out_of_link(secret.trim());
                plain.iter().for_each(|it| self.insert_repeatable(it, hit.certainty));
            }
            _ => self.insert_repeatable(secret.trim(), hit.certainty),
        }
    }

    /// Takes a value if it means the secret wherever it stands.
    fn insert_repeatable(&mut self, value: &str, certainty: Certainty) {
        if may_repeat(value.as_bytes()) {
            self.insert(value, certainty);
        }
    }

    /// Names of people are few; a file that is full of them must not fill the memory.
    fn insert_person(&mut self, name: &str) {
        if self.people.len() < MOST_PEOPLE {
            self.people.insert(name.to_ascii_lowercase().into());
        }
    }

    fn insert(&mut self, value: &str, certainty: Certainty) {
        if let Some(known) = self.values.get_mut(value) {
            if certainty == Certainty::Certain {
                *known = certainty;
            }
            return;
        }
        if self.values.len() >= MOST_VALUES || self.bytes + value.len() > MOST_BYTES {
            self.dropped += 1;
            return;
        }
        self.bytes += value.len();
        self.values.insert(value.into(), certainty);
    }
}

fn is_base64_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a value means the secret wherever it stands.
fn may_repeat(value: &[u8]) -> bool {
    (SHORTEST..=LONGEST).contains(&value.len())
        && !value.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation())
        && !is_harmless(value)
        && !is_words_alone(value)
        && !is_short_id(value)
}

/// Finds values that were found elsewhere.
#[derive(Debug)]
pub(crate) struct Repeated {
    finder: Option<Finder>,
    /// Those among the values that are only likely.
    likely: HashSet<Box<[u8]>>,
    people: Option<AhoCorasick>,
    /// What is looked for before a line is decoded: of values, and of names of people.
    value_cores: Cores,
    people_cores: Cores,
}

/// Parts of values that every program writes alike.
#[derive(Debug)]
enum Cores {
    /// There is no value.
    Nothing,
    /// A value has no such part: it may stand in any line.
    Anywhere,
    In(AhoCorasick),
}

impl Cores {
    fn of<'w>(written: impl Iterator<Item = &'w [u8]>) -> Self {
        let cores: Option<BTreeSet<&[u8]>> = written.map(core).collect();
        match cores {
            Some(cores) if cores.is_empty() => Self::Nothing,
            cores => cores.and_then(folded).map_or(Self::Anywhere, Self::In),
        }
    }

    fn may_stand_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Anywhere => true,
            Self::In(cores) => cores.is_match(line) || has_escaped_letters(line),
        }
    }
}

/// Finds texts whatever their case is.
fn folded(texts: BTreeSet<&[u8]>) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(texts).ok()
}

impl Repeated {
    fn new(found: &FoundSecrets) -> Option<Self> {
        let spelled = |value: &str| -> Vec<String> {
            spellings(value).into_iter().chain(base64::spellings(value.as_bytes())).collect()
        };
        let all = found.values.keys().map(|value| (&**value, spelled(value)));
        let finder = Finder::new(all);
        let names = found.people.iter().map(|name| name.as_bytes());
        let people = folded(names.clone().collect()).filter(|_| !found.people.is_empty());
        if finder.is_none() && people.is_none() {
            return None;
        }
        let value_cores = Cores::of(finder.iter().flat_map(Finder::written));
        let people_cores = Cores::of(names);
        let likely = found.values.iter().filter(|(_, it)| **it == Certainty::Likely);
        let likely = likely.map(|(value, _)| value.as_bytes().into()).collect();
        Some(Self { finder, likely, people, value_cores, people_cores })
    }

    /// Finds names of people where they are accounts.
    pub(crate) fn find_people(&self, text: &str, hits: &mut Vec<Hit>) {
        if let Some(people) = &self.people {
            accounts::find(people, text, hits);
        }
    }

    pub(crate) fn find(&self, text: &[u8], hits: &mut Vec<Hit>) {
        for range in self.finder.iter().flat_map(|finder| finder.find(text)) {
            let value = &text[range.clone()];
            // Letters alone may be a part of a word.
            let is_part = value.iter().all(u8::is_ascii_alphabetic)
                && (!begins_word(text, range.start)
                    || text.get(range.end).is_some_and(u8::is_ascii_alphanumeric));
            if !is_part {
                let certainty = self.certainty_of(value);
                hits.push(Hit { certainty, ..Hit::redact(REPEATED, Shape::Known, range) });
            }
        }
    }

    /// How sure it is that a value, however it is written, is a secret.
    fn certainty_of(&self, written: &[u8]) -> Certainty {
        let is_likely = !self.likely.is_empty() && self.likely.contains(self.value_of(written));
        if is_likely { Certainty::Likely } else { Certainty::Certain }
    }

    pub(crate) fn value_of<'w>(&'w self, written: &'w [u8]) -> &'w [u8] {
        self.finder.as_ref().map_or(written, |finder| finder.value_of(written))
    }
}

/// The longest part of a value that consists of letters and digits.
fn core(written: &[u8]) -> Option<&[u8]> {
    let parts = written.split(|byte| !byte.is_ascii_alphanumeric());
    parts.max_by_key(|part| part.len()).filter(|part| part.len() >= SHORTEST_CORE)
}

/// Whether letters or digits are written as `\u0041`.
fn has_escaped_letters(line: &[u8]) -> bool {
    let is_letter = |at: usize| matches!(line.get(at + 4), Some(b'3'..=b'7'));
    memchr::memmem::find_iter(line, b"\\u00").any(is_letter)
}

impl Redactor {
    /// The same redactor, which also replaces these secrets wherever they stand.
    pub fn knowing(&self, found: &FoundSecrets) -> Self {
        let repeated = Repeated::new(found).map(std::sync::Arc::new);
        self.with_repeated(repeated)
    }

    /// Whether a line of JSON may hold a secret or a name that was found elsewhere. It is quick: most lines
    /// hold none and need not be decoded.
    pub fn may_repeat(&self, line: &[u8]) -> bool {
        let may_hold = |it: &Repeated| it.people_cores.may_stand_in(line);
        self.may_repeat_secret(line) || self.repeated().is_some_and(may_hold)
    }

    /// The same for secrets alone, without the names of people.
    pub fn may_repeat_secret(&self, line: &[u8]) -> bool {
        self.repeated().is_some_and(|it| it.value_cores.may_stand_in(line))
    }

    /// What stands for each of these secrets where it must not be told, in order.
    pub fn digests(&self, found: &FoundSecrets) -> Vec<[u8; 16]> {
        let key = self.key_for("secrets that were found");
        let digest = |value: &str| {
            let hash = crate::Key::new(key).hash(value.as_bytes());
            let mut digest = [0; 16];
            digest.copy_from_slice(&hash[..16]);
            digest
        };
        let people = found.people.iter().map(|name| digest(&format!("person {name}")));
        let mut digests: Vec<_> =
            found.values.keys().map(|value| digest(value)).chain(people).collect();
        digests.sort_unstable();
        digests
    }
}
/// What the user is told if more secrets were found than are remembered:
/// [`FoundSecrets::dropped`].
pub fn too_many_secrets(dropped: u64) -> String {
    format!(
        "too many secrets: {dropped} of them were replaced where they were found and not looked \
         for elsewhere"
    )
}
