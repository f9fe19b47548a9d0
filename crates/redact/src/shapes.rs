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
/// Between the word and the value lie at most the rest of the name, quotes, and a sign. The first
/// number is where the name ends.
pub(crate) fn value_near(text: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
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
    (kept > 0).then_some((at, start..start + kept))
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
    let text = scan.text;
    let is_scheme =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'.' | b'-');
    let length = text[..word.start].iter().rev().take(16).take_while(is_scheme).count();
    let scheme = &text[word.start - length..word.start];
    let has_scheme = scheme.len() > 1 && scheme[scheme.len() - 1].is_ascii_alphanumeric();
    let Some(at) = has_scheme.then(|| before_host(text, word.end, is_web(scheme))).flatten() else {
        return;
    };
    let credentials = &text[word.end..at];
    let (user, secret) = match memchr::memchr(b':', credentials) {
        Some(colon) => (&credentials[..colon], word.end + colon + 1..at),
        None if credentials.len() >= 20 => (&[][..], word.end..at),
        None => return,
    };
    let value = &text[secret.clone()];
    let is_token_only = secret.start == word.end;
    // `localhost:3000@v1` is a port.
    let is_host = user == b"localhost" || user.contains(&b'.');
    let is_port = is_host && value.iter().all(u8::is_ascii_digit);
    let is_secret = value.len() >= 3
        && !is_stand_in(value)
        && !is_common_password(value)
        && !is_port
        // The form of an address, as documents write it: `user[:password]@host`.
        && !user.contains(&b'[')
        && (!is_token_only || is_key(value));
    if is_secret {
        scan.hits.push(Hit::redact(rule.id, rule.shape, secret));
    }
}

/// Whether paths with colons and `@` belong to addresses of this kind.
fn is_web(scheme: &[u8]) -> bool {
    let schemes = ["http", "https", "ws", "wss", "git", "ssh", "file", "npm", "data", "git+ssh"];
    schemes.iter().any(|web| web.as_bytes().eq_ignore_ascii_case(scheme))
}

/// Where the `@` stands before the host of an address that begins at `from`.
///
/// It stands before the first `/`. Only in the address of a database, where nobody writes paths
/// with an `@`, a password is looked for that has such signs in it.
fn before_host(text: &[u8], from: usize, is_web: bool) -> Option<usize> {
    let ends_address = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let ends_authority = |byte: u8| ends_address(byte) || matches!(byte, b'/' | b'?' | b'#');
    let end = skip(text, from, LONGEST_VALUE, |byte| !ends_authority(byte));
    if let Some(at) = memchr::memrchr(b'@', &text[from..end]) {
        return Some(from + at);
    }
    let colon = memchr::memchr(b':', &text[from..end])?;
    let port = &text[from + colon + 1..end];
    if is_web || port.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let last = skip(text, end, LONGEST_VALUE, |byte| !ends_address(byte));
    let at = end + memchr::memchr(b'@', &text[end..last])?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let host = skip(text, at + 1, 255, is_host);
    let is_ended = host == last || matches!(text.get(host), Some(b':' | b'/' | b'?'));
    (host > at + 1 && is_ended).then_some(at)
}

/// `Authorization: Bearer …` and its kin, and `bearer …` alone.
pub(crate) fn authorization(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    let is_filler = |byte: u8| {
        matches!(byte, b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'`' | b'\\' | b',' | b'(')
    };
    let mut start = skip(text, word.end, 8, is_filler);
    // Behind the end of a line, also a written one, something else begins.
    let is_line_end =
        start > 0 && text[start - 1] == b'\\' && matches!(text.get(start), Some(b'n' | b'r'));
    let is_value = start > word.end && !is_line_end;
    if !is_value || !begins_word(text, word.start) || scan.is_taken(&word) {
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
        scan.take(Hit::redact(rule.id, rule.shape, start..key_end(text, end)));
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
        scan.take(Hit::redact(rule.id, rule.shape, start..key_end(scan.text, end)));
    }
}

/// Where a key ends of which so much was looked at. It may have parts behind colons; what ends a
/// sentence is no part of it.
fn key_end(text: &[u8], looked: usize) -> usize {
    let mut end = skip(text, looked, usize::MAX, is_key_byte);
    while text.get(end) == Some(&b':') && text.get(end + 1).is_some_and(|byte| is_key_byte(*byte)) {
        end = skip(text, end + 1, usize::MAX, is_key_byte);
    }
    end - text[..end].iter().rev().take_while(|byte| **byte == b'.').count()
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
