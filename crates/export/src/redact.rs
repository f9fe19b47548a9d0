//! The one way by which text of a session comes in: through the redactor, if there is one.
//!
//! The pages and the JSONL writer take everything from a [`ExportedSession`] and nothing from the session
//! itself. A value is changed as soon as it was read, before anything is cut or put together, so
//! that a redactor always sees whole texts.

use std::borrow::Cow;
use std::path::Path;

use pitree_format::{JsString, Value};
use pitree_redact::{Links, change_entry};
use pitree_session::{EntryRef, LineProblem, LineReader, Next, OddLine, Session, SessionError};

use crate::error::{ExportError, IoContext};

/// Changes texts before they are written.
///
/// It is given every string and every name of a member in the header and in each entry, and every
/// line that is not an entry. Kept from it are only the words of the format (types and roles that have
/// a meaning), the bytes of images, and in JSONL what links the tree together: ids and times.
///
/// A closure is one too:
///
/// ```
/// use pitree_export::{ExportOptions, Redactor};
///
/// let hide = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "[secret]"));
/// let options = ExportOptions::new().redactor(&hide);
/// assert_eq!(hide.redact("hunter2!").as_deref(), Some("[secret]!"));
/// # let _ = options;
/// ```
pub trait Redactor {
    /// The text to write instead; `None` leaves it as it is.
    fn redact(&self, text: &str) -> Option<String>;

    /// Changes an entry or a header. Without an implementation of its own, [`Redactor::redact`] is
    /// called for each text in it.
    fn redact_entry(&self, entry: &mut Value, links: Links) {
        change_entry(entry, links, &|text| self.redact(text));
    }

    /// Is given every line of the session before anything is written, if
    /// [`Redactor::wants_lines`].
    fn learn_line(&self, _line: &[u8]) {}

    /// Is given every line of the session once more, when all of them were learned.
    fn count_line(&self, _number: usize, _line: &[u8]) {}

    /// Whether the whole session is to be read before it is written.
    fn wants_lines(&self) -> bool {
        false
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

/// How much of a line that is not an entry is shown.
pub(crate) const MOST_ODD_BYTES: u64 = 64 << 10;

/// Shows a redactor every line of a session, if it wants to see them: first to learn from all of
/// them, and then to count what is in each. An export does this by itself; before the first
/// [`entry_view`](crate::nodes::entry_view) it has to be done once.
pub fn learn(session: &Session, redactor: &dyn Redactor) -> Result<(), ExportError> {
    if !redactor.wants_lines() {
        return Ok(());
    }
    each_line(session, &mut |_, line| redactor.learn_line(line))?;
    each_line(session, &mut |number, line| redactor.count_line(number, line))
}

fn each_line(session: &Session, look: &mut dyn FnMut(usize, &[u8])) -> Result<(), ExportError> {
    if session.file_len() == 0 {
        for (at, entry) in session.entries().enumerate() {
            look(at, &entry.raw()?);
        }
        return Ok(());
    }
    each_line_of(session.path().unwrap_or("(memory)".as_ref()), session.file_len(), look)
}

/// Shows every line of a file, up to a size, with its number.
pub(crate) fn each_line_of(
    path: &Path,
    size: u64,
    look: &mut dyn FnMut(usize, &[u8]),
) -> Result<(), ExportError> {
    let file = pitree_session::open_file(path)?;
    let mut reader = LineReader::new(&file, 0, size);
    for number in 0.. {
        match reader.next_line().on("read", path)? {
            Next::End => break,
            Next::TooLong { .. } => look(number, &[]),
            Next::Line { bytes, .. } => look(number, bytes),
        }
    }
    Ok(())
}

/// A session as an export sees it.
pub(crate) struct ExportedSession<'s> {
    session: &'s Session,
    redactor: Option<&'s dyn Redactor>,
}

impl<'s> ExportedSession<'s> {
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
        self.redacted(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// What is written instead of a text; `None` if it stays as it is.
    pub(crate) fn redacted(&self, text: &str) -> Option<String> {
        self.redactor.and_then(|redactor| redactor.redact(text))
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

    /// The lines that are not entries, without the header that counts.
    pub(crate) fn odd_lines(&self) -> impl Iterator<Item = &'s OddLine> + use<'s> {
        let odd = self.session.odd_lines();
        let header = odd.iter().position(|line| line.what == LineProblem::Header);
        odd.iter().enumerate().filter(move |(at, _)| Some(*at) != header).map(|(_, line)| line)
    }

    /// The beginning of a line that is not an entry.
    pub(crate) fn odd_text(&self, line: &OddLine) -> Result<String, SessionError> {
        let bytes = self.session.file_bytes(line.offset, line.len.min(MOST_ODD_BYTES))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(self.text(&text).into_owned())
    }
}

/// Whether a text is the base64 of something.
pub(crate) fn is_base64(data: &JsString) -> bool {
    data.as_str().is_some_and(is_base64_text)
}

/// The same for a text of Rust.
pub(crate) fn is_base64_text(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len() - digits.len() <= 2 && digits.bytes().all(allowed)
}
