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
const LONGEST_LINE: usize = 512;

/// What is known of an assignment.
struct Assignment<'t> {
    secrecy: Secrecy,
    /// `NAME=value` at the beginning of a line, or after `export`.
    is_variable: bool,
    /// One of at least three such lines.
    is_listed: bool,
    value: &'t [u8],
    place: Place,
}

/// Looks at the name in which a word like `key` stands, and at what is assigned to it.
pub(crate) fn assignment(scan: &mut Scan<'_>, word: Range<usize>) {
    if scan.is_taken(&word) {
        return;
    }
    let Some(found) = read(scan.text, word) else { return };
    let Some((rule, action)) = judge(&found, scan.context) else { return };
    let Place { start, ending } = found.place;
    scan.take(Hit {
        rule,
        range: ending.value(scan.text, start, usize::MAX),
        action,
        shape: Shape::Assignment,
    });
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
    // Among variables the name says enough.
    let is_listed = found.is_listed || found.is_variable && context == Context::Shell;
    let is_named = match found.secrecy {
        Secrecy::None => false,
        Secrecy::Likely => value.len() >= 8 && is_random && !is_identifier(value),
        Secrecy::Sure | Secrecy::Password => value.len() >= 6,
    };
    match context {
        _ if found.is_variable && is_key || is_listed && is_named => {
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
    let end = skip(text, word.end, LONGEST_NAME, is_name);
    let secrecy = secrecy(&text[start..end]);
    if secrecy == Secrecy::None {
        return None;
    }
    let is_variable = text.get(end) == Some(&b'=')
        && text[start..end].iter().all(|byte| is_variable_byte(*byte))
        && begins_line(&text[..start]);
    let place = Place::after_name(text, end, is_variable)?;
    let range = place.ending.value(text, place.start, LONGEST_VALUE);
    let value = &text[range.clone()];
    let has_space = value.iter().any(u8::is_ascii_whitespace);
    let is_quoted = matches!(place.ending, Ending::Quote(_));
    let is_code = text.get(range.end) == Some(&b'(') || is_expression(value) || !is_mixed(value);
    if value.is_empty() || !is_variable && (has_space || !is_quoted && is_code) {
        return None;
    }
    let is_listed = is_variable && is_listed(text, start);
    Some(Assignment { secrecy, is_variable, is_listed, value, place })
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

fn is_variable_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Whether the line at this place is one of at least three variables in a row.
fn is_listed(text: &[u8], at: usize) -> bool {
    let (before, after) = (&text[..at], &text[at..]);
    let is_variable = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        let line = line.strip_prefix(b"export ").unwrap_or(line);
        let name = line.iter().take_while(|byte| is_variable_byte(**byte)).count();
        name > 0 && line.get(name) == Some(&b'=')
    };
    // The lines are looked at no further than the nearest two.
    let near = &before[before.len().saturating_sub(LONGEST_LINE)..];
    let above = near.rsplit(|byte| *byte == b'\n').skip(1).take(2).take_while(is_variable).count();
    let near = &after[..after.len().min(LONGEST_LINE)];
    let below = near.split(|byte| *byte == b'\n').skip(1).take(2).take_while(is_variable).count();
    above + below >= 2
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// Where a value begins, and what ends it.
struct Place {
    start: usize,
    ending: Ending,
}

enum Ending {
    /// The quote that began it.
    Quote(u8),
    /// What ends a word of a program.
    Word,
    /// What ends the value of a variable in a listing.
    Variable,
}

impl Place {
    /// The value of the name that ends here.
    fn after_name(text: &[u8], name_end: usize, is_variable: bool) -> Option<Self> {
        let is_space = |byte: u8| matches!(byte, b' ' | b'\t');
        let at = skip(text, name_end, 2, |byte| is_quote(byte) || byte == b']');
        let sign = skip(text, at, 4, is_space);
        let after = skip(text, sign, 2, |byte| matches!(byte, b'=' | b':' | b'>' | b'?'));
        if !matches!(&text[sign..after], b"=" | b":" | b":=" | b"=>" | b"?=") {
            return None;
        }
        let at = if is_variable { after } else { skip(text, after, 4, is_space) };
        let start = skip(text, at, 2, is_quote);
        let ending = match is_variable {
            _ if start > at => Ending::Quote(text[start - 1]),
            true => Ending::Variable,
            false => Ending::Word,
        };
        Some(Self { start, ending })
    }
}

impl Ending {
    /// The value that begins at `start`, or its first `most` bytes.
    fn value(&self, text: &[u8], start: usize, most: usize) -> Range<usize> {
        let ends = |byte: u8| match self {
            Self::Quote(quote) => byte == *quote || matches!(byte, b'\n' | b'\\'),
            Self::Word => byte.is_ascii_whitespace() || b",;()}]\"'`<>\\|&".contains(&byte),
            Self::Variable => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\\'),
        };
        let end = skip(text, start, most, |byte| !ends(byte));
        let value = text[start..end].iter().rev();
        start..start + value.skip_while(|byte| matches!(**byte, b';' | b',' | b')')).count()
    }
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
    fn in_a_listing_the_name_says_enough() {
        let hidden = |text: &str| hits(text, Context::Text).len();
        assert_eq!(hidden("A=1\nDB_PASSWORD=lemontree\nB=2"), 1);
        assert_eq!(hidden("  A=1\n  export B=2\n  DB_PASSWORD=lemontree\n"), 1);
        assert_eq!(hidden("A=1\nNPM_TOKEN=abc1defg\nDB_PASSWORD=lemontree"), 2);
        assert_eq!(hidden("DB_PASSWORD=lemontree"), 0);
        assert_eq!(hidden("A=1\nDB_PASSWORD=lemontree\nand so on"), 0);
        assert_eq!(hidden("A=1\nPWD=/srv/x\nTOKENS_MAX=400000\nAUTH_FILE=/srv/file"), 0);
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
