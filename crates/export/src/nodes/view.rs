//! One entry, ready to be shown.

use pitree_format::message::Block;
use pitree_format::{EntryKind, Role, Value, setters};
use pitree_session::{EntryRef, Session};

use super::{Kind, Node, ViewPage};
use crate::content::{call_from_block, write_entry};
use crate::redact::ExportedSession;
use crate::{ExportError, Redactor};

/// Of a longer text the beginning is shown, unless [`ViewOptions::most_bytes`] says otherwise.
const MOST_BYTES: usize = 256 << 10;

/// So many entries lie at most between a call and its result.
const MOST_BETWEEN: usize = 256;

/// What may be chosen about an [`EntryView`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ViewOptions<'o> {
    /// Sees every text before it is shown. One that learns from the whole session must have
    /// [learned](crate::learn) it.
    pub redactor: Option<&'o dyn Redactor>,
    /// Of a longer text only this much is shown, with a note of what is left.
    pub most_bytes: usize,
    /// Whether images are embedded; otherwise there is a note for each.
    pub images: bool,
    /// The call that a tool result answers, see [`call_of`]: the result then says what was called,
    /// and a file that was read is highlighted.
    pub call: Option<&'o Call>,
    /// Whether calls are only listed in [`EntryView::calls`] and left out of the body, for a page
    /// that shows them together with their results.
    pub leaves_out_calls: bool,
    /// Whether the body is made. Without it the view says what the entry is, in a fraction of the
    /// time; the bodies of calls and the preview are left out, too.
    pub body: bool,
}

impl Default for ViewOptions<'_> {
    fn default() -> Self {
        Self {
            redactor: None,
            most_bytes: MOST_BYTES,
            images: true,
            call: None,
            leaves_out_calls: false,
            body: true,
        }
    }
}

impl<'o> ViewOptions<'o> {
    /// Nothing redacted, everything shown, of long texts the beginning.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets who sees every text before it is shown.
        redactor: Option<&'o dyn Redactor>,
        /// Sets how much of a text is shown.
        most_bytes: usize,
        /// Sets whether images are embedded.
        images: bool,
        /// Sets the call that a tool result answers.
        call: Option<&'o Call>,
        /// Sets whether calls are left out of the body.
        leaves_out_calls: bool,
        /// Sets whether the body is made.
        body: bool,
    }
}

/// An entry, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryView {
    /// Its place in the file.
    pub index: usize,
    /// Its id.
    pub id: String,
    /// What kind of entry it is.
    pub kind: Kind,
    /// Who or what it is: `User`, `Assistant`, the name of a tool.
    pub who: String,
    /// What the tool was called with: a command, a path, a pattern.
    pub what: Option<String>,
    /// The model, the spend and the like.
    pub particulars: Vec<String>,
    /// Its label.
    pub label: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Whether it is a tool that failed or an answer that ended in an error.
    pub is_error: bool,
    /// Whether a page does well to fold the body at first, since it is long.
    pub is_folded: bool,
    /// All of it on one line.
    pub summary: String,
    /// A few lines of a long output that is folded, for a page to show in its place.
    pub preview: Option<String>,
    /// The tools that it calls.
    pub calls: Vec<Call>,
    /// What is in it.
    pub body: Vec<Node>,
}

impl Default for EntryView {
    fn default() -> Self {
        Self {
            index: 0,
            id: String::new(),
            kind: Kind::Note,
            who: String::new(),
            what: None,
            particulars: Vec::new(),
            label: None,
            time: None,
            is_error: false,
            is_folded: false,
            summary: String::new(),
            preview: None,
            calls: Vec::new(),
            body: Vec::new(),
        }
    }
}

/// The call of a tool, in short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// Its id, by which its result names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What tells it from other calls: the command, the path, the pattern.
    pub what: Option<String>,
    /// The file that it reads or writes.
    pub path: Option<String>,
    /// The first line that it reads.
    pub first_line: Option<u64>,
    /// Its arguments, if they were left out of the body of the entry.
    pub body: Vec<Node>,
}

/// An entry as it is shown. Only this entry is read (and the labels of the session, once).
pub fn entry_view(
    session: &Session,
    entry: EntryRef<'_>,
    options: &ViewOptions<'_>,
) -> Result<EntryView, ExportError> {
    let source = ExportedSession::new(session, options.redactor);
    let mut page = ViewPage::new(options, options.call.cloned());
    write_entry(&source, entry, &mut page)?;
    Ok(page.into_view(options.redactor))
}

/// The call that a tool result answers. The reply above it is read.
pub fn call_of(
    session: &Session,
    result: EntryRef<'_>,
    redactor: Option<&dyn Redactor>,
) -> Result<Option<Call>, ExportError> {
    if !result.is_message(Role::ToolResult) {
        return Ok(None);
    }
    let above = std::iter::successors(result.parent(), EntryRef::parent);
    let is_between = |entry: &EntryRef<'_>| {
        entry.kind() != EntryKind::Message || entry.is_message(Role::ToolResult)
    };
    let Some(reply) = above.take(MOST_BETWEEN).find(|entry| !is_between(entry)) else {
        return Ok(None);
    };
    let source = ExportedSession::new(session, redactor);
    let (result, reply) = (source.value(result)?, source.value(reply)?);
    let message = |value: &Value| value.get("message").cloned();
    let Some(id) = message(&result).and_then(|it| it.get_string("toolCallId").cloned()) else {
        return Ok(None);
    };
    let reply = message(&reply);
    let content = reply.as_ref().and_then(|it| it.get("content")).and_then(Value::as_array);
    let mut calls = content.into_iter().flatten().map(Block::decode);
    Ok(calls.find_map(|block| call_from_block(&block).filter(|call| call.id == id.to_text())))
}
