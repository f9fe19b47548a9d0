//! Labels and the session's name: the latest in file order wins, whatever the branch.

use std::collections::HashMap;

use pitree_format::{EntryKind, JsString};

use crate::error::Result;
use crate::session::Session;

/// The labels that stand, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// A cleared label leaves a gap.
    list: Vec<Option<Label>>,
    places: HashMap<String, usize>,
}

/// One label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The id of the labelled entry.
    pub target_id: String,
    /// The label.
    pub text: JsString,
    /// When it was set, as the label's entry says.
    pub timestamp: Option<JsString>,
}

impl Labels {
    /// The label of an entry.
    pub fn get(&self, target_id: &str) -> Option<&Label> {
        self.places.get(target_id).and_then(|&at| self.list[at].as_ref())
    }

    /// All labels. One that is set again keeps its place; one that was cleared and set again
    /// goes to the end.
    pub fn iter(&self) -> impl Iterator<Item = &Label> {
        self.list.iter().flatten()
    }

    /// Applies one `label` entry.
    pub(crate) fn apply(&mut self, label: Label) {
        if label.text.is_empty() {
            if let Some(at) = self.places.remove(&label.target_id) {
                self.list[at] = None;
            }
        } else if let Some(&at) = self.places.get(&label.target_id) {
            self.list[at] = Some(label);
        } else {
            self.places.insert(label.target_id.clone(), self.list.len());
            self.list.push(Some(label));
        }
    }
}

impl Session {
    pub(crate) fn read_labels(&self) -> Result<Labels> {
        let mut labels = Labels::default();
        for entry in self.entries().filter(|entry| entry.kind() == EntryKind::Label) {
            let value = entry.value()?;
            let Some(target) = value.get_string("targetId") else { continue };
            labels.apply(Label {
                target_id: target.to_text().into_owned(),
                text: value.get_string("label").cloned().unwrap_or_default(),
                timestamp: value.get_string("timestamp").cloned(),
            });
        }
        Ok(labels)
    }

    /// The session's name: the last `session_info` in the file, trimmed; empty means none. Pi's
    /// `getSessionName`.
    pub fn name(&self) -> Result<Option<JsString>> {
        let last = self.entries().rfind(|entry| entry.kind() == EntryKind::SessionInfo);
        let Some(entry) = last else { return Ok(None) };
        let name = entry.value()?.get_string("name").map(JsString::trim);
        Ok(name.filter(|name| !name.is_empty()))
    }
}
