//! Passwords that somebody tells in a sentence: "my password is …".
//!
//! A sentence may say anything of a password, so what follows must look like one, and even then it
//! is only likely.

use std::ops::Range;

use crate::dictionary::is_words_alone;
use crate::judge::{is_harmless, is_key, kinds, looks_drawn};
use crate::names::{Secrecy, secrecy};
use crate::public::is_identifier;
use crate::random::is_mixed;
use crate::shapes::skip;

/// A shorter word is not taken for a password.
const SHORTEST: usize = 8;

/// A longer word is something else.
const LONGEST: usize = 128;

/// How far behind its name the value may be told: "the password for the new staging server is …".
const LONGEST_DETOUR: usize = 64;

/// The value that is told of the secret with this name.
pub(crate) fn said(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let start = value_start(text, name.end)?;
    let is_quote = |byte: u8| b"\"'`*".contains(&byte);
    let start = skip(text, start, 4, is_quote);
    let ends = |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_control();
    let ends = |byte: u8| ends(byte) || is_quote(byte) || b"<>\\".contains(&byte);
    let end = skip(text, start, LONGEST + 1, |byte| !ends(byte));
    let is_mark = |byte: &&u8| b".,;:?)]}".contains(*byte);
    let end = end - text[start..end].iter().rev().take_while(is_mark).count();
    let value = &text[start..end];
    let is_secret = (SHORTEST..=LONGEST).contains(&value.len())
        && match secrecy(&text[name.clone()]) {
            Secrecy::None => false,
            Secrecy::Pass | Secrecy::Password => looks_like_password(value),
            secrecy => is_key(secrecy, value) && looks_drawn(secrecy, value),
        };
    is_secret.then_some(start..end)
}

/// Where the value begins, behind `is` or `is:`. It is asked for nearly every name in a text, so
/// the next letter decides.
fn value_start(text: &[u8], name_end: usize) -> Option<usize> {
    let rest = text.get(name_end..)?;
    let rest = &rest[..rest.len().min(LONGEST_DETOUR)];
    let verb = match rest {
        [b' ', b'i', b's', ..] => 0,
        [b' ', b'f' | b'o' | b't', ..] => {
            let is_detour = [&b" for "[..], b" of ", b" to "].iter().any(|it| rest.starts_with(it));
            let line = rest.split(|byte| matches!(byte, b'\n' | b'.' | b';' | b'?')).next()?;
            memchr::memmem::find(line, b" is").filter(|_| is_detour)?
        }
        _ => return None,
    };
    let at = verb + 3;
    let at = at + usize::from(rest.get(at) == Some(&b':'));
    (rest.get(at) == Some(&b' ')).then_some(name_end + at + 1)
}

/// Whether a word of a sentence is a password: it has letters and digits, and is not a term such as
/// `SHA-256` or `base64-encoded`.
fn looks_like_password(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    let is_term = || {
        let has_joint = value.iter().any(|byte| b"-_./:".contains(byte));
        let last = value.rsplit(|byte| *byte == b'-').next().unwrap_or_default();
        has_joint && !(last.iter().all(u8::is_ascii_digit) && has(u8::is_ascii_lowercase))
    };
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && (kinds(value) >= 3 || is_mixed(value) || !is_term())
        && !is_harmless(value)
        && !is_identifier(value)
        && !is_words_alone(value)
        && !value.ends_with(b"(")
        && memchr::memmem::find(&value.to_ascii_lowercase(), b"pass").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, name: &str) -> Option<String> {
        let start = text.find(name).unwrap_or_default();
        let value = said(text.as_bytes(), &(start..start + name.len()))?;
        Some(text[value].to_owned())
    }

    #[test]
    fn passwords_are_found_in_sentences() {
        for (text, value) in [
            ("my password is Zebra!Moon42", "Zebra!Moon42"),
            ("the admin password is orange-Battery-91, log in.", "orange-Battery-91"),
            ("password is `hunter2hunter2`.", "hunter2hunter2"),
            ("Its password for the staging box is: lemon-tree-77 (new)", "lemon-tree-77"),
            ("the password to db1 is Tr0ub4dor&3!", "Tr0ub4dor&3!"),
        ] {
            assert_eq!(told(text, "password").as_deref(), Some(value), "{text}");
        }
        let text = "the token is q8Zr2LmX0vB7nK4tYw9sHd3fGj6pRc1e.";
        let value = "q8Zr2LmX0vB7nK4tYw9sHd3fGj6pRc1e";
        assert_eq!(told(text, "token").as_deref(), Some(value));
    }

    #[test]
    fn what_is_said_about_passwords_is_not_one() {
        for text in [
            "the password is required",
            "password is SHA-256 hashed",
            "the password is base64-encoded",
            "password is 12345678",
            "password is 8 characters long",
            "the password is password123",
            "a password is $DB_PASSWORD1",
            "password is stored in /etc/app/config2.json",
            "password is in config2.yaml",
            "the password for it. This is Zebra!Moon42",
            "the password that is Zebra!Moon42",
            "password isn't Zebra!Moon42",
        ] {
            assert_eq!(told(text, "password"), None, "{text}");
        }
        assert_eq!(told("the token is refreshed_by_worker_2024", "token"), None);
    }
}
