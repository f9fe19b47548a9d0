//! Values that stand in the place of a secret: examples, blanks, words that say whether there is
//! one.

use crate::dictionary::is_word;
use crate::names::words;
use crate::random::{is_worded, looks_random};

/// Values that stand for a secret in examples and templates.
const STAND_INS: [&str; 15] = [
    "1password",
    "example",
    "your",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "dummy",
    "sample",
    "insert",
    "replace",
    "undefined",
    "fake",
    "process.env",
    "os.environ",
];

/// Values that say what is done with a secret, or that there is none.
const NO_VALUES: [&str; 26] = [
    "required",
    "optional",
    "enabled",
    "disabled",
    "nullable",
    "sometimes",
    "confirmed",
    "present",
    "missing",
    "unset",
    "unknown",
    "default",
    "prompt",
    "hidden",
    "invalid",
    "expired",
    "inherit",
    "same-origin",
    "omit",
    "include",
    "boolean",
    "number",
    "object",
    "mypassword",
    "undefined",
    "empty",
];

/// The rows of which sequences that nobody draws by lot are pieces.
const ROWS: [&[u8]; 4] = [
    b"abcdefghijklmnopqrstuvwxyz",
    b"01234567890123456789",
    b"98765432109876543210",
    b"qwertyuiop",
];

/// A piece of a row counts if it is as long as this.
const SHORTEST_SEQUENCE: usize = 5;

/// Passwords that everybody writes into examples.
const COMMON_PASSWORDS: [&str; 28] = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "test",
    "user",
    "username",
    "root",
    "admin",
    "postgres",
    "mysql",
    "guest",
    "true",
    "false",
    "null",
    "none",
    "string",
    "hunter2",
    "changeit",
    "letmein",
    "mongodb",
    "redis",
    "rabbitmq",
    "minioadmin",
    "p@ssw0rd",
    "passw0rd",
];

/// Whether a key with the right beginning was written by hand, to show what one looks like.
pub(crate) fn is_made_up(value: &[u8]) -> bool {
    is_sequence(value)
        || has_any(value, &["EXAMPLE", "REDACTED", "redacted", "..."])
        // Of a key drawn by lot no half is a sequence.
        || 2 * sequence_bytes(value) >= value.len()
}

/// Whether a key with all its parts, numbers and then letters (`123456789012-123456789012-…`), may
/// be one although these stand in order: it neither says of itself that it is an example nor
/// repeats one sign.
pub(crate) fn is_drawn(value: &[u8]) -> bool {
    let is_number = |part: &[u8]| part.len() >= 9 && part.iter().all(u8::is_ascii_digit);
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
    let [numbers @ .., last] = &parts[..] else { return false };
    numbers.len() >= 2
        && numbers.iter().all(|part| is_number(part))
        && last.len() >= 24
        && looks_random(last)
        && last.windows(4).all(|run| run.iter().any(|byte| *byte != run[0]))
        && !has_any(value, &["EXAMPLE", "REDACTED", "redacted", "..."])
}

/// Whether a whole value was written by hand: one sign again and again, the digits in their order.
fn is_sequence(value: &[u8]) -> bool {
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let signs = value.iter().filter(is_sign).count();
    sequence_bytes(value) >= signs
}

/// How many bytes of a value are pieces of a row, or the same sign again and again.
fn sequence_bytes(value: &[u8]) -> usize {
    let (mut sum, mut at) = (0, 0);
    while at < value.len() {
        let length = sequence_at(&value[at..]);
        let counts = length >= SHORTEST_SEQUENCE;
        sum += if counts { length } else { 0 };
        at += if counts { length } else { 1 };
    }
    sum
}

/// The length of the sequence with which a value begins.
fn sequence_at(value: &[u8]) -> usize {
    let first = value[0].to_ascii_lowercase();
    let same = value.iter().take_while(|byte| byte.to_ascii_lowercase() == first).count();
    let in_row = |row: &&[u8]| {
        let begin = memchr::memchr(first, row)?;
        let pairs = value.iter().zip(&row[begin..]);
        Some(pairs.take_while(|(byte, sign)| byte.to_ascii_lowercase() == **sign).count())
    };
    ROWS.iter().filter_map(in_row).chain([same]).max().unwrap_or(0)
}

/// Whether a value only stands for a secret: a variable, a blank to fill in, an example, or one
/// that was cut off.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    let ends = ["...", "…", "EXAMPLE", "EXAMPLEKEY"];
    is_common(value) || is_mask(value) || ends.iter().any(|end| value.ends_with(end.as_bytes()))
}

/// Whether a value as a whole stands for any secret. One that has the digits in their order or the
/// word `EXAMPLE` somewhere is a secret nevertheless.
pub(crate) fn is_common(value: &[u8]) -> bool {
    is_blank(value) || is_sequence(value) || is_example(value)
}

/// Whether nothing but the beginning or the end of a value is shown: `sk-ant-****`, `q7xxxxxxxx`.
fn is_mask(value: &[u8]) -> bool {
    let hides = |byte: &&u8| matches!(**byte, b'*' | b'x' | b'X' | b'.' | b'#');
    let hidden = value.iter().filter(hides).count();
    let is_run = |run: &[u8]| run.iter().all(|byte| hides(&byte) && *byte == run[0]);
    value.windows(6).any(is_run) && 2 * hidden >= value.len()
}

/// Whether a value says of itself that it is an example, in words: `your-api-key-here`.
fn is_example(value: &[u8]) -> bool {
    let is_known = |part: &[u8]| {
        part.len() < 4
            || part.iter().all(u8::is_ascii_digit)
            || is_word(part)
            || STAND_INS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(part))
            || is_sequence(part)
    };
    has_any(&value.to_ascii_lowercase(), &STAND_INS)
        && is_worded(value)
        && words(value).all(is_known)
}

/// Whether a value is filled in later: `$NAME`, `<key>`, `{{ key }}`, `%s`. A password may begin
/// with such a sign and then go on as no name does.
fn is_blank(value: &[u8]) -> bool {
    match value {
        [] | [b'<' | b'{' | b'[', ..] => true,
        [b'$', rest @ ..] => is_variable(rest),
        [b'%', high, low, ..] => {
            let is_sign = high.is_ascii_digit() && low.is_ascii_hexdigit();
            !is_sign
        }
        [b'%', ..] => true,
        _ => false,
    }
}

/// Whether a `$` with this behind it is a variable.
fn is_variable(name: &[u8]) -> bool {
    match name.first() {
        None | Some(b'{' | b'(' | b'$' | b'?' | b'@' | b'*') => true,
        Some(byte) if byte.is_ascii_digit() => name.iter().all(u8::is_ascii_digit),
        Some(_) => is_worded(name),
    }
}

/// Whether a value is what stands in the place of a password without being one: a word that says
/// whether it is needed, rules for it (`required|min:8`), a field's name (`forgot-password`).
pub(crate) fn is_no_value(value: &[u8]) -> bool {
    let first = value.split(|byte| *byte == b'|').next().unwrap_or_default();
    let is_name_byte = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b' ');
    let names_password = || has_any(&value.to_ascii_lowercase(), &["password", "secret"]);
    NO_VALUES.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(first))
        || value.iter().all(is_name_byte) && names_password()
}

/// Whether a password is one of those that examples have.
pub(crate) fn is_common_password(value: &[u8]) -> bool {
    COMMON_PASSWORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value))
}

fn has_any(value: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(value, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_known() {
        for value in ["$TOKEN", "${TOKEN}", "<your-key>", "{{ key }}", "xxxxxxxxxx", "your_api_key"]
        {
            assert!(is_stand_in(value.as_bytes()), "{value}");
        }
        for value in ["q7Zk2mPx", "$Win7terZq", "%21Win7terZq", "Yourt9xQwLm2"] {
            assert!(!is_stand_in(value.as_bytes()), "{value}");
        }
    }
}
