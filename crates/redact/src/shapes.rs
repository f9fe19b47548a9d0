//! The rules that are no single form: addresses and headers.
//!
//! [`crate::private_key`] has the one for blocks, [`crate::commands`] the one for command lines,
//! [`crate::formats`] those for the files of certain programs, and [`crate::assignment`] the one for
//! values that are assigned to a name.

use std::ops::Range;

use crate::boundary::begins_word;
use crate::random::{entropy, is_mixed, looks_like_key};
use crate::rules::Rule;
use crate::scan::{Hit, Scan};
use crate::stand_in::{is_common_password, is_stand_in};

/// The longest value of a rule here.
const LONGEST_VALUE: usize = 512;

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

/// Goes over at most `most` bytes; over none behind the end of the text.
pub(crate) fn skip(text: &[u8], from: usize, most: usize, takes: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| takes(**byte)).count()
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
pub(crate) fn is_key(value: &[u8]) -> bool {
    entropy(value) >= 3.0 && looks_like_key(value) && !is_stand_in(value)
}
