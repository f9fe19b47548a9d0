//! Where the value of an assignment begins and ends.
//!
//! A value may be quoted, at any depth of escaping, or end where a word, a line or a member of a
//! connection string ends. Escapes are stepped over: the secret goes on behind them.

use std::ops::Range;

use crate::shapes::skip;

/// How many backslashes and quotes are looked through: strings within strings within strings.
const MOST_QUOTES: usize = 9;

/// What stands behind an operator of a shell if it is one, and not a part of a password.
const COMMANDS: [&str; 26] = [
    "awk", "base64", "bash", "cat", "cd", "cp", "curl", "cut", "docker", "echo", "env", "exec",
    "export", "git", "grep", "head", "jq", "make", "node", "npm", "npx", "python", "python3", "sh",
    "tee", "xargs",
];

/// Where a value begins, and what ends it.
pub(crate) struct ValuePlace {
    pub(crate) start: usize,
    pub(crate) ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The quote that began it, with as many backslashes.
    Quote { quote: u8, slashes: usize },
    /// A quote that a page writes out, or the end of the line.
    WrittenQuote,
    /// What ends a word of a program.
    Word,
    /// What ends the value of a variable; the quote is one around the whole assignment.
    Variable { within: Option<u8> },
    /// The end of the line.
    Line,
    /// What ends a member of a connection string.
    Semicolon,
}

impl ValuePlace {
    /// The value behind the sign after the name that ends here. `unquoted` ends it without quotes.
    pub(crate) fn after_name(text: &[u8], name_end: usize, unquoted: Ending) -> Option<Self> {
        let is_variable = matches!(unquoted, Ending::Variable { .. });
        let is_space = |byte: u8| matches!(byte, b' ' | b'\t');
        let closes = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']');
        let at = skip(text, name_end, MOST_QUOTES, closes);
        let sign = skip(text, at, 4, is_space);
        let after = skip(text, sign, 2, |byte| matches!(byte, b'=' | b':' | b'>' | b'?'));
        if !matches!(&text[sign..after], b"=" | b":" | b":=" | b"=>" | b"?=") {
            return None;
        }
        let at = if is_variable { after } else { skip(text, after, 4, is_space) };
        Self::of_value(text, at, unquoted)
    }

    /// The value that begins here, with or without quotes.
    pub(crate) fn of_value(text: &[u8], at: usize, unquoted: Ending) -> Option<Self> {
        let quote_at = skip(text, at, MOST_QUOTES, is_backslash);
        match text.get(quote_at).copied() {
            Some(quote @ (b'"' | b'\'' | b'`')) => {
                let ending = Ending::Quote { quote, slashes: quote_at - at };
                Some(Self { start: quote_at + 1, ending })
            }
            Some(b'&') if quote_entity(&text[quote_at..]) > 0 => {
                let start = quote_at + quote_entity(&text[quote_at..]);
                Some(Self { start, ending: Ending::WrittenQuote })
            }
            _ => Some(Self { start: at, ending: unquoted }),
        }
    }
}

impl Ending {
    /// The value that begins at `start`, or its first `most` bytes.
    pub(crate) fn value(&self, text: &[u8], start: usize, most: usize) -> Range<usize> {
        let most = text.len().min(start.saturating_add(most));
        if let Self::Quote { quote, slashes } = *self {
            return start..closing_quote(&text[..most], start, quote, slashes);
        }
        let mut at = start;
        while at < most && !self.ends(text, at) {
            // What stands behind backslashes belongs to them.
            at = if text[at] == b'\\' {
                skip(text, at, MOST_QUOTES, is_backslash) + 1
            } else {
                at + 1
            };
        }
        start..start + trimmed(&text[start..at.min(most)]).len()
    }

    /// Whether a value without quotes ends at this place.
    fn ends(&self, text: &[u8], at: usize) -> bool {
        let byte = text[at];
        match self {
            _ if byte == b'\\' => {
                ends_at_backslash(&text[skip(text, at, MOST_QUOTES, is_backslash)..])
            }
            // A colour of a terminal, or a line end.
            _ if byte.is_ascii_control() => true,
            _ if byte == b'&' && quote_entity(&text[at..]) > 0 => true,
            Self::WrittenQuote => byte == b'<',
            Self::Quote { .. } => false,
            Self::Word => byte.is_ascii_whitespace() || b",;()}]\"'`<>|&".contains(&byte),
            Self::Line => false,
            Self::Semicolon => matches!(byte, b';' | b'"' | b'\'' | b'`' | b'<'),
            Self::Variable { within } => {
                byte.is_ascii_whitespace()
                    || *within == Some(byte)
                    || matches!(byte, b'"' | b'\'') && ends_behind(&text[at + 1..])
                    || byte == b'<' && text.get(at + 1) == Some(&b'/')
                    || is_operator(text, at)
            }
        }
    }
}

/// The length of the quote that a text begins with as pages write it.
fn quote_entity(text: &[u8]) -> usize {
    let entities = ["&quot;", "&apos;", "&#34;", "&#39;", "&#x27;", "&#x22;"];
    let found = entities.iter().find(|entity| text.starts_with(entity.as_bytes()));
    found.map_or(0, |entity| entity.len())
}

fn is_backslash(byte: u8) -> bool {
    byte == b'\\'
}

/// Whether a backslash stands for the end of a line or belongs to a quote around the text. Any
/// other one is a part of the value.
fn ends_at_backslash(behind: &[u8]) -> bool {
    let is_unicode = behind.first() == Some(&b'u')
        && behind.get(1..5).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let is_control = behind.get(1..4).is_some_and(|digits| matches!(digits, b"000" | b"001"))
        || behind.get(1..5) == Some(b"0022");
    match behind.first() {
        Some(b'u') => !is_unicode || is_control,
        Some(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b'"' | b'\'' | b'\n' | b'\r'),
        None => true,
    }
}

/// Whether a quote with this behind it closes something.
fn ends_behind(behind: &[u8]) -> bool {
    behind.first().is_none_or(|byte| byte.is_ascii_whitespace() || b",}]):;".contains(byte))
}

/// Whether an operator of a shell stands here, and not a sign of a password.
fn is_operator(text: &[u8], at: usize) -> bool {
    let byte = text[at];
    if !matches!(byte, b';' | b'&' | b'|') {
        return false;
    }
    let behind = &text[at + 1..];
    let is_double = byte != b';' && behind.first() == Some(&byte);
    let behind = behind.get(usize::from(is_double)..).unwrap_or_default();
    let is_command_byte = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_./-".contains(*byte);
    let command = behind.iter().take(32).take_while(is_command_byte).count();
    let is_ended = behind.get(command).is_none_or(u8::is_ascii_whitespace);
    let command = &behind[..command];
    is_double && (command.is_empty() || command[0].is_ascii_lowercase())
        || is_ended && COMMANDS.iter().any(|known| known.as_bytes() == command)
        || is_ended && (command.starts_with(b"./") || command.starts_with(b"/"))
}

/// The value without what ends a sentence, a statement or something around it.
fn trimmed(value: &[u8]) -> &[u8] {
    let mut value = value.trim_ascii_end();
    while let Some((last, rest)) = value.split_last() {
        let is_alone = |quote: u8| rest.iter().filter(|byte| **byte == quote).count() % 2 == 0;
        match last {
            b';' | b',' | b')' => value = rest,
            // Three dots stand for the rest of the value.
            b'.' if !rest.ends_with(b".") => value = rest,
            b'"' | b'\'' | b'`' if is_alone(*last) => value = rest,
            _ => break,
        }
    }
    value
}

/// Where the quote stands that ends a string, or what else ends it: the end of the line, the end
/// of a string around it.
fn closing_quote(text: &[u8], start: usize, quote: u8, slashes: usize) -> usize {
    // A string within others has 0, 1, 3, 7… backslashes before its quotes.
    let period = 2 * (slashes + 1);
    let mut first = None;
    let mut run = 0;
    for (at, byte) in text.iter().enumerate().skip(start) {
        match *byte {
            b'\n' => return first.unwrap_or(at),
            b'\\' => {
                run += 1;
                continue;
            }
            b'n' | b'r' if run > 0 && run == slashes => return first.unwrap_or(at - run),
            byte if byte == quote && run < slashes => return at - run,
            byte if byte == quote && run % period == slashes => return at - slashes,
            byte if byte == quote => first = first.or(Some(at)),
            _ => {}
        }
        run = 0;
    }
    first.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(text: &str, unquoted: Ending) -> &str {
        let place = ValuePlace::of_value(text.as_bytes(), 0, unquoted)
            .map(|place| place.ending.value(text.as_bytes(), place.start, usize::MAX));
        place.map_or("", |range| &text[range])
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        for (text, value) in [
            (r#""ab" c"#, "ab"),
            (r#""a\"b" c"#, r#"a\"b"#),
            (r#""a\\" c"#, r"a\\"),
            (r#"\"ab\", \"c\""#, "ab"),
            (r#"\"a\\\"b\" c"#, r#"a\\\"b"#),
            (r#"\\\"ab\\\" c"#, "ab"),
            (r"'a\' b", r"a\"),
            ("\"ab\ncd\"", "ab"),
            (r#""""#, ""),
        ] {
            assert_eq!(value_of(text, Ending::Word), value, "{text}");
        }
    }

    #[test]
    fn variables_end_at_operators_and_keep_their_signs() {
        let variable = Ending::Variable { within: None };
        for (text, value) in [
            ("ab;echo hi", "ab"),
            ("ab&&curl x", "ab"),
            ("ab|base64", "ab"),
            ("lemon|tree;7", "lemon|tree;7"),
            (r"a\ b c", r"a\ b"),
            ("a\"b c", "a\"b"),
            ("ab\"", "ab"),
            ("ab\", \"c\"", "ab"),
            (r"ab\nC=d", "ab"),
            (r"a\u0026b c", r"a\u0026b"),
        ] {
            assert_eq!(value_of(text, variable), value, "{text}");
        }
        assert_eq!(value_of("&quot;ab&quot; c", variable), "ab");
        assert_eq!(value_of("ab&#39; c", variable), "ab");
        assert_eq!(value_of("a'b'", Ending::Variable { within: Some(b'\'') }), "a");
    }
}
