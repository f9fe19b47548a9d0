//! Session files as they are, without secrets: what Hugging Face calls agent traces.
//!
//! One file for each session, with every entry on every branch. A line of the session stays as it
//! is, but for characters that the reader cannot read. Lines that are no JSON are left out, because
//! the reader refuses the whole file for them, and so are blank ones. Files of old versions are
//! written in the form of version 3.

use std::fmt::Write;

use pitree_format::js::stringify;
use pitree_format::migrate::SourceVersion;
use pitree_session::{EntryRef, Session};

use crate::error::ExtractError;
use crate::format::{FormatName, FormatOptions, SessionFormat};
use crate::output::{Output, Target, short_id};
use crate::task::SessionTask;

/// The end of a line for Python. A carriage return stands between the parts of a line, the others
/// in its strings.
const LINE_ENDS: [char; 4] = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(HfTraces)
}

/// The form.
#[derive(Clone, Copy, Debug, Default)]
pub struct HfTraces;

impl SessionFormat for HfTraces {
    fn name(&self) -> FormatName {
        FormatName::HfTraces
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let session = task.session;
        let name = file_name(task);
        let facts = task.session_facts(out)?;
        out.sample(facts);
        let header = stringify(session.header_value());
        out.piece(Target::FileLine(&name), loadable(header).as_bytes())?;
        for entry in session.entries() {
            out.piece(Target::FileLine(&name), line(session, &entry)?.as_bytes())?;
        }
        Ok(())
    }
}

/// Two files may hold sessions of one id, so the content has a part in the name.
fn file_name(task: &SessionTask<'_>) -> String {
    let id = short_id(&task.about.session_id);
    format!("{id}-{}.jsonl", &task.file_id()[..8])
}

/// The line of an entry.
fn line(session: &Session, entry: &EntryRef<'_>) -> Result<String, ExtractError> {
    if session.source_version() != SourceVersion::Current {
        return Ok(loadable(stringify(&entry.value()?)));
    }
    let raw = entry.raw()?.into_owned();
    // What is no UTF-8 is written as Node reads it: as replacement characters.
    let text = String::from_utf8(raw)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(loadable(text))
}

/// The line as the reader takes it. It cuts a file where a line ends for Python, so there is no
/// such character. It fails at halves of surrogate pairs, which become replacement characters.
fn loadable(line: String) -> String {
    if !line.contains(LINE_ENDS) && !line.contains("\\ud") && !line.contains("\\uD") {
        return line;
    }
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = &line[..];
    while let Some(at) = rest.find(|c| c == '\\' || LINE_ENDS.contains(&c)) {
        out.push_str(&rest[..at]);
        rest = push_special(&rest[at..], &mut out);
    }
    out.push_str(rest);
    out
}

/// Takes an escape or the end of a line from the beginning of a text, and gives what follows.
fn push_special<'t>(text: &'t str, out: &mut String) -> &'t str {
    let mut chars = text.chars();
    match chars.next() {
        Some('\\') => {}
        Some('\r') => {
            out.push(' ');
            return chars.as_str();
        }
        Some(end) => {
            let _ = write!(out, "\\u{:04x}", u32::from(end));
            return chars.as_str();
        }
        None => return text,
    }
    let len = match unit(text) {
        Some(0xD800..=0xDBFF) if matches!(unit(&text[6..]), Some(0xDC00..=0xDFFF)) => 12,
        Some(0xD800..=0xDFFF) => {
            out.push('\u{FFFD}');
            return &text[6..];
        }
        Some(_) => 6,
        None => 1 + chars.next().map_or(0, char::len_utf8),
    };
    let (escape, after) = text.split_at(len);
    out.push_str(escape);
    after
}

/// The code unit that a text begins with, if it begins with `\u` and four digits.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_reader_refuses_changes() {
        for (line, expected) in [
            (r#"{"a":"\n\ud83d\ude00\\ud83d"}"#, r#"{"a":"\n\ud83d\ude00\\ud83d"}"#),
            (r#""\ud83dx\uDE00""#, "\"\u{FFFD}x\u{FFFD}\""),
            (r#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}\\ud83d\\ude00\""),
            ("\"a\u{2028}b\u{85}\"", r#""a\u2028b\u0085""#),
            ("{\r\"a\":1}\r", "{ \"a\":1} "),
        ] {
            assert_eq!(loadable(line.to_owned()), expected, "{line}");
        }
    }
}
