//! The one way by which text of a session comes in: through the redactor, if there is one.
//!
//! The pages and the JSONL writer take everything from a [`Source`] and nothing from the session
//! itself. A value is changed as soon as it was read, before anything is cut or put together, so
//! that a redactor always sees whole texts.

use std::borrow::Cow;

use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_redact::Links;
use pitree_session::{EntryRef, OddLine, Oddity, Session, SessionError};

/// Changes texts before they are written.
///
/// It is given every string and every name of a member in the header and in each entry, and every
/// line that is no entry. Kept from it are only the words of the format (types and roles that have
/// a meaning), the bytes of images, and in JSONL what links the tree together: ids and times.
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

    /// Changes an entry or a header. Without an implementation of its own, [`Redactor::redact`] is
    /// called for each text in it.
    fn redact_entry(&self, entry: &mut Value, links: Links) {
        Redaction { redactor: self, keeps_links: links == Links::Keep }.entry(entry);
    }

    /// Who looks once more at what was written, before any of it is handed out.
    fn second_scan(&self) -> Option<&pitree_redact::Redactor> {
        None
    }
}

impl<F: Fn(&str) -> Option<String>> Redactor for F {
    fn redact(&self, text: &str) -> Option<String> {
        self(text)
    }
}

/// Members of an entry that link it to others.
const LINKS: [&str; 6] = ["id", "parentId", "timestamp", "targetId", "fromId", "firstKeptEntryId"];

/// Names without which an entry is none.
const STRUCTURE: [&str; 7] =
    ["type", "version", "message", "role", "content", "toolCallId", "data"];

/// Types of content blocks that mean something.
const BLOCKS: [&str; 6] = ["text", "image", "media", "thinking", "redacted_thinking", "toolCall"];

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
        self.redact(&mut value);
        Ok(value)
    }

    /// Redacts an entry for a page, which shows ids and needs none.
    fn redact(&self, entry: &mut Value) {
        if let Some(redactor) = self.redactor {
            redactor.redact_entry(entry, Links::Redact);
        }
    }

    /// Redacts an entry or a header for a session file, in which ids hold the tree together.
    pub(crate) fn redact_line(&self, line: &mut Value) {
        if let Some(redactor) = self.redactor {
            redactor.redact_entry(line, Links::Keep);
        }
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

/// What a redactor does to an entry.
struct Redaction<'r, R: Redactor + ?Sized> {
    redactor: &'r R,
    /// Whether ids and times stay.
    keeps_links: bool,
}

impl<R: Redactor + ?Sized> Redaction<'_, R> {
    fn entry(&self, entry: &mut Value) {
        self.members(entry, |name, member| match name {
            "type" => is_one(member, |kind| EntryKind::from_name(kind) != EntryKind::Other),
            "message" => {
                self.message(member);
                true
            }
            "content" => {
                self.content(member);
                true
            }
            name => self.keeps_links && LINKS.contains(&name),
        });
    }

    fn message(&self, message: &mut Value) {
        self.members(message, |name, member| match name {
            "role" => is_one(member, |role| Role::from_name(role) != Role::Other),
            "toolCallId" => self.keeps_links,
            "content" => {
                self.content(member);
                true
            }
            _ => false,
        });
    }

    /// Content: a string, or blocks.
    fn content(&self, content: &mut Value) {
        let Value::Array(blocks) = content else { return self.value(content) };
        for block in blocks {
            let kind = block.get_string("type").and_then(JsString::as_str).unwrap_or_default();
            let (is_image, is_known) = (kind == "image", BLOCKS.contains(&kind));
            self.members(block, |name, member| match name {
                "type" => is_known,
                "id" => self.keeps_links,
                // The bytes of an image are no text, as long as they are bytes.
                "data" => is_image && member.as_string().is_some_and(is_base64),
                _ => false,
            });
        }
    }

    /// Redacts the members that `keeps` does not keep or has not dealt with.
    fn members(&self, value: &mut Value, mut keeps: impl FnMut(&str, &mut Value) -> bool) {
        let Value::Object(object) = value else { return self.value(value) };
        let members = std::mem::take(object).into_members().into_iter();
        let members = members.map(|(name, mut member)| {
            if !keeps(&name.to_text(), &mut member) {
                self.value(&mut member);
            }
            let text = name.to_text();
            let is_fixed = STRUCTURE.contains(&&*text) || LINKS.contains(&&*text);
            (if is_fixed { name } else { self.text(name) }, member)
        });
        *object = Object::from_members(members.collect());
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(std::mem::take(text)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(object) => {
                let members = std::mem::take(object).into_members().into_iter();
                let members = members.map(|(name, mut member)| {
                    self.value(&mut member);
                    (self.text(name), member)
                });
                *object = Object::from_members(members.collect());
            }
            // Text that was not decoded. What a redactor makes of it may be no JSON any more, so
            // it becomes a string.
            Value::Deep(text) => {
                if let Some(other) = self.redactor.redact(&String::from_utf8_lossy(text)) {
                    *value = Value::text(other);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&self, text: JsString) -> JsString {
        match self.redactor.redact(&text.to_text()) {
            Some(other) => other.into(),
            None => text,
        }
    }
}

fn is_one(value: &Value, known: impl Fn(&[u8]) -> bool) -> bool {
    value.as_string().is_some_and(|text| known(text.as_bytes()))
}

/// Whether a text is the base64 of something.
pub(crate) fn is_base64(data: &JsString) -> bool {
    let Some(data) = data.as_str() else { return false };
    let digits = data.trim_end_matches('=');
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len() - digits.len() <= 2 && digits.bytes().all(allowed)
}
