//! Whether a value is a secret, given what its name says.

use crate::dictionary::is_words_alone;
use crate::names::{Secrecy, secrecy};
use crate::public::{is_identifier, is_place, is_public_key, is_uuid};
use crate::random::{entropy, is_long_key, is_mixed, is_worded, looks_random};
use crate::stand_in::{is_common_password, is_no_value, is_stand_in};

/// How long a value in code is at least if it looks random: a password, a key, and a value with a
/// name that other things have as well.
const SHORTEST_PASSWORD: usize = 8;
const SHORTEST_KEY: usize = 16;
const SHORTEST_LIKELY: usize = 20;

/// Fewer hexadecimal digits are an identifier, whatever their name says.
const SHORTEST_DIGEST: usize = 32;

/// A longer text is no name of a member.
const LONGEST_NAME: usize = 64;

/// A longer text with spaces is no passphrase.
const LONGEST_PHRASE: usize = 128;

/// Whether a value looks like a secret to which such a name is given.
pub(crate) fn is_key(secrecy: Secrecy, value: &[u8]) -> bool {
    let has_sign = || value.iter().any(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let is_random = || looks_random(value);
    let fits = match secrecy {
        Secrecy::None => false,
        Secrecy::Pass => is_chosen(value),
        Secrecy::Password => value.len() >= 6 && (is_random() || has_sign()),
        Secrecy::Sure => {
            let is_drawn = is_random() || is_long_key(value);
            value.len() >= 8 && is_drawn && entropy(value) >= 2.8
        }
        Secrecy::Likely => {
            let is_long = value.len() >= 16 && is_random() && entropy(value) >= 3.5;
            is_long && !is_identifier(value) && !is_worded(value)
        }
    };
    fits && !is_harmless(value)
}

/// Whether a value to which such a name is given looks drawn at random, so that it is a secret even
/// in code. Words, identifiers and what people write into examples do not.
pub(crate) fn looks_drawn(secrecy: Secrecy, value: &[u8]) -> bool {
    // The password of an address is looked for in the address.
    let has = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    if has(b"://") || has(b":\\/") || has(b"EXAMPLE") {
        return false;
    }
    let is_known = |word: &[u8]| is_common_password(word) || is_words_alone(word);
    let names_password = || memchr::memmem::find(&value.to_ascii_lowercase(), b"pass").is_some();
    match secrecy {
        Secrecy::None => false,
        Secrecy::Pass | Secrecy::Password => {
            let is_odd = is_chosen(value) || kinds(value) == 4 || is_mixed(value);
            let is_long = value.len() >= SHORTEST_PASSWORD;
            is_long && is_odd && !is_weak(value, is_known) && !names_password()
        }
        Secrecy::Sure => {
            let is_long = value.len() >= SHORTEST_KEY && is_mixed(value) && !is_worded(value);
            let is_id = is_uuid(value) || is_identifier(value) && value.len() < SHORTEST_DIGEST;
            is_long && !is_id
        }
        Secrecy::Likely => {
            let is_long = value.len() >= SHORTEST_LIKELY && entropy(value) >= 3.5;
            is_long && kinds(value) >= 3 && is_mixed(value) && !is_public_key(value)
        }
    }
}

/// Whether a value is a secret if nobody gives such a name to anything else: a variable.
pub(crate) fn is_named(secrecy: Secrecy, value: &[u8]) -> bool {
    let fits = match secrecy {
        Secrecy::None => false,
        Secrecy::Pass => is_chosen(value),
        Secrecy::Likely => {
            let is_random = value.len() >= 8 && looks_random(value);
            is_random && !is_identifier(value) && !is_worded(value)
        }
        Secrecy::Sure | Secrecy::Password => value.len() >= 6,
    };
    fits && !is_harmless(value)
}

/// Whether the value of a member is a secret. Unlike an assignment in a text it is known where the
/// value ends, so it may have spaces and quotes; but a label or a description may stand there too.
pub(crate) fn is_secret_member(name: &str, secrecy: Secrecy, value: &str) -> bool {
    let is_variable = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let value = value.trim().as_bytes();
    if value.iter().any(u8::is_ascii_whitespace) {
        return secrecy != Secrecy::None && !is_harmless(value) && is_phrase(secrecy, value);
    }
    let is_named_only = name.contains('_') && name.bytes().all(is_variable);
    is_key(secrecy, value) || is_named_only && is_named(secrecy, value)
}

/// The secrecy of a member, with that of what is around it where its own name says nothing.
pub(crate) fn member_secrecy(name: &str, outer: Option<&str>) -> Secrecy {
    if !is_plain_name(name) {
        return Secrecy::None;
    }
    let own = secrecy(name.as_bytes());
    let Some(outer) = outer.filter(|_| own == Secrecy::None) else { return own };
    let around = secrecy(outer.as_bytes());
    match around {
        _ if crate::names::is_neutral(name.as_bytes()) => around,
        Secrecy::Password if crate::names::is_plural(outer.as_bytes()) => Secrecy::Pass,
        Secrecy::Sure | Secrecy::Likely if crate::names::is_plural(outer.as_bytes()) => {
            Secrecy::Likely
        }
        _ => Secrecy::None,
    }
}

/// Whether a name is one, and not a text or a placeholder.
fn is_plain_name(name: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-. :/$".contains(&byte);
    name.len() <= LONGEST_NAME && name.bytes().all(is_name)
}

/// Whether several words are a secret: one of them is none that a sentence has.
fn is_phrase(secrecy: Secrecy, value: &[u8]) -> bool {
    let bare = |word: &'_ [u8]| -> Vec<u8> {
        let is_mark = |byte: &u8| b".,:;?\"'()`".contains(byte);
        let end = word.len() - word.iter().rev().take_while(|byte| is_mark(byte)).count();
        let start = word[..end].iter().take_while(|byte| is_mark(byte)).count();
        word[start..end].to_vec()
    };
    let is_odd = |word: &[u8]| {
        let word = bare(word);
        let has_digit = word.iter().any(u8::is_ascii_digit);
        let has_other = word.iter().any(|byte| !byte.is_ascii_digit());
        match secrecy {
            Secrecy::Password => has_digit && has_other && !is_identifier(&word),
            _ => word.len() >= 8 && is_mixed(&word) && !is_identifier(&word),
        }
    };
    value.len() <= LONGEST_PHRASE && value.split(u8::is_ascii_whitespace).any(is_odd)
}

/// Whether somebody chose a value as a password: it has signs of three kinds.
pub(crate) fn is_chosen(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    value.len() >= 8 && kinds(value) >= 3 && digits > 0 && (digits > 2 || !is_worded(value))
}

/// How many kinds of characters a value has: small and capital letters, digits, and signs that
/// names do not have.
pub(crate) fn kinds(value: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit, |byte| {
            byte.is_ascii_punctuation() && !b"_.-$:,()[]{}<>".contains(byte)
        }];
    kinds.iter().filter(|kind| value.iter().any(*kind)).count()
}

/// Whether a password is one that tests have: a word of this kind, and behind it a number or a sign.
pub(crate) fn is_weak(value: &[u8], is_known: impl Fn(&[u8]) -> bool) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, rest) = value.split_at(letters);
    is_known(word) && rest.iter().all(|byte| byte.is_ascii_digit() || b"!@#$%&*_-.".contains(byte))
}

pub(crate) fn is_harmless(value: &[u8]) -> bool {
    is_stand_in(value) || is_common_password(value) || is_no_value(value) || is_place(value)
}
