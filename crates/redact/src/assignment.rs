//! Values that are assigned to the name of a secret.
//!
//! A listing of variables (`API_KEY=…` at the beginning of a line) is recognized anywhere, and so
//! is the password of a connection string. Any other assignment is certain in what a shell printed
//! and in members of objects. Elsewhere its value must look random; if it does not it is only
//! likely, because code is full of names like `token` whose values are not secrets.
//!
//! Whatever is found in a text is found in every other context too: a finished export is scanned as
//! a text, and must not hold what was left in place before.

use std::ops::Range;

use crate::dictionary::is_words_alone;
use crate::ending::{Ending, ValuePlace};
use crate::judge::{is_chosen, is_harmless, is_key, is_named, kinds, looks_drawn};
use crate::names::{Secrecy, secrecy};
use crate::public::{is_expression, is_identifier};
use crate::random::{entropy, is_mixed, is_worded, looks_random};
use crate::rules::{COMMAND_PASSWORD, GENERIC, Shape};
use crate::scan::{Certainty, Context, Hit, Scan};
use crate::shapes::skip;
use crate::{commands, formats, prose};

/// A shorter value behind `password:` in a text is not reported.
const SHORTEST_SAID: usize = 8;

const LONGEST_NAME: usize = 64;
const LONGEST_VALUE: usize = 512;
const LONGEST_LINE: usize = 512;

/// How many assignments are read within the value of another. A value with more was made to be
/// slow, or to hide something: it is taken.
const MOST_NESTED: usize = 32;

/// How far before a name the text is looked at that says what kind of assignment it is.
const LONGEST_LEAD: usize = 64;

/// What stands before a variable in PowerShell.
const BEFORE_POWERSHELL: &[u8] = b"$env:";

/// What stands before a variable that is set on a line with something else.
const BEFORE_VARIABLES: [&str; 20] = [
    "export ",
    "set ",
    "declare -x ",
    "setx ",
    "ENV ",
    "ARG ",
    "-e ",
    "--env ",
    "env ",
    "\\n",
    "+",
    "+ ",
    "- ",
    "; ",
    "&& ",
    "|| ",
    "| ",
    "(",
    "Environment=",
    "sudo ",
];

/// What stands before a variable whose value follows without a sign.
const BEFORE_PAIRS: [&str; 7] =
    ["set -gx ", "set -x ", "set -Ux ", "set -xg ", "set --export ", "setenv ", "setx "];

/// Members of connection strings, one of which stands before the password.
const BESIDE_PASSWORDS: [&str; 10] = [
    "server=",
    "data source=",
    "host=",
    "user id=",
    "uid=",
    "user=",
    "username=",
    "database=",
    "initial catalog=",
    "port=",
];

/// How a value is assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `NAME=value` at the beginning of a line, or where a shell sets variables.
    Variable,
    /// A line of a file with settings, which holds nothing else.
    Setting,
    /// A member of a connection string.
    Connection,
    /// A parameter of a link.
    Parameter,
    /// Anything else, mostly code.
    Other,
}

/// What is known of an assignment.
struct Assignment<'t> {
    secrecy: Secrecy,
    kind: Kind,
    /// A variable among at least three.
    is_listed: bool,
    /// Whether a colon stands before the name: it is a part of another one, such as that of a type
    /// (`AWS::IAM::AccessKey`) or of a resource.
    is_scoped: bool,
    value: &'t [u8],
    place: ValuePlace,
}

/// Looks at the name in which a word like `key` stands, and at what is assigned to it.
pub(crate) fn assignment(scan: &mut Scan<'_>, word: Range<usize>) {
    if scan.is_reported(&word) {
        return;
    }
    if let Some(range) = dotted_key(scan.text, &word) {
        return scan.take(Hit::redact("zai-key", Shape::Near, range));
    }
    let (end, reads) = scan.read;
    if word.start < end && reads >= MOST_NESTED {
        return scan.take(Hit::redact(GENERIC, Shape::Assignment, word.start..end));
    }
    let name = name_around(scan.text, &word);
    if let Some(value) = commands::named_option(scan.text, name.clone()) {
        return scan.take(Hit::redact(COMMAND_PASSWORD, Shape::CommandPassword, value));
    }
    if let Some((rule, value)) = formats::value_of(scan.text, scan.context, &name) {
        return scan.take(Hit::redact(rule, Shape::Assignment, value));
    }
    let Some((found, verdict)) = judged(scan.text, name.clone(), scan.context) else {
        if let Some(value) = prose::said(scan.text, &name) {
            scan.take(Hit::likely(GENERIC, Shape::Assignment, value));
        }
        return;
    };
    let value_end = found.place.start + found.value.len();
    scan.read = if word.start < end { (end.max(value_end), reads + 1) } else { (value_end, 0) };
    let Some((rule, certainty)) = verdict else { return };
    let ValuePlace { start, ending } = found.place;
    let range = ending.value(scan.text, start, usize::MAX);
    scan.take(match certainty {
        Certainty::Certain => Hit::redact(rule, Shape::Assignment, range),
        Certainty::Likely => Hit::likely(rule, Shape::Assignment, range),
    });
}

type Verdict = Option<(&'static str, Certainty)>;

/// The assignment to a name, and what is thought of it. Where a context finds nothing, what any
/// text would say of it counts.
fn judged(text: &[u8], name: Range<usize>, context: Context) -> Option<(Assignment<'_>, Verdict)> {
    let found = judged_in(text, name.clone(), context);
    let is_found = |found: &(Assignment<'_>, Verdict)| found.1.is_some();
    if context == Context::Text || found.as_ref().is_some_and(is_found) {
        return found;
    }
    judged_in(text, name, Context::Text).filter(is_found).or(found)
}

fn judged_in(
    text: &[u8],
    name: Range<usize>,
    context: Context,
) -> Option<(Assignment<'_>, Verdict)> {
    let found = read(text, name, context)?;
    let verdict = judge(&found, context);
    Some((found, verdict))
}

fn judge(found: &Assignment<'_>, context: Context) -> Verdict {
    let (value, is_key) = (found.value, is_key(found.secrecy, found.value));
    let is_listed = found.is_listed || context.is_shell();
    let is_settings = context == Context::Settings;
    let is_set = is_settings && is_named(found.secrecy, value) && !is_words_alone(value);
    let is_password = matches!(found.secrecy, Secrecy::Password | Secrecy::Pass);
    let is_full_password = found.secrecy == Secrecy::Password;
    let certain = |rule: &'static str| Some((rule, Certainty::Certain));
    match (found.kind, context) {
        // Among variables the name says enough.
        (Kind::Variable, _) if is_key || is_listed && is_named(found.secrecy, value) => {
            certain("env-assignment")
        }
        (Kind::Connection, _) if is_key => certain("connection-string"),
        (Kind::Setting, _) if is_key && (is_mixed(value) || is_password && is_chosen(value)) => {
            certain(GENERIC)
        }
        (Kind::Setting | Kind::Other, Context::Settings) if is_set => certain(GENERIC),
        (Kind::Parameter, _) if is_key && !is_identifier(value) && is_mixed(value) => {
            certain("credential-url")
        }
        (Kind::Parameter | Kind::Other, _) if is_key && context.is_shell() => certain(GENERIC),
        (Kind::Parameter | Kind::Other, Context::Member) if is_key => certain("secret-member"),
        (Kind::Parameter | Kind::Other, _)
            if is_key && !found.is_scoped && looks_drawn(found.secrecy, value) =>
        {
            certain(GENERIC)
        }
        (Kind::Parameter | Kind::Other, Context::Text) if is_key && entropy(value) >= 3.5 => {
            Some((GENERIC, Certainty::Likely))
        }
        // `password: …` in talk, in a document or in JSON: code has the same with harmless values.
        (Kind::Other, Context::Text) if is_full_password && may_be_password(value) => {
            Some((GENERIC, Certainty::Likely))
        }
        _ => None,
    }
}

/// Whether a value is at least no word, no default and nothing that stands for a password.
pub(crate) fn may_be_password(value: &[u8]) -> bool {
    value.len() >= SHORTEST_SAID && !is_harmless(value) && !is_words_alone(value)
}

/// Whether a value without quotes may be a password, and not the name of a variable or a type.
fn is_said(value: &[u8]) -> bool {
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let is_lower = value.iter().all(u8::is_ascii_lowercase);
    let names_password = memchr::memmem::find(&value.to_ascii_lowercase(), b"pass").is_some();
    let is_name = value.contains(&b'_') && is_worded(value);
    (has_digit || is_lower) && !is_name && !names_password && may_be_password(value)
}

/// Whether a colon stands behind the name that ends here.
fn has_colon(text: &[u8], name_end: usize) -> bool {
    let sign = skip(text, name_end, 12, |byte| b" \t\"'`\\*".contains(&byte));
    text.get(sign) == Some(&b':')
}

/// The name in which a word stands, without dashes before it: they belong to an option, a diff or
/// a list.
fn name_around(text: &[u8], word: &Range<usize>) -> Range<usize> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let end = skip(text, word.end, LONGEST_NAME, is_name);
    let before = text[..word.start].iter().rev().take(LONGEST_NAME);
    let start = word.start - before.take_while(|byte| is_name(**byte)).count();
    skip(text, start, LONGEST_NAME, |byte| byte == b'-').min(word.start)..end
}

fn read(text: &[u8], name: Range<usize>, context: Context) -> Option<Assignment<'_>> {
    let Range { start, end } = name;
    if !may_be_assigned(text, end) {
        return None;
    }
    let secrecy = secrecy(&text[start..end]);
    if secrecy == Secrecy::None {
        return None;
    }
    let lead = lead(&text[..start]);
    let (kind, place) = place(text, start..end, lead, context)?;
    let range = place.ending.value(text, place.start, LONGEST_VALUE);
    let value = &text[range.clone()];
    let has_space = value.iter().any(u8::is_ascii_whitespace);
    let is_quoted = matches!(place.ending, Ending::Quote { .. } | Ending::WrittenQuote);
    let is_code = text.get(range.end) == Some(&b'(') || is_expression(value);
    let is_value = match kind {
        Kind::Variable => true,
        Kind::Connection => !is_expression(value),
        Kind::Setting => !has_space && !is_code,
        Kind::Parameter | Kind::Other => {
            let may_be_said = context == Context::Text && secrecy == Secrecy::Password;
            let is_told = || has_colon(text, end) || kinds(value) == 4;
            let is_said = || may_be_said && is_told() && is_said(value);
            !has_space && (is_quoted || !is_code && (is_mixed(value) || is_said()))
        }
    };
    let is_listed = kind == Kind::Variable && is_listed(text, start);
    let is_scoped = text[..start].ends_with(b":");
    let found = Assignment { secrecy, kind, is_listed, is_scoped, value, place };
    (is_value && !value.is_empty()).then_some(found)
}

/// Whether anything is assigned to the name that ends here. It is asked first, because most names
/// stand in sentences and calls.
fn may_be_assigned(text: &[u8], name_end: usize) -> bool {
    let sign = skip(text, name_end, 12, |byte| b" \t\"'`\\]".contains(&byte));
    let is_pair = || text.get(name_end) == Some(&b' ') && is_variable_byte(text[name_end - 1]);
    matches!(text.get(sign), Some(b'=' | b':' | b'?')) || is_pair()
}

/// A key of Z.ai behind the word, which has no beginning of its own: 32 hexadecimal digits, a dot
/// and 16 letters and digits.
fn dotted_key(text: &[u8], word: &Range<usize>) -> Option<Range<usize>> {
    if !text[word.start].eq_ignore_ascii_case(&b'k') {
        return None;
    }
    let start = skip(text, word.end, 6, |byte| b" \t=:\"'`\\".contains(&byte));
    let dot = skip(text, start, 33, |byte| byte.is_ascii_hexdigit());
    let end =
        skip(text, dot + usize::from(dot < text.len()), 17, |byte| byte.is_ascii_alphanumeric());
    let is_key = dot == start + 32 && text.get(dot) == Some(&b'.') && end == dot + 17;
    (is_key && looks_random(&text[start..end])).then_some(start..end)
}

/// What kind of assignment stands here, and where its value is.
fn place(
    text: &[u8],
    name: Range<usize>,
    lead: &[u8],
    context: Context,
) -> Option<(Kind, ValuePlace)> {
    let is_caps = text[name.clone()].iter().all(|byte| is_variable_byte(*byte));
    let (line, within) = match lead.split_last() {
        Some((quote @ (b'"' | b'\''), line)) => (line, Some(*quote)),
        _ => (lead, None),
    };
    let ends_with_any = |words: &[&str]| words.iter().any(|word| line.ends_with(word.as_bytes()));
    let begins_line = line.trim_ascii().is_empty();
    if is_caps && text.get(name.end) == Some(&b' ') && ends_with_any(&BEFORE_PAIRS) {
        let place = ValuePlace::of_value(text, name.end + 1, Ending::Variable { within: None })?;
        return Some((Kind::Variable, place));
    }
    let follows_space = context.is_shell() && line.ends_with(b" ");
    let is_set = begins_line || follows_space || ends_with_any(&BEFORE_VARIABLES);
    if is_caps && text.get(name.end) == Some(&b'=') && is_set {
        let place = ValuePlace::after_name(text, name.end, Ending::Variable { within })?;
        return Some((Kind::Variable, place));
    }
    let scope = lead.len().saturating_sub(BEFORE_POWERSHELL.len());
    if lead[scope..].eq_ignore_ascii_case(BEFORE_POWERSHELL) {
        // Without quotes it is a command or another variable.
        let place = ValuePlace::after_name(text, name.end, Ending::Word)?;
        let is_quoted = matches!(place.ending, Ending::Quote { .. });
        return Some((if is_quoted { Kind::Variable } else { Kind::Other }, place));
    }
    if text.get(name.end) == Some(&b'=') && follows_pair(line) {
        return Some((
            Kind::Connection,
            ValuePlace::after_name(text, name.end, Ending::Semicolon)?,
        ));
    }
    let is_item = line.trim_ascii() == b"-";
    if context.is_shell() && within.is_none() && (begins_line || is_item) {
        let place = ValuePlace::after_name(text, name.end, Ending::Line)?;
        let value = place.ending.value(text, place.start, LONGEST_VALUE);
        let is_word = !text[value.clone()].iter().any(u8::is_ascii_whitespace);
        let ends_line = text.get(value.end).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
        if place.ending == Ending::Line && is_word && ends_line {
            return Some((Kind::Setting, place));
        }
    }
    let is_parameter =
        text.get(name.end) == Some(&b'=') && (lead.ends_with(b"?") || lead.ends_with(b"&"));
    let kind = if is_parameter { Kind::Parameter } else { Kind::Other };
    Some((kind, ValuePlace::after_name(text, name.end, Ending::Word)?))
}

/// What stands on the line before a name, or the end of it.
fn lead(before: &[u8]) -> &[u8] {
    let near = &before[before.len().saturating_sub(LONGEST_LEAD)..];
    memchr::memrchr(b'\n', near).map_or(near, |end| &near[end + 1..])
}

/// Whether another member of a connection string stands before a name.
fn follows_pair(lead: &[u8]) -> bool {
    let Some(pairs) = lead.trim_ascii_end().strip_suffix(b";") else { return false };
    let pair = pairs.rsplit(|byte| matches!(byte, b';' | b'"' | b'\'')).next().unwrap_or_default();
    let pair = pair.trim_ascii_start().to_ascii_lowercase();
    BESIDE_PASSWORDS.iter().any(|name| memchr::memmem::find(&pair, name.as_bytes()).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::scan::find;

    use Certainty::{Certain, Likely};

    fn hits(text: &str, context: Context) -> Vec<(&'static str, String, Certainty)> {
        let hits = find(Ruleset::embedded(), text, context);
        hits.into_iter().map(|hit| (hit.rule, text[hit.range].to_owned(), hit.certainty)).collect()
    }

    #[test]
    fn listings_of_variables_are_redacted_anywhere() {
        let text = "HOME=/home/ana\nSTRANGE_API_KEY=q7Zk2mPx9LwT\nLANG=C\n";
        let found = hits(text, Context::Text);
        assert_eq!(found[0], ("env-assignment", "q7Zk2mPx9LwT".to_owned(), Certain));
        let text = "export DB_PASSWORD=lemon|tree;7\n";
        let found = hits(text, Context::Shell);
        assert_eq!(found[0], ("env-assignment", "lemon|tree;7".to_owned(), Certain));
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
    fn a_random_value_in_code_is_certain() {
        for (text, value) in [
            (r#"const apiKey = "q7Zk2mPx9LwTaB3dE5";"#, "q7Zk2mPx9LwTaB3dE5"),
            (r#"$env:API_TOKEN = "q7Zk2mPx9LwTaB3dE5xY""#, "q7Zk2mPx9LwTaB3dE5xY"),
            (r#"{\"client_secret\": \"q7Zk2mPx9LwTaB3dE5\"}"#, "q7Zk2mPx9LwTaB3dE5"),
            ("data:\n  token: q7Zk2mPx9LwTaB3dE5xYz8", "q7Zk2mPx9LwTaB3dE5xYz8"),
            (r#"password = "tr0ub4dor&3xyz""#, "tr0ub4dor&3xyz"),
            ("password: Hippo!Sun43", "Hippo!Sun43"),
            ("password = Hippo!Sun43", "Hippo!Sun43"),
            ("the password: Xk92mqPz77vL and so on", "Xk92mqPz77vL"),
        ] {
            for context in [Context::Text, Context::Shell, Context::Settings] {
                let found = hits(text, context);
                let found: Vec<_> = found.iter().map(|(_, it, sure)| (&**it, *sure)).collect();
                assert_eq!(found, [(value, Certain)], "{context:?} {text}");
            }
        }
        let text = "$Env:DB_PASSWORD = 'lemon-tree-7'";
        let expected = [("env-assignment", "lemon-tree-7".to_owned(), Certain)];
        assert_eq!(hits(text, Context::Text), expected);
    }

    #[test]
    fn a_value_in_code_that_looks_written_is_only_likely() {
        for (text, value) in [
            (r#"const apiKey = "test-key-for-ci-2024";"#, "test-key-for-ci-2024"),
            (
                r#"api_key: "01a1ddfb-4699-7700-9c99-078c5356990e""#,
                "01a1ddfb-4699-7700-9c99-078c5356990e",
            ),
            (r#"password = "Welcome123!""#, "Welcome123!"),
        ] {
            let expected = [(GENERIC, value.to_owned(), Likely)];
            assert_eq!(hits(text, Context::Text), expected, "{text}");
        }
    }

    #[test]
    fn a_password_in_talk_is_likely() {
        for (text, value) in [
            ("password: hunter2hunter2", "hunter2hunter2"),
            ("db_password: lemontree", "lemontree"),
            (r#"{"password":"lemontree"}"#, "lemontree"),
            ("my password is Zebra!Moon42", "Zebra!Moon42"),
            ("the admin password is orange-Battery-91.", "orange-Battery-91"),
        ] {
            let expected = [(GENERIC, value.to_owned(), Likely)];
            for context in [Context::Text, Context::Shell] {
                assert_eq!(hits(text, context), expected, "{text}");
            }
        }
        for text in [
            "password: production",
            "password: string",
            "password: changeme",
            "password: userInput",
            "password: new_pass_1",
            "password = userinput",
            "password: req.body.secret1",
            "password: postgres",
            r#"{"password":"secret"}"#,
        ] {
            assert_eq!(hits(text, Context::Text), [], "{text}");
        }
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
            "$env:API_TOKEN = Get-Secret",
            "$env:API_TOKEN = $env:OTHER_TOKEN",
        ] {
            assert_eq!(hits(text, Context::Shell), [], "{text}");
        }
    }
}
