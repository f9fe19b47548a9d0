//! The envelope scan: one pass over a line that validates every byte and notes where the few
//! members are that the tree needs.
//!
//! This is the hot path of opening a session. It works for any order of members, with one rule:
//! of members with equal names the last one counts, as in `JSON.parse`. The strict decoder in
//! [`crate::js`] is the second opinion; a property test holds the two against each other.

mod lanes;
mod skip;
mod string;

use crate::js::date::parse_iso;
use crate::js::{JsString, JsonError, decode_string};
use crate::{EntryKind, Role};

pub use skip::skip_value;
use skip::{expect_colon, next_member, skip_space};
use string::skip_name_string;
pub use string::string_end;
pub(crate) use string::{each_slash, plain_run, skip_string};

/// A longer name is none that anybody knows, however it is spelled.
const MOST_NAME_BYTES: usize = 256;

/// What a line is.
#[derive(Debug)]
pub enum Scanned<'a> {
    /// Nothing but white space.
    Blank,
    /// No JSON: not an entry for Pi, kept on disk.
    Malformed(JsonError),
    /// `null`, `0`, `false` or `""`: JSON that Pi drops.
    Falsy,
    /// JSON, but no object: nothing an entry could be.
    NotAnObject,
    /// A JSON object.
    Object(Envelope<'a>),
}

/// A member of the envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field<'a> {
    /// The line has no such member.
    #[default]
    Absent,
    /// `null`
    Null,
    /// A string: its text between the quotes, escapes and all.
    Text(&'a [u8]),
    /// A number, boolean, array or object.
    Other,
}

impl Field<'_> {
    /// The string, decoded.
    pub fn to_js(&self) -> Option<JsString> {
        match self {
            Self::Text(raw) => Some(decode_string(raw)),
            _ => None,
        }
    }

    /// Calls `read` with the decoded bytes of a string; a string without escapes is not copied.
    fn with_bytes<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        match self {
            Self::Text(raw) if !raw.contains(&b'\\') => Some(read(raw)),
            Self::Text(raw) => Some(read(decode_string(raw).as_bytes())),
            _ => None,
        }
    }
}

/// The members of a line that the tree, the listing and the leaf need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// `type`
    pub type_name: Field<'a>,
    /// `id`
    pub id: Field<'a>,
    /// `parentId`
    pub parent_id: Field<'a>,
    /// `timestamp`
    pub timestamp: Field<'a>,
    /// `message.role`; absent when there is no message object.
    pub role: Field<'a>,
}

impl Envelope<'_> {
    /// What kind of entry this is.
    pub fn kind(&self) -> EntryKind {
        self.type_name.with_bytes(EntryKind::from_name).unwrap_or(EntryKind::Other)
    }

    /// The role of the message; [`Role::Other`] where there is none.
    pub fn role(&self) -> Role {
        self.role.with_bytes(Role::from_name).unwrap_or(Role::Other)
    }

    /// The timestamp in milliseconds, if it is a date in ISO form.
    pub fn time(&self) -> Option<i64> {
        self.timestamp.with_bytes(parse_iso).flatten()
    }
}

/// Where a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// In the entry itself.
    Entry,
    /// In the entry's `message` object.
    Message,
}

/// Reads one line (without its line feed).
pub fn scan(line: &[u8]) -> Scanned<'_> {
    scan_members(line, |_, _, _| {})
}

/// Reads one line and shows every member of the entry and of its message on the way: the name,
/// decoded unless it is very long, and the raw text of the value. A name that is shown again
/// replaces the one before; a `message` that begins is shown with an empty text, before its members.
///
/// What is shown of a line that turns out to be malformed means nothing.
pub fn scan_members<'a>(
    line: &'a [u8],
    mut show: impl FnMut(Level, &[u8], &'a [u8]),
) -> Scanned<'a> {
    let start = skip_space(line, 0);
    if start == line.len() {
        return Scanned::Blank;
    }
    if line[start] != b'{' {
        return scan_other(line, start);
    }
    let mut envelope = Envelope::default();
    match scan_object(line, start, &mut envelope, &mut show)
        .and_then(|end| only_space_after(line, end))
    {
        Ok(()) => Scanned::Object(envelope),
        Err(error) => Scanned::Malformed(error),
    }
}

fn scan_other(line: &[u8], start: usize) -> Scanned<'_> {
    if is_blank_text(line) {
        return Scanned::Blank;
    }
    match skip_value(line, start).and_then(|end| only_space_after(line, end).map(|()| end)) {
        Ok(end) => {
            let text = &line[start..end];
            let falsy = matches!(text, b"null" | b"false" | b"\"\"") || is_zero(text);
            if falsy { Scanned::Falsy } else { Scanned::NotAnObject }
        }
        Err(error) => Scanned::Malformed(error),
    }
}

/// Whether a line holds only what JavaScript's `trim` removes.
fn is_blank_text(line: &[u8]) -> bool {
    !line[0].is_ascii_graphic()
        && line.len() < 4096
        && String::from_utf8_lossy(line).chars().all(crate::js::is_js_whitespace)
}

fn is_zero(text: &[u8]) -> bool {
    matches!(text[0], b'-' | b'0'..=b'9')
        && std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) == Some(0.0)
}

fn only_space_after(line: &[u8], end: usize) -> Result<(), JsonError> {
    let at = skip_space(line, end);
    if at == line.len() {
        Ok(())
    } else {
        Err(JsonError { at, problem: "text after the end of the value" })
    }
}

fn scan_object<'a>(
    line: &'a [u8],
    open: usize,
    envelope: &mut Envelope<'a>,
    show: &mut impl FnMut(Level, &[u8], &'a [u8]),
) -> Result<usize, JsonError> {
    each_member(line, open, |name, value_at| {
        let end = match known_name(name) {
            Some(Known::Type) => read_field(line, value_at, &mut envelope.type_name)?,
            Some(Known::Id) => read_field(line, value_at, &mut envelope.id)?,
            Some(Known::ParentId) => read_field(line, value_at, &mut envelope.parent_id)?,
            Some(Known::Timestamp) => read_field(line, value_at, &mut envelope.timestamp)?,
            Some(Known::Message) => return scan_message(line, value_at, envelope, show),
            Some(Known::Role) | None => skip_value(line, value_at)?,
        };
        show(Level::Entry, name, &line[value_at..end]);
        Ok(end)
    })
}

fn scan_message<'a>(
    line: &'a [u8],
    open: usize,
    envelope: &mut Envelope<'a>,
    show: &mut impl FnMut(Level, &[u8], &'a [u8]),
) -> Result<usize, JsonError> {
    // A later `message` member replaces an earlier one, and with it the role.
    envelope.role = Field::Absent;
    show(Level::Entry, b"message", b"");
    if line.get(open) != Some(&b'{') {
        return skip_value(line, open);
    }
    each_member(line, open, |name, value_at| {
        let end = match known_name(name) {
            Some(Known::Role) => read_field(line, value_at, &mut envelope.role)?,
            _ => skip_value(line, value_at)?,
        };
        show(Level::Message, name, &line[value_at..end]);
        Ok(end)
    })
}

/// Walks the members of the object at `open`, whose place is that of its `{`. `value` is given the
/// name, decoded unless it is very long, and the place of the value, and gives the place behind it:
/// see [`skip_value`]. Gives the place behind the object.
#[inline]
pub fn each_member(
    line: &[u8],
    open: usize,
    mut value: impl FnMut(&[u8], usize) -> Result<usize, JsonError>,
) -> Result<usize, JsonError> {
    let mut at = open;
    let mut first = true;
    while let Some(name_at) = next_member(line, &mut at, first)? {
        first = false;
        let (name_end, has_escape) = skip_name_string(line, name_at)?;
        let value_at = expect_colon(line, name_end)?;
        let raw = &line[name_at + 1..name_end - 1];
        // A name may be spelled with escapes; nobody does, but it is allowed.
        let decoded;
        let name = match has_escape && raw.len() <= MOST_NAME_BYTES {
            true => {
                decoded = decode_string(raw);
                decoded.as_bytes()
            }
            false => raw,
        };
        at = value(name, value_at)?;
    }
    Ok(at)
}

enum Known {
    Type,
    Id,
    ParentId,
    Timestamp,
    Message,
    Role,
}

#[inline]
fn known_name(name: &[u8]) -> Option<Known> {
    match name {
        b"type" => Some(Known::Type),
        b"id" => Some(Known::Id),
        b"parentId" => Some(Known::ParentId),
        b"timestamp" => Some(Known::Timestamp),
        b"message" => Some(Known::Message),
        b"role" => Some(Known::Role),
        _ => None,
    }
}

fn read_field<'a>(line: &'a [u8], at: usize, field: &mut Field<'a>) -> Result<usize, JsonError> {
    match line.get(at) {
        Some(b'"') => {
            let end = skip_string(line, at)?;
            *field = Field::Text(&line[at + 1..end - 1]);
            Ok(end)
        }
        first => {
            let end = skip_value(line, at)?;
            *field = if first == Some(&b'n') { Field::Null } else { Field::Other };
            Ok(end)
        }
    }
}
