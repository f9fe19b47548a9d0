//! The places of a session that people look for: what the map beside the conversation shows.

use memchr::memmem::Finder;
use pitree_export::harmless::clean_beginning;
use pitree_format::{EntryKind, Object, Role, Value};

use crate::answer::{Problem, list};
use crate::opened::OpenSession;

/// The length of the text of a mark.
const CHARS: usize = 80;

/// Such a place.
#[derive(Clone)]
pub(crate) struct Mark {
    at: usize,
    kind: &'static str,
    /// The label, for a label.
    text: Option<String>,
}

impl Mark {
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The same mark at another place.
    pub(crate) fn moved(&self, at: usize) -> Self {
        Self { at, ..self.clone() }
    }
}

/// All of them, in file order.
pub(crate) fn find(opened: &OpenSession) -> Result<Vec<Mark>, Problem> {
    let mut marks = Vec::new();
    // What these say is decided by the entry itself; they only spare most entries a closer look.
    let failed_tool = Finder::new(br#""isError":true"#);
    let failed_reply = Finder::new(br#""stopReason":"error""#);
    for entry in opened.session.entries() {
        let at = entry.index();
        let mut mark = |kind, text| marks.push(Mark { at, kind, text });
        match (entry.kind(), entry.role()) {
            (EntryKind::Compaction, _) => mark("compaction", None),
            (EntryKind::Message, Role::User) => mark("user", None),
            (EntryKind::Message, Role::ToolResult) if has(entry, &failed_tool)? => {
                mark("error", None);
            }
            (EntryKind::Message, Role::Assistant) if has(entry, &failed_reply)? => {
                mark("error", None);
            }
            _ => {}
        }
        if opened.lanes.part_at(at) {
            mark("branch", None);
        }
        if let Some(label) = opened.labels.get(&at) {
            mark("label", Some(clean_beginning(label, CHARS)));
        }
    }
    Ok(marks)
}

fn has(entry: pitree_session::EntryRef<'_>, finder: &Finder<'_>) -> Result<bool, Problem> {
    if finder.find(&entry.raw()?).is_none() {
        return Ok(false);
    }
    let message = entry.message()?.unwrap_or(Value::Null);
    let is_error = message.get("isError").is_some_and(Value::is_truthy);
    Ok(is_error || message.get_string("stopReason").is_some_and(|stop| stop == "error"))
}

pub(crate) fn described(marks: impl IntoIterator<Item = Mark>) -> Value {
    list(marks, |mark| {
        let object = Object::new().with("at", mark.at).with("kind", mark.kind);
        object.with_some("text", mark.text).into()
    })
}
