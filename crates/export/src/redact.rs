//! The one way by which text of a session comes in: through the redactor, if there is one.
//!
//! The pages and the JSONL writer take everything from a [`Source`] and nothing from the session
//! itself. A value is changed as soon as it was read, before anything is cut or put together, so
//! that a redactor always sees whole texts.

use std::borrow::Cow;

use pitree_format::{JsString, Object, Value};
use pitree_session::{EntryRef, OddLine, Oddity, Session, SessionError};

/// Changes texts before they are written.
///
/// It is given every string of the header and of each entry, the names in arguments, details and
/// other free data, and every line that is no entry. Kept from it is only what holds the tree
/// together (types, roles, times, the ids of entries and tool calls) and the bytes of images.
///
/// A closure is one too:
///
/// ```
/// use pitree_export::{ExportOptions, Redactor};
///
/// let hide = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "[secret]"));
/// let options = ExportOptions { redactor: Some(&hide), ..ExportOptions::default() };
/// assert_eq!(hide.redact("hunter2!").as_deref(), Some("[secret]!"));
/// # let _ = options;
/// ```
pub trait Redactor {
    /// The text to write instead; `None` leaves it as it is.
    fn redact(&self, text: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Redactor for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}

/// Members of an entry that link it to others.
const ENVELOPE: [&str; 7] =
    ["type", "id", "parentId", "timestamp", "targetId", "fromId", "firstKeptEntryId"];

/// How much of a line that is no entry is shown.
pub(crate) const MOST_ODD_BYTES: u64 = 64 << 10;

/// A session as an export sees it.
pub(crate) struct Source<'s> {
    session: &'s Session,
    redactor: Option<&'s dyn Redactor>,
}

impl<'s> Source<'s> {
    pub(crate) fn new(session: &'s Session, redactor: Option<&'s dyn Redactor>) -> Self {
        Self { session, redactor }
    }

    /// The session, for its shape. Its texts come from the methods below.
    pub(crate) fn session(&self) -> &'s Session {
        self.session
    }

    /// Whether texts are written as they are.
    pub(crate) fn is_plain(&self) -> bool {
        self.redactor.is_none()
    }

    /// A text that is at hand.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.redactor.and_then(|redactor| redactor.redact(text)) {
            Some(other) => Cow::Owned(other),
            None => Cow::Borrowed(text),
        }
    }

    /// An entry, brought up to version 3.
    pub(crate) fn value(&self, entry: EntryRef<'_>) -> Result<Value, SessionError> {
        let mut value = entry.value()?;
        self.entry(&mut value);
        Ok(value)
    }

    /// Redacts an entry or a header.
    pub(crate) fn entry(&self, value: &mut Value) {
        let Some(redactor) = self.redactor else { return };
        redact_members(value, redactor, |name, member| match name {
            _ if ENVELOPE.contains(&name) => {}
            "message" => redact_members(member, redactor, |name, member| match name {
                "role" | "toolCallId" => {}
                "content" => redact_content(member, redactor),
                _ => redact_value(member, redactor),
            }),
            "content" => redact_content(member, redactor),
            _ => redact_value(member, redactor),
        });
    }

    /// The header, redacted, as a value.
    pub(crate) fn header(&self) -> Value {
        let mut header = self.session.header_value().clone();
        self.entry(&mut header);
        header
    }

    /// The lines that are no entries, without the header that counts.
    pub(crate) fn odd_lines(&self) -> impl Iterator<Item = &'s OddLine> + use<'s> {
        let odd = self.session.odd_lines();
        let header = odd.iter().position(|line| line.what == Oddity::Header);
        odd.iter().enumerate().filter(move |(at, _)| Some(*at) != header).map(|(_, line)| line)
    }

    /// The beginning of a line that is no entry.
    pub(crate) fn odd_text(&self, line: &OddLine) -> Result<String, SessionError> {
        let bytes = self.session.file_bytes(line.offset, line.len.min(MOST_ODD_BYTES))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(self.text(&text).into_owned())
    }
}

/// Changes the members of an object whose names are part of the format.
fn redact_members(
    value: &mut Value,
    redactor: &dyn Redactor,
    mut change: impl FnMut(&str, &mut Value),
) {
    match value {
        Value::Object(object) => {
            object.iter_mut().for_each(|(name, member)| change(&name.to_text(), member));
        }
        other => redact_value(other, redactor),
    }
}

/// Content: a string, or blocks whose types and ids stay.
fn redact_content(value: &mut Value, redactor: &dyn Redactor) {
    let Value::Array(blocks) = value else { return redact_value(value, redactor) };
    for block in blocks {
        let is_image = block.get_string("type").is_some_and(|kind| *kind == "image");
        redact_members(block, redactor, |name, member| match name {
            "type" | "id" => {}
            "data" if is_image => {}
            _ => redact_value(member, redactor),
        });
    }
}

fn redact_value(value: &mut Value, redactor: &dyn Redactor) {
    match value {
        Value::String(text) => {
            if let Some(other) = redactor.redact(&text.to_text()) {
                *text = other.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(item, redactor)),
        Value::Object(object) => {
            let members = std::mem::take(object).into_members().into_iter();
            let members = members.map(|(name, mut member)| {
                redact_value(&mut member, redactor);
                (redacted_name(name, redactor), member)
            });
            *object = Object::from_members(members.collect());
        }
        // Text that was not decoded; what a redactor makes of it may be no JSON, so it becomes a
        // string.
        Value::Deep(text) => {
            if let Some(other) = redactor.redact(&String::from_utf8_lossy(text)) {
                *value = Value::text(other);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redacted_name(name: JsString, redactor: &dyn Redactor) -> JsString {
    match redactor.redact(&name.to_text()) {
        Some(other) => other.into(),
        None => name,
    }
}
