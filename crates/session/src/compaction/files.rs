//! Which files the summarised part of a conversation read and changed.

use std::cmp::Ordering;
use std::collections::HashSet;

use pitree_format::message::is_type;
use pitree_format::{JsString, Object, Role, Value};

/// The files of tool calls, each once and in the order of appearance. Pi's `FileOperations`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileOperations {
    read: OrderedSet,
    written: OrderedSet,
    edited: OrderedSet,
}

impl FileOperations {
    /// Adds what an earlier summary says in its `details`, unless an extension made it: then
    /// nobody knows what they mean.
    pub(super) fn add_summary(&mut self, details: Option<&Value>, from_hook: bool) {
        let Some(details) = details.filter(|_| !from_hook) else { return };
        let list = |key| details.get(key).and_then(Value::as_array).unwrap_or_default();
        list("readFiles").iter().for_each(|file| self.read.add(file));
        list("modifiedFiles").iter().for_each(|file| self.edited.add(file));
    }

    /// Adds the calls of an assistant message, or those that a tool result says were made
    /// inside of it.
    pub(super) fn add_message(&mut self, message: &Value) {
        match Role::of(message) {
            Role::ToolResult => {
                let nested = message.get("nestedCalls").and_then(|nested| nested.get("calls"));
                let calls = nested.and_then(Value::as_array).unwrap_or_default();
                calls.iter().for_each(|call| self.add_call(call));
            }
            Role::Assistant => {
                let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
                let calls = blocks.iter().filter(|block| is_type(block, "toolCall"));
                calls.for_each(|call| self.add_call(call));
            }
            _ => {}
        }
    }

    fn add_call(&mut self, call: &Value) {
        let path = call.get("arguments").and_then(|arguments| arguments.get("path"));
        let Some(path) = path.filter(|path| path.as_string().is_some_and(|path| !path.is_empty()))
        else {
            return;
        };
        let name = call.get_string("name").and_then(JsString::as_str);
        match name {
            Some("read") => self.read.add(path),
            Some("write") => self.written.add(path),
            Some("edit") => self.edited.add(path),
            _ => {}
        }
    }

    /// The files that were only read, and those that were changed, both sorted.
    pub fn lists(&self) -> (Vec<Value>, Vec<Value>) {
        let mut modified = self.edited.clone();
        self.written.items.iter().for_each(|file| modified.add(file));
        let mut read: Vec<Value> =
            self.read.items.iter().filter(|file| !modified.holds(file)).cloned().collect();
        let mut modified = modified.items;
        read.sort_by(as_javascript_sorts);
        modified.sort_by(as_javascript_sorts);
        (read, modified)
    }

    /// The `details` of a summary: `{readFiles, modifiedFiles}`.
    pub fn details(&self) -> Value {
        let (read, modified) = self.lists();
        Object::new().with("readFiles", read).with("modifiedFiles", modified).into()
    }

    /// What is put behind the text of a summary; empty without files.
    pub fn as_text(&self) -> JsString {
        let (read, modified) = self.lists();
        let mut text = JsString::new();
        for (tag, files) in [("read-files", read), ("modified-files", modified)] {
            if files.is_empty() {
                continue;
            }
            text.push_str(&format!("\n\n<{tag}>\n"));
            for (at, file) in files.iter().enumerate() {
                if at > 0 {
                    text.push_str("\n");
                }
                text.push(&as_text(file));
            }
            text.push_str(&format!("\n</{tag}>"));
        }
        text
    }

    /// The sets as lists: `{read, written, edited}`.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("read", self.read.items.clone())
            .with("written", self.written.items.clone())
            .with("edited", self.edited.items.clone())
            .into()
    }
}

/// JavaScript's `Set` of the values that a list of files may hold; nothing promises that they
/// are text.
#[derive(Clone, Debug, Default, PartialEq)]
struct OrderedSet {
    items: Vec<Value>,
    names: HashSet<JsString>,
    /// What is neither text nor a list: the bits of a number, or another single value.
    others: HashSet<Simple>,
}

/// A value that is the same one wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Simple {
    Null,
    Bool(bool),
    Number(u64),
}

impl Simple {
    /// `None` for text, and for lists and objects: two of them are never the same one.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            // Both zeros are one.
            Value::Number(number) => Some(Self::Number((*number + 0.0).to_bits())),
            Value::String(_) | Value::Array(_) | Value::Object(_) | Value::Deep(_) => None,
        }
    }
}

impl OrderedSet {
    fn add(&mut self, file: &Value) {
        let is_new = match file {
            Value::String(name) => self.names.insert(name.clone()),
            other => Simple::of(other).is_none_or(|simple| self.others.insert(simple)),
        };
        if is_new {
            self.items.push(file.clone());
        }
    }

    fn holds(&self, file: &Value) -> bool {
        match file {
            Value::String(name) => self.names.contains(name),
            other => Simple::of(other).is_some_and(|simple| self.others.contains(&simple)),
        }
    }
}

fn as_text(file: &Value) -> JsString {
    match file {
        Value::String(name) => name.clone(),
        Value::Null => JsString::new(),
        other => crate::context::interpolated(Some(other)),
    }
}

fn as_javascript_sorts(one: &Value, other: &Value) -> Ordering {
    let key = |file: &Value| crate::context::interpolated(Some(file));
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.cmp_utf16(other),
        _ => key(one).cmp_utf16(&key(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looking through all of them for each one would take hours here.
    #[test]
    fn a_hundred_thousand_odd_files_are_each_kept_once() {
        let count = 100_000;
        let files: Vec<Value> = (0..count).map(Value::from).collect();
        let twice = [files.clone(), files].concat();
        let details = Object::new().with("readFiles", twice.clone()).with("modifiedFiles", twice);
        let mut operations = FileOperations::default();
        operations.add_summary(Some(&details.into()), false);
        let (read, modified) = operations.lists();
        assert_eq!((read.len(), modified.len()), (0, count));
    }

    #[test]
    fn a_set_holds_what_javascript_calls_the_same_once() {
        let mut set = OrderedSet::default();
        let values = [
            Value::Number(0.0),
            Value::Number(-0.0),
            Value::Null,
            Value::Null,
            true.into(),
            "0".into(),
            "0".into(),
            Value::from(vec![]),
            Value::from(vec![]),
        ];
        values.iter().for_each(|value| set.add(value));
        assert_eq!(set.items.len(), 6);
        assert!(set.holds(&Value::Number(0.0)) && !set.holds(&Value::Bool(false)));
    }
}
