//! JSON text that keeps what a parsed value would lose: number spelling, escapes, repeated keys.

use crate::rng::Rng;

/// A piece of JSON text.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// A finished scalar, written as it is.
    Raw(String),
    List(Vec<Json>),
    Object(Object),
}

/// An object that keeps the order of its members and allows repeated keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object(pub(crate) Vec<(String, Json)>);

/// How a line is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As Pi writes it: compact, members in the order in which they were added.
    Pi,
    /// As the Rust port writes it: sorted members with `type` last, roots without `parentId`.
    RustPort,
    /// Legal whitespace between the tokens and members in random order.
    Loose,
}

pub(crate) fn null() -> Json {
    Json::Raw("null".into())
}

pub(crate) fn boolean(value: bool) -> Json {
    Json::Raw(value.to_string())
}

pub(crate) fn int(value: impl Into<i64>) -> Json {
    Json::Raw(value.into().to_string())
}

/// A scalar that is JSON text already.
pub(crate) fn raw(text: impl Into<String>) -> Json {
    Json::Raw(text.into())
}

/// A string value, escaped as Pi escapes it.
pub(crate) fn string(text: &str) -> Json {
    Json::Raw(serde_json::Value::from(text).to_string())
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Json::Object(object)
    }
}

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An object with its `type` member.
    pub(crate) fn typed(name: &str) -> Self {
        Self::new().with("type", string(name))
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Json>) -> Self {
        self.0.push((key.to_owned(), value.into()));
        self
    }

    /// Adds the member when there is a value for it.
    pub(crate) fn with_option(self, key: &str, value: Option<Json>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }
}

/// The text of one line, without its line end.
pub(crate) fn line(mut object: Object, layout: Layout, rng: &mut Rng) -> String {
    if layout == Layout::RustPort {
        object.0.retain(|(key, value)| {
            key != "parentId" || !matches!(value, Json::Raw(text) if text == "null")
        });
    }
    let mut value = Json::Object(object);
    match layout {
        Layout::Pi => {}
        Layout::RustPort => sort_members(&mut value),
        Layout::Loose => shuffle_members(&mut value, rng),
    }
    let mut text = String::new();
    write(&value, layout, rng, &mut text);
    text
}

fn sort_members(value: &mut Json) {
    match value {
        Json::Raw(_) => {}
        Json::List(items) => items.iter_mut().for_each(sort_members),
        Json::Object(Object(members)) => {
            // Stable, so that the last of a repeated key stays the last.
            members.sort_by(|(a, _), (b, _)| (a == "type", a).cmp(&(b == "type", b)));
            members.iter_mut().for_each(|(_, member)| sort_members(member));
        }
    }
}

fn shuffle_members(value: &mut Json, rng: &mut Rng) {
    match value {
        Json::Raw(_) => {}
        Json::List(items) => items.iter_mut().for_each(|item| shuffle_members(item, rng)),
        Json::Object(Object(members)) => {
            rng.shuffle(members);
            members.iter_mut().for_each(|(_, member)| shuffle_members(member, rng));
        }
    }
}

fn write(value: &Json, layout: Layout, rng: &mut Rng, out: &mut String) {
    match value {
        Json::Raw(text) => out.push_str(text),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, layout, rng, out);
                write(item, layout, rng, out);
            }
            pad(layout, rng, out);
            out.push(']');
        }
        Json::Object(Object(members)) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                separate(index, layout, rng, out);
                out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                pad(layout, rng, out);
                out.push(':');
                pad(layout, rng, out);
                write(member, layout, rng, out);
            }
            pad(layout, rng, out);
            out.push('}');
        }
    }
}

fn separate(index: usize, layout: Layout, rng: &mut Rng, out: &mut String) {
    if index > 0 {
        pad(layout, rng, out);
        out.push(',');
    }
    pad(layout, rng, out);
}

fn pad(layout: Layout, rng: &mut Rng, out: &mut String) {
    if layout == Layout::Loose && rng.chance(15) {
        out.push_str(rng.pick(&[" ", "  ", "\t", " \r"]));
    }
}
