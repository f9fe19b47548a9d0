//! Secrets among the words of a command line.
//!
//! A command line is cut into words as a shell cuts it. A secret is told by the name of the option
//! before it (`--api-key …`), whatever the program is, or by the program and the place of the word
//! (`mysql -p…`, `redis-cli -a …`): [`crate::programs`] has them.

use std::ops::Range;

use crate::boundary::begins_word;
use crate::dictionary::{is_word, is_words_alone};
use crate::judge::{is_harmless, is_key};
use crate::names::{Secrecy, secrecy, words};
use crate::programs::{Argument, PROGRAMS, Program};
use crate::public::is_expression;
use crate::rules::{COMMAND_PASSWORD, Shape};
use crate::scan::{Hit, Scan};
use crate::shapes::skip;

/// How much of a command is looked through.
const LONGEST_COMMAND: usize = 1024;
const MOST_WORDS: usize = 64;

/// What is longer than this is not a password.
const LONGEST_VALUE: usize = 512;
const SHORTEST_VALUE: usize = 6;

/// How far before a pipe the command is looked for that feeds it.
const LONGEST_FEED: usize = 256;

/// Options whose values are assignments.
const SETTERS: [&str; 9] = [
    "--set",
    "--set-string",
    "--from-literal",
    "--build-arg",
    "--env",
    " -e",
    " -var",
    "--var",
    "--extra-vars",
];
const LONGEST_SETTER: usize = 20;

/// One word of a command line, without the quotes around it.
type Word = Range<usize>;

/// A secret among the words behind the name of a program.
pub(crate) fn command(scan: &mut Scan<'_>, word: Range<usize>) {
    let text = scan.text;
    let called = text[word.clone()].to_ascii_lowercase();
    if !begins_word(text, word.start) || scan.is_taken(&word) {
        return;
    }
    // A name may be the beginning of another one, and the words of a sentence.
    let name = called.iter().position(|byte| *byte == b' ').unwrap_or(called.len());
    if !text.get(word.start + name).is_none_or(u8::is_ascii_whitespace) {
        return;
    }
    let words = words_of(text, word.start + name);
    for program in PROGRAMS.iter().filter(|program| program.called.as_bytes() == called) {
        for value in secrets_of(text, program, &words) {
            take(scan, value);
        }
    }
    if called == b"chpasswd" || words.iter().any(|word| is_fed(&text[word.clone()])) {
        piped(scan, word.start);
    }
}

/// Whether a program with this option reads its password from the command before it.
fn is_fed(option: &[u8]) -> bool {
    [&b"--password-stdin"[..], b"--with-token", b"--stdin"].contains(&option)
}

/// The words of a command from here to where it ends.
fn words_of(text: &[u8], from: usize) -> Vec<Word> {
    let end = text.len().min(from + LONGEST_COMMAND);
    let (text, mut at, mut all) = (&text[..end], from, Vec::new());
    while all.len() < MOST_WORDS {
        at = skip_space(text, at);
        match text.get(at) {
            None | Some(b'\n' | b'\r' | b';' | b'|' | b'&' | b')' | b'}' | b'`' | b'<' | b'>') => {
                break;
            }
            _ => {}
        }
        let word_end = end_of_word(text, at);
        if word_end == at {
            break;
        }
        all.push(at..word_end);
        at = word_end;
    }
    all
}

/// Skips spaces, and the end of a line that goes on in the next one.
fn skip_space(text: &[u8], from: usize) -> usize {
    let mut at = skip(text, from, LONGEST_COMMAND, |byte| matches!(byte, b' ' | b'\t'));
    while text.get(at) == Some(&b'\\') && text.get(at + 1) == Some(&b'\n') {
        at = skip(text, at + 2, LONGEST_COMMAND, |byte| matches!(byte, b' ' | b'\t'));
    }
    at
}

/// Where a word ends: at a space, at the end of the command, or where a string ends in which the
/// whole command stands.
fn end_of_word(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'&' | b')' | b'`' => break,
            b'\\' if matches!(text.get(at + 1), Some(b'n' | b'r' | b't' | b'\n')) => break,
            b'\\' => at += 2,
            b'"' | b'\'' => match closing(text, at) {
                Some(end) => at = end + 1,
                None => break,
            },
            _ => at += 1,
        }
    }
    at.min(text.len())
}

/// Where the quote stands that closes the one that stands here.
fn closing(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    let end = rest.iter().position(|byte| *byte == text[at] || *byte == b'\n')?;
    (rest[end] == text[at]).then_some(at + 1 + end)
}

/// A word without the quotes around it, also where they are escaped.
fn bare(text: &[u8], word: Word) -> Word {
    let mut word = word;
    while word.len() >= 2 {
        let (first, last) = (text[word.start], text[word.end - 1]);
        let is_escaped = first == b'\\' && matches!(text[word.start + 1], b'"' | b'\'');
        if matches!(first, b'"' | b'\'') && first == last {
            word = word.start + 1..word.end - 1;
        } else if is_escaped && last == text[word.start + 1] && word.len() >= 4 {
            word = word.start + 2..word.end - 2;
        } else {
            break;
        }
    }
    word
}

/// The words that are secrets of this program.
fn secrets_of(text: &[u8], program: &Program, words: &[Word]) -> Vec<Word> {
    let is = |word: &Word, name: &str| text[word.clone()] == *name.as_bytes();
    let verb = words.iter().position(|word| program.verbs.iter().any(|verb| is(word, verb)));
    let after = match (verb, program.verbs) {
        (_, []) => 0,
        (Some(at), _) => at + 1,
        (None, _) => return Vec::new(),
    };
    let mut found = Vec::new();
    for argument in program.arguments {
        match *argument {
            Argument::Option(name) => {
                for (at, word) in words.iter().enumerate() {
                    found.extend(value_of_option(text, words, at, word, name));
                }
            }
            Argument::Glued(name) => {
                let glued =
                    words.iter().filter(|word| text[(*word).clone()].starts_with(name.as_bytes()));
                found.extend(glued.map(|word| word.start + name.len()..word.end));
            }
            Argument::Next(name) => {
                let at = words.iter().position(|word| is(word, name));
                found.extend(at.and_then(|at| words.get(at + 1)).cloned());
            }
            Argument::Pair(name, sign) => {
                for (at, word) in words.iter().enumerate() {
                    let pair = value_of_option(text, words, at, word, name);
                    found.extend(pair.and_then(|pair| behind(text, bare(text, pair), sign)));
                }
            }
            Argument::ValuePlace(place) => {
                let is_plain = |word: &&Word| !text[(*word).clone()].starts_with(b"-");
                found.extend(words[after..].iter().filter(is_plain).nth(place).cloned());
            }
            Argument::LastWith(flag) => {
                let has_flag = words.iter().any(|word| {
                    let word = &text[word.clone()];
                    word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&flag)
                });
                found.extend(words.last().filter(|_| has_flag && words.len() > 2).cloned());
            }
            Argument::Slash => {
                let pair = words.iter().find(|word| text[(*word).clone()].contains(&b'/'));
                let login = pair.map(|pair| bare(text, pair.clone()));
                let secret = login.and_then(|login| behind(text, login, b'/'));
                found.extend(secret.map(|secret| {
                    let end = memchr::memchr(b'@', &text[secret.clone()]);
                    secret.start..end.map_or(secret.end, |end| secret.start + end)
                }));
            }
            Argument::Setting => {
                let names = |word: &Word| secrecy(&text[bare(text, word.clone())]) > Secrecy::Pass;
                let at = words[after..].iter().position(names).map(|at| after + at + 1);
                let value = at.and_then(|at| words.get(at)).map(|word| bare(text, word.clone()));
                let is_one = |word: &Word| !text[word.clone()].contains(&b' ');
                found.extend(value.filter(is_one));
            }
        }
    }
    found
}

/// The value of a short option: in the next word, behind a sign, or in the same word.
fn value_of_option(
    text: &[u8],
    words: &[Word],
    at: usize,
    word: &Word,
    name: &str,
) -> Option<Word> {
    let rest = text[word.clone()].strip_prefix(name.as_bytes())?;
    let start = word.start + name.len();
    match rest.first() {
        None => words.get(at + 1).cloned(),
        Some(b'=') => Some(start + 1..word.end),
        // `--username` is not `--user`, and `-pass` not `-p`.
        Some(_) if name.starts_with("--") => None,
        Some(_) => Some(start..word.end),
    }
}

/// What stands behind a sign.
fn behind(text: &[u8], word: Word, sign: u8) -> Option<Word> {
    let at = memchr::memchr(sign, &text[word.clone()])?;
    Some(word.start + at + 1..word.end)
}

/// What an `echo` writes into the pipe before this place: `echo user:… | chpasswd`.
fn piped(scan: &mut Scan<'_>, at: usize) {
    let text = scan.text;
    let from = at.saturating_sub(LONGEST_FEED);
    let before = &text[from..at];
    let before = before.strip_suffix(b"sudo ").unwrap_or(before).trim_ascii_end();
    let Some(before) = before.strip_suffix(b"|") else { return };
    let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let feeds = ["echo ", "printf "].iter().filter_map(|name| {
        let at = memchr::memmem::rfind(&before[line..], name.as_bytes())?;
        Some(from + line + at + name.len() - 1)
    });
    let Some(feed) = feeds.max() else { return };
    let words = words_of(&text[..from + before.len()], feed);
    let is_value = |word: &&Word| !text[(*word).clone()].starts_with(b"-");
    let Some(value) = words.iter().rfind(is_value).map(|word| bare(text, word.clone())) else {
        return;
    };
    let names_user = text[at..].starts_with(b"chpasswd");
    let value = if names_user { behind(text, value.clone(), b':') } else { Some(value) };
    if let Some(value) = value {
        take(scan, value);
    }
}

fn take(scan: &mut Scan<'_>, word: Word) {
    let word = without_source(scan.text, bare(scan.text, word));
    let value = &scan.text[word.clone()];
    let is_whole = (SHORTEST_VALUE..LONGEST_VALUE).contains(&value.len());
    if is_whole && may_be_password(value) {
        scan.hits.push(Hit::redact(COMMAND_PASSWORD, Shape::CommandPassword, word));
    }
}

/// The value without the word by which some programs are told that it is the password itself.
fn without_source(text: &[u8], word: Word) -> Word {
    let source = "pass:";
    let has_source = text[word.clone()].starts_with(source.as_bytes());
    word.start + if has_source { source.len() } else { 0 }..word.end
}

/// Whether a word may be a password where one is expected.
fn may_be_password(value: &[u8]) -> bool {
    let is_option =
        value.starts_with(b"-") || value.starts_with(b"env:") || value.starts_with(b"file:");
    let is_capitals = value.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    !is_option && !is_capitals && !is_harmless(value) && !is_words_alone(value)
}

/// The value of an option whose name is that of a secret: `--api-key value`, `-token=value`. The
/// name has lost its dashes.
pub(crate) fn named_option(text: &[u8], name: Range<usize>) -> Option<Range<usize>> {
    let dashes = text[..name.start].iter().rev().take(3).take_while(|byte| **byte == b'-').count();
    let before = text[..name.start - dashes].last();
    let begins =
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`([,=\\".contains(byte));
    let is_option = matches!(dashes, 1 | 2) && begins;
    if !(is_option || dashes == 0 && is_set(text, &name)) {
        return None;
    }
    let start = match *text.get(name.end..)? {
        [b'=', ..] | [b' ', ..] => name.end + 1,
        // The words of a command as a list of strings.
        [b'"', b',', b' ', b'"', ..] | [b'\'', b',', b' ', b'\'', ..] => name.end + 3,
        [b'"', b',', b'"', ..] => name.end + 2,
        _ => return None,
    };
    let near = &text[..text.len().min(start + LONGEST_VALUE + 2)];
    let value = match near.get(start)? {
        b'"' | b'\'' => start..closing(near, start)? + 1,
        _ => start..end_of_word(near, start),
    };
    let is_quoted = matches!(near[start], b'"' | b'\'');
    let value = without_source(near, bare(near, value));
    let bytes = &text[value.clone()];
    let is_code = !is_quoted && (is_expression(bytes) || text.get(value.end) == Some(&b'('));
    let is_whole = (SHORTEST_VALUE..LONGEST_VALUE).contains(&bytes.len());
    (is_whole && !is_code && is_value_of(&text[name], bytes)).then_some(value)
}

/// Whether a name stands behind an option that sets it: `--set db.password=…`.
fn is_set(text: &[u8], name: &Range<usize>) -> bool {
    let before = &text[name.start.saturating_sub(LONGEST_SETTER)..name.start];
    let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
    text.get(name.end) == Some(&b'=')
        && SETTERS.iter().any(|setter| {
            let rest = before.strip_suffix(b" ").or(before.strip_suffix(b"=")).unwrap_or_default();
            rest.ends_with(setter.as_bytes())
        })
}

/// Whether a value is a secret behind an option of this name.
fn is_value_of(name: &[u8], value: &[u8]) -> bool {
    if !may_be_password(value)
        || value.iter().any(|byte| b"<>{}[]|".contains(byte)) && value.len() < 12
    {
        return false;
    }
    let last = words(name).last().unwrap_or_default();
    let is_token = last.eq_ignore_ascii_case(b"token");
    match secrecy(name) {
        Secrecy::None => false,
        // In a sentence about the option any word may follow.
        Secrecy::Password | Secrecy::Pass => {
            !value.iter().all(u8::is_ascii_alphabetic) || !is_word(value)
        }
        Secrecy::Likely if is_token => {
            is_key(Secrecy::Sure, value) && !value.iter().all(u8::is_ascii_digit)
        }
        // `--auth user:password`.
        Secrecy::Likely if last.eq_ignore_ascii_case(b"auth") && value.contains(&b':') => value
            .split(|byte| *byte == b':')
            .nth(1)
            .is_some_and(|it| it.len() >= SHORTEST_VALUE && may_be_password(it)),
        other => is_key(other, value),
    }
}
