//! The rules that are no single form: addresses, headers and commands.
//!
//! [`crate::private_key`] has the one for blocks, [`crate::assignment`] the one for values that are
//! assigned to a name.

use std::ops::Range;

use memchr::memmem;

use crate::boundary::begins_word;
use crate::plausible::{entropy, is_common_password, is_mixed, is_stand_in, looks_like_key};
use crate::rules::Rule;
use crate::scan::{Hit, Scan};

/// The longest value of a rule here.
const LONGEST_VALUE: usize = 512;

/// How far the options of a command are looked through.
const LONGEST_COMMAND: usize = 1024;

/// The value that is assigned to the name in which a word stands: `vendor_key = "value"`.
///
/// Between the word and the value lie at most the rest of the name, quotes, and a sign.
pub(crate) fn value_near(text: &[u8], from: usize) -> Option<Range<usize>> {
    let is_name = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t' | b'_' | b'.' | b'-')
    };
    let is_quote =
        |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    let at = skip(text, from, 20, is_name);
    let sign = skip(text, at, 4, is_quote);
    let after = skip(text, sign, 3, |byte| matches!(byte, b'=' | b':' | b'>' | b'|' | b'?' | b','));
    if after == sign {
        return None;
    }
    let start = skip(text, after, 6, |byte| is_quote(byte) || byte == b'=');
    let end =
        skip(text, start, LONGEST_VALUE, |byte| is_key_byte(byte) || matches!(byte, b':' | b'|'));
    let end = start + text[start..end].trim_ascii_end().len();
    let kept =
        text[start..end].iter().rev().skip_while(|byte| matches!(**byte, b'.' | b':')).count();
    (kept > 0).then_some(start..start + kept)
}

/// Goes over at most `most` bytes.
pub(crate) fn skip(text: &[u8], from: usize, most: usize, takes: impl Fn(u8) -> bool) -> usize {
    from + text[from..].iter().take(most).take_while(|byte| takes(**byte)).count()
}

/// What keys and tokens consist of.
fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%')
}

/// The password in `scheme://user:password@host`, or a token in the user's place.
pub(crate) fn credential_url(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let has_scheme = word.start > 1 && scan.text[word.start - 1].is_ascii_alphanumeric();
    let ends_authority = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let end = skip(scan.text, word.end, LONGEST_VALUE, |byte| !ends_authority(byte));
    let Some(at) = memchr::memrchr(b'@', &scan.text[word.end..end]) else { return };
    let credentials = &scan.text[word.end..word.end + at];
    let secret = match memchr::memchr(b':', credentials) {
        Some(colon) => word.end + colon + 1..word.end + at,
        None if at >= 20 => word.end..word.end + at,
        None => return,
    };
    let value = &scan.text[secret.clone()];
    let is_token_only = secret.start == word.end;
    let is_secret = value.len() >= 3
        && !is_stand_in(value)
        && !is_common_password(value)
        // The form of an address, as documents write it.
        && !value.iter().any(|byte| matches!(byte, b'[' | b']'))
        && (!is_token_only || is_key(value));
    if has_scheme && is_secret {
        scan.hits.push(Hit::redact(rule.id, rule.shape, secret));
    }
}

/// `Authorization: Bearer …` and its kin, and `bearer …` alone.
pub(crate) fn authorization(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    let is_filler = |byte: u8| {
        matches!(byte, b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'`' | b'\\' | b',' | b'(')
    };
    let mut start = skip(text, word.end, 8, is_filler);
    if start == word.end || !begins_word(text, word.start) || scan.is_taken(&word) {
        return;
    }
    let is_bearer = text[word.start].eq_ignore_ascii_case(&b'b');
    let mut least = 16;
    let scheme = skip(text, start, 8, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is = |name: &[u8]| text[start..scheme].eq_ignore_ascii_case(name);
    if is(b"basic") {
        least = 8;
    }
    let has_scheme =
        is(b"basic") || is(b"token") || is(b"bearer") || is(b"apikey") || is(b"api-key");
    if has_scheme {
        start = skip(text, scheme, 4, is_filler);
    }
    let end = skip(text, start, LONGEST_VALUE, is_key_byte);
    let value = &text[start..end];
    // Without a scheme anything may follow, also code and the name of another scheme.
    let is_sure = has_scheme || is_bearer || is_mixed(value) && text.get(end) != Some(&b'(');
    if value.len() >= least && is_sure && is_key(value) && !value.starts_with(b"AWS4-HMAC") {
        let end = skip(text, end, usize::MAX, is_key_byte);
        scan.take(Hit::redact(rule.id, rule.shape, start..end));
    }
}

/// `X-Api-Key: …` and its kin.
pub(crate) fn header_key(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let is_filler =
        |byte: u8| matches!(byte, b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'\\' | b',');
    let start = skip(scan.text, word.end, 8, is_filler);
    let end = skip(scan.text, start, LONGEST_VALUE, is_key_byte);
    let value = &scan.text[start..end];
    if value.len() >= 16 && is_key(value) && !scan.is_taken(&word) {
        let end = skip(scan.text, end, usize::MAX, is_key_byte);
        scan.take(Hit::redact(rule.id, rule.shape, start..end));
    }
}

/// Whether what stands in the place of a key is one.
fn is_key(value: &[u8]) -> bool {
    entropy(value) >= 3.0 && looks_like_key(value) && !is_stand_in(value)
}

/// A password among the options of a command.
pub(crate) fn command_password(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    match text[word.clone()].to_ascii_lowercase().as_slice() {
        b"curl" if begins_word(text, word.start) => {
            for option in [&b" -u"[..], b" --user"] {
                if let Some(pair) = option_value(text, word.end, option)
                    && let Some(colon) = memchr::memchr(b':', &text[pair.clone()])
                {
                    password(scan, rule, pair.start + colon + 1..pair.end);
                }
            }
        }
        b"sshpass" => {
            if let Some(value) = option_value(text, word.end, b" -p") {
                password(scan, rule, value);
            }
        }
        b"--password" | b"--passwd" => {
            let value = word_after(text, word.end);
            let is_value = match text.get(word.end) {
                Some(b'=') => true,
                // In a sentence about the option any word may follow.
                Some(b' ') => !text[value.clone()].iter().all(u8::is_ascii_alphabetic),
                _ => false,
            };
            if is_value {
                password(scan, rule, value);
            }
        }
        _ => {}
    }
}

fn password(scan: &mut Scan<'_>, rule: &Rule, range: Range<usize>) {
    let value = &scan.text[range.clone()];
    let is_option = value.starts_with(b"-");
    // What is longer than can be looked at is no password.
    let is_whole = (6..LONGEST_VALUE).contains(&value.len());
    if is_whole && !is_option && !is_stand_in(value) && !is_common_password(value) {
        scan.hits.push(Hit::redact(rule.id, rule.shape, range));
    }
}

/// The value of an option of the command that goes on at `from`.
fn option_value(text: &[u8], from: usize, option: &[u8]) -> Option<Range<usize>> {
    let command = &text[from..text.len().min(from + LONGEST_COMMAND)];
    let found = from + memmem::find(command, option)? + option.len();
    let value = word_after(text, found);
    (!value.is_empty()).then_some(value)
}

/// The word of a shell after a space or `=`, without its quotes.
fn word_after(text: &[u8], from: usize) -> Range<usize> {
    let start = skip(text, from, 2, |byte| matches!(byte, b' ' | b'='));
    if let Some(quote @ (b'"' | b'\'')) = text.get(start).copied() {
        let start = start + 1;
        return start..skip(text, start, LONGEST_VALUE, |byte| byte != quote && byte != b'\n');
    }
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b';' | b'&' | b'|' | b'\\' | b')')
    };
    start..skip(text, start, LONGEST_VALUE, |byte| !ends(byte))
}
