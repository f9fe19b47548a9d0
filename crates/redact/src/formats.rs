//! Values in the forms of certain files and protocols: `.netrc`, XML, `define`, SQL, cookies, and
//! tokens that are known by their parts alone.

use std::ops::Range;

use crate::base64;
use crate::boundary::begins_word;
use crate::dictionary::{is_word, is_words_alone};
use crate::judge::{is_harmless, is_key, is_named, is_weak};
use crate::names::{Secrecy, secrecy};
use crate::random::{entropy, is_long_key, looks_random};
use crate::rules::{GENERIC, Rule, Shape};
use crate::scan::{Context, Hit, Scan};
use crate::shapes::skip;
use crate::stand_in::is_common_password;

/// The longest value of a rule here.
const LONGEST_VALUE: usize = 512;

/// How far before a password the words are looked for that make it one.
const LONGEST_ENTRY: usize = 256;

/// How much of a header with cookies is looked at.
const LONGEST_HEADER: usize = 4096;

/// A value that stands behind a name in another way than an assignment: the rule and the value.
pub(crate) fn value_of(
    text: &[u8],
    context: Context,
    name: &Range<usize>,
) -> Option<(&'static str, Range<usize>)> {
    let next = text.get(name.end)?;
    let before = text[..name.start].last();
    let generic = |value: Range<usize>| (GENERIC, value);
    match next {
        b'>' if before == Some(&b'<') => element(text, context, name).map(generic),
        b'"' | b'\'' if matches!(before, Some(b'"' | b'\'')) => {
            let constant = constant(text, name).map(|value| ("env-assignment", value));
            constant.or_else(|| encoded_login(text, name).map(|value| ("basic-auth", value)))
        }
        b' ' | b'\t' | b'\n' | b'\r' => {
            let netrc = netrc(text, name).map(|value| ("netrc-password", value));
            netrc
                .or_else(|| directive(text, name).map(generic))
                .or_else(|| quoted_behind(text, name).map(|value| ("sql-password", value)))
                .or_else(|| encoded_login(text, name).map(|value| ("basic-auth", value)))
                .or_else(|| app_password(text, name).map(|value| ("app-password", value)))
        }
        b'=' | b':' => {
            let app = app_password(text, name).map(|value| ("app-password", value));
            app.or_else(|| encoded_login(text, name).map(|value| ("basic-auth", value)))
        }
        _ => None,
    }
}

fn is(text: &[u8], name: &Range<usize>, names: &[&str]) -> bool {
    names.iter().any(|other| other.as_bytes().eq_ignore_ascii_case(&text[name.clone()]))
}

/// The word that begins here.
fn word_at(text: &[u8], start: usize) -> Range<usize> {
    let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    start..skip(text, start, LONGEST_VALUE, |byte| !ends(byte))
}

/// Whether a value may be a password that somebody chose, where nothing else is expected.
fn may_be_password(value: &[u8]) -> bool {
    let is_password = (6..LONGEST_VALUE).contains(&value.len())
        && !value.iter().any(u8::is_ascii_whitespace)
        && !value.starts_with(b"[REDACTED");
    is_password && !is_harmless(value) && !is_words_alone(value)
}

/// `machine host login ana password …`, on one line or on several.
fn netrc(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !is(text, name, &["password"]) {
        return None;
    }
    let entry = &text[name.start.saturating_sub(LONGEST_ENTRY)..name.start];
    let login = memchr::memmem::rfind(entry, b"login ")?;
    let machine = memchr::memmem::rfind(&entry[..login], b"machine ")
        .or_else(|| memchr::memmem::rfind(&entry[..login], b"default "))?;
    // Between them stand the host and nothing else, and behind the login its name.
    let words =
        |part: &[u8]| part.split(u8::is_ascii_whitespace).filter(|it| !it.is_empty()).count();
    if words(&entry[machine..login]) > 2 || words(&entry[login..]) != 2 {
        return None;
    }
    let value = word_at(text, skip(text, name.end, 8, |byte| byte.is_ascii_whitespace()));
    may_be_password(&text[value.clone()]).then_some(value)
}

/// A line `requirepass …` of a server's settings.
fn directive(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !is(text, name, &["requirepass", "masterauth", "sasl_password", "smtp_password"]) {
        return None;
    }
    let line = memchr::memrchr(b'\n', &text[..name.start]).map_or(0, |end| end + 1);
    let begins =
        text[line..name.start].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'+' | b'-'));
    let value = word_at(text, skip(text, name.end, 8, |byte| matches!(byte, b' ' | b'\t' | b'"')));
    (begins && may_be_password(&text[value.clone()])).then_some(value)
}

/// `PASSWORD '…'` in SQL.
fn quoted_behind(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !is(text, name, &["password", "passphrase"]) || text[name.end] != b' ' {
        return None;
    }
    let value = quoted(text, name.end + 1)?;
    may_be_password(&text[value.clone()]).then_some(value)
}

/// The string that begins here, without its quotes.
fn quoted(text: &[u8], at: usize) -> Option<Range<usize>> {
    let at = skip(text, at, 3, |byte| byte == b'\\');
    let quote = *text.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let ends = |byte: u8| byte == quote || byte == b'\n' || byte == b'\\';
    let end = skip(text, at + 1, LONGEST_VALUE, |byte| !ends(byte));
    matches!(text.get(end), Some(byte) if *byte != b'\n').then_some(at + 1..end)
}

/// `<password>…</password>`.
fn element(text: &[u8], context: Context, name: &Range<usize>) -> Option<Range<usize>> {
    let end = skip(text, name.end + 1, LONGEST_VALUE, |byte| byte != b'<' && byte != b'\n');
    let value = name.end + 1..end;
    let bytes = &text[value.clone()];
    let closes = text.get(end..end + 2) == Some(b"</");
    let secrecy = secrecy(&text[name.clone()]);
    let is_secret = match secrecy {
        Secrecy::Password => may_be_password(bytes),
        Secrecy::Sure if context == Context::Settings => is_named(secrecy, bytes),
        _ => is_key(secrecy, bytes),
    };
    (closes && is_secret && !bytes.contains(&b' ')).then_some(value)
}

/// `define('DB_PASSWORD', '…')`, and `'DB_PASSWORD', '…'` with any other call before it.
fn constant(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let before = text[..name.start - 1].trim_ascii_end();
    let is_call = ["define(", "setenv(", "putenv(", "setProperty(", "SetEnvironmentVariable("]
        .iter()
        .any(|call| before.ends_with(call.as_bytes()));
    let comma = skip(text, name.end + 1, 4, |byte| byte == b' ');
    if !is_call || text.get(comma) != Some(&b',') {
        return None;
    }
    let value = quoted(text, skip(text, comma + 1, 8, |byte| byte == b' '))?;
    is_named(secrecy(&text[name.clone()]), &text[value.clone()]).then_some(value)
}

/// A user and a password in base64: `"auth": "…"` in the settings of docker, `_auth=…` in those of
/// npm, and `AUTH PLAIN …` on the way to a mail server.
fn encoded_login(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !is(text, name, &["auth", "_auth"]) {
        return None;
    }
    let rest = &text[name.end..text.len().min(name.end + 16)];
    let is_mail = rest.starts_with(b" PLAIN ") || rest.starts_with(b" LOGIN ");
    let start = match is_mail {
        true => name.end + 7,
        false => skip(text, name.end, 8, |byte| b" \t\"'\\:=".contains(&byte)),
    };
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let value = start..skip(text, start, LONGEST_VALUE, is_digit);
    let plain = base64::decoded(&text[value.clone()]).filter(|plain| plain.len() >= 7)?;
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == 0 || *byte == b' ';
    let parts = plain.iter().filter(|byte| matches!(byte, b':' | 0)).count();
    let is_login = plain.iter().all(is_text) && parts > 0 && !plain.starts_with(b":");
    (is_login && start > name.end).then_some(value)
}

/// A password for one program, as Google makes them: four times four letters.
fn app_password(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if secrecy(&text[name.clone()]) != Secrecy::Password {
        return None;
    }
    let is_filler = |byte: u8| b" \t\"'\\`:=*".contains(&byte);
    let mut start = skip(text, name.end, 8, is_filler);
    if text[start..].starts_with(b"is ") {
        start = skip(text, start + 3, 8, is_filler);
    }
    let group = |at: usize| {
        let end = skip(text, at, 5, |byte| byte.is_ascii_lowercase());
        (end == at + 4).then(|| &text[at..end])
    };
    let groups: Vec<&[u8]> = (0..4).map_while(|number| group(start + 5 * number)).collect();
    let is_parted = (1..4).all(|number| text.get(start + 5 * number - 1) == Some(&b' '));
    let end = start + 19;
    let is_ended = text.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let is_drawn = groups.iter().filter(|group| !is_word(group)).count() >= 3;
    (groups.len() == 4 && is_parted && is_ended && is_drawn).then_some(start..end)
}

/// The values of `Cookie: name=…; other=…` that look drawn by lot.
pub(crate) fn cookie(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    let is_filler = |byte: u8| b" \t\"'\\`".contains(&byte);
    let sign = skip(text, word.end, 4, is_filler);
    if !matches!(text.get(sign), Some(b':' | b'=')) || scan.is_taken(&word) {
        return;
    }
    let mut at = skip(text, sign + 1, 4, is_filler);
    let ends =
        |byte: u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'<');
    let end = skip(text, at, LONGEST_HEADER, |byte| !ends(byte));
    while at < end {
        let pair_end = memchr::memchr(b';', &text[at..end]).map_or(end, |part| at + part);
        if let Some(name) = memchr::memchr(b'=', &text[at..pair_end]) {
            let value = at + name + 1..at + text[at..pair_end].trim_ascii_end().len();
            if value.start < value.end && is_session(&text[value.clone()]) {
                scan.take(Hit::redact(rule.id, rule.shape, value));
            }
        }
        at = pair_end + 1;
    }
}

/// Whether the value of a cookie tells who somebody is: it is long and drawn by lot.
fn is_session(value: &[u8]) -> bool {
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || b".-_".contains(byte));
    value.len() >= 16
        && !is_number
        && !value.iter().any(|byte| b" (){}<>".contains(byte))
        && entropy(value) >= 3.0
        && (looks_random(value) || is_long_key(value))
        && !is_harmless(value)
        && !value.starts_with(b"GA1.")
}

/// `IDENTIFIED BY '…'` in SQL.
pub(crate) fn sql_password(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    let start =
        skip(text, word.end, 48, |byte| byte.is_ascii_alphanumeric() || b" _".contains(&byte));
    if let Some(value) = quoted(text, start)
        && may_be_password(&text[value.clone()])
        && !scan.is_taken(&word)
    {
        scan.take(Hit::redact(rule.id, rule.shape, value));
    }
}

/// `smtp.login("user", "password")`, `client.login("token")`.
pub(crate) fn login_call(scan: &mut Scan<'_>, rule: &Rule, word: Range<usize>) {
    let text = scan.text;
    let first = skip(text, word.end, 8, |byte| byte.is_ascii_whitespace());
    let Some(end) = end_of_argument(text, first) else { return };
    let second = match text.get(end) {
        Some(b',') => quoted(text, skip(text, end + 1, 16, |byte| byte.is_ascii_whitespace())),
        _ => None,
    };
    let value = match second {
        Some(value) if is_chosen_password(&text[value.clone()]) => Some(value),
        Some(_) => None,
        None => quoted(text, first).filter(|value| {
            let value = &text[value.clone()];
            value.len() >= 20 && crate::shapes::is_key(value) && !value.contains(&b' ')
        }),
    };
    if let Some(value) = value.filter(|_| !scan.is_taken(&word)) {
        scan.take(Hit::redact(rule.id, rule.shape, value));
    }
}

/// Whether a password is one that somebody has, and not one of those that tests have.
fn is_chosen_password(value: &[u8]) -> bool {
    may_be_password(value) && !is_weak(value, is_common_password)
}

/// Where an argument of a call ends.
fn end_of_argument(text: &[u8], at: usize) -> Option<usize> {
    if let Some(string) = quoted(text, at) {
        return Some(string.end + 1);
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.[]$".contains(&byte);
    let end = skip(text, at, 64, is_name);
    (end > at).then_some(end)
}

/// Tokens of Discord, which have no beginning of their own: the number of a user in base64, and two
/// parts behind dots.
pub(crate) fn discord_tokens(scan: &mut Scan<'_>) {
    let text = scan.text;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut found = Vec::new();
    for dot in memchr::memchr_iter(b'.', text) {
        if text.get(dot + 7) != Some(&b'.') || !text[dot + 1..dot + 7].iter().all(is_part) {
            continue;
        }
        let user = text[..dot].iter().rev().take(29).take_while(|byte| is_part(byte)).count();
        let end = skip(text, dot + 8, 48, |byte| is_part(&byte));
        let user = dot - user..dot;
        let is_token = matches!(user.len(), 23..=28)
            && (27..=40).contains(&(end - dot - 8))
            && base64::decoded(&text[user.clone()])
                .is_some_and(|number| number.len() >= 17 && number.iter().all(u8::is_ascii_digit));
        if is_token && begins_word(text, user.start) {
            found.push(Hit::redact("discord-token", Shape::Token, user.start..end));
        }
    }
    scan.hits.extend(found);
}

/// The last field of each line of `.pgpass`: `host:port:database:user:password`.
pub(crate) fn password_fields(scan: &mut Scan<'_>) {
    let mut start = 0;
    for line in scan.text.split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.trim_ascii_end().len();
        let is_comment = line.trim_ascii_start().starts_with(b"#");
        let colons: Vec<usize> = memchr::memchr_iter(b':', line).take(5).collect();
        if let [_, _, _, last, ..] | [last] = colons[..]
            && !is_comment
        {
            let value = start + last + 1..end.max(start + last + 1);
            let bytes = &scan.text[value.clone()];
            let is_password = bytes.len() >= 4 && !is_harmless(bytes) && !bytes.contains(&b' ');
            if is_password {
                scan.hits.push(Hit::redact("password-file", Shape::Assignment, value));
            }
        }
        start += line.len();
    }
}

/// The one key that a file holds and nothing else.
pub(crate) fn whole_key(scan: &mut Scan<'_>) {
    let text = scan.text;
    let start = text.len() - text.trim_ascii_start().len();
    let value = start..start + text.trim_ascii().len();
    let bytes = &text[value.clone()];
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let is_key = (16..LONGEST_VALUE).contains(&bytes.len())
        && bytes.iter().all(is_digit)
        && looks_random(bytes)
        && !is_harmless(bytes);
    if is_key {
        scan.hits.push(Hit::redact("key-file", Shape::Assignment, value));
    }
}
