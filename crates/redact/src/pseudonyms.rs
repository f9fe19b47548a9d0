//! Personal data: home folders, user names, hosts and e-mail addresses.
//!
//! They are no secrets, so a reader may need to see that two paths lie in the same home: each is
//! replaced by a name that is made from its keyed hash.

use memchr::memmem;

use crate::placeholder::Key;
use crate::rules::Shape;
use crate::scan::Hit;

const HOME: &str = "home-path";
const USER: &str = "user-name";
const HOST: &str = "host-name";
const EMAIL: &str = "email";

/// Folders in which homes lie.
const HOMES: [&str; 4] = ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"];

/// Names that say nothing about a person.
const NOBODY: [&str; 18] = [
    "home",
    "users",
    "tmp",
    "work",
    "root",
    "user",
    "admin",
    "ubuntu",
    "debian",
    "runner",
    "node",
    "shared",
    "public",
    "default",
    "localhost",
    "vscode",
    "app",
    "git",
];

/// Addresses that belong to nobody: domains that are reserved or only answer machines.
const NO_PERSON: [&str; 6] = [
    "example.com",
    "example.org",
    "example.invalid",
    "noreply.github.com",
    "github.com",
    "localhost",
];

/// Which personal data is replaced. By default none.
#[derive(Clone, Debug, Default)]
pub struct Pseudonyms {
    /// The name in `/home/NAME`, `/Users/NAME` and `C:\Users\NAME`.
    pub homes: bool,
    /// E-mail addresses.
    pub emails: bool,
    /// These user names, as whole words.
    pub users: Vec<String>,
    /// These host names, as whole words.
    pub hosts: Vec<String>,
}

impl Pseudonyms {
    pub(crate) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.homes {
            HOMES.iter().for_each(|folder| homes(text, folder, hits));
        }
        if self.emails {
            emails(text, hits);
        }
        self.users.iter().for_each(|user| words(text, user, USER, hits));
        self.hosts.iter().for_each(|host| words(text, host, HOST, hits));
    }

    /// What is written instead; `None` for the name of another rule.
    pub(crate) fn replacement(rule: &str, name: &str, key: &Key) -> Option<String> {
        let digits = || key.digits(name.to_ascii_lowercase().as_bytes());
        match rule {
            HOME | USER => Some(format!("user-{}", digits())),
            HOST => Some(format!("host-{}", digits())),
            EMAIL => Some(format!("mail-{}@example.invalid", digits())),
            _ => None,
        }
    }
}

fn homes(text: &str, folder: &str, hits: &mut Vec<Hit>) {
    for found in memmem::find_iter(text.as_bytes(), folder) {
        let start = found + folder.len();
        let name = text[start..].bytes().take(64).take_while(|byte| is_name(*byte)).count();
        if !is_nobody(&text[start..start + name]) {
            hits.push(Hit::redact(HOME, Shape::Known, start..start + name));
        }
    }
}

fn words(text: &str, word: &str, rule: &'static str, hits: &mut Vec<Hit>) {
    if is_nobody(word) {
        return;
    }
    for start in memmem::find_iter(text.as_bytes(), word) {
        let end = start + word.len();
        let goes_on = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let is_pseudonym = text.as_bytes()[end..].starts_with(b"-")
            && is_digits(text.as_bytes().get(end + 1..end + 9).unwrap_or_default());
        if !goes_on(before) && !goes_on(text.as_bytes().get(end)) && !is_pseudonym {
            hits.push(Hit::redact(rule, Shape::Known, start..end));
        }
    }
}

fn emails(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        let is_local = |byte: &&u8| is_name(**byte) || matches!(**byte, b'+' | b'%');
        let start = at - bytes[..at].iter().rev().take(64).take_while(is_local).count();
        let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'.');
        let length = bytes[at + 1..].iter().take(128).take_while(is_domain).count();
        let domain = text[at + 1..at + 1 + length].trim_end_matches(['.', '-']);
        let last = domain.rsplit_once('.').map_or("", |(_, last)| last);
        let has_end = last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_no_person = NO_PERSON.iter().any(|other| domain.eq_ignore_ascii_case(other))
            || text[start..at].to_ascii_lowercase().contains("noreply");
        if start < at && has_end && !is_no_person {
            hits.push(Hit::redact(EMAIL, Shape::Known, start..at + 1 + domain.len()));
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

fn is_nobody(name: &str) -> bool {
    let made = name.strip_prefix("user-").or(name.strip_prefix("host-"));
    name.len() < 2
        || NOBODY.iter().any(|other| name.eq_ignore_ascii_case(other))
        || made.is_some_and(|digits| digits.len() == 8 && is_digits(digits.as_bytes()))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
