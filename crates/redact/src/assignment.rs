//! Values that are assigned to the name of a secret.
//!
//! A listing of variables (`API_KEY=…` at the beginning of a line) is recognized anywhere. Any
//! other assignment is replaced in what a shell printed and in members of objects, and only
//! reported elsewhere: code is full of names like `token` whose values are no secrets.

use std::ops::Range;

use crate::names::{Secrecy, secrecy};
use crate::plausible::{entropy, is_common_password, is_expression, is_identifier, is_mixed};
use crate::plausible::{is_stand_in, looks_random};
use crate::rules::{GENERIC, Shape};
use crate::scan::{Action, Context, Hit, Scan};
use crate::shapes::skip;

const LONGEST_NAME: usize = 64;
const LONGEST_VALUE: usize = 512;

/// What is known of an assignment.
struct Assignment<'t> {
    secrecy: Secrecy,
    /// `NAME=value` at the beginning of a line, or after `export`.
    is_variable: bool,
    value: &'t [u8],
    range: Range<usize>,
}

/// Looks at the name in which a word like `key` stands, and at what is assigned to it.
pub(crate) fn assignment(scan: &mut Scan<'_>, word: Range<usize>) {
    let Some(found) = read(scan.text, word) else { return };
    let Some((rule, action)) = judge(&found, scan.context) else { return };
    scan.hits.push(Hit { rule, range: found.range, action, shape: Shape::Assignment });
}

fn judge(found: &Assignment<'_>, context: Context) -> Option<(&'static str, Action)> {
    let value = found.value;
    if is_stand_in(value) || is_common_password(value) {
        return None;
    }
    let is_random = looks_random(value);
    let has_sign = value.iter().any(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let is_key = match found.secrecy {
        Secrecy::None => false,
        Secrecy::Password => value.len() >= 6 && (is_random || has_sign),
        Secrecy::Sure => value.len() >= 8 && is_random && entropy(value) >= 2.8,
        Secrecy::Likely => {
            value.len() >= 16 && is_random && entropy(value) >= 3.5 && !is_identifier(value)
        }
    };
    let is_shell = context == Context::Shell;
    let names_secret = found.secrecy >= Secrecy::Sure && value.len() >= 6;
    match context {
        _ if found.is_variable && (is_key || is_shell && names_secret) => {
            Some(("env-assignment", Action::Redact))
        }
        Context::Member if is_key => Some(("secret-member", Action::Redact)),
        Context::Shell if is_key => Some((GENERIC, Action::Redact)),
        Context::Text if is_key && entropy(value) >= 3.5 => Some((GENERIC, Action::Report)),
        _ => None,
    }
}

fn read(text: &[u8], word: Range<usize>) -> Option<Assignment<'_>> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = text[..word.start].iter().rev().take(LONGEST_NAME);
    let start = word.start - before.take_while(|byte| is_name(**byte)).count();
    // The word may end with the sign.
    let end = word.end - usize::from(matches!(text[word.end - 1], b'=' | b':'));
    let end = skip(text, end, LONGEST_NAME, is_name);
    let secrecy = secrecy(&text[start..end]);
    if secrecy == Secrecy::None {
        return None;
    }
    let is_variable = text.get(end) == Some(&b'=')
        && text[start..end]
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        && begins_line(&text[..start]);
    let range = assigned_value(text, end, is_variable)?;
    let value = &text[range.clone()];
    let has_space = value.iter().any(u8::is_ascii_whitespace);
    let is_quoted = is_quote(text[range.start - 1]);
    let is_code = text.get(range.end) == Some(&b'(') || is_expression(value) || !is_mixed(value);
    if value.is_empty() || !is_variable && (has_space || !is_quoted && is_code) {
        return None;
    }
    Some(Assignment { secrecy, is_variable, value, range })
}

/// Whether what follows is the first word of a line, or of the assignment of a shell.
fn begins_line(before: &[u8]) -> bool {
    let line = match memchr::memrchr(b'\n', &before[before.len().saturating_sub(64)..]) {
        Some(end) => &before[before.len() - (before.len().min(64) - end - 1)..],
        None if before.len() <= 64 => before,
        None => &before[before.len() - 64..],
    };
    let line = line.strip_suffix(b"\"").or(line.strip_suffix(b"'")).unwrap_or(line);
    let words =
        ["export ", "set ", "declare -x ", "setx ", "ENV ", "-e ", "--env ", "env ", "\\n", "+"];
    line.trim_ascii().is_empty() || words.iter().any(|word| line.ends_with(word.as_bytes()))
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// What is assigned to the name that ends here: what stands between quotes, or one word.
fn assigned_value(text: &[u8], name_end: usize, is_variable: bool) -> Option<Range<usize>> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t');
    let at = skip(text, name_end, 2, |byte| is_quote(byte) || byte == b']');
    let sign = skip(text, at, 4, is_space);
    let after = skip(text, sign, 2, |byte| matches!(byte, b'=' | b':' | b'>' | b'?'));
    if !matches!(&text[sign..after], b"=" | b":" | b":=" | b"=>" | b"?=") {
        return None;
    }
    let at = if is_variable { after } else { skip(text, after, 4, is_space) };
    let start = skip(text, at, 2, is_quote);
    if start > at {
        let quote = text[start - 1];
        let is_within = |byte: u8| byte != quote && !matches!(byte, b'\n' | b'\\');
        return Some(start..skip(text, start, LONGEST_VALUE, is_within));
    }
    let ends_word = |byte: u8| {
        byte.is_ascii_whitespace()
            || !is_variable && b",;()}]\"'`<>\\|&".contains(&byte)
            || matches!(byte, b'"' | b'\\')
    };
    let end = skip(text, start, LONGEST_VALUE, |byte| !ends_word(byte));
    let kept =
        text[start..end].iter().rev().skip_while(|byte| matches!(**byte, b';' | b',' | b')'));
    Some(start..start + kept.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::scan::find;

    fn hits(text: &str, context: Context) -> Vec<(&'static str, String, Action)> {
        let hits = find(Ruleset::embedded(), text, context);
        hits.into_iter().map(|hit| (hit.rule, text[hit.range].to_owned(), hit.action)).collect()
    }

    #[test]
    fn listings_of_variables_are_redacted_anywhere() {
        let text = "HOME=/home/ana\nSTRANGE_API_KEY=q7Zk2mPx9LwT\nLANG=C\n";
        let found = hits(text, Context::Text);
        assert_eq!(found[0], ("env-assignment", "q7Zk2mPx9LwT".to_owned(), Action::Redact));
        let text = "export DB_PASSWORD=lemon|tree;7\n";
        let found = hits(text, Context::Shell);
        assert_eq!(found[0], ("env-assignment", "lemon|tree;7".to_owned(), Action::Redact));
    }

    #[test]
    fn code_is_only_reported() {
        let text = r#"const apiKey = "q7Zk2mPx9LwTaB3dE5";"#;
        let value = "q7Zk2mPx9LwTaB3dE5".to_owned();
        assert_eq!(hits(text, Context::Text), [(GENERIC, value.clone(), Action::Report)]);
        assert_eq!(hits(text, Context::Shell), [(GENERIC, value, Action::Redact)]);
    }

    #[test]
    fn other_things_are_left_alone() {
        for text in [
            "max_tokens: 4096",
            "key: 'd41d8cd98f00b204e9800998ecf8427e'",
            "token = getToken(user1)",
            "API_KEY=$OTHER_KEY",
            "API_KEY=<your key here>",
            "api_key: process.env.API_KEY1",
            "PWD=/home/ana/project1",
            "TOKEN_FILE=/run/secrets/token1",
            "pub password: windows_sys::core::PCWSTR1",
            "key: X509CertificateTemplatePrivateKeyFlag2",
            "ANTHROPIC_API_KEY=sk-ant-...",
        ] {
            assert_eq!(hits(text, Context::Shell), [], "{text}");
        }
    }
}
