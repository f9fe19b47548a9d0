//! What a page knows of all entries before it unpacks any of them.

use pitree_format::{Object, Value};

/// What is known of an entry without its body, in columns.
#[derive(Default)]
pub(crate) struct Light {
    pub(crate) ids: Vec<Value>,
    pub(crate) parents: Vec<Value>,
    pub(crate) kinds: Vec<Value>,
    pub(crate) flags: Vec<Value>,
    pub(crate) summaries: Vec<Value>,
    pub(crate) labels: Vec<Value>,
    /// The lines of the tree that are not the summaries.
    pub(crate) lines: Vec<Value>,
    /// The names behind `kinds`.
    pub(crate) names: Vec<String>,
}

impl Light {
    pub(crate) fn kind(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    pub(crate) fn into_value(self) -> Object {
        Object::new()
            .with("ids", self.ids)
            .with("parents", self.parents)
            .with("kinds", self.kinds)
            .with("flags", self.flags)
            .with("summaries", self.summaries)
            .with("labels", self.labels)
            .with("lines", self.lines)
    }
}
