//! The places of a session that people look for: what the map beside the conversation shows.

use std::ops::Range;

use pitree_export::harmless::clean_beginning;
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_session::Session;

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
    Ok(with_failed(opened, &failed(&opened.session, 0..opened.session.len())?))
}

/// Those of some entries that tell of something that went wrong. Their lines are read.
pub(crate) fn failed(session: &Session, entries: Range<usize>) -> Result<Vec<usize>, Problem> {
    let mut failed = Vec::new();
    for entry in entries.filter_map(|at| session.at(at)) {
        if entry.has_failed()? {
            failed.push(entry.index());
        }
    }
    Ok(failed)
}

/// All of them if it is known what went wrong, in file order. No line is read.
pub(crate) fn with_failed(opened: &OpenSession, failed: &[usize]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for entry in opened.session.entries() {
        let at = entry.index();
        let mut mark = |kind, text| marks.push(Mark { at, kind, text });
        match (entry.kind(), entry.role()) {
            (EntryKind::Compaction, _) => mark("compaction", None),
            (EntryKind::Message, Role::User) => mark("user", None),
            _ if failed.binary_search(&at).is_ok() => mark("error", None),
            _ => {}
        }
        if opened.lanes.part_at(at) {
            mark("branch", None);
        }
        if let Some(label) = opened.labels.get(&at) {
            mark("label", Some(clean_beginning(label, CHARS)));
        }
    }
    marks
}

pub(crate) fn described(marks: impl IntoIterator<Item = Mark>) -> Value {
    list(marks, |mark| {
        let object = Object::new().with("at", mark.at).with("kind", mark.kind);
        object.with_some("text", mark.text).into()
    })
}
