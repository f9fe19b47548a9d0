//! Makes the answers of two programs comparable: ids, times and paths that each of them makes up
//! are replaced; everything else stays, the order of members included.

use std::collections::HashMap;
use std::path::Path;

use pitree_format::js::date::parse_iso;
use pitree_format::{JsString, Object, Value};

/// What is the same in both programs, because it stands in the files they read.
pub(crate) struct Normal<'a> {
    root: &'a Path,
    known: &'a str,
    names: HashMap<String, String>,
}

impl<'a> Normal<'a> {
    /// `known` is the text of the files: what occurs there is not replaced.
    pub(crate) fn new(root: &'a Path, known: &'a str) -> Self {
        Self { root, known, names: HashMap::new() }
    }

    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item)).collect())
            }
            Value::Object(members) => {
                let mut object = Object::new();
                for (name, member) in members.iter() {
                    let member = match (&*name.to_text(), member) {
                        ("timestamp", Value::Number(number))
                            if !self.knows(&number.to_string()) =>
                        {
                            Value::from("(now)")
                        }
                        ("durationMs", _) => Value::from("(duration)"),
                        _ => self.value(member),
                    };
                    object.set(&self.text(name).to_text(), member);
                }
                object.into()
            }
            other => other.clone(),
        }
    }

    fn knows(&self, text: &str) -> bool {
        self.known.contains(text)
    }

    fn text(&mut self, text: &JsString) -> JsString {
        let Some(plain) = text.as_str() else { return text.clone() };
        let root = self.root.to_str().unwrap();
        let plain = plain.replace(root, "ROOT");
        if self.knows(&plain) {
            return plain.into();
        }
        if parse_iso(plain.as_bytes()).is_some() && plain.ends_with('Z') {
            return "(now)".into();
        }
        // File names hold a time and a session's id; both are words between these characters.
        let mut out = String::new();
        for word in plain.split_inclusive(['/', '_', '.', ' ']) {
            let (word, end) = match word.char_indices().next_back() {
                Some((at, '/' | '_' | '.' | ' ')) => word.split_at(at),
                _ => (word, ""),
            };
            out.push_str(&self.word(word));
            out.push_str(end);
        }
        out.into()
    }

    fn word(&mut self, word: &str) -> String {
        let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let is_entry_id = word.len() == 8 && is_hex(word);
        let is_session_id = word.len() == 36 && is_hex(word);
        let is_file_time = word.len() == 24 && word.contains('T') && word.ends_with('Z');
        if is_file_time {
            return "(time)".to_owned();
        }
        if !(is_entry_id || is_session_id) || self.knows(word) {
            return word.to_owned();
        }
        let next = self.names.len() + 1;
        self.names.entry(word.to_owned()).or_insert_with(|| format!("(id {next})")).clone()
    }
}
